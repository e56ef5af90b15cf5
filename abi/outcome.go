package abi

// Outcome is what a contract, or all contracts together, say about a call.
//
// Outcomes are totally ordered, strictest first: Deny < Ask < Allow < Abstain.
// The zero value denies, and so does every number that is not one of the four,
// since a guest can send any.
type Outcome uint8

// The four outcomes, strictest first.
const (
	Deny    Outcome = iota // the call does not reach its server
	Ask                    // a person may turn this into Allow
	Allow                  // the call may go on
	Abstain                // no objection and no grant
)

var outcomeNames = [...]string{"deny", "ask", "allow", "abstain"}

// Known returns o itself if it is one of the four outcomes, else Deny.
func (o Outcome) Known() Outcome {
	if o > Abstain {
		return Deny
	}
	return o
}

// Stricter returns the stricter of two outcomes: the meet of the lattice.
func Stricter(a, b Outcome) Outcome {
	return min(a.Known(), b.Known())
}

// Final turns the meet of all contracts into what happens: a call that nothing
// granted is denied.
func (o Outcome) Final() Outcome {
	if o.Known() == Abstain {
		return Deny
	}
	return o.Known()
}

// String returns the outcome's name on the wire, in policies and in the ledger.
func (o Outcome) String() string { return outcomeNames[o.Known()] }

// ParseOutcome reads an outcome's name. An unknown name is Deny and false.
func ParseOutcome(s string) (Outcome, bool) {
	for i, n := range outcomeNames {
		if n == s {
			return Outcome(i), true
		}
	}
	return Deny, false
}
