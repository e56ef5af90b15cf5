package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/transport"
)

// served is a gateway with one server, under the name fake.
type served struct {
	t      *testing.T
	url    string
	log    string
	ledger string
}

// serveFake serves the fake server as a child of a gateway.
func serveFake(t *testing.T, policyText, mode string) *served {
	t.Helper()
	log := t.TempDir() + "/log"
	return serveGateway(t, policyText, proxy.GatewayServer{
		Command: []string{os.Args[0]}, Env: append(os.Environ(), "GORACE=atexit_sleep_ms=0", "FAKE_SERVER="+mode, "FAKE_LOG="+log),
	}, log)
}

func serveGateway(t *testing.T, policyText string, server proxy.GatewayServer, log string) *served {
	t.Helper()
	p, err := policy.Load(policy.Options{Files: []string{"/policy.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return []byte(policyText), nil }})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	g := proxy.NewGateway(proxy.GatewayOptions{
		Servers: map[string]proxy.GatewayServer{"fake": server},
		Guard:   transport.Guard{Bound: "127.0.0.1:1"},
		Client:  func(*http.Request) (proxy.GatewayClient, *transport.Refusal) { return proxy.GatewayClient{}, nil },
		Open: func(name string, _ proxy.GatewayClient) (*proxy.Opened, proxy.KeeperOptions, error) {
			opened, err := proxy.Open(proxy.Opening{Policy: p, Specs: builtin.Table(), Server: name, Dir: dir, Place: abi.Place{Dir: "/srv", Home: "/home/u"}})
			if err != nil {
				return nil, proxy.KeeperOptions{}, err
			}
			return opened, proxy.KeeperOptions{
				Server: name, Engine: opened.Engine, Voice: proxy.NewVoice(p.Value()), Pins: opened.KeepPins, Asking: proxy.Asking{Timeout: p.Settings().ApprovalTimeout},
			}, nil
		},
		Limits: proxy.GatewayLimits{Sessions: 300, Children: 300, Idle: time.Minute, KeepAlive: time.Second, Delay: time.Second},
		Stderr: os.Stderr,
		Note:   func(format string, args ...any) { t.Logf(format, args...) },
	})
	front := httptest.NewServer(g)
	t.Cleanup(func() {
		front.CloseClientConnections()
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		front.Close()
	})
	return &served{t: t, url: front.URL + "/mcp/fake", log: log, ledger: dir}
}

// post sends a body and returns status, headers and the frames of the answer.
func (s *served) post(body string, header ...string) (int, http.Header, string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(data)
}

// open initializes a session and lists its tools.
func (s *served) open(revision string) (id string) {
	s.t.Helper()
	status, h, body := s.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	id = h.Get("Mcp-Session-Id")
	if status != http.StatusOK || id == "" || !strings.Contains(body, `"serverInfo"`) {
		s.t.Fatal(status, h, body)
	}
	if status, _, body := s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id); status != http.StatusAccepted || body != "" {
		s.t.Fatal(status, body)
	}
	if status, _, body := s.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Session-Id", id); status != http.StatusOK || !strings.Contains(body, `"good"`) {
		s.t.Fatal(status, body)
	}
	return id
}

func TestAGatewayServesSessionsOfAChild(t *testing.T) {
	s := serveFake(t, onlyGood, "plain")
	one, two := s.open("2025-11-25"), s.open("2025-06-18")
	if one == two {
		t.Fatal("two sessions have one id")
	}
	for _, id := range []string{one, two} {
		status, _, body := s.post("{\n"+`"jsonrpc":"2.0","id":7,"method":"tools/call",`+"\n"+`"params":{"name":"good","arguments":{"a":1}}}`, "Mcp-Session-Id", id)
		if status != http.StatusOK || body != `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"ok \u2028 9007199254740993"}], "x":1.0}}` {
			t.Error(status, body)
		}
		status, _, body = s.post(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"bad"}}`, "Mcp-Session-Id", id)
		if status != http.StatusOK || !strings.Contains(body, `"isError":true`) || !strings.Contains(body, "COVERAGE_D") {
			t.Error(status, body)
		}
	}
	if status, _, _ := s.post(`{"jsonrpc":"2.0","id":9,"method":"ping"}`, "Mcp-Session-Id", "nobody"); status != http.StatusNotFound {
		t.Error(status)
	}
	if status, _, _ := s.post(`{"jsonrpc":"2.0","id":9,"method":"ping"}`); status != http.StatusBadRequest {
		t.Error(status)
	}
	req, _ := http.NewRequest(http.MethodDelete, s.url, nil)
	req.Header.Set("Mcp-Session-Id", one)
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusNoContent {
		t.Fatal(res, err)
	}
	if status, _, _ := s.post(`{"jsonrpc":"2.0","id":9,"method":"ping"}`, "Mcp-Session-Id", one); status != http.StatusNotFound {
		t.Error(status)
	}
	if status, _, body := s.post(`{"jsonrpc":"2.0","id":9,"method":"ping"}`, "Mcp-Session-Id", two); status != http.StatusOK || body != `{"jsonrpc":"2.0","id":9,"result":{}}` {
		t.Error(status, body)
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// TestModernRequestsShareAChildUnderTheirOwnIDs: requests without a session use
// the same ids, and each gets its own answer.
func TestModernRequestsShareAChildUnderTheirOwnIDs(t *testing.T) {
	s := serveFake(t, "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\n", "plain")
	done := make(chan string)
	const n = 20
	for i := range n {
		go func() {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"same","method":"tools/call","params":{"name":"say","arguments":{"line":"{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[],\"n\":%d}}"},%s}}`, i, modernMeta)
			status, _, got := s.post(body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "say")
			if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":"same","result":{"content":[],"n":%d}}`, i); status != http.StatusOK || got != want {
				done <- fmt.Sprint(status, got, " want ", want)
				return
			}
			done <- ""
		}()
	}
	for range n {
		if bad := <-done; bad != "" {
			t.Error(bad)
		}
	}
	log, _ := os.ReadFile(s.log)
	if got := strings.Count(string(log), "started"); got != 1 {
		t.Errorf("%d children; want 1", got)
	}
}

// TestAnAnswerIsKeptForAClientThatLostItsConnection: to lose a connection is not
// to cancel (MCP 2025-06-18, "sending messages to the server").
func TestAnAnswerIsKeptForAClientThatLostItsConnection(t *testing.T) {
	s := serveFake(t, onlyGood, "plain")
	id := s.open("2025-11-25")
	says := func(n int, lines string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"say","arguments":{"line":%q}}}`, n, lines)
	}
	res, r := s.stream(http.MethodPost, says(11, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"first"}}`), id, "")
	last, data := event(t, r)
	if last == "" || !strings.Contains(data, "first") {
		t.Fatal(last, data)
	}
	res.Body.Close()
	s.post(says(12, `{"jsonrpc":"2.0","id":11,"result":{"content":[],"kept":true}}`+"\n"+`{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`), "Mcp-Session-Id", id)
	res, r = s.stream(http.MethodGet, "", id, last)
	defer res.Body.Close()
	if _, data := event(t, r); data != `{"jsonrpc":"2.0","id":11,"result":{"content":[],"kept":true}}` {
		t.Error(data)
	}
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("the stream goes on behind its answer: %q, %v", rest, err)
	}
	if res, _ := s.stream(http.MethodGet, "", id, "999-0"); res.StatusCode != http.StatusBadRequest {
		t.Error(res.StatusCode)
	}
}

// TestASilentAnswerIsKeptToo: a stream that nothing has come on begins with an id
// to come back with (MCP 2025-11-25), and one with nothing to come is not opened
// again, since a client would come back for ever.
func TestASilentAnswerIsKeptToo(t *testing.T) {
	cases := []struct {
		revision string
		first    string // what the stream begins with
	}{
		{"2025-06-18", ": keep-alive"},
		{"2025-11-25", "id: "},
	}
	for _, c := range cases {
		t.Run(c.revision, func(t *testing.T) {
			s := serveFake(t, onlyGood, "plain")
			id := s.open(c.revision)
			call := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"say","arguments":{"line":%q}}}`
			res, r := s.stream(http.MethodPost, fmt.Sprintf(call, 11, ""), id, "")
			line, err := r.ReadString('\n')
			if err != nil || !strings.HasPrefix(line, c.first) {
				t.Fatalf("%q, %v; want %q", line, err, c.first)
			}
			last, primed := strings.CutPrefix(strings.TrimSpace(line), "id: ")
			if !primed {
				return
			}
			if data, err := r.ReadString('\n'); err != nil || data != "data:\n" {
				t.Errorf("%q, %v", data, err)
			}
			res.Body.Close()
			s.post(fmt.Sprintf(call, 12, `{"jsonrpc":"2.0","id":11,"result":{"content":[],"kept":true}}`+"\n"+`{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`), "Mcp-Session-Id", id)
			_, r = s.stream(http.MethodGet, "", id, last)
			end, data := event(t, r)
			if data != `{"jsonrpc":"2.0","id":11,"result":{"content":[],"kept":true}}` {
				t.Error(data)
			}
			if res, _ := s.stream(http.MethodGet, "", id, end); res.StatusCode != http.StatusNoContent {
				t.Error(res.Status)
			}
		})
	}
	if len(cases) == 0 {
		t.Error("no cases")
	}
}

// stream sends a request and returns the stream that answers it.
func (s *served) stream(method, body, session, last string) (*http.Response, *bufio.Reader) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", session)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { res.Body.Close() })
	return res, bufio.NewReader(res.Body)
}

// event reads the next event that has data.
func event(t *testing.T, r *bufio.Reader) (id, data string) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "id: "):
			id = line[4:]
		case strings.HasPrefix(line, "data: "):
			data = line[6:]
		case line == "" && data != "":
			return id, data
		}
	}
}
