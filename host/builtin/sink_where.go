package builtin

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Destinations returns the pointers of the values that a call of a tool names as
// destinations, nil if it names none: what its rules declare as such, and what
// has the shape of one. Other arguments that are judged because no destination
// is named are not among them.
func Destinations(r *contract.Rules, call *abi.Call, definition abi.Definition) []string {
	c, err := NewSink(r)
	s, ok := c.(*sink)
	if err != nil || !ok {
		return nil
	}
	found := s.sorted(&abi.Snapshot{Phase: abi.PhaseCall, Call: *call, Definition: definition})
	list := found.destinations
	switch {
	case !s.declared:
	case s.rules.All:
		list = append(list, found.others...)
	default:
		list = append(list, found.shaped...)
	}
	var out []string
	for _, d := range list {
		out = append(out, d.at)
	}
	return out
}
