package builtin

import (
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Identity refuses callers that the policy does not name, and those that it
// names everything but their tools.
//
// Policy:
//
//	identities: [{name: ci-bot, match: {subject: ci-bot, issuer: "https://id.example"}, tools: [github/get_*]}]
//
// Who calls is what the host has verified, or what the operator started the
// process with; nothing in a call says it. Every entry that matches must list
// the tool. Other kinds of calls, and entries without tools, need the match
// only. It grants nothing. Codes: IDENTITY_UNKNOWN, IDENTITY_TOOL.
type Identity struct {
	entries []contract.Identity
}

// NewIdentity makes the contract; it is nil for a policy without identities.
func NewIdentity(r *contract.Rules) (contract.Contract, error) {
	if len(r.Identities) == 0 {
		return nil, nil
	}
	return Identity{r.Identities}, nil
}

// Judge looks for the entries of the caller.
func (c Identity) Judge(s *abi.Snapshot) abi.Verdict {
	var all []violation
	known := false
	for i := range c.entries {
		e := &c.entries[i]
		if !matches(e, &s.Session.Principal) {
			continue
		}
		known = true
		if e.All || e.Listed || !s.Call.Kind.IsTool() {
			continue
		}
		all = append(all, violation{
			outcome: abi.Deny, code: "IDENTITY_TOOL", rule: e.Rule, at: "/call/tool",
			reason: fmt.Sprintf("the identity %q may not call this tool", e.Name),
			mend:   "call another tool, or add it to tools at the identity",
		})
	}
	if !known {
		all = append(all, violation{
			outcome: abi.Deny, code: "IDENTITY_UNKNOWN", rule: c.entries[0].Rule, at: s.Call.Kind.Subject(),
			reason: "the policy names identities, and the caller is none of them",
			mend:   "start callgate run with --identity, or add the caller's subject to identities",
		})
	}
	return joined("identity", all)
}

// matches says whether an entry is about a principal. One that was started under
// a name is that one and no other.
func matches(e *contract.Identity, p *abi.Principal) bool {
	if p.Identity != "" {
		return p.Identity == e.Name
	}
	if e.Subject == "" && e.Issuer == "" {
		return false
	}
	return (e.Subject == "" || e.Subject == p.Subject) && (e.Issuer == "" || e.Issuer == p.Issuer)
}
