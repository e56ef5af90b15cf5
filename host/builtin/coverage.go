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
//	servers: {mail: {verdict: allow, prompts: {verdict: ask}, requests: {sampling: deny}, methods: {"vendor/*": deny}}}
//	tools: {mail/send: {verdict: ask, risk: high}, mail/debug: {hide: true}}
//
// A tool is granted by `verdict: allow` on it or its server, or by `default:
// allow`; a call of another kind by what its server's entry says of the kind, by
// the server's verdict, or by the default. The strictest of grant (or default),
// unknown server and risk holds, and a hidden tool is denied. It abstains only
// in a floor that has no default. Codes: COVERAGE_HIDDEN, COVERAGE_SERVER,
// COVERAGE_DENIED, COVERAGE_ASK, COVERAGE_DEFAULT, COVERAGE_RISK.
type Coverage struct {
	verdict abi.Verdict
}

// NewCoverage makes the contract; it judges every call. Nothing in the snapshot
// can change its verdict, so it is worked out here.
func NewCoverage(r *contract.Rules) (contract.Contract, error) {
	return &Coverage{verdict: coverageOf(r)}, nil
}

// Judge answers what the rules say of the tool as a whole.
func (c *Coverage) Judge(*abi.Snapshot) abi.Verdict { return c.verdict }

func coverageOf(r *contract.Rules) abi.Verdict {
	grant := toolGrant(r)
	all := []violation{hiding(r), serverGrant(r), grant, riskGrant(r)}
	kept := all[:0]
	outcome := abi.Abstain
	for _, v := range all {
		outcome = abi.Stricter(outcome, v.outcome)
		if v.outcome.Known() < abi.Allow {
			v.at = r.Kind.Subject()
			kept = append(kept, v)
		}
	}
	if len(kept) > 0 {
		return joined("coverage", kept)
	}
	v := abi.Verdict{Outcome: outcome, Contract: "coverage"}
	if outcome == abi.Allow {
		v.Rule = grant.rule
	}
	return v
}

// hiding is the objection to a tool that the client is not shown.
func hiding(r *contract.Rules) violation {
	if r.Hide == "" {
		return violation{outcome: abi.Abstain}
	}
	return violation{
		outcome: abi.Deny, code: "COVERAGE_HIDDEN", rule: r.Hide,
		reason: "the policy hides this tool, and what is hidden is not called",
		mend:   "remove hide: at the rule if the tool is wanted",
	}
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

// toolGrant is what the policy says of the tool, or of the kind of call, else
// its default.
func toolGrant(r *contract.Rules) violation {
	this := "this " + r.Kind.Noun()
	if !r.Grant.Set {
		return violation{
			outcome: r.Default, code: "COVERAGE_DEFAULT", rule: r.DefaultAt,
			reason: "nothing in the policy grants " + this + ", and its default does not allow it",
			mend:   "set verdict: allow for " + grantedBy(r.Kind),
		}
	}
	v := violation{
		outcome: r.Grant.Outcome, code: "COVERAGE_DENIED", rule: r.Grant.Rule,
		reason: "the policy denies " + this,
		mend:   "change verdict: at the rule if the " + r.Kind.Noun() + " is wanted",
	}
	if v.outcome.Known() == abi.Ask {
		v.code, v.reason, v.mend = "COVERAGE_ASK", "the policy lets a person decide about "+this, "answer the ask, or set verdict: allow at the rule"
	}
	return v
}

// grantedBy names the key of the policy that grants a kind of call.
func grantedBy(kind abi.CallKind) string {
	switch kind {
	case abi.KindTool, "":
		return "the tool under tools:, or for its server under servers:"
	case abi.KindResource, abi.KindPrompt, abi.KindCompletion:
		return string(kind) + "s: of the server under servers:"
	case abi.KindSampling, abi.KindElicitation, abi.KindRoots:
		return "requests: {" + string(kind) + "} of the server under servers:"
	}
	return "the method under methods: of the server"
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
