package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/proxy"
)

// An answer at a URL may lie over any number of lines. A client over stdio reads
// lines, so it gets each frame as one, whose values are untouched, and one that is
// a line already as it was.
func TestAFrameOverSeveralLinesIsOneOverStdio(t *testing.T) {
	pieces := []string{`{"jsonrpc":"2.0",`, `"id":%d,"result":{"content":[],`, `"fine":[1.0,"a b"]`, `}}`}
	cases := []struct {
		name  string
		sse   bool
		lines int // that the frame lies over
		end   string
	}{
		{"a body of one line", false, 1, ""},
		{"a body of one line with its end", false, 1, "\n"},
		{"a body of two lines", false, 2, ""},
		{"a body of two lines with their ends", false, 2, "\n"},
		{"a body of three lines", false, 3, ""},
		{"a body of four lines with their ends", false, 4, "\n"},
		{"an event of one line", true, 1, ""},
		{"an event of two lines", true, 2, ""},
		{"an event of three lines", true, 3, ""},
	}
	b, s := newBrain(t, "sse")
	w := &wired{t: t, dir: t.TempDir(), person: &person{}, ctx: t.Context(), back: s.URL}
	w.stdio(loadPolicy(t, attackPolicy), proxy.GatewayServer{Remote: upstream(t, s.URL)})
	t.Cleanup(func() { w.close() })
	w.write(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	w.await(`"init"`)
	w.write(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	w.await(`"list"`)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w.t = t
			parts := append(append([]string(nil), pieces[:c.lines-1]...), strings.Join(pieces[c.lines-1:], ""))
			text := fmt.Sprintf(strings.Join(parts, "\n"), i) + c.end
			b.mu.Lock()
			b.before = func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
				if !bytes.Contains(body, []byte("tools/call")) {
					return false
				}
				if c.sse {
					w.Header().Set("Content-Type", "text/event-stream")
					text = "data: " + strings.ReplaceAll(text, "\n", "\ndata: ") + "\n\n"
				} else {
					w.Header().Set("Content-Type", "application/json")
				}
				_, _ = io.WriteString(w, text)
				return true
			}
			b.mu.Unlock()
			w.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"good","arguments":{}}}`, i))
			want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[],"fine":[1.0,"a b"]}}`, i)
			if got := w.await(fmt.Sprintf(`"id":%d,`, i)); got != want {
				t.Errorf("%q; want %q", got, want)
			}
		})
	}
	if len(cases) == 0 {
		t.Error("no cases")
	}
}
