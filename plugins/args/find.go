package main

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

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
			next, node = j.item(&l, token), l.node.items()
		} else {
			if unknown && l.node.hasProperties() && !l.node.open() && !l.node.declares(token) {
				j.add("ARGS_UNKNOWN", l.at, r.ask)
				return l, false
			}
			if r.imitated(j, &l, token) {
				return l, false
			}
			next, node = j.member(&l, token), l.node.property(token)
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
	names := j.alike(l, token)
	i := slices.IndexFunc(names, func(name string) bool { return name != token && !l.node.declares(name) })
	if i < 0 {
		return false
	}
	at := l.at
	if !l.frozen {
		at = at[:strings.LastIndexByte(at, '/')+1] + escape(names[i])
	}
	j.add("ARGS_CASE", at, r.ask)
	return true
}

// alike lists the members whose names are the token but for their case.
func (j *judging) alike(l *located, token string) (names []string) {
	if !l.frozen {
		return j.inside(l.read).folded[fold(token)]
	}
	for m := range l.read.Members() {
		if strings.EqualFold(m.Name(), token) {
			names = append(names, m.Name())
		}
	}
	return names
}

// fold gives names one form that are equal but for their case.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

func item(v callgate.Value, token string) callgate.Value {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || strconv.Itoa(i) != token {
		return callgate.Value{}
	}
	return v.Index(i)
}

// inside is what stands in one array or object of the arguments. A rule with * asks
// for each item of it by its way from the arguments.
type inside struct {
	items   []callgate.Value
	members map[string]callgate.Value
	folded  map[string][]string // names, by their form without case
}

func (j *judging) inside(v callgate.Value) *inside {
	if in := j.known[v.Pointer()]; in != nil {
		return in
	}
	in := &inside{members: map[string]callgate.Value{}, folded: map[string][]string{}}
	for item := range v.Items() {
		in.items = append(in.items, item)
	}
	for m := range v.Members() {
		in.members[m.Name()] = m
		in.folded[fold(m.Name())] = append(in.folded[fold(m.Name())], m.Name())
	}
	j.known[v.Pointer()] = in
	return in
}

// item and member look something up where the walk stands. Inside JSON text there
// are no pointers to know it by.
func (j *judging) item(l *located, token string) callgate.Value {
	if l.frozen {
		return item(l.read, token)
	}
	in := j.inside(l.read)
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(in.items) && strconv.Itoa(i) == token {
		return in.items[i]
	}
	return callgate.Value{}
}

func (j *judging) member(l *located, token string) callgate.Value {
	if l.frozen {
		return l.read.Get(token)
	}
	return j.inside(l.read).members[token]
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
