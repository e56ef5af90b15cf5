package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/redact"
)

// Redact replaces what `redact:` names in the arguments of a call, or in what a
// server asks of its client. Both forms of the call are judged by every contract,
// and so is what the call would be with fewer of the entries, so that one more
// entry never lets a call pass.
//
// Policy:
//
//	redact:
//	  - {name: github-token, pattern: "gh[pousr]_[A-Za-z0-9]{36,}", in: [arguments, results]}
//	  - {name: password, keys: [password], with: "(left out)"}
//
// It abstains, unless a match stands where it can not be replaced: in the name of
// a member, or where replacing it makes another. Then it denies. An entry with a
// `verdict:` refuses what it would replace. Codes: REDACT_FAILED, REDACT_REFUSED.
type Redact struct{ set *redact.Set }

// NewRedact returns nil if no entry is about arguments, or requests of a server.
func NewRedact(r *contract.Rules) (contract.Contract, error) {
	if !r.Redact.Covers(redactedIn(r.Kind)) {
		return nil, nil
	}
	return &Redact{r.Redact}, nil
}

// redactedIn is where the values of a call of that kind stand.
func redactedIn(kind abi.CallKind) redact.Where {
	if kind.FromServer() {
		return redact.Requests
	}
	return redact.Arguments
}

// Judge refuses a call that can not be redacted.
func (r *Redact) Judge(s *abi.Snapshot) abi.Verdict {
	v, base := s.Call.Values()
	f := r.set.Value(redactedIn(s.Call.Kind), v, s.Call.Kind.FromServer())
	all := r.refused(s)
	switch {
	case f.Key != "":
		all = append(all, violation{
			code: "REDACT_FAILED", rule: f.FailedRule, at: base + f.Key[:strings.LastIndexByte(f.Key, '/')],
			reason: "the name of a member holds what has to be redacted, and a name can not be",
			mend:   "send it as a value, or leave it out",
		})
	case f.Stuck != "":
		all = append(all, violation{
			code: "REDACT_FAILED", rule: f.FailedRule, at: base + f.Stuck,
			reason: "there is always more to redact in a value: what is put in makes another match",
			mend:   "correct the entry's pattern, or what stands under with:",
		})
	}
	return joined("redact", all)
}

// refused lists what must not be said in a call at all.
func (r *Redact) refused(s *abi.Snapshot) []violation {
	if s.Call.Kind.FromServer() {
		return nil
	}
	v, base := s.Call.Values()
	denies, asks := r.set.Refusals()
	var all []violation
	for _, of := range []struct {
		outcome abi.Outcome
		set     *redact.Set
	}{{abi.Deny, denies}, {abi.Ask, asks}} {
		f := of.set.Value(redact.Arguments, v, false)
		for _, e := range f.Edits {
			all = append(all, violation{
				outcome: of.outcome, code: "REDACT_REFUSED", rule: f.Rule, at: base + e.At,
				reason: "a value holds what the policy does not let out in a call", mend: "leave it out of the call",
			})
		}
	}
	return all
}

// Edit implements [contract.Editor].
func (r *Redact) Edit(s *abi.Snapshot) []abi.Edit {
	v, _ := s.Call.Values()
	return r.set.Value(redactedIn(s.Call.Kind), v, s.Call.Kind.FromServer()).Edits
}

// Stages implements [contract.Stager].
func (r *Redact) Stages(s *abi.Snapshot) [][]abi.Edit {
	v, _ := s.Call.Values()
	return r.set.Stages(redactedIn(s.Call.Kind), v, s.Call.Kind.FromServer())
}
