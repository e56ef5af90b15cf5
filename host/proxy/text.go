package proxy

import (
	"fmt"
	"slices"
	"sync"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/segment"
)

// inlineArguments is the length up to which the arguments of a call stay in the
// line of the ledger, in bytes: a call waits for its line to be durable, and
// need not wait for a second file.
const inlineArguments = 4 << 10

// Texts is where the text of events lies that the lines of the ledger do not
// hold: in segments beside it, or in memory, if the ledger must not hold it. What
// is in memory is gone after a restart.
type Texts struct {
	memory memory
	store  *segment.Store // nil: the ledger is in memory, and holds everything
}

// ReadText implements [abi.TextReader].
func (t *Texts) ReadText(ref abi.Text, dst []byte, at int64) error {
	switch {
	case ref.Segment == "":
		return t.memory.ReadText(ref, dst, at)
	case t.store == nil:
		return fmt.Errorf("segment %q: this ledger has none", ref.Segment)
	}
	return t.store.ReadText(ref, dst, at)
}

// sync makes durable what lies in segments.
func (t *Texts) sync() error {
	if t.store == nil {
		return nil
	}
	return t.store.Sync()
}

// take takes the text out of an event and puts a reference in its place. With
// digests the ledger must not hold it.
func (t *Texts) take(e abi.Event, digests bool) (abi.Event, error) {
	if digests {
		return move(e, 0, t.memory.put)
	}
	if t.store == nil {
		return e, nil
	}
	return move(e, inlineArguments, t.store.Put)
}

// move takes text out of an event, but for arguments of at most so many bytes.
func move(e abi.Event, inline int64, put func([]byte) (abi.Text, error)) (abi.Event, error) {
	keep := func(data []byte) error {
		ref, err := put(data)
		e.Text = &ref
		return err
	}
	var err error
	switch {
	case e.Call != nil:
		c := *e.Call
		v, _ := c.Values()
		if !v.Exists() || inline > 0 && c.Bytes <= inline {
			break
		}
		err = keep(v.Append(nil))
		c.SetValues(abi.Value{})
		e.Call = &c
	case e.Result != nil:
		r := *e.Result
		body := r.Value
		if !body.Exists() {
			body = r.Error
		}
		if body.Exists() {
			err = keep(body.Append(nil))
			e.Text.Error = r.Error.Exists()
			r.Value, r.Error, r.Broken = abi.Value{}, abi.Value{}, r.Failed()
			e.Result = &r
		}
	case e.Frame != nil:
		f := *e.Frame
		err = keep(f.Frame.Append(nil))
		f.Frame = abi.Value{}
		e.Frame = &f
	case e.User != nil:
		err = keep(abi.StringValue(e.User.Text).Append(nil))
		e.User = &abi.UserEvent{}
	case e.Refused != nil && len(e.Refused.Bytes) > 0:
		r := *e.Refused
		if r.From == "server" { // it taints; what a client sent is only kept
			err = keep(r.Bytes)
			r.Bytes = nil
		} else if inline == 0 {
			r.Bytes = nil
		}
		e.Refused = &r
	}
	return e, err
}

// memory keeps text in memory.
type memory struct {
	mu     sync.RWMutex
	chunks [][]byte
	starts []int64
	size   int64
}

// ReadText implements [abi.TextReader].
func (m *memory) ReadText(ref abi.Text, dst []byte, at int64) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	i, ok := slices.BinarySearch(m.starts, ref.Offset)
	if !ok || ref.Segment != "" || at < 0 || at+int64(len(dst)) > int64(len(m.chunks[i])) {
		return fmt.Errorf("text %s is not in memory", ref.Digest)
	}
	copy(dst, m.chunks[i][at:])
	return nil
}

// put keeps a text and returns where.
func (m *memory) put(data []byte) (abi.Text, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ref := abi.Text{Digest: abi.DigestBytes(data), Offset: m.size, Length: int64(len(data))}
	m.chunks = append(m.chunks, slices.Clone(data))
	m.starts = append(m.starts, m.size)
	m.size += int64(max(1, len(data)))
	return ref, nil
}
