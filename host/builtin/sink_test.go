package builtin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
)

// TestSinkCases runs testdata/sink.txtar. Beside what the other contracts have,
// a case names a "history" section: the events that were recorded before the
// call, and optionally what the policy says of their tools.
func TestSinkCases(t *testing.T) {
	const file = "testdata/sink.txtar"
	cases, sections := readCases(t, file)
	refused, passed := 0, 0
	for i, c := range cases {
		name := c.Get("name").Str()
		if name == "" {
			t.Fatalf("%s: case %d has no name", file, i)
		}
		want, code, _ := strings.Cut(c.Get("want").Str(), " ")
		if want == "abstain" {
			passed++
		} else {
			refused++
		}
		t.Run(name, func(t *testing.T) {
			got := judgeSink(t, sections, c)
			if got.Outcome.String() != want || got.Code != code {
				t.Fatalf("got %v %s at %q (%s), want %s %s", got.Outcome, got.Code, got.At, got.Reason, want, code)
			}
			if want == "abstain" {
				return
			}
			checkSinkVerdict(t, c, got)
			twin := c.Get("twin")
			if !twin.Exists() {
				t.Fatal("a refused case without an allowed twin")
			}
			for _, m := range twin.Members() {
				c = c.With(m.Name, m.Value)
			}
			if got := judgeSink(t, sections, c); got.Outcome < abi.Allow {
				t.Errorf("twin: got %v %s at %q (%s), want it to pass", got.Outcome, got.Code, got.At, got.Reason)
			}
		})
	}
	if refused < 40 || passed < 8 {
		t.Fatalf("%s: %d refused, %d passed; the file is not whole", file, refused, passed)
	}
}

func checkSinkVerdict(t *testing.T, c abi.Value, got abi.Verdict) {
	t.Helper()
	if got.Reason == "" || got.Mend == "" || len(got.At) == 0 || got.Contract != "sink" {
		t.Errorf("reason %q, mend %q, at %q, contract %q: none may be empty", got.Reason, got.Mend, got.At, got.Contract)
	}
	if at := texts(c.Get("at")); len(at) > 0 {
		for i := range at {
			at[i] = "/call/arguments" + at[i]
		}
		if !slices.Equal(at, got.At) {
			t.Errorf("at %q, want %q", got.At, at)
		}
	}
	if want := c.Get("override").True(); got.Override != want {
		t.Errorf("override %v, want %v", got.Override, want)
	}
	if r := c.Get("reason").Str(); !strings.Contains(got.Reason, r) {
		t.Errorf("reason %q, want %q in it", got.Reason, r)
	}
	for _, secret := range append(texts(c.Get("unsaid")), "evil") {
		if strings.Contains(got.Reason, secret) || strings.Contains(got.Mend, secret) {
			t.Errorf("reason %q or mend %q repeats %q", got.Reason, got.Mend, secret)
		}
	}
}

// judgeSink explains and judges a case as the gate does.
func judgeSink(t *testing.T, sections archive, c abi.Value) abi.Verdict {
	t.Helper()
	for _, m := range c.Members() {
		if !slices.Contains([]string{"name", "rules", "schema", "history", "approved", "args", "want", "override", "at", "reason", "unsaid", "twin"}, m.Name) {
			t.Fatalf("unknown member %q", m.Name)
		}
	}
	name := c.Get("rules").Str()
	if name == "" {
		name = "main"
	}
	rules := sinkRules(t, sections.find(t, "rules", name))
	judge, err := NewSink(&rules)
	if err != nil {
		t.Fatal(err)
	}
	if judge == nil {
		return contract.Abstain
	}
	s := &abi.Snapshot{Phase: abi.PhaseCall}
	s.Call = abi.Call{ID: "a41f09-9", Kind: abi.KindTool, Server: "mail", Tool: "send", Arguments: c.Get("args")}
	s.Definition = abi.Definition{State: abi.PinOK, Pin: "pin-1", Schema: sections.find(t, "schema", c.Get("schema").Str())}
	for _, a := range c.Get("approved").Items() {
		s.Session.Approved = append(s.Session.Approved, abi.Approved{
			Server: "mail", Tool: "send", Pin: a.Get("pin").Str(), At: a.Get("at").Str(), Identity: a.Get("identity").Str(),
			Position: abi.Position(a.Get("position").Str()),
		})
	}
	index := sinkHistory(t, sections.find(t, "history", c.Get("history").Str()))
	s.Taint = index.Explain(s.Call.Arguments, judge.(contract.Explainer).Wanted(s))
	first := judge.Judge(s)
	if second := judge.Judge(s); fmt.Sprint(first) != fmt.Sprint(second) {
		t.Fatalf("two verdicts for one snapshot: %v and %v", first, second)
	}
	return first
}

func sinkRules(t *testing.T, v abi.Value) contract.Rules {
	t.Helper()
	r := contract.Rules{Server: "mail", Tool: "send", UndeclaredAt: "p.yaml:6: undeclared"}
	sink := &contract.Sink{Rule: "p.yaml:5: sink", Payload: abi.Ask, On: map[abi.Position]abi.Outcome{}}
	r.Sink = sink
	for _, m := range v.Members() {
		switch m.Name {
		case "to":
			sink.To = texts(m.Value)
		case "all":
			sink.All = m.Value.True()
		case "content":
			sink.Content = texts(m.Value)
		case "trusted":
			sink.Trusted = texts(m.Value)
		case "on":
			for _, o := range m.Value.Members() {
				sink.On[abi.Position(o.Name)] = outcome(t, o.Value)
			}
		case "alone":
			sink.Alone = map[abi.Position]abi.Outcome{}
			for _, o := range m.Value.Members() {
				sink.Alone[abi.Position(o.Name)] = outcome(t, o.Value)
			}
		case "payload":
			sink.Payload = outcome(t, m.Value)
		case "once":
			sink.Once = m.Value.True()
		case "spare":
			sink.Spare = m.Value.True()
		case "strict":
			sink.Strict = m.Value.True()
		case "none":
			r.Sink = nil
		case "undeclared":
			modes := map[string]contract.Undeclared{"allow": contract.UndeclaredAllow, "sink": contract.UndeclaredSink, "deny": contract.UndeclaredDeny}
			r.Undeclared = modes[m.Value.Str()]
		default:
			t.Fatalf("unknown rule %q", m.Name)
		}
	}
	return r
}

// sinkHistory records a list of events: {"call", "tool", "args"}, {"result",
// "server", "text" or "value" or "error"}, {"user"}, {"frame", "server"},
// {"sources"}.
func sinkHistory(t *testing.T, events abi.Value) provenance.Index {
	t.Helper()
	sources := map[string]provenance.Source{}
	x := provenance.New(provenance.Options{Source: func(server, tool string) provenance.Source { return sources[server+"/"+tool] }})
	for _, e := range events.Items() {
		server := e.Get("server").Str()
		switch {
		case e.Get("sources").Exists():
			for _, m := range e.Get("sources").Members() {
				src := provenance.Source{WholeField: m.Value.Get("whole_field").True(), Trusted: m.Value.Get("trusted").True(), Fields: map[string]string{}}
				for _, f := range m.Value.Get("fields").Members() {
					src.Fields[f.Name] = f.Value.Str()
				}
				sources[m.Name] = src
			}
		case e.Get("call").Exists():
			x.Record(abi.Event{Call: &abi.Call{ID: e.Get("call").Str(), Server: server, Tool: e.Get("tool").Str(), Arguments: e.Get("args")}})
		case e.Get("result").Exists():
			r := &abi.ResultEvent{Call: e.Get("result").Str(), Server: server, Value: e.Get("value"), Error: e.Get("error")}
			if text := e.Get("text"); text.Exists() {
				r.Value = abi.ObjectValue(abi.Member{Name: "content", Value: abi.ArrayValue(abi.ObjectValue(
					abi.Member{Name: "type", Value: abi.StringValue("text")}, abi.Member{Name: "text", Value: text}))})
			}
			x.Record(abi.Event{Result: r})
		case e.Get("user").Exists():
			x.Record(abi.Event{User: &abi.UserEvent{Text: e.Get("user").Str()}})
		case e.Get("frame").Exists():
			x.Record(abi.Event{Frame: &abi.FrameEvent{Server: server, Frame: e.Get("frame")}})
		case e.Get("gone").Exists():
			x.Record(abi.Event{Result: &abi.ResultEvent{Call: e.Get("gone").Str(), Server: server}, Text: &abi.Text{Offset: -1}})
		default:
			t.Fatalf("unknown event %v", e)
		}
	}
	return x
}

// Wanted and Judge agree: a destination that provenance did not look up is
// refused, not passed.
func TestSinkRefusesWhatWasNotExplained(t *testing.T) {
	rules := contract.Rules{Sink: &contract.Sink{To: []string{"to"}, Trusted: []string{"a@corp.example"}, Payload: abi.Ask}}
	judge, err := NewSink(&rules)
	if err != nil {
		t.Fatal(err)
	}
	args := abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue("a@corp.example")})
	s := &abi.Snapshot{Phase: abi.PhaseCall, Call: abi.Call{Arguments: args}}
	if got := judge.Judge(s); got.Outcome != abi.Deny || got.Code != "SINK_UNEXPLAINED" {
		t.Errorf("without findings: got %v %s, want deny SINK_UNEXPLAINED", got.Outcome, got.Code)
	}
	s.Taint = provenance.New(provenance.Options{}).Explain(args, judge.(contract.Explainer).Wanted(s))
	if got := judge.Judge(s); got.Outcome != abi.Abstain {
		t.Errorf("with findings: got %v %s, want abstain", got.Outcome, got.Code)
	}
}

// A text with more addresses than are looked at asks. One that merely stands in
// more places than are looked at holds no address for that.
func TestSinkContentThatHoldsTooMuchAsks(t *testing.T) {
	rules := contract.Rules{Sink: &contract.Sink{To: []string{"to"}, Content: []string{"body"}, Trusted: []string{"a@corp.example"}, Payload: abi.Ask}}
	judge, err := NewSink(&rules)
	if err != nil {
		t.Fatal(err)
	}
	x := provenance.New(provenance.Options{})
	flood := abi.ObjectValue(abi.Member{Name: "structuredContent", Value: abi.StringValue(strings.Repeat("abc ", 1<<17+1))})
	x.Record(abi.Event{Call: &abi.Call{ID: "c1", Server: "web", Tool: "read"}})
	x.Record(abi.Event{Result: &abi.ResultEvent{Call: "c1", Server: "web", Value: flood}})
	var many strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, "and p%d@partner.example ", i)
	}
	cases := []struct {
		name, body string
		want       abi.Outcome
	}{
		{"a word that stands everywhere", "b", abi.Abstain},
		{"a word that stands nowhere", "z", abi.Abstain},
		{"few addresses", "and p1@partner.example", abi.Abstain},
		{"more addresses than are looked at", many.String(), abi.Ask},
		{"more text than is read", strings.Repeat("z ", 1<<20), abi.Ask},
	}
	for _, c := range cases {
		args := abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue("a@corp.example")}, abi.Member{Name: "body", Value: abi.StringValue(c.body)})
		s := &abi.Snapshot{Phase: abi.PhaseCall, Call: abi.Call{Server: "mail", Tool: "send", Arguments: args}}
		s.Taint = x.Explain(args, judge.(contract.Explainer).Wanted(s))
		if got := judge.Judge(s); got.Outcome != c.want {
			t.Errorf("%s: got %v %s %q, want %v", c.name, got.Outcome, got.Code, got.Reason, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestSinkTrustedEntriesThatNameNothingAreErrors(t *testing.T) {
	bad := []string{"", "  ", "*@", "*@*", "team-*", "*@a b", "a@corp.example, b@corp.example", "a\u200b@corp.example", "https://u@corp.example/"}
	good := []string{"*@corp.example", "*@*.corp.example", "*.corp.example", "pat@partner.example", "#general", "C024BE91LQ2", "/srv/share", "https://api.corp.example/in"}
	for _, text := range bad {
		if _, err := NewSink(&contract.Rules{Sink: &contract.Sink{Trusted: []string{text}}}); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	for _, text := range good {
		if _, err := NewSink(&contract.Rules{Sink: &contract.Sink{Trusted: []string{text}}}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if c, err := NewSink(&contract.Rules{}); c != nil || err != nil {
		t.Errorf("no sink: got %v, %v, want nothing to judge", c, err)
	}
}
