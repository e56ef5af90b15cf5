package gate_test

import (
	"fmt"
	"testing"
)

// What a plugin leaves of a call holds for every kind of call, not for tools alone,
// and for that one target.
func TestWhatPluginsLeaveHoldsForEveryKind(t *testing.T) {
	for _, k := range kinds {
		for left, want := range map[int]string{0: "allow  deny BUDGET_SPENT deny BUDGET_SPENT", 1: "allow  allow  deny BUDGET_SPENT", 9: "allow  allow  allow "} {
			f := fakes{"p": in("call", fmt.Sprintf(`{"outcome":"abstain","budget":{"calls":%d}}`, left)), "q": in("call", abstains)}
			r := startPlugins(t, f, binding("p", "q"))
			got := r.judged(of(t, k.kind, k.text)) + " " + r.judged(of(t, k.kind, k.text)) + " " + r.judged(of(t, k.kind, k.text))
			if got != want {
				t.Errorf("%s, %d left: %s; want %s", k.kind, left, got, want)
			}
			r.again(f)
		}
	}
	if len(kinds) == 0 {
		t.Fatal("no kinds")
	}
}
