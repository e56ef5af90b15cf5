package proxy

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/callgate/callgate/host/transport"
)

// maxQueued is how many bytes may wait for one peer before the pump that fills
// the queue has to wait: the same back pressure that a pipe gives.
const maxQueued = 8 << 20

// sender writes frames to one peer, whole and in order. A frame may have to
// wait until its verdict is durable; those behind it wait with it.
type sender struct {
	w io.Writer

	mu     sync.Mutex
	change sync.Cond // on mu
	queue  []frame
	bytes  int
	busy   bool // somebody is writing
	done   bool // no more frames will come
	err    error
}

// frame is one frame to be written.
type frame struct {
	bytes []byte
	wait  func() error // nil: nothing to wait for
	fail  func(error)  // called instead of writing when wait fails
	lost  func()       // called when the frame could not be written
	// here says that the caller may wait as well: it has nothing else to do, and
	// waking another goroutine takes longer than a fast disk does.
	here bool

	status int              // of an HTTP answer that it is; 0: 200
	ends   int              // how many requests of the exchange it answers
	via    *exchange        // at the client: where it belongs; nil is its one stream
	of     *Message         // for a server behind HTTP: what it is
	edited bool             // at a server: it says something else than the frame that it is of
	event  *transport.Event // the event that brought it, whose bytes it still has
}

func newSender(w io.Writer) *sender {
	s := &sender{w: w}
	s.change.L = &s.mu
	go s.run()
	return s
}

// send queues a frame. One that has to wait for nothing, or may do so here, with
// nothing before it, is written at once.
func (s *sender) send(f frame) {
	s.mu.Lock()
	for s.bytes > maxQueued && s.err == nil {
		s.change.Wait()
	}
	if (f.wait == nil || f.here) && !s.busy && len(s.queue) == 0 {
		s.busy = true
		s.mu.Unlock()
		err := s.write(f)
		s.mu.Lock()
		s.busy = false
		s.failed(err)
		if len(s.queue) > 0 || s.done {
			s.change.Broadcast()
		}
		s.mu.Unlock()
		return
	}
	s.queue = append(s.queue, f)
	s.bytes += len(f.bytes)
	s.mu.Unlock()
	s.change.Broadcast()
}

// run writes what is queued until close.
func (s *sender) run() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for s.busy || len(s.queue) == 0 {
			if s.done && !s.busy {
				return
			}
			s.change.Wait()
		}
		f := s.queue[0]
		s.queue[0] = frame{}
		s.queue = s.queue[1:]
		s.busy = true
		s.mu.Unlock()
		err := s.write(f)
		s.mu.Lock()
		s.busy = false
		s.bytes -= len(f.bytes)
		s.failed(err)
		s.change.Broadcast()
	}
}

// write writes one frame with one call, once it may go out.
func (s *sender) write(f frame) error {
	if f.wait != nil {
		if err := f.wait(); err != nil {
			if f.fail != nil {
				f.fail(err)
			}
			return nil
		}
	}
	_, err := s.w.Write(f.bytes)
	if err != nil {
		f.unsent()
	}
	return err
}

// unsent notes that a frame did not reach its peer.
func (f *frame) unsent() {
	if f.lost != nil {
		f.lost()
	}
}

// failed notes the first error: the peer is gone, and what is queued for it
// is dropped as it comes.
func (s *sender) failed(err error) {
	if err != nil && s.err == nil {
		s.err = err
	}
}

// errAbandoned is what frames fail with that nobody waits for any more.
var errAbandoned = errors.New("the peer does not read")

// abandon gives up the peer, and lets go of who waits to queue more for it. A
// write that is under way may be left behind.
func (s *sender) abandon() {
	if w, ok := s.w.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = w.SetWriteDeadline(time.Now()) // a file that is not polled can not be told
	}
	s.mu.Lock()
	s.failed(errAbandoned)
	s.mu.Unlock()
	s.change.Broadcast()
}

// close waits until everything queued is written, and ends the sender.
func (s *sender) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	s.change.Broadcast()
	for s.busy || len(s.queue) > 0 {
		s.change.Wait()
	}
}
