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

// eventAt is an event with how much of its file was read when it was.
type eventAt struct {
	event abi.Event
	to    extent
}

// batch is a run of events of a file.
type batch struct {
	events []eventAt
	bytes  int
	done   chan struct{} // not nil: closed when they were dealt with, which the reader waits for
}

// events is [scanner.all] for events. While one is dealt with, the next ones are
// read, verified and parsed in another goroutine, which has ended on return.
// The error is that of the first line that has one.
func (s *scanner) events(saw func(hash string), each func(e abi.Event, to extent) error) error {
	batches, stop := make(chan batch, 2), make(chan struct{})
	var failed error // of the reader, set before it closes batches
	line := s.lines  // before the reader counts
	s.trust = true   // as ParseEvent is strict
	go func() {
		defer close(batches)
		failed = s.ahead(saw, batches, stop)
	}()
	defer func() {
		close(stop)
		for range batches {
			continue // until the reader has ended
		}
	}()
	for b := range batches {
		for _, e := range b.events {
			line++
			if err := each(e.event, e.to); err != nil {
				return s.refusedAt(line, err)
			}
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

// ahead reads events until the lines or those who deal with them end.
func (s *scanner) ahead(saw func(hash string), to chan<- batch, stop <-chan struct{}) error {
	var b batch
	send := func() bool {
		if len(b.events) == 0 {
			return true
		}
		full := b
		b = batch{}
		if full.bytes >= aloneBytes {
			full.done = make(chan struct{})
		}
		select {
		case to <- full:
		case <-stop:
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
		e, err := abi.ParseEvent(line)
		if err != nil {
			return s.refused(err)
		}
		if b.events == nil {
			b.events = make([]eventAt, 0, batchEvents)
		}
		b.events, b.bytes = append(b.events, eventAt{e, s.read()}), b.bytes+len(line)
		if (len(b.events) == batchEvents || b.bytes >= batchBytes) && !send() {
			return errStopped
		}
		return nil
	})
	send()
	return err
}
