package gate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
)

func (r *run) at(minutes int) {
	r.step(abi.Event{Time: time.Date(2026, 11, 29, 12, minutes, 0, 0, time.UTC)})
}

func budgetPolicy(entry string) string {
	return "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: deny}\nbudgets:\n  - {name: b, " + entry + "}\n"
}

func TestBudgetsCountWhatTheySay(t *testing.T) {
	ok, bad := `{"content":[]}`, `{"content":[],"isError":true}`
	type step struct {
		minute int
		tool   string
		args   string
		result string // "" none comes
		want   string
	}
	cases := []struct {
		name, budget string
		steps        []step
	}{
		{"attempts per session", "tools: [s/send], max: 2, per: session, count: attempts", []step{
			{0, "send", `{}`, bad, "allow"}, {1, "send", `{}`, bad, "allow"}, {2, "send", `{}`, "", "deny BUDGET_SPENT"},
			{900, "send", `{}`, "", "deny BUDGET_SPENT"}, {900, "read", `{}`, ok, "allow"},
		}},
		{"successes give failures back", "tools: [s/send], max: 2, per: session, count: successes", []step{
			{0, "send", `{}`, bad, "allow"}, {0, "send", `{}`, bad, "allow"}, {0, "send", `{}`, ok, "allow"}, {0, "send", `{}`, ok, "allow"},
			{0, "send", `{}`, "", "deny BUDGET_SPENT"},
		}},
		{"successes count what is under way", "tools: [s/send], max: 1, per: session, count: successes", []step{
			{0, "send", `{}`, "", "allow"}, {0, "send", `{}`, "", "deny BUDGET_SPENT"},
		}},
		{"a window slides", "tools: [s/send], max: 2, per: 10m, count: attempts", []step{
			{0, "send", `{}`, ok, "allow"}, {5, "send", `{}`, ok, "allow"}, {9, "send", `{}`, "", "deny BUDGET_SPENT"},
			{10, "send", `{}`, "", "deny BUDGET_SPENT"}, {25, "send", `{}`, ok, "allow"},
		}},
		{"a day ends at its own midnight", "tools: [s/send], max: 1, per: day@Asia/Kolkata, count: attempts", []step{
			{0, "send", `{}`, ok, "allow"}, {389, "send", `{}`, "", "deny BUDGET_SPENT"}, {390, "send", `{}`, ok, "allow"},
		}},
		{"a day outlives no midnight but its own", "tools: [s/send], max: 1, per: day@UTC, count: commits", []step{
			{0, "send", `{}`, ok, "allow"}, {719, "send", `{}`, "", "deny BUDGET_SPENT"}, {720, "send", `{}`, ok, "allow"},
		}},
		{"failures in a row", "tools: [s/send], max: 2, per: 5m, count: failures", []step{
			{0, "send", `{}`, bad, "allow"}, {0, "send", `{}`, ok, "allow"}, {1, "send", `{}`, bad, "allow"}, {1, "send", `{}`, bad, "allow"},
			{2, "send", `{}`, "", "deny BUDGET_SPENT"}, {6, "send", `{}`, ok, "allow"}, {6, "send", `{}`, ok, "allow"},
		}},
		{"failures in a session", "tools: [s/send], max: 1, per: session, count: failures", []step{
			{0, "send", `{}`, ok, "allow"}, {0, "send", `{}`, bad, "allow"}, {900, "send", `{}`, "", "deny BUDGET_SPENT"},
		}},
		{"commits in a window", "tools: [s/send], max: 1, per: 10m, count: commits", []step{
			{0, "send", `{}`, ok, "allow"}, {9, "send", `{}`, "", "deny BUDGET_SPENT"}, {10, "send", `{}`, ok, "allow"},
		}},
		{"tools share a budget", "tools: [s/send, s/forward], max: 1, per: session, count: attempts", []step{
			{0, "send", `{}`, ok, "allow"}, {0, "forward", `{}`, "", "deny BUDGET_SPENT"}, {0, "read", `{}`, ok, "allow"},
		}},
		{"weight is counted in elements", "tools: [s/send], max: 3, per: session, count: attempts, weight: /to", []step{
			{0, "send", `{"to":["a","b","c","d"]}`, "", "deny BUDGET_SPENT"},
			{0, "read", `{}`, ok, "allow"},
		}},
		{"weight counts addresses however they are written", "tools: [s/send], max: 2, per: session, count: commits, weight: /to", []step{
			{0, "send", `{"to":"a@x.example, b@x.example; c@x.example"}`, "", "deny BUDGET_SPENT"},
			{0, "send", `{"to":["a@x.example;b@x.example;c@x.example"]}`, "", "deny BUDGET_SPENT"},
			{0, "send", `{"to":"[\"a@x.example\",\"b@x.example\",\"c@x.example\"]"}`, "", "deny BUDGET_SPENT"},
			{0, "send", `{"to":[["a@x.example"],["b@x.example","c@x.example"]]}`, "", "deny BUDGET_SPENT"},
			{0, "send", `{"to":{"a@x.example":1,"b@x.example":1,"c@x.example":1}}`, "", "deny BUDGET_SPENT"},
			{0, "send", `{"to":[{"name":"A, B","email":"a@x.example"}]}`, ok, "allow"},
			{0, "send", `{"to":"\"Desk, Ops\" <a@x.example>"}`, ok, "allow"}, {0, "send", `{}`, "", "deny BUDGET_SPENT"},
		}},
		{"weight of allowed calls adds up", "tools: [s/send], max: 3, per: session, count: commits, weight: /to", []step{
			{0, "send", `{"to":["a","b"]}`, ok, "allow"}, {0, "send", `{"to":["a","b"]}`, "", "deny BUDGET_SPENT"}, {0, "send", `{"to":"a"}`, ok, "allow"},
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, load(t, budgetPolicy(c.budget)))
			r.tools("s", `{"name":"send"}`, `{"name":"forward"}`, `{"name":"read"}`)
			for i, s := range c.steps {
				r.at(s.minute)
				v := verdict(t, r.call("s", s.tool, s.args))
				got := v.Outcome.String()
				if v.Outcome == abi.Deny {
					got += " " + v.Code
				}
				if got != s.want {
					t.Errorf("step %d: %s; want %s (%s)", i, got, s.want, v.Reason)
				}
				if s.result != "" {
					r.result(v.ID, s.result)
				}
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestACallThatItsBatchTookBackIsNotCounted(t *testing.T) {
	r := start(t, load(t, budgetPolicy("tools: [s/send], max: 1, per: session, count: commits")))
	r.tools("s", `{"name":"send"}`)
	v := verdict(t, r.call("s", "send", `{}`))
	r.step(abi.Event{Refused: &abi.RefusedEvent{Server: "s", From: "client", Call: v.ID}})
	if got := r.outcome("s", "send", `{}`); got[:5] != "allow" {
		t.Error(got)
	}
	if got := r.outcome("s", "send", `{}`); got != "deny BUDGET_SPENT" {
		t.Error(got)
	}
}

func TestANewSessionStartsSessionBudgetsAnewAndKeepsTheOthers(t *testing.T) {
	for budget, want := range map[string]string{
		"tools: [s/send], max: 1, per: session, count: attempts": "allow",
		"tools: [s/send], max: 1, per: 24h, count: attempts":     "deny ",
	} {
		r := start(t, load(t, budgetPolicy(budget)))
		r.tools("s", `{"name":"send"}`)
		r.at(0)
		r.outcome("s", "send", `{}`)
		r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-2", New: true, Place: here}})
		if got := r.outcome("s", "send", `{}`); got[:5] != want {
			t.Errorf("%s: %s; want %s", budget, got, want)
		}
	}
}

func TestAFloorSaysWhatIsItsOwnAndNothingTwice(t *testing.T) {
	const floor = "callgate: 1\nbudgets:\n  - {name: low, tools: [s/send], max: 1}\n"
	cases := []struct {
		name, policy, floor string
		also                int
		rule                string
	}{
		{"the policy's budget is spent", budgetPolicy("tools: [s/send], max: 1"), "callgate: 1\n", 0, "policy.yaml"},
		{"the floor's budget is spent", budgetPolicy("tools: [s/send], max: 9"), floor, 0, "floor.yaml"},
		{"both deny the tool", "callgate: 1\npacks: none\ntools: {s/send: {verdict: deny}}\n", "callgate: 1\ntools: {s/send: {verdict: deny}}\n", 1, ""},
	}
	for _, c := range cases {
		r := start(t, load(t, c.policy, c.floor))
		r.tools("s", tool("send", "to"))
		r.call("s", "send", `{}`)
		v := verdict(t, r.call("s", "send", `{}`))
		again := 0
		for _, other := range v.Also {
			if other.Code == v.Code {
				again++
			}
		}
		if v.Outcome != abi.Deny || again != c.also || !strings.Contains(v.Rule, c.rule) {
			t.Errorf("%s: %s by %s, said %d times more; want deny by %s, %d times more", c.name, v.Outcome, v.Rule, again, c.rule, c.also)
		}
	}
	if len(cases) == 0 {
		t.Fatal("nothing was tried")
	}
}

func TestCallsThatAreNeverAnsweredDoNotPileUp(t *testing.T) {
	r := start(t, load(t, budgetPolicy("tools: [s/send], max: 100000, per: session, count: successes")))
	r.tools("s", `{"name":"send"}`)
	first := verdict(t, r.call("s", "send", `{}`)).ID
	for range 32768 {
		gate.Step(r.state, abi.Event{Seq: r.seq, Call: &abi.Call{Server: "s", Tool: "send", Arguments: value(t, `{}`)}})
		r.seq += 2
	}
	if _, _, ok := r.state.CallOf(first); ok {
		t.Error("the oldest of 32,769 calls is still waited for")
	}
	last := verdict(t, r.call("s", "send", `{}`))
	if _, _, ok := r.state.CallOf(last.ID); !ok || last.Outcome != abi.Allow {
		t.Error("the newest call is not waited for")
	}
}
