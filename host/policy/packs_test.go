package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/packs"
)

// variants are the recorded servers of a pack: testdata/mcp-tools/NAME.json and
// NAME-*.json, by file name.
func variants(t *testing.T, name string) []string {
	t.Helper()
	more, err := filepath.Glob("../../testdata/mcp-tools/" + name + "-*.json")
	if err != nil {
		t.Fatal(err)
	}
	list := []string{name}
	for _, m := range more {
		list = append(list, strings.TrimSuffix(filepath.Base(m), ".json"))
	}
	return list
}

// ofServers are the packs that are about a server.
func ofServers() []string { return slices.DeleteFunc(packs.Names(), packs.ForAll) }

func TestPacksNameOnlyWhatTheirServersHave(t *testing.T) {
	names := ofServers()
	if len(names) == 0 {
		t.Fatal("no packs")
	}
	for _, name := range names {
		p := mustLoad(t, head("servers: {s: {pack: "+name+"}}"))
		fits, why := map[string]bool{}, map[string]string{}
		for _, variant := range variants(t, name) {
			tools := recorded(t, variant)
			for _, b := range p.Bindings("s", tools) {
				if b.Pack != name {
					if !ofKind[name] && beside[name] != b.Pack && binds(p.pack(b.Pack)[0], b) {
						t.Errorf("%s: pack %s binds to its server too", variant, b.Pack)
					}
					continue
				}
				for _, e := range b.Entries {
					fits[e.Rule] = fits[e.Rule] || e.Fits
					why[e.Rule] += variant + ": " + e.Why + "; "
				}
			}
			for _, d := range tools {
				if tool := d.Get("name").Str(); !p.Rules("s", named(tool)).Grant.Set {
					t.Errorf("%s: the pack bound by hand does not know %s", variant, tool)
				}
			}
			for problem := range uncovered(p.pack(name)[0], tools) {
				t.Errorf("%s: %s", variant, problem)
			}
		}
		if len(fits) == 0 {
			t.Errorf("%s: no entries", name)
		}
		for rule, fit := range fits {
			if !fit {
				t.Errorf("%s: fits no recorded server: %s", rule, why[rule])
			}
		}
	}
}

// elsewhere are arguments that look like paths and name files of a repository far
// away, places in a document or commits: no rule about the files of this machine
// fits them.
var elsewhere = map[string][]string{
	"github": {"*"}, "gitlab": {"*"}, "redis": {"path"}, "supabase": {"*"},
	"cyanheads-git": {"source", "target"},
}

// beside are packs that say something of the other's servers, too, and mean it.
var beside = map[string]string{"sqlite": "postgres", "git": "cyanheads-git", "cyanheads-git": "git"}

// ofKind are the packs for a kind of tools, whatever server has them.
var ofKind = map[string]bool{"email": true, "http": true, "shell": true}

// binds says whether an entry that fits says more of a tool than that it is
// known: two servers may list a tool of one name that only reads.
func binds(y *layer, b Binding) bool {
	return !ofKind[b.Pack] && slices.ContainsFunc(b.Entries, func(e BoundEntry) bool {
		i := slices.IndexFunc(y.keys, func(k keyed) bool { return k.key.tool == e.Tool })
		t := y.keys[i].tool()
		return e.Fits && (t.Sink != nil || len(t.Args) > 0 || t.MaxCalls != nil || t.Verdict != nil && *t.Verdict != "allow")
	})
}

// uncovered finds arguments that look like destinations or paths and that a
// pack says nothing of.
func uncovered(y *layer, tools []abi.Value) map[string]bool {
	found := map[string]bool{}
	for _, d := range tools {
		g := guess{name: words(d.Get("name").Str())}
		g.reads = g.named(readWords) && !g.named(sendWords)
		g.object(schemaOf(d), "", nil, true, maxSchemaDepth)
		l := y.packLevels(d.Get("name").Str(), d, true)[0]
		s := joinSink([]level{l}, false, nil)
		for _, to := range g.to {
			// A sink of a pack asks when the call names no destination. Where all may
			// be left out, a pack may leave them to the heuristics, or drop them.
			left := s == nil && !g.required || sinkNone([]level{l})
			if !left && (s == nil || !s.All && !slices.Contains(s.To, to)) {
				found[fmt.Sprintf("%s: %s is shaped like a destination", d.Get("name").Str(), to)] = true
			}
		}
		for _, path := range g.paths {
			if far := elsewhere[y.pack]; slices.Contains(far, "*") || slices.Contains(far, path) {
				continue
			}
			names := append(slotNames([]level{l}, "path"), slotNames([]level{l}, "cwd")...)
			if !slices.Contains(names, path) || len(joinArgs([]level{l}, nil)) == 0 {
				found[fmt.Sprintf("%s: %s is shaped like a path", d.Get("name").Str(), path)] = true
			}
		}
	}
	return found
}

func TestPackCheckFindsPlantedGaps(t *testing.T) {
	read := func(text string) *layer {
		y, errs := readLayer("pack", "", []byte(head(text)), packRole)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		y.pack = "planted"
		y.index()
		return y
	}
	tool := defined("send", "to", "path")
	full := read("tools: {send: {sink: {to: [to]}, slots: {path: path}, args: [{slot: path}]}}")
	if got := uncovered(full, []abi.Value{tool}); len(got) != 0 {
		t.Errorf("a covered tool: %v", got)
	}
	if got := uncovered(read("tools: {send: {risk: low}}"), []abi.Value{tool}); len(got) != 2 {
		t.Errorf("an uncovered tool: %v", got)
	}
	p := &Policy{packs: []*layer{read("tools: {send: {sink: {to: [too]}}, sned: {risk: low}}")}, layers: []*layer{{}}}
	p.layers[0].doc.Servers = map[string]server{"s": {Pack: ptr("planted")}}
	var why []string
	for _, e := range p.Bindings("s", []abi.Value{tool})[0].Entries {
		why = append(why, e.Why)
	}
	if got := strings.Join(why, "; "); got != `its schema has no argument "too"; the server does not list it` {
		t.Errorf("why %s", got)
	}
}

func TestAYesReachesNoFartherByAPackThatNobodyBound(t *testing.T) {
	cases := []struct{ pack, file, fit, hand string }{
		{"{scope: call}", "", "1 0s packs/planted.yaml:2: tools.send.approve", "1 0s packs/planted.yaml:2: tools.send.approve"},
		{"{for: 5m}", "", "0 5m0s packs/planted.yaml:2: tools.send.approve", "0 5m0s packs/planted.yaml:2: tools.send.approve"},
		{"{scope: destination, for: 5m}", "", "3 5m0s packs/planted.yaml:2: tools.send.approve", "3 5m0s packs/planted.yaml:2: tools.send.approve"},
		{"{scope: args, for: 5m}", "", "0 0s ", "2 5m0s packs/planted.yaml:2: tools.send.approve"},
		{"{scope: destination}", "", "0 0s ", "3 0s packs/planted.yaml:2: tools.send.approve"},
		{"{scope: call}", "{scope: args}", "2 0s f.yaml:2: tools.s/send.approve", "2 0s f.yaml:2: tools.s/send.approve"},
		{"{scope: args}", "{scope: call}", "1 0s f.yaml:2: tools.s/send.approve", "1 0s f.yaml:2: tools.s/send.approve"},
	}
	read := func(name, text string, as role) *layer {
		y, errs := readLayer(name, "", []byte(head(text)), as)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if y.label = name; as == packRole {
			y.pack = "planted"
		}
		y.index()
		return y
	}
	for _, c := range cases {
		pack := read("packs/planted.yaml", "tools: {send: {approve: "+c.pack+", sink: {to: [to], override: once}}}", packRole)
		file := "name: f"
		if c.file != "" {
			file = "tools: {s/send: {approve: " + c.file + "}}"
		}
		p := &Policy{packs: []*layer{pack}, layers: []*layer{read("f.yaml", file, userRole)}}
		for _, hand := range []bool{false, true} {
			want := c.fit
			if hand {
				p.layers[0].doc.Servers, want = map[string]server{"s": {Pack: ptr("planted")}}, c.hand
			}
			r := p.Rules("s", defined("send", "to"))
			if got := fmt.Sprint(r.Approve.Scope, " ", r.Approve.For, " ", r.Approve.Rule); got != want || r.Sink.Once != hand {
				t.Errorf("pack %s, file %q, by hand %v: %s, override %v; want %s", c.pack, c.file, hand, got, r.Sink.Once, want)
			}
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func ptr[T any](v T) *T { return &v }

func TestPacksCannotSayWhatIsNotTheirs(t *testing.T) {
	cases := []struct{ text, want string }{
		{"settings: {default: allow}", "settings: not part of a pack"},
		{"budgets: [{name: x, tools: [a], max: 1}]", "budgets: not part of a pack"},
		{"plugins: [{name: p, use: ./p.wasm, on: {tools: [a]}}]", "plugins: not part of a pack"},
		{"include: [x]", "include: not part of a pack"},
		{"packs: auto", "packs: not part of a pack"},
		{"tools: {a/b: {risk: low}}", `tools.a/b: a pack's tools have no server half; write "b"`},
		{"tools: {b: {replace: true}}", "a pack is the lowest layer"},
		{"tools: {b: {args: [{slot: path, allow: [./x]}]}}", "is relative, and a pack has no directory"},
		{"servers: {x: {text: {a: json}}}", `a pack knows one server, the one it binds to; write "*"`},
		{"servers: {\"*\": {outputs: trusted}}", "a pack says only text: and resources: of its server"},
		{"servers: {\"*\": {resources: {verdict: allow}}}", "a pack says only args: of resources"},
	}
	for _, c := range cases {
		_, errs := readLayer("packs/x.yaml", "", []byte(head(c.text)), packRole)
		if len(errs) == 0 || !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, errs, c.want)
		}
	}
	allowed := "servers: {\"*\": {text: {a: json}}}\ntools: {b: {verdict: allow, risk: low, sink: {to: [x], trusted: [a@b]}, args: [{slot: path, deny: [/x]}]}}\nsources: {b: {whole_field: true}}"
	if _, errs := readLayer("packs/x.yaml", "", []byte(head(allowed)), packRole); len(errs) > 0 {
		t.Error(errs)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// planted makes a policy with one pack of its own.
func planted(t *testing.T, pack, text string) *Policy {
	t.Helper()
	p := mustLoad(t, head(text))
	y, errs := readLayer("packs/planted.yaml", "", []byte(head(pack)), packRole)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	y.pack, y.label = "planted", "packs/planted.yaml"
	p.packs = []*layer{y}
	if strings.Contains(text, "byhand") {
		p.layers[0].doc.Servers["byhand"] = server{Pack: ptr("planted")}
	}
	p.finish()
	return p
}

func TestPacksBindInTwoHalves(t *testing.T) {
	pack := `
servers: {"*": {text: {send: headers}}}
tools:
  send:
    verdict: allow
    sink: {to: [rcpt], content: [msg], trusted: [a@b], on: {field: allow, part: deny}, payload: allow, override: once}
    args: [{arg: n, max: 3}]
    max_calls: 5
    risk: high
  remove: {max_calls: 9}
sources: {send: {outputs: trusted, whole_field: true}}`
	p := planted(t, pack, "servers: {byhand: {}, byfit: {}}")
	fits := defined("send", "rcpt", "msg", "n")
	hand, fit, misfit := p.Rules("byhand", fits), p.Rules("byfit", fits), p.Rules("byfit", defined("send", "rcpt", "msg"))
	unknown := p.Rules("byfit", named("send"))

	if !hand.Grant.Set || fit.Grant.Set {
		t.Errorf("grants: hand %v, fit %v", hand.Grant, fit.Grant)
	}
	if show(hand) != `allow [n max 3] sink to["rcpt"] content["msg"] trusted["a@b"]` {
		t.Errorf("hand: %s", show(hand))
	}
	if show(fit) != `[n max 3] sink to["rcpt"] content["msg"] trusted[]` {
		t.Errorf("fit: %s", show(fit))
	}
	if show(misfit) != "" || show(unknown) != "" {
		t.Errorf("misfit %q, unknown %q", show(misfit), show(unknown))
	}
	if s := hand.Sink; s.On[abi.Field] != abi.Allow || s.On[abi.Part] != abi.Deny || s.Payload != abi.Allow || !s.Once {
		t.Errorf("hand: %+v", s)
	}
	if s := fit.Sink; s.On[abi.Field] != abi.Ask || s.On[abi.Part] != abi.Deny || s.Payload != abi.Ask || s.Once {
		t.Errorf("fit: %+v", s)
	}
	if fit.Risk != hand.Risk || misfit.Risk == fit.Risk {
		t.Errorf("risks %d %d %d", hand.Risk, fit.Risk, misfit.Risk)
	}
	if s := p.Source("byhand", "send"); !s.Trusted || !s.WholeField || s.Text != "headers" {
		t.Errorf("hand: %+v", s)
	}
	if s := p.Source("byfit", "send"); s.Trusted || s.WholeField || s.Text != "" {
		t.Errorf("fit: %+v", s)
	}
	remove := defined("remove", "id")
	if h, f := p.Budgets("byhand", remove)[0].Max, p.Budgets("byfit", remove)[0].Max; h != 9 || f != 2 {
		t.Errorf("budgets: hand %d, fit %d", h, f)
	}
	b := p.Bindings("byhand", []abi.Value{remove})
	if len(b) != 1 || !b[0].Hand || b[0].Entries[0].Fits == b[0].Entries[1].Fits {
		t.Errorf("bindings %+v", b)
	}
	if b := p.Bindings("byfit", []abi.Value{defined("other")}); len(b) != 0 {
		t.Errorf("bindings of a stranger %+v", b)
	}
}

func TestUsersAddToAPack(t *testing.T) {
	p := mustLoad(t, head("servers: {gmail: {pack: gmail}}", "tools: {gmail/send_email: {sink: {to: [threadId]}}}"))
	var send abi.Value
	for _, d := range recorded(t, "gmail") {
		if d.Get("name").Str() == "send_email" {
			send = d
		}
	}
	if s := p.Rules("gmail", send).Sink; !slices.Equal(s.To, []string{"bcc", "cc", "threadId", "to"}) || s.All {
		t.Errorf("to %q", s.To)
	}
	p = mustLoad(t, head("tools: {gmail/send_email: {sink: {to: [threadId]}, replace: true}}"))
	if s := p.Rules("gmail", send).Sink; !slices.Equal(s.To, []string{"threadId"}) {
		t.Errorf("replaced: to %q", s.To)
	}
	if n := p.Rules("gmail", send).Args; len(n) != 0 {
		t.Errorf("replaced: args %v", n)
	}
}

func TestPackChoice(t *testing.T) {
	all := strings.Join(ofServers(), " ")
	cases := []struct {
		layers []string
		want   string
	}{
		{[]string{"name: a"}, all},
		{[]string{"packs: auto"}, all},
		{[]string{"packs: none"}, ""},
		{[]string{"packs: []"}, ""},
		{[]string{"packs: [gmail]"}, "gmail"},
		{[]string{"packs: [gmail]", "packs: none"}, "gmail"},
		{[]string{"packs: none", "name: b"}, ""},
		{[]string{"packs: [gmail]", "packs: [filesystem]"}, "filesystem gmail"},
		{[]string{"packs: [secrets]"}, "secrets"},
		{[]string{"packs: [auto, secrets]"}, strings.Join(set(append(ofServers(), "secrets")), " ")},
		{[]string{"packs: auto", "packs: [sensitive-files]"}, strings.Join(set(append(ofServers(), "sensitive-files")), " ")},
		{[]string{"packs: none", "packs: [auto]"}, all},
	}
	for _, c := range cases {
		var texts, got []string
		for _, l := range c.layers {
			texts = append(texts, head(l))
		}
		for _, y := range layered(t, texts...).packs {
			got = append(got, y.pack)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.layers, got, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
