package contract

import (
	"slices"

	"github.com/callgate/callgate/abi"
)

// Label is one entry of `labels:` that names a tool: an allowed call whose
// arguments match gives its data, and the session, the name.
type Label struct {
	Rule  string // file:line: path
	Name  string
	Where []Where // all must match; none: every call
}

// Where is one member of `where:`.
type Where struct {
	Key      string   // a class of arguments, an argument's name, or a JSON Pointer
	Patterns []string // one of which must match
}

// Flow is one entry of `flows:` whose `to` names a tool.
type Flow struct {
	Rule    string
	Name    string // unique in the policy
	Label   string
	Value   bool        // only what the arguments carry counts, not what the session holds
	Outcome abi.Outcome // Deny, or Ask
	When    []string    // further labels that the session must hold
	Where   []Where
	// Audience is that of the label: a call whose every destination is inside is
	// let through. Empty: nobody is.
	Audience []string
}

// Chain is one entry of `chains:` whose `to` names a tool.
type Chain struct {
	Rule    string
	Name    string   // unique in the policy
	From    []string // keys, see [MatchKey]
	Within  int64    // among how many of the last allowed calls; 0: all of the session
	Outcome abi.Outcome
}

// WhereAny is the key of `where:` for whatever a call names: a path, judged as
// slot: path does, or any text at any depth.
const WhereAny = "*"

// WhereSlot says whether a key of `where:` is a class of arguments, whose patterns
// are those of `deny`. Any other key is an argument.
func WhereSlot(key string) bool {
	s, ok := SlotNamed(key)
	return ok && slices.Contains(s.Takes, "deny")
}
