package plugin

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// keyOrder: JSON objects have no order.
func (c *checker) keyOrder() {
	l := c.law("key-order", "the order of members in what it is handed does not matter")
	for _, q := range c.list {
		p := c.with(l, q.settings)
		if p == nil {
			continue
		}
		l.Tried++
		view, err := abi.Parse(backwards(nil, q.view))
		if err != nil {
			l.fail("%s: %v", q.name, err)
			continue
		}
		first, again := p.Once(q.view), p.Once(view)
		if what := again.Differs(&first); what != "" {
			l.fail("%s: %s", q.name, what)
		}
	}
}

// moreLabels: who knows more is not more lenient.
func (c *checker) moreLabels() {
	l := c.law("labels", "a label more, of the session or of an argument, never makes it more lenient")
	m := c.manifest()
	var own []string
	for i := range c.said {
		o := &c.said[i].Obligations
		own = append(append(own, o.CallLabels...), o.SessionLabels...)
	}
	added := append([]string{abi.AnyLabel, "secret", "saw_untrusted", "zz_unknown", c.name() + ":seen"}, own...)
	slices.Sort(added)
	added = slices.Compact(added)
	if !m.Sees("session.labels") && !m.Sees("taint") {
		l.note("it reads no labels")
		return
	}
	for i := range c.list {
		q := &c.list[i]
		before, ok := c.ask(l, q)
		crowded, changed := labelled(q.view, m, abi.AnyLabel)
		if q.fails || !ok || !changed {
			continue
		}
		most, also := c.ask(l, &question{settings: q.settings, view: crowded})
		for _, label := range added {
			view, _ := labelled(q.view, m, label)
			l.Tried++
			after, ok := c.ask(l, &question{settings: q.settings, view: view})
			if what := looser(&before, &after); ok && what != "" {
				l.fail("%s: with label %q: %s", q.name, label, what)
			}
			if !ok || !slices.Contains(own, label) {
				continue
			}
			// Where there is no room for it, its own label is one of "any label".
			if what := looser(&after, &most); also && what != "" {
				l.fail("%s: with label %q, which may be %q: %s", q.name, abi.AnyLabel, label, what)
			}
			alias := otherName + label[strings.LastIndexByte(label, ':'):]
			view, _ = labelled(q.view, m, alias)
			named, ok := c.ask(l, &question{settings: q.settings, view: view})
			if what := looser(&after, &named); ok && what != "" {
				l.fail("%s: with label %q, which is %q where a policy names it %s: %s", q.name, alias, label, otherName, what)
			}
		}
	}
}

// otherName is what a policy could call any plugin.
const otherName = "0-other-name"

// labelled adds a label to the session and to every finding.
func labelled(view abi.Value, m *abi.Manifest, label string) (abi.Value, bool) {
	changed := false
	if m.Sees("session.labels") {
		session := view.Get("session")
		if !session.Exists() {
			session = abi.ObjectValue()
		}
		view, changed = view.With("session", withLabel(session, label)), true
	}
	if taint := view.Get("taint"); taint.Len() > 0 {
		items := slices.Clone(taint.Items())
		for i := range items {
			items[i] = withLabel(items[i], label)
		}
		view, changed = view.With("taint", abi.ArrayValue(items...)), true
	}
	return view, changed
}

func withLabel(of abi.Value, label string) abi.Value {
	var labels []string
	for _, l := range of.Get("labels").Items() {
		labels = append(labels, l.Str())
	}
	labels = append(labels, label)
	slices.Sort(labels)
	var items []abi.Value
	for _, l := range slices.Compact(labels) {
		items = append(items, abi.StringValue(l))
	}
	return of.With("labels", abi.ArrayValue(items...))
}

// looser says in what a verdict is more lenient than another, "" for nothing.
// Labels that a session has need not be given to it once more, and a plugin may
// have a label that stands for several: those are not compared.
func looser(before, after *abi.Verdict) string {
	a, b := &before.Obligations, &after.Obligations
	switch {
	case after.Outcome > before.Outcome:
		return "outcome " + after.Outcome.String() + " instead of " + before.Outcome.String()
	case !covers(b.Redact, a.Redact):
		return "it redacts less"
	case !covers(b.Hide, a.Hide):
		return "it hides less"
	case a.Calls != nil && (b.Calls == nil || *b.Calls > *a.Calls):
		return "it leaves more calls"
	}
	return ""
}

func covers(all, some []string) bool {
	for _, s := range some {
		if !slices.Contains(all, s) {
			return false
		}
	}
	return true
}

// The names of what is nowhere else.
const (
	otherTool   = "zz_unrelated"
	otherServer = "zz-unrelated"
)

// unrelated: what other tools do, or are, is no news about this one.
func (c *checker) unrelated() {
	l := c.law("unrelated", "an unrelated tool, in a list or among recent calls, changes nothing about the others")
	m := c.manifest()
	for i := range c.list {
		q := &c.list[i]
		view, changed := withOther(q.view, m)
		if q.fails || !changed {
			continue
		}
		before, ok := c.ask(l, q)
		after, also := c.ask(l, &question{settings: q.settings, view: view})
		if !ok || !also {
			continue
		}
		l.Tried++
		after.Obligations.Hide = slices.DeleteFunc(after.Obligations.Hide, func(name string) bool { return name == otherTool })
		if what := looser(&before, &after); what != "" {
			l.fail("%s: %s", q.name, what)
		} else if what := looser(&after, &before); what != "" {
			l.fail("%s: without it, %s", q.name, what)
		}
	}
	if l.Tried == 0 {
		l.note("it sees no other tools")
	}
}

// withOther adds an unrelated item to a list, or an unrelated call to the recent
// ones.
func withOther(view abi.Value, m *abi.Manifest) (abi.Value, bool) {
	if list := view.Get("list"); list.Exists() {
		items := list.Get("items").Items()
		other := abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue(otherTool)}, abi.Member{Name: "uri", Value: abi.StringValue(otherTool)},
			abi.Member{Name: "uriTemplate", Value: abi.StringValue(otherTool)})
		return view.With("list", list.With("items", abi.ArrayValue(append(slices.Clone(items), other)...))), true
	}
	if session := view.Get("session"); m.Sees("session.recent") && session.Exists() {
		other := must(`{"id":"a41f09-8","outcome":"allow","server":"` + otherServer + `","tool":"` + otherTool + `"}`)
		items := append(slices.Clone(session.Get("recent").Items()), other)
		return view.With("session", session.With("recent", abi.ArrayValue(items...))), true
	}
	return view, false
}
