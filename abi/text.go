package abi

import "fmt"

// Text refers to text that the host keeps outside the event: the canonical JSON
// of arguments, of a result or of a frame, what the user said as a JSON string,
// or the bytes of a refused frame as they are.
type Text struct {
	Digest  string // of the text
	Segment string // name of the file that holds it; "": the memory of the process that wrote the event
	Offset  int64  // in the segment; negative: it was never kept
	Length  int64  // bytes
	Error   bool   // of a result: it is the JSON-RPC error
}

// maxText bounds a text that is read back whole, in bytes.
const maxText = 1 << 30

// TextReader reads text that events carry by reference.
type TextReader interface {
	// ReadText fills dst with the bytes of a text from offset at on. An error says
	// that they are gone or damaged; what is in dst then means nothing.
	ReadText(t Text, dst []byte, at int64) error
}

// Read returns the whole text, if it is what the digest says.
func (t Text) Read(from TextReader) ([]byte, error) {
	if from == nil || t.Offset < 0 || t.Length < 0 || t.Length > maxText {
		return nil, fmt.Errorf("text %s: it was not kept", t.Digest)
	}
	data := make([]byte, t.Length)
	if err := from.ReadText(t, data, 0); err != nil {
		return nil, err
	}
	if DigestBytes(data) != t.Digest {
		return nil, fmt.Errorf("text %s: other bytes stand in its place", t.Digest)
	}
	return data, nil
}

// Restored returns the event with its text in it, as it was before the text was
// taken out. Without text, or where the text is gone, it is the event itself.
func (e Event) Restored(from TextReader) (Event, error) {
	if e.Text == nil {
		return e, nil
	}
	data, err := e.Text.Read(from)
	if err != nil {
		return e, err
	}
	if e.Refused != nil {
		r := *e.Refused
		r.Bytes, e.Refused, e.Text = data, &r, nil
		return e, nil
	}
	v, err := Parse(data)
	if err != nil {
		return e, fmt.Errorf("text %s: %w", e.Text.Digest, err)
	}
	switch {
	case e.Call != nil:
		c := *e.Call
		c.SetValues(v)
		e.Call = &c
	case e.Result != nil:
		r := *e.Result
		if r.Broken = false; e.Text.Error {
			r.Error = v
		} else {
			r.Value = v
		}
		e.Result = &r
	case e.Frame != nil:
		f := *e.Frame
		f.Frame, e.Frame = v, &f
	case e.User != nil:
		e.User = &UserEvent{Text: v.Str()}
	}
	e.Text = nil
	return e, nil
}
