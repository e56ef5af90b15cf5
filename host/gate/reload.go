package gate

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
)

// Know spares the next policy event the decoding, if it brings exactly this
// policy.
func (s *State) Know(p *policy.Policy) { s.opts.Loaded = p }

// Waits says whether a call waits for an answer, which a policy event has judged
// again.
func (s *State) Waits() bool {
	return slices.ContainsFunc(s.session.asked, func(n *entry) bool { return n.ask != nil })
}

// reload puts a policy into force. Calls that wait for an answer are judged
// again under it, unless it means the same as the one before; what could still
// be answered and nobody waits for is not.
func (s *State) reload(e abi.Event) []abi.Event {
	before := s.digest
	s.usePolicy(e.Policy)
	if s.digest == before || s.folding {
		return nil
	}
	var out []abi.Event
	for _, n := range slices.Clone(s.session.asked) {
		if n.ask == nil {
			continue
		}
		if !n.held {
			s.withdraw(n)
			continue
		}
		n.ask = nil
		n.binding = s.bound(&n.call)
		out = append(out, s.decided(e, n, s.decide(n))...)
	}
	s.session.asked = slices.DeleteFunc(s.session.asked, func(n *entry) bool { return n.ask == nil })
	out = append(out, s.judgeListed(e)...)
	for i := range out {
		out[i].Seq = e.Seq + 1 + uint64(i)
	}
	return out
}

// maxLooser is how much of what starts have let is kept, which no decision needs.
const maxLooser = 256

// loosened notes what a start has let, for as long as the session lives.
func (s *State) loosened(why []string) {
	for _, w := range why {
		if len(s.session.looser) < maxLooser && !slices.Contains(s.session.looser, w) {
			s.session.looser = append(s.session.looser, w)
		}
	}
}

// Looser lists what starts of the session may allow beyond the policy that was in
// force before them.
func (s *State) Looser() []string { return slices.Clone(s.session.looser) }

// protect keeps calls away from further files, which a policy has come to be
// made of.
func (s *State) protect(v abi.Value) {
	if s.folding {
		return
	}
	for _, item := range v.Items() {
		if !slices.Contains(s.session.protected, item.Str()) {
			s.session.protected = append(slices.Clip(s.session.protected), item.Str())
		}
	}
}
