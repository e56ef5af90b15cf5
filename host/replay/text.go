package replay

import (
	"github.com/callgate/callgate/abi"
)

// restored puts back the text that the gate, or who looks at the calls, reads at
// once. What servers wrote stays where it is until somebody asks for it.
func (p *Player) restored(e abi.Event) abi.Event {
	if e.Text == nil || e.Call == nil && e.User == nil {
		return e
	}
	if whole, err := e.Restored(p.o.Text); err == nil {
		return whole
	}
	return e
}
