package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/packs"
)

// mistake is a policy that does not load, what the error says, and a neighbour
// that does load.
type mistake struct {
	name string
	text string
	want []string // each in the error
	twin string
}

var mistakes = []mistake{
	{"unknown key at the top", head("tool: {}"), []string{`/p/team.yaml:2:1: tool: unknown key "tool"; did you mean "tools"? accepted: callgate, name,`}, head("tools: {}")},
	{"unknown key of a tool", head("tools:", "  fs/write_file: {verdcit: deny}"), []string{`/p/team.yaml:3:19: tools.fs/write_file.verdcit: unknown key "verdcit"; did you mean "verdict"?`}, head("tools:", "  fs/write_file: {verdict: deny}")},
	{"budgets of a tool", head("tools: {fs/w: {budgets: [{name: x, tools: [fs/w], max: 3}]}}"), []string{`tools.fs/w.budgets: unknown key "budgets"; a tool has max_calls, and budgets: stands at the top of the file; accepted: verdict,`}, head("tools: {fs/w: {max_calls: 3}}", "budgets: [{name: x, tools: [fs/w], max: 3}]")},
	{"a setting that is a server", head("settings: {default: deny, servers: {}}"), []string{`unknown key "servers"; servers: stands at the top of the file`}, head("settings: {default: deny}", "servers: {}")},
	{"redact without a name", head("redact: [{pattern: x}]"), []string{"2:10: redact[0]: no name"}, head("redact: [{name: a, pattern: x}]")},
	{"redact of nothing", head("redact: [{name: a}]"), []string{"redact[0]: says nothing; want a pattern"}, head("redact: [{name: a, keys: [password]}]")},
	{"redact of every member", head("redact: [{name: a, keys: [\"*\"]}]"), []string{"the name of every member"}, head("redact: [{name: a, keys: [\"*k*\"]}]")},
	{"redact nowhere", head("redact: [{name: a, pattern: x, in: []}]"), []string{"redact[0].in: an empty list is nowhere"}, head("redact: [{name: a, pattern: x}]")},
	{"redact in a place that there is not", head("redact: [{name: a, pattern: x, in: [logs]}]"), []string{`redact[0].in[0]: unknown value "logs"`, "ledger"}, head("redact: [{name: a, pattern: x, in: [ledger]}]")},
	{"redact what is put in", head("redact: [{name: a, pattern: redacted}]"), []string{`redact[0].pattern: the pattern matches the replacement of "a"`}, head("redact: [{name: a, pattern: redacted, with: \"-\"}]")},
	{"redact where nothing stands", head("redact: [{name: a, pattern: \"x*\"}]"), []string{"matches where nothing stands"}, head("redact: [{name: a, pattern: \"x+\", with: \"-\"}]")},
	{"redact by a pattern that is no RE2", head("redact: [{name: a, pattern: \"(?=x)\"}]"), []string{"redact[0].pattern"}, head("redact: [{name: a, pattern: \"q\"}]")},
	{"redact a group of another name", head("redact: [{name: a, pattern: \"k=(?P<v>q)\"}]"), []string{"secret"}, head("redact: [{name: a, pattern: \"k=(?P<secret>q)\"}]")},
	{"redact under one name twice", head("redact: [{name: a, pattern: q}, {name: a, pattern: z}]"), []string{`redact[1].name: entry "a" is also redact[0]`}, head("redact: [{name: a, pattern: q}, {name: b, pattern: z}]")},
	{"a result that asks", head("tools: {a/b: {results: [{arg: /x, in: [y], verdict: ask}]}}"), []string{"results[0].verdict: a result is not asked about"}, head("tools: {a/b: {results: [{arg: /x, in: [y]}]}}")},
	{"a result's origin", head("tools: {a/b: {results: [{arg: x, origin: [client]}]}}"), []string{"results[0].origin: not of a result"}, head("tools: {a/b: {args: [{arg: x, origin: [client]}]}}")},
	{"key of a later version", head("redactions: []"), []string{`unknown key "redactions"`, "accepted: callgate"}, head("budgets: []")},
	{"an origin that there is not", head("tools: {a/b: {args: [{arg: x, origin: [server]}]}}"), []string{`args[0].origin[0]: unknown value "server"`, "client"}, head("tools: {a/b: {args: [{arg: x, origin: [client]}]}}")},
	{"an origin of a slot", head("tools: {a/b: {args: [{slot: path, origin: [client]}]}}"), []string{"origin is not for slot: path; slot: path takes allow"}, head("tools: {a/b: {args: [{arg: x, origin: [client, trusted]}]}}")},
	{"an origin of nobody", head("tools: {a/b: {args: [{arg: x, origin: []}]}}"), []string{"constrains nothing"}, head("tools: {a/b: {args: [{arg: x, origin: [trusted]}]}}")},
	{"slot of a later version", head("tools: {a/b: {args: [{slot: colour}]}}"), []string{`2:29: tools.a/b.args[0].slot: unknown value "colour"; accepted: path, cwd, command, sql, url`}, head("tools: {a/b: {args: [{slot: path}]}}")},
	{"duplicate key", head("tools:", "  fs/w: {verdict: deny}", "  fs/w: {verdict: allow}"), []string{`/p/team.yaml:4:3: tools.fs/w: duplicate key "fs/w", first in line 3; join the two`}, head("tools:", "  fs/w: {verdict: deny}", "  fs/x: {verdict: allow}")},
	{"quoted boolean", head("settings: {user_context: \"no\"}"), []string{`2:26: settings.user_context: "no" is text; want true or false without quotes`}, head("settings: {user_context: false}")},
	{"bare word as boolean", head("settings: {user_context: no}"), []string{`"no" is not a boolean; want true or false`}, head("settings: {user_context: true}")},
	{"list where a scalar goes", head("settings: {mode: [enforce]}"), []string{`2:18: settings.mode: a list; want one value: enforce, observe`}, head("settings: {mode: enforce}")},
	{"scalar where a list goes", head("tools: {a/b: {sink: {to: recipient}}}"), []string{`tools.a/b.sink.to: the single value "recipient"; want a list, such as [recipient]`}, head("tools: {a/b: {sink: {to: [recipient]}}}")},
	{"map where a list goes", head("tools: {a/b: {args: {slot: path}}}"), []string{`tools.a/b.args: a map; want a list`}, head("tools: {a/b: {args: [{slot: path}]}}")},
	{"list where a map goes", head("tools: [a/b]"), []string{`2:8: tools: a list; want a map`}, head("tools: {a/b: {}}")},
	{"scalar where a map goes", head("tools: {a/b: deny}"), []string{`tools.a/b: the single value "deny"; want {verdict: deny}, or a map of verdict, sink,`}, head("tools: {a/b: {verdict: deny}}")},
	{"null value", head("tools:", "  a/b:", "    sink:", "      trusted:", "      #  - example.com"), []string{`5:15: tools.a/b.sink.trusted: no value; give the key a value or remove it (an empty list is [])`}, head("tools:", "  a/b:", "    sink:", "      trusted: []")},
	{"null in a list", head("tools: {a/b: {args: [{arg: x, in: [de, null]}]}}"), []string{`tools.a/b.args[0].in[1]: no value`}, head("tools: {a/b: {args: [{arg: x, in: [de, \"null\"]}]}}")},
	{"tab", head("tools:", "\ta/b: {}"), []string{"/p/team.yaml:3:1: a tab in the indentation; indent with spaces"}, head("tools:", "  a/b: {}")},
	{"tab behind spaces", head("tools:", "  \ta/b: {}"), []string{"3:3: a tab"}, head("tools:", "    a/b: {}")},
	{"anchor and alias", head("tools:", "  a/b: &x {verdict: deny}", "  a/c: *x"), []string{"3:8: an anchor, &x", "4:8: an alias, *x"}, head("tools:", "  a/b: {verdict: deny}", "  a/c: {verdict: deny}")},
	{"tag", head("name: !!str team"), []string{`2:7: a tag, "!!str"; remove it`}, head("name: team")},
	{"own tag", head("tools: !mine {}"), []string{`a tag, "!mine"`}, head("tools: {}")},
	{"merge key", head("tools:", "  a/b:", "    <<: {verdict: deny}"), []string{"4:5: a merge key, <<"}, head("tools:", "  a/b:", "    verdict: deny")},
	{"second document", head("---", "tools: {}"), []string{"a second document"}, "---\n" + head("tools: {}") + "...\n"},
	{"empty file", "", []string{"/p/team.yaml:1:1: empty file; want at least callgate: 1"}, head()},
	{"file of comments", "# nothing\n", []string{"empty file"}, "# nothing\ncallgate: 1\n"},
	{"file of a mark", "---\n", []string{"empty file"}, "---\ncallgate: 1\n"},
	{"file that is a list", "- callgate\n", []string{"1:1: a list; want a map of keys"}, head()},
	{"missing version", "name: team\n", []string{"/p/team.yaml:1:1: no format version; start the file with callgate: 1"}, head("name: team")},
	{"unknown version", "callgate: 2\n", []string{"1:11: callgate: format version 2 is unknown; this build reads callgate: 1"}, head()},
	{"version as text", "callgate: \"1\"\n", []string{`"1" is text; want a number without quotes`}, head()},
	{"key of another product", "version: 1\n", []string{`unknown key "version"`, "no format version"}, head()},
	{"bad glob in a key", head("tools: {\"a/[b\": {}}"), []string{`2:9: tools.a/[b: "[b" is not a glob`}, head("tools: {\"a/[b]\": {}}")},
	{"braces in a key", head("tools: {\"a/{b,c}\": {}}"), []string{"braces are not part of a glob here"}, head("tools: {\"a/?\": {}}")},
	{"half a key", head("tools: {a/: {}}"), []string{`"a/" has an empty half`}, head("tools: {a/*: {}}")},
	{"bad glob in a pattern", head("tools: {a/b: {args: [{slot: path, deny: [\"/etc/[shadow\"]}]}}"), []string{`args[0].deny[0]: "/etc/[shadow" is not a glob`}, head("tools: {a/b: {args: [{slot: path, deny: [\"/etc/[s]hadow\"]}]}}")},
	{"variable in a pattern", head("tools: {a/b: {args: [{slot: path, allow: [\"$HOME/x\"]}]}}"), []string{"variables are not expanded in patterns"}, head("tools: {a/b: {args: [{slot: path, allow: [\"~/x\"]}]}}")},
	{"pattern that goes up behind a wildcard", head("tools: {a/b: {args: [{slot: path, allow: [\"/a/*/../b\"]}]}}"), []string{"goes up behind a wildcard"}, head("tools: {a/b: {args: [{slot: path, allow: [\"/a/../b/*\"]}]}}")},
	{"pattern for everything, or here", head("tools: {a/b: {args: [{slot: path, allow: [\"**\"]}]}}"), []string{`"**" is ambiguous; write "/**"`}, head("tools: {a/b: {args: [{slot: path, allow: [\"./**\", \"/**\"]}]}}")},
	{"URL as a pattern", head("tools: {a/b: {args: [{slot: path, allow: [\"file:///srv/**\"]}]}}"), []string{"is a URL"}, head("tools: {a/b: {args: [{slot: path, allow: [\"/srv/**\"]}]}}")},
	{"backslashes behind a drive", head(`tools: {a/b: {args: [{slot: path, allow: ['C:\x\**']}]}}`), []string{"write forward slashes"}, head(`tools: {a/b: {args: [{slot: path, allow: ['C:/x/**']}]}}`)},
	{"bad regular expression", head("tools: {a/b: {args: [{arg: x, match: 'rm (-rf'}]}}"), []string{`args[0].match: "rm (-rf" is not a regular expression in RE2 syntax`}, head("tools: {a/b: {args: [{arg: x, match: 'rm (-rf)'}]}}")},
	{"regular expression that escapes its group", head("tools: {a/b: {args: [{arg: x, match: 'a)|(b'}]}}"), []string{"is not a regular expression"}, head("tools: {a/b: {args: [{arg: x, match: '(a)|(b)'}]}}")},
	{"lookahead", head("tools: {a/b: {args: [{arg: x, match: '(?=a)b'}]}}"), []string{"is not a regular expression in RE2 syntax"}, head("tools: {a/b: {args: [{arg: x, match: '(?:a)b'}]}}")},
	{"bad size", head("settings: {max_argument_bytes: 1MB}"), []string{`settings.max_argument_bytes: "1MB" is not a size; want a number of bytes such as 4096, 512KiB or 1MiB`}, head("settings: {max_argument_bytes: 1MiB}")},
	{"negative size", head("settings: {max_argument_bytes: -1}"), []string{"is not a size"}, head("settings: {max_argument_bytes: 0}")},
	{"bad duration", head("settings: {session_idle: 30}"), []string{`"30" is not a duration; want one above zero such as 30m or 1h30m`}, head("settings: {session_idle: 30m}")},
	{"duration of zero", head("settings: {session_idle: 0s}"), []string{"is not a duration"}, head("settings: {session_idle: 1s}")},
	{"period without a zone", head("budgets: [{name: a, tools: [x/y], max: 1, per: day}]"), []string{`budgets[0].per: "day" is not a period; accepted: session, a duration such as 30m, 1h or 24h, or day@ and a time zone`}, head("budgets: [{name: a, tools: [x/y], max: 1, per: day@Europe/Berlin}]")},
	{"zone that is none", head("budgets: [{name: a, tools: [x/y], max: 1, per: day@Europe/Berln}]"), []string{`budgets[0].per: unknown time zone "Europe/Berln"; did you mean "Europe/Berlin"?`}, head("budgets: [{name: a, tools: [x/y], max: 1, per: day@UTC}]")},
	{"weight of failures", head("budgets: [{name: a, tools: [x/y], max: 1, count: failures, weight: /to}]"), []string{`budgets[0].weight: weight is not for count: failures`}, head("budgets: [{name: a, tools: [x/y], max: 1, count: failures}]")},
	{"schedule without a zone", head("schedules: [{name: a, tools: [x/y], allow: [{days: [mon]}]}]"), []string{`schedules[0].allow[0]: no zone; say whose hours these are`}, head("schedules: [{name: a, tools: [x/y], allow: [{days: [mon], zone: UTC}]}]")},
	{"schedule of no window", head("schedules: [{name: a, tools: [x/y]}]"), []string{`schedules[0]: no allow; list the windows`}, head("schedules: [{name: a, tools: [x/y], allow: []}]")},
	{"schedule of nothing", head("schedules: [{allow: []}]"), []string{`no name; give the schedule`, `no tools; list the tools`}, head("schedules: [{name: a, tools: [x/y], allow: []}]")},
	{"half a window", head("schedules: [{name: a, tools: [x/y], allow: [{from: \"09:00\", zone: UTC}]}]"), []string{`schedules[0].allow[0]: from and to go together`}, head("schedules: [{name: a, tools: [x/y], allow: [{from: \"09:00\", to: \"08:00\", zone: UTC}]}]")},
	{"window of no time", head("schedules: [{name: a, tools: [x/y], allow: [{from: \"09:00\", to: \"09:00\", zone: UTC}]}]"), []string{`from and to are the same`}, head("schedules: [{name: a, tools: [x/y], allow: [{zone: UTC}]}]")},
	{"window that starts where days end", head("schedules: [{name: a, tools: [x/y], allow: [{from: \"24:00\", to: \"09:00\", zone: UTC}]}]"), []string{`"24:00" is where a window can end`}, head("schedules: [{name: a, tools: [x/y], allow: [{from: \"09:00\", to: \"24:00\", zone: UTC}]}]")},
	{"window on no day", head("schedules: [{name: a, tools: [x/y], allow: [{days: [], zone: UTC}]}]"), []string{`no day; leave days out`}, head("schedules: [{name: a, tools: [x/y], allow: [{days: [fri-mon], zone: UTC}]}]")},
	{"day that is none", head("schedules: [{name: a, tools: [x/y], allow: [{days: [monday], zone: UTC}]}]"), []string{`allow[0].days[0]: "monday" is not a day; want mon, tue`}, head("schedules: [{name: a, tools: [x/y], allow: [{days: [mon], zone: UTC}]}]")},
	{"hour that is none", head("schedules: [{name: a, tools: [x/y], allow: [{from: \"9:00\", to: \"25:00\", zone: UTC}]}]"), []string{`"9:00" is not a time of the day`, `"25:00" is not a time of the day`}, head("schedules: [{name: a, tools: [x/y], allow: [{from: \"09:00\", to: \"23:59\", zone: UTC}]}]")},
	{"schedules of one name", head("schedules: [{name: a, tools: [x/y], allow: []}, {name: a, tools: [x/z], allow: []}]"), []string{`schedules[1].name: schedule "a" is already in`}, head("schedules: [{name: a, tools: [x/y], allow: []}, {name: b, tools: [x/z], allow: []}]")},
	{"capability of nothing", head("capability: {on_rise: deny}"), []string{`capability: no envelope; list what a session may do`}, head("capability: {envelope: [], on_rise: deny}")},
	{"capability that is none", head("capability: {envelope: [read_file]}"), []string{`capability.envelope[0]: unknown capability "read_file"; did you mean "read_files"?`}, head("capability: {envelope: [read_files]}")},
	{"egress to nowhere", head("capability: {envelope: [\"net_egress:https://x.example\"]}"), []string{`want a host in lower case without port`}, head("capability: {envelope: [\"net_egress:*.x.example\"]}")},
	{"refusal of nothing in calls", head("redact: [{name: a, pattern: abc, in: [results], verdict: deny}]"), []string{`redact[0].verdict: verdict is about arguments, and the entry is not`}, head("redact: [{name: a, pattern: abc, in: [arguments], verdict: deny}]")},
	{"identity without a name", head("identities: [{match: {subject: a}}]"), []string{`identities[0]: no name; give the identity`}, head("identities: [{name: a, match: {subject: a}}]")},
	{"identity that matches anyone", head("identities: [{name: a, match: {}}]"), []string{`identities[0].match: says nothing; want subject, issuer or both`}, head("identities: [{name: a}]")},
	{"identities of one name", head("identities: [{name: a}, {name: a}]"), []string{`identities[1].name: identity "a" is already in`}, head("identities: [{name: a}, {name: b}]")},
	{"bad pointer", head("budgets: [{name: a, tools: [x/y], max: 1, weight: to}]"), []string{`budgets[0].weight: "to" is not a JSON Pointer`}, head("budgets: [{name: a, tools: [x/y], max: 1, weight: /to}]")},
	{"bad escape in a pointer", head("tools: {a/b: {args: [{arg: /a~2b, forbid: true}]}}"), []string{"has a bare ~ at byte 2"}, head("tools: {a/b: {args: [{arg: /a~1b, forbid: true}]}}")},
	{"bad number", head("tools: {a/b: {args: [{arg: x, max: 0x10}]}}"), []string{`args[0].max: "0x10" is not a number`}, head("tools: {a/b: {args: [{arg: x, max: 1.5e3}]}}")},
	{"fraction of a call", head("tools: {a/b: {max_calls: 1.5}}"), []string{"1.5 is not a whole number from 0 to 2^53"}, head("tools: {a/b: {max_calls: 0}}")},
	{"negative count", head("tools: {a/b: {max_calls: -1}}"), []string{"-1 is not a whole number"}, head("tools: {a/b: {max_calls: 1}}")},
	{"default under another product's name", head("default_action: allow"), []string{`2:1: default_action: unknown key "default_action"`}, head("settings: {default: allow}")},
	{"default under another product's name, among the settings", head("settings: {default_action: allow}"), []string{`settings.default_action: unknown key "default_action"`}, head("settings: {default: allow}")},
	{"a whole section that nothing reads", head("egress_control: {allow: [corp.example]}"), []string{`2:1: egress_control: unknown key "egress_control"`}, head("tools: {a/b: {sink: {trusted: [corp.example], to: [x]}}}")},
	{"rules of a server instead of its tools", head("servers: {a: {args: [{slot: path, allow: [/x]}]}}"), []string{`servers.a.args: unknown key "args"`}, head("tools: {a/*: {args: [{slot: path, allow: [/x]}]}}")},
	{"risk of a server instead of its tools", head("servers: {a: {risk: high}}"), []string{`servers.a.risk: unknown key "risk"`}, head("tools: {a/*: {risk: high}}")},
	{"rule by a type", head("tools: {a/b: {rules: [{type: deny_paths, patterns: [/etc/**]}]}}"), []string{`tools.a/b.rules: unknown key "rules"`}, head("tools: {a/b: {args: [{slot: path, deny: [/etc/**]}]}}")},
	{"slot in the plural", head("tools: {a/b: {args: [{slot: paths, deny: [/etc/**]}]}}"), []string{`args[0].slot: unknown value "paths"; did you mean "path"?`}, head("tools: {a/b: {args: [{slot: path, deny: [/etc/**]}]}}")},
	{"verdict under another product's name", head("tools: {a/b: {action: block}}"), []string{`tools.a/b.action: unknown key "action"`}, head("tools: {a/b: {verdict: deny}}")},
	{"verdict of another product", head("tools: {a/b: {verdict: block}}"), []string{`tools.a/b.verdict: unknown value "block"; accepted: allow, ask, deny`}, head("tools: {a/b: {verdict: deny}}")},
	{"verdict that two products would read apart", head("tools: {a/b: {args: [{slot: path, deny: [/x], verdict: redact_then_allow}]}}"), []string{`args[0].verdict: unknown value "redact_then_allow"`}, head("tools: {a/b: {args: [{slot: path, deny: [/x], verdict: ask}]}}")},
	{"empty verdict", head(`tools: {a/b: {verdict: ""}}`), []string{"tools.a/b.verdict: "}, head("tools: {a/b: {verdict: ask}}")},
	{"window of another product", head("budgets: [{name: x, tools: [a/b], max: 1, within_calls: 20}]"), []string{`budgets[0].within_calls: unknown key "within_calls"`}, head("budgets: [{name: x, tools: [a/b], max: 1, per: session}]")},
	{"unknown word", head("settings: {default: block}"), []string{`settings.default: unknown value "block"; accepted: deny, ask, allow`}, head("settings: {default: ask}")},
	{"word in capitals", head("settings: {default: Deny}"), []string{`unknown value "Deny"; did you mean "deny"?`}, head("settings: {default: deny}")},
	{"boolean as a verdict", head("tools: {a/b: {verdict: true}}"), []string{`unknown value "true"`}, head("tools: {a/b: {verdict: allow}}")},
	{"unknown position", head("tools: {a/b: {sink: {to: [x], on: {prosa: deny}}}}"), []string{`on.prosa: unknown position "prosa"; did you mean "prose"?`}, head("tools: {a/b: {sink: {to: [x], on: {prose: deny}}}}")},
	{"neither slot nor arg", head("tools: {a/b: {args: [{allow: [/x]}]}}"), []string{"args[0]: neither slot nor arg"}, head("tools: {a/b: {args: [{slot: path, allow: [/x]}]}}")},
	{"match of a slot", head("tools: {a/b: {args: [{slot: path, match: x}]}}"), []string{"args[0].match: match is not for slot: path; slot: path takes allow, deny, literal, fold and symlinks"}, head("tools: {a/b: {args: [{arg: path, match: x}]}}")},
	{"allow of a size", head("tools: {a/b: {args: [{slot: size, allow: ['1'], max: 1}]}}"), []string{":2:35: tools.a/b.args[0].allow: allow is not for slot: size; slot: size takes max and min"}, head("tools: {a/b: {args: [{slot: size, max: 1}]}}")},
	{"a size without a bound", head("tools: {a/b: {args: [{slot: size}]}}"), []string{"args[0]: says nothing of the values; slot: size wants max or min"}, head("tools: {a/b: {args: [{slot: size, min: 1}]}}")},
	{"a secret that is not forbidden", head("tools: {a/b: {args: [{slot: secret, forbid: false}]}}"), []string{"args[0]: says nothing of the values; slot: secret wants forbid: true"}, head("tools: {a/b: {args: [{slot: secret, forbid: true}]}}")},
	{"an exception from nothing", head("tools: {a/b: {args: [{slot: host, allow: [a.example], except: [b.example]}]}}"), []string{"args[0].except: except is about private: deny"}, head("tools: {a/b: {args: [{slot: host, private: deny, except: [b.example]}]}}")},
	{"a relative glob of hosts is none", head("tools: {a/b: {args: [{slot: path, allow: ['**']}]}}"), []string{"\"**\" is ambiguous"}, head("tools: {a/b: {args: [{slot: host, allow: ['**']}]}}")},
	{"allow of an argument", head("tools: {a/b: {args: [{arg: x, allow: [/x]}]}}"), []string{"args[0].allow: allow is for slot:; an arg takes match, in"}, head("tools: {a/b: {args: [{slot: path, arg: x, allow: [/x]}]}}")},
	{"argument without a constraint", head("tools: {a/b: {args: [{arg: x}]}}"), []string{"args[0]: constrains nothing"}, head("tools: {a/b: {args: [{arg: x, require: true}]}}")},
	{"forbid and require", head("tools: {a/b: {args: [{arg: x, require: true, forbid: true}]}}"), []string{"forbid and require together refuse every call"}, head("tools: {a/b: {args: [{arg: x, require: true, forbid: false}]}}")},
	{"also without a list", head("tools: {a/b: {args: [{slot: path, also: true}]}}"), []string{"also is about an allow or in list"}, head("tools: {a/b: {args: [{slot: path, also: true, allow: []}]}}")},
	{"sink that says nothing", head("tools: {a/b: {sink: {}}}"), []string{"tools.a/b.sink: says nothing"}, head("tools: {a/b: {sink: {to: []}}}")},
	{"sink of a word", head("tools: {a/b: {sink: off}}"), []string{`unknown word "off"`, "none"}, head("tools: {a/b: {sink: none}}")},
	{"destination that is content", head("tools: {a/b: {sink: {to: [x], content: [x]}}}"), []string{`sink.to[0]: "x" is content too`}, head("tools: {a/b: {sink: {to: [x], content: [y]}}}")},
	{"trust in everything", head("tools: {a/b: {sink: {to: [x], trusted: [\"*\"]}}}"), []string{`"*" is too wide`}, head("tools: {a/b: {sink: {to: [x], trusted: [\"*@corp.example\", \"*.corp.example\"]}}}")},
	{"trust in half a domain", head("tools: {a/b: {sink: {to: [x], trusted: [\"*corp.example\"]}}}"), []string{"is too wide"}, head("tools: {a/b: {sink: {to: [x], trusted: [corp.example]}}}")},
	{"trust in an invisible character", head("tools: {a/b: {sink: {to: [x], trusted: [\"a\\u200b@corp.example\"]}}}"), []string{"has an invisible or control character at byte 1"}, head("tools: {a/b: {sink: {to: [x], trusted: [\"a@corp.example\"]}}}")},
	{"glob as a server", head("servers: {\"g*\": {verdict: deny}}"), []string{"is not the exact name of a server"}, head("servers: {g: {verdict: deny}}")},
	{"every server", head("servers: {\"*\": {verdict: deny}}"), []string{"servers are named exactly"}, head("tools: {\"*/*\": {verdict: deny}}")},
	{"empty name of a server", head("servers: {\"\": {}}"), []string{"empty text"}, head("servers: {a: {}}")},
	{"value of a variable", head("servers: {a: {env: [\"PATH=/bin\"]}}"), []string{`"PATH=/bin" is not the name of an environment variable`}, head("servers: {a: {env: [PATH]}}")},
	{"no variable of a command", head("tools: {a/b: {args: [{slot: command, allow: [ls], env: [\"a b\"]}]}}"), []string{`args[0].env[0]: "a b" is not a variable; want NAME, or NAME=value`}, head("tools: {a/b: {args: [{slot: command, allow: [ls], env: [CI, LC_ALL=C]}]}}")},
	{"a result's member without its place", head("tools: {a/b: {results: [{arg: workspace, in: [w]}]}}"), []string{`results[0].arg: "workspace" is no member of a result; want a JSON Pointer into it, such as /structuredContent/workspace`}, head("tools: {a/b: {results: [{arg: /structuredContent/workspace, in: [w]}, {arg: isError, in: [false]}]}}")},
	{"nobody's identities", head("identities: []"), []string{"identities: an empty list knows nobody"}, head("identities: [{name: me}]")},
	{"home as a working directory", head("servers: {a: {cwd: ~/x}}"), []string{"neither ~ nor variables are expanded here"}, head("servers: {a: {cwd: x}}")},
	{"unknown pack", head("servers: {a: {pack: gmial}}"), []string{`/p/team.yaml:2:21: servers.a.pack: unknown pack "gmial"; did you mean "gmail"? accepted: ` + strings.Join(packs.Names(), ", ")}, head("servers: {a: {pack: gmail}}")},
	{"unknown pack that may bind", head("packs: [filesytem]"), []string{`packs[0]: unknown pack "filesytem"; did you mean "filesystem"?`}, head("packs: [filesystem]")},
	{"pack that may not bind", head("packs: none", "servers: {a: {pack: gmail}}"), []string{`servers.a.pack: pack "gmail" may not bind; add it to the list under packs:`}, head("packs: [gmail]", "servers: {a: {pack: gmail}}")},
	{"bad word for packs", head("packs: all"), []string{`packs: unknown word "all"`, "accepted: auto, none, or a list"}, head("packs: auto")},
	{"budget without a name", head("budgets: [{tools: [a/b], max: 1}]"), []string{"budgets[0]: no name"}, head("budgets: [{name: x, tools: [a/b], max: 1}]")},
	{"budget without tools", head("budgets: [{name: x, tools: [], max: 1}]"), []string{"budgets[0]: no tools"}, head("budgets: [{name: x, tools: [a/b], max: 0}]")},
	{"budget without a maximum", head("budgets: [{name: x, tools: [a/b]}]"), []string{"budgets[0]: no max"}, head("budgets: [{name: x, tools: [a/b], max: 3}]")},
	{"two budgets of one name", head("budgets: [{name: x, tools: [a/b], max: 1}, {name: x, tools: [a/c], max: 1}]"), []string{`2:51: budgets[1].name: budget "x" is also budgets[0]`}, head("budgets: [{name: x, tools: [a/b], max: 1}, {name: y, tools: [a/c], max: 1}]")},
	{"source that says nothing", head("sources: {a/b: {}}"), []string{"sources.a/b: says nothing"}, head("sources: {a/b: {whole_field: true}}")},
	{"kind of field", head("sources: {a/b: {fields: {/x: trust}}}"), []string{`unknown value "trust"; did you mean "trusted"?`}, head("sources: {a/b: {fields: {/x: trusted, \"/*/y\": addressing}}}")},
	{"outputs as a boolean", head("servers: {a: {outputs: true}}"), []string{`unknown value "true"; accepted: untrusted, trusted`}, head("servers: {a: {outputs: trusted}}")},
	{"setting that cannot be replaced", head("settings: {replace: [modes]}"), []string{`settings.replace[0]: unknown value "modes"; did you mean "mode"?`}, head("settings: {replace: [mode]}")},
	{"unknown channel", head("settings: {approval: {channels: [terminl]}}"), []string{`/p/team.yaml:2:34: settings.approval.channels[0]: unknown value "terminl"; did you mean "terminal"? accepted: terminal, elicitation, webhook`}, head("settings: {approval: {channels: [terminal]}}")},
	{"channel that is no list", head("settings: {approval: {channels: elicitation}}"), []string{`2:33: settings.approval.channels: the single value "elicitation"; want a list, such as [elicitation]`}, head("settings: {approval: {channels: [elicitation]}}")},
	{"channels beside approval", head("settings: {channels: [terminal]}"), []string{`2:12: settings.channels: unknown key "channels"`}, head("settings: {approval: {channels: [terminal, elicitation]}}")},
	{"approval of a word", head("settings: {approval: terminal}"), []string{`2:22: settings.approval: the single value "terminal"; want a map of channels, webhook, webhook_key`}, head("settings: {approval: {channels: [terminal]}}")},
	{"unknown key of approval", head("settings: {approval: {chanels: [terminal]}}"), []string{`2:23: settings.approval.chanels: unknown key "chanels"; did you mean "channels"?`}, head("settings: {approval: {channels: [terminal]}}")},
	{"approval that says nothing", head("settings: {approval: {}}"), []string{"2:12: settings.approval: says nothing; want channels:"}, head("settings: {approval: {channels: [terminal]}}")},
	{"nobody may answer", head("settings: {approval: {channels: []}}"), []string{"2:23: settings.approval.channels: nobody may answer; name at least one of terminal, elicitation, webhook"}, head("settings: {approval: {channels: [elicitation]}}")},
	{"channel twice", head("settings: {approval: {channels: [terminal, terminal]}}"), []string{`2:44: settings.approval.channels[1]: "terminal" stands twice; remove one`}, head("settings: {approval: {channels: [terminal, elicitation]}}")},
	{"webhook without a key", head("settings: {approval: {webhook: \"https://a.example/x\"}}"), []string{"2:12: settings.approval: a webhook without a key, so that anyone could answer; add webhook_key:"}, head("settings: {approval: {webhook: \"https://a.example/x\", webhook_key: key}}")},
	{"key without a webhook", head("settings: {approval: {webhook_key: key}}"), []string{"2:12: settings.approval: a key without a webhook; add webhook:"}, head("settings: {approval: {webhook: \"http://localhost:8080/x\", webhook_key: /run/key}}")},
	{"webhook channel without a webhook", head("settings: {approval: {channels: [terminal, webhook]}}"), []string{"2:44: settings.approval.channels[1]: a webhook may answer, and no file has one; add webhook: and webhook_key:"}, head("settings: {approval: {channels: [terminal, webhook], webhook: \"https://a.example/x\", webhook_key: key}}")},
	{"webhook in the open", head("settings: {approval: {webhook: \"http://a.example/x\", webhook_key: key}}"), []string{`2:32: settings.approval.webhook: "http://a.example/x" is not secure on the way; want https://, or http:// to localhost`}, head("settings: {approval: {webhook: \"http://127.0.0.1:8080/x\", webhook_key: key}}")},
	{"webhook whose name only looks local", head("settings: {approval: {webhook: \"http://localhost.evil.example/x\", webhook_key: key}}"), []string{"is not secure on the way"}, head("settings: {approval: {webhook: \"http://[::1]/x\", webhook_key: key}}")},
	{"webhook of another scheme", head("settings: {approval: {webhook: \"file:///etc/x\", webhook_key: key}}"), []string{"is not the URL of a webhook; want one such as https://"}, head("settings: {approval: {webhook: \"https://a.example:8443/x?team=1\", webhook_key: key}}")},
	{"webhook without a scheme", head("settings: {approval: {webhook: a.example/x, webhook_key: key}}"), []string{"is not the URL of a webhook"}, head("settings: {approval: {webhook: \"https://a.example\", webhook_key: key}}")},
	{"webhook with a password", head("settings: {approval: {webhook: \"https://me:secret@a.example/x\", webhook_key: key}}"), []string{`"https://me:xxxxx@a.example/x" has a user in it, which the ledger would show`}, head("settings: {approval: {webhook: \"https://a.example/x\", webhook_key: key}}")},
	{"webhook with a fragment", head("settings: {approval: {webhook: \"https://a.example/x#y\", webhook_key: key}}"), []string{"has a fragment, which is never sent"}, head("settings: {approval: {webhook: \"https://a.example/x\", webhook_key: key}}")},
	{"key of a webhook at home", head("settings: {approval: {webhook: \"https://a.example/x\", webhook_key: ~/key}}"), []string{"2:68: settings.approval.webhook_key: \"~/key\": neither ~ nor variables are expanded here; write the path"}, head("settings: {approval: {webhook: \"https://a.example/x\", webhook_key: ../key}}")},
	{"number of asks as text", head("settings: {max_asks: \"20\"}"), []string{`2:22: settings.max_asks: "20" is text; want a number without quotes`}, head("settings: {max_asks: 20}")},
	{"negative number of asks", head("settings: {max_asks: -1}"), []string{"2:22: settings.max_asks: -1 is not a whole number"}, head("settings: {max_asks: 0}")},
	{"time to wait without a unit", head("settings: {approval_timeout: 50}"), []string{`2:30: settings.approval_timeout: "50" is not a time to wait; want a duration from 0s (do not wait) to 10m, such as 50s`}, head("settings: {approval_timeout: 50s}")},
	{"no time to wait, without a unit", head("settings: {approval_timeout: 0}"), []string{`"0" is not a time to wait`}, head("settings: {approval_timeout: 0s}")},
	{"negative time to wait", head("settings: {approval_timeout: -1s}"), []string{`"-1s" is not a time to wait`}, head("settings: {approval_timeout: 1s}")},
	{"too long a time to wait", head("settings: {approval_timeout: 10m1s}"), []string{`"10m1s" is not a time to wait`}, head("settings: {approval_timeout: 10m}")},
	{"unknown scope", head("tools: {a/b: {approve: {scope: session}}}"), []string{`2:32: tools.a/b.approve.scope: unknown value "session"; accepted: call, args, destination`}, head("tools: {a/b: {approve: {scope: args}}}")},
	{"scope as the whole", head("tools: {a/b: {approve: args}}"), []string{`2:24: tools.a/b.approve: the single value "args"; want a map of scope, for`}, head("tools: {a/b: {approve: {scope: destination, for: 30m}}}")},
	{"approve that says nothing", head("tools: {a/b: {approve: {}}}"), []string{"2:15: tools.a/b.approve: says nothing; want scope: call, args or destination, or for:"}, head("tools: {a/b: {approve: {for: 30m}}}")},
	{"bad duration of a yes", head("tools: {a/b: {approve: {for: 30}}}"), []string{`2:30: tools.a/b.approve.for: "30" is not a duration; want one above zero`}, head("tools: {a/b: {approve: {for: 30s}}}")},
	{"no duration of a yes", head("tools: {a/b: {approve: {scope: args, for: 0s}}}"), []string{`"0s" is not a duration; want one above zero`}, head("tools: {a/b: {approve: {scope: call}}}")},
	{"unknown key of approve", head("tools: {a/b: {approve: {scoped: args}}}"), []string{`2:25: tools.a/b.approve.scoped: unknown key "scoped"; did you mean "scope"?`}, head("tools: {a/b: {approve: {scope: args}}}")},
	{"unknown override", head("tools: {a/b: {sink: {to: [x], override: always}}}"), []string{`2:41: tools.a/b.sink.override: unknown value "always"; accepted: once`}, head("tools: {a/b: {sink: {to: [x], override: once}}}")},
	{"invisible line break", head("name: a\u2028tools: {}"), []string{"2:8: an invisible line break, U+2028"}, head("name: a", "tools: {}")},
	{"lone carriage return", head("name: a\rtools: {}"), []string{"2:8: a carriage return without a line feed"}, head("name: a\r", "tools: {}\r")},
	{"mark inside", head("name: a\uFEFF"), []string{"a byte-order mark inside the file"}, "\uFEFF" + head("name: a")},
	{"not UTF-8", head("name: \xff"), []string{"/p/team.yaml:2: not UTF-8"}, head("name: a")},
	{"control character", head("name: a # \x01"), []string{"/p/team.yaml:2:11: a control character, U+0001; remove it"}, head("name: a # \t")},
	{"text that is shown in another order", head("name: a # \u202e"), []string{"/p/team.yaml:2:11: a character that reorders the text around it, U+202E"}, head("name: a # שלום")},
	{"something behind the document", `{"callgate": 1}` + "\n}", []string{"/p/team.yaml:", "a second document"}, `{"callgate": 1}` + "\n"},
	{"label that nothing gives", head("labels: [{name: secret, from: [a/b]}]", "flows: [{name: f, label: secrte, to: [a/c]}]"), []string{`/p/team.yaml:3:26: flows[0].label: no entry of labels: gives the label "secrte"; did you mean "secret"?`}, head("labels: [{name: secret, from: [a/b]}]", "flows: [{name: f, label: secret, to: [a/c]}]")},
	{"label that a session never has", head("tools: {a/b: {verdict: deny, when: {labels: [l]}}}"), []string{`tools.a/b.when.labels[0]: no entry of labels: gives the label "l"; add one, such as`}, head("labels: [{name: l, from: [a/c]}]", "tools: {a/b: {verdict: deny, when: {labels: [l]}}}")},
	{"second label that a session never has", head("labels: [{name: l, from: [a/b]}]", "flows: [{name: f, label: l, to: [a/c], when: {labels: [m]}}]"), []string{`flows[0].when.labels[0]: no entry of labels: gives the label "m"`}, head("labels: [{name: l, from: [a/b]}]", "flows: [{name: f, label: l, to: [a/c], when: {labels: [l]}}]")},
	{"denied recipients that are a handle", head("tools: {a/b: {args: [{slot: recipient, deny: [\"@evil.example\"]}]}}"), []string{`2:47: tools.a/b.args[0].deny[0]: "@evil.example" is the handle of that name, and no mail address; did you mean "*@evil.example"?`}, head("tools: {a/b: {args: [{slot: recipient, deny: [\"*@evil.example\", \"@evil\"]}]}}")},
	{"allowed recipients that are a handle", head("tools: {a/b: {args: [{slot: recipient, allow: [\"@corp.example\"]}]}}"), []string{`allow[0]: "@corp.example" is the handle`}, head("tools: {a/b: {args: [{slot: recipient, allow: [\"*@corp.example\"]}]}}")},
	{"known method under methods", head("servers: {a: {methods: {tools/call: deny}}}"), []string{`servers.a.methods.tools/call: "tools/call" is a method that Callgate knows`, "under tools:"}, head("servers: {a: {methods: {vendor/call: deny, \"*\": deny}}}")},
	{"known method of resources under methods", head("servers: {a: {methods: {resources/read: deny}}}"), []string{"write it under resources:, such as resources: {verdict: deny}"}, head("servers: {a: {resources: {verdict: deny}}}")},
	{"known request under methods", head("servers: {a: {methods: {roots/list: deny}}}"), []string{"such as requests: {roots: deny}"}, head("servers: {a: {requests: {roots: deny}}}")},
	{"method that is always relayed", head("servers: {a: {methods: {ping: deny}}}"), []string{"it is always relayed, so remove it"}, head("servers: {a: {methods: {vendor/ping: deny}}}")},
	{"bad glob as written", head("tools: {a/b: {args: [{slot: path, deny: [\"x/[y\"]}]}}"), []string{`deny[0]: "x/[y" is not a glob`}, head("tools: {a/b: {args: [{slot: path, deny: [\"x/[y]\"]}]}}")},
	{"bad glob of where as written", head("labels: [{name: l, from: [a/b], where: {path: \"x/{y\"}}]"), []string{`where.path[0]: "x/{y" is not a glob`}, head("labels: [{name: l, from: [a/b], where: {path: \"x/{y}\"}}]")},
	{"source that takes nothing back", head("sources: {a/b: {whole_field: false}}"), []string{"sources.a/b.whole_field: false says nothing"}, head("sources: {a/b: {whole_field: true}}")},
	{"source of no field", head("sources: {a/b: {fields: {}}}"), []string{"sources.a/b.fields: says nothing"}, head("sources: {a/b: {fields: {/x: trusted}}}")},
	{"hour without its zero", head("schedules: [{name: a, tools: [x/y], allow: [{from: \"9:00\", to: \"17:00\", zone: UTC}]}]"), []string{`"9:00" is not a time of the day; write "09:00"`}, head("schedules: [{name: a, tools: [x/y], allow: [{from: \"09:00\", to: \"17:00\", zone: UTC}]}]")},
	{"day without a zone", head("budgets: [{name: a, tools: [a/b], max: 1, per: day@}]"), []string{`"day@" is not a period`, "such as day@Europe/Berlin"}, head("budgets: [{name: a, tools: [a/b], max: 1, per: day@UTC}]")},
	{"word where a map could stand", head("servers: {a: {requests: {sampling: maybe}}}"), []string{`unknown word "maybe"; accepted: allow, ask, deny, or a map of verdict, args, replace`}, head("servers: {a: {requests: {sampling: ask}}}")},
	{"not YAML", head("tools: {a/b: {"), []string{"not YAML"}, head("tools: {a/b: {}}")},
	{"key that is a list", head("tools: {[a]: {}}"), []string{"a list for a key; want a name"}, head("tools: {a: {}}")},
	{"too many values", head("tools: {a/b: {sink: {to: [" + strings.Repeat("x,\n  ", maxNodes) + "x]}}}"), []string{"more than 10000 values"}, head("tools: {a/b: {sink: {to: [" + strings.Repeat("x,", 100) + "x]}}}")},
	{"too many bytes", head("# " + strings.Repeat("x", maxFileBytes)), []string{"a policy file has at most 1048576"}, head("# " + strings.Repeat("x", 1000))},
	{"too long a line", head("name: [" + strings.Repeat("x,", 3000) + "]"), []string{"/p/team.yaml:2: a line of more than 4096 bytes; break it"}, head("# " + strings.Repeat("x", 3000))},
	{"too deep", head("name: " + strings.Repeat(strings.Repeat("[", 1000)+"\n  ", 20)), []string{"not YAML"}, head("name: a")},
}

func TestMistakesDoNotLoad(t *testing.T) {
	if len(mistakes) == 0 {
		t.Fatal("no cases")
	}
	seen := map[string]bool{}
	all := slices.Concat(mistakes, flowMistakes)
	for _, m := range all {
		if seen[m.name] {
			t.Errorf("%s: twice", m.name)
		}
		seen[m.name] = true
		t.Run(m.name, func(t *testing.T) {
			_, err := load(m.text)
			if err == nil {
				t.Fatal("loads")
			}
			for _, w := range m.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q\nlacks %q", err, w)
				}
			}
			for line := range strings.Lines(err.Error()) {
				if !strings.HasPrefix(line, "/p/team.yaml") || len(line) > 1200 {
					t.Errorf("line without a place: %q", line)
				}
			}
			if _, err := load(m.twin); err != nil {
				t.Errorf("the twin does not load: %v", err)
			}
		})
	}
	if len(seen) != len(all) {
		t.Errorf("%d cases ran of %d", len(seen), len(all))
	}
}

func TestAllMistakesOfAFileAreReported(t *testing.T) {
	_, err := load(head("nmae: x", "settings: {mode: watch, default: block}", "tools: {a/b: {verdict: no, max_calls: many}}"))
	if err == nil {
		t.Fatal("loads")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 5 {
		t.Errorf("%d lines, want 5:\n%v", len(lines), err)
	}
	for i, want := range []string{":2:1:", ":3:18:", ":3:34:", ":4:24:", ":4:39:"} {
		if i < len(lines) && !strings.Contains(lines[i], want) {
			t.Errorf("line %d: %q lacks %q", i, lines[i], want)
		}
	}
	_, err = load(head("tools: {a/b: {sink: {on: {" + strings.Repeat("", 1) + many("k%d: deny", 40) + "}}}}"))
	if lines := strings.Split(err.Error(), "\n"); len(lines) != maxErrors+1 || lines[maxErrors] != "and 20 more mistakes" {
		t.Errorf("%d lines; the last: %q", len(lines), lines[len(lines)-1])
	}
}

func TestMistakesShowHostileTextQuoted(t *testing.T) {
	_, err := load(head("tools: {\"a/\\e[31mred\\n/p/other.yaml:1: fine\": {verdict: deny}}"))
	if err == nil {
		t.Fatal("loads")
	}
	if strings.ContainsAny(err.Error(), "\x1b\n") {
		t.Errorf("raw control characters in %q", err)
	}
}

func TestMistakesTellTheirPlace(t *testing.T) {
	_, err := load(head("tools: {fs/w: {verdcit: deny}}", "sittings: {}"))
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%v is no list", err)
	}
	var got []string
	for _, e := range list.Unwrap() {
		var m *Mistake
		if !errors.As(e, &m) || m.Error() != e.Error() {
			t.Fatalf("%v is no mistake", e)
		}
		got = append(got, fmt.Sprintf("%s %d %d %s", m.File, m.Line, m.Column, m.Path))
	}
	if want := []string{"/p/team.yaml 2 16 tools.fs/w.verdcit", "/p/team.yaml 3 1 sittings"}; !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
}

func TestClosestNamesWhatWasMeant(t *testing.T) {
	names := []string{"send_email", "listFolders", "read"}
	cases := []struct{ got, want string }{
		{"send_mail", "send_email"}, {"SEND_EMAIL", "send_email"}, {"listfolder", "listFolders"}, {"raed", "read"}, {"purge", ""}, {"", ""}, {"db", ""}, {"xyad", "read"}, {"red", "read"},
	}
	for _, c := range cases {
		if got := Closest(c.got, names); got != c.want {
			t.Errorf("%q: %q; want %q", c.got, got, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestNamesAreWhatTheirPatternSays(t *testing.T) {
	checks := []struct {
		pattern string
		is      func(string) bool
	}{
		{namePattern, func(s string) bool { return isName(s, "._-") }},
		{`^[A-Za-z0-9][A-Za-z0-9._ -]{0,63}$`, func(s string) bool { return isName(s, "._ -") }},
		{`^[A-Za-z_][A-Za-z0-9_]*$`, isVariable},
	}
	texts := []string{"", strings.Repeat("a", 64), strings.Repeat("a", 65), strings.Repeat("_", 65), "é", "aé", "a\n"}
	for c := range 256 {
		texts = append(texts, string([]byte{byte(c)}), string([]byte{'a', byte(c)}), string([]byte{byte(c), 'a'}))
	}
	yes, no := 0, 0
	for _, c := range checks {
		re := regexp.MustCompile(c.pattern)
		for _, s := range texts {
			got := c.is(s)
			if got {
				yes++
			} else {
				no++
			}
			if want := re.MatchString(s); got != want {
				t.Errorf("%q for %s: %v, want %v", s, c.pattern, got, want)
			}
		}
	}
	if yes == 0 || no == 0 {
		t.Fatalf("%d accepted, %d refused", yes, no)
	}
}
