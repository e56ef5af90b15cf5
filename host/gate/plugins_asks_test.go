package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/gate"
)

// A yes to what a plugin asks is one to the evidence that it saw. Of a plugin that
// sees none, evidence changes nothing.
func TestAYesToAPluginHoldsForItsEvidence(t *testing.T) {
	const call = `{"note":"meet me at the old harbour"}`
	tests := []struct{ name, reads, result, want string }{
		{"the text turned up", `"taint",`, "meet me at the old harbour", "ask ASKED"},
		{"another text turned up", `"taint",`, "nothing of the kind is said", "allow APPROVED"},
		{"a plugin without eyes for it", "", "meet me at the old harbour", "allow APPROVED"},
	}
	for _, c := range tests {
		m, err := abi.ParseManifest([]byte(strings.Replace(fullManifest(t).Text, `"taint",`, c.reads, 1)))
		if err != nil {
			t.Fatal(err)
		}
		ask := func(v abi.Value) string {
			if v.Get("phase").Str() == "call" && v.At("/call/tool").Str() == "send" {
				return `{"outcome":"ask","code":"ASKED","at":["/call/arguments/note"]}`
			}
			return abstains
		}
		load := func(ref contract.PluginRef) (contract.Plugin, error) {
			return fake{manifest: m, as: ref.Name, say: ask}, nil
		}
		p := loadPlugins(t, binding("p")+"tools: {s/send: {approve: {scope: args}}}\n")
		r := &run{t: t, state: gate.New(gate.Options{Specs: builtin.Table(), Plugin: load})}
		r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-1", Server: "s", File: "abcdef0123", Place: here}})
		r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
		r.tools("s", tool("send", "note"), tool("read"))
		q := askOf(t, r.call("s", "send", call))
		if v := verdict(t, r.answer(q.Call, true)); v.Code != "APPROVED" {
			t.Fatalf("%s: the call: %s", c.name, v.JSON())
		}
		if got := r.outcome("s", "send", call); got != "allow APPROVED" {
			t.Errorf("%s: at once again: %s", c.name, got)
		}
		r.result(verdict(t, r.call("s", "read", `{}`)).ID, `{"content":[{"type":"text","text":"`+c.result+`"}]}`)
		if got := r.outcome("s", "send", call); got != c.want {
			t.Errorf("%s: then: %s; want %s", c.name, got, c.want)
		}
	}
	if len(tests) == 0 {
		t.Fatal("no cases")
	}
}
