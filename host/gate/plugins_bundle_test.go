package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/policy"
)

// Whatever a plugin says or fails at, its receipt names the bundle that the policy
// had it from; that of a bare module names none.
func TestReceiptsNameTheBundle(t *testing.T) {
	module := fakeModule(t)
	of := contract.Bundle{Digest: abi.DigestBytes([]byte("bundle")), Name: "acme/p", Version: "1.0.0", Keys: []string{"00000000000000AA"}}
	calls := strings.Replace(everywhere, `, lists: ["*"]`, "", 1)
	text := open + "plugins:\n" +
		"  - {name: says, use: ./p.cgp, " + calls + "}\n" +
		"  - {name: gone, use: \"oci://r.example/p:1\", " + calls + "}\n" +
		"  - {name: falls, use: ./p.cgp, mode: observe, " + calls + "}\n" +
		"  - {name: bare, use: ./fake.wasm, " + calls + "}\n"
	p, err := policy.Load(policy.Options{
		Specs: builtin.Table(), Files: []string{"/policy.yaml"}, Module: func(string) ([]byte, error) { return module, nil },
		Read:   func(string) ([]byte, error) { return []byte(text), nil },
		Bundle: func(policy.Use) (*policy.Opened, error) { return &policy.Opened{Bundle: of, Module: module}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	f := fakes{
		"says":  func(abi.Value) string { return `{"outcome":"abstain"}` },
		"falls": func(abi.Value) string { panic("falls") },
		"bare":  func(abi.Value) string { return `{"outcome":"abstain"}` },
	}
	r := &run{t: t, state: gate.New(gate.Options{Specs: builtin.Table(), Plugin: f.load(t)})}
	r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-1", Server: "s", File: "abcdef0123", Place: here}})
	r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	r.tools("s", tool("send", "note"))
	v := verdict(t, r.call("s", "send", `{}`))
	for name, want := range map[string]string{"says": of.Digest, "gone": of.Digest, "falls": of.Digest, "bare": ""} {
		said := part(v, name)
		if said == nil || said.Plugin == nil || said.Plugin.Bundle != want {
			t.Errorf("%s: %+v; want a receipt with the bundle %q", name, said, want)
		}
	}
}
