package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/contract"
)

// TestWhatContractsRefuseIsNamedLikeEveryMistake: by the file as it was named,
// and at the value that the contract quotes.
func TestWhatContractsRefuseIsNamedLikeEveryMistake(t *testing.T) {
	refuse := contract.Spec{New: func(r *contract.Rules) (contract.Contract, error) {
		for _, a := range r.Args {
			for _, n := range a.Ports {
				if n > 65535 {
					return nil, fmt.Errorf("%d is not a port; want 1 to 65535", n)
				}
			}
			for _, s := range a.Schemes {
				if strings.Contains(s, ":") {
					return nil, fmt.Errorf("%q is not a scheme", s)
				}
			}
		}
		return nil, nil
	}}
	for _, c := range []struct{ arg, want string }{
		{"{slot: url, ports: [80, 99999]}", "dir/team.yaml:2:46: tools.a/b.args[0].ports[1]: 99999 is not a port; want 1 to 65535"},
		{`{slot: url, schemes: ["https:"]}`, `dir/team.yaml:2:44: tools.a/b.args[0].schemes[0]: "https:" is not a scheme`},
		{`{slot: url, schemes: ["x:", "x:"]}`, `dir/team.yaml:2:22: tools.a/b.args[0]: "x:" is not a scheme`},
		{"{slot: url, ports: [80, 6553]}", ""},
	} {
		read := func(string) ([]byte, error) { return []byte(head("tools: {a/b: {args: [" + c.arg + "]}}")), nil }
		_, err := Load(Options{Files: []string{"dir/team.yaml"}, Read: read, Specs: []contract.Spec{refuse}})
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
			t.Errorf("%s: %s; want %s", c.arg, got, c.want)
		}
	}
}
