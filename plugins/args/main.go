// Command args is a Callgate plugin that holds single arguments of tools to rules:
// the `arg:` rules of the contract args, written with the SDK alone. That what it
// says is what the contract says shows that a plugin sees enough to say it.
package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	callgate "github.com/callgate/callgate/sdk/go"
)

var _ = callgate.Register(callgate.Plugin{Configure: configure, Evaluate: evaluate})

func main() {}

// rule is one rule about one argument.
type rule struct {
	tokens          []string // the way from the arguments
	wild            bool     // a token is *
	match           *regexp.Regexp
	in              []callgate.Value
	hasIn           bool
	max, min        *decimal
	maxBytes        int64 // -1: any
	forbid, require bool
	ask             bool
}

var set struct {
	undeclared bool
	rules      []rule
}

func configure(v callgate.Value) error {
	set.undeclared, set.rules = v.Get("undeclared").Text() == "deny", nil
	for item := range v.Get("args").Items() {
		r, err := newRule(item)
		if err != nil {
			return err
		}
		set.rules = append(set.rules, r)
	}
	return nil
}

func newRule(v callgate.Value) (rule, error) {
	r := rule{maxBytes: -1, forbid: v.Get("forbid").Bool(), require: v.Get("require").Bool(), ask: v.Get("verdict").Text() == "ask"}
	name := v.Get("arg").Text()
	r.tokens = []string{name}
	if strings.HasPrefix(name, "/") {
		r.tokens = strings.Split(name[1:], "/")
		for i, t := range r.tokens {
			r.tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
		}
	}
	r.wild = len(r.tokens) > 1 && slices.Contains(r.tokens, "*")
	if pattern := v.Get("match"); pattern.Exists() {
		var err error
		if _, err = regexp.Compile(pattern.Text()); err == nil {
			r.match, err = regexp.Compile(`\A(?:` + pattern.Text() + `)\z`)
		}
		if err != nil {
			return r, callgate.Wrong(pattern, err.Error())
		}
	}
	r.hasIn = v.Get("in").Exists()
	for item := range v.Get("in").Items() {
		r.in = append(r.in, item)
	}
	r.max, r.min = limit(v.Get("max")), limit(v.Get("min"))
	if n, ok := v.Get("max_bytes").Int(); ok {
		r.maxBytes = n
	}
	if r.forbid && r.require {
		return r, callgate.Wrong(v, "forbid and require; want one of them")
	}
	return r, nil
}

func limit(v callgate.Value) *decimal {
	if d, ok := parseDecimal(v.JSON()); ok {
		return &d
	}
	return nil
}

// violation is one thing that is wrong with a call.
type violation struct {
	code, at string
	ask      bool
}

// judging is one call under judgement.
type judging struct {
	arguments callgate.Value
	schema    schema
	found     []violation
	known     map[string]*inside // by pointer
}

func (j *judging) add(code, at string, ask bool) {
	j.found = append(j.found, violation{code, at, ask})
}

const base = "/call/arguments"

func evaluate(s callgate.Snapshot) *callgate.Verdict {
	j := judging{arguments: s.Call().Arguments().Fetch(), schema: schemaOf(s.Definition().Schema().Fetch()), known: map[string]*inside{}}
	if !j.arguments.Exists() {
		j.arguments = callgate.Parse("{}")
	}
	if set.undeclared && !j.schema.open() {
		for m := range j.arguments.Members() {
			if !j.schema.declares(m.Name()) {
				j.add("ARGS_UNDECLARED", m.Pointer(), false)
			}
		}
	}
	for i := range set.rules {
		set.rules[i].judge(&j)
	}
	return j.verdict()
}

// verdict is the strictest of what was found, with the code of the first that is.
func (j *judging) verdict() *callgate.Verdict {
	if len(j.found) == 0 {
		return callgate.Abstain()
	}
	v := callgate.Ask(j.found[0].code)
	for _, f := range j.found {
		if !f.ask {
			v = callgate.Deny(f.code)
			break
		}
	}
	seen := map[string]bool{}
	for _, f := range j.found {
		if !seen[f.at] {
			seen[f.at] = true
			v.At(f.at)
		}
	}
	return v
}

func (r *rule) judge(j *judging) {
	if r.wild {
		r.each(j)
		return
	}
	l, ok := r.find(j, !r.forbid)
	switch {
	case !ok:
	case r.forbid:
		if l.value.Exists() {
			j.add("ARGS_FORBIDDEN", l.at, r.ask)
		}
	case l.absent():
		if r.require || l.required {
			j.add("ARGS_REQUIRED", l.at, r.ask)
		}
	default:
		r.present(j, &l)
	}
}

// present judges a value that is there, and the items of an array one by one.
func (r *rule) present(j *judging, l *located) {
	if r.maxBytes >= 0 && size(l.value) > r.maxBytes {
		j.add("ARGS_BYTES", l.at, r.ask)
	}
	array := l.read.Kind() == callgate.Array && !r.lists(l.read)
	if array && r.require && l.read.Index(0).Kind() == callgate.Absent {
		j.add("ARGS_REQUIRED", l.at, r.ask)
	}
	if !array {
		r.one(j, l.read, l.at)
		return
	}
	i := 0
	for item := range l.read.Items() {
		at := l.at
		if !l.frozen {
			at += "/" + strconv.Itoa(i)
		}
		r.one(j, item, at)
		i++
	}
}

// one holds one value to the rule.
func (r *rule) one(j *judging, v callgate.Value, at string) {
	if r.match != nil && !r.matches(v) {
		j.add("ARGS_MATCH", at, r.ask)
	}
	if r.hasIn && !r.lists(v) {
		j.add("ARGS_IN", at, r.ask)
	}
	if r.max == nil && r.min == nil {
		return
	}
	text := v.JSON()
	if v.IsString() {
		text = strings.TrimSpace(v.Text())
	}
	n, ok := parseDecimal(text)
	if r.max != nil && (!ok || n.compare(*r.max) > 0) {
		j.add("ARGS_MAX", at, r.ask)
	}
	if r.min != nil && (!ok || n.compare(*r.min) < 0) {
		j.add("ARGS_MIN", at, r.ask)
	}
}

func (r *rule) matches(v callgate.Value) bool {
	switch v.Kind() {
	case callgate.String:
		return r.match.MatchString(v.Text())
	case callgate.Number, callgate.Bool:
		return r.match.MatchString(v.JSON())
	}
	return false
}

// lists says whether a value is one of those under in. Numbers are compared as
// numbers.
func (r *rule) lists(v callgate.Value) bool {
	return slices.ContainsFunc(r.in, func(want callgate.Value) bool {
		if want.Kind() == callgate.Number && v.Kind() == callgate.Number {
			a, ok := parseDecimal(want.JSON())
			b, ok2 := parseDecimal(v.JSON())
			return ok && ok2 && a.compare(b) == 0
		}
		return same(want, v)
	})
}
