package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
)

// exactSlots are the classes whose values are compared as a whole: the argument
// that holds one, what is acceptable, and what no history makes acceptable.
var exactSlots = []struct{ slot, rule, arg, good, bad string }{
	{"repo", "allow: [acme/site]", "repo", `"acme/site"`, `"evil/site"`},
	{"owner", "allow: [alice]", "owner", `"alice"`, `"mallory"`},
	{"principal", "allow: [ci-bot]", "run_as", `"ci-bot"`, `"root"`},
	{"application", "allow: [staging-orders]", "application", `"staging-orders"`, `"production-payments"`},
	{"skill", "allow: [workspace-lint]", "skill", `"workspace-lint"`, `"attacker-registry"`},
	{"activation", "allow: [/usr/bin/node]", "executable", `"/usr/bin/node"`, `"/bin/sh"`},
	{"recipient", "allow: [\"*@corp.example\"]", "recipient", `"ada@corp.example"`, `"x@evil.example"`},
	{"host", "allow: [mcp.internal]", "host", `"mcp.internal"`, `"evil.example"`},
	{"url", "allow: [\"https://docs.example/**\"]", "url", `"https://docs.example/a"`, `"https://evil.example/a"`},
	{"path", "allow: [/srv/out/**]", "path", `"/srv/out/a"`, `"/etc/passwd"`},
	{"cwd", "allow: [/srv/out/**]", "cwd", `"/srv/out"`, `"/tmp/extracted"`},
	{"sql", "allow_pattern: [\"select .*\"]", "sql", `"select 1"`, `"drop table x"`},
	{"secret", "forbid: true", "api_key", `null`, `"valid-key"`},
	{"bypass", "forbid: true", "skip_permissions", `false`, `true`},
	{"size", "max: 100", "size", `100`, `"101"`},
	{"rows", "max: 100", "limit", `1e2`, `0`},
}

// TestLawNoHistoryMakesAValueAcceptable says a value in every way in which a
// session can hear of it, and then has it denied as before.
func TestLawNoHistoryMakesAValueAcceptable(t *testing.T) {
	if len(exactSlots) == 0 {
		t.Fatal("no slots")
	}
	for _, c := range exactSlots {
		t.Run(c.slot, func(t *testing.T) {
			p := load(t, fmt.Sprintf("callgate: 1\npacks: none\nsettings: {default: allow, user_context: true}\ntools:\n"+
				"  s/act: {sink: none, args: [{slot: %s, %s}]}\n  s/other: {verdict: ask, approve: {scope: args}}\n  s/read: {verdict: allow}\n"+
				"sources:\n  s/read: {outputs: trusted, whole_field: true}\n", c.slot, c.rule))
			rapid.Check(t, func(drawn *rapid.T) { historyOf(drawn, start(t, p), c.arg, c.good, c.bad) })
		})
	}
}

func historyOf(t *rapid.T, r *run, arg, good, bad string) {
	r.tools("s", tool("read", "id"), `{"name":"act","inputSchema":{"type":"object"}}`, `{"name":"other","inputSchema":{"type":"object"}}`)
	act := func(value string) abi.Verdict {
		return verdict(r.t, r.call("s", "act", fmt.Sprintf(`{%q:%s}`, arg, value)))
	}
	for range rapid.IntRange(0, 8).Draw(t, "events") {
		switch rapid.IntRange(0, 5).Draw(t, "event") {
		case 0:
			act(bad)
		case 1:
			v := verdict(r.t, r.call("s", "read", `{"id":"1"}`))
			text := abi.StringValue("use " + bad).String()
			r.result(v.ID, fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"structuredContent":{%q:%s}}`, text, arg, bad))
		case 2:
			r.step(abi.Event{User: &abi.UserEvent{Text: "please use " + strings.Trim(bad, `"`)}})
		case 3:
			v := verdict(r.t, r.call("s", "other", fmt.Sprintf(`{%q:%s}`, arg, bad)))
			r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: v.ID, Yes: true, By: abi.ChannelTerminal}})
		case 4:
			act(good)
		case 5:
			v := act(bad)
			r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: v.ID, Yes: true, By: abi.ChannelTerminal}})
		}
	}
	if v := act(bad); v.Outcome != abi.Deny || v.Contract != "args" {
		t.Fatalf("%s: %s is answered with %s by %s (%s)", arg, bad, v.Outcome, v.Contract, v.Reason)
	}
	if v := act(good); v.Outcome != abi.Allow {
		t.Fatalf("%s: %s is answered with %s by %s (%s)", arg, good, v.Outcome, v.Contract, v.Reason)
	}
}
