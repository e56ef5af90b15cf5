package gate

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/redact"
)

// page is one page of a list that a server answered.
type page struct {
	abi.ListOf
	as    []abi.Value // its items as the server sent them
	shown []abi.Value // as they would be shown
}

// pageIn returns the page of a list that an event holds.
func pageIn(e abi.Event, value, edited abi.Value) (page, bool) {
	switch {
	case e.Tools != nil && (e.Tools.Source == "" || e.Tools.Source == abi.ToolsListed):
		return page{abi.ListOf{Server: e.Tools.Server, Kind: abi.ListTools}, e.Tools.List, e.Tools.List}, true
	case e.Tools != nil && e.Tools.Source == abi.ToolsStored:
		list := e.Tools.Definitions()
		return page{abi.ListOf{Server: e.Tools.Server, Kind: abi.ListTools}, list, list}, len(list) > 0
	case e.Frame != nil && !e.Frame.Request:
		kind := abi.ListKinds[e.Frame.Method]
		if kind == "" || kind == abi.ListTools {
			return page{}, false // what is no list of tools is none of tools that are called
		}
		of := abi.ListMember(kind)
		return page{abi.ListOf{Server: e.Frame.Server, Kind: kind}, value.Get(of).Items(), edited.Get(of).Items()}, true
	}
	return page{}, false
}

// names are the names of the items, as sent and as shown.
func (p *page) names() []string {
	var out []string
	for _, items := range [][]abi.Value{p.as, p.shown} {
		for _, item := range items {
			if name, ok := abi.ItemName(p.Kind, item); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

// alike adds the names that the same items have as the server sent them.
func (p *page) alike(hide []string) []string {
	for i := range min(len(p.as), len(p.shown)) {
		shown, _ := abi.ItemName(p.Kind, p.shown[i])
		if as, ok := abi.ItemName(p.Kind, p.as[i]); ok && as != shown && slices.Contains(hide, shown) {
			hide = append(slices.Clip(hide), as)
		}
	}
	return hide
}

// judgeList asks the plugins about a page that is about to be shown, and keeps
// what they hide. A plugin that denies, or fails, hides all of it. Without any the
// verdict abstains.
func (s *State) judgeList(e abi.Event, p page) abi.Verdict {
	nothing := abi.Verdict{Outcome: abi.Abstain}
	if s.policy == nil {
		return nothing
	}
	var guests []guest
	for _, ref := range s.policy.Listers(p.Server) {
		guests = s.invite(guests, ref)
	}
	v := nothing
	if has(guests, abi.PhaseList, kindOf(p.Kind)) {
		v = s.consult(guests, s.listSnapshot(e, &p), nothing)
	}
	all := append([]abi.Verdict{v}, v.Also...)
	said := slices.DeleteFunc(all, func(v abi.Verdict) bool { return v.Plugin == nil })
	by := map[string]hiding{}
	for i := range said {
		w := &said[i]
		if w.Observed {
			continue
		}
		hide := p.alike(w.Obligations.Hide)
		if w.Outcome != abi.Abstain {
			p.All, hide = true, append(p.names(), hide...)
		}
		for _, name := range hide {
			if _, known := by[name]; !known {
				by[name] = hiding{w.Contract, w.Rule}
			}
		}
	}
	s.hidden.shown(p.ListOf, p.names())
	s.hidden.hide(p.ListOf, by)
	if len(said) == 0 {
		return nothing
	}
	return abi.Verdict{Outcome: abi.Abstain, Missing: v.Missing, List: &p.ListOf, Obligations: abi.Obligations{Hide: sortedNames(by)}, Also: said}
}

// kindOf is the kind of the calls that a list is for.
func kindOf(list string) abi.CallKind {
	switch list {
	case abi.ListTools:
		return abi.KindTool
	case abi.ListPrompts:
		return abi.KindPrompt
	}
	return abi.KindResource
}

func (s *State) listSnapshot(e abi.Event, p *page) *abi.Snapshot {
	of := entry{call: abi.Call{Kind: kindOf(p.Kind), Server: p.Server, Seq: e.Seq, ID: s.answerID(e.Seq)}}
	of.binding = &binding{}
	snap := s.snapshot(&of)
	snap.Phase = abi.PhaseList
	snap.List = abi.ObjectValue(abi.Member{Name: "kind", Value: abi.StringValue(p.Kind)}, abi.Member{Name: "items", Value: abi.ArrayValue(p.shown...)})
	return snap
}

// judgeTools asks the plugins about a page of tools, or about those that were
// pinned before this process has seen a list.
func (s *State) judgeTools(e abi.Event) []abi.Event {
	p, ok := pageIn(e, abi.Value{}, abi.Value{})
	if !ok || s.folding {
		return nil
	}
	v := s.judgeList(e, p)
	if v.List == nil {
		return nil
	}
	return s.answerTo(e, nil, v, abi.EditEvent{}, abi.Value{})
}

// judgeListed asks about the tools again that clients were shown, under another
// policy.
func (s *State) judgeListed(e abi.Event) []abi.Event {
	if s.policy == nil {
		return nil
	}
	var out []abi.Event
	for _, name := range sortedNames(s.servers) {
		if len(s.policy.Listers(name)) == 0 {
			continue
		}
		if list := s.servers[name].definitions(); len(list) > 0 {
			v := s.judgeList(e, page{abi.ListOf{Server: name, Kind: abi.ListTools}, list, list})
			out = append(out, s.answerTo(e, nil, v, abi.EditEvent{}, abi.Value{})...)
		}
	}
	return out
}

// definitions are those that clients may know of a server, by name.
func (v *server) definitions() []abi.Value {
	var out []abi.Value
	for _, name := range sortedNames(v.pins) {
		out = append(out, v.pins[name].definition)
	}
	for _, name := range sortedNames(v.listed) {
		if l := v.listed[name]; v.pins[name].digest != l.digest {
			out = append(out, l.definition)
		}
	}
	return out
}

// foldList takes in what plugins said of a list in the past. from is the server
// whose file it was read from, "" for this process's own: what other processes say
// hides, and shows nothing again.
func (s *State) foldList(from string, e abi.Event) {
	v := e.Verdict
	if v.List == nil {
		return
	}
	of := *v.List
	if from != "" {
		of.Server = from
	} else if cause := s.session.heard; e.Caused && cause.Seq == e.Cause {
		if p, ok := s.heardPage(cause); ok && p.Server == of.Server && p.Kind == of.Kind {
			s.hidden.shown(of, p.names())
		}
	}
	by := map[string]hiding{}
	for _, name := range v.Obligations.Hide {
		by[name] = hiding{by: "plugin", rule: v.Rule}
		for i := range v.Also {
			if w := &v.Also[i]; !w.Observed && (w.Outcome != abi.Abstain || slices.Contains(w.Obligations.Hide, name)) {
				by[name] = hiding{w.Contract, w.Rule}
				break
			}
		}
	}
	s.hidden.hide(of, by)
}

// heardPage is the page that a list of the past was.
func (s *State) heardPage(cause abi.Event) (page, bool) {
	if cause.Tools != nil {
		return pageIn(cause, abi.Value{}, abi.Value{})
	}
	if cause.Frame == nil || abi.ListKinds[cause.Frame.Method] == "" {
		return page{}, false
	}
	t, ok := s.saidIn(cause)
	if !ok {
		return page{}, false
	}
	return pageIn(cause, t.value, t.value)
}

// Hides says whether plugins keep an item out of a list that the client is shown.
func (s *State) Hides(server, kind, name string) bool {
	if s.settings.Mode == policy.ModeObserve || !s.obeyed(server) {
		return false
	}
	_, hidden := s.hidden.find(abi.ListOf{Server: server, Kind: kind}, name)
	return hidden
}

// withHidden denies a call of what plugins hide, whatever else was said of it.
func (s *State) withHidden(n *entry, base abi.Verdict) abi.Verdict {
	h, what, ok := s.hidden.from(&n.call)
	if !ok || !s.obeyed(n.call.Server) {
		return base
	}
	v := abi.Verdict{
		Outcome: abi.Deny, Contract: "plugin", Code: "PLUGIN_HIDDEN", Rule: h.rule, At: []string{n.call.Kind.Subject()},
		Reason: "contract " + h.by + " hides this " + what + " from lists, and what is hidden is not called",
		Mend:   "see what it says in callgate why, or list again once the server says something else",
	}
	if base.Outcome == abi.Deny {
		base.Also = append(slices.Clip(base.Also), v)
		return base
	}
	rest := base.Also
	base.Also = nil
	v.Also = append([]abi.Verdict{base}, rest...)
	return v
}

// veiledHidden are the names of hidden items as the ledger may have them: in the
// place of one that it must not hold stands its digest, by which it is hidden when
// the past is folded.
func (s *State) veiledHidden(v *abi.Verdict) {
	kind := abi.ListTools
	if v.List != nil {
		kind = v.List.Kind
	}
	veil := func(list []string) []string {
		out := slices.Clone(list)
		for i, name := range out {
			if s.Digests() && kind != abi.ListTools || s.hides(redact.Ledger) && s.policy.Redact().Text(redact.Ledger, name) != name {
				out[i] = hiddenKey(kind, name)
			}
		}
		return out
	}
	v.Obligations.Hide = veil(v.Obligations.Hide)
	v.Also = slices.Clone(v.Also)
	for i := range v.Also {
		v.Also[i].Obligations.Hide = veil(v.Also[i].Obligations.Hide)
	}
}
