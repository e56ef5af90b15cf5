package builtin

import (
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Chain judges what a call follows on.
//
// Policy:
//
//	chains: [{name: read-then-send, from: ["*/read_*"], to: ["*/http_post"], within: 3, verdict: ask}]
//
// A call of `to` violates the chain if a call of `from` is among the last
// `within` calls of the session that were allowed, or among all of them without
// `within`. Each chain counts for itself. Calls of other processes of the group
// count as first ones, and never as those in between. Codes: CHAIN_FOLLOWS,
// CHAIN_UNKNOWN (more tools were called than are kept).
type Chain struct {
	chains []contract.Chain
	at     string
}

// NewChain returns nil for what no chain ends in.
func NewChain(r *contract.Rules) (contract.Contract, error) {
	if len(r.Chains) == 0 {
		return nil, nil
	}
	return &Chain{chains: r.Chains, at: r.Kind.Subject()}, nil
}

// Judge names every chain that the call would complete, and the call that it
// follows on.
func (c *Chain) Judge(s *abi.Snapshot) abi.Verdict {
	if s.Phase != abi.PhaseCall {
		return contract.Abstain
	}
	flows := &s.Session.Flows
	var all []violation
	var witness []abi.Evidence
	for i := range c.chains {
		rule := &c.chains[i]
		first := firstOf(rule, flows)
		v := violation{outcome: rule.Outcome.Known(), rule: rule.Rule, at: c.at, mend: mendChain}
		switch {
		case first != nil:
			v.code = "CHAIN_FOLLOWS"
			v.reason = fmt.Sprintf("chain %q: it follows on call %s of the server %s, %s", rule.Name, first.ID, first.Server, among(rule.Within))
			witness = append(witness, abi.Evidence{Call: first.ID, Server: first.Server, Tool: first.Tool})
		case flows.Lost:
			v.code, v.reason = "CHAIN_UNKNOWN", fmt.Sprintf("chain %q: the session called more tools than are kept, and one of them may begin it", rule.Name)
		default:
			continue
		}
		all = append(all, v)
	}
	v := joined("chain", all)
	if v.Outcome != abi.Abstain {
		v.Witness = witness[:min(len(witness), 16)]
	}
	return v
}

const mendChain = "ask a person: who runs this host decides which calls may follow on each other"

// firstOf returns the last call that begins a chain and still counts, nil for
// none.
func firstOf(rule *contract.Chain, flows *abi.Flows) *abi.Done {
	var found *abi.Done
	for i := range flows.Done {
		d := &flows.Done[i]
		if rule.Within > 0 && flows.Steps-d.Step >= rule.Within {
			continue
		}
		if contract.MatchAny(rule.From, d.Server, d.Tool) {
			found = d
		}
	}
	return found
}

func among(within int64) string {
	switch within {
	case 0:
		return "earlier in this session"
	case 1:
		return "the last call that was allowed"
	}
	return fmt.Sprintf("among the last %d calls that were allowed", within)
}
