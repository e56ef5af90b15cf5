package transport

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`
	result   = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

func event(frame string) string { return "event: message\ndata: " + frame + "\n\n" }

// streamed runs a handler on a recorder.
func streamed(t *testing.T, o StreamOptions, send func(*Stream)) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	s := NewStream(w, httptest.NewRequest("POST", "/", nil), o)
	send(s)
	s.Close()
	if !w.Flushed && s.IsEvents() {
		t.Error("an event stream was not flushed")
	}
	return w
}

func sent(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("sending: %v; want %v", err, want)
	}
}

func TestStreamBecomesWhatIsSentFirst(t *testing.T) {
	cases := []struct {
		name   string
		o      StreamOptions
		send   func(*testing.T, *Stream)
		status int
		kind   string
		body   string
	}{
		{"an answer", StreamOptions{Events: true}, func(t *testing.T, s *Stream) {
			sent(t, s.Answer(200, nil, []byte(result)), nil)
		}, 200, jsonType, result},
		{"an answer as its server typed it", StreamOptions{}, func(t *testing.T, s *Stream) {
			sent(t, s.Answer(400, http.Header{"Content-Type": {"application/json; charset=utf-8"}}, []byte(result)), nil)
		}, 400, "application/json; charset=utf-8", result},
		{"an answer without body", StreamOptions{Events: true}, func(t *testing.T, s *Stream) {
			sent(t, s.Answer(202, nil, nil), nil)
		}, 202, "", ""},
		{"two answers", StreamOptions{Events: true}, func(t *testing.T, s *Stream) {
			sent(t, s.Answer(200, nil, []byte(result)), nil)
			sent(t, s.Answer(200, nil, []byte(progress)), ErrFinished)
		}, 200, jsonType, result},
		{"a frame behind the answer", StreamOptions{Events: true}, func(t *testing.T, s *Stream) {
			sent(t, s.Answer(200, nil, []byte(result)), nil)
			sent(t, s.Frame([]byte(progress)), ErrFinished)
			sent(t, s.Comment(), ErrFinished)
			sent(t, s.Open(), ErrFinished)
		}, 200, jsonType, result},
		{"a frame, then the answer", StreamOptions{Events: true}, func(t *testing.T, s *Stream) {
			sent(t, s.Frame([]byte(progress)), nil)
			sent(t, s.Answer(404, nil, []byte(result+"\n")), nil)
		}, 200, streamType, event(progress) + event(result)},
		{"a frame, then no answer", StreamOptions{Events: true}, func(t *testing.T, s *Stream) {
			sent(t, s.Frame([]byte(progress)), nil)
			sent(t, s.Answer(202, nil, nil), nil)
		}, 200, streamType, event(progress)},
		{"frames to a client without events", StreamOptions{}, func(t *testing.T, s *Stream) {
			sent(t, s.Frame([]byte(progress)), ErrNoEvents)
			sent(t, s.Open(), ErrNoEvents)
			sent(t, s.Answer(200, nil, []byte(result)), nil)
		}, 200, jsonType, result},
		{"an opened stream", StreamOptions{Events: true}, func(t *testing.T, s *Stream) {
			sent(t, s.Open(), nil)
			sent(t, s.Open(), nil)
		}, 200, streamType, ""},
		{"a comment", StreamOptions{Events: true}, func(t *testing.T, s *Stream) {
			sent(t, s.Comment(), nil)
		}, 200, streamType, comment},
		{"a frame on several lines", StreamOptions{Events: true}, func(t *testing.T, s *Stream) {
			sent(t, s.Frame([]byte("{\n \"a\": \"x\\n\",\r\n\r\"b\": 1.0}\r\n")), nil)
		}, 200, streamType, event(`{"a":"x\n","b":1.0}`)},
		{"lines that are no JSON", StreamOptions{Events: true}, func(t *testing.T, s *Stream) {
			sent(t, s.Frame([]byte("a\nb\r\nc\rd")), nil)
		}, 200, streamType, "event: message\ndata: a\ndata: b\ndata: c\ndata: d\n\n"},
		{"nothing", StreamOptions{Events: true}, func(*testing.T, *Stream) {}, 500, "", ""},
	}
	tally(t, len(cases))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := streamed(t, c.o, func(s *Stream) { c.send(t, s) })
			if w.Code != c.status || w.Header().Get("Content-Type") != c.kind || w.Body.String() != c.body {
				t.Errorf("sent %d %q %q; want %d %q %q", w.Code, w.Header().Get("Content-Type"), w.Body, c.status, c.kind, c.body)
			}
		})
	}
}

func TestStreamPassesEventsByteByByte(t *testing.T) {
	const text = ": first\n" + "id: 1\r\nretry: 5\r\ndata:\r\n\r\n" + "event: message\rid: 2\rdata: {}\r\r" + "data: a\ndata: b\n\n" + ": last\n"
	w := streamed(t, StreamOptions{Events: true}, func(s *Stream) {
		r := NewEventReader(strings.NewReader("\ufeff"+text+"data: not whole"), 0)
		for {
			e, err := r.Next()
			if err != nil {
				return
			}
			sent(t, s.Event(e), nil)
		}
	})
	if w.Body.String() != text {
		t.Errorf("passed %q; want %q", w.Body, text)
	}
}

func TestStreamPassesOnlyWholeEvents(t *testing.T) {
	cases := map[string]bool{
		"data: a\n\n": true, "data: a\r\n\r\n": true, "data: a\r\r": true, "data: a\n\r": true, "data: a\r\r\n": true, ": c\n": true, "\n": true, ":\r": true,
		"data: a": false, "data: a\n": false, "data: a\r\n": false, "data: a\r": false, "": false, ": c": false, "data: a\n: c\n": false,
	}
	tally(t, len(cases))
	for raw, ok := range cases {
		streamed(t, StreamOptions{Events: true}, func(s *Stream) {
			sent(t, s.Event(Event{Raw: []byte(raw)}), map[bool]error{false: ErrEventOpen}[ok])
		})
	}
}

func TestStreamReplacesOnlyData(t *testing.T) {
	w := streamed(t, StreamOptions{Events: true}, func(s *Stream) {
		e, err := NewEventReader(strings.NewReader("id: 1\nretry: 5\ndata: {\"a\":1}\n\n"), 0).Next()
		sent(t, err, nil)
		sent(t, s.EventWithData(e, []byte(`{"b":2}`)), nil)
	})
	if want := "id: 1\nretry: 5\ndata: {\"b\":2}\n\n"; w.Body.String() != want {
		t.Errorf("passed %q; want %q", w.Body, want)
	}
}

func TestStreamHeadersStopBuffers(t *testing.T) {
	own := http.Header{"Mcp-Session-Id": {"s"}}
	w := streamed(t, StreamOptions{Events: true, Header: own}, func(s *Stream) { sent(t, s.Open(), nil) })
	for name, want := range map[string]string{"X-Accel-Buffering": "no", "Cache-Control": "no-cache, no-transform", "Mcp-Session-Id": "s"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q; want %q", name, got, want)
		}
	}
	w = streamed(t, StreamOptions{Header: own}, func(s *Stream) { sent(t, s.Answer(200, http.Header{"Retry-After": {"1"}}, []byte(result)), nil) })
	if w.Header().Get("Mcp-Session-Id") != "s" || w.Header().Get("Retry-After") != "1" || w.Header().Get("Content-Length") != "36" {
		t.Errorf("answered with %v; want the stream's headers, the answer's, and the length", w.Header())
	}
}

// brokenWriter fails all writes.
type brokenWriter struct{ *httptest.ResponseRecorder }

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestStreamTakesAFailedWriteForTheEndOfItsClient(t *testing.T) {
	s := NewStream(brokenWriter{httptest.NewRecorder()}, httptest.NewRequest("POST", "/", nil), StreamOptions{Events: true})
	if s.Gone() {
		t.Error("the client is called gone before a write")
	}
	sent(t, s.Frame([]byte(progress)), io.ErrClosedPipe)
	sent(t, s.Frame([]byte(progress)), io.ErrClosedPipe)
	s.Wait()
	if !s.Gone() {
		t.Error("the client is not called gone after a failed write")
	}
}

// slowWriter notes writes that overlap, and writes after its handler is done.
type slowWriter struct {
	*httptest.ResponseRecorder
	busy, late, overlaps int
	done                 bool
	mu                   sync.Mutex
}

func (w *slowWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	w.busy++
	if w.busy > 1 {
		w.overlaps++
	}
	if w.done {
		w.late++
	}
	w.mu.Unlock()
	runtime.Gosched()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	return w.ResponseRecorder.Write(b)
}

func TestStreamIsSafeForManyAndSilentAfterItsHandler(t *testing.T) {
	const senders = 8
	w := &slowWriter{ResponseRecorder: httptest.NewRecorder()}
	s := NewStream(w, httptest.NewRequest("POST", "/", nil), StreamOptions{Events: true, Delay: time.Microsecond, KeepAlive: time.Microsecond})
	var begun, ended sync.WaitGroup
	begun.Add(senders)
	for range senders {
		ended.Go(func() {
			for n := 0; s.Frame([]byte(progress)) == nil; n++ {
				if n == 10 {
					begun.Done()
				}
			}
		})
	}
	begun.Wait()
	s.Close()
	w.mu.Lock()
	w.done = true
	body := w.Body.String()
	w.mu.Unlock()
	ended.Wait()
	if w.overlaps > 0 || w.late > 0 || w.Body.String() != body {
		t.Errorf("%d writes overlapped, %d came after the handler; want none", w.overlaps, w.late)
	}
	if rest := strings.ReplaceAll(strings.ReplaceAll(body, event(progress), ""), comment, ""); rest != "" {
		t.Errorf("between the events stands %q; want comments only", rest)
	}
}

func TestStreamOverHTTP2(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		whole(w, r)
		s := NewStream(w, r, StreamOptions{Events: true, WriteTimeout: time.Minute})
		defer s.Close()
		if err := s.Frame([]byte(progress)); err != nil {
			t.Error(err)
		}
		if err := s.Answer(200, nil, []byte(result)); err != nil {
			t.Error(err)
		}
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	answer, err := srv.Client().Post(srv.URL, jsonType, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if answer.ProtoMajor != 2 || err != nil || string(body) != event(progress)+event(result) {
		t.Errorf("read %q over %s, %v; want two events over HTTP/2", body, answer.Proto, err)
	}
}
