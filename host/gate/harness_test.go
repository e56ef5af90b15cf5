package gate_test

import (
	"fmt"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/policy"
)

// reading answers for one policy text, and one of a floor.
func load(t testing.TB, text string, floor ...string) *policy.Policy {
	t.Helper()
	o := policy.Options{Specs: builtin.Table(), Read: func(path string) ([]byte, error) {
		if path == "/floor.yaml" {
			return []byte(floor[0]), nil
		}
		return []byte(text), nil
	}, Files: []string{"/policy.yaml"}}
	if len(floor) > 0 {
		o.Floor = "/floor.yaml"
	}
	p, err := policy.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run is a state with the events that were fed to it.
type run struct {
	t      testing.TB
	state  *gate.State
	seq    uint64
	events []abi.Event // inputs and answers, in order: a ledger
}

var here = abi.Place{Dir: "/srv", Home: "/home/u", Platform: "linux"}

func start(t testing.TB, p *policy.Policy, specs ...contract.Spec) *run {
	if len(specs) == 0 {
		specs = builtin.Table()
	}
	r := &run{t: t, state: gate.New(gate.Options{Specs: specs})}
	r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-1", File: "abcdef0123", Place: here, Protected: []string{"/home/u/.local/state/callgate"}}})
	r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	return r
}

func (r *run) step(e abi.Event) []abi.Event {
	e.Seq = r.seq
	e = r.state.Freeze(e)
	out := gate.Step(r.state, e)
	r.events = append(append(r.events, e), out...)
	r.seq += 1 + uint64(len(out))
	return out
}

func value(t testing.TB, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// tools lists tools of a server, each with one string argument per name.
func (r *run) tools(server string, definitions ...string) []abi.Event {
	r.t.Helper()
	var list []abi.Value
	for _, d := range definitions {
		list = append(list, value(r.t, d))
	}
	return r.step(abi.Event{Tools: &abi.ToolsEvent{Server: server, List: list}})
}

// tool is a definition with string arguments.
func tool(name string, args ...string) string {
	s := fmt.Sprintf(`{"name":%q,"description":"does %s","inputSchema":{"type":"object","properties":{`, name, name)
	for i, a := range args {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprintf(`%q:{"type":"string"}`, a)
	}
	return s + `}}}`
}

// call has a call judged and returns its answers.
func (r *run) call(server, name, args string) []abi.Event {
	r.t.Helper()
	return r.step(abi.Event{Call: &abi.Call{Server: server, Tool: name, Arguments: value(r.t, args)}})
}

// verdict is the last verdict among answers.
func verdict(t testing.TB, answers []abi.Event) abi.Verdict {
	t.Helper()
	var v *abi.Verdict
	for _, a := range answers {
		if a.Verdict != nil {
			v = a.Verdict
		}
	}
	if v == nil {
		t.Fatal("no verdict")
	}
	return *v
}

// outcome judges a call and returns outcome and code.
func (r *run) outcome(server, name, args string) string {
	r.t.Helper()
	v := verdict(r.t, r.call(server, name, args))
	return v.Outcome.String() + " " + v.Code
}

func (r *run) result(id, result string) {
	r.t.Helper()
	v := value(r.t, result)
	r.step(abi.Event{Result: &abi.ResultEvent{Call: id, Value: v, Bytes: int64(len(result))}})
}

// said is a contract that always says the same.
type said struct{ v abi.Verdict }

func (s said) Judge(*abi.Snapshot) abi.Verdict { return s.v }

// says is the spec of a contract that always says the same.
func says(name string, o abi.Outcome, code string) contract.Spec {
	return contract.Spec{Name: name, New: func(*contract.Rules) (contract.Contract, error) {
		return said{abi.Verdict{Outcome: o, Code: code}}, nil
	}}
}

// judging is a contract made of a function.
type judging func(*abi.Snapshot) abi.Verdict

func (f judging) Judge(s *abi.Snapshot) abi.Verdict { return f(s) }

func spec(name string, f judging) contract.Spec {
	return contract.Spec{Name: name, New: func(*contract.Rules) (contract.Contract, error) { return f, nil }}
}

// editor is a contract that proposes edits and has no objection.
type editor []abi.Edit

func (editor) Judge(*abi.Snapshot) abi.Verdict { return contract.Abstain }
func (e editor) Edit(*abi.Snapshot) []abi.Edit { return e }

const open = "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\n"
