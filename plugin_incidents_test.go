package callgate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/wasm"
)

// stated is a policy that allows everything and names a module by its digest.
func stated(file, digest string) (*policy.Policy, error) {
	text := "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\nplugins:\n" +
		fmt.Sprintf("  - {name: check-a, use: %q, digest: %q, on: {tools: [x/t]}}\n", file, digest)
	return policy.Load(policy.Options{
		Specs: builtin.Table(), Files: []string{filepath.Join(filepath.Dir(file), "policy.yaml")},
		Read: func(string) ([]byte, error) { return []byte(text), nil },
	})
}

// saysOf is what the gate says of a call of x/t with one argument.
func saysOf(p *policy.Policy, shelf *wasm.Shelf, a string) abi.Verdict {
	state := gate.New(gate.Options{Specs: builtin.Table(), Plugin: shelf.Plugin})
	gate.Step(state, abi.Event{Session: &abi.SessionEvent{ID: "s-1", File: "abcdef0123", Place: abi.Place{Dir: "/srv", Platform: "linux"}}})
	gate.Step(state, abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	arguments := abi.ObjectValue(abi.Member{Name: "a", Value: abi.StringValue(a)})
	out := gate.Step(state, abi.Event{Seq: 2, Call: &abi.Call{ID: "abcdef-2", Kind: abi.KindTool, Server: "x", Tool: "t", Arguments: arguments, Digest: arguments.Digest()}})
	for _, e := range out {
		if e.Verdict != nil {
			return *e.Verdict
		}
	}
	return abi.Verdict{}
}

// writeModule writes a guest with a manifest that reads arguments.
func writeModule(t *testing.T, file, name, version string) (digest string) {
	t.Helper()
	bare, err := os.ReadFile(filepath.Join("host", "wasm", "testdata", "guest", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := abi.WithManifest(bare, []byte(`{"schema":"callgate.plugin/v0","name":"check-a","version":"`+version+`","abi":"1.0","phases":["call"],"reads":["call.arguments"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return abi.DigestBytes(data)
}

// pluginIncidents are those that no cases file can hold: PLG-003, a plugin that an
// argument makes loop, and PLG-006, a module whose file was replaced.
func pluginIncidents(t *testing.T, proven proofs) {
	dir := t.TempDir()
	shelf := wasm.NewShelf(wasm.Options{}, filepath.Join(dir, "kept"))
	defer shelf.Close()
	file := filepath.Join(dir, "check-a.wasm")
	digest := writeModule(t, file, "brackets", "1.0.0")
	p, err := stated(file, digest)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		id, a   string
		outcome abi.Outcome
		code    string
	}{
		{"PLG-003", strings.Repeat("[", 40), abi.Deny, "PLUGIN_OUT_OF_FUEL"},
		{"PLG-003 control", "ok", abi.Allow, ""},
		{"PLG-003 control", strings.Repeat("[", 39), abi.Allow, ""},
	} {
		v := saysOf(p, shelf, tt.a)
		proven.add(tt.id, v.Outcome.String())
		if v.Outcome != tt.outcome || v.Code != tt.code || tt.code != "" && v.Contract != "check-a" {
			t.Errorf("%s: %v %s by %s; want %v %s", tt.id, v.Outcome, v.Code, v.Contract, tt.outcome, tt.code)
		}
	}
	other := writeModule(t, file, "abstain", "1.0.1")
	if _, err := stated(file, digest); err == nil || !strings.Contains(err.Error(), "policy.yaml:5:") || !strings.Contains(err.Error(), other) {
		t.Errorf("PLG-006: a policy loads whose module was replaced, or does not say so: %v", err)
	}
	if _, err := stated(file, other); err != nil {
		t.Errorf("PLG-006 control: %v", err)
	}
	// The policy that is in force goes on with the module that it was loaded with;
	// a process without that one denies.
	v := saysOf(p, shelf, "ok")
	proven.add("PLG-006", v.Outcome.String())
	if v.Outcome != abi.Allow {
		t.Errorf("PLG-006: %v %s; want the module that was loaded", v.Outcome, v.Code)
	}
	bare := wasm.NewShelf(wasm.Options{}, "")
	defer bare.Close()
	v = saysOf(p, bare, "ok")
	proven.add("PLG-006", v.Outcome.String())
	if v.Outcome != abi.Deny || v.Code != "PLUGIN_LOAD" {
		t.Errorf("PLG-006: %v %s; want deny PLUGIN_LOAD", v.Outcome, v.Code)
	}
}
