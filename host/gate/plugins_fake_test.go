package gate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/policy"
)

// fake is a plugin that a test wrote. It answers in the ABI's own form, so that
// what the gate gets went through the parser.
type fake struct {
	manifest *abi.Manifest
	as       string
	say      func(view abi.Value) string
	asked    *int
}

func (f fake) Manifest() *abi.Manifest { return f.manifest }

func (f fake) Judge(s *abi.Snapshot) abi.Verdict {
	if f.asked != nil {
		*f.asked++
	}
	view := s.View(f.manifest)
	text := f.say(view)
	receipt := abi.PluginReceipt{Module: "sha256:m", Settings: s.Settings.Digest(), Input: view.Digest(), Output: abi.DigestBytes([]byte(text)), Fuel: uint64(len(text))}
	if class, ok := strings.CutPrefix(text, "fails "); ok {
		receipt.Class, receipt.Output = abi.FailureClass(class), ""
		return abi.Verdict{Outcome: abi.Deny, Code: receipt.Class.Code(), Plugin: &receipt}
	}
	v, err := abi.ParsePluginVerdict([]byte(text), f.manifest, f.as, s.Phase)
	if err != nil {
		receipt.Class, receipt.Detail = abi.FailProtocol, err.Error()
		return abi.Verdict{Outcome: abi.Deny, Code: receipt.Class.Code(), Plugin: &receipt}
	}
	receipt.Reason, receipt.Tags = v.Plugin.Reason, v.Plugin.Tags
	v.Plugin = &receipt
	return v
}

// fullManifest may do everything, in every phase, to every kind.
func fullManifest(t testing.TB) *abi.Manifest {
	t.Helper()
	m, err := abi.ParseManifest([]byte(`{"schema":"callgate.plugin/v0","name":"fake","version":"1.0.0","abi":"1.0","license":"Apache-2.0",
		"phases":["call","result","list"],"kinds":["tool","resource","prompt","completion","sampling","elicitation","roots","method"],
		"reads":["time","call","definition","taint","session","result","list"],"effects":["ask","deny","labels","redact","hide","budget"],
		"codes":{"BAD":"bad","WORSE":"worse","ASKED":"asked"},"settings":{"type":"object"}}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// says a verdict in one phase, and abstains in the others.
func in(phase, verdict string) func(abi.Value) string {
	return func(v abi.Value) string {
		if v.Get("phase").Str() == phase {
			return verdict
		}
		return `{"outcome":"abstain"}`
	}
}

// fakes are plugins by the names that the policy gives them.
type fakes map[string]func(abi.Value) string

func (f fakes) load(t testing.TB) func(contract.PluginRef) (contract.Plugin, error) {
	m := fullManifest(t)
	return func(ref contract.PluginRef) (contract.Plugin, error) {
		say := f[ref.Name]
		if say == nil {
			return nil, errors.New("its module is gone")
		}
		return fake{manifest: m, as: ref.Name, say: say}, nil
	}
}

// fakeModule is a module with the manifest of a fake, and nothing else.
func fakeModule(t testing.TB) []byte {
	t.Helper()
	m := fullManifest(t)
	data, err := abi.WithManifest([]byte("\x00asm\x01\x00\x00\x00"), []byte(m.Text))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// everywhere binds a plugin to all that there is.
const everywhere = `on: {tools: ["*"], resources: ["*"], prompts: ["*"], completions: ["*"], sampling: ["*"], elicitation: ["*"], roots: ["*"], methods: ["*"], lists: ["*"]}`

// binding is a policy that binds plugins, of a name each, everywhere.
func binding(names ...string) string {
	var b strings.Builder
	b.WriteString(open + "plugins:\n")
	for _, n := range names {
		name, mode, _ := strings.Cut(n, " ")
		if mode == "" {
			mode = "enforce"
		}
		fmt.Fprintf(&b, "  - {name: %s, use: ./fake.wasm, mode: %s, %s}\n", name, mode, everywhere)
	}
	return b.String()
}

func loadPlugins(t testing.TB, text string, floor ...string) *policy.Policy {
	t.Helper()
	module := fakeModule(t)
	o := policy.Options{Specs: builtin.Table(), Files: []string{"/policy.yaml"}, Module: func(string) ([]byte, error) { return module, nil }}
	o.Read = func(path string) ([]byte, error) {
		if path == "/floor.yaml" {
			return []byte(floor[0]), nil
		}
		return []byte(text), nil
	}
	if len(floor) > 0 {
		o.Floor = "/floor.yaml"
	}
	p, err := policy.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// startPlugins is start with plugins.
func startPlugins(t testing.TB, f fakes, text string) *run {
	t.Helper()
	p := loadPlugins(t, text)
	r := &run{t: t, state: gate.New(gate.Options{Specs: builtin.Table(), Plugin: f.load(t)})}
	r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-1", Server: "s", File: "abcdef0123", Place: here}})
	r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	return r
}

// returns feeds what a server answers to the last call, and returns what the gate says.
func (r *run) returns(call abi.Verdict, server, result string) []abi.Event {
	r.t.Helper()
	return r.step(abi.Event{Result: &abi.ResultEvent{Call: call.ID, Server: server, Value: value(r.t, result), Bytes: int64(len(result))}})
}

// part finds what a contract said, as headline or beside it.
func part(v abi.Verdict, contract string) *abi.Verdict {
	if v.Contract == contract {
		return &v
	}
	for i := range v.Also {
		if v.Also[i].Contract == contract {
			return &v.Also[i]
		}
	}
	return nil
}

// again feeds the inputs of a run to a fresh state, and compares the answers.
func (r *run) again(f fakes) {
	r.t.Helper()
	state := gate.New(gate.Options{Specs: builtin.Table(), Plugin: f.load(r.t)})
	var want, got []string
	for _, e := range r.events {
		if e.Caused {
			want = append(want, e.String())
			continue
		}
		for _, a := range gate.Step(state, e) {
			got = append(got, a.String())
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		r.t.Errorf("replayed:\n%s\nrecorded:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
