package builtin

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// TestNobodyIsSentToAFileThatIsNotThere: rules of the program are changed from
// above, those of files where they stand.
func TestNobodyIsSentToAFileThatIsNotThere(t *testing.T) {
	args, err := abi.Parse([]byte(`{"path":"/etc/x","n":9,"to":"a@b.example","command":"rm x"}`))
	if err != nil {
		t.Fatal(err)
	}
	rules := []contract.Arg{
		{Slot: "path", Deny: []string{"/etc/**"}, MaxBytes: -1},
		{Slot: "path", HasAllow: true, Allow: []string{"/srv/**"}, MaxBytes: -1},
		{Slot: "recipient", Deny: []string{"*@b.example"}, MaxBytes: -1},
		{Slot: "command", Deny: []string{"rm *"}, MaxBytes: -1},
		{Arg: "n", Max: "3", MaxBytes: -1},
	}
	for _, rule := range rules {
		for label, own := range map[string]bool{
			"builtin/starter.yaml:9: tools.*": true, "packs/git.yaml:9: tools.*": true, "heuristics: a path": true,
			"team.yaml:9: tools.*": false, "builtins.yaml:9: tools.*": false,
		} {
			rule.Rule, rule.Outcome = label, abi.Deny
			c, err := NewArgs(&contract.Rules{Server: "s", Tool: "t", Args: []contract.Arg{rule}})
			if err != nil {
				t.Fatal(err)
			}
			v := c.Judge(&abi.Snapshot{Call: abi.Call{Kind: abi.KindTool, Server: "s", Tool: "t", Arguments: args}, Definition: abi.Definition{State: abi.PinOK}})
			if v.Outcome != abi.Deny {
				t.Fatalf("%+v is met", rule)
			}
			if there, above := strings.HasSuffix(v.Mend, " at the rule"), strings.Contains(v.Mend, "replace: true"); there == own || above != own {
				t.Errorf("%s by %s: %q", v.Code, label, v.Mend)
			}
		}
	}
}
