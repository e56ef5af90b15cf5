package proxy

import (
	"fmt"
	"slices"
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

// ReadText implements [abi.TextReader].
func (t *Text) ReadText(ref abi.Text, dst []byte, at int64) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i, ok := slices.BinarySearch(t.starts, ref.Offset)
	if !ok || ref.Segment != "" || at < 0 || at+int64(len(dst)) > int64(len(t.chunks[i])) {
		return fmt.Errorf("text %s is not in memory", ref.Digest)
	}
	copy(dst, t.chunks[i][at:])
	return nil
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
			e.Text.Error = r.Error.Exists()
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
