package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

const asking = "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\ntools:\n  pay/transfer: {verdict: ask}\n"

func askOf(t testing.TB, answers []abi.Event) *abi.AskEvent {
	t.Helper()
	for _, a := range answers {
		if a.Ask != nil {
			return a.Ask
		}
	}
	t.Fatal("no ask")
	return nil
}

func (r *run) answer(call string, yes bool) []abi.Event {
	return r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: call, Yes: yes, By: "test"}})
}

func TestAnApprovalHoldsForExactlyTheCallThatWasShownOnce(t *testing.T) {
	r := start(t, load(t, asking))
	q := askOf(t, r.call("pay", "transfer", `{"amount":5,"to":"acct-1"}`))
	if v := verdict(t, r.answer(q.Call, true)); v.Outcome != abi.Allow || v.Code != "APPROVED" || len(v.Also) == 0 {
		t.Fatalf("%+v", v)
	}
	if out := r.answer(q.Call, true); out != nil {
		t.Error("an answer counts twice")
	}
	if got := r.outcome("pay", "transfer", `{"amount":5,"to":"acct-1"}`); got[:3] != "ask" {
		t.Error("the same call again is not asked again:", got)
	}
	if got := r.outcome("pay", "transfer", `{"amount":5,"to":"acct-9"}`); got[:3] != "ask" {
		t.Error("other arguments:", got)
	}
	if out := r.answer("abcdef-999", true); out != nil {
		t.Error("an answer to a question nobody asked")
	}
}

func TestADeclinedCallIsDenied(t *testing.T) {
	r := start(t, load(t, asking))
	q := askOf(t, r.call("pay", "transfer", `{}`))
	if v := verdict(t, r.answer(q.Call, false)); v.Outcome != abi.Deny || v.Code != "DECLINED" {
		t.Errorf("%+v", v)
	}
	if out := r.answer(q.Call, true); out != nil {
		t.Error("yes after no counts")
	}
}

func TestAnAnswerToAChangedQuestionDoesNotCount(t *testing.T) {
	cases := []struct {
		name   string
		change func(*run)
		want   string
	}{
		{"nothing changed", func(*run) {}, "allow APPROVED"},
		{"the tool's definition", func(r *run) { r.tools("pay", tool("transfer", "amount")) }, "deny APPROVAL_STALE"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, load(t, asking))
			q := askOf(t, r.call("pay", "transfer", `{"amount":5}`))
			c.change(r)
			v := verdict(t, r.answer(q.Call, true))
			if got := v.Outcome.String() + " " + v.Code; got != c.want {
				t.Errorf("%s; want %s", got, c.want)
			}
		})
	}
}

func TestAnApprovedCallSpendsItsAttemptOnce(t *testing.T) {
	text := asking + "budgets:\n  - {name: b, tools: [pay/transfer], max: 2, per: session, count: attempts}\n"
	r := start(t, load(t, text))
	r.tools("pay", tool("transfer"))
	for i := 0; i < 2; i++ {
		q := askOf(t, r.call("pay", "transfer", `{}`))
		if v := verdict(t, r.answer(q.Call, true)); v.Outcome != abi.Allow {
			t.Errorf("call %d: %+v", i, v)
		}
	}
	if got := r.outcome("pay", "transfer", `{}`); got != "deny BUDGET_SPENT" {
		t.Error(got)
	}
}

func TestOnlyTheNewestQuestionsStayOpen(t *testing.T) {
	r := start(t, load(t, strings.Replace(asking, "unlisted: allow", "unlisted: allow, max_asks: 100", 1)))
	first := askOf(t, r.call("pay", "transfer", `{}`))
	var last *abi.AskEvent
	for i := 0; i < 64; i++ {
		last = askOf(t, r.call("pay", "transfer", fmt.Sprintf(`{"amount":%d}`, i)))
	}
	if out := r.answer(first.Call, true); out != nil {
		t.Error("a question out of 65 is still open")
	}
	if v := verdict(t, r.answer(last.Call, true)); v.Outcome != abi.Allow {
		t.Error("the newest question is closed")
	}
}

func TestAResultOverTheLimitIsKeptBack(t *testing.T) {
	r := start(t, load(t, "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow, max_result_bytes: 100}\n"))
	for _, c := range []struct {
		bytes int64
		deny  bool
	}{{100, false}, {101, true}} {
		v := verdict(t, r.call("s", "t", `{}`))
		out := r.step(abi.Event{Result: &abi.ResultEvent{Call: v.ID, Server: "s", Value: value(t, `{}`), Bytes: c.bytes}})
		if got := len(out) == 1 && out[0].Verdict.Code == "RESULT_SIZE"; got != c.deny {
			t.Errorf("%d bytes: kept back %v", c.bytes, got)
		}
	}
}
