package cases

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

func pluginManifest(t *testing.T) *abi.Manifest {
	t.Helper()
	m, err := abi.ParseManifest([]byte(`{"schema":"callgate.plugin/v0","name":"acme/x","version":"1.0.0","abi":"1.0","phases":["call","result"],
		"reads":["call.arguments","session.labels","result"],"effects":["deny","labels","redact","budget"],"codes":{"NO":"no"}}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// said answers with what the argument say holds, and after a label with deny.
func said(snapshot abi.Value) PluginAnswer {
	if snapshot.At("/session/labels/0").Str() == "x:seen" {
		return PluginAnswer{Output: []byte(`{"outcome":"deny","code":"NO"}`), Fuel: 7}
	}
	if class := snapshot.At("/call/arguments/class").Str(); class != "" {
		return PluginAnswer{Class: abi.FailureClass(class)}
	}
	return PluginAnswer{Output: []byte(snapshot.At("/call/arguments/say").Str()), Fuel: 7}
}

func TestCasesOfPlugins(t *testing.T) {
	cases := []struct{ name, text, wrong string }{
		{"abstain", `{name: a, args: {say: '{"outcome":"abstain"}'}, want: {}}`, ""},
		{"abstain for deny", `{name: a, args: {say: '{"outcome":"abstain"}'}, want: {outcome: deny}}`, "outcome abstain; want deny"},
		{"deny for abstain", `{name: a, args: {say: '{"outcome":"deny","code":"NO"}'}, want: {}}`, "outcome deny; want abstain"},
		{"pointers", `{name: a, args: {say: '{"outcome":"deny","code":"NO","at":["/b","/a"]}'}, want: {outcome: deny, code: NO, at: [/b, /a]}}`, ""},
		{"other pointers", `{name: a, args: {say: '{"outcome":"deny","code":"NO","at":["/b"]}'}, want: {outcome: deny, at: [/b, /a]}}`, "at [/b]"},
		{"no verdict", `{name: a, args: {say: '{"outcome":"allow"}'}, want: {}}`, "can not allow"},
		{"no verdict, for its class", `{name: a, args: {say: '{"outcome":"allow"}'}, want: {class: protocol}}`, ""},
		{"no verdict, for another class", `{name: a, args: {say: '{"outcome":"allow"}'}, want: {class: trap}}`, `class "protocol"`},
		{"a verdict for the class of none", `{name: a, args: {say: '{"outcome":"abstain"}'}, want: {class: protocol}}`, `a verdict; want class "protocol"`},
		{"a class", `{name: a, args: {class: trap}, want: {class: trap}}`, ""},
		{"another class", `{name: a, args: {class: trap}, want: {class: depth}}`, `class "trap"`},
		{"a class for a verdict", `{name: a, args: {class: trap}, want: {outcome: deny}}`, `class "trap" (); want a verdict`},
		{"a verdict for a class", `{name: a, args: {say: '{"outcome":"abstain"}'}, want: {class: trap}}`, `a verdict; want class "trap"`},
		{"labels", `{name: a, args: {say: '{"outcome":"abstain","labels":{"call":["c"],"session":["s"]}}'}, want: {labels: {call: c, session: [s]}}}`, ""},
		{"labels that are not named", `{name: a, args: {say: '{"outcome":"abstain","labels":{"call":["c"]}}'}, want: {}}`, "labels of the call [c]"},
		{"redactions", `{name: a, phase: result, args: {say: '{"outcome":"abstain","redact":["/result/a"]}'}, result: {a: 1}, want: {redact: /result/a}}`, ""},
		{"redactions that are not named", `{name: a, phase: result, args: {say: '{"outcome":"abstain","redact":["/result/a"]}'}, want: {}}`, "redact [/result/a]"},
		{"a budget", `{name: a, args: {say: '{"outcome":"abstain","budget":{"calls":3}}'}, want: {budget: 3}}`, ""},
		{"a budget as a verdict has it", `{name: a, args: {say: '{"outcome":"abstain","budget":{"calls":3}}'}, want: {budget: {calls: 3}}}`, ""},
		{"another budget as a verdict has it", `{name: a, args: {say: '{"outcome":"abstain","budget":{"calls":3}}'}, want: {budget: {calls: 2}}}`, "budget 3; want 2"},
		{"another budget", `{name: a, args: {say: '{"outcome":"abstain","budget":{"calls":3}}'}, want: {budget: 2}}`, "budget 3; want 2"},
		{"fuel", `{name: a, args: {say: '{"outcome":"abstain"}'}, want: {}, max_fuel: 7}`, ""},
		{"too much fuel", `{name: a, args: {say: '{"outcome":"abstain"}'}, want: {}, max_fuel: 6}`, "uses 7 fuel"},
		{"labels carry over", `{name: a, steps: [{args: {say: '{"outcome":"abstain","labels":{"session":["seen"]}}'}, want: {labels: {session: seen}}}, {args: {}, want: {outcome: deny}}]}`, ""},
		{"labels do not carry over", `{name: a, steps: [{args: {say: '{"outcome":"abstain"}'}, want: {}}, {args: {say: '{"outcome":"abstain"}'}, want: {outcome: deny}}]}`, "outcome abstain"},
	}
	m := pluginManifest(t)
	for _, c := range cases {
		f, err := LoadPlugin("x.yaml", []byte("cases:\n  - "+c.text+"\n"), m)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		results := RunPlugin(f, m, func(abi.Value) func(abi.Value) PluginAnswer { return said })
		if len(results) != 1 {
			t.Fatalf("%s: %d results", c.name, len(results))
		}
		var texts []string
		for _, x := range results[0].Failures {
			texts = append(texts, x.Text)
		}
		if got := strings.Join(texts, "; "); (got == "") != (c.wrong == "") || !strings.Contains(got, c.wrong) {
			t.Errorf("%s: %q; want %q", c.name, got, c.wrong)
		}
	}
}

func TestMistakesInCasesOfPlugins(t *testing.T) {
	m := pluginManifest(t)
	for text, want := range map[string]string{
		"cases: []":           "x.yaml:1:1: cases: want a list of cases",
		"case: []":            `unknown key "case"`,
		"cases: [{want: {}}]": "case: want a name",
		"cases: [{name: a, want: {}}, {name: a, want: {}}]": "another one has this name",
		"cases: [{name: a}]":                                "want: missing, so this can not fail",
		"cases: [{name: a, steps: [{}]}]":                   "want: missing",
		"cases: [{name: a, steps: []}]":                     "want a list of steps",
		"cases: [{name: a, want: {outcome: allow}}]":        `outcome "allow"; want abstain, ask or deny`,
		"cases: [{name: a, want: {class: crash}}]":          `class "crash"`,
		"cases: [{name: a, want: {class: trap, at: /a}}]":   "and nothing beside it",
		"cases: [{name: a, want: {code: YES}}]":             "which the manifest does not declare",
		"cases: [{name: a, want: {}, max_fuel: -1}]":        `max_fuel: "-1"`,
		"cases: [{name: a, want: {budget: few}}]":           `budget: "few"`,
		"cases: [{name: a, want: {budget: [3]}}]":           `budget: ""; want how many`,
		"cases: [{name: a, want: {budget: {calls: -1}}}]":   `budget: "-1"`,
		"cases: [{name: a, want: {budget: {}}}]":            `x.yaml:1:34: budget: ""; want how many`,
		"cases: [{name: a, want: {budget: {left: 3}}}]":     `"left"`,
		"cases: [{name: a, want: {}, taint: []}]":           "taint: the manifest does not read it",
		"cases: [{name: a, want: {}, phase: list}]":         `phase "list": the plugin is not asked in it`,
		"cases: [{name: a, want: {}, call: {kind: roots}}]": `kind "roots": the plugin is not asked about it`,
		"cases: [{name: a, want: {}, settings: 3}]":         "settings: want a mapping",
		"cases: [{name: a, want: {}, args: {x: .nan}}]":     "is a number that JSON can not write",
	} {
		_, err := LoadPlugin("x.yaml", []byte(text), m)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	f, err := LoadPlugin("x.yaml", []byte("call: {server: s, tool: t, arguments: {a: 1, b: 2}}\ncases: [{name: a, call: {arguments: {b: 3}}, session: {labels: [l], id: i}, want: {}}]"), m)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"abi":"1.0","call":{"arguments":{"b":3}},"phase":"call","session":{"labels":["l"]}}`
	if got := f.Cases[0].Steps[0].Snapshot.String(); got != want {
		t.Errorf("the plugin sees %s; want %s", got, want)
	}
}
