package main

import (
	"slices"
	"strconv"
	"strings"

	callgate "github.com/callgate/callgate/sdk/go"
)

// located is the value that a rule found.
type located struct {
	value    callgate.Value // absent: there is none
	read     callgate.Value // what a server reads: JSON text is opened where the schema wants it
	node     schema
	at       string
	required bool
	frozen   bool // inside JSON text
}

// absent says whether the server sees no value: null is none where the schema
// takes it.
func (l *located) absent() bool {
	return !l.value.Exists() || l.value.Kind() == callgate.Null && l.node.types()&typeNull != 0
}

// find follows a rule to its value, along the schema. It says false if it found
// something wrong on the way.
func (r *rule) find(j *judging, unknown bool) (located, bool) {
	l := located{value: j.arguments, read: j.arguments, node: j.schema}
	step := base
	for _, token := range r.tokens {
		step += "/" + escape(token)
		if !l.frozen {
			l.at = step
		}
		var next callgate.Value
		var node schema
		if l.read.Kind() == callgate.Array {
			next, node = item(l.read, token), l.node.items()
		} else {
			if unknown && l.node.hasProperties() && !l.node.open() && !l.node.declares(token) {
				j.add("ARGS_UNKNOWN", l.at, r.ask)
				return l, false
			}
			if r.imitated(j, &l, token) {
				return l, false
			}
			next, node = l.read.Get(token), l.node.property(token)
			l.required = l.node.requires(token)
		}
		l.value, l.node = next, node
		if l.read = next; !next.Exists() {
			continue
		}
		read, opened, fits := node.readAs(next)
		if !fits {
			j.add("ARGS_TYPE", l.at, r.ask)
			return l, false
		}
		l.read, l.frozen = read, l.frozen || opened
	}
	return l, true
}

// imitated refuses a name that a server without regard to case takes for the
// rule's.
func (r *rule) imitated(j *judging, l *located, token string) bool {
	for m := range l.read.Members() {
		if name := m.Name(); name != token && strings.EqualFold(name, token) && !l.node.declares(name) {
			at := l.at
			if !l.frozen {
				at = at[:strings.LastIndexByte(at, '/')+1] + escape(name)
			}
			j.add("ARGS_CASE", at, r.ask)
			return true
		}
	}
	return false
}

func item(v callgate.Value, token string) callgate.Value {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || strconv.Itoa(i) != token {
		return callgate.Value{}
	}
	return v.Index(i)
}

func escape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// maxEach bounds how many violations of one rule are looked for.
const maxEach = 64

// each judges every place that a pointer with * names.
func (r *rule) each(j *judging) {
	before := len(j.found)
	if r.find(j, false); len(j.found) > before {
		return
	}
	found := false
	r.expand(j.arguments, nil, func(tokens []string) bool {
		found = true
		one := *r
		one.tokens, one.wild = tokens, false
		one.judge(j)
		return len(j.found)-before < maxEach
	})
	if !found && r.require {
		j.add("ARGS_REQUIRED", base, r.ask)
	}
}

// expand visits the places below v, until visit has enough.
func (r *rule) expand(v callgate.Value, tokens []string, visit func([]string) bool) bool {
	if len(tokens) == len(r.tokens) {
		return visit(slices.Clone(tokens))
	}
	next := r.tokens[len(tokens)]
	if next != "*" {
		child := v.Get(next)
		if v.Kind() == callgate.Array {
			child = item(v, next)
		}
		return r.expand(child, append(tokens, next), visit)
	}
	i := 0
	for inner := range v.Items() {
		if !r.expand(inner, append(tokens, strconv.Itoa(i)), visit) {
			return false
		}
		i++
	}
	for m := range v.Members() {
		if !r.expand(m, append(tokens, m.Name()), visit) {
			return false
		}
	}
	return true
}
