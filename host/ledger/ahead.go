package ledger

import (
	"errors"

	"github.com/callgate/callgate/abi"
)

// A batch is what is parsed ahead at once: so much of a file that handing it
// over costs nothing, and so little that it may lie in memory.
const (
	batchEvents = 64
	batchBytes  = 256 << 10
	// aloneBytes is the length of a line that nothing is read ahead of.
	aloneBytes = 4 << 20
)

// errStopped ends a reader whose events nobody wants any more.
var errStopped = errors.New("nobody wants more events")

// batch is a run of lines of a file, and of the events that they hold.
type batch struct {
	text   []byte
	ends   []int    // of the lines, in text
	to     []extent // how much of the file was read with each
	events []abi.Event
	err    error         // of the line behind events
	parsed chan struct{} // closed when events and err are there
	done   chan struct{} // not nil: closed when they were dealt with, which the reader waits for
}

// add copies a line.
func (b *batch) add(line []byte, to extent) {
	if b.ends == nil {
		b.ends, b.to = make([]int, 0, batchEvents), make([]extent, 0, batchEvents)
		b.text = make([]byte, 0, max(len(line), 32<<10))
	}
	b.text = append(b.text, line...)
	b.ends, b.to = append(b.ends, len(b.text)), append(b.to, to)
}

// parse reads the events up to the first line that holds none.
func (b *batch) parse() {
	defer close(b.parsed)
	b.events = make([]abi.Event, 0, len(b.ends))
	start := 0
	for _, end := range b.ends {
		e, err := abi.ParseEvent(b.text[start:end])
		if err != nil {
			b.err = err
			return
		}
		b.events, start = append(b.events, e), end
	}
	b.text = nil // values hold no part of it
}

// events is [scanner.all] for events. While one is dealt with, the next ones are
// read and verified in another goroutine, and parsed in others, all of which have
// ended on return. The error is that of the first line that has one.
func (s *scanner) events(saw func(hash string), each func(e abi.Event, to extent) error) error {
	batches, stop := make(chan *batch, 2), make(chan struct{})
	var failed error // of the reader, set before it closes batches
	line := s.lines  // before the reader counts
	s.trust = true   // as ParseEvent is strict
	go func() {
		defer close(batches)
		failed = s.ahead(saw, batches, stop)
	}()
	defer func() {
		close(stop)
		for b := range batches { // until the reader has ended
			<-b.parsed
		}
	}()
	for b := range batches {
		<-b.parsed
		for i, e := range b.events {
			line++
			if err := each(e, b.to[i]); err != nil {
				return s.refusedAt(line, err)
			}
		}
		if b.err != nil {
			return s.refusedAt(line+1, b.err)
		}
		if b.done != nil {
			close(b.done)
		}
	}
	return failed
}

// read is how much of the file was read.
func (s *scanner) read() extent {
	return extent{lines: s.lines, last: s.last, lastAt: s.lastAt, offset: s.good}
}

// ahead reads lines until they or those who deal with them end.
func (s *scanner) ahead(saw func(hash string), to chan<- *batch, stop <-chan struct{}) error {
	b := &batch{}
	send := func() bool {
		if len(b.ends) == 0 {
			return true
		}
		full := b
		b = &batch{}
		full.parsed = make(chan struct{})
		if len(full.text) >= aloneBytes {
			full.done = make(chan struct{})
		}
		go full.parse()
		select {
		case to <- full:
		case <-stop:
			<-full.parsed
			return false
		}
		if full.done == nil {
			return true
		}
		select {
		case <-full.done:
			return true
		case <-stop:
			return false
		}
	}
	err := s.all(func(line []byte, hash string) error {
		saw(hash)
		b.add(line, s.read())
		if (len(b.ends) == batchEvents || len(b.text) >= batchBytes) && !send() {
			return errStopped
		}
		return nil
	})
	send()
	return err
}
