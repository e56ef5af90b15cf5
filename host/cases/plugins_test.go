package cases_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
)

const guestManifest = `{"schema":"callgate.plugin/v0","name":"guest","version":"1.0.0","abi":"1.0","license":"Apache-2.0","phases":["call","result","list"],` +
	`"reads":["call","result","list"],"effects":["deny","labels","redact","hide"],"codes":{"TOO_LONG":"too long"}}`

// guest denies what is called long, redacts what comes back of it, hides it, and
// gives labels.
type guest struct{ m *abi.Manifest }

func (g guest) Manifest() *abi.Manifest { return g.m }

func (g guest) Judge(s *abi.Snapshot) abi.Verdict {
	text := `{"outcome":"abstain"}`
	switch {
	case s.Phase == abi.PhaseList:
		text = `{"outcome":"abstain","hide":["long"]}`
	case s.Phase == abi.PhaseResult:
		text = `{"outcome":"abstain","redact":["/result/content/0/text"],"labels":{"call":["dump"]}}`
	case s.Call.Arguments.Get("q").Str() == "long":
		text = `{"outcome":"deny","code":"TOO_LONG","at":["/call/arguments/q"]}`
	default:
		text = `{"outcome":"abstain","labels":{"session":["seen"]}}`
	}
	v, err := abi.ParsePluginVerdict([]byte(text), g.m, "guest", s.Phase)
	if err != nil {
		panic(err)
	}
	return v
}

func guarded(t *testing.T) replay.Options {
	t.Helper()
	m, err := abi.ParseManifest([]byte(guestManifest))
	if err != nil {
		t.Fatal(err)
	}
	module, err := abi.WithManifest([]byte("\x00asm\x01\x00\x00\x00"), []byte(guestManifest))
	if err != nil {
		t.Fatal(err)
	}
	text := "callgate: 1\npacks: none\nsettings: {default: allow}\nplugins: [{name: guest, use: ./g.wasm, on: {tools: [\"*\"], lists: [\"*\"]}}]\n"
	p, err := policy.Load(policy.Options{
		Files: []string{"/policy.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return []byte(text), nil }, Module: func(string) ([]byte, error) { return module, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return replay.Options{Policy: p, Specs: builtin.Table(), Plugin: func(contract.PluginRef) (contract.Plugin, error) { return guest{m}, nil }}
}

// Each line is a step; the second holds of the plugin, and its twin does not.
func TestWantsNamePluginsAndWhatTheyDo(t *testing.T) {
	declared := []cases.Plugin{{Name: "guest", Codes: []string{"TOO_LONG"}}}
	tests := []struct{ before, step, holds, fails string }{
		{"", `{call: s/get, args: {q: long}, want: %}`, `{outcome: deny, contract: guest, code: TOO_LONG, at: /call/arguments/q}`, `{outcome: allow}`},
		{"", `{call: s/get, args: {q: x}, want: %}`, `{outcome: allow, labels: {session: ["guest:seen"]}}`, `{labels: {session: []}}`},
		{"", `{call: s/get, args: {q: long}, want: %}`, `{labels: {session: [], call: []}}`, `{labels: {call: ["guest:seen"]}}`},
		{`{call: s/get, args: {q: x}}`, `{result: "secret", want: %}`, `{outcome: allow, redact: {/content/0/text: "[redacted by guest]"}, labels: {call: ["guest:dump"]}}`, `{redact: []}`},
		{"", `{tools: {server: s, list: [{name: long}, {name: get}]}, want: %}`, `{outcome: allow, contract: plugin, hide: [long]}`, `{hide: []}`},
		{`{tools: {server: s, list: [{name: long}]}}`, `{call: s/long, args: {}, want: %}`, `{outcome: deny, contract: plugin, code: PLUGIN_HIDDEN}`, `{code: PLUGIN_TRAP}`},
		{"", `{tools: {server: s, list: [{name: get}]}, want: %}`, `{hide: [long]}`, `{hide: [get]}`},
	}
	for _, c := range tests {
		for want, passes := range map[string]bool{c.holds: true, c.fails: false} {
			text := "cases:\n  - name: one\n    steps:\n"
			if c.before != "" {
				text += "      - " + c.before + "\n"
			}
			text += "      - " + strings.Replace(c.step, "%", want, 1) + "\n"
			f, err := cases.Read("c.yaml", []byte(text))
			if err == nil {
				err = f.Check(declared)
			}
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if r := cases.Run(f, guarded(t))[0]; (len(r.Failures) == 0) != passes {
				t.Errorf("%s: %+v; want it to pass: %v", text, r.Failures, passes)
			}
		}
	}
	if len(tests) == 0 {
		t.Fatal("no steps")
	}
}

func TestWantsNameNothingThatNoPluginSays(t *testing.T) {
	declared := []cases.Plugin{{Name: "guest", Codes: []string{"TOO_LONG"}}}
	for _, c := range []struct{ bad, want, good string }{
		{"contract: gest", `did you mean "guest"?`, "contract: guest"},
		{"code: TO_LONG", `did you mean "TOO_LONG"?`, "code: TOO_LONG"},
		{"code: PLUGIN_TRAPS", `did you mean "PLUGIN_TRAP"?`, "code: PLUGIN_TRAP"},
		{"contract: other", `is none that a verdict has`, "contract: plugin"},
	} {
		for text, mistake := range map[string]string{c.bad: c.want, c.good: ""} {
			f, err := cases.Read("c.yaml", []byte(fmt.Sprintf("cases: [{name: n, steps: [{call: s/t, args: {}, want: {%s}}]}]\n", text)))
			if err != nil {
				t.Fatal(err)
			}
			err = f.Check(declared)
			if mistake == "" && err != nil || mistake != "" && (err == nil || !strings.Contains(err.Error(), mistake) || !strings.HasPrefix(err.Error(), "c.yaml:1:")) {
				t.Errorf("%s: %v; want %q", text, err, mistake)
			}
		}
	}
	if _, err := cases.Load("c.yaml", []byte("cases: [{name: n, steps: [{call: s/t, args: {}, want: {contract: guest}}]}]\n")); err == nil {
		t.Error("a plugin without a policy is known")
	}
}
