package proxy

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/ledger"
)

// Engine feeds events to the gate and keeps them: the session lock, the state
// and the ledger. It is safe for concurrent use.
type Engine struct {
	coming atomic.Int32 // events that wait for mu
	mu     sync.Mutex
	state  *gate.State
	ledger *ledger.Ledger
	seq    uint64
	now    func() time.Time
	buf    [][]byte
	text   *Text // where text lives that the ledger does not keep
}

// NewEngine returns an engine over an open ledger without lines.
func NewEngine(state *gate.State, l *ledger.Ledger, text *Text, now func() time.Time) *Engine {
	return &Engine{state: state, ledger: l, text: text, now: now}
}

// Recorded is what became of one event.
type Recorded struct {
	Event   abi.Event   // as kept, with its place
	Answers []abi.Event // of the gate
	Token   ledger.Token
}

// Verdict returns the verdict among the answers, or nil.
func (r Recorded) Verdict() *abi.Verdict {
	for _, e := range r.Answers {
		if e.Verdict != nil {
			return e.Verdict
		}
	}
	return nil
}

// Step gives an event its place and time, has the gate judge it, and appends
// it with the answers. An error means that nothing is known to be kept: the
// caller must deny.
func (g *Engine) Step(e abi.Event) (Recorded, error) {
	g.coming.Add(1)
	g.mu.Lock()
	g.coming.Add(-1)
	defer g.mu.Unlock()
	if err := g.ledger.Err(); err != nil {
		return Recorded{}, err
	}
	e.Seq = g.seq
	e.Time = g.now().UTC().Round(0).Truncate(time.Microsecond)
	e = g.state.Freeze(e)
	if g.state.Digests() {
		e = g.text.move(e)
	}
	answers := gate.Step(g.state, e)
	n := len(answers) + 1
	for len(g.buf) < n {
		g.buf = append(g.buf, nil)
	}
	g.buf[0] = g.kept(e).Append(g.buf[0][:0])
	for i, a := range answers {
		g.buf[i+1] = a.Append(g.buf[i+1][:0])
	}
	token, err := g.ledger.AppendCanonical(e.Seq, g.buf[:n]...)
	for i := range g.buf {
		if cap(g.buf[i]) > 1<<20 {
			g.buf[i] = nil // one big result must not stay in memory
		}
	}
	g.seq += uint64(n)
	return Recorded{e, answers, token}, err
}

// kept is the form of a judged event that goes into the file. The parameters of
// a task are judged, but no reference stands for them.
func (g *Engine) kept(e abi.Event) abi.Event {
	if e.Call == nil || !e.Call.Task.Exists() || !g.state.Digests() {
		return e
	}
	c := *e.Call
	c.Task = abi.Value{}
	e.Call = &c
	return e
}

// Settle has the gate do what the last events have left to do, until an event
// comes.
func (g *Engine) Settle() {
	for g.coming.Load() == 0 {
		g.mu.Lock()
		more := g.state.Settle()
		g.mu.Unlock()
		if !more {
			return
		}
	}
}

// Wait returns when everything up to a token is durable.
func (g *Engine) Wait(t ledger.Token) error { return g.ledger.Wait(t) }

// Pins returns the pinned definitions of a server if some were added.
func (g *Engine) Pins(server string) ([]abi.Value, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.Pins(server)
}

// Text keeps text in memory that the ledger must not hold: the state reads it
// here. After a restart it is gone.
type Text struct {
	mu     sync.RWMutex
	chunks [][]byte
	starts []int64
	size   int64
}

// ReadAt implements io.ReaderAt. A read never crosses what one event put in.
func (t *Text) ReadAt(p []byte, off int64) (int, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	lo, hi := 0, len(t.starts)
	for lo < hi {
		mid := (lo + hi) / 2
		if t.starts[mid] <= off {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 || off < 0 {
		return 0, io.EOF
	}
	at := off - t.starts[lo-1]
	chunk := t.chunks[lo-1]
	if at >= int64(len(chunk)) {
		return 0, io.EOF
	}
	n := copy(p, chunk[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// put keeps a value and returns where.
func (t *Text) put(v abi.Value) *abi.Text {
	data := v.Append(nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	ref := &abi.Text{Digest: abi.DigestBytes(data), Offset: t.size, Length: int64(len(data))}
	t.chunks = append(t.chunks, data)
	t.starts = append(t.starts, t.size)
	t.size += int64(len(data))
	return ref
}

// move takes the text out of an event and puts a reference in its place.
func (t *Text) move(e abi.Event) abi.Event {
	switch {
	case e.Call != nil && e.Call.Arguments.Exists():
		c := *e.Call
		e.Text = t.put(c.Arguments)
		c.Arguments = abi.Value{}
		e.Call = &c
	case e.Result != nil:
		r := *e.Result
		body := r.Value
		if !body.Exists() {
			body = r.Error
		}
		if body.Exists() {
			e.Text = t.put(body)
			r.Value, r.Error, r.Broken = abi.Value{}, abi.Value{}, r.Failed()
			e.Result = &r
		}
	case e.Frame != nil:
		f := *e.Frame
		e.Text = t.put(f.Frame)
		f.Frame = abi.Value{}
		e.Frame = &f
	case e.User != nil:
		e.Text = t.put(abi.StringValue(e.User.Text))
		e.User = &abi.UserEvent{}
	case e.Refused != nil:
		r := *e.Refused
		r.Bytes = nil
		e.Refused = &r
	}
	return e
}

// Durable says whether everything up to a token is durable already, so that
// there is nothing to wait for.
func (g *Engine) Durable(t ledger.Token) bool { return g.ledger.Durable(t) }
