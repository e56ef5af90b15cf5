package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// bodies are members of an entry. Those of tightening are outside
// abi.Loosening wherever they stand.
var (
	tightening = []string{
		"verdict: deny", "sink: {to: [a]}", "sink: {to: []}", "sink: {to: [b, /c/d]}", "args: [{arg: a, max: 3}]",
		"args: [{slot: path, deny: [/x/**]}]", "args: [{arg: b, forbid: true}]", "args: [{slot: path, literal: true}]",
		"args: [{arg: c, match: 'a+', verdict: ask}]", "undeclared: deny", "slots: {a: path}", "approve: {scope: call}", "sink: {to: [a]}\nargs: [{slot: path}]",
	}
	anything = append([]string{
		"verdict: allow", "verdict: ask", "sink: none", "sink: {to: [a], content: [b], trusted: [x@y]}", "sink: {on: {field: allow}, payload: allow}",
		"args: [{slot: path, allow: [/x/**]}]", "args: [{slot: path, allow: [/y/**], also: true}]", "args: [{arg: a, in: [1, no]}]",
		"max_calls: 3", "max_calls: 0", "risk: low", "risk: critical", "undeclared: sink", "replace: true", "sink: {to: [c], override: once}", "sink: {override: once}", "approve: {scope: args, for: 5m}", "approve: {scope: destination}", "approve: {for: 1m}",
	}, tightening...)
	keys = []string{"s/t", "s/*", "t", "*/*", "s/u", "s/t?"}
)

// entry draws one entry of tools:.
func entry(t *rapid.T, label string, bodies, keys []string) string {
	body := rapid.SampledFrom(bodies).Draw(t, label+" body")
	return fmt.Sprintf("%q:\n    %s", rapid.SampledFrom(keys).Draw(t, label+" key"), strings.ReplaceAll(body, "\n", "\n    "))
}

// layerText draws a file.
func layerText(t *rapid.T, label string) string {
	seen := map[string]bool{}
	text := "callgate: 1\npacks: none\nsettings: {default: " + rapid.SampledFrom([]string{"deny", "ask", "allow"}).Draw(t, label+" default") + "}\ntools:\n"
	for i := range rapid.IntRange(1, 4).Draw(t, label+" entries") {
		e := entry(t, fmt.Sprintf("%s %d", label, i), anything, keys)
		if k, _, _ := strings.Cut(e, ":"); !seen[k] {
			seen[k] = true
			text += "  " + e + "\n"
		}
	}
	return text
}

func loadTexts(t interface{ Fatal(...any) }, texts ...string) *Policy {
	m, o := memory{}, Options{}
	for i, s := range texts {
		path := fmt.Sprintf("/p/l%d.yaml", i)
		m[path] = s
		o.Files = append(o.Files, path)
	}
	o.Read = m.read
	p, err := Load(o)
	if err != nil {
		t.Fatal(err, texts)
	}
	return p
}

func TestAddingATighteningEntryNeverLoosens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := []string{layerText(t, "low"), layerText(t, "high")}
		before := loadTexts(t, base...)
		var after *Policy
		if rapid.Bool().Draw(t, "own layer") {
			after = loadTexts(t, append(base, "callgate: 1\ntools:\n  "+entry(t, "added", tightening, keys)+"\n")...)
		} else {
			// In a layer a more specific key may loosen; this one is as wide as can be.
			at := rapid.IntRange(0, 1).Draw(t, "layer")
			changed := slices.Clone(base)
			changed[at] += "  " + entry(t, "added", tightening, []string{"*/[a-z]*"}) + "\n"
			after = loadTexts(t, changed...)
		}
		for _, d := range []abi.Value{named("t"), named("u"), defined("t", "a", "b", "to", "path"), defined("send_t", "to", "body")} {
			if why := looser(before.Rules("s", d), after.Rules("s", d)); why != "" {
				t.Fatalf("%s of %s\nbefore %s\nafter  %s", why, d, show(before.Rules("s", d)), show(after.Rules("s", d)))
			}
			if len(after.Budgets("s", d)) < len(before.Budgets("s", d)) {
				t.Fatal("a budget is gone")
			}
		}
	})
}

// looser says in what b is looser than a, or "".
func looser(a, b contract.Rules) string {
	grant := func(r contract.Rules) abi.Outcome {
		if r.Grant.Set {
			return r.Grant.Outcome
		}
		return r.Default
	}
	if grant(b) > grant(a) {
		return "verdict"
	}
	if a.Undeclared > b.Undeclared {
		return "undeclared"
	}
	if (b.Approve.Scope+3)%4 > (a.Approve.Scope+3)%4 {
		return "approve" // call, args, destination, unset
	}
	for _, x := range a.Args {
		if !slices.ContainsFunc(b.Args, func(y contract.Arg) bool { return covers(y, x) }) {
			return "args: " + x.Rule
		}
	}
	if a.Sink == nil {
		return ""
	}
	if b.Sink == nil {
		return "sink"
	}
	for _, to := range a.Sink.To {
		if !b.Sink.All && !slices.Contains(b.Sink.To, to) {
			return "sink.to " + to
		}
	}
	for _, c := range b.Sink.Content {
		if !slices.Contains(a.Sink.Content, c) {
			return "sink.content " + c
		}
	}
	for pos, o := range a.Sink.On {
		if b.Sink.On[pos] > o {
			return "sink.on " + string(pos)
		}
	}
	if a.Sink.All && !b.Sink.All && !slices.Equal(a.Sink.To, b.Sink.To) && len(b.Sink.To) == 0 || len(b.Sink.Trusted) > len(a.Sink.Trusted) || b.Sink.Payload > a.Sink.Payload || b.Sink.Once && !a.Sink.Once {
		return "sink"
	}
	return ""
}

// covers says whether rule y refuses all that rule x does.
func covers(y, x contract.Arg) bool {
	for _, n := range x.Names {
		if !slices.Contains(y.Names, n) {
			return false
		}
	}
	bare := len(x.Deny) == 0 && !x.HasAllow && !x.Literal && x.Slot != ""
	if bare {
		return y.Slot == x.Slot && y.Arg == x.Arg && y.Outcome <= x.Outcome
	}
	y.Names, x.Names, y.Rule, x.Rule = nil, nil, "", ""
	return fmt.Sprintf("%+v", y) == fmt.Sprintf("%+v", x)
}

func TestLooserSeesPlantedLoosenings(t *testing.T) {
	a := loadTexts(t, head("settings: {default: ask}", "tools: {s/t: {verdict: deny, sink: {to: [a]}, args: [{arg: a, max: 3}, {arg: b, forbid: true}], undeclared: deny, approve: {scope: args}}}"))
	whole := a.Rules("s", named("t"))
	if why := looser(whole, whole); why != "" {
		t.Errorf("the same rules: %s", why)
	}
	planted := map[string]func(*contract.Rules){
		"verdict":    func(r *contract.Rules) { r.Grant.Set = false },
		"undeclared": func(r *contract.Rules) { r.Undeclared = contract.UndeclaredSink },
		"args":       func(r *contract.Rules) { r.Args = r.Args[1:] },
		"approve":    func(r *contract.Rules) { r.Approve.Scope = contract.ScopeDestination },
		"sink":       func(r *contract.Rules) { r.Sink = nil },
	}
	for name, change := range planted {
		r := a.Rules("s", named("t"))
		change(&r)
		if why := looser(whole, r); !strings.HasPrefix(why, name) {
			t.Errorf("%s: %q", name, why)
		}
	}
}

func TestLoadedPoliciesDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := loadTexts(t, layerText(t, "a"), layerText(t, "b"))
		q, err := Decode(p.Value())
		if err != nil {
			t.Fatal(err)
		}
		if !q.Value().Equal(p.Value()) || q.Digest() != p.Digest() {
			t.Fatal("the value changes on the way")
		}
		d := defined("t", "a", "b", "to", "path")
		if x, y := fmt.Sprintf("%+v", p.Rules("s", d)), fmt.Sprintf("%+v", q.Rules("s", d)); strip(x) != strip(y) {
			t.Fatalf("rules differ\n%s\n%s", x, y)
		}
	})
}

// strip removes addresses, which %+v prints of pointers.
func strip(s string) string {
	var words []string
	for _, w := range strings.Fields(s) {
		if !strings.Contains(w, "0x") {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

func TestDecodeIsStrict(t *testing.T) {
	v := mustLoad(t, head("settings: {default: ask}", "tools: {s/t: {verdict: allow}}")).Value()
	if _, err := Decode(v); err != nil {
		t.Fatal(err)
	}
	set := func(at string, to abi.Value) abi.Value {
		w, ok := v.Set(at, to)
		if !ok {
			t.Fatalf("nothing at %s", at)
		}
		return w
	}
	text := abi.StringValue
	bad := map[string]abi.Value{
		"absent":          {},
		"unknown member":  v.With("x", text("y")),
		"version":         v.With("v", abi.IntValue(2)),
		"no version":      v.With("v", abi.Value{}),
		"no layers":       v.With("layers", abi.Value{}),
		"empty layers":    v.With("layers", abi.ArrayValue()),
		"unknown verdict": set("/layers/0/policy/tools/s~1t/verdict", text("permit")),
		"unknown key":     set("/layers/0/policy", v.At("/layers/0/policy").With("x", text("y"))),
		"wrong type":      set("/layers/0/policy/settings", text("x")),
		"include":         set("/layers/0/policy", v.At("/layers/0/policy").With("include", texts([]string{"x"}))),
		"line":            set("/layers/0/lines", object("/tools", text("x"))),
		"line spelled":    set("/layers/0/lines", object("/tools", number("1e0"))),
		"layer member":    set("/layers/0", v.At("/layers/0").With("x", text("y"))),
		"layer as a pack": set("/layers/0", v.At("/layers/0").With("pack", text("gmail"))),
		"pack as a layer": set("/packs/0", v.At("/packs/0").With("pack", abi.Value{})),
		"floor":           v.With("floor", text("x")),
		"packs as text":   v.With("packs", text("x")),
	}
	for name, w := range bad {
		if _, err := Decode(w); err == nil {
			t.Errorf("%s: decodes", name)
		}
	}
	if len(bad) == 0 {
		t.Fatal("no cases")
	}
}

// settingsText draws what a file says of people's answers.
func settingsText(t *rapid.T, label string) string {
	var parts []string
	if list := rapid.SliceOfDistinct(rapid.SampledFrom(allChannels()), rapid.ID[string]).Draw(t, label+" channels"); len(list) > 0 {
		parts = append(parts, "approval: {channels: ["+strings.Join(list, ", ")+"]}")
	}
	if n := rapid.IntRange(-1, 30).Draw(t, label+" asks"); n >= 0 {
		parts = append(parts, fmt.Sprintf("max_asks: %d", n))
	}
	return "callgate: 1\nsettings: {default: ask" + strings.Join(append([]string{""}, parts...), ", ") + "}\n"
}

func TestNeitherLayersNorFloorsLetMoreChannelsAnswer(t *testing.T) {
	lists, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := memory{"/p/w.yaml": "callgate: 1\npacks: none\nsettings: {approval: {" + hook + "}}\n"} // packs have no settings
		files := []string{"/p/w.yaml"}
		for i := range rapid.IntRange(0, 2).Draw(t, "layers") {
			path := fmt.Sprintf("/p/l%d.yaml", i)
			m[path], files = settingsText(t, path), append(files, path)
		}
		before, err := Load(Options{Files: files, Read: m.read})
		if err != nil {
			return // the layers leave nobody
		}
		stated := len(before.approvals(nil)) > 1
		m["/p/f.yaml"] = settingsText(t, "added")
		o := Options{Files: files, Floor: "/p/f.yaml", Read: m.read}
		if above := rapid.Bool().Draw(t, "own layer") && stated; above {
			o = Options{Files: append(slices.Clone(files), "/p/f.yaml"), Read: m.read}
		}
		after, err := Load(o)
		if err != nil {
			refused++
			return
		}
		lists++
		a, b := before.Settings(), after.Settings()
		if len(b.Channels) == 0 || len(only(a.Channels, b.Channels)) != len(b.Channels) {
			t.Fatalf("%v let answer, then %v", a.Channels, b.Channels)
		}
		if o.Floor != "" && b.MaxAsks > a.MaxAsks {
			t.Fatalf("%d asks, and %d under a floor", a.MaxAsks, b.MaxAsks)
		}
		if q, err := Decode(after.Value()); err != nil || fmt.Sprint(q.Settings()) != fmt.Sprint(b) {
			t.Fatalf("decoded: %v, %v; want %v", err, q.Settings(), b)
		}
	})
	if lists == 0 || refused == 0 {
		t.Errorf("%d policies compared, %d refused", lists, refused)
	}
}

func TestDigestIsOfTheMeaning(t *testing.T) {
	of := func(path, text string) string {
		p, err := Load(Options{Files: []string{path}, Read: memory{path: text}.read})
		if err != nil {
			t.Fatal(err)
		}
		return p.Digest()
	}
	text := "callgate: 1\nname: x\nsettings: {default: ask, max_result_bytes: 1MiB}\ntools:\n  s/t: {verdict: deny, max_calls: 3}\n  s/u: {args: [{slot: path, allow: [./x]}]}\n"
	was := of("/p/team.yaml", text)
	same := map[string]string{
		"comments":     "# hello\n" + strings.ReplaceAll(text, "\n", " # why\n"),
		"order":        "tools:\n  s/u: {args: [{allow: [./x], slot: path}]}\n  s/t: {max_calls: 3, verdict: deny}\nsettings: {max_result_bytes: 1MiB, default: ask}\nname: x\ncallgate: 1\n",
		"blank lines":  strings.ReplaceAll(text, "\n", "\n\n"),
		"line ends":    strings.ReplaceAll(text, "\n", "\r\n"),
		"mark":         "\uFEFF" + text,
		"quotes":       strings.ReplaceAll(text, "verdict: deny", "\"verdict\": 'deny'"),
		"flow":         strings.ReplaceAll(text, "settings: {default: ask, max_result_bytes: 1MiB}", "settings:\n  default: ask\n  max_result_bytes: 1048576"),
		"pattern form": strings.ReplaceAll(text, "./x", "/p/./x"),
	}
	for name, s := range same {
		if of("/p/team.yaml", s) != was {
			t.Errorf("%s: another digest", name)
		}
	}
	if of("/p/other.yaml", text) != was {
		t.Error("the name of the file changes the digest")
	}
	for key, change := range map[string][2]string{
		"settings: {approval: {channels: [%s]}}":                                    {"terminal", "elicitation"},
		"settings: {approval: {webhook: \"https://%s/x\", webhook_key: k}}":         {"a.example", "b.example"},
		"settings: {approval: {webhook: \"https://a.example/x\", webhook_key: %s}}": {"k", "l"},
		"settings: {max_asks: %s}":                                                  {"1", "2"},
		"settings: {approval_timeout: %s}":                                          {"1s", "0s"},
		"settings: {replace: [%s]}":                                                 {"approval", "max_asks"},
		"tools: {s/t: {approve: {scope: %s}}}":                                      {"args", "call"},
		"tools: {s/t: {approve: {scope: args, for: %s}}}":                           {"1m", "2m"},
	} {
		one, two := of("/p/team.yaml", head(fmt.Sprintf(key, change[0]))), of("/p/team.yaml", head(fmt.Sprintf(key, change[1])))
		if again := of("/p/team.yaml", head("# why", fmt.Sprintf(key, change[0]))); one == two || one != again {
			t.Errorf("%s: the digest is of something else", key)
		}
	}
	for name, s := range map[string]string{
		"verdict": strings.ReplaceAll(text, "deny", "ask"), "count": strings.ReplaceAll(text, "3", "4"), "key": strings.ReplaceAll(text, "s/t", "s/v"), "setting": strings.ReplaceAll(text, "1MiB", "2MiB"),
	} {
		if of("/p/team.yaml", s) == was {
			t.Errorf("%s: the same digest", name)
		}
	}
	if of("/q/team.yaml", text) == was {
		t.Error("another directory for relative patterns, but the same digest")
	}
}

func TestRulesDoNotDependOnTheOrderOfKeys(t *testing.T) {
	lines := []string{"  s/t: {verdict: ask, sink: {to: [a]}}", "  \"s/*\": {max_calls: 3, sink: {to: [b]}}", "  \"*/t\": {max_calls: 4, risk: low}", "  \"s/t*\": {max_calls: 2, args: [{slot: path, allow: [/x]}]}", "  t: {verdict: deny, args: [{slot: path, allow: [/y]}]}"}
	r := rand.New(rand.NewPCG(1, 2))
	var was string
	for i := range 20 {
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		p := loadTexts(t, head("tools:", strings.Join(lines, "\n")))
		is := show(p.Rules("s", named("t"))) + fmt.Sprint(p.Budgets("s", named("t"))[0].Max)
		if i > 0 && is != was {
			t.Fatalf("%s\n%s", was, is)
		}
		was = is
	}
}
