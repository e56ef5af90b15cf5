package policy

import (
	"reflect"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// labelsABX gives the labels that the neighbours of mistakes look at.
const labelsABX = "labels: [{name: a, from: [p/q]}, {name: b, from: [p/q]}, {name: x, from: [p/q]}]"

// flowMistakes are those of labels, flows, chains and conditions.
var flowMistakes = []mistake{
	{"a label from nowhere", head("labels: [{name: a}]"), []string{"labels[0]: no from; list the tools"}, head("labels: [{name: a, from: [x/*]}]")},
	{"a label without a name", head("labels: [{from: [x/*]}]"), []string{"labels[0]: no name; give the label a name of its own"}, head("labels: [{name: a, from: [x/*]}]")},
	{"two labels of a name", head("labels: [{name: a, from: [x/*]}, {name: a, from: [y/*]}]"), []string{`labels[1].name: "a" is also the name of labels[0]`}, head("labels: [{name: a, from: [x/*]}, {name: b, from: [y/*]}]")},
	{"a label as text", head("labels: [secret]"), []string{"labels[0]: "}, head("labels: [{name: secret, from: [x/y]}]")},
	{"where that says nothing", head("labels: [{name: a, from: [x/*], where: {}}]"), []string{"labels[0].where: says nothing"}, head("labels: [{name: a, from: [x/*], where: {k: v}}]")},
	{"where without patterns", head("labels: [{name: a, from: [x/*], where: {k: []}}]"), []string{"labels[0].where.k: an empty list matches nothing"}, head("labels: [{name: a, from: [x/*], where: {k: [v]}}]")},
	{"where with a map", head("labels: [{name: a, from: [x/*], where: {k: {deny: v}}}]"), []string{"labels[0].where.k: ", "want a list"}, head("labels: [{name: a, from: [x/*], where: {k: v}}]")},
	{"where with a glob that is none", head(`labels: [{name: a, from: [x/*], where: {path: "/a/[b"}}]`), []string{`labels[0].where.path[0]: "/a/[b" is not a glob`}, head(`labels: [{name: a, from: [x/*], where: {path: "/a/[b]"}}]`)},
	{"where with an ambiguous path", head(`labels: [{name: a, from: [x/*], where: {path: "**"}}]`), []string{`labels[0].where.path[0]: "**" is ambiguous`}, head(`labels: [{name: a, from: [x/*], where: {path: "/**"}}]`)},
	{"where with a pointer that is none", head(`labels: [{name: a, from: [x/*], where: {"/a~b": v}}]`), []string{"has a bare ~"}, head(`labels: [{name: a, from: [x/*], where: {"/a~0b": v}}]`)},
	{"an audience that is everybody", head(`labels: [{name: a, from: [x/*], audience: ["*"]}]`), []string{`"*" is too wide`}, head(`labels: [{name: a, from: [x/*], audience: ["*@corp.example"]}]`)},
	{"a flow of nothing", head("flows: [{name: f, to: [x/*]}]"), []string{"flows[0]: no label; name the label"}, head(labelsABX, "flows: [{name: f, label: a, to: [x/*]}]")},
	{"a flow to nowhere", head("flows: [{name: f, label: a, to: []}]"), []string{"flows[0]: no to; list the tools"}, head(labelsABX, "flows: [{name: f, label: a, to: [x/*]}]")},
	{"a flow that allows", head("flows: [{name: f, label: a, to: [x/*], verdict: allow}]"), []string{`flows[0].verdict: unknown value "allow"`, "accepted: deny, ask"}, head(labelsABX, "flows: [{name: f, label: a, to: [x/*], verdict: ask}]")},
	{"a flow of another scope", head("flows: [{name: f, label: a, to: [x/*], scope: call}]"), []string{`flows[0].scope: unknown value "call"`}, head(labelsABX, "flows: [{name: f, label: a, to: [x/*], scope: value}]")},
	{"a condition of another product", head("flows: [{name: f, label: a, to: [x/*], when_tainted: true}]"), []string{`flows[0].when_tainted: unknown key "when_tainted"`}, head(labelsABX, "flows: [{name: f, label: a, to: [x/*], when: {labels: [b]}}]")},
	{"a condition on nothing", head("flows: [{name: f, label: a, to: [x/*], when: {labels: []}}]"), []string{"flows[0].when: no labels"}, head(labelsABX, "flows: [{name: f, label: a, to: [x/*], when: {labels: [b]}}]")},
	{"a label that is no name", head("flows: [{name: f, label: \"a b\", to: [x/*]}]"), []string{`"a b" is not the name of a label`}, head(labelsABX, "flows: [{name: f, label: a, to: [x/*]}]")},
	{"a label of a name of a manifest", head("flows: [{name: f, label: \"acme/scan:pii\", to: [x/*]}]"), []string{`"acme/scan:pii" is not the name of a label of a plugin; want NAME:LABEL, where plugins: has an entry of that name`}, head(labelsABX, "flows: [{name: f, label: b, to: [x/*]}]")},
	{"flows in the singular", head("flow: [{name: f, label: a, to: [x/*]}]"), []string{`unknown key "flow"; did you mean "flows"?`}, head(labelsABX, "flows: [{name: f, label: a, to: [x/*]}]")},
	{"a chain from nowhere", head("chains: [{name: c, to: [x/*]}]"), []string{"chains[0]: no from; "}, head("chains: [{name: c, from: [y/*], to: [x/*]}]")},
	{"a chain to nowhere", head("chains: [{name: c, from: [x/*]}]"), []string{"chains[0]: no to; "}, head("chains: [{name: c, from: [y/*], to: [x/*]}]")},
	{"a chain within nothing", head("chains: [{name: c, from: [y/*], to: [x/*], within: 0}]"), []string{"chains[0].within: 0 is no call at all"}, head("chains: [{name: c, from: [y/*], to: [x/*], within: 1}]")},
	{"a chain that blocks", head("chains: [{name: c, from: [y/*], to: [x/*], verdict: block}]"), []string{`chains[0].verdict: unknown value "block"`}, head("chains: [{name: c, from: [y/*], to: [x/*], verdict: deny}]")},
	{"a chain of patterns that are no globs", head("chains: [{name: c, from: [\"y/[a\"], to: [x/*]}]"), []string{"chains[0].from[0]: ", "is not a glob"}, head("chains: [{name: c, from: [\"y/[a]\"], to: [x/*]}]")},
	{"a grant because of a label", head("tools: {a/b: {when: {labels: [x]}, verdict: allow}}"), []string{"tools.a/b.verdict: allow under when: would grant the tool because of a label"}, head(labelsABX, "tools: {a/b: {when: {labels: [x]}, verdict: deny}}")},
	{"trust because of a label", head("tools: {a/b: {when: {labels: [x]}, sink: {to: [to], trusted: [a@b.example]}}}"), []string{"tools.a/b.sink.trusted: trust under when:"}, head(labelsABX, "tools: {a/b: {when: {labels: [x]}, sink: {to: [to]}}}")},
	{"no sink because of a label", head("tools: {a/b: {when: {labels: [x]}, sink: none}}"), []string{"tools.a/b.sink: trust under when:"}, head("tools: {a/b: {sink: none}}")},
	{"a start from nothing because of a label", head("tools: {a/b: {when: {labels: [x]}, replace: true, max_calls: 1}}"), []string{"tools.a/b.replace: replace under when:"}, head(labelsABX, "tools: {a/b: {when: {labels: [x]}, max_calls: 1}}")},
	{"sources because of a label", head("sources: {a/b: {when: {labels: [x]}, outputs: trusted}}"), []string{`sources.a/b.when: unknown key "when"`}, head("sources: {a/b: {outputs: trusted}}")},
}

func TestNamesOfFlowsAreOnesOfTheWholePolicy(t *testing.T) {
	files := map[string]string{
		"/p/a.yaml": head("include: [./b.yaml]", "labels: [{name: x, from: [a/b]}]", "flows: [{name: f, label: x, to: [c/d]}]", "chains: [{name: f, from: [a/b], to: [c/d]}]"),
		"/p/b.yaml": head("labels: [{name: x, from: [a/c]}]"),
		"/p/c.yaml": head("include: [./d.yaml]", "labels: [{name: x, from: [a/b]}]", "flows: [{name: f, label: x, to: [c/d]}]"),
		"/p/d.yaml": head("labels: [{name: y, from: [a/c], audience: [a@b.example]}]", "flows: [{name: g, label: y, to: [c/*]}]"),
	}
	read := func(name string) ([]byte, error) { return []byte(files[name]), nil }
	if _, err := Load(Options{Files: []string{"/p/a.yaml"}, Read: read}); err == nil || !strings.Contains(err.Error(), `/p/b.yaml:2:10`) && !strings.Contains(err.Error(), `label "x" is already in a.yaml`) {
		t.Errorf("%v", err)
	}
	p, err := Load(Options{Files: []string{"/p/c.yaml"}, Read: read})
	if err != nil {
		t.Fatal(err)
	}
	r := p.RulesFor("c", abi.KindTool, "d")
	if len(r.Flows) != 2 || r.Flows[0].Name != "f" || r.Flows[1].Name != "g" || len(r.Flows[1].Audience) != 1 || !r.Tracks || len(r.Labels) != 0 {
		t.Errorf("%+v", r)
	}
	if r := p.RulesFor("a", abi.KindResource, "resources/read"); len(r.Labels)+len(r.Flows) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestPatternsOfPathsStartFromTheirFile(t *testing.T) {
	p, err := load(head(`labels: [{name: x, from: [a/b], where: {path: ["./secrets/**", "**/.env", "/srv/x"], cwd: sub, name: "./x"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []contract.Where{
		{Key: "cwd", Patterns: []string{"/p/sub"}}, {Key: "name", Patterns: []string{"./x"}},
		{Key: "path", Patterns: []string{"/p/secrets/**", "**/.env", "/srv/x"}},
	}
	if got := p.RulesFor("a", abi.KindTool, "b").Labels[0].Where; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	back, err := Decode(p.Value())
	if err != nil || !reflect.DeepEqual(back.RulesFor("a", abi.KindTool, "b").Labels, p.RulesFor("a", abi.KindTool, "b").Labels) {
		t.Errorf("decoded: %v", err)
	}
}

// TestEntriesUnderAConditionStandBesideTheOthers: each is judged with those that
// have none, so that no label takes away what held without it.
func TestEntriesUnderAConditionStandBesideTheOthers(t *testing.T) {
	p, err := load(head("labels: [{name: l, from: [p/q]}, {name: m, from: [p/q]}]", "tools:", "  a/b: {args: [{slot: path, allow: [/x]}], max_calls: 5}", "  \"a/*\": {when: {labels: [l, m]}, args: [{slot: path, allow: [/y]}], max_calls: 2, verdict: ask}",
		"  \"*/b\": {when: {labels: [m]}, verdict: deny}"))
	if err != nil {
		t.Fatal(err)
	}
	definition := abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue("b")})
	base := p.Rules("a", definition)
	if base.Grant.Set || len(base.Args) != 1 || base.Args[0].Allow[0] != "/x" {
		t.Errorf("%+v", base)
	}
	for _, c := range []struct {
		held []string
		want int
	}{{nil, 0}, {[]string{"l"}, 0}, {[]string{"m"}, 1}, {[]string{"l", "m", "n"}, 2}} {
		got := p.RulesUnder("a", definition, func(needs []string) bool {
			for _, n := range needs {
				if !strings.Contains(strings.Join(c.held, " "), n) {
					return false
				}
			}
			return true
		})
		if len(got) != c.want {
			t.Errorf("%q: %d further sets of rules, want %d", c.held, len(got), c.want)
		}
	}
	budgets := p.Budgets("a", definition)
	if len(budgets) != 2 || budgets[0].When != "" || budgets[1].When != "l m" || budgets[0].Scope == budgets[1].Scope {
		t.Errorf("%+v", budgets)
	}
	if got := p.Conditions(); !reflect.DeepEqual(got, []string{"l", "m"}) {
		t.Errorf("%q", got)
	}
}

// TestFilesAreFollowedWhereSomethingGivesLabels, and nowhere else.
func TestFilesAreFollowedWhereSomethingGivesLabels(t *testing.T) {
	const plugin = "plugins: [{name: p, use: ./labels.wasm, on: {tools: [s/t]}}]"
	for name, c := range map[string]struct {
		texts []string
		want  bool
	}{
		"nothing":               {[]string{head("tools: {a/b: {verdict: allow}}")}, false},
		"a label":               {[]string{head("labels: [{name: x, from: [s/t]}]")}, true},
		"a plugin":              {[]string{head(plugin)}, true},
		"a plugin of the floor": {[]string{"# floor\n" + head(plugin), head("tools: {a/b: {verdict: allow}}")}, true},
	} {
		p, err := loadWith(t, c.texts...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := p.RulesFor("fs", abi.KindTool, "write_file").Tracks; got != c.want {
			t.Errorf("%s: files are followed: %v; want %v", name, got, c.want)
		}
	}
}

// TestALabelOfAPluginNeedsAnEntryOfItsName: what waits for a label which no plugin of
// policy or floor can give does not load; whichever layer has the plugin, it does.
func TestALabelOfAPluginNeedsAnEntryOfItsName(t *testing.T) {
	const entry = "plugins: [{name: p, use: ./labels.wasm, on: {tools: [s/t]}}]"
	rules := map[string]string{
		"flows[0].label":             "flows: [{name: f, label: 'p:x', to: [s/t]}]",
		"flows[0].when.labels[0]":    "labels: [{name: l, from: [s/u]}]\nflows: [{name: f, label: l, when: {labels: ['p:x']}, to: [s/t]}]",
		"tools.s/t.when.labels[1]":   "labels: [{name: l, from: [s/u]}]\ntools: {s/t: {verdict: deny, when: {labels: [l, 'p:x']}}}",
		"tools.\"*\".when.labels[0]": "tools: {'*': {verdict: deny, when: {labels: ['p:x']}}}",
	}
	cases := 0
	for at, rule := range rules {
		for name, texts := range map[string][]string{
			"the same file":     {head(rule, entry)},
			"a lower layer":     {head(entry), head(rule)},
			"a higher layer":    {head(rule), head(entry)},
			"the floor":         {"# floor\n" + head(entry), head(rule)},
			"the floor waits":   {"# floor\n" + head(rule), head(entry)},
			"another beside":    {head(rule, strings.Replace(entry, "[{", "[{name: q, use: ./p.wasm, on: {tools: [s/t]}}, {", 1))},
			"one that observes": {head(rule, strings.Replace(entry, "}}]", "}, mode: observe}]", 1))},
		} {
			cases++
			if _, err := loadWith(t, texts...); err != nil {
				t.Errorf("%s, %s: %v", at, name, err)
			}
			var without []string
			for _, text := range texts {
				without = append(without, strings.NewReplacer("name: p,", "name: pp,", "name: q,", "name: x,").Replace(text))
			}
			_, err := loadWith(t, without...)
			if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(at, `"`, "")+`: no entry of plugins: has the name "p", so nothing gives the label "p:x"; `) {
				t.Errorf("%s, %s, without the plugin: %v", at, name, err)
			}
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
	if _, err := loadWith(t, head(rules["flows[0].label"])); err == nil || !strings.Contains(err.Error(), "/p/l0.yaml:2:26: flows[0].label: ") || !strings.HasSuffix(err.Error(), "; bind the plugin under that name, or remove this") {
		t.Errorf("without any plugin: %v", err)
	}
}
