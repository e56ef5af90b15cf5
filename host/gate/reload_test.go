package gate_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/policy"
)

// A call that waits for an answer is judged again under the policy that comes,
// and an answer to the old question is none to the new one.
func TestACallThatWaitsIsJudgedAgainUnderANewPolicy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := map[abi.Outcome]string{}
		for _, word := range lawTokens {
			o, _ := abi.ParseOutcome(word)
			texts[o] = "callgate: 1\npacks: none\nsettings: {default: deny, unlisted: allow}\ntools: {s/read: {verdict: " + word + "}}\n"
		}
		to := abi.Outcome(rapid.SampledFrom([]abi.Outcome{abi.Deny, abi.Ask, abi.Allow}).Draw(t, "to"))
		other := texts[to] + "budgets: [{name: x, tools: [s/other], max: 1}]\n" // ask to ask is another policy, too
		r := newLawRun(lawLoad(t, texts[abi.Ask]), builtin.Table(), "aaaaaa00")
		args, _ := abi.Parse([]byte(`{"id":"7"}`))
		if o, _ := outcomeOf(r.step(abi.Event{Call: &abi.Call{Server: "s", Tool: "read", Arguments: args}})); o != abi.Ask {
			t.Fatalf("%v; want a question", o)
		}
		held := rapid.Bool().Draw(t, "held")
		if !held {
			r.step(abi.Event{Lapsed: &abi.LapsedEvent{Call: r.last}})
		}
		p := lawLoad(t, other)
		answers := r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
		got, judged := outcomeOf(answers)
		if judged != held || held && got != to {
			t.Fatalf("judged %v as %v; held %v, want %v", judged, got, held, to)
		}
		if r.state.Waits() != (held && to == abi.Ask) {
			t.Fatalf("waits: %v", r.state.Waits())
		}
		// The same meaning in other words changes nothing.
		same := lawLoad(t, "# other lines\n\n"+other)
		if again := r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: same.Digest(), Policy: same.Value()}}); len(again) > 0 {
			t.Fatalf("a policy that means the same: %v", again)
		}
		if held && to == abi.Ask {
			if o, _ := outcomeOf(r.step(abi.Event{Approval: &abi.ApprovalEvent{Yes: true, By: "test"}})); o != abi.Allow {
				t.Fatalf("the answer to the new question: %v", o)
			}
		}
	})
}

// What was measured of a server, and what belongs to Callgate, is of this process
// alone.
func TestFactsOfThePastAreNoFacts(t *testing.T) {
	digest := "00000000000000000000000000000000000000000000000000000000000000aa"
	text := "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\nservers: {s: {attest: {sha256: " + digest + "}}}\n"
	p, err := policy.Load(policy.Options{Files: []string{"/0.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return []byte(text), nil }})
	if err != nil {
		t.Fatal(err)
	}
	facts, _ := abi.Parse([]byte(`{"attest":{"s":{"sha256":"` + digest + `"}}}`))
	measured := abi.Event{Facts: &abi.FactsEvent{Facts: facts}}
	call := func(r *lawRun) abi.Outcome {
		args, _ := abi.Parse([]byte(`{}`))
		o, _ := outcomeOf(r.step(abi.Event{Call: &abi.Call{Server: "s", Tool: "read", Arguments: args}}))
		return o
	}
	r := newLawRun(p, builtin.Table(), "aaaaaa00")
	if o := call(r); o != abi.Deny {
		t.Errorf("nothing was measured: %v", o)
	}
	gate.Fold(r.state, measured)
	gate.Tail(r.state, gate.Peer{File: "bbbbbbbbbbbb", Server: "s"}, measured)
	if o := call(r); o != abi.Deny {
		t.Errorf("measured by an earlier process, and by another one: %v", o)
	}
	r.step(measured)
	if o := call(r); o != abi.Allow {
		t.Errorf("measured: %v", o)
	}
}

// What comes back is held against the rules of the policy under which its call went
// out, and against those of the one that is in force by then.
func TestAResultIsHeldAgainstThePolicyThatCameMeanwhile(t *testing.T) {
	rule := open + "tools: {s/read: {results: [{arg: /structuredContent/place, in: [w-1]}]}}\n"
	for _, c := range []struct {
		name, before, after, place string
		want                       abi.Outcome
	}{
		{"no rule", open, open, "w-2", abi.Allow},
		{"a rule all along", rule, rule, "w-2", abi.Deny},
		{"a rule that came meanwhile", open, rule, "w-2", abi.Deny},
		{"a rule that came meanwhile, and is met", open, rule, "w-1", abi.Allow},
		{"a rule that was taken back by a person", rule, open, "w-2", abi.Allow},
		{"beside another one", open + "tools: {s/other: {results: [{arg: /x, forbid: true}]}}\n", rule, "w-2", abi.Deny},
	} {
		load := func(text string) *policy.Policy {
			p, ok := tryLoad([]string{text, open}, false)
			if !ok {
				t.Fatalf("%s does not load", text)
			}
			return p
		}
		r := newLawRun(load(c.before), builtin.Table(), "aaaaaa00")
		args, _ := abi.Parse([]byte(`{"id":"7"}`))
		if o, _ := outcomeOf(r.step(abi.Event{Call: &abi.Call{Server: "s", Tool: "read", Arguments: args}})); o != abi.Allow {
			t.Fatalf("%s: the call is %v", c.name, o)
		}
		p := load(c.after)
		r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
		v, _ := abi.Parse([]byte(`{"content":[],"structuredContent":{"place":"` + c.place + `"}}`))
		got, judged := outcomeOf(r.step(abi.Event{Result: &abi.ResultEvent{Call: "last", Server: "s", Value: v}}))
		if !judged {
			got = abi.Allow
		}
		if got != c.want {
			t.Errorf("%s: %v; want %v", c.name, got, c.want)
		}
	}
}
