package builtin

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Coverage decides what nothing else decided: it is the only contract that
// grants, and the last row of the table.
//
// Policy:
//
//	settings: {default: ask, ask_from: critical, unknown_server: ask}
//	servers: {mail: {verdict: allow}}
//	tools: {mail/send: {verdict: ask, risk: high}}
//
// A tool is granted by `verdict: allow` on it or its server, or by `default:
// allow`. The strictest of grant (or default), unknown server and risk holds.
// It abstains only in a floor that has no default. Codes: COVERAGE_SERVER,
// COVERAGE_DENIED, COVERAGE_ASK, COVERAGE_DEFAULT, COVERAGE_RISK.
type Coverage struct {
	verdict abi.Verdict
}

// NewCoverage makes the contract; it judges every tool. Nothing in the snapshot
// can change its verdict, so it is worked out here.
func NewCoverage(r *contract.Rules) (contract.Contract, error) {
	return &Coverage{verdict: coverageOf(r)}, nil
}

// Judge answers what the rules say of the tool as a whole.
func (c *Coverage) Judge(*abi.Snapshot) abi.Verdict { return c.verdict }

func coverageOf(r *contract.Rules) abi.Verdict {
	all := []violation{serverGrant(r), toolGrant(r), riskGrant(r)}
	kept := all[:0]
	outcome := abi.Abstain
	for _, v := range all {
		outcome = abi.Stricter(outcome, v.outcome)
		if v.outcome.Known() < abi.Allow {
			v.at = "/call/tool"
			kept = append(kept, v)
		}
	}
	if len(kept) > 0 {
		return joined("coverage", kept)
	}
	v := abi.Verdict{Outcome: outcome, Contract: "coverage"}
	if outcome == abi.Allow {
		v.Rule = all[1].rule // what granted it
	}
	return v
}

// serverGrant is the objection to a server that the policy does not name. It
// never grants: `unknown_server: allow` means "no objection".
func serverGrant(r *contract.Rules) violation {
	if r.Unknown == nil || r.Unknown.Outcome.Known() >= abi.Allow {
		return violation{outcome: abi.Abstain}
	}
	return violation{
		outcome: r.Unknown.Outcome, code: "COVERAGE_SERVER", rule: r.Unknown.Rule,
		reason: "the policy names its servers, and not this one",
		mend:   "name the server under servers: if it is wanted",
	}
}

// toolGrant is what the policy says of the tool, else its default.
func toolGrant(r *contract.Rules) violation {
	if !r.Grant.Set {
		return violation{
			outcome: r.Default, code: "COVERAGE_DEFAULT", rule: r.DefaultAt,
			reason: "nothing in the policy grants this tool, and its default does not allow it",
			mend:   "set verdict: allow for the tool under tools:, or for its server under servers:",
		}
	}
	v := violation{
		outcome: r.Grant.Outcome, code: "COVERAGE_DENIED", rule: r.Grant.Rule,
		reason: "the policy denies this tool",
		mend:   "change verdict: at the rule if the tool is wanted",
	}
	if v.outcome.Known() == abi.Ask {
		v.code, v.reason, v.mend = "COVERAGE_ASK", "the policy lets a person decide about this tool", "answer the ask, or set verdict: allow at the rule"
	}
	return v
}

// riskGrant asks for a tool whose stated risk reaches ask_from.
func riskGrant(r *contract.Rules) violation {
	if r.AskFrom == contract.RiskUnset || r.Risk < r.AskFrom {
		return violation{outcome: abi.Abstain}
	}
	return violation{
		outcome: abi.Ask, code: "COVERAGE_RISK", rule: r.AskFromAt,
		reason: "the tool's risk is one that always asks",
		mend:   "answer the ask, or raise settings.ask_from",
	}
}
