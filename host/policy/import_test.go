package policy

import (
	"strings"
	"testing"
)

func translate(from, text string) (string, error) {
	out, err := Import([]byte(text), ImportOptions{From: from, Name: from + ".yaml", Dir: "/p"})
	return string(out), err
}

func TestWhatBouncerSaysIsSaidInOurWords(t *testing.T) {
	for _, c := range []struct{ name, from, want string }{
		{"a sink", "send: {exfiltrating: true, sink_params: [to], trusted_destinations: [a@b.example]}", "sink: {to: [to], trusted: [a@b.example]}"},
		{"a sink without destinations", "send: {exfiltrating: true}", "sink: {to: []}"},
		{"no sink", "send: {exfiltrating: false}", "replace: true\n"},
		{"a prefix", "w: {write_params: [path, to], allowed_path_prefixes: [/srv/a, out]}",
			"- {slot: path, arg: path, allow: [\"/srv/a/**\", \"./out/**\"]}\n      - {slot: path, arg: to, allow: [\"/srv/a/**\", \"./out/**\"]}"},
		{"a prefix with characters of a glob", "w: {write_params: [path], allowed_path_prefixes: ['/srv/[a]']}", `/srv/\\[a\\]/**`},
		{"parameters without prefixes", "w: {write_params: [path]}", "slots: {path: path}"},
		{"a pattern", "q: {arg_patterns: {table: '[a-z]+'}}", `- {arg: table, match: "[a-z]+"}`},
		{"a budget", "d: {max_calls: 0}", "max_calls: 0"},
		{"a prefix that is not clean", "w: {write_params: [path], allowed_path_prefixes: ['a//b/../c/', /srv/a/../b, ./]}", `allow: ["./a/c/**", "/srv/b/**", "./**"]`},
		{"a repetition from none", "q: {arg_patterns: {a: 'x{,5}y{,}[{,5}]'}}", `match: "x{0,5}y{0,}[{,5}]"`},
		{"negated classes", `q: {arg_patterns: {a: '[^\d,]\W\D'}}`, `match: "[^\\p{Nd},][^\\p{L}\\p{N}_][^\\p{Nd}]"`},
		{"classes that are not negated", `q: {arg_patterns: {a: '[\w-]+\s\d[]a]'}}`, `match: "[\\w-]+\\s\\d[]a]"`},
		{"an argument that looks like a pointer", "q: {arg_patterns: {/a~b: x}}", `arg: "/~1a~0b"`},
		{"a tool that looks like a glob", "'get*': {max_calls: 1}", `"get\\*":`},
		{"a tool with a slash", "a/b: {max_calls: 1}", `"*/a/b":`},
		{"a word that YAML reads as something else", "send: {exfiltrating: true, sink_params: ['no', '1']}", `to: ["no", "1"]`},
		{"no tools", "{}", "settings: {default: allow, unlisted: ask, taint: strict}\n"},
	} {
		out, err := translate("bouncer", c.from)
		if err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v\n%s\nwant %s", c.name, err, out, c.want)
			continue
		}
		if _, err := load(out); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
	}
}

func TestWhatBouncerSaysAndWeCanNotIsAMistakeInItsLine(t *testing.T) {
	for _, c := range []struct{ name, from, want string }{
		{"an unknown key", "send:\n  exfiltratin: true", `bouncer.yaml:2:3: tool send: unknown key "exfiltratin"; did you mean "exfiltrating"?`},
		{"a duplicate key", "send:\n  max_calls: 1\n  max_calls: 2", `bouncer.yaml:3:3: tool send: duplicate key "max_calls", first in line 2`},
		{"a tool twice", "send: {max_calls: 1}\nsend: {max_calls: 2}", `bouncer.yaml:2:1: a policy of Bouncer: duplicate key "send"`},
		{"a list where a map goes", "- send", `bouncer.yaml:1:1: a list; want a map`},
		{"a word where a list goes", "send: {exfiltrating: true, sink_params: to}", `bouncer.yaml:1:41: tool send: sink_params: the single value "to"; want a list`},
		{"a word for a boolean", "send: {exfiltrating: yes}", `want true or false`},
		{"destinations of no sink", "send:\n  sink_params: [to]", "bouncer.yaml:2:16: tool send: sink_params gates nothing in Bouncer without exfiltrating: true"},
		{"trust of no sink", "send:\n  exfiltrating: false\n  trusted_destinations: [a@b.example]", "bouncer.yaml:3:25: tool send: trusted_destinations gates nothing"},
		{"a pattern of destinations", "send:\n  exfiltrating: true\n  trusted_destinations: ['*@corp.example']", `bouncer.yaml:3:26: tool send: "*@corp.example" is compared character by character`},
		{"prefixes of nothing", "w:\n  allowed_path_prefixes: [/srv]", "bouncer.yaml:2:26: tool w: allowed_path_prefixes confine nothing"},
		{"no prefixes", "w:\n  write_params: [path]\n  allowed_path_prefixes: []", "bouncer.yaml:3:26: tool w: no allowed_path_prefixes confine nothing"},
		{"a home as a prefix", "w:\n  write_params: [path]\n  allowed_path_prefixes: [~/out]", "bouncer.yaml:3:27: prefix \"~/out\": Bouncer expands neither"},
		{"an expression that RE2 lacks", "q:\n  arg_patterns: {a: '(?=x)y'}", `bouncer.yaml:2:21: tool q: arg_patterns: the expression "(?=x)y" has no exact translation`},
		{"a number for a pattern", "q:\n  arg_patterns: {a: [x]}", "bouncer.yaml:2:21: tool q: arg_patterns: a list; want text"},
		{"a boolean for a count", "q:\n  max_calls: true", "bouncer.yaml:2:14: tool q: max_calls: the single value \"true\"; want a whole number"},
		{"a negative count", "q:\n  max_calls: -1", "bouncer.yaml:2:14: tool q: max_calls: the single value \"-1\"; want a whole number"},
		{"a name with braces", "'a{b}': {max_calls: 1}", `bouncer.yaml:1:1: "a{b}" can not be the name of a tool here`},
		{"a word for a tool that YAML 1.1 reads as true", "on: {max_calls: 1}", `bouncer.yaml:1:1: a policy of Bouncer: "on" is no text in Bouncer's YAML; put it in quotes`},
		{"a number for a tool", "123: {max_calls: 1}", `"123" is no text in Bouncer's YAML`},
		{"a merged map", "<<: {send: {max_calls: 1}}", "bouncer.yaml:1:1: a merge key, <<"},
		{"a merged entry", "send:\n  <<: {max_calls: 1}", "bouncer.yaml:2:3: a merge key, <<"},
		{"an octal count", "d: {max_calls: 010}", `the single value "010"; want a whole number`},
		{"a count with underscores", "d: {max_calls: 1_000}", `the single value "1_000"; want a whole number`},
		{"an octal destination", "s:\n  exfiltrating: true\n  sink_params: [a, 010]", `bouncer.yaml:3:20: tool s: sink_params: "010" is no text in Bouncer's YAML`},
		{"a time for a destination", "s:\n  exfiltrating: true\n  sink_params: [1:30]", `"1:30" is no text`},
		{"a date that is trusted", "s: {exfiltrating: true, sink_params: [a], trusted_destinations: [2024-01-01]}", `"2024-01-01" is no text`},
		{"a float that is trusted", "s: {exfiltrating: true, sink_params: [a], trusted_destinations: [1.50]}", `"1.50" is no text`},
		{"no for a parameter", "w: {write_params: [no], allowed_path_prefixes: [/srv]}", `"no" is no text`},
		{"no parameters", "w:\n  write_params: []\n  allowed_path_prefixes: [/srv]", "bouncer.yaml:2:17: tool w: no write_params, so that allowed_path_prefixes confine nothing"},
		{"two slashes", "w: {write_params: [path], allowed_path_prefixes: [//srv]}", `prefix "//srv": Bouncer takes a path with two slashes`},
		{"a prefix above", "w: {write_params: [path], allowed_path_prefixes: [a/../../b]}", `prefix "a/../../b": what is above where Bouncer was started`},
		{"a class of POSIX", "q: {arg_patterns: {a: '[[:alpha:]]+'}}", `"[:" is no class of characters in Python`},
		{"a boundary of words", "q: {arg_patterns: {a: 'foo\\b.*'}}", `\b is between other characters in Python than here`},
		{"a class that Python lacks", "q: {arg_patterns: {a: '\\pL+'}}", `\p is no part of an expression in Python`},
		{"a quotation that Python lacks", "q: {arg_patterns: {a: '\\Qa.b\\E'}}", `\Q is no part of an expression in Python`},
		{"what is not white space, in a class", "q: {arg_patterns: {a: '[\\S,]+'}}", `\S in a class holds other characters in Python`},
		{"a group as Python does not name it", "q: {arg_patterns: {a: '(?<n>x)'}}", "Python names a group with (?P<name>"},
		{"a flag that Python lacks", "q: {arg_patterns: {a: '(?U)x+'}}", "Python has no flag U"},
		{"a flag behind the beginning", "q: {arg_patterns: {a: 'x(?i)y'}}", "Python takes flags at the beginning only"},
		{"a look behind", "q: {arg_patterns: {a: '(?<=x)y'}}", "has no exact translation"},
		{"a reference back", "q: {arg_patterns: {a: '(x)\\1'}}", "has no exact translation"},
		{"Python's end of a text", "q: {arg_patterns: {a: 'x\\Z'}}", "has no exact translation"},
		{"a flag that RE2 lacks", "q: {arg_patterns: {a: '(?x) a b'}}", "has no exact translation"},
		{"null for an entry", "q:", "bouncer.yaml:1:"},
		{"a tag", "q: !!map {max_calls: 1}", "bouncer.yaml:1:"},
		{"two documents", "q: {max_calls: 1}\n---\nr: {max_calls: 1}", "bouncer.yaml:"},
		{"a count that no number holds", "q: {max_calls: 99999999999999999999}", "want a whole number"},
		{"a domain that is trusted as a handle", "s: {exfiltrating: true, sink_params: [a], trusted_destinations: ['@corp.example']}", `is the handle of that name`},
		{"an anchor", "a: &x {max_calls: 1}\nb: *x", "bouncer.yaml:1:4: an anchor, &x"},
		{"no YAML", "a: [", "bouncer.yaml:1: not YAML"},
		{"nothing", "", "bouncer.yaml:1:1: empty file"},
	} {
		out, err := translate("bouncer", c.from)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n%s\nwant %s", c.name, err, out, c.want)
		}
	}
	if _, err := translate("bounser", "a: {}"); err == nil || err.Error() != `unknown format "bounser"; did you mean "bouncer"? accepted: bouncer, visor` {
		t.Errorf("an unknown format: %v", err)
	}
}

// FuzzImport holds that whatever is translated is a policy that loads.
func FuzzImport(f *testing.F) {
	for _, s := range []string{
		"send: {exfiltrating: true, sink_params: [to], trusted_destinations: [a@b.example]}\nw: {write_params: [path], allowed_path_prefixes: [/srv]}",
		"q: {arg_patterns: {a: 'b|c'}, max_calls: 3}",
		"version: '1.0'\ndefault_action: deny\nservers: [{name: s, allowed: true, tools: [{name: t, allowed: true, rules: [{type: allow_path, patterns: ['/tmp/**']}]}]}]",
	} {
		f.Add("bouncer", s)
		f.Add("visor", s)
	}
	f.Fuzz(func(t *testing.T, from, text string) {
		out, err := translate(from, text)
		if err != nil {
			return
		}
		if _, err := load(out); err != nil {
			t.Fatalf("%v\n%s\n%s", err, text, out)
		}
	})
}
