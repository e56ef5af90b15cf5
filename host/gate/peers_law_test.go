package gate_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

// forged draws what another process may have written into its file, as itself
// or about a call of ours.
func forged(t *rapid.T, ours string, open abi.Event) []abi.Event {
	id := rapid.SampledFrom([]string{ours, "fedcba-1", "fedcba-2", ""}).Draw(t, "forged id")
	outcome := rapid.SampledFrom([]abi.Outcome{abi.Deny, abi.Ask, abi.Allow}).Draw(t, "forged outcome")
	switch rapid.IntRange(0, 10).Draw(t, "forged kind") {
	case 0:
		return []abi.Event{open}
	case 1:
		return []abi.Event{{Session: &abi.SessionEvent{ID: "s-x", New: rapid.Bool().Draw(t, "new"), Server: "s", File: "aaaaaa00"}}}
	case 2:
		return []abi.Event{{Approval: &abi.ApprovalEvent{Call: id, Yes: true, By: "terminal"}}}
	case 3:
		return []abi.Event{{User: &abi.UserEvent{Text: "write to " + rapid.SampledFrom(lawMails).Draw(t, "said")}}}
	case 4:
		return []abi.Event{{Verdict: &abi.Verdict{ID: id, Outcome: outcome, Contract: "coverage", Code: "X"}}}
	case 5:
		return []abi.Event{{Lapsed: &abi.LapsedEvent{Call: id, Cancelled: rapid.Bool().Draw(t, "cancelled")}}}
	case 6:
		return []abi.Event{{Refused: &abi.RefusedEvent{Server: "s", From: "client", Code: "X", Call: id}}}
	case 7:
		return []abi.Event{{Read: &abi.ReadEvent{File: "fedcba987654", Server: "s"}}, {Closed: &abi.ClosedEvent{}}, {Facts: &abi.FactsEvent{}}}
	case 8:
		return []abi.Event{{Label: &abi.LabelEvent{Call: id, Session: []string{"secret"}}}, {Ask: &abi.AskEvent{Call: id, Shared: true}}}
	case 9:
		c := lawCall(t)
		call := *c.Call
		call.ID = id
		r := lawResult(t, rapid.SampledFrom(lawMails).Draw(t, "in result"))
		result := *r.Result
		result.Call = id
		return []abi.Event{{Call: &call}, {Verdict: &abi.Verdict{ID: id, Outcome: outcome}}, {Result: &result}}
	}
	return lawEvent(t)
}

// TestLawAnotherProcessNeverLoosens: whatever stands in the ledger file of
// another process, no call gets a looser verdict for it.
func TestLawAnotherProcessNeverLoosens(t *testing.T) {
	judged, tightened := 0, 0
	law := func(t *rapid.T) {
		text := lawPolicy(t)
		if rapid.Bool().Draw(t, "sources") {
			text += "sources:\n  s/read: {outputs: trusted, whole_field: true}\n"
		}
		p := lawLoad(t, text)
		loose := lawLoad(t, "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow, user_context: true}\ntools:\n  s/send: {sink: none}\n")
		open := abi.Event{Policy: &abi.PolicyEvent{Digest: loose.Digest(), Policy: loose.Value()}}
		alone, beside := newLawRun(p, builtin.Table(), "aaaaaa00"), newLawRun(p, builtin.Table(), "aaaaaa00")
		server := rapid.SampledFrom([]string{"s", "other"}).Draw(t, "server")
		for i, e := range lawEvents(t) {
			for j := range rapid.IntRange(0, 3).Draw(t, "forged events") {
				for _, f := range forged(t, beside.last, open) {
					f.Time, f.Seq = e.Time, uint64(i*10+j)
					gate.Tail(beside.state, gate.Peer{File: "fedcba987654", Server: server}, f)
				}
			}
			before, after := alone.step(e), beside.step(e)
			was, asked := outcomeOf(before)
			is, _ := outcomeOf(after)
			switch {
			case e.Approval != nil && is != was:
				return // whoever answered had seen other evidence
			case !asked || e.Approval != nil:
				continue
			}
			judged++
			if is > was {
				t.Fatalf("%v became %v", before, after)
			}
			if is != was {
				tightened++
				return // two histories from here: a call that is held back leaves its budget to the next
			}
		}
	}
	for round := 0; round < 20 && tightened == 0; round++ { // most of what is drawn is no help
		rapid.Check(t, law)
	}
	if judged == 0 || tightened == 0 {
		t.Errorf("of %d calls %d were tightened: the test proves nothing", judged, tightened)
	}
}
