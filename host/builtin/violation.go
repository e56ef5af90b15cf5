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
	v := abi.Verdict{Outcome: head.outcome.Known(), Contract: name, Code: head.code, Rule: head.rule, Mend: mendOf(head.rule, head.mend)}
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

// trail is the way from the arguments down to the value that a walk has reached.
// A call without a violation builds no pointer.
type trail []step

type step struct {
	name   string
	index  int  // of an array item; -1: name is a member
	frozen bool // JSON text was opened: below, there is nothing in the snapshot to point at
}

func newTrail() trail { return make(trail, 0, 8) }

func (t *trail) member(name string) { *t = append(*t, step{name: name, index: -1}) }
func (t *trail) item(i int)         { *t = append(*t, step{index: i}) }
func (t *trail) freeze()            { *t = append(*t, step{frozen: true}) }
func (t *trail) up()                { *t = (*t)[:len(*t)-1] }

// pointer returns the JSON Pointer of the value into the snapshot, where the
// arguments stand at base.
func (t trail) pointer(base string) string {
	at := base
	for _, s := range t {
		switch {
		case s.frozen:
			return at
		case s.index >= 0:
			at = abi.JoinIndex(at, s.index)
		default:
			at = abi.Join(at, s.name)
		}
	}
	return at
}
