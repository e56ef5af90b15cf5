package provenance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestTheDestinationsOfACallShareABudget: a call that names very many is not
// searched for all of them to the end, and what is not found for that asks.
func TestTheDestinationsOfACallShareABudget(t *testing.T) {
	x := newIndex(Options{}, tuning{block: 300, budget: 8, grade: 8})
	const crowd = 400
	for n := range crowd {
		x.Record(textResult(fmt.Sprint("c-", n), "s", "t", strings.Repeat("filling ", 40)+fmt.Sprintf("box%d@rogue.example", n)))
	}
	name := func(n int) abi.Value { return abi.StringValue(fmt.Sprintf("box%d@rogue.example", n)) }
	ask := func(from, count int) []abi.Finding {
		var list []abi.Value
		var wanted []abi.Wanted
		for n := range count {
			list = append(list, name(from+n))
			wanted = append(wanted, abi.Wanted{At: fmt.Sprint("/", n)})
		}
		return x.Explain(abi.ArrayValue(list...), wanted)
	}
	strongest := func(f abi.Finding) abi.Position { return f.Evidence[0].Position }
	saturated := func(f abi.Finding) bool { return f.Evidence[len(f.Evidence)-1].Position == abi.Saturated }

	all := ask(0, crowd)
	cut := 0
	for n, f := range all {
		if len(f.Evidence) == 0 || strongest(f) != abi.Prose && !saturated(f) {
			t.Fatalf("destination %d: got %+v, want where it stands or what asks", n, f.Evidence)
		}
		cut += boolInt(saturated(f))
	}
	if strongest(all[0]) != abi.Prose || saturated(all[0]) || cut == 0 {
		t.Errorf("the first has %+v, and %d of %d are cut; want some, but not the first", all[0].Evidence, cut, crowd)
	}
	// Alone, and after the others, each has a budget of its own.
	for _, n := range []int{0, crowd / 2, crowd - 1} {
		if f := ask(n, 1)[0]; strongest(f) != abi.Prose || saturated(f) {
			t.Errorf("destination %d alone: got %+v", n, f.Evidence)
		}
	}
}

// TestALargeRecordIsReadOnceForACall: it is heavier than what is kept, and every
// destination stands in it.
func TestALargeRecordIsReadOnceForACall(t *testing.T) {
	store := &counted{}
	x := newIndex(Options{Text: store}, tuning{})
	var b strings.Builder
	for n := range 40 {
		fmt.Fprintf(&b, "box%d@rogue.example %s\n", n, strings.Repeat("filling ", keptReadings/8/40))
	}
	v := textValue(b.String())
	x.Record(abi.Event{Result: &abi.ResultEvent{Call: "c", Server: "s"}, Text: store.put(v)})
	var list []abi.Value
	var wanted []abi.Wanted
	for n := range 20 {
		list = append(list, abi.StringValue(fmt.Sprintf("box%d@rogue.example", n)))
		wanted = append(wanted, abi.Wanted{At: fmt.Sprint("/", n)})
	}
	store.whole = 0
	for n, f := range x.Explain(abi.ArrayValue(list...), wanted) {
		if len(f.Evidence) == 0 || f.Evidence[0].Position != abi.Prose {
			t.Errorf("destination %d: got %+v", n, f.Evidence)
		}
	}
	if store.whole != 1 {
		t.Errorf("the record was read %d times, want once", store.whole)
	}
	if x.readings.sum > keptReadings {
		t.Errorf("%d bytes are kept for the next call", x.readings.sum)
	}
}

// counted counts how often a text is read whole.
type counted struct {
	kept
	whole int
}

func (c *counted) ReadText(t abi.Text, dst []byte, at int64) error {
	if int64(len(dst)) == t.Length {
		c.whole++
	}
	return c.kept.ReadText(t, dst, at)
}
