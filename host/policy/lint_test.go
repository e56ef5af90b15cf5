package policy

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// lintCases are policies that lint finds something in, and their twins in which
// it does not find that. A text is one file, or several layers, lowest first; one
// that begins with # floor is the floor.
var lintCases = []struct {
	code string
	bad  []string
	good []string
}{
	{CodeDefaultAbsent, []string{"name: a"}, []string{"settings: {default: deny}"}},
	{CodeLoosened, []string{"tools: {s/t: {max_calls: 1}}", "tools: {s/t: {max_calls: 2}}"}, []string{"tools: {s/t: {max_calls: 2}}", "tools: {s/t: {max_calls: 1}}"}},
	{CodeIgnored, []string{"tools: {s/t: {verdict: deny}}", "tools: {s/t: {verdict: ask}}"}, []string{"tools: {s/t: {verdict: ask}}", "tools: {s/t: {verdict: deny}}"}},
	{CodeReplaced, []string{"tools: {s/t: {verdict: deny}}", "tools: {s/t: {verdict: ask, replace: true}}"}, []string{"tools: {s/t: {verdict: deny}}", "tools: {s/u: {verdict: ask, replace: true}}"}},
	{CodeSuperseded, []string{"tools: {s/t: {args: [{slot: path, allow: [/a/**]}]}}", "tools: {s/t: {args: [{slot: path, allow: [/b/**]}]}}"},
		[]string{"tools: {s/t: {args: [{slot: path, allow: [/a/**]}]}}", "tools: {s/t: {args: [{slot: path, allow: [/b/**], also: true}]}}"}},
	{CodePacksDropped, []string{"packs: auto", "packs: none"}, []string{"packs: none", "packs: auto"}},
	{CodeDenyRelative, []string{"tools: {s/t: {args: [{slot: path, deny: ['*.env']}]}}"}, []string{"tools: {s/t: {args: [{slot: path, deny: ['**/*.env']}]}}"}},
	{CodeDenyRelative, []string{"tools: {s/t: {args: [{slot: path, deny: [.env]}]}}"}, []string{"tools: {s/t: {args: [{slot: path, deny: [./.env, '**/.env', /srv/.env, ~/.env, ../.env]}]}}"}},
	{CodeDenyRelative, []string{"servers: {s: {resources: {args: [{slot: path, deny: [keys/**]}]}}}"}, []string{"servers: {s: {resources: {args: [{slot: path, allow: [keys/**]}]}}}"}},
	{CodeDenyRelative, []string{"labels: [{name: l, from: [s/t], where: {path: secrets/**}}]"}, []string{"labels: [{name: l, from: [s/t], where: {path: ./secrets/**, arg: secrets/**}}]"}},
	{CodeRunRefuses, []string{"budgets: [{name: b, tools: [a/x, b/x], max: 1}]"}, []string{"budgets: [{name: b, tools: [a/x, a/y], max: 1}]"}},
	{codeNeverPasses, []string{"tools: {s/t: {args: [{arg: n, min: 5, max: 3}]}}"}, []string{"tools: {s/t: {args: [{arg: n, min: 3, max: 5}]}}"}},
	{codeNeverPasses, []string{"tools: {s/t: {args: [{arg: n, min: 5}, {arg: n, max: 3}]}}"}, []string{"tools: {s/t: {args: [{arg: n, min: 5}, {arg: m, max: 3}]}}"}},
	{codeNeverPasses, []string{"tools: {s/t: {args: [{arg: n, in: [a], match: b}]}}"}, []string{"tools: {s/t: {args: [{arg: n, in: [a], match: a}]}}"}},
	{codeNeverPasses, []string{"tools: {'s/[z-a]': {verdict: ask}}"}, []string{"tools: {'s/[a-z]': {verdict: ask}}"}},
	{codeNeverPasses, []string{"tools: {s/tür: {verdict: ask}}"}, []string{"tools: {s/tuer: {verdict: ask}}"}},
	{codeNeverPasses, []string{"tools: {s/t: {args: [{slot: path, deny: ['/srv/[9-0]']}]}}"}, []string{"tools: {s/t: {args: [{slot: path, deny: ['/srv/[0-9]']}]}}"}},
	{codeShadowed, []string{"tools: {s/t: {args: [{arg: n, in: [a, b], match: b}]}}"}, []string{"tools: {s/t: {args: [{arg: n, in: [b], match: b}]}}"}},
	{codeShadowed, []string{"tools: {s/t: {verdict: deny, max_calls: 1}}"}, []string{"tools: {s/t: {verdict: ask, max_calls: 1}}"}},
	{codeShadowed, []string{"tools: {s/t: {hide: true, args: [{arg: a, max: 1}]}}"}, []string{"tools: {s/t: {args: [{arg: a, max: 1}]}}"}},
	{codeShadowed, []string{"tools: {s/t: {args: [{slot: path, allow: [/srv/**], deny: [/etc/**]}]}}"}, []string{"tools: {s/t: {args: [{slot: path, allow: [/srv/**], deny: [/srv/x/**, '**/.env']}]}}"}},
	{codeShadowed, []string{"tools: {s/t: {args: [{slot: path, allow: [/srv/**]}, {slot: path, deny: [/etc/passwd]}]}}"}, []string{"tools: {s/t: {args: [{slot: path, allow: [/srv/**]}, {slot: path, deny: [/srv/passwd]}]}}"}},
	{codeShadowed, []string{"budgets: [{name: a, tools: [s/t], max: 1}, {name: b, tools: [s/t], max: 2}]"}, []string{"budgets: [{name: a, tools: [s/t], max: 1}, {name: b, tools: [s/t], max: 2, per: 1h}]"}},
	{codeShadowed, []string{"packs: none\nsettings: {ask_from: high}\ntools: {s/t: {risk: low}}"}, []string{"packs: none\nsettings: {ask_from: high}\ntools: {s/t: {risk: critical}}"}},
	{codeAllowsNothing, []string{"tools: {s/t: {args: [{arg: a, in: []}]}}"}, []string{"tools: {s/t: {args: [{arg: a, in: [b]}]}}"}},
	{codeAllowsNothing, []string{"tools: {s/t: {args: [{slot: path, allow: []}]}}"}, []string{"tools: {s/t: {args: [{slot: path, allow: [/a/**]}]}}"}},
	{codeAllowsNothing, []string{"tools: {s/t: {args: [{slot: path, allow: [/a/b/**], deny: [/a/**]}]}}"}, []string{"tools: {s/t: {args: [{slot: path, allow: [/a/**], deny: [/a/b/**]}]}}"}},
	{codeAllowsNothing, []string{"schedules: [{name: n, tools: [s/t], allow: []}]"}, []string{"schedules: [{name: n, tools: [s/t], allow: [{zone: UTC}]}]"}},
	{codeEverything, []string{"tools: {s/t: {args: [{slot: path, allow: ['/**']}]}}"}, []string{"tools: {s/t: {args: [{slot: path, allow: ['/srv/**']}]}}"}},
	{codeEverything, []string{"tools: {s/t: {args: [{arg: a, match: '^.*$'}]}}"}, []string{"tools: {s/t: {args: [{arg: a, match: '[a-z]*'}]}}"}},
	{codeTrustWide, []string{"tools: {s/t: {sink: {to: [to], trusted: ['*@gmail.com']}}}"}, []string{"tools: {s/t: {sink: {to: [to], trusted: [me@gmail.com]}}}"}},
	{CodeTrustsHost, []string{"tools: {s/t: {sink: {to: [to], trusted: [corp.example]}}}"}, []string{"tools: {s/t: {sink: {to: [to], trusted: ['*@corp.example']}}}"}},
	{CodeSlashInTool, []string{"tools: {a/b/c: {max_calls: 1}}"}, []string{"tools: {a/c: {max_calls: 1}}"}},
	{CodeNobodySays, []string{"tools: {s/t: {args: [{arg: a, origin: [client]}]}}"}, []string{"tools: {s/t: {args: [{arg: a, origin: [client, trusted]}]}}"}},
	{codeTrustWide, []string{"servers: {s: {outputs: trusted}}"}, []string{"servers: {s: {outputs: untrusted}}"}},
	{codeGrantWide, []string{"tools: {'*': {verdict: allow}}"}, []string{"tools: {'s/*': {verdict: allow}}"}},
	{codeMatchHalf, []string{"tools: {s/t: {args: [{arg: a, match: ^https://corp}]}}"}, []string{"tools: {s/t: {args: [{arg: a, match: '^https://corp.*'}]}}"}},
	{codeMatchHalf, []string{`tools: {s/t: {args: [{arg: a, match: '\.txt$'}]}}`}, []string{`tools: {s/t: {args: [{arg: a, match: '.+\.txt$'}]}}`}},
	{codeMatchAnchored, []string{"tools: {s/t: {args: [{arg: a, match: ^ab$}]}}"}, []string{"tools: {s/t: {args: [{arg: a, match: ab}]}}"}},
	{codeSinkNothing, []string{"tools: {s/t: {sink: {trusted: [a@b.example]}}}"}, []string{"tools: {s/*: {sink: {to: [to]}}}", "tools: {s/t: {sink: {trusted: [a@b.example]}}}"}},
	{codeSinkDropped, []string{"tools: {s/t: {sink: none}}"}, []string{"tools: {s/t: {sink: {to: [to]}}}"}},
	{codeSinkAll, []string{"tools: {s/t: {sink: {to: []}}}"}, []string{"tools: {s/t: {sink: {to: [to]}}}"}},
	{codeFloorDefault, []string{"settings: {default: allow}", "# floor\nsettings: {default: ask}"}, []string{"settings: {default: allow}", "# floor\nsettings: {default: ask}\ntools: {s/*: {verdict: allow}}"}},
	{codeFloorDefault, []string{"settings: {default: allow}", "# floor\nsettings: {default: deny}"}, []string{"settings: {default: allow}", "# floor\nsettings: {unlisted: deny}"}},
	{codeWhereNear, []string{"labels: [{name: l, from: [s/t], where: {pth: /srv/x}}]"}, []string{"labels: [{name: l, from: [s/t], where: {path: /srv/x, paths: x, title: x}}]"}},
	{codeWhereNear, []string{"labels: [{name: l, from: [s/t]}]\nflows: [{name: f, label: l, to: [s/u], where: {hots: x.example}}]"}, []string{"labels: [{name: l, from: [s/t]}]\nflows: [{name: f, label: l, to: [s/u], where: {host: x.example}}]"}},
	{codeServerUnknown, []string{"servers: {mail: {}}\ntools: {mial/t: {verdict: deny}}"}, []string{"servers: {mail: {}}\ntools: {mail/t: {verdict: deny}, t: {verdict: deny}}"}},
	{codeServerUnknown, []string{"servers: {mail: {}}\nbudgets: [{name: b, tools: [mial/t], max: 1}]"}, []string{"servers: {mail: {}}\nbudgets: [{name: b, tools: ['*/t'], max: 1}]"}},
	{codeLabelUnused, []string{"labels: [{name: l, from: [s/u]}]"}, []string{"labels: [{name: l, from: [s/u]}]", "flows: [{name: f, label: l, to: [s/t]}]"}},
	{codeShadowed, []string{"settings: {default: deny}\ntools: {s/a: {verdict: allow}}\nchains: [{name: c, from: [s/b], to: [s/a]}]"}, []string{"settings: {default: deny}\ntools: {s/a: {verdict: allow}}\nchains: [{name: c, from: [s/*], to: [s/a]}]"}},
	{codeShadowed, []string{"settings: {default: deny}\nservers: {s: {verdict: allow}}\nlabels: [{name: l, from: ['x/*']}]"}, []string{"settings: {default: ask}\nlabels: [{name: l, from: ['x/*']}]"}},
	{codeDenyNarrow, []string{"tools: {s/t: {args: [{slot: sql, deny_pattern: ['(?i)^drop']}]}}"}, []string{"tools: {s/t: {args: [{slot: sql, deny_pattern: ['(?i)drop']}]}}"}},
	{codeDenyNarrow, []string{"tools: {s/t: {args: [{slot: command, deny_pattern: ['drop$']}]}}"}, []string{"tools: {s/t: {args: [{slot: command, deny_pattern: [drop]}, {slot: sql, deny_pattern: [drop]}]}}"}},
	{codeEverything, []string{"tools: {s/t: {args: [{slot: sql, allow_pattern: ['(?s).*']}]}}"}, []string{"tools: {s/t: {args: [{slot: sql, allow_pattern: ['(?i)select .*']}]}}"}},
	{codeEverything, []string{"tools: {s/t: {args: [{slot: host, allow: ['*']}]}}"}, []string{"tools: {s/t: {args: [{slot: host, allow: ['*.corp.example']}]}}"}},
	{codeObserve, []string{"settings: {mode: observe}"}, []string{"settings: {mode: enforce}"}},
	{codePluginObserves, []string{"plugins: [{name: p, use: ./p.wasm, on: {tools: [s/t]}, mode: observe}]"}, []string{"plugins: [{name: p, use: ./p.wasm, on: {tools: [s/t]}, mode: enforce}]"}},
	{codeLabelNever, []string{never + ", use: ./p.wasm}]"}, []string{never + ", use: ./labels.wasm}]"}},
	{codeLabelNever, []string{never + ", use: ./labels.wasm, mode: observe}]"}, []string{never + ", use: ./labels.wasm, mode: observe}]", "# floor\n" + plugged + ", use: ./labels.wasm}]"}},
	{codeLabelNever, []string{"tools: {s/t: {verdict: deny, when: {labels: ['p:x']}}}", "# floor\n" + plugged + ", use: ./p.wasm}]"}, []string{"tools: {s/t: {verdict: deny, when: {labels: ['p:x']}}}", "# floor\n" + plugged + ", use: ./labels.wasm}]"}},
	{codePluginDigest, []string{"plugins: [{name: p, use: ./p.wasm, on: {tools: [s/t]}}]"}, []string{"plugins: [{name: p, use: ./p.wasm, digest: '" + abi.DigestBytes(judging(nil, "")) + "', on: {tools: [s/t]}}]"}},
	{codeServerUnknown, []string{"servers: {mail: {}}\nplugins: [{name: p, use: ./p.wasm, on: {tools: [mial/t]}}]"}, []string{"servers: {mail: {}}\nplugins: [{name: p, use: ./p.wasm, on: {tools: [mail/t]}}]"}},
	{codeNobodyAsked, []string{"settings: {max_asks: 0}"}, []string{"settings: {max_asks: 1}"}},
	{codePlainWebhook, []string{"settings: {approval: {webhook: 'http://127.0.0.1:1/x', webhook_key: /k}}"}, []string{"settings: {approval: {webhook: 'https://127.0.0.1:1/x', webhook_key: /k}}"}},
	{codeSameIdentity, []string{"identities: [{name: a, match: {subject: x}}, {name: b, match: {subject: x}}]"}, []string{"identities: [{name: a, match: {subject: x}}, {name: b, match: {subject: y}}]"}},
	{codeNeverPasses, []string{"tools: {s/t: {results: [{arg: /n, min: 5, max: 3}]}}"}, []string{"tools: {s/t: {results: [{arg: /n, min: 3, max: 5}]}}"}},
	{codeAllowsNothing, []string{"tools: {s/t: {results: [{arg: /n, in: []}]}}"}, []string{"tools: {s/t: {results: [{arg: /n, in: [a]}]}}"}},
	{codeEverything, []string{"tools: {s/t: {results: [{arg: /n, match: '.*'}]}}"}, []string{"tools: {s/t: {results: [{arg: /n, match: 'a.*'}]}}"}},
	{codeAllowsNothing, []string{"tools: {s/t: {max_calls: 0}}"}, []string{"tools: {s/t: {max_calls: 1}}"}},
	{codeAllowsNothing, []string{"budgets: [{name: b, tools: [s/t], max: 0}]"}, []string{"budgets: [{name: b, tools: [s/t], max: 1}]"}},
	{codeShadowed, []string{"tools: {s/*: {verdict: deny}, s/t: {args: [{arg: a, max: 1}]}}"}, []string{"tools: {s/*: {verdict: deny}, s/t: {verdict: ask, replace: true, args: [{arg: a, max: 1}]}}"}},
	{codeShadowed, []string{"servers: {s: {verdict: deny}}", "tools: {s/t: {max_calls: 2}}"}, []string{"servers: {s: {verdict: ask}}", "tools: {s/t: {max_calls: 2}}"}},
	{codeEverything, []string{"schedules: [{name: n, tools: [s/t], allow: [{zone: UTC}]}]"}, []string{"schedules: [{name: n, tools: [s/t], allow: [{zone: UTC, days: [mon]}]}]"}},
	{codeDenyNarrow, []string{"redact: [{name: a, pattern: '^abc'}]"}, []string{"redact: [{name: a, pattern: 'abc'}, {name: b, keys: [k], pattern: '^abc'}]"}},
	{codeShadowed, []string{"redact: [{name: a, pattern: abc}, {name: b, pattern: abc, in: [results]}]"}, []string{"redact: [{name: a, pattern: abc, in: [ledger]}, {name: b, pattern: abc, in: [results]}, {name: c, pattern: abcd}]"}},
	{codeShadowed, []string{"redact: [{name: a, keys: [k]}]", "redact: [{name: b, keys: [k]}]"}, []string{"redact: [{name: a, keys: [k]}]", "redact: [{name: b, keys: [k], verdict: deny}]"}},
	{codeIgnoreComment, []string{"tools: {s/t: {sink: none}} # callgate-lint: ignore SINK_DROPPED"}, []string{"tools: {s/t: {sink: none}} # callgate-lint: ignore SINK_DROPPED it only prints"}},
	{codeIgnoreComment, []string{"tools: {s/t: {sink: none}} # callgate-lint: ignore SINK_DROPED it only prints"}, []string{"tools: {s/t: {sink: none}} # callgate-lint is a program"}},
	{codeIgnoreUnused, []string{"tools: {s/t: {sink: {to: [to]}}} # callgate-lint: ignore SINK_DROPPED it only prints"}, []string{"# callgate-lint: ignore SINK_DROPPED it only prints\n\n# a comment\ntools: {s/t: {sink: none}}"}},
}

// never waits for a label of a plugin, and binds it.
const (
	plugged = "plugins: [{name: p, on: {tools: [s/t]}"
	never   = "flows: [{name: f, label: 'p:x', to: [s/t]}]\n" + plugged
)

func codesOf(t *testing.T, texts []string) (codes []string, shown string) {
	t.Helper()
	m, o := memory{}, Options{}
	for i, s := range texts {
		path := fmt.Sprintf("/p/l%d.yaml", i)
		if m[path] = "callgate: 1\n" + s + "\n"; strings.HasPrefix(s, "# floor\n") {
			o.Floor = path
			continue
		}
		o.Files = append(o.Files, path)
	}
	o.Read, o.Module = m.read, func(path string) ([]byte, error) { return modules(t)[path], nil }
	p, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Lint() {
		if f.Ignored == "" {
			codes = append(codes, f.Code)
		}
		shown += fmt.Sprintf("%s: %s: %s: %s [%s]\n", f.Severity, f.Code, f.Rule, f.Text, f.Ignored)
	}
	return codes, shown
}

func TestLintFindsWhatIsLegalAndWrong(t *testing.T) {
	var seen []string
	for _, c := range lintCases {
		seen = append(seen, c.code)
		if codes, shown := codesOf(t, c.bad); !slices.Contains(codes, c.code) {
			t.Errorf("%s is not found in %q:\n%s", c.code, c.bad, shown)
		}
		if codes, shown := codesOf(t, c.good); slices.Contains(codes, c.code) {
			t.Errorf("%s is found in %q:\n%s", c.code, c.good, shown)
		}
	}
	for _, c := range LintCodes() {
		if !slices.Contains(seen, c.Code) {
			t.Errorf("no case for %s", c.Code)
		}
	}
}

func TestACommentLeavesOutWhatItNamesInItsLineOnly(t *testing.T) {
	const file = "settings: {default: deny}\ntools:\n  a/t: {sink: none}%s\n  b/t: {sink: none}"
	for _, c := range []struct {
		comment string
		want    int
	}{
		{"", 2},
		{" # callgate-lint: ignore SINK_DROPPED it prints", 1},
		{" # callgate-lint: ignore OBSERVE,SINK_DROPPED it prints", 1},
		{" # callgate-lint: ignore OBSERVE it prints", 2},
		{" #callgate-lint: ignore SINK_DROPPED it prints", 1},
		{"\n  # callgate-lint: ignore SINK_DROPPED it prints", 1},
		{" # please callgate-lint: ignore SINK_DROPPED it prints", 2},
		{" # callgate-lint: disable SINK_DROPPED it prints", 2},
	} {
		codes, shown := codesOf(t, []string{fmt.Sprintf(file, c.comment)})
		if n := strings.Count(strings.Join(codes, " "), codeSinkDropped); n != c.want {
			t.Errorf("%q: %d findings, want %d:\n%s", c.comment, n, c.want, shown)
		}
	}
	// What only looks like a comment is none.
	for _, text := range []string{
		"tools: {a/t: {sink: none, args: [{arg: a, match: 'x # callgate-lint: ignore SINK_DROPPED it prints'}]}}",
		`tools: {a/t: {sink: none, args: [{arg: a, match: "\" # callgate-lint: ignore SINK_DROPPED it prints"}]}}`,
	} {
		if codes, shown := codesOf(t, []string{text}); !slices.Contains(codes, codeSinkDropped) {
			t.Errorf("%s:\n%s", text, shown)
		}
	}
}

func TestLintOfTheBuiltInPolicyAndOfAFloor(t *testing.T) {
	p, err := Load(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found := p.Lint(); len(found) > 0 {
		t.Errorf("the built-in policy: %v", found)
	}
	m := memory{"/p/a.yaml": head("settings: {default: deny}"), "/p/floor.yaml": head("tools: {s/t: {verdict: deny, max_calls: 1}}")}
	p, err = Load(Options{Files: []string{"/p/a.yaml"}, Floor: "/p/floor.yaml", Read: m.read})
	if err != nil {
		t.Fatal(err)
	}
	if found := p.Lint(); len(found) != 1 || found[0].Code != codeShadowed || !strings.HasPrefix(found[0].Rule, "floor.yaml:2: ") {
		t.Errorf("a floor: %v", found)
	}
}

func TestTheDocumentListsEveryCodeOfLint(t *testing.T) {
	data, err := os.ReadFile("../../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, c := range LintCodes() {
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", c.Code, c.Severity, c.Means)
	}
	if !strings.Contains(string(data), "|---|---|---|\n"+want.String()+"\n") {
		t.Errorf("docs/lint.md: want the rows\n%s", want.String())
	}
}
