package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/provenance"
)

func TestTheStrictestVerdictStandsAndEveryReasonIsKept(t *testing.T) {
	cases := []struct {
		name     string
		row      []contract.Spec
		outcome  abi.Outcome
		headline string
		also     int
	}{
		{"no contract at all", []contract.Spec{}, abi.Deny, "coverage", 0},
		{"all abstain", []contract.Spec{says("a", abi.Abstain, "A")}, abi.Deny, "coverage", 0},
		{"one allows", []contract.Spec{says("a", abi.Abstain, "A"), says("b", abi.Allow, "B")}, abi.Allow, "b", 0},
		{"deny beats allow in front", []contract.Spec{says("a", abi.Allow, "A"), says("b", abi.Deny, "B")}, abi.Deny, "b", 1},
		{"deny beats allow behind", []contract.Spec{says("b", abi.Deny, "B"), says("a", abi.Allow, "A")}, abi.Deny, "b", 1},
		{"ask beats allow", []contract.Spec{says("a", abi.Allow, "A"), says("b", abi.Ask, "B")}, abi.Ask, "b", 1},
		{"deny beats ask", []contract.Spec{says("a", abi.Ask, "A"), says("b", abi.Deny, "B")}, abi.Deny, "b", 1},
		{"first in table order among equals", []contract.Spec{says("a", abi.Allow, "A"), says("b", abi.Deny, "B"), says("c", abi.Deny, "C")}, abi.Deny, "b", 2},
		{"an outcome that is none denies", []contract.Spec{says("a", abi.Allow, "A"), says("b", abi.Outcome(77), "B")}, abi.Deny, "b", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			row := c.row
			if len(row) == 0 {
				row = []contract.Spec{{Name: "none", New: func(*contract.Rules) (contract.Contract, error) { return nil, nil }}}
			}
			r := start(t, load(t, open), row...)
			v := verdict(t, r.call("s", "t", `{}`))
			if v.Outcome != c.outcome || v.Contract != c.headline || len(v.Also) != c.also {
				t.Errorf("%v by %s, %d more; want %v by %s, %d more", v.Outcome, v.Contract, len(v.Also), c.outcome, c.headline, c.also)
			}
		})
	}
}

func TestAContractThatPanicsDenies(t *testing.T) {
	broken := spec("broken", func(s *abi.Snapshot) abi.Verdict {
		if s.Call.Tool == "bad" {
			panic("no")
		}
		return contract.Abstain
	})
	r := start(t, load(t, open), broken, says("b", abi.Allow, "B"))
	if got := r.outcome("s", "bad", `{}`); got != "deny CONTRACT_FAILED" {
		t.Error(got)
	}
	if got := r.outcome("s", "good", `{}`); got != "allow B" {
		t.Error(got)
	}
}

// fragile is an index that fails on the word boom.
type fragile struct{ provenance.Index }

func (f fragile) Record(e abi.Event) {
	if strings.Contains(e.String(), "boom") {
		panic("no")
	}
	f.Index.Record(e)
}

// wanting is a contract that fails when it is asked what it wants explained.
type wanting struct{ said }

func (wanting) Wanted(s *abi.Snapshot) []abi.Wanted {
	if s.Call.Tool == "bad" {
		panic("no")
	}
	return []abi.Wanted{{At: "/a"}}
}

func TestWhateverFailsAroundTheContractsDenies(t *testing.T) {
	want := contract.Spec{Name: "want", New: func(*contract.Rules) (contract.Contract, error) {
		return wanting{said{abi.Verdict{Outcome: abi.Allow, Code: "OK"}}}, nil
	}}
	for _, c := range []struct{ name, tool, result, want string }{
		{"nothing", "good", "fine", "allow OK"},
		{"what a contract wants", "bad", "fine", "deny GATE_FAILED"},
		{"reading an output", "good", "boom", "deny GATE_FAILED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &run{t: t, state: gate.New(gate.Options{Specs: []contract.Spec{want}, NewIndex: func(o provenance.Options) provenance.Index {
				return fragile{provenance.New(o)}
			}})}
			p := load(t, open)
			r.step(abi.Event{Session: &abi.SessionEvent{ID: "s", Place: here}})
			r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
			first := verdict(t, r.call("s", "good", `{}`))
			r.result(first.ID, `{"content":[{"type":"text","text":"`+c.result+`"}]}`)
			if got := r.outcome("s", c.tool, `{"a":"x"}`); got != c.want {
				t.Errorf("%s; want %s", got, c.want)
			}
		})
	}
}

func TestAContractThatCannotBeMadeDenies(t *testing.T) {
	bad := contract.Spec{Name: "bad", New: func(r *contract.Rules) (contract.Contract, error) {
		if r.Tool == "bad" {
			return nil, errBroken
		}
		return said{abi.Verdict{Outcome: abi.Allow}}, nil
	}}
	r := start(t, load(t, open), bad)
	if got := r.outcome("s", "bad", `{}`); got != "deny POLICY_BROKEN" {
		t.Error(got)
	}
	if got := r.outcome("s", "good", `{}`); got != "allow " {
		t.Error(got)
	}
}

type brokenError string

func (e brokenError) Error() string { return string(e) }

const errBroken = brokenError("no such thing")

// path denies what its argument is not allowed to be.
func noSecret(s *abi.Snapshot) abi.Verdict {
	if s.Call.Arguments.Get("path").Str() == "/secret" {
		return abi.Verdict{Outcome: abi.Deny, Code: "SECRET"}
	}
	return abi.Verdict{Outcome: abi.Allow, Code: "FINE"}
}

func TestReceivedAndSentAreBothJudged(t *testing.T) {
	to := func(path string) contract.Spec {
		e := editor{{At: "/path", With: abi.StringValue(path)}}
		return contract.Spec{Name: "edit", New: func(*contract.Rules) (contract.Contract, error) { return e, nil }}
	}
	cases := []struct{ name, received, sent, want string }{
		{"an edit does not hide what was received", "/secret", "/fine", "deny SECRET"},
		{"an edit does not bring in what is not allowed", "/fine", "/secret", "deny SECRET"},
		{"an edit of a fine call passes", "/fine", "/also-fine", "allow FINE"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, load(t, open), to(c.sent), spec("guard", noSecret))
			answers := r.call("s", "t", `{"path":"`+c.received+`"}`)
			v := verdict(t, answers)
			if got := v.Outcome.String() + " " + v.Code; got != c.want {
				t.Error(got)
			}
			if (answers[0].Edit != nil) != (v.Outcome == abi.Allow) {
				t.Error("an edit event stands exactly before an allow")
			}
		})
	}
	r := start(t, load(t, open), contract.Spec{Name: "edit", New: func(*contract.Rules) (contract.Contract, error) {
		return editor{{At: "/nowhere", With: abi.StringValue("x")}}, nil
	}}, says("b", abi.Allow, "B"))
	if got := r.outcome("s", "t", `{"path":"x"}`); got != "deny EDIT_FAILED" {
		t.Error(got)
	}
}

func TestLabelsOfAnAllowedCallHoldForTheNextOneAtOnce(t *testing.T) {
	labels := spec("labels", func(s *abi.Snapshot) abi.Verdict {
		if s.Call.Tool == "read" || s.Call.Tool == "refused" {
			return abi.Verdict{Outcome: abi.Abstain, Obligations: abi.Obligations{SessionLabels: []string{"secret"}}}
		}
		return contract.Abstain
	})
	flow := spec("flow", func(s *abi.Snapshot) abi.Verdict {
		switch {
		case s.Call.Tool == "refused":
			return abi.Verdict{Outcome: abi.Deny, Code: "REFUSED"}
		case s.Call.Tool == "send" && len(s.Session.Labels) > 0:
			return abi.Verdict{Outcome: abi.Deny, Code: "FLOW"}
		}
		return abi.Verdict{Outcome: abi.Allow}
	})
	r := start(t, load(t, open), labels, flow)
	for i, want := range []struct{ tool, got string }{
		{"send", "allow "}, {"refused", "deny REFUSED"}, {"send", "allow "},
		{"read", "allow "}, {"send", "deny FLOW"}, // no result of read has come
	} {
		if got := r.outcome("s", want.tool, `{}`); got != want.got {
			t.Errorf("call %d, %s: %s; want %s", i, want.tool, got, want.got)
		}
	}
}

func TestObserveDecidesAndDoesNotBlock(t *testing.T) {
	text := "callgate: 1\npacks: none\nsettings: {mode: observe, default: deny, unlisted: allow}\n"
	r := start(t, load(t, text))
	v := verdict(t, r.call("s", "t", `{}`))
	if v.Outcome != abi.Deny || !v.Observed || v.Enforced() != abi.Allow {
		t.Errorf("%+v", v)
	}
	out := r.step(abi.Event{Refused: &abi.RefusedEvent{Server: "s", From: "client", Code: "FRAME_NUL"}})
	if v := verdict(t, out); v.Enforced() != abi.Deny {
		t.Error("a refused frame passes in observe mode")
	}
	out = r.step(abi.Event{Result: &abi.ResultEvent{Call: v.ID, Server: "s", Value: value(t, `{}`), Bytes: 11 << 20}})
	if v := verdict(t, out); v.Outcome != abi.Deny || v.Enforced() != abi.Allow {
		t.Errorf("a big result: %+v", v)
	}
	r = start(t, load(t, "callgate: 1\npacks: none\nsettings: {default: deny, unlisted: allow}\n"))
	if v := verdict(t, r.call("s", "t", `{}`)); v.Enforced() != abi.Deny {
		t.Error("the twin without observe is not blocked")
	}
	out = r.step(abi.Event{Result: &abi.ResultEvent{Server: "s", Value: value(t, `{}`), Bytes: 11 << 20}})
	if v := verdict(t, out); v.Enforced() != abi.Deny {
		t.Error("a big result passes without observe")
	}
}

func TestAFloorHoldsBesideAnyPolicy(t *testing.T) {
	floor := "callgate: 1\ntools:\n  \"*/rm\": {verdict: deny}\n"
	r := start(t, load(t, open, floor))
	if got := r.outcome("s", "rm", `{}`); got != "deny COVERAGE_DENIED" {
		t.Error(got)
	}
	if got := r.outcome("s", "ls", `{}`); got[:5] != "allow" {
		t.Error(got)
	}
	user := open + "tools:\n  s/rm: {verdict: allow, replace: true}\n"
	r = start(t, load(t, user, floor))
	if got := r.outcome("s", "rm", `{}`); got != "deny COVERAGE_DENIED" {
		t.Error("a policy that allows beats the floor:", got)
	}
}

func TestAPolicyThatDoesNotLoadDeniesEverything(t *testing.T) {
	r := start(t, load(t, open))
	if got := r.outcome("s", "t", `{}`); got[:5] != "allow" {
		t.Error(got)
	}
	r.step(abi.Event{Policy: &abi.PolicyEvent{Policy: value(t, `{"callgate":99}`)}})
	if got := r.outcome("s", "t", `{}`); got != "deny POLICY_BROKEN" {
		t.Error(got)
	}
}
