package policy

import (
	"strings"
	"testing"
)

func TestNotes(t *testing.T) {
	quiet := "settings: {default: deny}"
	cases := []struct {
		name   string
		layers []string
		want   string // code and rule of each note
	}{
		{"nothing to say", []string{quiet}, ""},
		{"no default", []string{"name: a"}, "DEFAULT_ABSENT l0.yaml:1: settings"},
		{"ignored verdict", []string{quiet + "\ntools: {s/t: {verdict: deny}}", "tools: {s/t: {verdict: ask}}"}, "LOOSER_IGNORED l1.yaml:2: tools.s/t.verdict"},
		{"ignored setting", []string{quiet, "settings: {default: allow}"}, "LOOSER_IGNORED l1.yaml:2: settings.default"},
		{"loosened verdict", []string{quiet + "\ntools: {s/t: {verdict: deny}}", "tools: {s/t: {verdict: allow}}"}, "LOOSENED l1.yaml:2: tools.s/t.verdict"},
		{"loosened count", []string{quiet + "\ntools: {s/t: {max_calls: 1}}", "tools: {s/*: {max_calls: 2}}"}, "LOOSENED l1.yaml:2: tools.s/*.max_calls"},
		{"tightened count", []string{quiet + "\ntools: {s/t: {max_calls: 2}}", "tools: {s/*: {max_calls: 1}}"}, ""},
		{"loosened size", []string{quiet + "\n", "settings: {max_result_bytes: 20MiB}", "settings: {max_result_bytes: 30MiB}"}, "LOOSENED l2.yaml:2: settings.max_result_bytes"},
		{"more asks", []string{quiet, "settings: {max_asks: 5}", "settings: {max_asks: 6}"}, "LOOSENED l2.yaml:2: settings.max_asks"},
		{"fewer asks", []string{quiet, "settings: {max_asks: 6}", "settings: {max_asks: 5}"}, ""},
		{"longer wait", []string{quiet, "settings: {approval_timeout: 5s}", "settings: {approval_timeout: 6s}"}, "LOOSENED l2.yaml:2: settings.approval_timeout"},
		{"shorter wait", []string{quiet, "settings: {approval_timeout: 6s}", "settings: {approval_timeout: 5s}"}, ""},
		{"more channels", []string{quiet, "settings: {approval: {channels: [terminal]}}", "settings: {approval: {channels: [terminal, elicitation]}}"}, "LOOSER_IGNORED l2.yaml:2: settings.approval.channels"},
		{"fewer channels", []string{quiet, "settings: {approval: {channels: [terminal, elicitation]}}", "settings: {approval: {channels: [terminal]}}"}, ""},
		{"replaced approval", []string{quiet, "settings: {approval: {channels: [terminal]}}", "settings: {approval: {channels: [elicitation]}, replace: [approval]}"}, "REPLACED l2.yaml:2: settings.replace"},
		{"a yes that reaches farther", []string{quiet + "\ntools: {s/t: {approve: {scope: call}}}", "tools: {s/t: {approve: {scope: args}}}"}, "LOOSENED l1.yaml:2: tools.s/t.approve"},
		{"a yes that lasts longer", []string{quiet + "\ntools: {s/t: {approve: {scope: args, for: 1m}}}", "tools: {s/t: {approve: {scope: args}}}"}, "LOOSENED l1.yaml:2: tools.s/t.approve"},
		{"a yes that reaches less far", []string{quiet + "\ntools: {s/t: {approve: {for: 1m}}}", "tools: {s/t: {approve: {scope: call}}}"}, ""},
		{"loosened risk", []string{quiet + "\ntools: {s/t: {risk: high}}", "tools: {s/t: {risk: low}}"}, "LOOSENED l1.yaml:2: tools.s/t.risk"},
		{"loosened sink", []string{quiet + "\ntools: {s/t: {sink: {to: [a]}}}", "tools: {s/t: {sink: {on: {prose: ask}}}}"}, "LOOSENED l1.yaml:2: tools.s/t.sink.on.prose"},
		{"replaced entry", []string{quiet + "\ntools: {s/t: {verdict: deny}}", "tools: {s/t: {replace: true}}"}, "REPLACED l1.yaml:2: tools.s/t.replace"},
		{"replaced setting", []string{quiet, "settings: {default: allow, replace: [default]}"}, "REPLACED l1.yaml:2: settings.replace"},
		{"allow list of a lower layer", []string{quiet + "\ntools: {s/t: {args: [{slot: path, allow: [/a]}]}}", "tools: {s/t: {args: [{slot: path, allow: [/b]}]}}"}, "LIST_REPLACED l0.yaml:3: tools.s/t.args[0]"},
		{"allow lists that both hold", []string{quiet + "\ntools: {s/t: {args: [{slot: path, allow: [/a]}]}}", "tools: {s/t: {args: [{slot: path, allow: [/b], also: true}]}}"}, ""},
		{"deny in one directory", []string{quiet + "\ntools: {s/t: {args: [{slot: path, deny: [\"*.pem\"]}]}}"}, "DENY_RELATIVE l0.yaml:3: tools.s/t.args[0].deny[0]"},
		{"deny in every directory", []string{quiet + "\ntools: {s/t: {args: [{slot: path, deny: [\"**/*.pem\"]}]}}"}, ""},
		{"fewer packs", []string{quiet + "\npacks: auto", "packs: none"}, "PACKS_NARROWED l1.yaml:2: packs"},
		{"a budget of two servers", []string{quiet + "\nbudgets: [{name: x, tools: [s/t, u/t], max: 1}]"}, "RUN_REFUSES l0.yaml:3: budgets[0].tools"},
		{"a budget of any server", []string{quiet + "\nbudgets: [{name: x, tools: [\"*/t\"], max: 1}]"}, "RUN_REFUSES l0.yaml:3: budgets[0].tools"},
		{"a budget of one server", []string{quiet + "\nbudgets: [{name: x, tools: [s/t, s/u], max: 1}]"}, ""},
		{"a tool with a slash", []string{quiet + "\ntools: {a/b/c: {max_calls: 1}}"}, "SLASH_IN_TOOL l0.yaml:3: tools.a/b/c"},
		{"tools with a slash", []string{quiet + "\ntools: {a/b/*: {max_calls: 1}}"}, "SLASH_IN_TOOL l0.yaml:3: tools.a/b/*"},
		{"a tool of any server", []string{quiet + "\ntools: {\"*/b/c\": {max_calls: 1}}"}, ""},
		{"a host that is trusted where mail is sent", []string{quiet + "\ntools: {s/t: {sink: {to: [to], trusted: [corp.example]}}}"}, "TRUSTS_HOST_ONLY l0.yaml:3: tools.s/t.sink.trusted[0]"},
		{"a host that a tool for mail trusts", []string{quiet + "\ntools: {s/send_email: {sink: {trusted: [a@corp.example, corp.example]}}}"}, "TRUSTS_HOST_ONLY l0.yaml:3: tools.s/send_email.sink.trusted[1]"},
		{"a host that is trusted where URLs are", []string{quiet + "\ntools: {s/t: {sink: {to: [url], trusted: [corp.example]}}}"}, ""},
		{"a domain that is trusted where mail is sent", []string{quiet + "\ntools: {s/t: {sink: {to: [to], trusted: [\"*@corp.example\"]}}}"}, ""},
		{"a user who can not speak", []string{quiet + "\ntools: {s/t: {args: [{arg: a, origin: [client]}]}}"}, "NOBODY_SAYS l0.yaml:3: tools.s/t.args[0].origin"},
		{"a user who speaks", []string{"settings: {default: deny, user_context: true}\ntools: {s/t: {args: [{arg: a, origin: [client]}]}}"}, ""},
		{"a user beside a directory", []string{quiet + "\ntools: {s/t: {args: [{arg: a, origin: [client, trusted]}]}}"}, ""},
	}
	for _, c := range cases {
		var texts, got []string
		for _, l := range c.layers {
			texts = append(texts, head(l))
		}
		p := layered(t, texts...)
		for _, n := range p.Notes() {
			got = append(got, n.Code+" "+n.Rule)
			if n.Text == "" {
				t.Errorf("%s: a note without text", c.name)
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestToolNotesSeeHeuristics(t *testing.T) {
	p := mustLoad(t, head("settings: {default: ask}", "tools: {\"*\": {max_calls: 50}}"))
	if n := p.ToolNotes("s", defined("delete_all", "id")); len(n) != 1 || n[0].Code != CodeLoosened || !strings.Contains(n[0].Text, "heuristics: a tool that deletes") {
		t.Errorf("notes %v", n)
	}
	if n := p.ToolNotes("s", defined("count", "id")); len(n) != 0 {
		t.Errorf("notes %v", n)
	}
}
