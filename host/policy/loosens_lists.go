package policy

import (
	"slices"

	"github.com/callgate/callgate/abi"
)

// named compares a list whose entries have names. A further entry only tightens,
// but for a label with an audience.
func (p *layerPair) named(list, at string, a, b abi.Value) {
	find := func(in abi.Value, name string) (int, abi.Value) {
		i := slices.IndexFunc(in.Items(), func(e abi.Value) bool { return e.Get("name").Str() == name })
		if i < 0 {
			return i, abi.Value{}
		}
		return i, in.Items()[i]
	}
	for i, old := range a.Items() {
		if j, _ := find(b, old.Get("name").Str()); j < 0 {
			p.add(p.from.rule(abi.JoinIndex(at, i)), "removed")
		}
	}
	for i, entry := range b.Items() {
		at := abi.JoinIndex(at, i)
		j, old := find(a, entry.Get("name").Str())
		switch {
		case j >= 0:
			p.entry(list, at, old, entry)
		case entry.Get("audience").Exists():
			p.looser(at, "its audience may have what others must not")
		}
	}
}

// entry compares two entries of one name.
func (p *layerPair) entry(list, at string, a, b abi.Value) {
	for _, name := range membersOf(a, b) {
		at, a, b, ok := abi.Join(at, name), a.Get(name), b.Get(name), false
		switch list + "." + name {
		case "budgets.max":
			ok = less(b, a)
		case "flows.to", "chains.from", "chains.to", "schedules.tools", "labels.from":
			ok = subset(b, a)
		case "flows.verdict", "chains.verdict", "schedules.otherwise":
			ok = b.Str() != "ask"
		case "plugins.on":
			ok = !slices.ContainsFunc(a.Members(), func(m abi.Member) bool { return !subset(b.Get(m.Name), m.Value) })
		case "plugins.mode":
			ok = b.Str() != "observe"
		case "labels.audience":
			ok = a.Exists() && subset(a, b)
		}
		if !ok && !a.Equal(b) {
			p.looser(at, "")
		}
	}
}

// identities are who may call at all. The first ones keep everybody else out.
func (p *layerPair) identities(at string, a, b abi.Value) {
	if a.Equal(b) || !a.Exists() && len(p.loosens.old.Identities()) == 0 {
		return
	}
	p.looser(at, "other callers than before")
}

// capability is opt-in: once it is there, less may rise without a question.
func (p *layerPair) capability(at string, a, b abi.Value) {
	if !a.Exists() {
		return
	}
	if !b.Exists() {
		p.looser(at, "")
		return
	}
	for _, name := range membersOf(a, b) {
		at, a, b := abi.Join(at, name), a.Get(name), b.Get(name)
		ok := name == "envelope" && a.Exists() && b.Exists() && subset(a, b) || name == "on_rise" && b.Str() == "deny"
		if !ok && !a.Equal(b) {
			p.looser(at, "")
		}
	}
}

// sources vouch: fewer of them tighten, unless they say of a field that it does
// not.
func (p *layerPair) sources(at string, a, b abi.Value) {
	for _, key := range membersOf(a, b) {
		at, a, b := abi.Join(at, key), a.Get(key), b.Get(key)
		if b.Exists() || a.Get("fields").Exists() {
			p.same(at, a, b)
		}
	}
}
