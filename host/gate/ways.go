package gate

import (
	"slices"
	"strconv"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/redact"
)

// Way is what decides how lists of a kind of a server are shown. Under two policies
// for which it is the same, every list is shown alike.
type Way struct {
	Plugins string // that judge them and are obeyed; "": none
	Rules   string // what else there is
}

// WayOf returns how lists of a kind of a server are shown under the policy in force.
// Of rules it says only whether there are any, and of which policy.
func (s *State) WayOf(server, kind string) Way {
	switch {
	case s.policy == nil:
		return Way{Rules: "none is in force"}
	case s.Observes():
		return Way{}
	}
	var w Way
	var guests []guest
	for _, ref := range s.policy.Listers(server) {
		guests = s.invite(guests, ref)
	}
	for i := range guests {
		if g := &guests[i]; !g.Observe && g.asked(abi.PhaseList, kindOf(kind)) {
			w.Plugins += g.Name + " " + g.Digest + " " + g.Settings.String() + " " + strconv.FormatBool(g.err == nil) + "\n"
		}
	}
	if kind == abi.ListTools && hidesTools(s.policy) || kind != abi.ListTools && s.hides(redact.FromServer) {
		w.Rules = s.digest
	}
	return w
}

// hidesTools says whether a policy, with its packs and its floor, may keep tools out
// of lists.
func hidesTools(p *policy.Policy) (hides bool) {
	p.Value().Walk("", func(_ string, v abi.Value, key bool) { hides = hides || key && v.Str() == "hide" })
	return hides
}

// ListEdits are the edits of a list, by pointers into it, under the policy in force;
// false: it is not shown at all. Definitions of tools are not edited.
func (s *State) ListEdits(kind string, list abi.Value) ([]abi.Edit, bool) {
	if s.policy == nil || kind == abi.ListTools || s.Observes() {
		return nil, s.policy != nil
	}
	v, edits := s.redacted(said{list, "frame", redact.Results})
	return edits, v.Outcome == abi.Abstain
}

// obeyed says whether the policy in force has plugins that hide items of lists of a
// server. What those hid that it does not have any more is hidden no more: no list
// would ever show it again.
func (s *State) obeyed(server string) bool {
	return s.policy != nil && slices.ContainsFunc(s.policy.Listers(server), func(ref contract.PluginRef) bool { return !ref.Observe })
}
