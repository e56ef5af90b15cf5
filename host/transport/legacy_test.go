package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/wire"
)

// oldServer speaks HTTP+SSE: it answers each request on the one stream.
type oldServer struct {
	*httptest.Server
	endpoint string // what it names
	frames   chan string
	cut      chan struct{}
	posts    chan string
}

func newOldServer(t *testing.T, endpoint string) *oldServer {
	t.Helper()
	s := &oldServer{endpoint: endpoint, frames: make(chan string, 16), cut: make(chan struct{}), posts: make(chan string, 64)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", s.stream)
	mux.HandleFunc("POST /messages", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.posts <- r.Header.Get("Authorization") + " " + r.URL.RawQuery + " " + string(body)
		if strings.Contains(string(body), `"bad"`) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if f := wire.Classify(body, wire.FromClient, wire.Options{}); f.Kind == wire.Request && f.Method != "slow" {
			s.frames <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2024-11-05"}}`, f.ID.Raw)
		}
		w.WriteHeader(http.StatusAccepted)
	})
	s.Server = serve(t, mux.ServeHTTP)
	return s
}

func (s *oldServer) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(text string) {
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
	}
	say(s.endpoint)
	for {
		select {
		case f := <-s.frames:
			say("event: message\ndata: " + f + "\n\n")
		case <-s.cut:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func TestTheEndpointIsOfTheSameOrigin(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct{ endpoint, want string }{
		{"/messages?session=1", ""},
		{"messages?session=1", ""},
		{"SELF/messages?session=1", ""},
		{"//HOST/messages?session=1", ""},
		{"http://evil.example/messages", "another host"},
		{"//evil.example/messages", "another host"},
		{"http://localhost:1/messages", "another host"},
		{"http://127.0.0.1:1/messages", "another port"},
		{"http://127.0.0.1/messages", "another port"},
		{"https://HOST/messages", "another scheme"},
		{"file:///etc/passwd", "another scheme"},
		{"javascript:1", "another scheme"},
		{"http://user@HOST/messages", "a user"},
		{"http://HOST@evil.example/messages", "a user"},
		{`\\evil.example\messages`, "400"}, // no host but a path of ours, which does not exist
		{"http://[evil/", "no address"},
	} {
		s := newOldServer(t, "")
		endpoint := strings.NewReplacer("SELF", s.URL, "HOST", strings.TrimPrefix(s.URL, "http://")).Replace(c.endpoint)
		s.endpoint = ": hello\n\nevent: endpoint\ndata: " + endpoint + "\n\n"
		l, err := DialLegacy(t.Context(), Options{URL: s.URL + "/sse", Header: http.Header{"Authorization": {"secret"}}})
		if err != nil {
			if kindOf(err) != KindRedirect || c.want == "" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v, want %q", endpoint, err, c.want)
			}
			continue
		}
		err = l.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		switch {
		case c.want == "400":
			if kindOf(err) != KindStatus {
				t.Errorf("%q: %v", endpoint, err)
			}
		case c.want != "" || err != nil:
			t.Errorf("%q: was accepted, %v", endpoint, err)
		default:
			if got := <-s.posts; got != `secret session=1 {"jsonrpc":"2.0","id":1,"method":"ping"}` {
				t.Errorf("%q: posted %s", endpoint, got)
			}
			if frame, err := l.Next(); err != nil || !strings.Contains(string(frame), `"id":1`) {
				t.Errorf("%q: %s %v", endpoint, frame, err)
			}
		}
		_ = l.Close()
		s.CloseClientConnections()
	}
}

func TestTheEndpointComesFirst(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		name, stream string
		kind         ErrorKind
	}{
		{"at once", "event: endpoint\ndata: /messages\n\n", 255},
		{"behind comments and what is no event", ":\n\nid: 1\n\nevent: endpoint\ndata: /messages\n\n", 255},
		{"behind a frame", "data: {}\n\nevent: endpoint\ndata: /messages\n\n", KindContent},
		{"under another name", "event: Endpoint\ndata: /messages\n\n", KindContent},
		{"without end", "event: endpoint\ndata: /" + strings.Repeat("m", maxEndpoint) + "\n\n", KindContent},
		{"never", "", KindContent},
		{"half", "event: endpoint\ndata: /messages\n", KindContent},
	} {
		s := newOldServer(t, c.stream)
		close(s.cut)
		l, err := DialLegacy(t.Context(), Options{URL: s.URL + "/sse"})
		if kindOf(err) != c.kind {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil {
			if _, err := l.Next(); !errors.Is(err, io.EOF) {
				t.Errorf("%s: %v at the end", c.name, err)
			}
			_ = l.Close()
		}
	}
}

func TestAServerWithoutAStreamIsNoLegacyServer(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		status int
		kind   string
		want   ErrorKind
	}{
		{405, "text/plain", KindStatus},
		{404, "text/event-stream", KindStatus},
		{200, "application/json", KindContent},
		{307, "text/event-stream", KindRedirect},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			w.WriteHeader(c.status)
		})
		if _, err := DialLegacy(t.Context(), Options{URL: s.URL}); kindOf(err) != c.want {
			t.Errorf("%d: %v", c.status, err)
		}
	}
}

func TestDiallingEndsWithItsContextAndTheSessionDoesNot(t *testing.T) {
	nothingLeft(t)
	silent := newOldServer(t, ": nothing yet\n\n")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	go cancel(why)
	if _, err := DialLegacy(ctx, Options{URL: silent.URL + "/sse"}); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	s := newOldServer(t, "event: endpoint\ndata: /messages\n\n")
	ctx, cancel = context.WithCancelCause(t.Context())
	l, err := DialLegacy(ctx, Options{URL: s.URL + "/sse"})
	if err != nil {
		t.Fatal(err)
	}
	cancel(why)
	s.frames <- `{"jsonrpc":"2.0","method":"a"}`
	if frame, err := l.Next(); err != nil || !strings.Contains(string(frame), `"a"`) {
		t.Errorf("%s %v", frame, err)
	}
	_ = l.Close()
	if _, err := l.Next(); err == nil {
		t.Error("it goes on after its end")
	}
}

func TestOnlySomeRepliesMayComeFromALegacyServer(t *testing.T) {
	rpc := func(code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"no"}}`, code)
	}
	for _, c := range []struct {
		status int
		body   string
		want   bool
	}{
		{405, "", true},
		{404, "<p>", true},
		{400, rpc(-32000), true},
		{404, rpc(-32601), false},
		{400, rpc(-32020), false},
		{400, rpc(-32021), false},
		{400, rpc(-32022), false},
		{200, "", false},
		{401, "", false},
		{403, "", false},
		{500, "", false},
	} {
		if got := MayBeLegacy(&Reply{Status: c.status, Body: []byte(c.body)}); got != c.want {
			t.Errorf("%d %s: %v", c.status, c.body, got)
		}
	}
}
