package gate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/redact"
)

// guest is an entry of `plugins:` with the plugin that it binds.
type guest struct {
	contract.PluginRef
	plugin contract.Plugin
	err    error // there is none: whatever it should judge is denied
}

// guests returns the plugins of policy and floor for a tool or a method, sorted by
// name. An entry that is there twice, in policy and floor, is asked once.
func (s *State) guests(rules []contract.Rules) []guest {
	var list []guest
	for i := range rules {
		for _, ref := range rules[i].Plugins {
			list = s.invite(list, ref)
		}
	}
	return list
}

func (s *State) invite(list []guest, ref contract.PluginRef) []guest {
	if slices.ContainsFunc(list, func(g guest) bool { return g.sameAs(ref) }) {
		return list
	}
	g := guest{PluginRef: ref, err: fmt.Errorf("nobody loads plugins here")}
	if s.opts.Plugin != nil {
		g.plugin, g.err = s.opts.Plugin(ref)
	}
	list = append(list, g)
	slices.SortStableFunc(list, func(a, b guest) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (g *guest) sameAs(ref contract.PluginRef) bool {
	return g.Name == ref.Name && g.Digest == ref.Digest && g.Observe == ref.Observe && g.Settings.Equal(ref.Settings)
}

// has says whether any of several plugins is asked in a phase.
func has(guests []guest, phase abi.Phase, kind abi.CallKind) bool {
	return slices.ContainsFunc(guests, func(g guest) bool { return g.asked(phase, kind) })
}

// asked says whether a plugin judges in a phase, of a call of a kind. One that is
// not there does: it denies.
func (g *guest) asked(phase abi.Phase, kind abi.CallKind) bool {
	if g.err != nil {
		return true
	}
	m := g.plugin.Manifest()
	return m.Has(phase) && (phase == abi.PhaseList || m.Judges(kind))
}

// consult asks the plugins that judge in the snapshot's phase, and joins what they
// say with what the built-in contracts said. They can only tighten; the headline
// stays the built-in one's unless a plugin is stricter. None is asked of what is
// denied already.
func (s *State) consult(guests []guest, snap *abi.Snapshot, base abi.Verdict) abi.Verdict {
	if !has(guests, snap.Phase, snap.Call.Kind) {
		return base
	}
	if base.Outcome == abi.Deny {
		for _, g := range guests {
			if g.asked(snap.Phase, snap.Call.Kind) {
				base.Skipped = append(base.Skipped, g.Name)
			}
		}
		return base
	}
	var said []abi.Verdict
	var found []abi.Finding
	known := false
	taint := func() []abi.Finding { // the same for all, and dear
		if !known {
			found, known = s.explainAll(snap), true
		}
		return found
	}
	for i := range guests {
		if guests[i].asked(snap.Phase, snap.Call.Kind) {
			said = append(said, s.hearOut(&guests[i], snap, taint))
		}
	}
	headline, at := base, -1
	for i, v := range said {
		headline.Missing = headline.Missing || v.Missing
		if !v.Observed && v.Outcome < headline.Outcome {
			v.Missing = v.Missing || headline.Missing
			headline, at = v, i
		}
	}
	if at < 0 {
		headline.Also = append(slices.Clip(base.Also), said...)
		return headline
	}
	rest := base.Also
	base.Also = nil
	headline.Also = append(append([]abi.Verdict{base}, rest...), slices.Delete(said, at, at+1)...)
	return headline
}

// hearOut asks one plugin. One that is not there, or fails, denies.
func (s *State) hearOut(g *guest, snap *abi.Snapshot, taint func() []abi.Finding) (v abi.Verdict) {
	if g.err != nil {
		class := abi.FailLoad
		var of interface{ Failure() abi.FailureClass }
		if errors.As(g.err, &of) {
			class = of.Failure()
		}
		v := failed(class, "it can not be loaded: "+g.err.Error())
		v.Missing = errors.Is(g.err, contract.ErrGone)
		return g.signed(v)
	}
	if v, ok := s.recall(snap.Call.ID, g); ok {
		return g.signed(v)
	}
	defer func() {
		if p := recover(); p != nil {
			v = g.signed(failed(abi.FailHost, "it failed on this call"))
		}
	}()
	own := *snap
	own.Settings = g.Settings
	own.Taint = nil
	if g.plugin.Manifest().Sees("taint") {
		own.Taint = taint()
	}
	v = g.plugin.Judge(&own)
	if v.Outcome = v.Outcome.Known(); v.Outcome == abi.Allow {
		v.Outcome = abi.Deny
	}
	if v.Plugin == nil {
		v.Plugin = &abi.PluginReceipt{Class: abi.FailHost, Detail: "no receipt"}
	}
	return g.signed(v)
}

// Recall takes in what an earlier run answered to the event that comes next. Of
// plugins that the clock stopped it counts: it is the one answer of theirs that the
// same event does not give again.
func (s *State) Recall(answers []abi.Event) {
	s.recalled = nil
	for _, a := range answers {
		if a.Verdict == nil {
			continue
		}
		for _, v := range append([]abi.Verdict{*a.Verdict}, a.Verdict.Also...) {
			if v.Plugin == nil {
				continue
			}
			if s.recalled == nil {
				s.recalled = map[string][]abi.Verdict{}
			}
			key := a.Verdict.ID + "\x00" + v.Contract
			s.recalled[key] = append(s.recalled[key], abi.Verdict{Outcome: abi.Deny, Code: v.Code, Rule: v.Rule, Plugin: v.Plugin})
		}
	}
}

// recall is what an entry's plugin answered when the clock stopped it. Where policy
// and floor have an entry of one name each, both have answered, and the rule says
// which of them.
func (s *State) recall(call string, g *guest) (abi.Verdict, bool) {
	list := s.recalled[call+"\x00"+g.Name]
	for _, v := range list {
		if v.Plugin.Class == abi.FailWatchdog && (len(list) == 1 || v.Rule == g.Rule) {
			return v, true
		}
	}
	return abi.Verdict{}, false
}

// failed is what a plugin that gives no verdict says.
func failed(class abi.FailureClass, detail string) abi.Verdict {
	return abi.Verdict{Outcome: abi.Deny, Code: class.Code(), Plugin: &abi.PluginReceipt{Class: class, Detail: detail}}
}

// signed gives a verdict the name and the rule of the entry, and its receipt the
// bundle that the entry is from.
func (g *guest) signed(v abi.Verdict) abi.Verdict {
	v.Contract, v.Rule, v.Observed = g.Name, g.Rule, g.Observe
	receipt := *v.Plugin
	receipt.Bundle = g.Bundle.Digest
	v.Plugin = &receipt
	if v.Plugin.Class != "" {
		v.Reason = "contract " + g.Name + " gave no verdict: " + string(v.Plugin.Class)
		v.Mend = "see callgate why; callgate plugin inspect shows what it needs"
	}
	return v
}

// explainAll says of every text of the call's values what is known of where it
// came from.
func (s *State) explainAll(snap *abi.Snapshot) []abi.Finding {
	values, _ := snap.Call.Values()
	var wanted []abi.Wanted
	values.Walk("", func(at string, v abi.Value, key bool) {
		if v.IsString() {
			wanted = append(wanted, abi.Wanted{At: at, Key: key})
		}
	})
	if len(wanted) == 0 {
		return nil
	}
	s.settleAll()
	found := s.session.index.Explain(values, wanted)
	s.markLabels(found)
	return found
}

// lower takes in how many calls of a tool a plugin leaves the session. It never
// raises.
func (s *State) lower(n *entry, v *abi.Verdict) {
	own := ""
	if v.Enforced() == abi.Ask {
		own = n.key // it is not counted itself, once it is answered
	}
	cut := func(o *abi.Verdict) {
		if o.Obligations.Calls == nil || o.Observed {
			return
		}
		name := roomFor(s.session.left, nameOf(&n.call))
		if left, ok := s.session.left[name]; ok && left.calls <= *o.Obligations.Calls {
			return
		}
		s.session.left[name] = allowance{*o.Obligations.Calls, o.Contract, o.Rule, own}
	}
	cut(v)
	for i := range v.Also {
		cut(&v.Also[i])
	}
}

// allowance is how many calls of a tool a plugin has left the session.
type allowance struct {
	calls int64
	by    string
	rule  string
	own   string // key of the call that waits for a person, and has a place besides
}

// spend counts an allowed call against what plugins have left.
func (s *State) spend(n *entry) {
	name := roomFor(s.session.left, nameOf(&n.call))
	left, ok := s.session.left[name]
	switch {
	case !ok:
		return
	case left.own == n.key:
		left.own = ""
	case left.calls > 0:
		left.calls--
	}
	s.session.left[name] = left
}

// leftOf is what plugins have left of a tool, as a budget.
func (s *State) leftOf(n *entry) []abi.BudgetUse {
	left, ok := s.session.left[roomFor(s.session.left, nameOf(&n.call))]
	if !ok {
		return nil
	}
	if left.own == n.key {
		left.calls++
	}
	return []abi.BudgetUse{{Rule: left.rule, Name: left.by, Max: left.calls, Charge: 1, Plugin: true}}
}

// withoutWords is a receipt without what the plugin wrote, which may quote values.
func withoutWords(r *abi.PluginReceipt) *abi.PluginReceipt {
	if r == nil {
		return nil
	}
	out := *r
	out.Reason, out.Tags = "", nil
	return &out
}

// veiledReceipt is a receipt as it may be kept.
func (s *State) veiledReceipt(r *abi.PluginReceipt) *abi.PluginReceipt {
	if r == nil {
		return nil
	}
	out := *r
	out.Reason, out.Tags = s.policy.Redact().Text(redact.Ledger, r.Reason), slices.Clone(r.Tags)
	for i := range out.Tags {
		out.Tags[i].Name = s.policy.Redact().Text(redact.Ledger, out.Tags[i].Name)
		out.Tags[i].Text = s.policy.Redact().Text(redact.Ledger, out.Tags[i].Text)
	}
	return &out
}
