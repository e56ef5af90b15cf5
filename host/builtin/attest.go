package builtin

import (
	"slices"
	"strconv"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Attest refuses every call of a server that is not what the policy says may be
// launched under its name.
//
// Policy:
//
//	servers: {gmail: {attest: {sha256: "…", entry_args: [0]}}}
//
// The host measures the program, its arguments and the files that entry_args
// names before it starts the server, and records the digest. A digest that is
// not there, or was taken over other arguments, is none. It grants nothing.
// Codes: ATTEST_MISSING, ATTEST_MISMATCH.
type Attest struct {
	contract.Attest
}

// NewAttest makes the contract; it is nil where the policy lets anything be
// launched.
func NewAttest(r *contract.Rules) (contract.Contract, error) {
	if r.Attest == nil {
		return nil, nil
	}
	return Attest{*r.Attest}, nil
}

// Judge compares what was measured.
func (c Attest) Judge(s *abi.Snapshot) abi.Verdict {
	measured, ok := c.measured(s.Launch)
	v := violation{
		outcome: abi.Deny, code: "ATTEST_MISSING", rule: c.Rule, at: "/call/server",
		reason: "the policy says what may be launched under this server's name, and nobody measured what was",
		mend:   "ask the person who runs this machine to start the server anew",
	}
	switch {
	case !ok:
	case measured == c.SHA256:
		return contract.Abstain
	default:
		v.code = "ATTEST_MISMATCH"
		v.reason = "what was launched is not what the policy says may be launched under this server's name"
		v.mend = "ask the person who runs this machine whether the server, its arguments or its files were changed on purpose"
	}
	return joined("attest", []violation{v})
}

// measured returns the digest that was taken over the same arguments.
func (c Attest) measured(v abi.Value) (digest string, ok bool) {
	list := v.Items()
	if v.Kind() == abi.Object {
		list = []abi.Value{v}
	}
	for _, m := range list {
		var args []int
		for _, item := range m.Get("entry_args").Items() {
			n, err := strconv.Atoi(item.Lexeme())
			if err != nil {
				return "", false
			}
			args = append(args, n)
		}
		slices.Sort(args)
		if digest := m.Get("sha256"); digest.IsString() && slices.Equal(args, c.EntryArgs) {
			return digest.Str(), true
		}
	}
	return "", false
}
