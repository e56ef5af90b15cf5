package policy

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// memory is a file system of policies, by absolute path.
type memory map[string]string

func (m memory) read(path string) ([]byte, error) {
	if s, ok := m[path]; ok {
		return []byte(s), nil
	}
	return nil, os.ErrNotExist
}

// load loads one policy text as /p/team.yaml.
func load(text string) (*Policy, error) {
	return Load(Options{Files: []string{"/p/team.yaml"}, Read: memory{"/p/team.yaml": text}.read})
}

// layered loads texts, lowest layer first.
func layered(t *testing.T, texts ...string) *Policy {
	t.Helper()
	m, o := memory{}, Options{}
	for i, s := range texts {
		path := fmt.Sprintf("/p/l%d.yaml", i)
		m[path] = s
		o.Files = append(o.Files, path)
	}
	o.Read = m.read
	p, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustLoad(t *testing.T, text string) *Policy {
	t.Helper()
	p, err := load(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// named is a definition of which only the name is known.
func named(tool string) abi.Value {
	return object("name", abi.StringValue(tool))
}

// defined is a definition with string arguments, all required.
func defined(tool string, args ...string) abi.Value {
	var members []abi.Member
	for _, a := range args {
		members = append(members, abi.Member{Name: a, Value: object("type", abi.StringValue("string"))})
	}
	return named(tool).With("inputSchema", object("type", abi.StringValue("object"), "properties", abi.ObjectValue(members...), "required", texts(args)))
}

// recorded reads the recorded tools of a real server.
func recorded(t *testing.T, server string) []abi.Value {
	t.Helper()
	data, err := os.ReadFile("../../testdata/mcp-tools/" + server + ".json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := abi.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	tools := v.Get("tools").Items()
	if len(tools) == 0 {
		t.Fatalf("%s: no tools", server)
	}
	return tools
}

// head makes a policy of the version line and more lines.
func head(lines ...string) string { return "callgate: 1\n" + strings.Join(lines, "\n") + "\n" }

// show prints what a test compares of rules.
func show(r contract.Rules) string {
	var b strings.Builder
	if r.Grant.Set {
		fmt.Fprintf(&b, "%s ", r.Grant.Outcome)
	}
	for _, a := range r.Args {
		fmt.Fprintf(&b, "[%s%s", a.Slot, a.Arg)
		if a.HasAllow {
			fmt.Fprintf(&b, " allow%q", a.Allow)
		}
		if len(a.Deny) > 0 {
			fmt.Fprintf(&b, " deny%q", a.Deny)
		}
		if a.HasIn {
			fmt.Fprintf(&b, " in%s", a.In)
		}
		if a.Max != "" {
			fmt.Fprintf(&b, " max %s", a.Max)
		}
		b.WriteString("] ")
	}
	if s := r.Sink; s != nil {
		fmt.Fprintf(&b, "sink to%q content%q trusted%q", s.To, s.Content, s.Trusted)
		if s.All {
			b.WriteString(" all")
		}
	}
	return strings.TrimSpace(b.String())
}

// many repeats a form with the numbers from 0.
func many(form string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(form, i)
	}
	return strings.Join(list, ", ")
}
