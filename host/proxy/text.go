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
	buf    []byte         // of the text that is being taken
	recent recent
}

// ReadText implements [abi.TextReader].
func (t *Texts) ReadText(ref abi.Text, dst []byte, at int64) error {
	switch {
	case ref.Segment == "":
		return t.memory.ReadText(ref, dst, at)
	case t.store == nil:
		return fmt.Errorf("segment %q: this ledger has none", ref.Segment)
	case t.recent.read(ref, dst, at):
		return nil
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

// close ends the segments, if there are any.
func (t *Texts) close() error {
	if t.store == nil {
		return nil
	}
	return t.store.Close()
}

// take takes the text out of an event and puts a reference in its place. With
// digests the ledger must not hold it. One take at a time.
func (t *Texts) take(e abi.Event, digests bool) (abi.Event, error) {
	if !digests && t.store == nil {
		return e, nil
	}
	bare, text, ok := t.part(e, digests)
	if !ok {
		return bare, nil
	}
	if cap(text) <= maxTaken {
		t.buf = text
	}
	put := t.memory.put
	if !digests {
		put = t.store.Put
	}
	ref, err := put(text)
	if err != nil {
		return e, err
	}
	if !digests {
		t.recent.keep(ref, text)
	}
	ref.Error = e.Result != nil && e.Result.Error.Exists()
	bare.Text = &ref
	return bare, nil
}

// maxTaken bounds the buffer that is kept for the next text, in bytes: one large
// text must not hold its memory for ever.
const maxTaken = 1 << 20

// part parts an event from its text, which holds until the next is parted. Small
// arguments stay where they are, unless the ledger must not hold them.
func (t *Texts) part(e abi.Event, digests bool) (bare abi.Event, text []byte, ok bool) {
	buf := t.buf[:0]
	switch {
	case e.Call != nil:
		v, _ := e.Call.Values()
		if !v.Exists() || !digests && e.Call.Bytes <= inlineArguments {
			return e, nil, false
		}
		c := *e.Call
		c.SetValues(abi.Value{})
		e.Call = &c
		return e, v.Append(buf), true
	case e.Result != nil:
		r := *e.Result
		v := r.Value
		if !v.Exists() {
			v = r.Error
		}
		if !v.Exists() {
			return e, nil, false
		}
		r.Value, r.Error, r.Broken = abi.Value{}, abi.Value{}, r.Failed()
		e.Result = &r
		return e, v.Append(buf), true
	case e.Frame != nil && e.Frame.Frame.Exists():
		f := *e.Frame
		text, f.Frame = f.Frame.Append(buf), abi.Value{}
		e.Frame = &f
		return e, text, true
	case e.User != nil:
		text = abi.StringValue(e.User.Text).Append(buf)
		e.User = &abi.UserEvent{}
		return e, text, true
	case e.Refused != nil && len(e.Refused.Bytes) > 0 && (digests || e.Refused.From == "server"):
		r := *e.Refused
		text, r.Bytes = r.Bytes, nil
		e.Refused = &r
		return e, append(buf, text...), r.From == "server" // it taints; what a client sent is only kept
	}
	return e, nil, false
}

// recent holds the small texts that were put last: the index takes them in soon
// after, and need not read the file for each. It is safe for concurrent use.
type recent struct {
	mu   sync.Mutex
	refs [recentTexts]abi.Text
	data [recentTexts][]byte
	next int
}

const (
	recentTexts = 64
	recentBytes = 16 << 10 // of one text
)

func (r *recent) keep(ref abi.Text, text []byte) {
	if len(text) > recentBytes {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refs[r.next], r.data[r.next] = ref, append(r.data[r.next][:0], text...)
	r.next = (r.next + 1) % recentTexts
}

func (r *recent) read(ref abi.Text, dst []byte, at int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.refs {
		if have := &r.refs[i]; have.Offset == ref.Offset && have.Segment == ref.Segment && have.Length == ref.Length && have.Digest == ref.Digest {
			if at < 0 || at > ref.Length-int64(len(dst)) {
				return false
			}
			copy(dst, r.data[i][at:])
			return true
		}
	}
	return false
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
