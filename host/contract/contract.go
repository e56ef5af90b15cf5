// Package contract holds the one interface that a contract implements, the
// optional ones beside it, and the rules that a tool is judged by, as data.
package contract

import "github.com/callgate/callgate/abi"

// Contract is a pure function from a snapshot to a verdict. It must not keep
// state, read a clock, a file, the network or the environment, or depend on
// the order of a map: the same snapshot gives the same verdict, byte for byte.
//
// A verdict's zero value denies. A contract that has nothing to say answers
// abstain.
type Contract interface {
	Judge(*abi.Snapshot) abi.Verdict
}

// Explainer is a contract that wants to know where arguments came from. The
// gate asks before it judges and puts the findings into the snapshot.
type Explainer interface {
	Wanted(*abi.Snapshot) []abi.Wanted
}

// Carrier is a contract that wants to know which arguments hold data with
// labels. The gate asks before it judges and puts what it finds into the
// snapshot.
type Carrier interface {
	Carries(*abi.Snapshot) []abi.Wanted
}

// Needer is a contract that wants facts from outside. They are asked for before
// the call gets its place; the snapshot holds the call, its definition and where
// paths of the server start, and no more.
type Needer interface {
	Needs(*abi.Snapshot) []abi.Need
}

// Editor is a contract that proposes edits to the arguments. The edited call
// is judged beside the received one, and the stricter verdict holds.
type Editor interface {
	Edit(*abi.Snapshot) []abi.Edit
}

// Stager is an editor whose edits several rules make, one after the other. Stages
// returns the edits with all but the last of the rules that make any, with all
// but the last two, and so on: each is judged beside the rest, so that a rule
// more never loosens what was said of the call with fewer.
type Stager interface {
	Stages(*abi.Snapshot) [][]abi.Edit
}

// Spec names a contract and makes it from the rules of one tool, or of one
// method of another kind of call.
type Spec struct {
	Name string // as users type it, and as verdicts show it
	// Phase is when the contract is asked; "" reads as call.
	Phase abi.Phase
	// New returns nil and no error if the rules give the contract nothing to
	// judge. An error names what is wrong, without the place, which the rule has.
	New func(*Rules) (Contract, error)
}

// Abstain is the verdict of a contract without an objection.
var Abstain = abi.Verdict{Outcome: abi.Abstain}
