package builtin

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Destinations returns the pointers of the values in a call of a tool that its
// rules take for destinations, nil if there are none.
func Destinations(r *contract.Rules, call *abi.Call, definition abi.Definition) []string {
	c, err := NewSink(r)
	s, ok := c.(*sink)
	if err != nil || !ok {
		return nil
	}
	var out []string
	for _, d := range s.plan(&abi.Snapshot{Phase: abi.PhaseCall, Call: *call, Definition: definition}).destinations {
		out = append(out, d.at)
	}
	return out
}
