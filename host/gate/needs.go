package gate

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// maxNeeds is how many facts are looked up for one call. What goes without them
// is refused.
const maxNeeds = 256

// Needs returns the facts that the contracts of a call want to see: they become
// the call's Facts before [Step] judges it. It changes nothing that is judged.
func (s *State) Needs(c *abi.Call) []abi.Need {
	if c == nil || !c.Kind.Known() {
		return nil
	}
	b := s.bound(c)
	if b.broken != nil {
		return nil
	}
	var snap *abi.Snapshot
	var needs []abi.Need
	for _, rows := range [...][]row{b.rows, b.listed} {
		for _, r := range rows {
			needer, ok := r.c.(contract.Needer)
			if !ok {
				continue
			}
			if snap == nil {
				snap = s.needing(c)
			}
			needs = append(needs, wanting(needer, snap)...)
		}
	}
	return needs[:min(len(needs), maxNeeds)]
}

// wanting asks one contract. One that panics wants nothing, and fails again when
// it judges.
func wanting(n contract.Needer, snap *abi.Snapshot) (needs []abi.Need) {
	defer func() {
		if p := recover(); p != nil {
			needs = nil
		}
	}()
	return n.Needs(snap)
}

// needing is what contracts see of a call that has no place yet.
func (s *State) needing(c *abi.Call) *abi.Snapshot {
	snap := &abi.Snapshot{Phase: abi.PhaseCall, Call: *c, Session: abi.Session{Place: s.placeOf(c.Server)}}
	if c.Kind.IsTool() {
		snap.Definition = s.pinOf(c.Server, c.Tool)
	}
	return snap
}

// placeOf is where relative paths of a server start.
func (s *State) placeOf(server string) abi.Place {
	place := s.session.place
	if s.policy != nil {
		if cwd := s.policy.Server(server).Cwd; cwd != "" {
			place.Dir = cwd
		}
	}
	return place
}
