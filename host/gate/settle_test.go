package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/provenance"
)

// noted is an index that notes what it is told and asked.
type noted struct{ log *[]string }

func (n noted) Carried(abi.Value, []abi.Wanted) []abi.Carried { return nil }

func (n noted) Record(e abi.Event) {
	switch {
	case e.Call != nil:
		*n.log = append(*n.log, "call")
	case e.Result != nil:
		*n.log = append(*n.log, "result")
	default:
		*n.log = append(*n.log, "other")
	}
}

func (n noted) Explain(_ abi.Value, wanted []abi.Wanted) []abi.Finding {
	*n.log = append(*n.log, "explain")
	return make([]abi.Finding, len(wanted))
}

// settling is a run whose index is noted, with a tool whose calls are explained
// and one whose calls are not.
func settling(t *testing.T) (*run, *[]string) {
	t.Helper()
	p := load(t, "callgate: 1\nsettings: {default: allow}\ntools:\n  mail/send:\n    sink: {to: [to], content: [body]}\n")
	log := &[]string{}
	r := &run{t: t, state: gate.New(gate.Options{
		Specs: builtin.Table(), NewIndex: func(provenance.Options) provenance.Index { return noted{log} },
	})}
	r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-1", File: "abcdef0123", Place: here}})
	r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	r.tools("mail", `{"name":"send","inputSchema":{"type":"object"}}`, `{"name":"read","inputSchema":{"type":"object"}}`)
	for r.state.Settle() {
	}
	*log = nil
	return r, log
}

func TestTheIndexIsToldLaterAndInOrder(t *testing.T) {
	read := abi.Event{Call: &abi.Call{Server: "mail", Tool: "read"}}
	send := abi.Event{Call: &abi.Call{Server: "mail", Tool: "send", Arguments: value(t, `{"to":["a@corp.example"],"body":"x"}`)}}
	result := abi.Event{Result: &abi.ResultEvent{Call: "none", Server: "mail", Value: value(t, `{"content":[]}`)}}
	policy := abi.Event{Policy: &abi.PolicyEvent{}}
	cases := []struct {
		name   string
		events []abi.Event
		want   string // before anybody has it settle
		after  string
	}{
		{"nobody asks", []abi.Event{read, result}, "", "call result"},
		{"a call that is explained", []abi.Event{read, result, send}, "call result explain", "call result explain call"},
		{"another policy", []abi.Event{read, result, policy}, "call result", "call result"},
		{"a new session", []abi.Event{read, {Session: &abi.SessionEvent{ID: "s-2", New: true}}}, "", ""},
	}
	ran := 0
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ran++
			r, log := settling(t)
			for _, e := range c.events {
				r.step(e)
			}
			if got := strings.Join(*log, " "); got != c.want {
				t.Errorf("want %q, got %q", c.want, got)
			}
			for r.state.Settle() {
			}
			if got := strings.Join(*log, " "); got != c.after {
				t.Errorf("settled: want %q, got %q", c.after, got)
			}
		})
	}
	if ran == 0 {
		t.Fatal("no case ran")
	}
}

func TestFewEventsWaitForTheIndex(t *testing.T) {
	r, log := settling(t)
	const n = 200
	for i := range n {
		r.step(abi.Event{Result: &abi.ResultEvent{Call: fmt.Sprint(i), Server: "mail", Value: value(t, `{"content":[]}`)}})
	}
	if len(*log) < n-64 || slices.Contains(*log, "explain") {
		t.Errorf("of %d results the index was told %d; want all but 64", n, len(*log))
	}
}
