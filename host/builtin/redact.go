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
// a member, or where replacing it makes another. Then it denies. Codes:
// REDACT_FAILED.
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
	switch {
	case f.Key != "":
		return joined("redact", []violation{{
			code: "REDACT_FAILED", rule: f.FailedRule, at: base + f.Key[:strings.LastIndexByte(f.Key, '/')],
			reason: "the name of a member holds what has to be redacted, and a name can not be",
			mend:   "send it as a value, or leave it out",
		}})
	case f.Stuck != "":
		return joined("redact", []violation{{
			code: "REDACT_FAILED", rule: f.FailedRule, at: base + f.Stuck,
			reason: "there is always more to redact in a value: what is put in makes another match",
			mend:   "correct the entry's pattern, or what stands under with:",
		}})
	}
	return contract.Abstain
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
