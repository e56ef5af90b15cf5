package builtin

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

func TestDestinationsAreWhatACallNames(t *testing.T) {
	const schema = `{"type": "object", "properties": {"to": {"type": "array"}, "body": {"type": "string"}, "note": {"type": "string"}}}`
	to := &contract.Sink{To: []string{"to"}, Content: []string{"body"}}
	cases := []struct {
		name, arguments string
		sink            *contract.Sink
		want            []string
	}{
		{"each one of a list", `{"to": ["a@x.example", "b@x.example"], "body": "hello"}`, to, []string{"/to/0", "/to/1"}},
		{"an empty one names nothing", `{"to": [], "note": "hello"}`, to, nil},
		{"nor do other arguments, which are judged for want of one", `{"note": "hello"}`, to, nil},
		{"what has the shape of one", `{"note": "c@x.example"}`, to, []string{"/note"}},
		{"content does not", `{"body": "write to c@x.example"}`, to, nil},
		{"every argument, where all are", `{"note": "hello"}`, &contract.Sink{All: true}, []string{"/note"}},
		{"a tool without a sink names none", `{"to": ["a@x.example"]}`, nil, nil},
	}
	for _, c := range cases {
		definition, err := abi.Parse([]byte(schema))
		if err != nil {
			t.Fatal(err)
		}
		arguments, err := abi.Parse([]byte(c.arguments))
		if err != nil {
			t.Fatal(err)
		}
		call := &abi.Call{ID: "000000-1", Server: "mail", Tool: "send", Arguments: arguments}
		got := Destinations(&contract.Rules{Sink: c.sink}, call, abi.Definition{Schema: definition})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
