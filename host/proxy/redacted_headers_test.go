package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/transport"
)

// mirroring lists one tool, an argument of which goes into a header too.
const mirroring = `{"resultType":"complete","tools":[{"name":"good","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Key"}}}}],"ttlMs":0,"cacheScope":"private"}`

// mirrored puts Callgate, as run --url or as a gateway, before a server that lists
// mirroring and answers calls with these frames, ID being that of the call.
func mirrored(t *testing.T, front bool, policyText string, frames ...string) (*wired, *brainOverHTTP) {
	t.Helper()
	b, s := newBrain(t, "sse")
	b.before = func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		var m brainFrame
		if json.Unmarshal(body, &m) != nil || m.Method != "tools/list" && m.Method != "tools/call" {
			return false
		}
		b.got(body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Mcp-Note", "tok-123456")
		w.Header().Set("Tracestate", "k=tok%2D123456")
		w.Header().Set("Mcp-Other", "tok-12345")
		out := frames
		if m.Method == "tools/list" {
			out = []string{`{"jsonrpc":"2.0","id":ID,"result":` + mirroring + `}`}
		}
		for _, f := range out {
			_, _ = io.WriteString(w, "data: "+strings.ReplaceAll(strings.ReplaceAll(f, "ID", string(m.ID)), "\n", "\ndata: ")+"\n\n")
			w.(http.Flusher).Flush()
		}
		return true
	}
	w := &wired{t: t, b: bridge{front: front}, dir: t.TempDir(), person: &person{}, ctx: t.Context(), back: s.URL, log: b.logged.String}
	p, server := loadPolicy(t, policyText), proxy.GatewayServer{Remote: upstream(t, s.URL)}
	if front {
		_, g := gatewayFor(t, gatewaySetup{policy: p, servers: map[string]proxy.GatewayServer{"fake": server}, dir: w.dir, asking: askingFor(w.person, long)})
		w.url, w.write, w.close = g.URL+"/mcp/fake", w.post, func() {}
		t.Cleanup(w.posts.Wait)
	} else {
		w.stdio(p, server)
		t.Cleanup(func() { w.close() })
	}
	return w, b
}

// callOver calls the tool as a client of revision 2026-07-28 does, which over HTTP
// mirrors the argument itself, beside further headers.
func (w *wired) callOver(value string, more http.Header) {
	w.t.Helper()
	if body := calling(value); w.b.front {
		w.answer(w.requesting(value, more), brainFrame{Method: "tools/call"})
	} else {
		w.write(body)
	}
}

func calling(value string) string {
	a, _ := json.Marshal(value)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"good","arguments":{"a":%s},%s}}`, a, modernPlain)
}

// requesting is the call over HTTP.
func (w *wired) requesting(value string, more http.Header) *http.Request {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.url, strings.NewReader(calling(value)))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header = more.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	for name, text := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28",
		"Mcp-Method": "tools/call", "Mcp-Name": "good", "Mcp-Param-Key": transport.EncodeHeaderValue(value),
	} {
		req.Header.Set(name, text)
	}
	return req
}

// told are the headers that reached the server, as what they say.
func told(b *brainOverHTTP) (all []string) {
	for _, h := range b.seen() {
		for name, values := range h {
			for _, v := range values {
				if plain, ok := transport.DecodeHeaderValue(v); ok {
					v = plain
				}
				all = append(all, name+": "+v)
			}
		}
	}
	return all
}

// TestARedactedArgumentIsInNoHeader: what an argument may not say, the header that
// mirrors it does not say either, plainly or in base64; nor does one that mirrors
// nothing.
func TestARedactedArgumentIsInNoHeader(t *testing.T) {
	cases := []struct {
		name, places, value, want string
		front                     bool
		more                      http.Header
	}{
		{name: "run --url", places: "arguments", value: "x tok-123456", want: "x [r]"},
		{name: "run --url, in base64", places: "arguments", value: "é tok-123456 ", want: "é [r] "},
		{name: "run --url, the twin", places: "results", value: "x tok-123456", want: "x tok-123456"},
		{name: "gateway", front: true, places: "arguments", value: "x tok-123456", want: "x [r]"},
		{name: "gateway, in base64", front: true, places: "arguments", value: "é tok-123456 ", want: "é [r] "},
		{name: "gateway, a header of no argument", front: true, places: "arguments", value: "x tok-123456", want: "x [r]", more: http.Header{"Mcp-Param-Other": {"tok-123456"}}},
		{name: "gateway, only a header of no argument", front: true, places: "arguments", value: "x", want: "x", more: http.Header{"Mcp-Param-Other": {"tok-123456"}}},
		{name: "gateway, only in base64", front: true, places: "arguments", value: "x", want: "x", more: http.Header{"Mcp-Param-Other": {transport.EncodeHeaderValue("é tok-123456")}}},
		{name: "gateway, in trace context", front: true, places: "arguments", value: "x", want: "x", more: http.Header{"Baggage": {"k=tok-123456"}, "Tracestate": {"k=tok-123456"}, "User-Agent": {"tok-123456"}}},
		{name: "gateway, beside percent signs of nothing", front: true, places: "arguments", value: "x", want: "x", more: http.Header{"Baggage": {"a=%zz,k=tok%2D123456%"}}},
		{name: "gateway, the twin", front: true, places: "results", value: "x tok-123456", want: "x tok-123456", more: http.Header{"Mcp-Param-Other": {"tok-123456"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w, b := mirrored(t, c.front, redactingPolicy(c.places, ""), `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","content":[]}}`)
			w.greetOver(true)
			w.callOver(c.value, c.more)
			w.await(`"id":7,`)
			headers, wantArgument := told(b), fmt.Sprintf(`"arguments":{"a":"%s"}`, c.want)
			if !strings.Contains(strings.Join(headers, "\n"), "Mcp-Param-Key: "+c.want) || !strings.Contains(w.log(), wantArgument) {
				t.Errorf("the server got %q and %s; want %q", headers, w.log(), c.want)
			}
			if c.places == "arguments" && strings.Contains(strings.ReplaceAll(strings.Join(headers, "\n"), "%2D", "-")+w.log(), "tok-123456") {
				t.Errorf("the secret reaches the server: %q\n%s", headers, w.log())
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// TestARedactedResultSurvivesInNoEvent has a server answer over SSE, with what goes
// before the answer: log messages, progress, an event over several lines.
func TestARedactedResultSurvivesInNoEvent(t *testing.T) {
	answer := `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","content":[{"type":"text","text":"a tok-123456"}],"structuredContent":{"k":["tok-123456"]}}}`
	cases := []struct {
		name   string
		frames []string
		want   string
	}{
		{"a result", []string{answer}, `a [r]`},
		{"a result over several lines", []string{strings.ReplaceAll(answer, ",", ",\n")}, `a [r]`},
		{"an escaped one", []string{strings.ReplaceAll(answer, "tok-", `\u0074ok\u002d`)}, `a [r]`},
		{"a log message before it", []string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"b tok-123456"}}`, answer}, `b [r]`},
		{"progress before it", []string{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"message":"c tok-123456"}}`, answer}, `c [r]`},
		{"an error", []string{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"d tok-123456","data":{"k":"tok-123456"}}}`}, `d [r]`},
	}
	for _, c := range cases {
		for _, front := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, gateway %v", c.name, front), func(t *testing.T) {
				w, _ := mirrored(t, front, redactingPolicy("results, ledger", ""), c.frames...)
				w.greetOver(true)
				w.callOver("x", nil)
				w.await(`"id":7,`)
				got := w.got()
				if !strings.Contains(got, c.want) || strings.Contains(got, "tok-123456") || strings.Contains(got, `\u0074ok`) {
					t.Errorf("the client got %s; want %s", got, c.want)
				}
				if on := kept(t, w.dir); len(on) == 0 || bytes.Contains(on, []byte("tok-123456")) {
					t.Errorf("%d bytes are kept, or the secret is among them", len(on))
				}
			})
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// TestARedactedTextOfAServerIsInNoHeader: what a server sets beside its answer is
// held to what its answer is; other headers reach the client, and so do all where
// results are not redacted.
func TestARedactedTextOfAServerIsInNoHeader(t *testing.T) {
	cases := []struct{ places, note, trace string }{{"results", "", ""}, {"arguments", "tok-123456", "k=tok%2D123456"}}
	for _, c := range cases {
		w, _ := mirrored(t, true, redactingPolicy(c.places, ""), `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","content":[]}}`)
		w.greetOver(true)
		res, err := http.DefaultClient.Do(w.requesting("x", nil))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if h := res.Header; h.Get("Mcp-Note") != c.note || h.Get("Tracestate") != c.trace || h.Get("Mcp-Other") != "tok-12345" {
			t.Errorf("redacting %s: the client got %q", c.places, h)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
