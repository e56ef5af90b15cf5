// Command hidden-text is a Callgate plugin that finds text which a model reads and
// a person does not see: in arguments, in results, and in what servers list.
package main

import (
	"strconv"

	callgate "github.com/callgate/callgate/sdk/go"
)

var _ = callgate.Register(callgate.Plugin{Configure: configure, Evaluate: evaluate})

func main() {}

var set struct {
	calls, results, lists string
	colours               bool
	allow                 map[rune]bool
}

func configure(v callgate.Value) error {
	set.calls, set.results, set.lists = word(v.Get("calls"), "deny"), word(v.Get("results"), "redact"), word(v.Get("lists"), "hide")
	set.colours, set.allow = v.Get("colours").Bool(), map[rune]bool{}
	for item := range v.Get("allow").Items() {
		n, err := strconv.ParseUint(item.Text()[min(2, len(item.Text())):], 16, 21)
		if err != nil {
			return callgate.Wrong(item, "want a character, such as U+200B")
		}
		set.allow[rune(n)] = true
	}
	return nil
}

func word(v callgate.Value, otherwise string) string {
	if s := v.Text(); s != "" {
		return s
	}
	return otherwise
}

func evaluate(s callgate.Snapshot) *callgate.Verdict {
	switch s.Phase() {
	case callgate.PhaseResult:
		return results(s.Result())
	case callgate.PhaseList:
		return lists(s.List())
	}
	return calls(s.Call())
}

func calls(c callgate.Call) *callgate.Verdict {
	if set.calls == "ignore" {
		return callgate.Abstain()
	}
	f := look(c.Values(), argument)
	if len(f) == 0 {
		return callgate.Abstain()
	}
	v := callgate.Deny(f[0].code)
	if set.calls == "ask" {
		v = callgate.Ask(f[0].code)
	}
	return report(v, f)
}

// report says what was found.
func report(v *callgate.Verdict, found []finding) *callgate.Verdict {
	because := found[0].what
	if n := len(found); n > 1 {
		because += ", and " + strconv.Itoa(n-1) + " more"
	}
	for _, f := range found {
		v.At(f.at)
	}
	return v.Because(because)
}

func results(result callgate.Value) *callgate.Verdict {
	if set.results == "ignore" {
		return callgate.Abstain()
	}
	found := look(result, answer)
	if len(found) == 0 {
		return callgate.Abstain()
	}
	if set.results == "deny" || len(found) > callgate.MaxPointers {
		return report(callgate.Deny(found[0].code), found)
	}
	v := callgate.Abstain()
	for _, f := range found {
		if f.holder == "" || f.holder == "/result" {
			return report(callgate.Deny(f.code), found) // nothing would be left
		}
		v.Redact(f.holder)
	}
	return report(v.Code(found[0].code), found)
}

func lists(l callgate.List) *callgate.Verdict {
	if set.lists == "ignore" {
		return callgate.Abstain()
	}
	name := map[string]string{"resources": "uri", "resource_templates": "uriTemplate"}[l.Kind()]
	if name == "" {
		name = "name"
	}
	v, all := callgate.Abstain(), []finding(nil)
	for item := range l.Items() {
		found := look(item, listed)
		if len(found) == 0 {
			continue
		}
		all = append(all, found[0])
		if called := item.Get(name); called.Kind() == callgate.String {
			v.Hide(called.Text())
			continue
		}
		return report(callgate.Deny(found[0].code), found) // it can not be named, so it can not be hidden
	}
	switch {
	case len(all) == 0:
		return v
	case set.lists == "deny" || len(all) > callgate.MaxHidden:
		return report(callgate.Deny(all[0].code), all)
	}
	return report(v.Code(all[0].code), all)
}

// finding is hidden text in one string, or in one name of a member.
type finding struct {
	code, what string
	at         string
	holder     string // what has to go for it to be gone
}

// look goes through all strings and names of a value.
func look(v callgate.Value, where place) (found []finding) {
	root := v.Pointer()
	for inner := range v.All() {
		at := inner.Pointer()
		if h := hidden(inner.Name(), where); h.code != "" && at != root {
			found = append(found, finding{h.code, h.what + ", in a name", at, parent(at)})
		}
		if h := hidden(inner.Text(), where); h.code != "" {
			found = append(found, finding{h.code, h.what, at, at})
		}
	}
	return found
}

func parent(pointer string) string {
	for i := len(pointer) - 1; i >= 0; i-- {
		if pointer[i] == '/' {
			return pointer[:i]
		}
	}
	return ""
}
