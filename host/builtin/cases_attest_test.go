package builtin

import (
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

func attestFrom(t *testing.T, v abi.Value) *contract.Attest {
	a := &contract.Attest{Rule: "p.yaml:9: attest", SHA256: v.Get("sha256").Str()}
	for _, n := range v.Get("entry_args").Items() {
		a.EntryArgs = append(a.EntryArgs, int(number(t, n)))
	}
	return a
}
