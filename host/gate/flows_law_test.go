package gate_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

// lawFlows is a policy layer with labels, flows, a chain and a condition.
const lawFlows = "labels:\n  - {name: seen, from: [s/read]}\n  - {name: out, from: [s/write], where: {path: /srv/out/**}, audience: [\"*@corp.example\"]}\n" +
	"flows:\n  - {name: sent, label: out, to: [s/send], verdict: deny}\n  - {name: carried, label: seen, to: [s/send, s/write], scope: value, verdict: ask}\n" +
	"chains: [{name: removed, from: [s/remove_item], to: [s/send], within: 2}]\n" +
	"tools:\n  \"s/wri*\": {when: {labels: [seen]}, args: [{slot: path, allow: [\"/srv/out/**\"]}]}\n"

// TestLawLabelsOnlyTighten: a session that was given more labels gives no looser
// verdict on anything that follows.
func TestLawLabelsOnlyTighten(t *testing.T) {
	judged, tightened := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := lawLoad(t, lawPolicy(t)+lawFlows[:0], "callgate: 1\n"+lawFlows)
		events, last := lawEvents(t), lawCall(t)
		labels := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"seen", "out", "other"}), func(s string) string { return s }).Draw(t, "labels")
		judge := func(more []string) abi.Outcome {
			r := newLawRun(p, builtin.Table(), "aaaaaa00")
			for _, e := range events {
				r.step(e)
			}
			if len(more) > 0 {
				gate.Fold(r.state, abi.Event{Label: &abi.LabelEvent{Call: "aaaaaa-0", Session: more, Data: more}})
			}
			o, _ := outcomeOf(r.step(last))
			return o
		}
		was, is := judge(nil), judge(labels)
		judged++
		if is < was {
			tightened++
		}
		if is > was {
			t.Fatalf("%v became %v by %q", was, is, labels)
		}
	})
	if tightened == 0 {
		t.Errorf("of %d calls none was tightened by a label", judged)
	}
}

// TestLawLabelsAreOnlyAdded: whatever happens in a session, it holds every label
// that it held, and files keep theirs over its end.
func TestLawLabelsAreOnlyAdded(t *testing.T) {
	given := 0
	rapid.Check(t, func(t *rapid.T) {
		p := lawLoad(t, lawPolicy(t), "callgate: 1\n"+lawFlows)
		r := newLawRun(p, builtin.Table(), "aaaaaa00")
		var held []string
		for _, e := range lawEvents(t) {
			for _, a := range r.step(e) {
				if a.Label != nil {
					given++
					held = append(held, a.Label.Session...)
				}
			}
			for _, l := range held {
				if !slices.Contains(gate.LabelsOf(r.state), l) {
					t.Fatalf("%q is gone: %q", l, gate.LabelsOf(r.state))
				}
			}
		}
	})
	if given == 0 {
		t.Error("no label was given")
	}
}

// TestTheLabelsOfASessionAreBounded: another process can write down as many as it
// likes; what is not kept counts as held.
func TestTheLabelsOfASessionAreBounded(t *testing.T) {
	const text = open + "labels: [{name: secret, from: [fs/read]}]\nflows: [{name: f, label: secret, to: [web/post]}, {name: v, label: secret, to: [web/put], scope: value}]\n"
	r := start(t, load(t, text))
	p := r.peer("web")
	p.tail(abi.Event{Label: &abi.LabelEvent{Call: "fedcba-0", Session: []string{"a", "b"}}})
	if got := r.outcome("web", "post", `{"body":"x"}`); got != "allow " {
		t.Error("two other labels:", got)
	}
	for i := range 2000 {
		p.tail(abi.Event{Label: &abi.LabelEvent{Call: fmt.Sprint("fedcba-", i), Session: []string{fmt.Sprint("l", i)}, Data: []string{fmt.Sprint("d", i)}}})
	}
	if n := len(gate.LabelsOf(r.state)); n > 256 {
		t.Errorf("%d labels are kept", n)
	}
	if got := r.outcome("web", "post", `{"body":"x"}`); got != "deny FLOW_SESSION" {
		t.Error("more labels than are kept:", got)
	}
}
