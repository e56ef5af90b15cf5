package proxy

import (
	"io"
	"sync"

	"github.com/callgate/callgate/abi"
)

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
	case e.Call != nil:
		c := *e.Call
		v, _ := c.Values()
		if !v.Exists() {
			break
		}
		e.Text = t.put(v)
		c.SetValues(abi.Value{})
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
