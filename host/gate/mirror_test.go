package gate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

// teller hands the events of a process to a state that did not judge them.
type teller func(e abi.Event)

func (tell teller) asks(id string) {
	tell(abi.Event{Call: &abi.Call{ID: id, Server: "pay", Tool: "send"}})
	tell(abi.Event{Verdict: &abi.Verdict{ID: id, Outcome: abi.Ask, Contract: "coverage", Code: "X"}})
	tell(abi.Event{Ask: &abi.AskEvent{Call: id, Fingerprint: id}})
}

// retold starts a state that was told of a process, as a peer or as the past of
// its own server, and lists the tool that both have.
func retold(t *testing.T, text, how string, events func(teller)) *run {
	t.Helper()
	p := load(t, text)
	r := &run{t: t, state: gate.New(gate.Options{Specs: builtin.Table()})}
	r.step(abi.Event{Time: lawClock, Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	tell := map[string]teller{
		"peer": func(e abi.Event) { gate.Tail(r.state, gate.Peer{File: "fedcba987654", Server: "pay"}, e) },
		"past": func(e abi.Event) { gate.Fold(r.state, e) },
	}[how]
	at := lawClock
	list := abi.Event{Tools: &abi.ToolsEvent{Server: "pay", List: []abi.Value{value(t, tool("send", "to"))}}}
	timed := teller(func(e abi.Event) {
		at = at.Add(time.Millisecond)
		e.Time = at
		tell(e)
	})
	timed(abi.Event{Session: &abi.SessionEvent{ID: "s-0", Server: "pay", File: "fedcba987654", Place: here}})
	timed(list)
	events(timed)
	r.step(abi.Event{Time: at, Session: &abi.SessionEvent{ID: "s-1", Server: "pay", File: "abcdef0123", Place: here}})
	list.Time = at
	r.step(list)
	return r
}

// A process lets go of calls that nobody waits for before those that are held,
// and so must whoever counts what becomes of its calls.
func TestAYesInAnotherProcessCountsHoweverManyQuestionsCameBetween(t *testing.T) {
	policy := open + "budgets:\n  - {name: sends, tools: [\"*/send\"], max: 1, per: session, count: commits}\n"
	tried := 0
	for _, how := range []string{"peer", "past"} {
		for _, n := range []int{0, 10, 100} {
			for _, yes := range []bool{true, false} {
				r := retold(t, policy, how, func(tell teller) {
					tell.asks("fedcba-1")
					for i := range n {
						id := fmt.Sprintf("fedcba-%d", i+2)
						tell.asks(id)
						tell(abi.Event{Lapsed: &abi.LapsedEvent{Call: id, Cancelled: i%2 == 0}})
					}
					if yes {
						tell(abi.Event{Verdict: &abi.Verdict{ID: "fedcba-1", Outcome: abi.Allow, Contract: "approval", Code: "APPROVED"}})
					}
				})
				want := map[bool]string{true: "deny BUDGET_SPENT", false: "allow"}[yes]
				if got := r.outcome("pay", "send", `{}`); !strings.HasPrefix(got, want) {
					t.Errorf("%s, %d questions between, yes %v: %s; want %s", how, n, yes, got, want)
				}
				tried++
			}
		}
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}

// Calls that fail give back what they took themselves, and not what others did,
// even where more were under way than the budget has.
func TestFailedCallsGiveBackTheirOwnChargesOnly(t *testing.T) {
	tried := 0
	for _, how := range []string{"peer", "past"} {
		for _, per := range []string{"session", "1h"} {
			for _, both := range []bool{true, false} {
				policy := open + "budgets:\n  - {name: sends, tools: [\"*/send\"], max: 2, per: " + per + ", count: successes}\n"
				r := retold(t, policy, how, func(tell teller) {
					for i := range 6 { // under another policy, as it allows more
						id := fmt.Sprintf("fedcba-%d", i)
						tell(abi.Event{Call: &abi.Call{ID: id, Server: "pay", Tool: "send"}})
						tell(abi.Event{Verdict: &abi.Verdict{ID: id, Outcome: abi.Allow, Contract: "coverage", Code: "X"}})
						if i == 1 && !both {
							continue
						}
						if i < 2 {
							tell(abi.Event{Result: &abi.ResultEvent{Call: id, Server: "pay", Value: value(t, `{"content":[]}`)}})
						}
					}
					for i := 2; i < 6; i++ {
						tell(abi.Event{Result: &abi.ResultEvent{Call: fmt.Sprintf("fedcba-%d", i), Server: "pay", Value: value(t, `{"content":[],"isError":true}`)}})
					}
					if !both {
						tell(abi.Event{Result: &abi.ResultEvent{Call: "fedcba-1", Server: "pay", Value: value(t, `{"content":[],"isError":true}`)}})
					}
				})
				want := map[bool]string{true: "deny BUDGET_SPENT", false: "allow"}[both]
				if got := r.outcome("pay", "send", `{}`); !strings.HasPrefix(got, want) {
					t.Errorf("%s, per %s, both succeeded %v: %s; want %s", how, per, both, got, want)
				}
				tried++
			}
		}
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}
