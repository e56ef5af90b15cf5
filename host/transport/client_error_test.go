package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/wire"
)

func TestWhyThereIsNoReplyIsTold(t *testing.T) {
	nothingLeft(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }))
	secure.Config.ErrorLog = nil
	secure.StartTLS()
	defer secure.Close()
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) })
	broken := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = c.Close()
		}
	})
	half := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "{")
	})
	for _, c := range []struct {
		name string
		o    Options
		want ErrorKind
	}{
		{"nobody listens", Options{URL: closed.URL}, KindDial},
		{"no such host", Options{URL: "http://callgate.invalid"}, KindDial},
		{"an unknown certificate", Options{URL: secure.URL}, KindTLS},
		{"a known certificate", Options{URL: secure.URL, TLS: secure.Client().Transport.(*http.Transport).TLSClientConfig}, 255},
		{"no TLS", Options{URL: strings.Replace(plain.URL, "http:", "https:", 1)}, KindTLS},
		{"no TLS wanted", Options{URL: plain.URL}, 255},
		{"the connection breaks", Options{URL: broken.URL}, KindBroken},
		{"the body breaks", Options{URL: half.URL}, KindBroken},
	} {
		u := upstream(t, c.o)
		r, err := u.Post(t.Context(), []byte("{}"), nil)
		if kindOf(err) != c.want || c.want == 255 && err != nil {
			t.Errorf("%s: %+v %v", c.name, r, err)
		}
		u.Close()
	}
}

func TestAReplyEndsWithItsContext(t *testing.T) {
	nothingLeft(t)
	arrived := make(chan struct{}, 1)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	u := upstream(t, Options{URL: s.URL})
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-arrived; cancel(why) }()
	if _, err := u.Post(ctx, []byte("{}"), nil); !errors.Is(err, why) {
		t.Errorf("POST: %v", err)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	r, err := u.Listen(ctx, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	<-arrived
	cancel(why)
	if _, err := r.Events.Next(); err == nil {
		t.Error("the stream goes on")
	}
	_ = r.Close()
}

func TestAStreamIsReadAsItComes(t *testing.T) {
	nothingLeft(t)
	more := make(chan string)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for text := range more {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		}
	})
	u := upstream(t, Options{URL: s.URL, MaxBody: 100})
	go func() { more <- ": here\n" }()
	r, err := u.Post(t.Context(), []byte("{}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if e, err := r.Events.Next(); err != nil || !e.Comment {
		t.Fatalf("%+v %v", e, err)
	}
	for i := range 20 { // more than the cap in all
		more <- fmt.Sprintf("id: %d\ndata: {}\n\n", i)
		if e, err := r.Events.Next(); err != nil || e.ID != fmt.Sprint(i) {
			t.Fatalf("%d: %+v %v", i, e, err)
		}
	}
	more <- "data: " + strings.Repeat("x", 100)
	if _, err := r.Events.Next(); !errors.As(err, new(*EventTooLongError)) {
		t.Errorf("%v", err)
	}
	close(more)
}

func TestABadIDOfAnEventIsNotSent(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(405) })
	u := upstream(t, Options{URL: s.URL})
	for id, want := range map[string]ErrorKind{"a b": 255, "é": 255, "a\x01b": KindRequest} {
		if _, err := u.Listen(t.Context(), nil, id); kindOf(err) != want {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestARefusedRequestGetsTheAnswerOfItsServer(t *testing.T) {
	u := upstream(t, Options{URL: "http://127.0.0.1:1"})
	status := func(body string) error {
		return u.status(&Reply{Status: 400, Header: http.Header{}, Body: []byte(body)})
	}
	const own = `{"jsonrpc":"2.0","id":7,"error":{"code":4032,"message":"callgate: server \"127.0.0.1:1\": status 400 (Bad Request)"}}`
	for _, c := range []struct{ name, body, want string }{
		{"its id", `{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":"no"}}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":"no"}}`},
		{"null", "{\"jsonrpc\":\"2.0\",\n\"error\":{\"code\":-32000,\"message\":\"no\"},\"id\":null}", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":7}`},
		{"no id", ` {"error":{"code":-1,"message":"no"},"jsonrpc":"2.0"}`, `{"id":7,"error":{"code":-1,"message":"no"},"jsonrpc":"2.0"}`},
		{"another id", `{"jsonrpc":"2.0","id":8,"error":{"code":-1,"message":"no"}}`, own},
		{"an id of another type", `{"jsonrpc":"2.0","id":"7","error":{"code":-1,"message":"no"}}`, own},
		{"a result", `{"jsonrpc":"2.0","id":7,"result":{}}`, own},
		{"a page", `<p>no</p>`, own},
		{"two of a name", `{"jsonrpc":"2.0","id":7,"id":7,"error":{"code":-1,"message":"no"}}`, own},
		{"nothing", ``, own},
	} {
		if got := string(Answer(wire.ID{Raw: "7"}, 4032, status(c.body))); got != c.want+"\n" {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := string(Answer(wire.ID{Raw: `"a"`}, 4032, net.ErrClosed)); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"a","error":{"code":4032,`) {
		t.Errorf("%s", got)
	}
}
