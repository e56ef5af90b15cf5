package policy

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// labels finds labels that nothing looks at. Policy and floor give labels to one
// session.
func (l *linter) labels() {
	used := map[string]bool{}
	look := func(name abi.Value) { used[name.Str()] = true }
	for _, y := range l.files() {
		for _, flow := range y.value.Get("flows").Items() {
			look(flow.Get("label"))
			l.when(flow, look)
		}
		for _, m := range y.value.Get("tools").Members() {
			l.when(m.Value, look)
		}
	}
	for _, y := range l.files() {
		for i, label := range y.value.Get("labels").Items() {
			if name := label.Get("name").Str(); !used[name] && !label.Get("audience").Exists() && !y.builtin {
				l.add(codeLabelUnused, y.rule(abi.JoinIndex("/labels", i)), "no flow and no when: looks at the label %q; write one, or remove it", name)
			}
		}
	}
}

// when visits the labels that an entry waits for.
func (l *linter) when(entry abi.Value, look func(name abi.Value)) {
	for _, name := range entry.Get("when").Get("labels").Items() {
		look(name)
	}
}

// state looks at the rules about what a session did, when, and for whom.
func (l *linter) state(y *layer) {
	for _, part := range []struct {
		name  string
		lists []string
	}{
		{"labels", []string{"from"}}, {"flows", []string{"to"}}, {"chains", []string{"from", "to"}}, {"schedules", []string{"tools"}}, {"identities", []string{"tools"}},
	} {
		for i, item := range y.value.Get(part.name).Items() {
			at := abi.JoinIndex("/"+part.name, i)
			for _, list := range part.lists {
				l.toolList(y, at, list, item.Get(list), part.name == "chains" || part.name == "flows" || part.name == "labels")
			}
		}
	}
	for i, s := range y.value.Get("schedules").Items() {
		if allow := s.Get("allow"); allow.Kind() == abi.Array && allow.Len() == 0 {
			l.add(codeAllowsNothing, y.rule(abi.JoinIndex("/schedules", i)+"/allow"), "no window, so it is never time; list one, or deny the tools")
		}
	}
	for i, s := range y.doc.Schedules {
		for j, w := range s.Allow {
			if w.Days == nil && w.From == nil && w.To == nil {
				l.add(codeEverything, y.rule(abi.JoinIndex(abi.JoinIndex("/schedules", i)+"/allow", j)), "a window of every day and hour, so it is always time; say when, or remove the schedule")
			}
		}
	}
	l.redact(y)
	l.identities(y)
}

// redact finds entries that another one leaves nothing to do, or that hold at one
// end of a text only.
func (l *linter) redact(y *layer) {
	for i := range y.doc.Redact {
		r, at := &y.doc.Redact[i], abi.JoinIndex("/redact", i)
		if begins, ends := anchored(text(r.Pattern)); r.Pattern != nil && r.Keys == nil && (begins || ends) {
			l.add(codeDenyNarrow, y.rule(at+"/pattern"), "%q holds at one end of the text only; without ^ and $ it is redacted wherever it stands", *r.Pattern)
		}
		for _, o := range l.p.layers {
			for j := range o.doc.Redact {
				first := &o.doc.Redact[j]
				same := text(first.Pattern) == text(r.Pattern) && slices.Equal(set(first.Keys), set(r.Keys)) && text(first.Verdict) == text(r.Verdict) && slices.Equal(set(first.Except), set(r.Except))
				wider := first.In == nil || r.In != nil && !slices.ContainsFunc(r.In, func(in string) bool { return !slices.Contains(first.In, in) })
				if first != r && same && wider && (first.Name < r.Name || r.In == nil != (first.In == nil)) {
					l.add(codeShadowed, y.rule(at), "%s finds the same text wherever it does; keep one of the two", o.rule(abi.JoinIndex("/redact", j)))
				}
			}
		}
	}
}

// toolList looks at the keys of a list of tools. In a list that a guard stands
// on, all of whose tools are denied, the guard has nothing to do.
func (l *linter) toolList(y *layer, at, name string, keys abi.Value, guard bool) {
	reached := 0
	for i, key := range keys.Items() {
		k := parseKey(key.Str())
		l.key(y, abi.JoinIndex(at+"/"+name, i), k)
		if l.granted(k) {
			reached++
		}
	}
	if guard && keys.Len() > 0 && reached == 0 {
		l.add(codeShadowed, y.rule(at+"/"+name), "nothing grants any of these tools, and the default denies; grant one, or remove the entry")
	}
}

// granted says whether some tool that a key matches may be called at all. It
// errs on the side of yes.
func (l *linter) granted(k key) bool {
	if l.p.settings.Default != abi.Deny || l.p.isFloor || k.tool == "" {
		return true
	}
	for _, o := range l.p.layers {
		for name, s := range o.doc.Servers {
			if (s.Verdict != nil && *s.Verdict != "deny" || s.Pack != nil) && overlap(k.server, name) {
				return true
			}
			if overlap(k.server, name) && strings.Contains(k.tool, "/") && (s.Resources != nil || s.Prompts != nil) {
				return true // methods of other kinds are named like tools
			}
		}
		for i := range o.keys {
			t := o.keys[i].tool()
			if t.Verdict != nil && *t.Verdict != "deny" && overlap(k.server, o.keys[i].key.server) && overlap(k.tool, o.keys[i].key.tool) {
				return true
			}
		}
	}
	return false
}

// overlap says whether two globs may match the same name. Of two real globs
// only the beginnings and ends that are literal are compared.
func overlap(a, b string) bool {
	if !isGlob(a) {
		return glob(b, a)
	}
	if !isGlob(b) {
		return glob(a, b)
	}
	head := func(s string) string { return s[:strings.IndexAny(s, `*?[\`)] }
	tail := func(s string) string { return s[strings.LastIndexAny(s, `*?]\`)+1:] }
	return (strings.HasPrefix(head(a), head(b)) || strings.HasPrefix(head(b), head(a))) &&
		(strings.HasSuffix(tail(a), tail(b)) || strings.HasSuffix(tail(b), tail(a)) || strings.ContainsAny(a+b, `\`))
}

// identities finds those that another one takes the callers of.
func (l *linter) identities(y *layer) {
	list := y.value.Get("identities").Items()
	for i, one := range list {
		match := one.Get("match")
		if !match.Exists() {
			continue
		}
		first := slices.IndexFunc(list, func(o abi.Value) bool { return o.Get("match").Equal(match) })
		if first < i {
			l.add(codeSameIdentity, y.rule(abi.JoinIndex("/identities", i)+"/match"), "identities[%d] matches the same callers; join the two", first)
		}
	}
}
