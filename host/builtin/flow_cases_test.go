package builtin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/redact"
)

// The cases of label, flow and chain are a call in a session. "rules" holds
// labels, flows, chains and a sink, "session" the labels that the session holds,
// the calls that it allowed, and what of the call holds data with labels. A case
// of label wants the labels that it gives to data and session, "data; session",
// and "files", the labels of each file that is written.

func TestFlowCases(t *testing.T) {
	for _, name := range []string{"label", "flow", "chain"} {
		t.Run(name, func(t *testing.T) {
			file := "testdata/" + name + ".txtar"
			cases, sections := readCases(t, file)
			given, other := 0, 0
			for _, c := range cases {
				t.Run(c.Get("name").Str(), func(t *testing.T) {
					v := judgeFlowCase(t, name, sections, c)
					got := said(v)
					if want := c.Get("want").Str(); got != want {
						t.Fatalf("got %q (%s %q), want %q", got, v.Reason, v.At, want)
					}
					if v.Outcome < abi.Allow && (v.Reason == "" || v.Mend == "" || len(v.At) == 0 || v.Rule == "") {
						t.Errorf("reason %q, mend %q, at %q, rule %q: none may be empty", v.Reason, v.Mend, v.At, v.Rule)
					}
					if part := c.Get("reason").Str(); !strings.Contains(v.Reason, part) {
						t.Errorf("reason %q lacks %q", v.Reason, part)
					}
					if quiet(v) {
						other++
						return
					}
					given++
					twin := c.Get("twin")
					if !twin.Exists() {
						t.Fatal("a case that says something, without a twin of which nothing is said")
					}
					for _, m := range twin.Members() {
						c = c.With(m.Name, m.Value)
					}
					if v := judgeFlowCase(t, name, sections, c); !quiet(v) {
						t.Errorf("twin: %s (%s)", said(v), v.Reason)
					}
				})
			}
			if given == 0 || other == 0 {
				t.Fatalf("%d cases of which something is said, %d others; want both", given, other)
			}
		})
	}
}

// quiet says whether a verdict neither objects nor gives anything.
func quiet(v abi.Verdict) bool { return v.Outcome >= abi.Allow && v.Obligations.Empty() }

// said is a verdict in short.
func said(v abi.Verdict) string {
	if v.Outcome < abi.Allow {
		return v.Outcome.String() + " " + v.Code
	}
	o := v.Obligations
	if o.Empty() {
		return ""
	}
	text := strings.Join(o.CallLabels, " ") + "; " + strings.Join(o.SessionLabels, " ")
	for _, f := range o.Files {
		text += fmt.Sprintf("; %s: %s; %s", f.At, strings.Join(f.Data, " "), strings.Join(f.Session, " "))
	}
	return text
}

var flowMembers = []string{"name", "rules", "schema", "server", "tool", "args", "call", "session", "want", "reason", "twin", "dir"}

func judgeFlowCase(t *testing.T, name string, sections archive, c abi.Value) abi.Verdict {
	t.Helper()
	for _, m := range c.Members() {
		if !slices.Contains(flowMembers, m.Name) {
			t.Fatalf("unknown member %q", m.Name)
		}
	}
	rulesName := "main"
	if n := c.Get("rules").Str(); n != "" {
		rulesName = n
	}
	r := flowRulesFrom(t, sections.find(t, "rules", rulesName))
	r.Server, r.Tool = "fs", c.Get("tool").Str()
	s := &abi.Snapshot{Phase: abi.PhaseCall, Call: abi.Call{ID: "a41f09-9", Kind: abi.KindTool, Server: "fs", Tool: r.Tool, Arguments: c.Get("args")}}
	if call := callFrom(t, c.Get("call")); call != nil {
		r.Kind, r.Tool, s.Call = call.Kind, call.Target(), *call
	}
	if server := c.Get("server").Str(); server != "" {
		r.Server, s.Call.Server = server, server
	}
	s.Definition.Schema = sections.find(t, "schema", c.Get("schema").Str())
	s.Session.Place = abi.Place{Dir: "/srv/work", Home: "/home/u"}
	if dir := c.Get("dir"); dir.Exists() {
		s.Session.Place.Dir = dir.Str()
	}
	flowSession(t, s, c.Get("session"))
	spec := Table()[slices.IndexFunc(Table(), func(s contract.Spec) bool { return s.Name == name })]
	judge, err := spec.New(&r)
	if err != nil {
		t.Fatal(err)
	}
	if judge == nil {
		return contract.Abstain
	}
	v := judge.Judge(s)
	if again := judge.Judge(s); fmt.Sprint(v) != fmt.Sprint(again) {
		t.Fatalf("two verdicts for one snapshot: %v and %v", v, again)
	}
	return v
}

func flowRulesFrom(t *testing.T, v abi.Value) contract.Rules {
	t.Helper()
	r := contract.Rules{Tracks: v.Get("tracks").True()}
	for i, x := range v.Get("labels").Items() {
		r.Labels = append(r.Labels, contract.Label{Rule: fmt.Sprintf("p.yaml:%d: labels", i), Name: x.Get("name").Str(), Where: whereFrom(x)})
	}
	for i, x := range v.Get("flows").Items() {
		f := contract.Flow{
			Rule: fmt.Sprintf("p.yaml:%d: flows", i), Name: "f", Label: x.Get("label").Str(), Value: x.Get("scope").Str() == "value",
			When: texts(x.Get("when")), Where: whereFrom(x), Audience: texts(x.Get("audience")), Outcome: outcome(t, x.Get("verdict")),
		}
		r.Flows = append(r.Flows, f)
	}
	for i, x := range v.Get("chains").Items() {
		r.Chains = append(r.Chains, contract.Chain{
			Rule: fmt.Sprintf("p.yaml:%d: chains", i), Name: "c", From: texts(x.Get("from")), Within: number(t, x.Get("within")), Outcome: outcome(t, x.Get("verdict")),
		})
	}
	if to := v.Get("sink"); to.Exists() {
		r.Sink = &contract.Sink{Rule: "p.yaml:9: sink", To: texts(to.Get("to")), Content: texts(to.Get("content")), All: to.Get("to").Len() == 0, Payload: abi.Ask}
	}
	return r
}

func whereFrom(x abi.Value) []contract.Where {
	var list []contract.Where
	for _, m := range x.Get("where").Members() {
		list = append(list, contract.Where{Key: m.Name, Patterns: texts(m.Value)})
	}
	return list
}

func flowSession(t *testing.T, s *abi.Snapshot, v abi.Value) {
	t.Helper()
	f := &s.Session.Flows
	s.Session.Labels = texts(v.Get("labels"))
	for _, l := range s.Session.Labels {
		f.Given = append(f.Given, abi.Given{Label: l, Call: "a41f09-3", Server: "crm", Tool: "get"})
	}
	f.Crowded, f.Lost, f.Steps, f.Data = v.Get("crowded").True(), v.Get("lost").True(), number(t, v.Get("steps")), true
	for _, d := range v.Get("done").Items() {
		f.Done = append(f.Done, abi.Done{ID: "a41f09-2", Server: d.Get("server").Str(), Tool: d.Get("tool").Str(), Step: number(t, d.Get("step"))})
	}
	for _, c := range v.Get("carried").Items() {
		one := abi.Carried{At: c.Get("at").Str(), Labels: texts(c.Get("labels")), Unsure: c.Get("unsure").True()}
		one.Evidence = []abi.Evidence{{Call: "a41f09-3", Server: "crm", Tool: "get", Pointer: "/content/0/text", Position: abi.Prose, Labels: one.Labels}}
		s.Carried = append(s.Carried, one)
	}
	f.Files = map[string]abi.FileLabels{}
	for _, w := range v.Get("files").Items() {
		place := abi.Place{Dir: w.Get("dir").Str(), Home: "/home/u"}
		for _, key := range fileKeys("", w.Get("path").Str(), w.Get("server").Str(), &place).writes {
			f.Files[key] = abi.FileLabels{Data: texts(w.Get("data")), Session: texts(w.Get("session"))}
		}
	}
}

func TestAWildcardMatchesTheWholeText(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"", "", true}, {"", "a", false}, {"a*", "abc", true}, {"*c", "abc", true}, {"*b", "abc", false}, {"a?c", "abc", true},
		{"a?c", "ac", false}, {"*a*b*", "xxaxxbxx", true}, {"*a*b*", "xxbxxaxx", false}, {"**", "x", true}, {"a*", "a\nb", true},
		{strings.Repeat("a*", 50) + "b", strings.Repeat("a", 4000), false},
	} {
		if got := redact.Wildcard(c.pattern, c.text); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.text[:min(len(c.text), 20)], got)
		}
	}
}
