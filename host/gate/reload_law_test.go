package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
)

// reloadParts are what the files of a reload differ in: for each place in a file
// the ways in which it can be written, the first of them not at all.
var reloadParts = []struct {
	form string // where the part stands, and what is around it
	ways []string
}{
	{"tools/s/send/verdict", []string{"", "deny", "ask", "allow"}},
	{"tools/s/send/sink", []string{
		"", "{to: [to]}", "{to: [to, body]}", "{to: []}", "{to: [to], content: [body]}", "{to: [to], trusted: [\"*@corp.example\"]}",
		"{to: [to], trusted: [\"*@corp.example\", \"*@x.example\"]}", "{to: [to], on: {prose: allow, unproven: allow}}", "{on: {prose: ask, unproven: deny}}", "none",
		"{to: [to], payload: allow}", "{to: [to], payload: deny}", "{to: [to], override: once}",
	}},
	{"tools/s/send/args", []string{
		"", "[{arg: to, origin: [client]}]", "[{arg: to, origin: [client], verdict: deny}]", "[{arg: to, origin: [client], verdict: ask}]",
		"[{slot: recipient, allow: [\"*@corp.example\"]}]", "[{slot: recipient, allow: [\"*@corp.example\"], also: true}]", "[{slot: recipient, deny: [\"*@x.example\"]}]",
		"[{slot: recipient, deny: [\"*@evil.example\"], verdict: ask}]",
	}},
	{"tools/s/send/slots", []string{"", "{body: recipient}", "{to: path}", "{body: path, to: url}"}},
	{"tools/s/send/hide", []string{"", "true"}},
	{"tools/s/send/max_calls", []string{"", "0", "1", "3"}},
	{"tools/s/send/risk", []string{"", "low", "critical"}},
	{"tools/s/send/undeclared", []string{"", "allow", "sink", "deny"}},
	{"tools/s/send/approve", []string{"", "{scope: call}", "{scope: args}"}},
	{"tools/s/write/verdict", []string{"", "ask", "allow"}},
	{"tools/s/write/args", []string{
		"", "[{slot: path, allow: [\"/srv/out/**\"]}]", "[{slot: path, allow: [\"/srv/out/**\", \"/srv/**\"]}]", "[{slot: path, deny: [\"**/.env\"]}]",
		"[{slot: path, deny: [\"**/.env\", \"/srv/out/**\"]}]", "[{slot: path, deny: [\"/srv/out/**\"], verdict: ask}]", "[{arg: path, in: [/srv/out/a]}]",
		"[{arg: path, in: [/srv/out/a, /srv/.env]}]", "[{arg: path, match: \"/srv/.*\"}]", "[{arg: content, max_bytes: 1}]", "[{arg: content, max_bytes: 9}]",
		"[{arg: content, forbid: true}]", "[{slot: path, allow: [\"/srv/**\"], also: true}]",
	}},
	{"tools/s/*/verdict", []string{"", "deny", "ask", "allow"}},
	{"tools/s/*/sink", []string{"", "{content: [body]}", "{to: []}", "none", "{to: [id]}", "{on: {unproven: allow}}", "{trusted: [\"*@evil.example\"]}"}},
	{"tools/s/*/undeclared", []string{"", "allow", "sink", "deny"}},
	{"tools/s/*/risk", []string{"", "low", "critical"}},
	{"tools/s/*/max_calls", []string{"", "0", "2"}},
	{"tools/s/*/slots", []string{"", "{id: path}", "{to: recipient}"}},
	{"tools/s/*/args", []string{
		"", "[{slot: path, allow: [\"/srv/**\"]}]", "[{slot: path, deny: [\"/srv/**\"]}]", "[{slot: recipient, allow: [\"*@evil.example\"]}]",
	}},
	{"tools/s/*/when", []string{"", "{labels: [labels0]}"}},
	{"tools/s/remove_item/max_calls", []string{"", "0", "9"}},
	{"tools/s/remove_item/replace", []string{"", "true"}},
	{"settings/unlisted", []string{"", "deny", "ask", "allow"}},
	{"settings/taint", []string{"", "strict", "graded"}},
	{"settings/ask_from", []string{"", "low", "high"}},
	{"settings/max_argument_bytes", []string{"", "20", "100"}},
	{"settings/unknown_server", []string{"", "deny", "ask", "allow"}},
	{"settings/user_context", []string{"", "true", "false"}},
	{"servers/s/verdict", []string{"", "deny", "ask", "allow"}},
	{"servers/s/replace", []string{"", "true"}},
	{"servers/s/text", []string{"", "{read: prose}", "{read: json}"}},
	{"servers/s/resources", []string{
		"", "{verdict: deny}", "{verdict: ask}", "{verdict: allow}", "{args: [{slot: path, allow: [\"/srv/**\"]}]}", "{args: [{slot: path, allow: [\"/etc/**\"]}]}",
		"{args: [{slot: path, deny: [\"/etc/**\"]}]}", "{verdict: allow, args: [{arg: uri, match: \"docs://.*\"}]}",
	}},
	{"servers/s/prompts", []string{"", "{verdict: deny}", "{verdict: allow}", "{args: [{arg: /arguments/to, forbid: true}]}"}},
	{"servers/s/requests", []string{
		"", "{sampling: deny}", "{sampling: ask}", "{sampling: allow}", "{sampling: {args: [{arg: maxTokens, in: [9]}]}}", "{sampling: {args: [{arg: maxTokens, in: [900]}]}}",
		"{sampling: {verdict: allow}, elicitation: deny}", "{sampling: {args: [{arg: maxTokens, max: 100}]}}", "{sampling: {verdict: ask, args: [{arg: maxTokens, max: 100}]}}",
	}},
	{"servers/s/methods", []string{"", "{\"vendor/*\": deny}", "{\"vendor/*\": deny, vendor/x: ask}", "{vendor/x: allow}", "{\"*\": deny}"}},
	{"servers/s/outputs", []string{"", "trusted", "untrusted"}},
	{"servers/other/outputs", []string{"", "untrusted"}},
	{"sources/s/read/whole_field", []string{"", "true"}},
	{"budgets", []string{"", "{tools: [s/send], max: 1}", "{tools: [s/send], max: 3}", "{tools: [s/send], max: 3, count: commits}"}},
	{"labels", []string{"{from: [s/nothing]}", "{from: [s/read]}", "{from: [s/read, s/write]}", "{from: [s/read], audience: [\"*@corp.example\"]}"}},
	{"flows", []string{"", "{label: LABEL, to: [s/send]}", "{label: LABEL, to: [s/send], verdict: ask}", "{label: LABEL, to: [s/send, s/write]}"}},
	{"chains", []string{"", "{from: [s/read], to: [s/send]}", "{from: [s/read], to: [s/send], verdict: ask}", "{from: [s/read], to: [s/send], within: 1}"}},
	{"schedules", []string{"", "{tools: [s/send], allow: []}", "{tools: [s/send], allow: [], otherwise: ask}", "{tools: [s/*], allow: [{zone: UTC, from: \"10:00\", to: \"11:00\"}]}"}},
	{"redact", []string{
		"", "{pattern: \"evil[.]example\", with: \"[gone]\"}", "{pattern: \"evil[.]example\", with: \"[gone]\", in: [arguments]}", "{pattern: \"evil[.]example\", with: \"[gone]\", in: [arguments], verdict: deny}",
		"{pattern: \"evil[.]example\", with: \"[gone]\", in: [arguments], verdict: ask}", "{pattern: \"evil[.]example\", with: a@corp.example}",
	}},
	{"capability/envelope", []string{"", "[read_files]", "[read_files, write_files]", "[]"}},
	{"identities", []string{"", "{match: {subject: me}}"}},
}

// reloadFile writes one file: ways says how each part is written. Names are the
// file's own.
func reloadFile(layer int, def string, ways []int) string {
	var b strings.Builder
	b.WriteString("callgate: 1\npacks: none\n")
	section, entry := "", ""
	for i, part := range reloadParts {
		way := part.ways[ways[i]]
		if way == "" && part.form != "settings/unlisted" {
			continue
		}
		words := strings.SplitN(part.form, "/", 2)
		if words[0] != section {
			section, entry = words[0], ""
			fmt.Fprintf(&b, "%s:\n", section)
			if section == "settings" {
				fmt.Fprintf(&b, "  default: %s\n", def)
			}
		}
		switch {
		case way == "":
		case len(words) == 1:
			name := fmt.Sprintf("%s%d", section, layer)
			fmt.Fprintf(&b, "  - {name: %s, %s\n", name, strings.ReplaceAll(way[1:], "LABEL", fmt.Sprintf("labels%d", layer)))
		case section == "settings" || section == "capability":
			fmt.Fprintf(&b, "  %s: %s\n", words[1], way)
		default:
			cut := strings.LastIndexByte(words[1], '/')
			if words[1][:cut] != entry {
				entry = words[1][:cut]
				fmt.Fprintf(&b, "  %q:\n", entry)
			}
			fmt.Fprintf(&b, "    %s: %s\n", words[1][cut+1:], way)
		}
	}
	return b.String()
}

// TestLawWhatAReloadNeedsNoPersonForNeverLoosens: after the same history, a call
// gets no looser verdict under a policy that Loosens has nothing against.
func TestLawWhatAReloadNeedsNoPersonForNeverLoosens(t *testing.T) {
	applied, tightened, waited := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		def := rapid.SampledFrom([]string{"deny", "ask", "allow", "allow", "allow"}).Draw(t, "default")
		var old, next [2]string
		for layer := range old {
			was, is := make([]int, len(reloadParts)), make([]int, len(reloadParts))
			for i, part := range reloadParts {
				if rapid.IntRange(0, 9).Draw(t, "is there") == 0 {
					was[i] = rapid.IntRange(0, len(part.ways)-1).Draw(t, part.form)
				}
				is[i] = was[i]
			}
			for range rapid.IntRange(layer, 2).Draw(t, "changes") {
				i := rapid.IntRange(0, len(reloadParts)-1).Draw(t, "part")
				is[i] = rapid.IntRange(0, len(reloadParts[i].ways)-1).Draw(t, "new "+reloadParts[i].form)
			}
			old[layer], next[layer] = reloadFile(layer, def, was), reloadFile(layer, def, is)
		}
		floor := rapid.IntRange(0, 3).Draw(t, "as a floor") == 0
		a, ok := tryLoad(old[:], floor)
		b, ok2 := tryLoad(next[:], floor)
		if !ok || !ok2 || a.Digest() == b.Digest() || len(policy.Fixed(a, b)) > 0 {
			return
		}
		if len(policy.Loosens(a, b)) > 0 { // the way back may be one that nobody waits for
			waited++
			a, b, old, next = b, a, next, old
		}
		if len(policy.Loosens(a, b)) > 0 {
			return
		}
		applied++
		events := lawEvents(t)
		for range 4 {
			last := rapid.OneOf(rapid.Custom(lawCall), rapid.Custom(lawCall), rapid.Custom(lawOther)).Draw(t, "last")
			judge := func(p *policy.Policy) abi.Outcome {
				r := newLawRun(a, builtin.Table(), "aaaaaa00")
				for _, e := range events {
					r.step(e)
				}
				r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
				o, _ := outcomeOf(r.step(last))
				return o
			}
			was, is := judge(a), judge(b)
			if is < was {
				tightened++
			}
			if is > was {
				t.Fatalf("%v became %v for %+v under\n%s\n---\n%s\nand then\n%s\n---\n%s", was, is, last.Call, old[0], old[1], next[0], next[1])
			}
		}
	})
	t.Logf("%d reloads were applied, %d of them tightened, and %d waited", applied, tightened, waited)
}

// TestWhatWaitsForAPersonIsWhatLoosens: what the law draws is luck, so one reload
// that tightens and one that loosens stand here.
func TestWhatWaitsForAPersonIsWhatLoosens(t *testing.T) {
	const head = "callgate: 1\npacks: none\nsettings: {default: ask, unlisted: ask}\n"
	a, ok := tryLoad([]string{head, head}, false)
	b, ok2 := tryLoad([]string{head, head + "tools: {s/read: {verdict: deny}}\n"}, false)
	if !ok || !ok2 {
		t.Fatal("the examples do not load")
	}
	if why := policy.Loosens(a, b); len(why) > 0 {
		t.Errorf("a denial loosens: %q", why)
	}
	if why := policy.Loosens(b, a); len(why) == 0 {
		t.Error("without the denial nothing is looser")
	}
}

// tryLoad loads two files: as layers, or the second one as a floor.
func tryLoad(texts []string, floor bool) (*policy.Policy, bool) {
	o := policy.Options{
		Files: []string{"/0.yaml", "/1.yaml"}, Specs: builtin.Table(),
		Read: func(path string) ([]byte, error) { return []byte(texts[path[1]-'0']), nil },
	}
	if floor {
		o.Files, o.Floor = o.Files[:1], o.Files[1]
	}
	p, err := policy.Load(o)
	return p, err == nil
}
