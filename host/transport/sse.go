package transport

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// DefaultMaxEvent is the size, in bytes, that one event of a stream may have: that of one line of the stdio transport.
const DefaultMaxEvent = wire.DefaultMaxLine

// eventBuffer is how much of a stream is read at once.
const eventBuffer = 16 << 10

// Event is one piece of a stream of server-sent events: a block of lines up to its blank line, a comment line before any field of a block (so that a
// keep-alive passes at once), or a line ending that belongs to nothing. The Raw of all of them, with Rest, is the stream, byte for byte.
type Event struct {
	// Raw is the bytes as received, with their line endings; the receiver owns them.
	Raw []byte
	// ID is the block's last id field that holds no NUL. An empty one is an id as well: it takes the last event id back (WHATWG HTML 9.2.6).
	ID    string
	HasID bool
	// Name is the block's event field, "" for none, which means "message".
	Name string
	// Data is the data fields, joined by line feeds. It may lie within Raw. Bytes that are not UTF-8 stay as they are.
	Data []byte
	// HasData says that the block has a data field, an empty one included. Only such a block is an event that somebody is told of.
	HasData bool
	// Retry is the time before a reconnection that the block asks for, to the millisecond.
	Retry    time.Duration
	HasRetry bool
	// Comment says that Raw is one comment line.
	Comment bool

	first bool // Raw is the start of the stream, where a byte order mark may be
}

// Message says whether the event is one of the two kinds that carry a frame: it has data, and no name but "message".
func (e Event) Message() bool {
	return e.HasData && len(e.Data) > 0 && (e.Name == "" || e.Name == "message")
}

// EventTooLongError says that an event is over the cap of its reader. What follows it can not be read.
type EventTooLongError struct {
	Max int // bytes
}

// Error names the cap.
func (e *EventTooLongError) Error() string {
	return fmt.Sprintf("an event has more than %d bytes; send less in one frame", e.Max)
}

// EventReader divides a stream into events. It ends lines at LF, CR and CRLF, wherever the network cuts them.
type EventReader struct {
	br      *bufio.Reader
	max     int
	raw     []byte // of the block so far
	started bool   // something was handed out, so no byte order mark can come
	pending bool   // the last byte was a CR: a LF that comes now belongs to it
	err     error
}

// NewEventReader returns a reader of events of at most max bytes each; DefaultMaxEvent if max is not positive.
func NewEventReader(r io.Reader, max int) *EventReader {
	if max <= 0 {
		max = DefaultMaxEvent
	}
	return &EventReader{br: bufio.NewReaderSize(r, eventBuffer), max: max}
}

// Rest is what came before an error of Next and is no whole event. The standard has clients discard it; a relay may pass it on.
func (r *EventReader) Rest() []byte { return r.raw }

// Next returns the next event. It does not wait for a byte that the event does not need: one that ends with a CR is returned without waiting for a LF. If that
// LF does come later, it is returned as an event of this one byte. The errors are io.EOF, EventTooLongError and those of the stream, and stay.
func (r *EventReader) Next() (Event, error) {
	if r.err != nil {
		return Event{}, r.err
	}
	e := Event{first: !r.started}
	data, fields := [][]byte(nil), false
	r.raw = nil
	switch late, err := r.lateLF(); {
	case err != nil:
		return Event{}, err
	case late:
		return Event{Raw: []byte{'\n'}}, nil
	}
	for {
		start, end, err := r.line()
		if err != nil {
			return Event{}, err
		}
		line := r.raw[start:end]
		if start == 0 && e.first {
			line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		switch {
		case len(line) == 0:
			return r.finish(e, data), nil
		case line[0] == ':':
			if !fields {
				e.Comment = true
				return r.finish(e, nil), nil
			}
		default:
			fields = true
			data = e.field(line, data)
		}
	}
}

// byteOrderMark may stand once, at the start of a stream.
const byteOrderMark = "\ufeff"

// lateLF reads the LF of a CR that the last event ended with.
func (r *EventReader) lateLF() (bool, error) {
	if !r.pending {
		return false, nil
	}
	b, err := r.br.Peek(1)
	if err != nil {
		r.err = err
		return false, err
	}
	r.pending = false
	if b[0] != '\n' {
		return false, nil
	}
	_, err = r.br.Discard(1)
	return err == nil, err
}

// line adds one line with its ending to raw, and returns where its text lies.
func (r *EventReader) line() (start, end int, err error) {
	start = len(r.raw)
	for {
		if _, err := r.br.Peek(1); err != nil {
			r.err = err
			return 0, 0, err
		}
		buffered, _ := r.br.Peek(r.br.Buffered()) // no more than there is
		if r.pending {
			r.pending = false
			if buffered[0] == '\n' {
				// Only its ending was missing from the line before this one.
				if err := r.take(buffered[:1]); err != nil {
					return 0, 0, err
				}
				start++
				continue
			}
		}
		at := bytes.IndexAny(buffered, "\r\n")
		if at < 0 {
			if err := r.take(buffered); err != nil {
				return 0, 0, err
			}
			continue
		}
		end = len(r.raw) + at
		size := at + 1
		if buffered[at] == '\r' {
			if size == len(buffered) {
				r.pending = true
			} else if buffered[size] == '\n' {
				size++
			}
		}
		return start, end, r.take(buffered[:size])
	}
}

// take moves bytes from the buffer to raw.
func (r *EventReader) take(b []byte) error {
	if len(r.raw)+len(b) > r.max {
		r.err = &EventTooLongError{Max: r.max}
		return r.err
	}
	r.raw = append(r.raw, b...)
	_, err := r.br.Discard(len(b))
	return err
}

// finish makes an event of the bytes so far.
func (r *EventReader) finish(e Event, data [][]byte) Event {
	r.started = true
	e.Raw, r.raw = r.raw, nil
	switch len(data) {
	case 0:
	case 1:
		e.Data = data[0]
	default:
		e.Data = bytes.Join(data, []byte{'\n'})
	}
	e.HasData = len(data) > 0
	return e
}

// field reads one line that is neither blank nor a comment. It returns data with what the line adds to it.
func (e *Event) field(line []byte, data [][]byte) [][]byte {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		return append(data, value[:len(value):len(value)])
	case "event":
		e.Name = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			e.ID, e.HasID = string(value), true
		}
	case "retry":
		if ms, ok := milliseconds(value); ok {
			e.Retry, e.HasRetry = ms, true
		}
	}
	return data
}

// milliseconds reads a number of digits only. One that no Duration can hold is the greatest that one can.
func milliseconds(digits []byte) (time.Duration, bool) {
	const most = math.MaxInt64 / int64(time.Millisecond)
	var n int64
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		if n = n*10 + int64(d-'0'); n > most {
			n = most
		}
	}
	return time.Duration(n) * time.Millisecond, len(digits) > 0
}
