package provenance

import (
	"reflect"
	"testing"

	"github.com/callgate/callgate/abi"
)

// appendixCase is one line of the evasion catalogue: what a server wrote, what
// a call then names, and how the best evidence must be graded.
type appendixCase struct {
	n       int
	family  string
	name    string
	text    string
	value   string
	trusted []string
	user    string
	want    abi.Position // of the best evidence over all parts
	spoiled string       // of some part
	origin  abi.Origin   // of the least trusted part
}

// families says of what kind the cases of the catalogue are, by the number of the
// last of each run.
var families = []struct {
	last   int
	family string
}{
	{7, "spaces"}, {17, "mail"}, {20, "lists"}, {24, "hidden"}, {26, "forms"}, {29, "alike"}, {31, "forms"}, {34, "domains"}, {35, "hidden"},
	{41, "escapes"}, {42, "tags"}, {46, "escapes"}, {51, "encodings"}, {59, "spelled"}, {63, "parts"}, {80, "urls"}, {86, "ip"}, {93, "numbers"},
	{100, "handles"}, {102, "repositories"}, {104, "names"}, {111, "paths"}, {113, "trusted"}, {117, "parts"}, {118, "trusted"}, {120, "names"},
}

// lenient lists the cases of the catalogue that are not denied by the grading
// that a policy has by default. A whole field asks: 37, 38, 100 and 110 are
// fields of documents.
var lenient = map[int]abi.Outcome{
	7: abi.Ask, 19: abi.Allow, 37: abi.Ask, 38: abi.Ask, 42: abi.Ask, 56: abi.Ask, 57: abi.Ask, 58: abi.Ask, 60: abi.Ask, 61: abi.Ask, 62: abi.Ask,
	63: abi.Ask, 74: abi.Ask, 75: abi.Ask, 96: abi.Ask, 97: abi.Ask, 98: abi.Ask, 100: abi.Ask, 110: abi.Ask, 112: abi.Allow, 113: abi.Allow,
	114: abi.Ask, 115: abi.Ask, 116: abi.Ask, 117: abi.Ask, 118: abi.Ask, 119: abi.Ask, 120: abi.Ask,
}

func TestAppendixOfEvasions(t *testing.T) {
	cases := append(append(addressCases(), hiddenCases()...), otherCases()...)
	for i, c := range cases {
		if c.n != i+1 {
			t.Fatalf("case %d, %s, is at place %d", c.n, c.name, i+1)
		}
		want, listed := lenient[c.n]
		if !listed {
			want = abi.Deny
		}
		if got := checkEvasion(t, c); got != want {
			t.Errorf("case %d, %s: %s, want %s", c.n, c.name, got, want)
		}
	}
	if len(cases) != 120 {
		t.Errorf("%d cases: the catalogue is not whole", len(cases))
	}
}

// TestKindsOfEvasionsHaveTwins: what the catalogue says of a kind holds for other
// spellings of it, and each kind has calls that are not denied.
func TestKindsOfEvasionsHaveTwins(t *testing.T) {
	denied, others := map[string]int{}, map[string]int{}
	count := func(family string, got abi.Outcome) {
		if got == abi.Deny {
			denied[family]++
		} else {
			others[family]++
		}
	}
	n := 0
	for _, c := range append(append(addressCases(), hiddenCases()...), otherCases()...) {
		for c.n > families[n].last {
			n++
		}
		count(families[n].family, checkEvasion(t, c))
	}
	kinds := kindCases()
	for _, c := range kinds {
		count(c.family, checkEvasion(t, c))
	}
	if len(kinds) < 120 {
		t.Errorf("%d cases beside the catalogue", len(kinds))
	}
	for _, f := range families {
		if denied[f.family] == 0 || others[f.family] == 0 {
			t.Errorf("%s: %d denied, %d not", f.family, denied[f.family], others[f.family])
		}
	}
	if len(denied) != 20 {
		t.Errorf("families are %v", denied)
	}
}

// checkEvasion explains the value of a case, by the index and by reading
// everything, and returns what a policy makes of it that says no more than whom
// it trusts.
func checkEvasion(t *testing.T, c appendixCase) abi.Outcome {
	t.Helper()
	args := abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue(c.value)})
	var answers [2][]abi.Finding
	for i := range answers {
		x := newIndex(Options{}, tuning{all: i > 0})
		x.Record(textResult("c-1", "mail", "read", c.text))
		if c.user != "" {
			x.Record(abi.Event{User: &abi.UserEvent{Text: c.user}})
		}
		answers[i] = x.Explain(args, []abi.Wanted{{At: "/to", Trusted: c.trusted}})
	}
	got := answers[0]
	if !reflect.DeepEqual(got, answers[1]) {
		t.Errorf("%s %s: the index says %+v, reading everything %+v", c.family, c.name, got, answers[1])
	}
	best, spoiled, origin, outcome := abi.Unproven, "", abi.OriginTrusted, abi.Allow
	for _, f := range got {
		origin, outcome = min(origin, f.Origin), min(outcome, judge(f, c.trusted))
		if f.Spoiled != "" {
			spoiled = f.Spoiled
		}
		for _, e := range f.Evidence {
			if rank(e.Position) < rank(best) {
				best = e.Position
			}
		}
	}
	if c.spoiled == "-" {
		spoiled = "-" // the case is not about it
	}
	if best != c.want || spoiled != c.spoiled || origin != c.origin {
		t.Errorf("%s %s: %q in %q is %s, spoiled %q, %s; want %s, spoiled %q, %s\n%+v", c.family, c.name, c.value, c.text,
			best, spoiled, origin, c.want, c.spoiled, c.origin, got)
	}
	return outcome
}

// judge is the default of the rule on destinations.
func judge(f abi.Finding, trusted []string) abi.Outcome {
	if f.Spoiled != "" {
		return abi.Deny
	}
	out := abi.Ask
	for _, e := range f.Evidence {
		switch e.Position {
		case abi.Lookalike:
			return abi.Deny
		case abi.Prose, abi.Encoded:
			out = abi.Deny
		}
	}
	if f.Origin >= abi.OriginClient {
		return abi.Allow
	}
	for _, entry := range trusted {
		if list, _ := Canonicalise(entry); len(list) == 1 && list[0].Kind == f.Kind && list[0].Identity == f.Identity {
			return abi.Allow
		}
	}
	return out
}

// textResult is the answer to a call with one text block.
func textResult(call, server, tool, text string) abi.Event {
	return abi.Event{Result: &abi.ResultEvent{Call: call, Server: server, Value: textValue(text)}}
}

func textValue(text string) abi.Value {
	block := abi.ObjectValue(abi.Member{Name: "type", Value: abi.StringValue("text")}, abi.Member{Name: "text", Value: abi.StringValue(text)})
	return abi.ObjectValue(abi.Member{Name: "content", Value: abi.ArrayValue(block)})
}
