// Package builtin holds the built-in contracts, one file each, and the visible
// table that orders them.
//
// A contract here is a pure function of the snapshot: it never reads a clock, a
// file, the network or the environment. Everything that can be compiled
// (patterns, globs, bounds) is compiled when the contract is made, so that a
// mistake is found when the policy loads and not when a call arrives.
package builtin

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Table returns the built-in contracts in the order in which they judge. Among
// equally strict verdicts the first one in this order is the headline, and
// coverage is last, so that "nothing grants this tool" never hides a better
// reason.
func Table() []contract.Spec {
	return []contract.Spec{
		{Name: "attest", New: NewAttest},
		{Name: "self", New: NewSelf},
		{Name: "identity", New: NewIdentity},
		{Name: "pin", New: NewPin},
		{Name: "schedule", New: NewSchedule},
		{Name: "label", New: NewLabel},
		{Name: "budget", New: NewBudget},
		{Name: "args", New: NewArgs},
		{Name: "chain", New: NewChain},
		{Name: "flow", New: NewFlow},
		{Name: "redact", New: NewRedact},
		{Name: "results", New: ofTools(NewResults), Phase: abi.PhaseResult},
		{Name: "origin", New: NewOrigin},
		{Name: "sink", New: NewSink},
		{Name: "capability", New: NewCapability},
		{Name: "coverage", New: NewCoverage},
	}
}

// ofTools keeps a contract to calls of tools.
func ofTools(make func(*contract.Rules) (contract.Contract, error)) func(*contract.Rules) (contract.Contract, error) {
	return func(r *contract.Rules) (contract.Contract, error) {
		if !r.Kind.IsTool() {
			return nil, nil
		}
		return make(r)
	}
}
