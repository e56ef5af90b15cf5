package gate_test

import (
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

const continued = "callgate: 1\npacks: none\nsettings: {default: ask, max_asks: 2}\nservers: {s: {resources: {verdict: ask}}}\ntools: {s/pay: {verdict: ask, risk: high}}\n"

// pay is a call of s/pay that goes on with another one.
func pay(t testing.TB, args, of string) *abi.Call {
	return &abi.Call{Server: "s", Tool: "pay", Arguments: value(t, args), Continues: of}
}

// let has a person let a call go, and returns its id.
func (r *run) let(c *abi.Call) string {
	r.t.Helper()
	v := verdict(r.t, r.step(abi.Event{Call: c}))
	if v.Outcome != abi.Ask {
		r.t.Fatalf("no question: %v", v)
	}
	v = verdict(r.t, r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: v.ID, Yes: true, By: abi.ChannelTerminal}}))
	if v.Outcome != abi.Allow {
		r.t.Fatalf("not let go: %v", v)
	}
	return v.ID
}

func TestACallGoesOnWithOneThatAPersonLetGo(t *testing.T) {
	r := start(t, load(t, continued))
	r.tools("s", tool("pay", "n"), tool("other", "n"))
	first := r.let(pay(t, `{"n":"a"}`, ""))
	for i := range 5 { // more than max_asks: none of them is a question
		out := r.step(abi.Event{Call: pay(t, `{"n":"a"}`, first)})
		v := verdict(t, out)
		if v.Outcome != abi.Allow || v.Code != "APPROVED" || v.Reason != "approved by "+abi.ChannelTerminal {
			t.Fatalf("retry %d: %v", i, v)
		}
		for _, a := range out {
			if a.Ask != nil {
				t.Error("a question all the same")
			}
		}
		first = v.ID // each is a step of its own
	}
	for name, c := range map[string]*abi.Call{
		"other arguments":  pay(t, `{"n":"b"}`, first),
		"nothing goes on":  pay(t, `{"n":"a"}`, ""),
		"a forged id":      pay(t, `{"n":"a"}`, "abcdef-999"),
		"another tool":     {Server: "s", Tool: "other", Arguments: value(t, `{"n":"a"}`), Continues: first},
		"another server":   {Server: "t", Tool: "pay", Arguments: value(t, `{"n":"a"}`), Continues: first},
		"another kind":     {Kind: abi.KindMethod, Method: "pay", Server: "s", Params: value(t, `{"n":"a"}`), Continues: first},
		"a task of it":     {Server: "s", Tool: "pay", Arguments: value(t, `{"n":"a"}`), Task: value(t, `{}`), Continues: first},
		"a digest of lies": {Server: "s", Tool: "pay", Arguments: value(t, `{"n":"b"}`), Digest: value(t, `{"n":"a"}`).Digest(), Continues: first},
	} {
		r := start(t, load(t, continued))
		r.tools("s", tool("pay", "n"), tool("other", "n"))
		r.tools("t", tool("pay", "n"))
		r.let(pay(t, `{"n":"a"}`, ""))
		if v := verdict(t, r.step(abi.Event{Call: c})); v.Code == "APPROVED" {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func TestNothingGoesOnWithWhatWasNotLetGo(t *testing.T) {
	for _, yes := range []bool{true, false} {
		r := start(t, load(t, continued))
		r.tools("s", tool("pay", "n"))
		v := verdict(t, r.step(abi.Event{Call: pay(t, `{"n":"a"}`, "")}))
		r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: v.ID, Yes: yes, By: abi.ChannelTerminal}})
		want := map[bool]string{true: "allow APPROVED", false: "ask COVERAGE_ASK"}[yes]
		if got := r.judged(pay(t, `{"n":"a"}`, v.ID)); got != want {
			t.Errorf("answered %v: %s; want %s", yes, got, want)
		}
	}
	r := start(t, load(t, continued))
	r.tools("s", tool("pay", "n"))
	open := verdict(t, r.step(abi.Event{Call: pay(t, `{"n":"a"}`, "")}))
	if got := r.judged(pay(t, `{"n":"a"}`, open.ID)); got != "ask COVERAGE_ASK" {
		t.Errorf("while the question is open: %s", got)
	}
}

// TestADestinationThatWasApprovedIsNotAskedForAgain: the first answer vouches for
// the destination, so that less is asked of the retry, and nothing else.
func TestADestinationThatWasApprovedIsNotAskedForAgain(t *testing.T) {
	text := "callgate: 1\npacks: none\nsettings: {default: ask}\ntools: {s/pay: {verdict: ask, sink: {to: [to]}}}\n"
	r := start(t, load(t, text))
	r.tools("s", tool("pay", "to"))
	first := r.let(pay(t, `{"to":"a@partner.example"}`, ""))
	if got := r.judged(pay(t, `{"to":"a@partner.example"}`, first)); got != "allow APPROVED" {
		t.Errorf("the retry: %s", got)
	}
	r = start(t, load(t, text))
	r.tools("s", tool("pay", "to"))
	first = r.let(pay(t, `{"to":"a@partner.example"}`, ""))
	r.step(abi.Event{Frame: &abi.FrameEvent{Server: "s", Frame: value(t, `{"note":"pay a@partner.example"}`)}})
	if got := r.judged(pay(t, `{"to":"a@partner.example"}`, first)); got != "ask SINK_TAINTED" {
		t.Errorf("with other evidence: %s", got)
	}
}

func TestAnotherPolicyOrSessionEndsWhatGoesOn(t *testing.T) {
	for name, change := range map[string]func(*run){
		"nothing": func(*run) {},
		"policy": func(r *run) {
			p := load(t, continued+"budgets: [{name: b, tools: [s/pay], max: 9}]\n")
			r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
		},
		"session": func(r *run) {
			r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-2", File: "abcdef0123", New: true, Place: here}})
			r.tools("s", tool("pay", "n"))
		},
		"64 others": func(r *run) {
			for range 64 {
				r.judged(pay(t, `{"n":"b"}`, r.let(&abi.Call{Kind: abi.KindResource, Server: "s", URI: "docs://x"})))
			}
		},
	} {
		many := continued
		if name == "64 others" {
			many = "callgate: 1\npacks: none\nsettings: {default: ask, max_asks: 1000}\nservers: {s: {resources: {verdict: ask}}}\ntools: {s/pay: {verdict: ask}}\n"
		}
		r := start(t, load(t, many))
		r.tools("s", tool("pay", "n"))
		first := r.let(pay(t, `{"n":"a"}`, ""))
		change(r)
		want := "ask COVERAGE_ASK"
		if name == "nothing" {
			want = "allow APPROVED"
		}
		if got := r.judged(pay(t, `{"n":"a"}`, first)); got != want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
}

func TestWhatGoesOnReplays(t *testing.T) {
	r := start(t, load(t, continued))
	r.tools("s", tool("pay", "n"))
	first := r.let(pay(t, `{"n":"a"}`, ""))
	r.judged(pay(t, `{"n":"a"}`, first))
	state := gate.New(gate.Options{Specs: builtin.Table()})
	var recorded, replayed []string
	for _, e := range r.events {
		back, err := abi.ParseEvent(e.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if e.Caused {
			recorded = append(recorded, e.String())
			continue
		}
		for _, a := range gate.Step(state, back) {
			replayed = append(replayed, a.String())
		}
	}
	if len(recorded) == 0 || len(recorded) != len(replayed) {
		t.Fatalf("%d answers, then %d", len(recorded), len(replayed))
	}
	for i := range recorded {
		if recorded[i] != replayed[i] {
			t.Errorf("%s\nthen\n%s", recorded[i], replayed[i])
		}
	}
}
