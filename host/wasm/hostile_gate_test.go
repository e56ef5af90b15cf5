package wasm

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
)

// gated binds a module as the only contract beside the built-in ones, and gives
// the verdict of a call that nothing else refuses.
func gated(t *testing.T, shelf *Shelf, module []byte) (abi.Verdict, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hostile.wasm")
	if err := os.WriteFile(file, module, 0o600); err != nil {
		t.Fatal(err)
	}
	text := "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\nplugins:\n" +
		fmt.Sprintf("  - {name: hostile, use: %q, digest: %q, on: {tools: [\"*\"]}}\n", file, abi.DigestBytes(module))
	p, err := policy.Load(policy.Options{
		Specs: builtin.Table(), Files: []string{filepath.Join(filepath.Dir(file), "policy.yaml")},
		Read:   func(string) ([]byte, error) { return []byte(text), nil },
		Module: os.ReadFile,
	})
	if err != nil {
		return abi.Verdict{}, err
	}
	state := gate.New(gate.Options{Specs: builtin.Table(), Plugin: shelf.Plugin})
	seq := uint64(0)
	step := func(e abi.Event) (v abi.Verdict) {
		e.Seq = seq
		out := gate.Step(state, state.Freeze(e))
		seq += 1 + uint64(len(out))
		for _, o := range out {
			if o.Verdict != nil {
				v = *o.Verdict
			}
		}
		return v
	}
	step(abi.Event{Session: &abi.SessionEvent{ID: "s-1", File: "abcdef0123", Place: abi.Place{Dir: "/srv", Home: "/home/u", Platform: "linux"}}})
	step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	call := hostileCall(t).Call
	first := step(abi.Event{Call: &call})
	if again := step(abi.Event{Call: &call}); again.Outcome != first.Outcome || again.Code != first.Code {
		t.Errorf("%v %s; the second time %v %s", first.Outcome, first.Code, again.Outcome, again.Code)
	}
	return first, nil
}

// TestTheGateDeniesWhateverAHostileGuestDoes and lets pass what abstains.
func TestTheGateDeniesWhateverAHostileGuestDoes(t *testing.T) {
	names, want := hostileNames(t)
	shelf := NewShelf(Options{Limits: hostileLimits()}, "")
	defer shelf.Close()
	allowed := 0
	for _, name := range names {
		module, err := abi.WithManifest(hostile(t, name), []byte(hostileManifest(t).Text))
		if err != nil {
			t.Fatal(err)
		}
		v, err := gated(t, shelf, module)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		code := ""
		switch is, _, _ := strings.Cut(want[name], ":"); is {
		case "abstain":
			allowed++
			if v.Outcome != abi.Allow {
				t.Errorf("%s: %v %s %s; want allow", name, v.Outcome, v.Code, v.Reason)
			}
			continue
		case "deny BAD":
			code = "BAD"
		case "refused":
			code = abi.FailLoad.Code()
		default:
			code = abi.FailureClass(is).Code()
		}
		if v.Outcome != abi.Deny || v.Code != code || v.Contract != "hostile" {
			t.Errorf("%s: %v %s by %s; want deny %s", name, v.Outcome, v.Code, v.Contract, code)
		}
		if strings.Contains(v.Reason, "Ignore all rules") || strings.ContainsAny(v.Reason, "\x1b\u202e") {
			t.Errorf("%s: the reason is the guest's: %q", name, v.Reason)
		}
	}
	if allowed == 0 {
		t.Error("nothing is allowed, whatever the guest")
	}
}
