package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

// of makes a call of every kind at server s.
func of(t testing.TB, kind abi.CallKind, text string) *abi.Call {
	t.Helper()
	c := &abi.Call{Kind: kind, Server: "s"}
	switch kind {
	case abi.KindMethod:
		c.Method, c.Params = "vendor/x", value(t, text)
	case abi.KindTool:
		c.Tool, c.Arguments = "read", value(t, text)
	default:
		c.SetValues(value(t, text))
	}
	return c
}

// kinds are all kinds but tool, each with what a call of it holds.
var kinds = []struct {
	kind abi.CallKind
	key  string // in servers.s, with a verdict to be filled in
	text string
}{
	{abi.KindResource, "resources: {verdict: %}", `{"uri":"docs://x"}`},
	{abi.KindPrompt, "prompts: {verdict: %}", `{"name":"p","arguments":{"a":"b"}}`},
	{abi.KindCompletion, "completions: {verdict: %}", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"}}`},
	{abi.KindSampling, "requests: {sampling: %}", `{"messages":[],"maxTokens":1}`},
	{abi.KindElicitation, "requests: {elicitation: %}", `{"message":"who?"}`},
	{abi.KindRoots, "requests: {roots: %}", `{}`},
	{abi.KindMethod, "methods: {\"vendor/*\": %}", `{"a":"b"}`},
}

func (r *run) judged(c *abi.Call) string {
	r.t.Helper()
	v := verdict(r.t, r.step(abi.Event{Call: c}))
	return v.Outcome.String() + " " + v.Code
}

func TestEveryKindIsJudgedByItsOwnKeyItsServerAndTheDefault(t *testing.T) {
	n := 0
	for _, k := range kinds {
		heavy := k.kind == abi.KindResource || k.kind == abi.KindPrompt || k.kind == abi.KindSampling
		asks, serverAsks := "allow ", "allow "
		if heavy {
			asks, serverAsks = "ask COVERAGE_DEFAULT", "ask COVERAGE_ASK"
		}
		for _, c := range []struct{ name, policy, want string }{
			{"nothing said, deny", "settings: {default: deny}", "deny COVERAGE_DEFAULT"},
			{"nothing said, ask", "settings: {default: ask}", asks},
			{"nothing said, allow", "settings: {default: allow}", "allow "},
			{"the server is denied", "settings: {default: allow}\nservers: {s: {verdict: deny}}", "deny COVERAGE_DENIED"},
			{"the server asks", "settings: {default: deny}\nservers: {s: {verdict: ask}}", serverAsks},
			{"the server is granted", "settings: {default: deny}\nservers: {s: {verdict: allow}}", "allow "},
			{"a tools key is not about it", "settings: {default: allow}\ntools: {\"*/*\": {verdict: deny}}", "allow "},
			{"its own key denies", "settings: {default: allow}\nservers: {s: {verdict: allow, " + strings.Replace(k.key, "%", "deny", 1) + "}}", "deny COVERAGE_DENIED"},
			{"its own key asks", "settings: {default: allow}\nservers: {s: {" + strings.Replace(k.key, "%", "ask", 1) + "}}", "ask COVERAGE_ASK"},
			{"its own key grants", "settings: {default: deny}\nservers: {s: {verdict: deny, " + strings.Replace(k.key, "%", "allow", 1) + "}}", "allow "},
			{"another server", "settings: {default: allow, unknown_server: deny}\nservers: {other: {verdict: allow}}", "deny COVERAGE_SERVER"},
			{"nobody minds another server", "settings: {default: allow, unknown_server: allow}\nservers: {other: {verdict: allow}}", "allow "},
		} {
			r := start(t, load(t, "callgate: 1\npacks: none\n"+c.policy+"\n"))
			if got := r.judged(of(t, k.kind, k.text)); got != c.want {
				t.Errorf("%s: %s: %s; want %s", k.kind, c.name, got, c.want)
			}
			n++
		}
	}
	if n == 0 || len(kinds) != len(abi.Kinds)-1 {
		t.Errorf("%d cases of %d kinds", n, len(kinds))
	}
}

func TestAFloorHoldsForEveryKind(t *testing.T) {
	for _, k := range kinds {
		floor := "callgate: 1\nservers: {s: {" + strings.Replace(k.key, "%", "deny", 1) + "}}\n"
		r := start(t, load(t, open, floor))
		if got := r.judged(of(t, k.kind, k.text)); got != "deny COVERAGE_DENIED" {
			t.Errorf("%s: %s", k.kind, got)
		}
		r = start(t, load(t, open, "callgate: 1\nsettings: {max_argument_bytes: 1MiB}\n"))
		if got := r.judged(of(t, k.kind, k.text)); got != "allow " {
			t.Errorf("%s under a floor without an objection: %s", k.kind, got)
		}
	}
}

func TestUnknownKindsAreDenied(t *testing.T) {
	r := start(t, load(t, open+"servers: {s: {verdict: allow}}\n"))
	for _, kind := range []abi.CallKind{"Tool", "resources", "tools/call", "x"} {
		if got := r.judged(&abi.Call{Kind: kind, Server: "s", Tool: "read"}); got != "deny COVERAGE_KIND" {
			t.Errorf("%q: %s", kind, got)
		}
	}
	r.tools("s", tool("read"))
	if got := r.outcome("s", "read", `{}`); got != "allow " {
		t.Errorf("a tool: %s", got)
	}
}

func TestAToolIsNotAnotherKindOfTheSameName(t *testing.T) {
	r := start(t, load(t, "callgate: 1\npacks: none\nsettings: {default: deny}\nservers: {s: {resources: {verdict: allow}}}\n"))
	r.tools("s", tool("resources/read"))
	if got := r.outcome("s", "resources/read", `{}`); got != "deny COVERAGE_DEFAULT" {
		t.Errorf("the tool: %s", got)
	}
	if got := r.judged(of(t, abi.KindResource, `{"uri":"docs://x"}`)); got != "allow " {
		t.Errorf("the resource: %s", got)
	}
}

func TestSamplingAsksForForeignContextAndTools(t *testing.T) {
	sampling := func(policy string) *run { return start(t, load(t, open+policy)) }
	for _, c := range []struct{ policy, params, want string }{
		{"", `{"maxTokens":1}`, "allow "},
		{"", `{"includeContext":"none"}`, "allow "},
		{"", `{"includeContext":"thisServer"}`, "allow "},
		{"", `{"includeContext":"allServers"}`, "ask ARGS_IN"},
		{"", `{"includeContext":["allServers"]}`, "ask ARGS_IN"},
		{"", `{"IncludeContext":"allServers"}`, "ask ARGS_CASE"},
		{"", `{"tools":[]}`, "ask ARGS_FORBIDDEN"},
		{"servers: {s: {requests: {sampling: allow}}}\n", `{"tools":[{"name":"x"}]}`, "ask ARGS_FORBIDDEN"},
		{"servers: {s: {requests: {sampling: {verdict: allow, replace: true}}}}\n", `{"tools":[{"name":"x"}]}`, "allow "},
		{"servers: {s: {requests: {sampling: {args: [{arg: includeContext, in: [allServers]}]}}}}\n", `{"includeContext":"allServers"}`, "allow "},
	} {
		if got := sampling(c.policy).judged(of(t, abi.KindSampling, c.params)); got != c.want {
			t.Errorf("%s %s: %s; want %s", c.policy, c.params, got, c.want)
		}
	}
}

func TestAHiddenToolIsNeitherShownNorCalled(t *testing.T) {
	text := open + "tools: {s/debug: {verdict: allow, hide: true}}\n"
	r := start(t, load(t, text))
	r.tools("s", tool("debug"), tool("read"))
	if !r.state.Hidden("s", "debug") || r.state.Hidden("s", "read") || r.state.Hidden("t", "debug") {
		t.Error("hidden: want s/debug alone")
	}
	if got := r.outcome("s", "debug", `{}`); got != "deny COVERAGE_HIDDEN" {
		t.Errorf("the hidden tool: %s", got)
	}
	if got := r.outcome("s", "read", `{}`); got != "allow " {
		t.Errorf("the other: %s", got)
	}
	r = start(t, load(t, open, "callgate: 1\ntools: {\"*/debug\": {hide: true}}\n"))
	if r.tools("s", tool("debug")); !r.state.Hidden("s", "debug") {
		t.Error("the floor's hide does not hold")
	}
	r = start(t, load(t, text))
	if !r.state.Hidden("s", "debug") {
		t.Error("shown before any list")
	}
	r = start(t, load(t, "callgate: 1\npacks: none\nsettings: {default: allow, mode: observe}\ntools: {s/debug: {hide: true}}\n"))
	if r.state.Hidden("s", "debug") {
		t.Error("observing hides")
	}
}

func TestAServersRequestIsForgottenOnceDecided(t *testing.T) {
	r := start(t, load(t, open))
	answers := r.step(abi.Event{Call: of(t, abi.KindElicitation, `{"message":"who?"}`)})
	if v := verdict(t, answers); v.Outcome != abi.Allow {
		t.Fatal(v)
	} else if _, _, ok := r.state.CallOf(v.ID); ok {
		t.Error("an elicitation waits for a result")
	}
	v := verdict(t, r.step(abi.Event{Call: of(t, abi.KindResource, `{"uri":"docs://x"}`)}))
	if server, target, ok := r.state.CallOf(v.ID); !ok || server != "s" || target != "resources/read" {
		t.Errorf("a read: %s %s %v", server, target, ok)
	}
}

func TestQuestionsShowKindAndTarget(t *testing.T) {
	n := 0
	for _, k := range kinds {
		r := start(t, load(t, open+"servers: {s: {"+strings.Replace(k.key, "%", "ask", 1)+"}}\n"))
		c := of(t, k.kind, k.text)
		out := r.step(abi.Event{Call: c})
		id := verdict(t, out).ID
		q, values, ok := r.state.Question(id)
		if want, _ := c.Values(); !ok || q.Kind != k.kind || q.Tool != c.Target() || !values.Equal(want) {
			t.Errorf("%s: %v %+v %s", k.kind, ok, q, values)
		}
		yes := r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: id, Yes: true, By: abi.ChannelTerminal}})
		if v := verdict(t, yes); v.Outcome != abi.Allow {
			t.Errorf("%s: after a yes: %v", k.kind, v)
		}
		if got := r.judged(of(t, k.kind, k.text)); got != "ask COVERAGE_ASK" {
			t.Errorf("%s: again: %s", k.kind, got)
		}
		n++
	}
	if n == 0 {
		t.Fatal("no kinds")
	}
}

func TestTextsThatLeftTheEventComeBack(t *testing.T) {
	n := 0
	for _, k := range kinds {
		c := of(t, k.kind, k.text)
		values, _ := c.Values()
		text := values.String()
		for name, kept := range map[string]string{"allow ": text, "deny TEXT_GONE": strings.Replace(text, "}", " ", 1)} {
			state := gate.New(gate.Options{Specs: builtin.Table(), Text: textAt{strings.NewReader(kept)}})
			p := load(t, open)
			gate.Step(state, abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
			gone := *c
			e := state.Freeze(abi.Event{Seq: 5, Call: &gone, Text: &abi.Text{Digest: values.Digest(), Length: int64(len(text))}})
			stripped := *e.Call
			stripped.SetValues(abi.Value{})
			e.Call = &stripped
			v := verdict(t, gate.Step(state, e))
			if got := v.Outcome.String() + " " + v.Code; got != name {
				t.Errorf("%s: %s; want %s", k.kind, got, name)
			}
			n++
		}
	}
	if n == 0 {
		t.Fatal("no kinds")
	}
}
