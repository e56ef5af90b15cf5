package builtin

import (
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Budget refuses a call that would take more of a budget than is left.
//
// Policy:
//
//	tools: {mail/send: {max_calls: 5}}
//	budgets: [{name: mails-a-day, tools: ["*/send_*"], per: 24h, max: 50, count: successes, weight: /to}]
//
// What is used is counted by the gate; the contract compares. It abstains while
// every budget that applies has room for the whole charge of the call. Code:
// BUDGET_SPENT.
type Budget struct{}

// NewBudget makes the contract. Which budgets apply is in the snapshot, so it
// judges every call: those that are of no tool have what plugins leave of them.
func NewBudget(*contract.Rules) (contract.Contract, error) { return Budget{}, nil }

// Judge denies when a budget has no room, naming every one that has none.
func (Budget) Judge(s *abi.Snapshot) abi.Verdict {
	var all []violation
	for i := range s.Session.Budgets {
		b := &s.Session.Budgets[i]
		if roomFor(b) {
			continue
		}
		v := violation{outcome: abi.Deny, code: "BUDGET_SPENT", rule: b.Rule, at: s.Call.Kind.Subject()}
		if b.Plugin {
			v.reason, v.mend = fmt.Sprintf("plugin %q has left the session no more of these calls", b.Name), "start a new session, or see in callgate why of the calls before what it left"
		} else {
			v.reason = fmt.Sprintf("budget %q is spent: %s, this call takes %d, counted %s; it resets %s", b.Name, usedUp(b), b.Charge, perWhat(b), resets(b.Resets))
			v.mend = renew(b)
		}
		all = append(all, v)
	}
	return joined("budget", all)
}

// roomFor says whether the charge fits. Counters that can not be (negative)
// leave no room.
func roomFor(b *abi.BudgetUse) bool {
	return b.Used >= 0 && b.Charge >= 0 && b.Used <= b.Max && b.Charge <= b.Max-b.Used
}

// usedUp says how much was used, and how much more was refused: an attempt counts
// whatever becomes of it.
func usedUp(b *abi.BudgetUse) string {
	used := max(0, min(b.Used, b.Max))
	s := fmt.Sprintf("%d of %d used", used, b.Max)
	switch more := b.Used - used; {
	case more == 1:
		s += " and 1 more was refused"
	case more > 1:
		s += fmt.Sprintf(" and %d more were refused", more)
	}
	return s
}

// renew says what makes room in a budget.
func renew(b *abi.BudgetUse) string {
	switch {
	case b.Max == 0:
		return "raise its max in the policy: with 0 there is never room"
	case b.Charge > b.Max:
		return "name less in one call, or raise its max in the policy"
	case b.Zone == "" && b.Window == 0:
		return "start a new session, or raise its max in the policy"
	}
	return "wait until the budget resets, or raise its max in the policy"
}

func perWhat(b *abi.BudgetUse) string {
	if b.Zone != "" {
		return "per day in " + b.Zone
	}
	if b.Window == 0 {
		return "per session"
	}
	s := b.Window.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return "per " + s
}

func resets(at time.Time) string {
	if at.IsZero() {
		return "when the session ends"
	}
	return "at " + at.UTC().Format(time.RFC3339)
}
