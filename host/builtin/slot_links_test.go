package builtin

import (
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// TestADenyListHoldsForWhereAPathLeads although it asks nobody to look: another
// policy of the call, such as the one above a floor, did.
func TestADenyListHoldsForWhereAPathLeads(t *testing.T) {
	rules := contract.Rules{Server: "fs", Tool: "read", Args: []contract.Arg{{Rule: "floor", Outcome: abi.Deny, Slot: "path", Deny: []string{"**/.env"}, MaxBytes: -1}}}
	c, err := NewArgs(&rules)
	if err != nil {
		t.Fatal(err)
	}
	if _, looks := c.(contract.Needer); looks {
		t.Error("a rule that follows no links wants to see where they lead")
	}
	for _, x := range []struct {
		links string
		want  abi.Outcome
	}{
		{`{"links":{"/srv/a":"/srv/.env"}}`, abi.Deny}, {`{"links":{"/srv/a":"/srv/env"}}`, abi.Abstain},
		{`{"links":{"/srv/b":"/srv/.env"}}`, abi.Abstain}, {`{"links":{"/srv/a":null}}`, abi.Abstain}, {`{}`, abi.Abstain},
	} {
		facts, err := abi.Parse([]byte(x.links))
		if err != nil {
			t.Fatal(err)
		}
		s := &abi.Snapshot{Phase: abi.PhaseCall, Call: abi.Call{Server: "fs", Tool: "read", Arguments: abi.ObjectValue(abi.Member{Name: "path", Value: abi.StringValue("/srv/a")}), Facts: facts}}
		if got := c.Judge(s); got.Outcome != x.want {
			t.Errorf("%s: %v %s, want %v", x.links, got.Outcome, got.Code, x.want)
		}
	}
}
