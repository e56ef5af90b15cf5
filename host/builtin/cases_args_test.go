package builtin

import (
	"fmt"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

func argFrom(t *testing.T, i int, v abi.Value) contract.Arg {
	t.Helper()
	a := contract.Arg{Rule: fmt.Sprintf("p.yaml:%d: args", 10+i), MaxBytes: -1}
	for _, m := range v.Members() {
		switch m.Name {
		case "slot":
			a.Slot = m.Value.Str()
		case "arg":
			a.Arg = m.Value.Str()
		case "names":
			a.Names = texts(m.Value)
		case "verdict":
			a.Outcome = outcome(t, m.Value)
		case "allow":
			a.Allow, a.HasAllow = texts(m.Value), true
		case "deny":
			a.Deny = texts(m.Value)
		case "literal":
			a.Literal = m.Value.True()
		case "fold":
			a.Fold = m.Value.True()
		case "match":
			a.Match = m.Value.Str()
		case "in":
			a.In, a.HasIn = m.Value.Items(), true
		case "max":
			a.Max = m.Value.Lexeme()
		case "min":
			a.Min = m.Value.Lexeme()
		case "max_bytes":
			a.MaxBytes = number(t, m.Value)
		case "forbid":
			a.Forbid = m.Value.True()
		case "require":
			a.Require = m.Value.True()
		case "json":
			a.JSON = m.Value.True()
		case "symlinks":
			a.Resolve = m.Value.Str() == "resolve"
		case "allow_pattern":
			a.AllowPattern, a.HasPatterns = texts(m.Value), true
		case "env":
			a.Env = texts(m.Value)
		case "writes":
			a.Writes = texts(m.Value)
		case "reads":
			a.Reads = texts(m.Value)
		case "deny_keyword":
			a.DenyKeyword = texts(m.Value)
		case "options":
			a.Options = map[string][]string{}
			for _, o := range m.Value.Members() {
				a.Options[o.Name] = texts(o.Value)
			}
		case "deny_pattern":
			a.DenyPattern = texts(m.Value)
		default:
			t.Fatalf("unknown member %q of an args rule", m.Name)
		}
	}
	return a
}
