package builtin

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// maxReasons bounds how many reasons one verdict spells out. Every pointer is
// kept all the same.
const maxReasons = 8

// violation is one thing that is wrong with a call. Its reason and mend are
// host words: never a value, nor a name that a server or caller wrote.
type violation struct {
	outcome abi.Outcome
	code    string
	rule    string
	at      string
	reason  string
	mend    string
}

// joined makes one verdict of all violations: the strictest outcome, the code,
// rule and mend of the first that is that strict, and the pointers and reasons
// of all, strictest first.
func joined(name string, all []violation) abi.Verdict {
	if len(all) == 0 {
		return contract.Abstain
	}
	slices.SortStableFunc(all, func(a, b violation) int { return int(a.outcome.Known()) - int(b.outcome.Known()) })
	head := all[0]
	v := abi.Verdict{Outcome: head.outcome.Known(), Contract: name, Code: head.code, Rule: head.rule, Mend: head.mend}
	var reasons []string
	for _, x := range all {
		if x.at != "" && !slices.Contains(v.At, x.at) {
			v.At = append(v.At, x.at)
		}
		if len(reasons) < maxReasons && !slices.Contains(reasons, x.reason) {
			reasons = append(reasons, x.reason)
		}
	}
	v.Reason = strings.Join(reasons, "; ")
	return v
}

// trail is the way from the arguments down to a value. It lives on the stack of
// the walk, so that a call without a violation builds no pointer.
type trail struct {
	up     *trail
	name   string
	index  int  // of an array item; -1: name is a member
	frozen bool // inside JSON text: there is nothing in the snapshot to point at
}

// pointer returns the JSON Pointer of the value into the snapshot.
func (t *trail) pointer() string {
	switch {
	case t == nil:
		return "/call/arguments"
	case t.frozen:
		return t.up.pointer()
	case t.index >= 0:
		return abi.JoinIndex(t.up.pointer(), t.index)
	}
	return abi.Join(t.up.pointer(), t.name)
}

// member and item step down; below a frozen step everything stays frozen.
func (t *trail) member(name string) trail {
	return trail{up: t, name: name, index: -1, frozen: t != nil && t.frozen}
}

func (t *trail) item(i int) trail {
	return trail{up: t, index: i, frozen: t != nil && t.frozen}
}
