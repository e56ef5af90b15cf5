package transport

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Errors of a Stream.
var (
	// ErrFinished: the response is complete, or its handler has returned.
	ErrFinished = errors.New("the response is finished; send nothing more on it")
	// ErrNoEvents: the client takes no event stream on this request, so it can get one answer and no other frame.
	ErrNoEvents = errors.New("the client takes no event stream here; send one answer")
	// ErrEventID: an event id with a zero byte or a line end, which the client would not send back as it is.
	ErrEventID = errors.New("the event id is empty, or holds a line end or a zero byte; use visible ASCII")
	// ErrEventOpen: bytes that do not end with the empty line that ends an event.
	ErrEventOpen = errors.New("the event has no empty line at its end; send whole events")
)

// StreamOptions say how a response may go on. The zero value can carry one answer, and waits for it for ever.
type StreamOptions struct {
	// Events is true when the client takes text/event-stream.
	Events bool
	// Delay is how long the response stays undecided. Then it becomes an event
	// stream, so that whoever counts idle seconds sees that it lives. 0: it stays undecided.
	Delay time.Duration
	// KeepAlive is the time without a write after which an event stream gets a comment. 0: it gets none.
	KeepAlive time.Duration
	// WriteTimeout bounds each write: a client that does not read is as good as
	// gone after it, and holds up nobody any longer. 0: writes have no bound.
	WriteTimeout time.Duration
	// Header is sent with the response, whatever it becomes.
	Header http.Header
}

// Stream is one HTTP response that carries frames to a client. It starts
// undecided: the first thing that is sent makes it a JSON reply or an event
// stream (MCP 2025-03-26 and later, "sending messages to the server").
//
// All methods may be called at once by several goroutines. Each event is one
// Write and one Flush. After Wait or Close nothing is written any more, so a
// handler that ends with one of them may return.
type Stream struct {
	o      StreamOptions
	w      http.ResponseWriter
	rc     *http.ResponseController
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	events   bool   // the event stream has begun
	replied  bool   // the JSON reply was written
	first    []byte // what the event stream begins with
	finished bool
	quiet    *time.Timer // runs tick; nil when nothing is to be done about silence
}

// NewStream takes over the response of a request. Its handler must end with Wait or Close.
func NewStream(w http.ResponseWriter, r *http.Request, o StreamOptions) *Stream {
	ctx, cancel := context.WithCancelCause(r.Context())
	s := &Stream{o: o, w: w, rc: http.NewResponseController(w), ctx: ctx, cancel: cancel}
	if o.Events && o.Delay > 0 {
		s.mu.Lock()
		s.quiet = time.AfterFunc(o.Delay, s.tick)
		s.mu.Unlock()
	}
	return s
}

// Done is closed when nothing can be sent any more: the response is finished or the client is gone.
func (s *Stream) Done() <-chan struct{} { return s.ctx.Done() }

// Gone says whether the client left, or stopped reading, before the response was
// finished. In MCP 2026-07-28 that cancels the request; in older revisions it does not.
func (s *Stream) Gone() bool {
	return s.ctx.Err() != nil && !errors.Is(context.Cause(s.ctx), ErrFinished)
}

// IsEvents says whether the response has become an event stream.
func (s *Stream) IsEvents() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.events
}

// Wait returns when the response is finished or the client is gone, and closes the stream.
func (s *Stream) Wait() {
	<-s.ctx.Done()
	s.Close()
}

// Close finishes the response as it stands. One to which nothing was sent gets
// the status 500 and no body: whoever asked must not wait for an answer.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
}

// finish ends the response. s.mu is held.
func (s *Stream) finish() {
	if s.finished {
		return
	}
	s.finished = true
	if s.quiet != nil {
		s.quiet.Stop()
	}
	if !s.events && !s.replied && s.ctx.Err() == nil {
		maps.Copy(s.w.Header(), s.o.Header)
		s.w.WriteHeader(http.StatusInternalServerError)
	}
	// The server writes the end of the body after the handler.
	s.deadline()
	s.cancel(ErrFinished)
}

// Answer sends the last frame and finishes the response. While nothing was sent
// it is the reply: the status, h beside the stream's own headers, and the bytes of
// frame as application/json (or as the Content-Type in h says); an empty frame is
// no body. On an event stream status and h come too late, and frame is its last event.
func (s *Stream) Answer(status int, h http.Header, frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return err
	}
	defer s.finish()
	if s.events {
		if len(frame) == 0 {
			return nil
		}
		return s.write(appendEvent(nil, "", frame))
	}
	s.replied = true
	header := s.w.Header()
	maps.Copy(header, s.o.Header)
	maps.Copy(header, h)
	if len(frame) > 0 {
		if header.Get("Content-Type") == "" {
			header.Set("Content-Type", jsonType)
		}
		header.Set("Content-Length", strconv.Itoa(len(frame)))
	} else {
		header.Del("Content-Type")
	}
	return s.push(status, frame)
}

// Event sends a piece of an upstream's stream with the bytes it has there, id and retry time included.
func (s *Stream) Event(e Event) error { return s.EventWithData(e, e.Data) }

// EventWithData sends a piece of an upstream's stream with other data. Given the
// data that e has, it changes no byte but a mark at the start of that stream, which
// would not be at the start of this one.
func (s *Stream) EventWithData(e Event, data []byte) error {
	raw := e.Raw
	if !bytes.Equal(data, e.Data) {
		raw = e.WithData(data)
	}
	raw = raw[e.mark(0):]
	if !endsEvent(raw) {
		return ErrEventOpen
	}
	return s.send(raw)
}

// Frame sends one frame as an event without an id: the ids of a stream are those
// of its server, and a client that resumes after one of ours would ask for nothing.
func (s *Stream) Frame(frame []byte) error { return s.send(appendEvent(nil, "", frame)) }

// Comment sends a comment, which clients ignore (WHATWG HTML section 9.2.6).
func (s *Stream) Comment() error { return s.send([]byte(comment)) }

// Open makes the response an event stream before there is an event, as the
// answer to a GET. It does nothing on one that is.
func (s *Stream) Open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return err
	}
	if s.events {
		return nil
	}
	return s.write(nil)
}

func (s *Stream) send(event []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return err
	}
	return s.write(event)
}

// writable says why nothing can be sent. s.mu is held.
func (s *Stream) writable() error {
	if s.finished {
		return ErrFinished
	}
	return context.Cause(s.ctx)
}

// write sends one event, with the head of the stream before the first, and puts
// the next comment off. s.mu is held.
func (s *Stream) write(event []byte) error {
	status := 0
	if !s.events {
		if !s.o.Events {
			return ErrNoEvents
		}
		s.events, status = true, http.StatusOK
		event = append(s.first, event...)
		h := s.w.Header()
		maps.Copy(h, s.o.Header)
		h.Set("Content-Type", streamType)
		h.Set("Cache-Control", "no-cache, no-transform")
		h.Set("X-Accel-Buffering", "no")
		h.Del("Content-Length")
	}
	if err := s.push(status, event); err != nil {
		return err
	}
	s.rest(s.o.KeepAlive)
	return nil
}

// push writes and flushes within the time that a write has. An error is the end
// of the client. status is 0 after the head. s.mu is held.
func (s *Stream) push(status int, b []byte) (err error) {
	s.deadline()
	if status != 0 {
		s.w.WriteHeader(status)
	}
	if len(b) > 0 {
		_, err = s.w.Write(b)
	}
	if err == nil {
		err = s.rc.Flush()
	}
	if s.o.WriteTimeout > 0 {
		// In HTTP/2 a deadline ends the stream when it passes, whether something is written then or not.
		_ = s.rc.SetWriteDeadline(time.Time{})
	}
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.cancel(err)
		return err
	}
	return nil
}

// deadline sets the end of the write that follows. There is none where the connection has no deadlines.
func (s *Stream) deadline() {
	if s.o.WriteTimeout > 0 {
		_ = s.rc.SetWriteDeadline(time.Now().Add(s.o.WriteTimeout))
	}
}

// rest calls tick after d. s.mu is held.
func (s *Stream) rest(d time.Duration) {
	if d <= 0 {
		if s.quiet != nil {
			s.quiet.Stop()
		}
		return
	}
	if s.quiet == nil {
		s.quiet = time.AfterFunc(d, s.tick)
		return
	}
	s.quiet.Reset(d)
}

// tick runs when nothing was sent for a while.
func (s *Stream) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writable() != nil {
		return
	}
	// Its error is the stream's: whoever waits for Done sees it.
	_ = s.write([]byte(comment))
}
