package policy

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// granted is what a policy says of a kind of call of server s as a whole.
func granted(kind abi.CallKind, method string) func(*Policy) string {
	return func(p *Policy) string {
		r := p.RulesFor("s", kind, method)
		if !r.Grant.Set {
			return r.Default.String() + " " + r.DefaultAt
		}
		return r.Grant.Outcome.String() + " " + r.Grant.Rule
	}
}

// argsOf lists the rules about what a kind of call holds.
func argsOf(kind abi.CallKind) func(*Policy) string {
	return func(p *Policy) string {
		var list []string
		for _, a := range p.RulesFor("s", kind, methodOf(kind)).Args {
			list = append(list, a.Rule)
		}
		return strings.Join(list, ", ")
	}
}

func hides(p *Policy) string { return p.Rules("s", named("t")).Hide }

// kindMerges are layers, lowest first, and what they come to. Each row with a
// stricter result stands beside its looser twin.
var kindMerges = []struct {
	name   string
	layers []string
	get    func(*Policy) string
	want   string
}{
	{"resources: the default", []string{"settings: {default: ask}"}, granted(abi.KindResource, "resources/read"), "ask l0.yaml:2: settings.default"},
	{"resources: no default", []string{"name: a"}, granted(abi.KindResource, "resources/read"), "deny default: settings.default"},
	{"resources: the server's verdict", []string{"servers: {s: {verdict: allow}}"}, granted(abi.KindResource, "resources/read"), "allow l0.yaml:2: servers.s.verdict"},
	{"resources: nearer than the server's verdict", []string{"servers: {s: {verdict: deny, resources: {verdict: allow}}}"}, granted(abi.KindResource, "resources/read"), "allow l0.yaml:2: servers.s.resources.verdict"},
	{"resources: another server's", []string{"settings: {default: ask}\nservers: {u: {resources: {verdict: allow}}}"}, granted(abi.KindResource, "resources/read"), "ask l0.yaml:2: settings.default"},
	{"resources: a looser one is ignored", []string{"servers: {s: {resources: {verdict: deny}}}", "servers: {s: {resources: {verdict: allow}}}"}, granted(abi.KindResource, "resources/read"), "deny l0.yaml:2: servers.s.resources.verdict"},
	{"resources: stricter", []string{"servers: {s: {resources: {verdict: allow}}}", "servers: {s: {resources: {verdict: deny}}}"}, granted(abi.KindResource, "resources/read"), "deny l1.yaml:2: servers.s.resources.verdict"},
	{"resources: replaced", []string{"servers: {s: {resources: {verdict: deny}}}", "servers: {s: {resources: {verdict: allow, replace: true}}}"}, granted(abi.KindResource, "resources/read"), "allow l1.yaml:2: servers.s.resources.verdict"},
	{"resources: a lower server's verdict is no less strict", []string{"servers: {s: {verdict: deny}}", "servers: {s: {resources: {verdict: allow}}}"}, granted(abi.KindResource, "resources/read"), "deny l0.yaml:2: servers.s.verdict"},
	{"resources: the server is replaced", []string{"servers: {s: {verdict: deny}}", "servers: {s: {replace: true, resources: {verdict: allow}}}"}, granted(abi.KindResource, "resources/read"), "allow l1.yaml:2: servers.s.resources.verdict"},
	{"resources: replace is for its kind", []string{"servers: {s: {prompts: {verdict: deny}}}", "servers: {s: {resources: {verdict: allow, replace: true}, prompts: {verdict: allow}}}"}, granted(abi.KindPrompt, "prompts/get"), "deny l0.yaml:2: servers.s.prompts.verdict"},
	{"completions: a default that asks", []string{"settings: {default: ask}"}, granted(abi.KindCompletion, "completion/complete"), "allow l0.yaml:2: settings.default"},
	{"completions: a default that denies", []string{"settings: {default: deny}"}, granted(abi.KindCompletion, "completion/complete"), "deny l0.yaml:2: settings.default"},
	{"completions: a server that asks", []string{"servers: {s: {verdict: ask}}"}, granted(abi.KindCompletion, "completion/complete"), "allow l0.yaml:2: servers.s.verdict"},
	{"completions: a server that is denied", []string{"servers: {s: {verdict: deny}}"}, granted(abi.KindCompletion, "completion/complete"), "deny l0.yaml:2: servers.s.verdict"},
	{"completions: asked for", []string{"servers: {s: {completions: {verdict: ask}}}"}, granted(abi.KindCompletion, "completion/complete"), "ask l0.yaml:2: servers.s.completions.verdict"},
	{"requests: in short", []string{"servers: {s: {requests: {sampling: deny}}}"}, granted(abi.KindSampling, "sampling/createMessage"), "deny l0.yaml:2: servers.s.requests.sampling"},
	{"requests: in long", []string{"servers: {s: {requests: {sampling: {verdict: allow}}}}"}, granted(abi.KindSampling, "sampling/createMessage"), "allow l0.yaml:2: servers.s.requests.sampling.verdict"},
	{"requests: one says nothing of the other", []string{"settings: {default: allow}\nservers: {s: {requests: {sampling: deny}}}"}, granted(abi.KindElicitation, "elicitation/create"), "allow l0.yaml:2: settings.default"},
	{"requests: a looser one is ignored", []string{"servers: {s: {requests: {roots: deny}}}", "servers: {s: {requests: {roots: allow}}}"}, granted(abi.KindRoots, "roots/list"), "deny l0.yaml:2: servers.s.requests.roots"},
	{"methods: a glob", []string{"servers: {s: {methods: {\"vendor/*\": deny}}}"}, granted(abi.KindMethod, "vendor/a/b"), "deny l0.yaml:2: servers.s.methods.vendor/*"},
	{"methods: another", []string{"settings: {default: ask}\nservers: {s: {methods: {\"vendor/*\": deny}}}"}, granted(abi.KindMethod, "other"), "allow l0.yaml:2: settings.default"},
	{"methods: exactly one", []string{"servers: {s: {methods: {\"vendor/*\": deny, vendor/x: allow}}}"}, granted(abi.KindMethod, "vendor/x"), "allow l0.yaml:2: servers.s.methods.vendor/x"},
	{"methods: of two globs the stricter", []string{"servers: {s: {methods: {\"*\": allow, \"vendor/*\": ask}}}"}, granted(abi.KindMethod, "vendor/x"), "ask l0.yaml:2: servers.s.methods.vendor/*"},
	{"methods: nearer than the server's verdict", []string{"servers: {s: {verdict: deny, methods: {\"*\": allow}}}"}, granted(abi.KindMethod, "x"), "allow l0.yaml:2: servers.s.methods.*"},
	{"methods: a looser one is ignored", []string{"servers: {s: {methods: {\"*\": deny}}}", "servers: {s: {methods: {x: allow}}}"}, granted(abi.KindMethod, "x"), "deny l0.yaml:2: servers.s.methods.*"},
	{"an unknown kind", []string{"settings: {default: allow}\nservers: {s: {verdict: allow}}"}, granted("tools", "x"), "deny default: no policy knows this kind of call"},

	{"args: appended", []string{"servers: {s: {prompts: {args: [{arg: name, in: [a]}]}}}", "servers: {s: {prompts: {args: [{arg: /arguments/x, forbid: true}]}}}"}, argsOf(abi.KindPrompt), "l1.yaml:2: servers.s.prompts.args[0], l0.yaml:2: servers.s.prompts.args[0]"},
	{"args: the higher list", []string{"servers: {s: {prompts: {args: [{arg: name, in: [a]}]}}}", "servers: {s: {prompts: {args: [{arg: name, in: [b]}]}}}"}, argsOf(abi.KindPrompt), "l1.yaml:2: servers.s.prompts.args[0]"},
	{"args: of sampling, guessed", []string{"name: a"}, argsOf(abi.KindSampling), "heuristics: the context of other servers goes to this one, heuristics: the server runs the tools that it brings along"},
	{"args: of sampling, replaced", []string{"servers: {s: {requests: {sampling: {replace: true, verdict: ask}}}}"}, argsOf(abi.KindSampling), ""},
	{"args: of sampling, the server is replaced", []string{"servers: {s: {replace: true}}"}, argsOf(abi.KindSampling), ""},
	{"args: of elicitation", []string{"name: a"}, argsOf(abi.KindElicitation), ""},

	{"hide: nothing said", []string{"tools: {s/t: {verdict: allow}}"}, hides, ""},
	{"hide: said", []string{"tools: {\"*\": {hide: true}}"}, hides, "l0.yaml:2: tools.*.hide"},
	{"hide: nothing shows it", []string{"tools: {s/*: {hide: true}}", "tools: {s/t: {verdict: allow}}"}, hides, "l0.yaml:2: tools.s/*.hide"},
	{"hide: replaced", []string{"tools: {s/*: {hide: true}}", "tools: {s/t: {verdict: allow, replace: true}}"}, hides, ""},
}

func TestLayersJoinWhatTheySayOfOtherKinds(t *testing.T) {
	for _, c := range kindMerges {
		var texts []string
		for _, l := range c.layers {
			texts = append(texts, head("packs: none", l))
		}
		p := layered(t, texts...)
		want := strings.NewReplacer(":2: ", ":3: ").Replace(c.want)
		got := c.get(p)
		if strings.ReplaceAll(got, ":4: ", ":3: ") != want {
			t.Errorf("%s: %s; want %s", c.name, got, want)
		}
		q, err := Decode(p.Value())
		if err != nil {
			t.Fatal(err)
		}
		if again := c.get(q); again != got {
			t.Errorf("%s: decoded: %s; want %s", c.name, again, got)
		}
	}
	if len(kindMerges) == 0 {
		t.Fatal("no cases")
	}
}

func TestMistakesAboutOtherKinds(t *testing.T) {
	cases := []mistake{
		{"unknown request", head("servers: {s: {requests: {samplng: deny}}}"), []string{`servers.s.requests.samplng: unknown key "samplng"; did you mean "sampling"?`}, head("servers: {s: {requests: {sampling: deny}}}")},
		{"unknown word", head("servers: {s: {requests: {sampling: no}}}"), []string{`servers.s.requests.sampling: unknown word "no"`}, head("servers: {s: {requests: {sampling: ask}}}")},
		{"a list for a request", head("servers: {s: {requests: {sampling: [deny]}}}"), []string{"want allow, ask, deny or a map of verdict, args"}, head("servers: {s: {requests: {sampling: {verdict: deny}}}}")},
		{"a verdict in short", head("servers: {s: {resources: deny}}"), []string{"servers.s.resources", "want {verdict: deny}, or a map of verdict, args"}, head("servers: {s: {resources: {verdict: deny}}}")},
		{"says nothing", head("servers: {s: {prompts: {}}}"), []string{"servers.s.prompts: says nothing; want verdict:"}, head("servers: {s: {prompts: {args: []}}}")},
		{"requests that say nothing", head("servers: {s: {requests: {}}}"), []string{"servers.s.requests: says nothing; want sampling"}, head("servers: {s: {requests: {roots: ask}}}")},
		{"an argument that constrains nothing", head("servers: {s: {resources: {args: [{arg: uri}]}}}"), []string{"servers.s.resources.args[0]: constrains nothing"}, head("servers: {s: {resources: {args: [{arg: uri, match: a}]}}}")},
		{"a slot with a matcher of arg", head("servers: {s: {requests: {sampling: {args: [{slot: path, max: 3}]}}}}"), []string{"servers.s.requests.sampling.args[0].max"}, head("servers: {s: {requests: {sampling: {args: [{arg: x, max: 3}]}}}}")},
		{"a glob that is none", head("servers: {s: {methods: {\"a[\": deny}}}"), []string{`servers.s.methods.a[: "a[" is not a glob`}, head("servers: {s: {methods: {\"a[b]\": deny}}}")},
		{"a method's unknown verdict", head("servers: {s: {methods: {a: never}}}"), []string{`unknown value "never"`}, head("servers: {s: {methods: {a: deny}}}")},
		{"a tool that is not hidden", head("tools: {s/t: {hide: false}}"), []string{"tools.s/t.hide: shows nothing that another entry hides"}, head("tools: {s/t: {hide: true}}")},
		{"in a glob over servers", head("servers: {\"*\": {resources: {verdict: deny}}}"), []string{"servers are named exactly"}, head("servers: {s: {resources: {verdict: deny}}}")},
	}
	for _, c := range cases {
		_, err := load(c.text)
		if err == nil {
			t.Errorf("%s: loads", c.name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q in it", c.name, err, want)
			}
		}
		if _, err := load(c.twin); err != nil {
			t.Errorf("%s: the twin: %v", c.name, err)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestNotesAboutOtherKinds(t *testing.T) {
	for _, c := range []struct {
		name   string
		layers []string
		want   string
	}{
		{"a looser request", []string{"servers: {s: {requests: {sampling: deny}}}", "servers: {s: {requests: {sampling: allow}}}"}, "LOOSER_IGNORED l1.yaml:2: servers.s.requests.sampling"},
		{"a stricter request", []string{"servers: {s: {requests: {sampling: allow}}}", "servers: {s: {requests: {sampling: deny}}}"}, ""},
		{"a looser method", []string{"servers: {s: {methods: {\"*\": deny}}}", "servers: {s: {methods: {x: allow}}}"}, "LOOSER_IGNORED l1.yaml:2: servers.s.methods.x"},
		{"replaced resources", []string{"servers: {s: {resources: {verdict: deny}}}", "servers: {s: {resources: {verdict: allow, replace: true}}}"}, "REPLACED l1.yaml:2: servers.s.resources.replace"},
		{"a list of a lower layer", []string{"servers: {s: {prompts: {args: [{arg: name, in: [a]}]}}}", "servers: {s: {prompts: {args: [{arg: name, in: [b]}]}}}"}, "LIST_REPLACED l0.yaml:2: servers.s.prompts.args[0]"},
	} {
		var texts, got []string
		for _, l := range append([]string{"settings: {default: deny}"}, c.layers...) {
			texts = append(texts, head(l))
		}
		for _, n := range layered(t, texts...).Notes() {
			got = append(got, n.Code+" "+strings.NewReplacer("l1.yaml", "l0.yaml", "l2.yaml", "l1.yaml").Replace(n.Rule))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
	}
}

// permitBodies are members of servers.s, one for each kind; those of the first
// list are outside abi.Loosening.
var (
	tighteningPermits = []string{
		"resources: {verdict: deny}", "resources: {args: [{slot: path, deny: [/x/**]}]}", "prompts: {args: [{arg: name, match: a}]}", "prompts: {verdict: deny}",
		"completions: {verdict: deny}", "requests: {sampling: deny}", "requests: {sampling: {args: [{arg: maxTokens, max: 3}]}}", "requests: {elicitation: deny, roots: deny}",
		"methods: {\"*\": deny}", "methods: {x: deny, \"vendor/*\": deny}", "verdict: deny",
	}
	anyPermits = append([]string{
		"resources: {verdict: allow}", "resources: {verdict: ask, replace: true}", "prompts: {args: [{arg: name, in: [a]}]}", "completions: {verdict: ask}",
		"requests: {sampling: allow}", "requests: {sampling: {args: [{arg: includeContext, in: [allServers]}], verdict: allow}}", "methods: {\"*\": allow, x: ask}", "verdict: allow", "verdict: ask",
	}, tighteningPermits...)
)

func TestAddingATighteningPermitNeverLoosens(t *testing.T) {
	tightened := 0
	rapid.Check(t, func(t *rapid.T) {
		layer := func(label string, from []string) string {
			return "callgate: 1\npacks: none\nservers: {s: {" + rapid.SampledFrom(from).Draw(t, label) + "}}\n"
		}
		base := []string{layer("low", anyPermits) + "settings: {default: " + rapid.SampledFrom([]string{"deny", "ask", "allow"}).Draw(t, "default") + "}\n", layer("high", anyPermits)}
		before, after := loadTexts(t, base...), loadTexts(t, append(base, layer("added", tighteningPermits))...)
		for _, kind := range abi.Kinds {
			for _, method := range []string{methodOf(kind), "x", "vendor/y"} {
				a, b := before.RulesFor("s", kind, method), after.RulesFor("s", kind, method)
				if why := looser(a, b); why != "" {
					t.Fatalf("%s of %s %s\nbefore %s\nafter  %s", why, kind, method, show(a), show(b))
				}
				if looser(b, a) != "" {
					tightened++
				}
			}
		}
	})
	if tightened == 0 {
		t.Error("nothing was tightened: the additions do nothing")
	}
}

// TestRulesOfOtherKindsAreTried: what a contract refuses is a mistake where it
// stands.
func TestRulesOfOtherKindsAreTried(t *testing.T) {
	picky := contract.Spec{Name: "picky", New: func(r *contract.Rules) (contract.Contract, error) {
		for _, a := range r.Args {
			if r.Kind != abi.KindTool && a.Arg == "x" {
				return nil, fmt.Errorf("x of a %s is refused", r.Kind)
			}
		}
		return nil, nil
	}}
	try := func(arg string) error {
		text := head("servers:", "  s:", "    requests: {sampling: {args: [{arg: "+arg+", max: 1}]}}")
		_, err := Load(Options{Files: []string{"/p/team.yaml"}, Read: memory{"/p/team.yaml": text}.read, Specs: []contract.Spec{picky}})
		return err
	}
	if err := try("x"); err == nil || !strings.Contains(err.Error(), "/p/team.yaml:4:") || !strings.Contains(err.Error(), "servers.s.requests.sampling.args[0]: x of a sampling is refused") {
		t.Errorf("got %v", err)
	}
	if err := try("y"); err != nil {
		t.Error(err)
	}
}
