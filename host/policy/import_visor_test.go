package policy

import (
	"strings"
	"testing"
)

// visorRulesText wraps rules into a policy of MCP Visor; they start in line 6.
func visorRulesText(rules string) string {
	return "servers:\n  - name: s\n    allowed: true\n    tools:\n      - {name: t, allowed: true, rules: [\n" + rules + "\n]}"
}

func TestWhatVisorSaysIsSaidInOurWords(t *testing.T) {
	for _, c := range []struct{ name, from, want string }{
		{"no default", "version: '1.0'", "settings: {default: deny, unknown_server: deny, approval_timeout: \"300s\"}"},
		{"a default that allows", "default_action: allow", "settings: {default: allow, unknown_server: allow,"},
		{"calls of a session where everything is allowed", "default_action: allow", `{name: session_max_tools, tools: ["*/*"], max: 100, count: commits}`},
		{"calls of a session", "settings: {session_max_tools: 7}\nservers: [{name: s, allowed: true}]", `{name: session_max_tools, tools: ["s/*"], max: 7, count: commits}`},
		{"a server that is not allowed", "servers: [{name: s, tools: [{name: t, allowed: true}]}]", "s: {verdict: deny}"},
		{"a tool of a server that is not allowed", "servers: [{name: s, tools: [{name: t, allowed: true}]}]", "s/t: {verdict: deny}"},
		{"a tool without allowed", "servers: [{name: s, allowed: true, tools: [{name: t}]}]", "s/t: {verdict: deny}"},
		{"a tool with a glob for a name", "servers: [{name: s, allowed: true, tools: [{name: 't*', allowed: true}]}]", `"s/t\\*": {verdict: allow}`},
		{"approval of a denied tool", "servers: [{name: s, allowed: true, tools: [{name: t, allowed: false, approval_required: true}]}]", "s/t: {verdict: deny}"},
		{"a deny glob", visorRulesText("{type: deny_path, patterns: ['/a/**', '**/x?[y]']}"), `deny: ["/a/**", "**/x\\?\\[y\\]"], fold: true`},
		{"an allow glob is not about the directory itself", visorRulesText("{type: allow_path, patterns: ['/a/**', '/b/**/c', '/d/*']}"), `allow: ["/a/**/*", "/b/*/**/c", "/d/*"], fold: true`},
		{"an allow list of everything", visorRulesText("{type: allow_path, patterns: ['**']}"), `allow: ["/**"]`},
		{"no allowed path", visorRulesText("{type: allow_path, patterns: []}"), "allow: [], fold: true"},
		{"keywords are pieces of text", visorRulesText("{type: deny_command_keyword, keywords: ['a.b']}"), `deny_pattern: ["(?i)a\\.b"]`},
		{"commands", visorRulesText(`{type: allow_command_pattern, patterns: ["^npm\\s(test|run lint)", "git status", "^date$", "^make\\s+all"]}`),
			`allow: ["npm test", "npm test *", "npm run lint", "npm run lint *", "git status", "git status *", date, "make all", "make all *"]`},
		{"a chain", "settings: {chain_window_size: 3}\ntool_chains: [{name: c, sources: [{server: '*', tool_pattern: '(a|b)_.*'}], sinks: [{server: x, tool_pattern: c}], action: deny, within_calls: 5}]",
			`{name: c, from: ["*/a_*", "*/b_*"], to: [x/c], within: 3, verdict: deny}`},
		{"a chain without a window", "tool_chains: [{name: c, sources: [{server: '*', tool_pattern: a}], sinks: [{server: x, tool_pattern: c}], action: require_approval}]", "within: 10, verdict: ask"},
		{"a label of every call", "taints: [{name: l, source_servers: [x, y], source_tools: [get_*]}]", `labels:`},
		{"a flow", "taints: [{name: l, source_tools: [get]}]\negress_controls: [{name: f, when_tainted: l, sink_servers: [x], sink_tools: [post], action: require_approval}]",
			"{name: f, label: l, to: [x/post], scope: session, verdict: ask}"},
		{"an identity", "identities: [{name: i, allowed_servers: [s], allowed_tools: [s/a, s/b]}]", "{name: i, tools: [s/a, s/b]}"},
		{"alternatives without parentheses have one end each", "tool_chains: [{name: c, sources: [{server: '*', tool_pattern: 'a|b|c'}], sinks: [{server: x, tool_pattern: '(?i)Ab'}], action: deny}]", `from: ["*/a*", "*/*b*", "*/*c"], to: [x/ab]`},
		{"a tool in another case", "servers: [{name: s, allowed: true, tools: [{name: DB_Read, allowed: true}]}]\ntaints: [{name: l, source_servers: [S], source_tools: ['db_*']}]", `from: ["S/db_*", s/DB_Read]`},
		{"tools in any case", "default_action: allow\ntaints: [{name: l, source_tools: ['a_*']}]", `from: ["*/[aA]_*"]`},
		{"files of secrets are no globs of characters", "redaction: {sensitive_files: ['/a/[k]?']}", `deny: ["/a/\\[k\\]\\?"]`},
		{"what is denied by domain", visorRulesText("{type: deny_recipient_domain, domains: [evil.example]}"), `- {slot: host, deny: ["*.evil.example"]}`},
		{"denied days", "time_restrictions: [{name: w, servers: [s], tools: [t], denied_days: [saturday, Sunday], outside_action: deny}]",
			"allow: [{days: [mon, tue, wed, thu, fri], zone: Europe/Berlin}], otherwise: deny"},
		{"hours without denied days", "time_restrictions: [{name: w, servers: [s], tools: ['t_*'], allowed_hours: [{start: '9:00', end: '17:30'}], denied_days: [sunday], outside_action: require_approval}]",
			`{name: w, tools: ["s/t_*"], allow: [{days: [mon, tue, wed, thu, fri, sat], from: "09:00", to: "17:30", zone: Europe/Berlin}], otherwise: ask}`},
		{"files of secrets that nobody names", "version: '1.0'", `{slot: path, deny: ["**/.env", "**/.env.*",`},
		{"no files of secrets", "redaction: {sensitive_files: []}", `"*/*": {replace: true}`},
		{"what decides nothing", "description: \"two\\nlines\"\nsettings: {log_level: warn}", "# two lines\n# log_level: warn has no counterpart"},
	} {
		out, err := Import([]byte(c.from), ImportOptions{From: "visor", Name: "visor.yaml", Dir: "/p", Zone: "Europe/Berlin"})
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\n%s\nwant %s", c.name, err, out, c.want)
			continue
		}
		if _, err := load(string(out)); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
	}
}

func TestWhatVisorSaysAndWeCanNotIsAMistakeInItsLine(t *testing.T) {
	const chain, hours = "tool_chains:\n  - {name: c, action: deny, within_calls: 3, ", "time_restrictions:\n  - {name: w, servers: [s], tools: [t], outside_action: deny, "
	for _, c := range []struct{ name, from, want string }{
		{"an unknown section", "egress_control: []", `visor.yaml:1:1: a policy of MCP Visor: unknown key "egress_control"; did you mean "egress_controls"?`},
		{"an unknown default", "default_action: block", `visor.yaml:1:17: default_action: unknown action "block"`},
		{"an unknown setting", "settings:\n  max_tools: 3", `visor.yaml:2:3: settings: unknown key "max_tools"`},
		{"a limit of zero", "settings:\n  session_max_tools: 0", "visor.yaml:2:22: settings: session_max_tools: 0 is the default in MCP Visor"},
		{"a time-out that is longer than we wait", "settings:\n  approval_timeout_seconds: 6000", "visor.yaml:2:29: settings.approval_timeout:"},
		{"rules of a server instead of its tools", "servers:\n  - name: shell\n    allowed: true\n    approval_required: true", `visor.yaml:4:5: server: unknown key "approval_required"`},
		{"a server twice", "servers:\n  - {name: s, allowed: true}\n  - {name: s, allowed: true}", `visor.yaml:3:12: server "s" stands there twice`},
		{"a glob for a server", "servers:\n  - {name: '*', allowed: true}", "visor.yaml:2:12: servers.*: servers are named exactly"},
		{"a tool twice", "servers:\n  - name: s\n    allowed: true\n    tools:\n      - {name: t, allowed: true}\n      - {name: t, allowed: false}", "visor.yaml:6:16: tool s/t stands there twice"},
		{"a word for a boolean", "servers:\n  - {name: s, allowed: 'yes'}", "visor.yaml:2:24: server s: allowed:"},
		{"an unknown risk", "servers:\n  - {name: s, allowed: true, tools: [{name: t, allowed: true, risk: severe}]}", `unknown risk "severe"; accepted: low, medium, high, critical, unknown`},
		{"an agent that starts agents", "servers:\n  - {name: s, allowed: true, tools: [{name: t, allowed: true, delegates: true}]}", "tool s/t: delegates has no counterpart"},
		{"destinations that nothing reads", "servers:\n  - name: s\n    allowed: true\n    allowed_destinations: [a.example]", "visor.yaml:4:27: server s: allowed_destinations are read by nothing"},
		{"an attestation", "servers:\n  - name: s\n    attestation: {kind: stdio_invocation_sha256_v1, digest: 'sha256:0'}", "visor.yaml:3:18: server s: attestation: MCP Visor frames what it digests"},
		{"an unknown type of rule", visorRulesText("{type: deny_paths, patterns: [/a]}"), `visor.yaml:6:8: tool s/t: unknown type of rule "deny_paths", which MCP Visor passes over; did you mean "deny_path"?`},
		{"a type that only its linter knows", visorRulesText("{type: deny_command_pattern_composite, patterns: [a]}"), `visor.yaml:6:8: tool s/t: unknown type of rule "deny_command_pattern_composite"`},
		{"a rule without a type", visorRulesText("{patterns: [/a]}"), "visor.yaml:6:1: tool s/t: a rule without a type"},
		{"a rule without its list", visorRulesText("{type: deny_path}"), "visor.yaml:6:8: tool s/t: deny_path without patterns says nothing"},
		{"a rule with another's list", visorRulesText("{type: max_file_size, rows: 3, bytes: 5}"), "visor.yaml:6:29: tool s/t: max_file_size: MCP Visor reads no rows of it"},
		{"a deny rule of nothing", visorRulesText("{type: deny_path, patterns: []}"), "deny_path has no patterns, so it denies nothing"},
		{"a relative glob", visorRulesText("{type: deny_path, patterns: ['*.env']}"), `visor.yaml:6:30: glob "*.env": MCP Visor compares it with the text of the argument`},
		{"a glob that crosses directories", visorRulesText("{type: deny_path, patterns: ['/a**']}"), `visor.yaml:6:30: glob "/a**": ** beside other characters`},
		{"a limit of nothing", visorRulesText("{type: max_result_rows, rows: 0}"), "visor.yaml:6:31: tool s/t: max_result_rows: 0 limits nothing in MCP Visor"},
		{"an expression that does not compile", visorRulesText("{type: deny_command_pattern, patterns: ['rm (-rf']}"), "visor.yaml:6:41: \"rm (-rf\" is not a regular expression"},
		{"a command that is not spelt out", visorRulesText("{type: allow_command_pattern, patterns: ['^git.*']}"), `visor.yaml:6:42: tool s/t: the regular expression "^git.*" does not spell out`},
		{"a wildcard where values are compared", visorRulesText("{type: allow_destination, patterns: ['*.corp.example']}"), "visor.yaml:6:38: tool s/t: allow_destination compares \"*.corp.example\" character by character"},
		{"a domain that is none", visorRulesText("{type: allow_recipient_domain, domains: [a b]}"), `"a b" is not a domain`},
		{"rules of several classes in one tool", visorRulesText("{type: allow_application, patterns: [a]},\n{type: allow_destination, patterns: [a.example]},\n{type: deny_secret},\n{type: allow_skill, patterns: [a]}"), ""},
		{"a chain that is no list of globs", chain + "sources: [{server: '*', tool_pattern: 'a[0-9]+'}], sinks: [{server: '*', tool_pattern: b}]}", "tool_chains c: sources: the regular expression \"a[0-9]+\" is no list of globs"},
		{"a chain without sinks", chain + "sources: [{server: '*', tool_pattern: a}], sinks: []}", "visor.yaml:2:5: tool_chains c: sinks: none; list one"},
		{"a chain of another action", "tool_chains:\n  - {name: c, sources: [{server: s, tool_pattern: a}], sinks: [{server: s, tool_pattern: b}], action: block}", `tool_chains c: action: unknown action "block"`},
		{"a chain without an action", "tool_chains:\n  - {name: c, sources: [{server: s, tool_pattern: a}], sinks: [{server: s, tool_pattern: b}]}", "tool_chains c: action: no action"},
		{"a control of a taint that nothing gives", "egress_controls:\n  - {name: f, when_tainted: l, sink_tools: [post], action: deny}", `visor.yaml:2:29: egress_controls f: no entry of taints gives "l"`},
		{"an identity's tool of another server", "identities:\n  - {name: i, allowed_servers: [s], allowed_tools: [s/a, x/b]}", `identities i: "x/b" is never allowed in MCP Visor`},
		{"an identity's server without tools", "identities:\n  - {name: i, allowed_servers: [s, x], allowed_tools: [s/a]}", `identities i: server "x" without a tool`},
		{"an identity that may do nothing", "identities:\n  - {name: i, allowed_servers: [], allowed_tools: []}", "identities i: allows nothing"},
		{"a window over midnight", hours + "allowed_hours: [{start: '22:00', end: '06:00', timezone: UTC}]}", "time_restrictions w: from 22:00 to 06:00 is no time in MCP Visor"},
		{"a time that is none", hours + "allowed_hours: [{start: '9am', end: '17:00', timezone: UTC}]}", `time_restrictions w: start: "9am" is no time`},
		{"an unknown zone", hours + "allowed_hours: [{start: '09:00', end: '17:00', timezone: Europe/Berlim}]}", "schedules[0].allow[0].zone:"},
		{"an unknown day", hours + "denied_days: [caturday]}", `time_restrictions w: denied_days: unknown day "caturday"`},
		{"days of the machine's zone", hours + "denied_days: [sunday]}", "time_restrictions w: no timezone, which is that of the machine in MCP Visor; name it with --zone"},
		{"a restriction of nothing", "time_restrictions:\n  - {name: w, servers: [s], tools: [t], outside_action: deny}", "restricts nothing"},
		{"a restriction of every server", "time_restrictions:\n  - {name: w, servers: ['*'], tools: [t], denied_days: [sunday], outside_action: deny}", `"*" is the name of a server in MCP Visor`},
		{"a restriction without tools", "time_restrictions:\n  - {name: w, servers: [s], denied_days: [sunday], outside_action: deny}", "without servers and tools it is about nothing"},
		{"a restriction without an action", "time_restrictions:\n  - {name: w, servers: [s], tools: [t], allowed_hours: [{start: '09:00', end: '17:00', timezone: UTC}]}", "outside_action: no action"},
		{"an action that is none", "time_restrictions:\n  - {name: w, servers: [s], tools: [t], allowed_hours: [{start: '09:00', end: '17:00', timezone: UTC}], outside_action: redact_then_allow}", `unknown action "redact_then_allow"`},
		{"outputs that are not redacted", "redaction:\n  output_redaction: false", "visor.yaml:2:21: redaction: output_redaction: MCP Visor reads it nowhere"},
		{"a replacement with a part of what it replaces", "redaction:\n  patterns: [{name: p, regex: '(a)b', replacement: '$1'}]", `redaction p: replacement "$1" takes over a part`},
		{"a pattern that does not compile", "redaction:\n  patterns: [{name: p, regex: '(a', replacement: x}]", `"(a" is not a regular expression`},
		{"every server of an identity", "identities:\n  - {name: i, allowed_servers: ['*'], allowed_tools: ['*/a']}", `visor.yaml:2:55: identities i: no server has the name in "*/a"`},
		{"a glob for a server of an identity", "identities:\n  - {name: i, allowed_servers: ['s?'], allowed_tools: ['s?/a']}", `no server has the name in "s?/a"`},
		{"a class that begins with an exclamation mark", visorRulesText("{type: allow_path, patterns: ['/x/[!a]*']}"), `visor.yaml:6:31: glob "/x/[!a]*": a ! that begins a class is a character in MCP Visor`},
		{"no denied commands", visorRulesText("{type: deny_command_pattern, patterns: []}"), "visor.yaml:6:40: tool s/t: deny_command_pattern has no patterns, so it denies nothing"},
		{"no denied words", visorRulesText("{type: deny_command_keyword, keywords: []}"), "deny_command_keyword has no patterns, so it denies nothing"},
		{"no denied queries", visorRulesText("{type: deny_query_pattern, patterns: []}"), "deny_query_pattern has no patterns, so it denies nothing"},
		{"no denied domains", visorRulesText("{type: deny_recipient_domain, domains: []}"), "deny_recipient_domain has no patterns, so it denies nothing"},
		{"a limit in octal", visorRulesText("{type: max_file_size, bytes: 010}"), `the single value "010"; want a whole number`},
		{"a limit with underscores", "settings: {session_max_tools: 1_000}", `the single value "1_000"; want a whole number`},
		{"a zone of the machine", hours + "allowed_hours: [{start: '09:00', end: '17:00', timezone: Local}]}", `unknown time zone "Local"`},
		{"braces in a name", "taints: [{name: l, source_tools: ['a{b}']}]", `braces have no place in a key`},
		{"the name of a tool that only ends", "tool_chains: [{name: c, sources: [{server: s, tool_pattern: 'a\\Z'}], sinks: [{server: s, tool_pattern: b}], action: deny}]", "is no list of globs"},
		{"who owns what", "capability_ownership: {}", "capability_ownership has no counterpart"},
		{"an alias", "servers: &a []\nidentities: *a", "visor.yaml:1:10: an anchor, &a"},
	} {
		out, err := translate("visor", c.from)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n%s\nwant %s", c.name, err, out, c.want)
		}
	}
}
