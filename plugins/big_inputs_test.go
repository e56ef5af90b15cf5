package plugins_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
)

// big are long arguments of plugins that read texts, beside what has to be in the
// verdict: the fuel has to be enough for what servers take.
var big = []struct {
	plugin, what, part string
	length             int
	end, want          string
}{
	{"k8s-manifest", "a list of workloads", "  - name: web\n    image: example.com/x:1.2\n    ports: [{containerPort: 8080}]\n", 1 << 20, "", `"outcome":"abstain"`},
	{"k8s-manifest", "one that reaches for its node", "  - name: web\n    image: example.com/x:1.2\n    ports: [{containerPort: 8080}]\n", 1 << 20, "hostPID: true", `"code":"K8S_HOST_NAMESPACE"`},
	{"sql-readonly", "a list of numbers", "1234, ", 60000, "5)", `"outcome":"abstain"`},
	{"sql-readonly", "a second statement", "1234, ", 60000, "5); DROP TABLE t", `"code":"SQL_STATEMENTS"`},
	{"sql-readonly", "what is longer than a statement", "1234, ", 1 << 20, "5)", `"code":"SQL_UNREADABLE"`},
}

func TestLongArgumentsAreJudgedWithinTheFuel(t *testing.T) {
	built := map[string]func(abi.Value) func(abi.Value) cases.PluginAnswer{}
	for _, c := range big {
		if built[c.plugin] == nil {
			module, m := build(t, c.plugin)
			built[c.plugin] = starter(t, module, m)
		}
		argument := abi.Member{Name: "sql", Value: text("SELECT a FROM t WHERE b IN (" + strings.Repeat(c.part, c.length/len(c.part)) + c.end)}
		if c.plugin == "k8s-manifest" {
			argument = abi.Member{Name: "yaml", Value: text("items:\n" + strings.Repeat(c.part, c.length/len(c.part)) + c.end)}
		}
		call := abi.ObjectValue(abi.Member{Name: "arguments", Value: abi.ObjectValue(argument)})
		a := built[c.plugin](parsed(`{}`))(abi.ObjectValue(abi.Member{Name: "call", Value: call}))
		if a.Class != "" || !strings.Contains(string(a.Output), c.want) {
			t.Errorf("%s: %s: %s %s, %s; want %s", c.plugin, c.what, a.Class, a.Detail, a.Output, c.want)
		}
	}
}
