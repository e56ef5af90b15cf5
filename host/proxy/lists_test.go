package proxy_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/transport"
)

const toolLists = "../../testdata/tool-lists"

// listOf is the result of tools/list of a recorded server, as its file has it.
func listOf(name string) []byte {
	data, err := os.ReadFile(filepath.Join(toolLists, filepath.Base(name)))
	if err != nil {
		panic(err)
	}
	var file struct{ Tools json.RawMessage }
	if err := json.Unmarshal(data, &file); err != nil {
		panic(err)
	}
	return append(append([]byte(`{ "tools": `), file.Tools...), "\n}"...)
}

// compacted is JSON on one line, its lexemes as they were.
func compacted(raw []byte) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// listAnswer answers a tools/list whose cursor names a recorded server.
func listAnswer(request string, list func(name string) []byte) string {
	var m struct {
		ID     json.RawMessage
		Params struct{ Cursor string }
	}
	if err := json.Unmarshal([]byte(request), &m); err != nil {
		panic(err)
	}
	return `{"result":` + string(list(m.Params.Cursor)) + `,"jsonrpc":"2.0","id":` + string(m.ID) + "}"
}

func listRequest(name string) string {
	return `{"jsonrpc":"2.0","id":"` + name + `","method":"tools/list","params":{"cursor":"` + name + `"}}`
}

// TestToolListsArriveByteForByte: what servers list arrives as they wrote it,
// over every bridge. A server behind HTTP may write it on many lines; a client
// that reads lines gets it on one, and nothing else is changed.
func TestToolListsArriveByteForByte(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(toolLists, "*.json"))
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d lists, %v", len(paths), err)
	}
	const policy = "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\n"
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, listAnswer(string(body), listOf))
	}))
	defer upstream.Close()
	up, err := transport.NewUpstream(transport.Options{URL: upstream.URL})
	if err != nil {
		t.Fatal(err)
	}
	posted := func(s *served) func(string) string {
		return func(name string) string {
			meta := `{"cursor":"` + name + `",` + modernMeta + `}`
			_, header, body := s.post(strings.Replace(listRequest(name), `{"cursor":"`+name+`"}`, meta, 1), "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list")
			if header.Get("Content-Type") == "text/event-stream" { // it took so long that a stream was begun
				_, body, _ = strings.Cut(body, "data: ")
				body, _ = strings.CutSuffix(body, "\n\n")
			}
			return body
		}
	}
	child := connect(t, setup{policy: policy, mode: "lists"})
	remote := connect(t, setup{policy: policy, remote: upstream.URL})
	sent := func(l *link) func(string) string {
		return func(name string) string {
			l.send(listRequest(name) + "\n")
			return strings.TrimSuffix(l.await(`"id":"`+name+`"`), "\n")
		}
	}
	bridges := []struct {
		name string
		list func(name string) string
		form func(name string) []byte
	}{
		{"stdio to stdio", sent(child), func(name string) []byte { return compacted(listOf(name)) }},
		{"stdio to HTTP", sent(remote), func(name string) []byte { return compacted(listOf(name)) }},
		{"HTTP to stdio", posted(serveFake(t, policy, "lists")), func(name string) []byte { return compacted(listOf(name)) }},
		{"HTTP to HTTP", posted(serveGateway(t, policy, proxy.GatewayServer{Remote: up}, "")), listOf},
	}
	compared := 0
	for _, b := range bridges {
		t.Run(b.name, func(t *testing.T) {
			for _, path := range paths {
				name := filepath.Base(path)
				want := listAnswer(listRequest(name), func(string) []byte { return b.form(name) })
				if got := b.list(name); got != want {
					t.Errorf("%s: %d bytes arrived of %d, or other ones", name, len(got), len(want))
				}
				compared++
			}
		})
	}
	if compared != len(bridges)*len(paths) {
		t.Fatalf("%d lists were compared", compared)
	}
}
