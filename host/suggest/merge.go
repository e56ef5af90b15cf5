package suggest

import (
	"fmt"
	"iter"

	"github.com/callgate/callgate/abi"
)

// head is the next event of a ledger that is being merged with others.
type head struct {
	file  int // index of the ledger
	value abi.Value
	event abi.Event
	next  func() (abi.Value, error, bool)
	line  int
}

// advance reads the next line; false: there is none.
func (h *head) advance(name string) (bool, error) {
	v, err, ok := h.next()
	if !ok {
		return false, nil
	}
	h.line++
	if err != nil {
		return false, fmt.Errorf("%q, line %d: %w", name, h.line, err)
	}
	e, err := abi.EventFrom(v)
	if err != nil {
		return false, fmt.Errorf("%q, line %d: %w; name a ledger file (callgate ledger path lists them)", name, h.line, err)
	}
	h.value, h.event = v, e
	return true, nil
}

// before says which of two heads comes first. Of equal times, what is no call
// does: an output that came in the same instant may be where the call's values
// are from.
func (h *head) before(o *head) bool {
	if !h.event.Time.Equal(o.event.Time) {
		return h.event.Time.Before(o.event.Time)
	}
	return h.event.Call == nil && o.event.Call != nil
}

// merged visits the events of all ledgers in the order of their times, those of
// one ledger in their order.
func merged(ledgers []Ledger, visit func(file int, v abi.Value, e abi.Event) error) error {
	var heads []*head
	for i, l := range ledgers {
		next, stop := iter.Pull2(l.Events())
		defer stop()
		h := &head{file: i, next: next}
		ok, err := h.advance(l.Name)
		if err != nil {
			return err
		}
		if ok {
			heads = append(heads, h)
		}
	}
	for len(heads) > 0 {
		at := 0
		for i := range heads {
			if heads[i].before(heads[at]) {
				at = i
			}
		}
		h := heads[at]
		if err := visit(h.file, h.value, h.event); err != nil {
			return fmt.Errorf("%q, line %d: %w", ledgers[h.file].Name, h.line, err)
		}
		ok, err := h.advance(ledgers[h.file].Name)
		if err != nil {
			return err
		}
		if !ok {
			heads = append(heads[:at], heads[at+1:]...)
		}
	}
	return nil
}
