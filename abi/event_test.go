package abi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// events is one event of every kind, with every member set.
func events(t testing.TB) []abi.Event {
	v := parse(t, `{"a":[1.0,"\ud800"]}`)
	evidence := abi.Evidence{
		Call: "aa-1", Server: "s", Tool: "t", Pointer: "/content/0/text", Offset: 3, Length: 4, Position: abi.Prose, Label: abi.OriginTrusted,
		Seq: 7, Kind: "addressing", View: "json", Snippet: "x\u200by",
	}
	finding := abi.Finding{At: "/to/0", Key: true, Part: 1, Kind: "mail", Identity: "a@b", Value: "A@b", Origin: abi.OriginUnproven, Spoiled: "why", Evidence: []abi.Evidence{evidence}}
	receipt := &abi.PluginReceipt{
		Module: "sha256:0", Bundle: "sha256:1", Settings: "sha256:2", Input: "sha256:3", Output: "sha256:4", Fuel: 5, Class: abi.FailTrap, Detail: "d", Reason: "r",
		Tags: []abi.Tag{{Name: "rule", Text: "R7"}},
	}
	none := int64(0)
	also := abi.Verdict{Outcome: abi.Ask, Contract: "pin", Code: "PIN_LATE", Skipped: []string{"p"}, Plugin: receipt, Obligations: abi.Obligations{Calls: &none}}
	verdict := abi.Verdict{
		ID: "aa-1", Outcome: abi.Deny, Contract: "sink", Code: "SINK_TAINTED", Rule: "p.yaml:1", Reason: "r", At: []string{"/call/arguments/to"},
		Witness: []abi.Evidence{evidence}, Mend: "m", Risk: "high", Observed: true, Missing: true, Also: []abi.Verdict{also},
		Obligations: abi.Obligations{CallLabels: []string{"a"}, SessionLabels: []string{"b"}, Redact: []string{"/x"}, Hide: []string{"t"}},
		List:        &abi.ListOf{Server: "s", Kind: abi.ListPrompts, All: true},
	}
	at := time.Date(2026, 11, 29, 18, 0, 0, 123000, time.UTC)
	list := []abi.Event{
		{Time: at},
		{Session: &abi.SessionEvent{ID: "s-1", New: true, Group: "g", Server: "s", File: "aabbcc", Version: "0.1.0",
			Principal: abi.Principal{Subject: "me", Actors: []string{"x"}}, Place: abi.Place{Dir: "/d", Home: "/h", Platform: "linux"},
			Protected: []string{"/p"}, Previous: "00", Cut: 7}},
		{Policy: &abi.PolicyEvent{Digest: "sha256:00", Policy: v, Files: []abi.PolicyFile{{Path: "/p", Digest: "sha256:11"}}}},
		{Tools: &abi.ToolsEvent{Server: "s", Source: abi.ToolsStored, List: []abi.Value{parse(t, `{"name":"a"}`)}, Cursor: "", Paged: true, Next: "", More: true}},
		{Tools: &abi.ToolsEvent{Server: "s", List: []abi.Value{}}},
		{Server: &abi.ServerEvent{Server: "s", Result: v}},
		{Tools: &abi.ToolsEvent{Server: "s", Source: abi.ToolsStored, List: []abi.Value{
			abi.Pin{Definition: parse(t, `{"name":"a"}`), At: at}.Value(), abi.Pin{Identity: v}.Value(),
		}}},
		{Tools: &abi.ToolsEvent{Server: "s", Source: abi.ToolsAccepted, List: []abi.Value{abi.Pin{Identity: v}.Value()}}},
		{Call: &abi.Call{ID: "aa-5", Kind: abi.KindTool, Server: "s", Tool: "t", Arguments: v, Task: v, Digest: "sha256:00", Bytes: 9}},
		{Call: &abi.Call{ID: "aa-6", Kind: abi.KindResource, Server: "s", URI: "file:///x", Action: "read", Digest: "d", Bytes: 1}},
		{Call: &abi.Call{ID: "aa-7", Kind: abi.KindPrompt, Server: "s", Name: "p", Arguments: v, Digest: "d", Bytes: 1}},
		{Call: &abi.Call{ID: "aa-8", Kind: abi.KindCompletion, Server: "s", Ref: v, Argument: v, Context: v, Digest: "d", Bytes: 1}},
		{Call: &abi.Call{ID: "aa-a", Kind: abi.KindResource, Server: "s", URIs: []string{"file:///x", "docs://y"}, Action: "subscribe", Digest: "d", Bytes: 1}},
		{Call: &abi.Call{ID: "aa-b", Kind: abi.KindSampling, Server: "s", Params: v, Digest: "d", Bytes: 1, Continues: "aa-5"}},
		{Ask: &abi.AskEvent{Call: "aa-6", Kind: abi.KindResource, Server: "s", Tool: "resources/read", Fingerprint: "f"}},
		{Call: &abi.Call{ID: "aa-9", Kind: abi.KindMethod, Server: "s", Method: "vendor/x", Params: v, Digest: "d", Bytes: 1}},
		{Result: &abi.ResultEvent{Call: "aa-5", Server: "s", Value: v, Bytes: 3}},
		{Result: &abi.ResultEvent{Call: "aa-5", Server: "s", Error: v, Broken: true}, Text: &abi.Text{Digest: "d", Offset: -1, Length: 5}},
		{User: &abi.UserEvent{Text: "hello"}},
		{Facts: &abi.FactsEvent{Facts: parse(t, `{"cwd":"/d","home":"/h"}`)}},
		{Facts: &abi.FactsEvent{Facts: parse(t, `{"attest":{"mail":{"entry_args":[0],"sha256":"ab"}},"protected":["/p"]}`)}},
		{Approval: &abi.ApprovalEvent{Call: "aa-5", Yes: true, By: "terminal"}},
		{Approval: &abi.ApprovalEvent{Call: "aa-5", By: "terminal"}},
		{Frame: &abi.FrameEvent{Server: "s", Method: "m", Frame: v}},
		{Refused: &abi.RefusedEvent{Server: "s", From: "client", Code: "C", Reason: "r", Pointer: "/x", Bytes: []byte{0xff, 0}, Size: 2, Call: "aa-5", Tool: "t"}},
		{Read: &abi.ReadEvent{File: "f", Lines: 3, Last: "00"}},
		{Verdict: &verdict},
		{Edit: &abi.EditEvent{Call: "aa-5", Edits: []abi.Edit{{At: "/a", With: v}}, Digest: "d"}},
		{Edit: &abi.EditEvent{Call: "aa-5", Of: "result", Edits: []abi.Edit{{At: "/b/0", Cuts: []abi.Cut{{From: 1, To: 3, With: "x"}, {From: 5, To: 5}}}}}},
		{Redacted: true, User: &abi.UserEvent{Text: "t"}},
		{Ask: &abi.AskEvent{Call: "aa-5", Server: "s", Tool: "t", Fingerprint: "f", Definition: v, DefinitionWas: v, Identity: v, IdentityWas: v, Items: []abi.AskItem{{Contract: "sink", Code: "C", Reason: "r", Finding: &finding}}}},
		{Label: &abi.LabelEvent{Call: "aa-5", Session: []string{"a"}, Data: []string{"b"}}},
		{Closed: &abi.ClosedEvent{Reason: "r", Exit: 3}},
		{Reload: &abi.ReloadEvent{State: abi.ReloadWaits, Digest: "ab", Why: []string{"p.yaml:1: x", "p.yaml:2: y"}}},
		{Evicted: &abi.EvictedEvent{Segment: "0123456789ab-1"}},
		{Result: &abi.ResultEvent{Call: "c", Broken: true}, Text: &abi.Text{Digest: "d", Segment: "0123456789ab-1", Offset: 16, Length: 9, Error: true}},
	}
	for i := range list {
		list[i].Seq = uint64(i)
		list[i].Time = at
		list[i].Cause, list[i].Caused = 0, i%2 == 0
	}
	return list
}

func TestEveryEventComesBackFromItsOneForm(t *testing.T) {
	n := 0
	for _, e := range events(t) {
		line := e.String()
		back, err := abi.ParseEvent([]byte(line))
		if err != nil {
			t.Errorf("%v: %s", err, line)
			continue
		}
		if got := back.String(); got != line {
			t.Errorf("%s\ncame back as\n%s", line, got)
		}
		n++
	}
	if n == 0 {
		t.Fatal("no events")
	}
}

func TestAnEventMayHoldAValueAsDeepAsAFrame(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	cases := []struct {
		name string
		deep int
		ok   bool
	}{
		{"flat", 1, true},
		{"a result of the deepest frame", abi.MaxDepth - 1, true},
		{"deeper than any event", abi.MaxDepth + 16, false},
	}
	for _, c := range cases {
		line := `{"v":1,"seq":1,"result":{"call":"x","server":"s","value":` + nest(c.deep) + `}}`
		if _, err := abi.ParseEvent([]byte(line)); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := abi.Parse([]byte(nest(abi.MaxDepth + 1))); err == nil {
		t.Error("a value is as deep as an event")
	}
}

func TestAnEventThatIsNotOneIsRefused(t *testing.T) {
	cases := []struct{ name, line, want string }{
		{"no version", `{"seq":1,"user":{"text":"x"}}`, "version 0"},
		{"a later version", `{"v":2,"seq":1,"user":{"text":"x"}}`, "version 2"},
		{"an unknown kind", `{"v":1,"seq":1,"usr":{}}`, `unknown kind "usr"`},
		{"an unknown member", `{"v":1,"seq":1,"user":{"txt":"x"}}`, `unknown member "txt"`},
		{"two kinds", `{"v":1,"seq":1,"user":{"text":"x"},"closed":{}}`, "2 kinds"},
		{"a member of another type", `{"v":1,"seq":1,"user":{"text":7}}`, "want a string"},
		{"arguments that are a list", `{"v":1,"seq":1,"call":{"server":"s","tool":"t","arguments":[]}}`, "want an object"},
		{"an outcome that is none", `{"v":1,"seq":1,"verdict":{"outcome":"permit"}}`, `unknown outcome "permit"`},
		{"an answer that is none", `{"v":1,"seq":1,"approval":{"call":"x","answer":"maybe"}}`, "want yes or no"},
		{"a nested unknown member", `{"v":1,"seq":1,"verdict":{"outcome":"deny","also":[{"outcome":"ask","x":1}]}}`, `unknown member "x"`},
		{"a name twice", `{"v":1,"seq":1,"seq":2}`, "duplicate"},
	}
	for _, c := range cases {
		if _, err := abi.ParseEvent([]byte(c.line)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
	if _, err := abi.ParseEvent([]byte(`{"v":1,"seq":1,"prev":"00","user":{"text":"x"}}`)); err != nil {
		t.Errorf("the allowed twin: %v", err)
	}
}

func TestTheProjectionShowsNoReasonAndNoValue(t *testing.T) {
	for _, e := range events(t) {
		if e.Verdict == nil {
			continue
		}
		got := string(e.Verdict.Projection(func(string) string { return "/masked" }))
		if want := `{"id":"aa-1","outcome":"deny","contract":"sink","code":"SINK_TAINTED","rule":"p.yaml:1","at":["/masked"]}`; got != want {
			t.Errorf("%s; want %s", got, want)
		}
		return
	}
	t.Fatal("no verdict")
}

func FuzzParseEvent(f *testing.F) {
	for _, e := range events(f) {
		f.Add(e.Append(nil))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := abi.ParseEvent(line)
		if err != nil {
			return
		}
		once := e.String()
		back, err := abi.ParseEvent([]byte(once))
		if err != nil || back.String() != once {
			t.Fatalf("%v\n%s\n%s", err, once, back)
		}
	})
}
