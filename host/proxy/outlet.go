package proxy

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/callgate/callgate/host/transport"
)

// outlet is an answer that its HTTP handler writes, and nobody else: who has a
// frame for the client only queues it, and is not held up by a client that does
// not read.
type outlet struct {
	s     *transport.Stream
	cut   func()        // ends a write that is under way
	wake  chan struct{} // there is something to be written
	waits bool          // one that fills the queue waits for room; else it ends the stream

	mu     sync.Mutex
	room   sync.Cond // on mu
	queue  []written
	bytes  int
	events bool // the answer is, or is about to be, a stream
	err    error
}

// written is one thing to be written: an event, an answer, or the head of a stream.
type written struct {
	event  transport.Event
	answer bool
	status int
	header http.Header // of an answer or a stream that has not begun
	body   []byte
}

// errSlow is the end of a stream whose client reads slower than the server writes.
var errSlow = errors.New("the client does not read")

func newOutlet(w http.ResponseWriter, r *http.Request, o transport.StreamOptions, waits bool) *outlet {
	rc := http.NewResponseController(w)
	out := &outlet{s: transport.NewStream(w, r, o), wake: make(chan struct{}, 1), waits: waits}
	out.cut = func() { _ = rc.SetWriteDeadline(time.Now()) } // what has no deadlines has no client that could stall it
	out.room.L = &out.mu
	return out
}

// add queues something. An error says that nothing more reaches the client.
func (o *outlet) add(w written) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	size := len(w.event.Raw) + len(w.body)
	for o.err == nil && len(o.queue) > 0 && o.bytes+size > maxQueued {
		if !o.waits {
			o.fail(errSlow)
			go o.cut()
			break
		}
		o.room.Wait()
	}
	if o.err != nil {
		return o.err
	}
	o.events = o.events || !w.answer
	o.queue = append(o.queue, w)
	o.bytes += size
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return nil
}

// fail ends the stream. It is called with mu held.
func (o *outlet) fail(err error) {
	if o.err == nil {
		o.err = err
	}
	o.queue, o.bytes = nil, 0
	o.room.Broadcast()
}

// isEvents says whether the answer is a stream.
func (o *outlet) isEvents() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.events || o.s.IsEvents()
}

// begin has the answer, if it becomes a stream, begin with an id.
func (o *outlet) begin(id string) { _ = o.s.Begin(id) } // it is an id: we made it

// flush writes what is queued. Only the handler calls it.
func (o *outlet) flush() {
	for {
		o.mu.Lock()
		if len(o.queue) == 0 {
			o.queue = nil
			o.mu.Unlock()
			return
		}
		w := o.queue[0]
		o.queue[0] = written{}
		o.queue = o.queue[1:]
		o.mu.Unlock()
		err := o.write(w)
		o.mu.Lock()
		o.bytes = max(0, o.bytes-len(w.event.Raw)-len(w.body))
		if err != nil {
			o.fail(err)
		}
		o.room.Broadcast()
		o.mu.Unlock()
	}
}

func (o *outlet) write(w written) error {
	if w.answer {
		return o.s.Answer(w.status, w.header, w.body)
	}
	o.s.Carry(w.header)
	if w.event.Raw == nil {
		return o.s.Open()
	}
	return o.s.Event(w.event)
}

// serve writes until nothing more comes, or the client has gone or been given up.
// It says which.
func (o *outlet) serve(done, gone <-chan struct{}) (whole bool) {
	defer func() {
		if !whole { // who waits for room holds what the handler needs to leave
			o.mu.Lock()
			o.fail(errSlow)
			o.mu.Unlock()
		}
	}()
	for {
		select {
		case <-o.wake:
			o.flush()
		case <-done:
			return true
		case <-gone:
			return false
		case <-o.s.Done():
			if o.s.Gone() {
				return false
			}
			<-done // it was the answer
			return true
		}
	}
}

// close ends the answer as it stands.
func (o *outlet) close() {
	o.flush()
	o.mu.Lock()
	o.fail(transport.ErrFinished)
	o.mu.Unlock()
	o.s.Close()
}
