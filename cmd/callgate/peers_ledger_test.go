package main_test

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/host/ledger"
)

// peerTwoAtOnce does as clients do that start a server twice to find out what
// it speaks.
func peerTwoAtOnce(t *testing.T, p peers) {
	g := p.gate(t, "everything", denyEnv)
	command := g.before(p.server("everything", "stdio"))
	first, second := p.start(t, command), p.start(t, command)
	both := []*live{first, second}
	for _, l := range both {
		l.greet()
	}
	for _, l := range both {
		wantText(t, l.call("a", "echo", object{"message": "a"}), "Echo: a")
		wantDenied(t, l.call("b", "get-env", object{}), "coverage", "COVERAGE_DENIED")
	}
	second.close()
	second.wantEnd(0)
	wantText(t, first.call("c", "echo", object{"message": "c"}), "Echo: c")
	first.close()
	first.wantEnd(0)
	got := g.verdicts(t)
	slices.Sort(got)
	want := []string{"allow coverage", "allow coverage", "allow coverage", "deny coverage", "deny coverage"}
	if !slices.Equal(got, want) {
		t.Errorf("the ledgers have the verdicts %q, want %q", got, want)
	}
	third := p.start(t, command)
	third.greet()
	wantText(t, third.call("d", "echo", object{"message": "d"}), "Echo: d")
	third.close()
	third.wantEnd(0)
	reports, err := ledger.VerifyGroup(g.ledger)
	if err != nil || len(reports) != 3 {
		t.Fatalf("%d ledger files, %v; want three that verify", len(reports), err)
	}
	if last := reports[2]; last.First != reports[0].Last && last.First != reports[1].Last {
		t.Errorf("the third file starts after %s; want the end of one of those before it", last.First)
	}
}

func peerRestart(t *testing.T, p peers) {
	g := p.gate(t, "everything", allowAll+"tools: {everything/echo: {max_calls: 2}}\n")
	for i, want := range []string{"allow", "allow", "deny", "deny"} {
		l := p.start(t, g.before(p.server("everything", "stdio")))
		l.greet()
		r := l.call("echo", "echo", object{"message": "again"})
		if want == "allow" {
			wantText(t, r, "Echo: again")
		} else {
			wantDenied(t, r, "budget", "BUDGET_SPENT")
		}
		wantText(t, l.call("sum", "get-sum", object{"a": i, "b": 1}), "The sum of")
		l.close()
		l.wantEnd(0)
	}
	reports, err := ledger.VerifyGroup(g.ledger)
	if err != nil || len(reports) != 4 {
		t.Fatalf("%d ledger files, %v; want four that verify", len(reports), err)
	}
	for i := 1; i < len(reports); i++ {
		if reports[i].First != reports[i-1].Last {
			t.Errorf("file %d starts after %s; want %s", i, reports[i].First, reports[i-1].Last)
		}
	}
}
