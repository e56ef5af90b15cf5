package wire

import (
	"bufio"
	"errors"
	"io"
)

const (
	// readBuffer is the capacity of a Linux pipe: one read empties it.
	readBuffer = 64 << 10
	// tooLongPrefix is how much of a line over the cap is kept for the record.
	tooLongPrefix = 64 << 10
)

// Line is one line as read.
type Line struct {
	// Bytes is the line with its terminator (none on a last line that has none), owned by the receiver. A carriage return before the line feed is part of it.
	// If TooLong is set, it is the line's first 64 KiB, or the cap if that is less.
	Bytes []byte
	// TooLong says that the line was over the cap. The reader has read on to its end, keeping only what was needed to find its ids.
	TooLong bool

	ids scanned
}

// Reader reads lines that end with a line feed, and with nothing else: not with CR, U+2028 or U+2029.
type Reader struct {
	br  *bufio.Reader
	max int
}

// NewReader returns a Reader of lines of at most max bytes, terminator included; DefaultMaxLine if max is not positive.
func NewReader(r io.Reader, max int) *Reader {
	if max <= 0 {
		max = DefaultMaxLine
	}
	return &Reader{br: bufio.NewReaderSize(r, readBuffer), max: max}
}

// Waiting says whether input behind the last line is here already, so that the next Next has something to do.
func (r *Reader) Waiting() bool { return r.br.Buffered() > 0 }

// Next returns the next line. At the end of the input a last line without terminator is returned as a line, and then io.EOF.
// On any other error of the input the Line holds what was read of it, for the record only: it is not a whole line.
func (r *Reader) Next() (Line, error) {
	var line []byte
	for {
		chunk, err := r.br.ReadSlice('\n')
		if len(line)+len(chunk) > r.max {
			return r.skip(line, chunk, err)
		}
		line = append(line, chunk...)
		switch {
		case err == nil:
			return Line{Bytes: line}, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return Line{Bytes: line}, nil
		default:
			return Line{Bytes: line}, err
		}
	}
}

// skip reads to the end of a line over the cap. Its ids are found on the way because many senders write the id last.
func (r *Reader) skip(line, chunk []byte, err error) (Line, error) {
	var scan idScanner
	scan.feed(line)
	scan.feed(chunk)
	keep := min(tooLongPrefix, r.max)
	prefix := append(make([]byte, 0, keep), line[:min(len(line), keep)]...)
	prefix = append(prefix, chunk[:min(len(chunk), keep-len(prefix))]...)
	for errors.Is(err, bufio.ErrBufferFull) {
		chunk, err = r.br.ReadSlice('\n')
		scan.feed(chunk)
	}
	long := Line{Bytes: prefix, TooLong: true, ids: scan.finish()}
	if err != nil && !errors.Is(err, io.EOF) {
		return long, err
	}
	return long, nil
}
