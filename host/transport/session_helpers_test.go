package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// script is a Streamable HTTP server that says what a test tells it to, and keeps what it was asked.
type script struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	asked    []string                                    // as ask describes it
	session  string                                      // that it knows; "" for a server without sessions
	sessions int                                         // that it has started
	version  string                                      // that it agrees to
	on       map[string]func(*exchanged)                 // by method of the frame, or HTTP method
	seen     chan string                                 // what was asked, as it comes
	check    func(r *http.Request, frame wire.Frame) int // a status that refuses, or 0
}

// exchanged is one request to a script, and its reply.
type exchanged struct {
	s     *script
	w     http.ResponseWriter
	r     *http.Request
	frame wire.Frame
}

func (x *exchanged) json(status int, text string) {
	x.w.Header().Set("Content-Type", "application/json")
	x.w.WriteHeader(status)
	_, _ = io.WriteString(x.w, text)
}

func (x *exchanged) say(events string) {
	if x.w.Header().Get("Content-Type") == "" {
		x.w.Header().Set("Content-Type", "text/event-stream")
	}
	_, _ = io.WriteString(x.w, events)
	_ = http.NewResponseController(x.w).Flush()
}

func (x *exchanged) result() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.frame.ID.Raw)
}

func newScript(t *testing.T) *script {
	t.Helper()
	s := &script{t: t, version: "2025-11-25", on: map[string]func(*exchanged){}, seen: make(chan string, 256)}
	s.Server = serve(t, s.serve)
	return s
}

func (s *script) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	x := &exchanged{s: s, w: w, r: r}
	what := r.Method
	if r.Method == http.MethodPost {
		x.frame = wire.Classify(body, wire.FromClient, wire.Options{Batches: true})
		what = x.frame.Method
		if what == "" {
			what = x.frame.Kind.String()
		}
	}
	line := what
	for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Mcp-Method", "Mcp-Name"} {
		if v := r.Header.Values(name); len(v) > 0 {
			line += " " + strings.TrimPrefix(name, "Mcp-") + "=" + strings.Join(v, ",")
		}
	}
	s.mu.Lock()
	s.asked = append(s.asked, line)
	known, status := s.session, 0
	if s.check != nil {
		status = s.check(r, x.frame)
	}
	handle := s.on[what]
	s.mu.Unlock()
	s.seen <- line
	switch given := r.Header.Get("Mcp-Session-Id"); {
	case status != 0:
		w.WriteHeader(status)
	case what != "initialize" && given != "" && given != known:
		x.json(404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
	case handle != nil:
		handle(x)
	case what == "initialize":
		x.initialize()
	case r.Method == http.MethodGet:
		w.WriteHeader(405)
	case x.frame.Kind == wire.Request:
		x.json(200, x.result())
	default:
		w.WriteHeader(202)
	}
}

// initialize starts a session, if the script has any.
func (x *exchanged) initialize() {
	x.s.mu.Lock()
	if x.s.session != "" {
		x.s.sessions++
		x.s.session = fmt.Sprintf("s%d", x.s.sessions)
		x.w.Header().Set("Mcp-Session-Id", x.s.session)
	}
	version := x.s.version
	x.s.mu.Unlock()
	x.json(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q}}`, x.frame.ID.Raw, version))
}

// forget has the server lose its session.
func (s *script) forget() {
	s.mu.Lock()
	s.session = "forgotten"
	s.mu.Unlock()
}

// list is what was asked so far.
func (s *script) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// deletion is what the server was asked when the session ended, "" if nothing. The
// GET of a session that was short may be handled behind it.
func (s *script) deletion() string {
	list := s.list()
	if i := slices.IndexFunc(list, func(asked string) bool { return strings.HasPrefix(asked, "DELETE") }); i >= 0 {
		return list[i]
	}
	return ""
}

// wants demands what was asked so far.
func (s *script) wants(want ...string) {
	s.t.Helper()
	if got := s.list(); !slices.Equal(got, want) {
		s.t.Errorf("the server was asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// await waits until the server was asked something that starts so.
func (s *script) await(start string) string {
	for line := range s.seen {
		if strings.HasPrefix(line, start) {
			return line
		}
	}
	return ""
}

// remote starts a session whose waits are over at once; waited gets how long each was meant to be.
func remote(t *testing.T, o RemoteOptions) (r *Remote, waited chan time.Duration) {
	t.Helper()
	waited = make(chan time.Duration, 256)
	if o.wait == nil {
		o.wait = func(ctx context.Context, d time.Duration) error {
			if d > 0 {
				waited <- d
			}
			return context.Cause(ctx)
		}
	}
	r, err := NewRemote(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r, waited
}

func send(t *testing.T, r *Remote, frames ...string) {
	t.Helper()
	for _, f := range frames {
		if err := r.Send([]byte(f)); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
}

// next describes the next arrival.
func next(r *Remote) string {
	a, err := r.Next()
	switch {
	case errors.Is(err, io.EOF):
		return "end"
	case err != nil:
		return err.Error()
	}
	on := ""
	if a.On.Raw != "" {
		on = " on " + a.On.Raw
	}
	if a.Err != nil {
		return fmt.Sprintf("error %d%s", kindOf(a.Err), on)
	}
	return string(a.Frame.Raw) + on
}

func wantNext(t *testing.T, r *Remote, want ...string) {
	t.Helper()
	for _, w := range want {
		if got := next(r); got != w {
			t.Errorf("came %s, want %s", got, w)
		}
	}
}

const (
	initializeFrame  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
	initializedFrame = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	initializeResult = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}} on 0`
)

func callFrame(id int, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method)
}

func response(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }

// modernFrame is a request of MCP 2026-07-28.
func modernFrame(id int, method, params string) string {
	if params != "" {
		params += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, id, method, params)
}
