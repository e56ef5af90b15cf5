package builtin

import (
	"slices"
	"strconv"

	"github.com/callgate/callgate/abi"
)

// maxEach bounds how many violations of one rule are looked for.
const maxEach = 64

// each judges every place that a pointer with segments * names: any item, and any
// member.
func (r *argRule) each(j *judging) {
	seen := len(j.found)
	if r.find(j, false); len(j.found) > seen {
		return // the way there is spelled so that servers differ about it
	}
	found := false
	r.expand(j.arguments, nil, func(tokens []string) bool {
		found = true
		r.judgeAt(tokens, j)
		return len(j.found)-seen < maxEach
	})
	if !found && r.require {
		j.add(r.violation("ARGS_REQUIRED", j.base, "the argument %s is required", "send the argument"))
	}
}

// judgeAt judges one place.
func (r *argRule) judgeAt(tokens []string, j *judging) {
	one := *r
	one.tokens, one.at, one.wild = tokens, nil, false
	at := j.base
	for _, t := range tokens {
		at = abi.Join(at, t)
		one.at = append(one.at, at)
	}
	one.judge(j)
}

// expand visits the places that the rule's pointer names below v, until visit has
// enough.
func (r *argRule) expand(v abi.Value, tokens []string, visit func([]string) bool) bool {
	if len(tokens) == len(r.tokens) {
		return visit(slices.Clone(tokens))
	}
	next := r.tokens[len(tokens)]
	if next != "*" {
		child := v.Get(next)
		if v.Kind() == abi.Array {
			child = itemAt(v, next)
		}
		return r.expand(child, append(tokens, next), visit)
	}
	for i, item := range v.Items() {
		if !r.expand(item, append(tokens, strconv.Itoa(i)), visit) {
			return false
		}
	}
	for _, m := range v.Members() {
		if !r.expand(m.Value, append(tokens, m.Name), visit) {
			return false
		}
	}
	return true
}
