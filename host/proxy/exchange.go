package proxy

import (
	"bytes"
	"context"
	"net/http"
	"sync"

	"github.com/callgate/callgate/host/transport"
)

// maxKept is how many events of a stream are kept for a client that comes back
// for them, and maxKeptBytes how many bytes.
const (
	maxKept      = 256
	maxKeptBytes = 8 << 20
)

// exchange is one HTTP request of a client, and the stream of its answer. Where
// the server speaks over one stream, the answer outlives the request: a client
// that lost its connection comes back for what it missed.
type exchange struct {
	request http.Header     // of the client, for the server
	done    chan struct{}   // nothing more comes
	gone    context.Context // ends when the client has closed the request

	first *outlet // the answer to the request

	mu     sync.Mutex
	stream *outlet     // nil: nobody reads it now
	header http.Header // of the answer, beside what a stream sets
	status int         // of an answer that is one frame; 0: 200
	open   int         // requests without an answer
	busy   bool        // an answer of the server is being read
	held   bool        // an answer of the server waits for a person
	ended  bool

	id    string // its events have ids with this in front; "": they have none
	next  int    // number of the next event
	kept  []transport.Event
	bytes int
}

func newExchange(stream *outlet, request http.Header, gone context.Context) *exchange {
	return &exchange{first: stream, stream: stream, request: request, gone: gone, done: make(chan struct{})}
}

// expect says how many requests came with the exchange.
func (x *exchange) expect(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open += n
}

// one says that the next answer is the only one, however many requests came.
func (x *exchange) one() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open = min(x.open, 1)
}

// reads says that the server's answer is being read: when that ends, the
// exchange does.
func (x *exchange) reads() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.busy = true
}

// with sets status and headers of an answer that is one frame. What it is is not
// among them: where the server has a stream, we may have one answer.
func (x *exchange) with(status int, header http.Header) {
	header.Del("Content-Type")
	x.mu.Lock()
	defer x.mu.Unlock()
	x.status, x.header = status, header
}

// opened is the id of the session that the server opened with its answer.
func (x *exchange) opened() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.header.Get(sessionHeader)
}

// put writes a frame, and says whether it came in time.
func (x *exchange) put(f frame) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open -= f.ends
	if x.ended {
		return false
	}
	body := bytes.TrimRight(f.bytes, "\r\n")
	switch {
	case f.event != nil && bytes.Equal(f.event.Data, f.bytes):
		x.event(*f.event)
	case f.event != nil:
		changed := *f.event
		changed.Raw, changed.Data = f.event.WithData(body), body
		x.event(changed)
	case f.ends > 0 && x.open <= 0 && x.next == 0 && x.stream != nil && !x.stream.isEvents():
		status := x.status
		if f.status != 0 {
			status = f.status
		}
		if status == 0 {
			status = http.StatusOK
		}
		_ = x.stream.add(written{answer: true, status: status, header: x.header, body: body}) // a client that has gone gets nothing
	default:
		id := ""
		if x.id != "" {
			id = eventID(x.id, x.next)
		}
		x.event(transport.Event{Raw: transport.AppendEvent(nil, id, body), Data: body})
	}
	if x.open <= 0 && !x.busy && f.ends > 0 {
		x.finish()
	}
	return true
}

// event writes an event, and keeps it for a client that lost its connection. It
// is called with mu held.
func (x *exchange) event(e transport.Event) {
	x.next++
	if x.id != "" {
		x.kept = append(x.kept, e)
		x.bytes += len(e.Raw)
		for len(x.kept) > maxKept || x.bytes > maxKeptBytes && len(x.kept) > 1 {
			x.bytes -= len(x.kept[0].Raw)
			x.kept = x.kept[1:]
		}
	}
	if x.stream == nil {
		return
	}
	if x.stream.add(written{event: e, header: x.header}) != nil && x.id != "" {
		x.stream = nil // it is kept for who comes back
	}
}

// relay writes an event of the server that brings no frame.
func (x *exchange) relay(e transport.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.ended {
		x.event(e)
	}
}

// keep has the exchange go on until an answer is put that waits for a person.
func (x *exchange) keep() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.held = true
}

// end ends the exchange, whatever is still open but for what a person decides.
func (x *exchange) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.busy = false
	if !x.held || x.open <= 0 {
		x.finish()
	}
}

// settle ends the exchange if nothing is to come.
func (x *exchange) settle() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open <= 0 && !x.busy {
		x.finish()
	}
}

// finish is end with mu held. What was never answered has been accepted.
func (x *exchange) finish() {
	if x.ended {
		return
	}
	x.ended = true
	if x.stream != nil && x.next == 0 {
		status := x.status
		switch {
		case status != 0:
		case x.open > 0: // and nobody is left to answer
			status = http.StatusBadGateway
		default:
			status = http.StatusAccepted
		}
		_ = x.stream.add(written{answer: true, status: status, header: x.header}) // ends a stream that has begun as it stands
	}
	close(x.done)
}

// hold keeps a client in patience whose call waits for a person: the answer
// becomes a stream, with comments.
func (x *exchange) hold() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stream != nil && !x.ended {
		_ = x.stream.add(written{header: x.header}) // a client that takes no stream has to wait without
	}
}

// refuse answers the exchange before anything has become of it.
func (x *exchange) refuse(why *transport.Refusal) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.status, x.header = why.Status, why.Header
	if x.stream != nil {
		_ = x.stream.add(written{answer: true, status: why.Status, header: why.Header, body: why.Frame()})
	}
	x.finish()
}

// leave notes that the client reads a stream no longer; nothing is written to it
// afterwards. Another may read on.
func (x *exchange) leave(stream *outlet) {
	x.mu.Lock()
	if x.stream == stream {
		x.stream = nil
	}
	x.mu.Unlock()
	stream.close()
}

// without notes that requests of the exchange will get no answer.
func (x *exchange) without(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open -= n; x.open <= 0 && !x.busy {
		x.finish()
	}
}

// read says whether a client reads the stream.
func (x *exchange) read() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.stream != nil && !x.ended
}

// has says whether the events behind one are kept.
func (x *exchange) has(number int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return number+1 >= x.next-len(x.kept) && number < x.next
}

// over says whether nothing is to come behind an event.
func (x *exchange) over(number int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.ended && number+1 >= x.next
}

// resume gives the stream to a client that comes back, with the events behind
// one.
func (x *exchange) resume(stream *outlet, after int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	first := x.next - len(x.kept)
	if after+1 < first {
		return // they went meanwhile: the stream ends, and the client comes back to be told
	}
	for _, e := range x.kept[after+1-first:] {
		if stream.add(written{event: e}) != nil {
			return
		}
	}
	x.stream = stream
}
