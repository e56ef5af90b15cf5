package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
)

func announced(t testing.TB, version string) abi.Event {
	return abi.Event{Server: &abi.ServerEvent{Server: "s", Result: value(t, `{"serverInfo":{"name":"m","version":"`+version+`"},"instructions":"Mail."}`)}}
}

func (r *run) reply(q *abi.AskEvent, yes bool) []abi.Event {
	return r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: q.Call, Yes: yes, By: "test"}})
}

// moved is a run whose server has another version than the pinned one.
func moved(t *testing.T) *run {
	r := start(t, load(t, pinning))
	r.step(announced(t, "1.0.15"))
	r.tools("s", tool("a", "x"), tool("b"))
	if got := r.outcome("s", "a", `{}`); got[:5] != "allow" {
		t.Fatal("as pinned:", got)
	}
	r.step(announced(t, "1.0.16"))
	return r
}

func TestAServerThatMovedIsOneQuestion(t *testing.T) {
	r := moved(t)
	first := askOf(t, r.call("s", "a", `{"x":"1"}`))
	second := askOf(t, r.call("s", "b", `{}`))
	if first.Shared || !second.Shared || first.Fingerprint != second.Fingerprint {
		t.Fatal("two questions:", first, second)
	}
	if len(first.Items) != 1 || first.Items[0].Code != "PIN_SERVER" || !strings.Contains(first.Items[0].Reason, "in version") {
		t.Error("the question does not say what moved:", first.Items)
	}
	if first.Definition.Exists() || first.Identity.Get("version").Str() != "1.0.16" {
		t.Error("the question does not show what a yes pins:", first)
	}
	allowed := 0
	for _, a := range r.reply(first, true) {
		if a.Verdict != nil && a.Verdict.Outcome == abi.Allow {
			allowed++
		}
	}
	if allowed != 2 {
		t.Errorf("a yes let %d of two calls go", allowed)
	}
	if got := r.outcome("s", "a", `{}`); got[:5] != "allow" {
		t.Error("after the yes:", got)
	}
	r.step(announced(t, "1.0.17"))
	if got := r.outcome("s", "a", `{}`); got != "ask PIN_SERVER" {
		t.Error("the next version:", got)
	}
	r.step(announced(t, "1.0.16"))
	if got := r.outcome("s", "a", `{}`); got[:5] != "allow" {
		t.Error("back at the accepted one:", got)
	}
}

func TestAServerThatWasDeclinedIsNotAskedForAgain(t *testing.T) {
	r := moved(t)
	r.reply(askOf(t, r.call("s", "a", `{}`)), false)
	if got := r.outcome("s", "b", `{}`); got != "deny PIN_SERVER" {
		t.Error("after a no:", got)
	}
	r.step(announced(t, "1.0.15"))
	if got := r.outcome("s", "b", `{}`); got[:5] != "allow" {
		t.Error("as pinned again:", got)
	}
}

func TestAYesThatCameLateServesTheNextCallOfTheServer(t *testing.T) {
	r := moved(t)
	q := askOf(t, r.call("s", "a", `{}`))
	r.step(abi.Event{Lapsed: &abi.LapsedEvent{Call: q.Call}})
	r.reply(q, true)
	for _, name := range []string{"b", "a"} {
		if got := r.outcome("s", name, `{}`); got[:5] != "allow" {
			t.Error(name, got)
		}
	}
}

func TestAYesToAServerDoesNotAnswerWhatElseIsAsked(t *testing.T) {
	r := moved(t)
	r.tools("s", tool("a", "x"), tool("b"), tool("c"))
	server, both := askOf(t, r.call("s", "a", `{}`)), askOf(t, r.call("s", "c", `{}`))
	if server.Fingerprint == both.Fingerprint || !both.Definition.Exists() || !both.Identity.Exists() {
		t.Fatal("one question for two things:", both)
	}
	r.reply(server, true)
	if got := r.outcome("s", "c", `{}`); got != "ask PIN_LATE" {
		t.Error("the late tool:", got)
	}
	r.reply(both, true)
	if got := r.outcome("s", "c", `{}`); got != "ask PIN_LATE" {
		t.Error("a yes to a question that had changed:", got)
	}
}

func TestPinsOfServersAndToolsComeBack(t *testing.T) {
	r := moved(t)
	pins, dirty := r.state.Pins("s")
	if !dirty || len(pins) != 3 {
		t.Fatal("kept:", pins, dirty)
	}
	if _, dirty := r.state.Pins("s"); dirty {
		t.Error("kept twice")
	}
	again := start(t, load(t, pinning))
	again.step(abi.Event{Tools: &abi.ToolsEvent{Server: "s", Source: abi.ToolsStored, List: pins}})
	again.step(announced(t, "1.0.16"))
	if got := again.outcome("s", "a", `{}`); got != "ask PIN_SERVER" {
		t.Error("another version since it was stored:", got)
	}
	again.step(announced(t, "1.0.15"))
	if got := again.outcome("s", "a", `{}`); got[:5] != "allow" {
		t.Error("the stored version:", got)
	}
	same, _ := again.state.Pins("s")
	if fmt.Sprint(same) != fmt.Sprint(pins) {
		t.Errorf("stored %v came back as %v", pins, same)
	}
}

func TestThatNothingWasListedIsKept(t *testing.T) {
	r := start(t, load(t, pinning))
	r.tools("s")
	pins, dirty := r.state.Pins("s")
	if !dirty || len(pins) != 0 {
		t.Fatal("kept:", pins, dirty)
	}
	again := start(t, load(t, pinning))
	again.step(abi.Event{Tools: &abi.ToolsEvent{Server: "s", Source: abi.ToolsStored, List: pins}})
	again.tools("s", tool("a"))
	if got := again.outcome("s", "a", `{}`); got != "ask PIN_LATE" {
		t.Error(got)
	}
}

func TestWhatAPersonAcceptedIsPinned(t *testing.T) {
	changed := tool("a", "x", "note")
	accept := abi.Event{Tools: &abi.ToolsEvent{Server: "s", Source: abi.ToolsAccepted, List: []abi.Value{abi.Pin{Definition: value(t, changed)}.Value()}}}
	for _, how := range []string{"none", "step", "fold", "tail"} {
		r := start(t, load(t, pinning))
		r.tools("s", tool("a", "x"))
		r.tools("s", changed)
		switch how {
		case "step":
			r.step(accept)
		case "fold":
			gate.Fold(r.state, accept)
		case "tail":
			gate.Tail(r.state, gate.Peer{File: "ffffff0123", Server: "s"}, accept)
		}
		want := "deny PIN_CHANGED"
		if how == "step" {
			want = "allow"
		}
		if got := r.outcome("s", "a", `{}`); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s; want %s", how, got, want)
		}
		if _, dirty := r.state.Pins("s"); dirty != true {
			t.Errorf("%s: not kept", how)
		}
	}
}

func TestWhatIsOfferedIsWhatWasListedLast(t *testing.T) {
	r := moved(t)
	r.tools("s", tool("a", "x", "note"), tool("b"), tool("c"), tool("c", "x"), `{"name":"re\u0430d"}`)
	for _, c := range []struct {
		tool, want string
		ok         bool
	}{
		{"", "1.0.16", true}, {"a", "note", true}, {"b", "does b", true}, {"c", "", false}, {"re\u0430d", "", false}, {"nobody", "", false},
	} {
		p, ok := r.state.Offered("s", c.tool)
		if ok != c.ok || ok && !strings.Contains(p.Value().String(), c.want) {
			t.Errorf("%q: %v %s", c.tool, ok, p.Value())
		}
		if ok {
			r.step(abi.Event{Tools: &abi.ToolsEvent{Server: "s", Source: abi.ToolsAccepted, List: []abi.Value{p.Value()}}})
		}
	}
	if got := r.outcome("s", "a", `{}`); got[:5] != "allow" {
		t.Error("after all was accepted:", got)
	}
	if _, ok := r.state.Offered("nobody", ""); ok {
		t.Error("a server that nobody knows")
	}
}

func TestTheAnswerToAChangedToolPinsIt(t *testing.T) {
	narrower := `{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string","maxLength":3}}}}`
	for _, yes := range []bool{true, false} {
		r := start(t, load(t, pinning))
		wider := `{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string"}}}}`
		r.tools("s", wider)
		r.tools("s", narrower)
		q := askOf(t, r.call("s", "a", `{"x":"1"}`))
		if !q.Definition.Equal(value(t, narrower)) || !q.DefinitionWas.Equal(value(t, wider)) {
			t.Fatal("the ask does not show both definitions")
		}
		got := verdict(t, r.reply(q, yes)).Outcome
		again := r.outcome("s", "a", `{"x":"2"}`)
		if yes && (got != abi.Allow || again[:5] != "allow") || !yes && (got != abi.Deny || again != "ask PIN_CHANGED") {
			t.Error(yes, got, again)
		}
	}
}

func TestAnAnswerIsForTheDefinitionThatWasShown(t *testing.T) {
	r := start(t, load(t, pinning))
	r.tools("s", `{"name":"a","description":"one"}`)
	r.tools("s", `{"name":"a","description":"two"}`)
	q := askOf(t, r.call("s", "a", `{}`))
	r.tools("s", `{"name":"a","description":"three"}`)
	if v := verdict(t, r.reply(q, true)); v.Outcome != abi.Deny || v.Code != "APPROVAL_STALE" {
		t.Error(v.Outcome, v.Code)
	}
	if got := r.outcome("s", "a", `{}`); got != "ask PIN_CHANGED" {
		t.Error(got)
	}
}

// TestWhileADefinitionMovesBothAreHeld has a rule that depends on the schema:
// arguments that the schema does not have are refused.
func TestWhileADefinitionMovesBothAreHeld(t *testing.T) {
	policy := "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: deny}\ntools: {s/a: {undeclared: deny}}\n"
	was := `{"name":"a","inputSchema":{"type":"object","additionalProperties":false,"properties":{"x":{"description":"first"},"y":{}}}}`
	spelt := strings.Replace(was, "first", "First.", 1)
	less := strings.Replace(was, `,"y":{}`, "", 1)
	for _, c := range []struct{ name, listed, args, want string }{
		{"as pinned", was, `{"x":1,"y":2}`, "allow"},
		{"spelt differently", spelt, `{"x":1,"y":2}`, "allow"},
		{"spelt differently, and what neither has", spelt, `{"z":1}`, "deny ARGS_UNDECLARED"},
		{"with less, and what both have", less, `{"x":1}`, "ask PIN_CHANGED"},
		{"with less, and what only the pinned one has", less, `{"x":1,"y":2}`, "deny ARGS_UNDECLARED"},
	} {
		r := start(t, load(t, policy))
		r.tools("s", was)
		r.tools("s", c.listed)
		v := verdict(t, r.call("s", "a", c.args))
		if got := v.Outcome.String() + " " + v.Code; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s; want %s: %s", c.name, got, c.want, v.Reason)
		}
		seen := map[string]int{}
		for _, also := range append([]abi.Verdict{v}, v.Also...) {
			also.Also = nil
			if seen[fmt.Sprint(also)]++; seen[fmt.Sprint(also)] > 1 {
				t.Errorf("%s: said twice: %v", c.name, also)
			}
		}
	}
}

func TestAStormOfListsChangesNothing(t *testing.T) {
	r := start(t, load(t, pinning))
	r.tools("s", tool("a", "x"))
	for range 300 {
		r.step(abi.Event{Frame: &abi.FrameEvent{Server: "s", Method: "notifications/tools/list_changed", Frame: value(t, `{}`)}})
		r.tools("s", tool("a", "x"))
	}
	if got := r.outcome("s", "a", `{}`); got[:5] != "allow" {
		t.Error("the same list each time:", got)
	}
	r.tools("s", tool("a", "x", "note"))
	if got := r.outcome("s", "a", `{}`); got != "deny PIN_CHANGED" {
		t.Error("another one in the end:", got)
	}
}

func TestALoopOfPagesEndsAndPinsOnlySoMuch(t *testing.T) {
	r := start(t, load(t, pinning))
	r.step(page("s", "", "0", value(t, tool("first"))))
	for i := range 9000 {
		r.step(page("s", fmt.Sprint(i), fmt.Sprint(i+1), value(t, fmt.Sprintf(`{"name":"t%d"}`, i))))
	}
	pins, _ := r.state.Pins("s")
	if len(pins) < 1000 || len(pins) > 8192 {
		t.Errorf("%d pins of a list without an end", len(pins))
	}
	if got := r.outcome("s", "first", `{}`); got[:5] != "allow" {
		t.Error("a tool of the first page:", got)
	}
	if got := r.outcome("s", "t8999", `{}`); got[:5] == "allow" {
		t.Error("a tool of the last page:", got)
	}
}

func TestAToolOnALaterPageMayNotChangeEither(t *testing.T) {
	for _, c := range []struct{ name, second, want string }{
		{"the same", tool("b"), "allow"},
		{"with more", tool("b", "note"), "deny PIN_CHANGED"},
	} {
		r := start(t, load(t, pinning))
		r.step(page("s", "", "2", value(t, tool("a"))))
		r.step(page("s", "2", "", value(t, tool("b"))))
		r.step(page("s", "", "2", value(t, tool("a"))))
		r.step(page("s", "2", "", value(t, c.second)))
		if got := r.outcome("s", "b", `{}`); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s; want %s", c.name, got, c.want)
		}
	}
}

func TestAResourceOfAServerThatMovedAsks(t *testing.T) {
	read := abi.Event{Call: &abi.Call{Kind: abi.KindResource, Server: "s", URI: "file:///srv/x", Action: "read"}}
	r := moved(t)
	first, second := askOf(t, r.step(read)), askOf(t, r.call("s", "a", `{}`))
	if first.Fingerprint != second.Fingerprint || first.Definition.Exists() {
		t.Error("a question of its own:", first, second)
	}
	r.reply(first, true)
	if v := verdict(t, r.step(read)); v.Outcome == abi.Ask {
		t.Error("after a yes:", v.Outcome, v.Code)
	}
}
