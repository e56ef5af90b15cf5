package provenance

import (
	"testing"

	"github.com/callgate/callgate/abi"
)

// appendixCase is one line of the evasion catalogue: what a server wrote, what
// a call then names, and how the best evidence must be graded.
type appendixCase struct {
	n       int
	name    string
	text    string
	value   string
	trusted []string
	user    string
	want    abi.Position // of the best evidence over all parts
	spoiled string       // of some part
	origin  abi.Origin   // of the least trusted part
}

func TestAppendixOfEvasions(t *testing.T) {
	cases := append(append(addressCases(), hiddenCases()...), otherCases()...)
	denied, asked := 0, 0
	for _, c := range cases {
		x := New(Options{})
		x.Record(textResult("c-1", "mail", "read", c.text))
		if c.user != "" {
			x.Record(abi.Event{User: &abi.UserEvent{Text: c.user}})
		}
		args := abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue(c.value)})
		got := x.Explain(args, []abi.Wanted{{At: "/to", Trusted: c.trusted}})
		best, spoiled, origin := abi.Unproven, "", abi.OriginTrusted
		for _, f := range got {
			origin = min(origin, f.Origin)
			if f.Spoiled != "" {
				spoiled = f.Spoiled
			}
			for _, e := range f.Evidence {
				if rank(e.Position) < rank(best) {
					best = e.Position
				}
			}
		}
		if best != c.want || spoiled != c.spoiled || origin != c.origin {
			t.Errorf("case %d, %s: got %s, spoiled %q, %s; want %s, spoiled %q, %s\n%+v", c.n, c.name,
				best, spoiled, origin, c.want, c.spoiled, c.origin, got)
		}
		switch best {
		case abi.Prose, abi.Encoded, abi.Lookalike:
			denied++
		default:
			asked++
		}
	}
	if len(cases) < 118 || denied < 85 || asked < 20 {
		t.Errorf("%d cases, %d denied, %d others: the catalogue is not whole", len(cases), denied, asked)
	}
}

// textResult is the answer to a call with one text block.
func textResult(call, server, tool, text string) abi.Event {
	return abi.Event{Result: &abi.ResultEvent{Call: call, Server: server, Value: textValue(text)}}
}

func textValue(text string) abi.Value {
	block := abi.ObjectValue(abi.Member{Name: "type", Value: abi.StringValue("text")}, abi.Member{Name: "text", Value: abi.StringValue(text)})
	return abi.ObjectValue(abi.Member{Name: "content", Value: abi.ArrayValue(block)})
}
