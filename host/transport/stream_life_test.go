package transport

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener of net.Pipe connections, whose deadlines keep the time of a synctest bubble.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// overPipe serves one connection in a bubble. It calls client with it once a POST
// is sent, and waits for the handler when client returns.
func overPipe(t *testing.T, handler http.HandlerFunc, client func(*testing.T, net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ln := newPipes()
		handled, served := make(chan struct{}), make(chan error, 1)
		srv := NewServer(context.Background(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(handled)
			handler(w, r)
		}), nil)
		go func() { served <- srv.Serve(ln) }()
		near, far := net.Pipe()
		ln.conns <- far
		if _, err := io.WriteString(near, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
			t.Fatal(err)
		}
		client(t, near)
		<-handled
		_ = near.Close()
		_ = srv.Close()
		<-served
	})
}

// whole reads the body of a POST, so that the server sees the client leave.
func whole(w http.ResponseWriter, r *http.Request) {
	if _, bad := ReadBody(w, r, BodyLimits{Timeout: time.Second}); bad != nil {
		bad.Write(w)
	}
}

func TestStreamLivesThroughSilence(t *testing.T) {
	overPipe(t, func(w http.ResponseWriter, r *http.Request) {
		whole(w, r)
		s := NewStream(w, r, StreamOptions{Events: true, Delay: 20 * time.Second, KeepAlive: 30 * time.Second, WriteTimeout: time.Second})
		go func() {
			time.Sleep(100 * time.Second)
			_ = s.Answer(200, nil, []byte(result))
		}()
		s.Wait()
		if s.Gone() {
			t.Error("the client is called gone; it got its answer")
		}
	}, func(t *testing.T, conn net.Conn) {
		start := time.Now()
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited != 20*time.Second || answer.Header.Get("Content-Type") != streamType {
			t.Errorf("after %v: %q; want an event stream after 20s", waited, answer.Header.Get("Content-Type"))
		}
		body, err := io.ReadAll(answer.Body)
		// Comments at 20, 50 and 80 seconds.
		if want := strings.Repeat(comment, 3) + event(result); err != nil || string(body) != want {
			t.Errorf("read %q, %v; want %q", body, err, want)
		}
	})
}

func TestStreamKeepsWaitingForClientsWithoutEvents(t *testing.T) {
	overPipe(t, func(w http.ResponseWriter, r *http.Request) {
		whole(w, r)
		s := NewStream(w, r, StreamOptions{Delay: time.Second, KeepAlive: time.Second, WriteTimeout: time.Second})
		go func() {
			time.Sleep(time.Hour)
			_ = s.Answer(200, nil, []byte(result))
		}()
		s.Wait()
	}, func(t *testing.T, conn net.Conn) {
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || string(body) != result || answer.Header.Get("Content-Type") != jsonType {
			t.Errorf("read %q, %v; want the answer alone", body, err)
		}
	})
}

func TestStreamEndsWithItsClient(t *testing.T) {
	overPipe(t, func(w http.ResponseWriter, r *http.Request) {
		whole(w, r)
		s := NewStream(w, r, StreamOptions{Events: true})
		s.Wait()
		if !s.Gone() {
			t.Error("the client left and the stream does not know")
		}
		sent(t, s.Frame([]byte(progress)), ErrFinished)
	}, func(t *testing.T, conn net.Conn) {
		synctest.Wait()
		_ = conn.Close()
	})
}

func TestStreamGivesUpOnAClientThatDoesNotRead(t *testing.T) {
	overPipe(t, func(w http.ResponseWriter, r *http.Request) {
		whole(w, r)
		s := NewStream(w, r, StreamOptions{Events: true, WriteTimeout: 5 * time.Second})
		start := time.Now()
		err := s.Frame([]byte(progress))
		if waited := time.Since(start); err == nil || waited != 5*time.Second {
			t.Errorf("a write took %v: %v; want it to end with an error after 5s", waited, err)
		}
		if !s.Gone() {
			t.Error("a client that does not read is not called gone")
		}
		s.Wait()
	}, func(*testing.T, net.Conn) {})
}

// TestStreamDeadlinesBoundWritesOnly: the time between two writes, and before the end, counts for none of them.
func TestStreamDeadlinesBoundWritesOnly(t *testing.T) {
	overPipe(t, func(w http.ResponseWriter, r *http.Request) {
		whole(w, r)
		s := NewStream(w, r, StreamOptions{Events: true, WriteTimeout: time.Second})
		for range 3 {
			if err := s.Frame([]byte(progress)); err != nil {
				t.Errorf("sending after silence: %v", err)
			}
			time.Sleep(time.Minute)
		}
		s.Close()
	}, func(t *testing.T, conn net.Conn) {
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(answer.Body); err != nil || string(body) != strings.Repeat(event(progress), 3) {
			t.Errorf("read %q, %v; want three events and the end", body, err)
		}
	})
}

func TestStreamEndsThoughNobodyReadsItsEnd(t *testing.T) {
	overPipe(t, func(w http.ResponseWriter, r *http.Request) {
		whole(w, r)
		s := NewStream(w, r, StreamOptions{Events: true, WriteTimeout: time.Second})
		if err := s.Frame([]byte(progress)); err != nil {
			t.Errorf("sending: %v", err)
		}
		s.Close()
	}, func(t *testing.T, conn net.Conn) {
		r := bufio.NewReader(conn)
		for line := ""; line != "data: "+progress+"\n"; {
			var err error
			if line, err = r.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Discard(r.Buffered()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
			t.Errorf("a minute later: %q, %v; want the connection closed", rest, err)
		}
	})
}

// TestStreamDeadlinesBoundWritesOnlyInHTTP2: there a deadline that passes ends the stream by itself.
func TestStreamDeadlinesBoundWritesOnlyInHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := newPipes()
		srv := NewServer(context.Background(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			whole(w, r)
			s := NewStream(w, r, StreamOptions{Events: true, WriteTimeout: time.Second})
			defer s.Close()
			for range 3 {
				if err := s.Frame([]byte(progress)); err != nil {
					t.Errorf("sending after silence: %v", err)
				}
				time.Sleep(time.Minute)
			}
		}), nil)
		srv.Protocols.SetUnencryptedHTTP2(true)
		served := make(chan error, 1)
		go func() { served <- srv.Serve(ln) }()
		near, far := net.Pipe()
		ln.conns <- far
		transport := &http.Transport{Protocols: &http.Protocols{}, DialContext: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
		transport.Protocols.SetUnencryptedHTTP2(true)
		answer, err := (&http.Client{Transport: transport}).Post("http://localhost/", jsonType, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if answer.ProtoMajor != 2 || err != nil || string(body) != strings.Repeat(event(progress), 3) {
			t.Errorf("read %q over %s, %v; want three events and the end", body, answer.Proto, err)
		}
		_ = answer.Body.Close()
		transport.CloseIdleConnections()
		_ = near.Close()
		_ = srv.Close()
		<-served
	})
}

// TestRefusedBodyHoldsNoConnection: the server drains a body that it refused, but not for ever.
func TestRefusedBodyHoldsNoConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := newPipes()
		srv := NewServer(context.Background(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, bad := ReadBody(w, r, BodyLimits{}); bad != nil {
				bad.Write(w)
			}
		}), nil)
		served := make(chan error, 1)
		go func() { served <- srv.Serve(ln) }()
		near, far := net.Pipe()
		ln.conns <- far
		if _, err := io.WriteString(near, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n{"); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		all, err := io.ReadAll(near)
		if waited := time.Since(start); err != nil || !strings.HasPrefix(string(all), "HTTP/1.1 415 ") || waited > refusedBody {
			t.Errorf("after %v: %q, %v; want 415 and the end within %v", waited, all, err, refusedBody)
		}
		_ = near.Close()
		_ = srv.Close()
		<-served
	})
}

func TestAStreamBeginsWithAnIDAndAReplyDoesNot(t *testing.T) {
	cases := []struct {
		name string
		id   string
		send func(*Stream) error
		want string
		bad  error
	}{
		{"an event", "7-0", func(s *Stream) error { return s.Frame([]byte(`{"a":1}`)) }, "id: 7-0\ndata:\n\nevent: message\ndata: {\"a\":1}\n\n", nil},
		{"a comment", "7-0", (*Stream).Comment, "id: 7-0\ndata:\n\n: keep-alive\n\n", nil},
		{"its head", "7-0", (*Stream).Open, "id: 7-0\ndata:\n\n", nil},
		{"a reply", "7-0", func(s *Stream) error { return s.Answer(200, nil, []byte(`{"a":1}`)) }, `{"a":1}`, nil},
		{"an id of two lines", "7\n0", (*Stream).Comment, ": keep-alive\n\n", ErrEventID},
		{"no id", "", (*Stream).Comment, ": keep-alive\n\n", ErrEventID},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			s := NewStream(w, httptest.NewRequest(http.MethodPost, "/", nil), StreamOptions{Events: true})
			if err := s.Begin(c.id); !errors.Is(err, c.bad) {
				t.Error(err)
			}
			if err := c.send(s); err != nil {
				t.Error(err)
			}
			s.Close()
			if got := w.Body.String(); got != c.want {
				t.Errorf("%q; want %q", got, c.want)
			}
		})
	}
	if len(cases) == 0 {
		t.Error("no cases")
	}
}
