package policy

import (
	"cmp"
	"slices"

	"github.com/callgate/callgate/abi"
)

// Loosens lists what one policy may allow that another does not, with the rule
// of each: what a reload waits for a person for, and what a start tells of. It is conservative: of whatever
// it can not show to tighten, or to change nothing, it says that it loosens.
// None: the new policy is no looser than the old one, for any call.
func Loosens(old, new *Policy) []string {
	l := &loosens{old: old, new: new}
	if old.digest == new.digest {
		return nil
	}
	l.settings(&old.settings, &new.settings)
	l.layers(old.layers, new.layers)
	l.packs()
	switch {
	case old.floor == nil:
	case new.floor == nil:
		l.list = append(l.list, "the floor is gone")
	default:
		floor := &loosens{old: old.floor, new: new.floor}
		floor.settings(&old.floor.settings, &new.floor.settings)
		floor.layers(old.floor.layers, new.floor.layers)
		l.list = append(l.list, floor.list...)
	}
	return l.list
}

// Fixed lists what differs and never changes while a process runs that has started
// these servers: mode and default, and where a server was started.
func Fixed(old, new *Policy, servers ...string) []string {
	var list []string
	for _, name := range servers {
		was, is := old.Server(name), new.Server(name)
		if was.Cwd != is.Cwd {
			list = append(list, cmp.Or(is.CwdAt, was.CwdAt)+": the server was started in another directory, and stays there while a process runs")
		}
	}
	differ := func(a, b *Settings) {
		if a.Mode != b.Mode {
			list = append(list, b.ModeAt+": does not change while a process runs")
		}
		if a.Default != b.Default {
			list = append(list, b.DefaultAt+": does not change while a process runs")
		}
	}
	differ(&old.settings, &new.settings)
	if old.floor != nil && new.floor != nil {
		differ(&old.floor.settings, &new.floor.settings)
	}
	return list
}

// loosens compares two policies.
type loosens struct {
	old, new *Policy
	list     []string
}

func (l *loosens) add(rule, text string) { l.list = append(l.list, rule+": "+text) }

// packs compares the packs that may bind. More of them can loosen as well: text
// is read by what they say.
func (l *loosens) packs() {
	same := slices.EqualFunc(l.old.packs, l.new.packs, func(a, b *layer) bool { return a.pack == b.pack && a.value.Equal(b.value) })
	if !same {
		l.list = append(l.list, "packs: other packs may bind than before")
	}
}

// layers compares the files of two policies. A file that is gone, or new, is
// compared with an empty one.
func (l *loosens) layers(old, new []*layer) {
	var kept []*layer
	for _, y := range old {
		if twin := twinOf(y, new); twin != nil {
			kept = append(kept, twin)
			if y.label != twin.label && y.countsUnderLabels() {
				l.add(twin.label, "the file is named in another way, and its max_calls under labels count anew")
			}
			continue
		}
		l.layer(&layerPair{l, y, y, y.value, abi.Value{}})
	}
	last := -1
	for _, y := range kept {
		i := slices.Index(new, y)
		if i < last {
			l.list = append(l.list, y.label+": the order of the layers is another one")
			break
		}
		last = i
	}
	for _, y := range new {
		before := abi.Value{}
		from := y
		if twin := twinOf(y, old); twin != nil {
			before, from = twin.value, twin
		}
		l.layer(&layerPair{l, from, y, before, y.value})
	}
}

// countsUnderLabels says whether calls are counted by the name of the file.
func (y *layer) countsUnderLabels() bool {
	return slices.ContainsFunc(y.keys, func(k keyed) bool { t := k.tool(); return t.When != nil && t.MaxCalls != nil })
}

func twinOf(y *layer, list []*layer) *layer {
	i := slices.IndexFunc(list, func(o *layer) bool { return o.path == y.path && (y.path != "" || o.label == y.label) })
	if i < 0 {
		return nil
	}
	return list[i]
}

// layerPair is a file as it was and as it is.
type layerPair struct {
	*loosens
	from, to *layer
	old, new abi.Value
}

// looser notes that a member may be looser than it was.
func (p *layerPair) looser(at, text string) {
	y := p.to
	if !p.new.At(at).Exists() && p.old.At(at).Exists() {
		y = p.from
		if text == "" {
			text = "removed"
		}
	}
	if text == "" {
		text = fromTo(p.old.At(at), p.new.At(at))
	}
	p.add(y.rule(at), text)
}

// same compares a member that nothing is known of.
func (p *layerPair) same(at string, a, b abi.Value) {
	if !a.Equal(b) {
		p.looser(at, "")
	}
}

// layer compares one file.
func (l *loosens) layer(p *layerPair) {
	for _, name := range membersOf(p.old, p.new) {
		at := abi.Join("", name)
		a, b := p.old.Get(name), p.new.Get(name)
		switch name {
		case "callgate", "name", "include", "settings":
		case "tools":
			for _, key := range membersOf(a, b) {
				p.tool(abi.Join(at, key), a.Get(key), b.Get(key))
			}
		case "servers":
			for _, key := range membersOf(a, b) {
				p.server(abi.Join(at, key), key, a.Get(key), b.Get(key))
			}
		case "budgets", "labels", "flows", "chains", "schedules", "redact", "plugins":
			p.named(name, at, a, b)
		case "identities":
			p.identities(at, a, b)
		case "capability":
			p.capability(at, a, b)
		case "sources":
			p.sources(at, a, b)
		default:
			p.same(at, a, b)
		}
	}
}

// membersOf lists the members of two objects.
func membersOf(a, b abi.Value) []string {
	var names []string
	for _, v := range []abi.Value{a, b} {
		for _, m := range v.Members() {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// outcomeWords orders outcomes in a policy, strictest first.
var outcomeWords = []string{"deny", "ask", "allow"}

// verdict compares two outcomes. Of several that hold, an absent one leaves the
// decision to others: only deny is surely no looser than that, and nothing is
// looser than allow.
func (p *layerPair) verdict(at string, a, b abi.Value) {
	switch was, is := slices.Index(outcomeWords, a.Str()), slices.Index(outcomeWords, b.Str()); {
	case a.Equal(b), b.Exists() && is == 0, !b.Exists() && a.Str() == "allow":
	case !a.Exists() || !b.Exists() || is > was:
		p.looser(at, "")
	}
}

// subset says whether every item of b is one of a.
func subset(a, b abi.Value) bool {
	return !slices.ContainsFunc(b.Items(), func(x abi.Value) bool { return !slices.ContainsFunc(a.Items(), x.Equal) })
}
