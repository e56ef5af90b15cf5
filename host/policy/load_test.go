package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

func TestStarterIsInForceWithoutFiles(t *testing.T) {
	p, err := Load(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Settings(); s.Default != abi.Allow || s.DefaultAt != "builtin/starter.yaml:7: settings.default" || s.Mode != ModeEnforce {
		t.Errorf("settings %+v", s)
	}
	if f := p.Files(); len(f) != 1 || f[0].Path != Starter || !strings.HasPrefix(f[0].Digest, "sha256:") {
		t.Errorf("files %v", f)
	}
	if p.Name() != "starter" {
		t.Errorf("name %q", p.Name())
	}
	if r := p.Rules("x", defined("send_email", "to", "body")); r.Sink == nil || !slices.Equal(r.Sink.To, []string{"to"}) {
		t.Errorf("no heuristic sink: %s", show(r))
	}
	var zero Policy
	if r := zero.Rules("x", named("y")); r.Grant.Set || r.Default != abi.Deny {
		t.Errorf("the zero policy grants: %+v", r)
	}
}

// files that a load reads, and what comes of it.
var fileCases = []struct {
	name  string
	files memory
	load  []string
	floor string
	run   bool
	group bool
	want  string // in the error, "" loads
	order string // paths of the layers
}{
	{name: "last file is highest", files: memory{"/p/a.yaml": head(), "/p/b.yaml": head()}, load: []string{"/p/a.yaml", "/p/b.yaml"}, order: "/p/b.yaml /p/a.yaml"},
	{name: "a file stands above its includes, in their order", files: memory{"/p/a.yaml": head("include: [./sub/b.yaml, c.yaml]"), "/p/sub/b.yaml": head("include: [../d.yaml]"), "/p/c.yaml": head(), "/p/d.yaml": head()}, load: []string{"/p/a.yaml"}, order: "/p/a.yaml /p/sub/b.yaml /p/d.yaml /p/c.yaml"},
	{name: "the starter is included by name", files: memory{"/p/a.yaml": head("include: [starter]")}, load: []string{"/p/a.yaml"}, order: "/p/a.yaml starter"},
	{name: "a common base is one layer, the lowest", files: memory{"/p/a.yaml": head("include: [c.yaml, b.yaml]"), "/p/b.yaml": head("include: [c.yaml]"), "/p/c.yaml": head()}, load: []string{"/p/a.yaml"}, order: "/p/a.yaml /p/b.yaml /p/c.yaml"},
	{name: "include cycle", files: memory{"/p/a.yaml": head("include: [b.yaml]"), "/p/b.yaml": head("include: [./a.yaml]")}, load: []string{"/p/a.yaml"}, want: "include cycle: /p/a.yaml → /p/b.yaml → /p/a.yaml"},
	{name: "include of itself", files: memory{"/p/a.yaml": head("include: [a.yaml]")}, load: []string{"/p/a.yaml"}, want: "/p/a.yaml:2:11: include[0]: include cycle"},
	{name: "missing file", load: []string{"/p/a.yaml"}, want: "/p/a.yaml: file does not exist; name a readable policy file"},
	{name: "missing include", files: memory{"/p/a.yaml": head("include: [b.yaml]")}, load: []string{"/p/a.yaml"}, want: "/p/a.yaml:2:11: include[0]: /p/b.yaml: file does not exist; name a readable policy file"},
	{name: "mistakes of all files", files: memory{"/p/a.yaml": head("x: 1"), "/p/b.yaml": head("y: 1")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, want: "/p/b.yaml:2:1: y: unknown key \"y\"; accepted: callgate, name, include, packs, settings, servers, tools, budgets, labels, flows, chains, redact, schedules, capability, identities, plugins, sources\n/p/a.yaml:2:1: x:"},
	{name: "one name for two budgets in two files", files: memory{"/p/a.yaml": head("budgets: [{name: x, tools: [a/b], max: 1}]"), "/p/b.yaml": head("budgets: [{name: x, tools: [a/c], max: 1}]")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, want: `/p/a.yaml:2:18: budgets[0].name: budget "x" is already in b.yaml:2: budgets[0]; give each its own name`},
	{name: "two names for two budgets in two files", files: memory{"/p/a.yaml": head("budgets: [{name: x, tools: [a/b], max: 1}]"), "/p/b.yaml": head("budgets: [{name: y, tools: [a/c], max: 1}]")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, order: "/p/b.yaml /p/a.yaml"},
	{name: "two working directories", files: memory{"/p/a.yaml": head("servers: {s: {cwd: /x}}"), "/p/b.yaml": head("servers: {s: {cwd: /y}}")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, want: `/p/a.yaml:2:20: servers.s.cwd: "/x", but b.yaml:2: servers.s.cwd says "/y"; keep one of them`},
	{name: "one working directory, said twice", files: memory{"/p/a.yaml": head("servers: {s: {cwd: /x}}"), "/p/b.yaml": head("servers: {s: {cwd: ../x}}")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, order: "/p/b.yaml /p/a.yaml"},
	{name: "two packs by hand", files: memory{"/p/a.yaml": head("servers: {s: {pack: gmail}}"), "/p/b.yaml": head("servers: {s: {pack: filesystem}}")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, want: `servers.s.pack: "gmail", but b.yaml:2: servers.s.pack says "filesystem"`},
	{name: "two webhooks", files: memory{"/p/a.yaml": head("settings: {approval: {" + hook + "}}"), "/p/b.yaml": head("settings: {approval: {webhook: \"https://b.example/x\", webhook_key: key}}")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, want: `/p/a.yaml:2:32: settings.approval.webhook: "https://a.example/x", but b.yaml:2: settings.approval.webhook says "https://b.example/x"; keep one of them`},
	{name: "two keys of one webhook", files: memory{"/p/a.yaml": head("settings: {approval: {" + hook + "}}"), "/q/b.yaml": head("settings: {approval: {" + hook + "}}")}, load: []string{"/p/a.yaml", "/q/b.yaml"}, want: `settings.approval.webhook_key: "/p/key", but b.yaml:2: settings.approval.webhook_key says "/q/key"; keep one of them`},
	{name: "one webhook, said twice", files: memory{"/p/a.yaml": head("settings: {approval: {" + hook + "}}"), "/p/b.yaml": head("settings: {approval: {" + hook + "}}")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, order: "/p/b.yaml /p/a.yaml"},
	{name: "another webhook that replaces", files: memory{"/p/a.yaml": head("settings: {approval: {" + hook + "}}"), "/p/b.yaml": head("settings: {approval: {webhook: \"https://b.example/x\", webhook_key: key}, replace: [approval]}")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, order: "/p/b.yaml /p/a.yaml"},
	{name: "a webhook that may answer, and that was replaced", files: memory{"/p/a.yaml": head("settings: {approval: {" + hook + "}}"), "/p/b.yaml": head("settings: {approval: {channels: [webhook]}, replace: [approval]}")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, want: "/p/b.yaml:2:34: settings.approval.channels[0]: a webhook may answer, and no file has one"},
	{name: "a webhook of a lower file that may answer", files: memory{"/p/a.yaml": head("settings: {approval: {" + hook + "}}"), "/p/b.yaml": head("settings: {approval: {channels: [webhook]}}")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, order: "/p/b.yaml /p/a.yaml"},
	{name: "channels that leave nobody", files: memory{"/p/a.yaml": head("settings: {approval: {channels: [terminal]}}"), "/p/b.yaml": head("settings: {approval: {channels: [elicitation]}}")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, want: "/p/b.yaml:2:23: settings.approval.channels: no channel is in this list and in those of the other files, so that nobody may answer"},
	{name: "channels that leave one", files: memory{"/p/a.yaml": head("settings: {approval: {channels: [terminal]}}"), "/p/b.yaml": head("settings: {approval: {channels: [elicitation, terminal]}}")}, load: []string{"/p/a.yaml", "/p/b.yaml"}, order: "/p/b.yaml /p/a.yaml"},
	{name: "channels of a floor that leave nobody", files: memory{"/p/a.yaml": head(), "/p/f.yaml": head("settings: {approval: {channels: [elicitation]}}")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", want: "/p/f.yaml:2:23: settings.approval.channels: the floor lets elicitation answer, and the policy terminal, so that nobody may"},
	{name: "channels of a floor", files: memory{"/p/a.yaml": head("settings: {approval: {channels: [terminal, elicitation]}}"), "/p/f.yaml": head("settings: {approval: {channels: [elicitation, webhook]}}")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", order: "/p/a.yaml"},
	{name: "webhook in a floor", files: memory{"/p/a.yaml": head(), "/p/f.yaml": head("settings: {approval: {" + hook + "}}")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", want: "/p/f.yaml:2:12: settings.approval: has no effect in a floor; state the webhook in the policy"},
	{name: "wait in a floor", files: memory{"/p/a.yaml": head(), "/p/f.yaml": head("settings: {approval_timeout: 1s}")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", want: "/p/f.yaml:2:30: settings.approval_timeout: has no effect in a floor; state it in the policy"},
	{name: "number of asks in a floor", files: memory{"/p/a.yaml": head(), "/p/f.yaml": head("settings: {max_asks: 1}")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", order: "/p/a.yaml"},
	{name: "observe over a floor", files: memory{"/p/a.yaml": head("settings: {mode: observe}"), "/p/f.yaml": head()}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", want: "/p/a.yaml:2:18: settings.mode: observe beside a floor"},
	{name: "observe in a floor", files: memory{"/p/a.yaml": head(), "/p/f.yaml": head("settings: {mode: observe}")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", want: "/p/f.yaml:2:18: settings.mode: observe beside a floor"},
	{name: "enforce over a floor", files: memory{"/p/a.yaml": head("settings: {mode: enforce}"), "/p/f.yaml": head()}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", order: "/p/a.yaml"},
	{name: "pack in a floor", files: memory{"/p/a.yaml": head(), "/p/f.yaml": head("servers: {s: {pack: gmail}}")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", want: "/p/f.yaml:2:21: servers.s.pack: has no effect in a floor; bind the pack in the policy"},
	{name: "trust in a floor", files: memory{"/p/a.yaml": head(), "/p/f.yaml": head("servers: {s: {outputs: trusted}}", "sources: {a/b: {whole_field: true}}", "settings: {ledger: digests}")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", want: "/p/f.yaml:2:24: servers.s.outputs: has no effect in a floor"},
	{name: "distrust in a floor", files: memory{"/p/a.yaml": head(), "/p/f.yaml": head("servers: {s: {outputs: untrusted}}")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", order: "/p/a.yaml"},
	{name: "budget over every server, in one process", run: true, files: memory{"/p/a.yaml": head("budgets: [{name: x, tools: [send], max: 1}]")}, load: []string{"/p/a.yaml"}, want: `budgets[0].tools: the budget is shared by every server that matches "*", and a run without --group sees one server; give every run of the client the same --group, as callgate wrap does, or give each server its own budget`},
	{name: "budget of two servers, in one process", run: true, files: memory{"/p/a.yaml": head("budgets: [{name: x, tools: [a/*, b/*], max: 1}]")}, load: []string{"/p/a.yaml"}, want: "the budget is shared by the servers a and b"},
	{name: "budget over every server, in a group", run: true, group: true, files: memory{"/p/a.yaml": head("budgets: [{name: x, tools: [send], max: 1}]")}, load: []string{"/p/a.yaml"}, order: "/p/a.yaml"},
	{name: "budget of two servers, in a group", run: true, group: true, files: memory{"/p/a.yaml": head("budgets: [{name: x, tools: [a/*, b/*], max: 1}]")}, load: []string{"/p/a.yaml"}, order: "/p/a.yaml"},
	{name: "budget of one server, in one process", run: true, files: memory{"/p/a.yaml": head("budgets: [{name: x, tools: [a/x, a/y*], max: 1}]")}, load: []string{"/p/a.yaml"}, order: "/p/a.yaml"},
	{name: "budget over every server, in a test", files: memory{"/p/a.yaml": head("budgets: [{name: x, tools: [send], max: 1}]")}, load: []string{"/p/a.yaml"}, order: "/p/a.yaml"},
	{name: "budget of a floor over every server, in one process", run: true, files: memory{"/p/a.yaml": head(), "/p/f.yaml": head("budgets: [{name: x, tools: [send], max: 1}]")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", want: "/p/f.yaml:2:21: budgets[0].tools: the budget is shared"},
	{name: "budget of a floor over every server, in a group", run: true, group: true, files: memory{"/p/a.yaml": head(), "/p/f.yaml": head("budgets: [{name: x, tools: [send], max: 1}]")}, load: []string{"/p/a.yaml"}, floor: "/p/f.yaml", order: "/p/a.yaml"},
}

func TestFilesAndIncludes(t *testing.T) {
	for _, c := range fileCases {
		t.Run(c.name, func(t *testing.T) {
			p, err := Load(Options{Files: c.load, Floor: c.floor, Read: c.files.read, Run: c.run, Group: c.group})
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && err == nil:
				t.Fatal("loads")
			case c.want != "" && !strings.Contains(err.Error(), c.want):
				t.Fatalf("error %q\nlacks %q", err, c.want)
			case c.want != "":
				return
			}
			var order []string
			for _, y := range p.layers {
				order = append(order, y.path)
			}
			if got := strings.Join(order, " "); got != c.order {
				t.Errorf("layers %q, want %q", got, c.order)
			}
		})
	}
	if len(fileCases) == 0 {
		t.Fatal("no cases")
	}
}

func TestFilesOfOneNameAreToldApart(t *testing.T) {
	m := memory{"/p/a/team.yaml": head("settings: {default: ask}"), "/p/b/team.yaml": head("settings: {unlisted: deny}")}
	p, err := Load(Options{Files: []string{"/p/a/team.yaml", "/p/b/team.yaml"}, Read: m.read})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Settings(); s.DefaultAt != "a/team.yaml:2: settings.default" || s.UnlistedAt != "b/team.yaml:2: settings.unlisted" {
		t.Errorf("rules %q and %q", s.DefaultAt, s.UnlistedAt)
	}
}

// picky is a contract that refuses some rules.
func picky(refuse func(*contract.Rules) error) []contract.Spec {
	return []contract.Spec{{Name: "picky", New: func(r *contract.Rules) (contract.Contract, error) { return nil, refuse(r) }}}
}

func TestWhatAContractRefusesIsAMistakeWithAPlace(t *testing.T) {
	specs := picky(func(r *contract.Rules) error {
		for _, a := range r.Args {
			if a.Match == "bad" {
				return errors.New("match bad is bad; write good")
			}
		}
		if r.Sink != nil && slices.Contains(r.Sink.Trusted, "bad") {
			return errors.New("trusted bad is bad")
		}
		return nil
	})
	text := head("tools:", "  a/b:", "    args: [{arg: x, match: good}]", "    sink: {to: [x], trusted: [good]}")
	m := memory{"/p/team.yaml": text}
	if _, err := Load(Options{Files: []string{"/p/team.yaml"}, Read: m.read, Specs: specs}); err != nil {
		t.Error(err)
	}
	m["/p/team.yaml"] = strings.ReplaceAll(text, "good", "bad")
	_, err := Load(Options{Files: []string{"/p/team.yaml"}, Read: m.read, Specs: specs})
	if err == nil {
		t.Fatal("loads")
	}
	for _, want := range []string{"/p/team.yaml:4:12: tools.a/b.args[0]: match bad is bad; write good", "/p/team.yaml:5:5: tools.a/b.sink: trusted bad is bad"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

func TestPlainWordsInListsStayText(t *testing.T) {
	p := mustLoad(t, head("tools: {a/b: {args: [{arg: x, in: [no, de, on, 007, 1e2, 1.0, true, \"true\", Yes, 0x10]}]}}"))
	in := p.Rules("a", named("b")).Args[0].In
	want := `["no","de","on","007",1e2,1.0,true,"true","Yes","0x10"]`
	if got := abi.ArrayValue(in...).String(); got != want {
		t.Errorf("in %s, want %s", got, want)
	}
	p = mustLoad(t, head("tools: {a/b: {sink: {to: [no, 7, true]}}}"))
	if to := p.Rules("a", named("b")).Sink.To; !slices.Equal(to, []string{"7", "no", "true"}) {
		t.Errorf("to %q", to)
	}
}

func TestPatternsAreJoinedToTheirFile(t *testing.T) {
	cases := []struct{ file, pattern, want string }{
		{"/p/team.yaml", "./out/**", "/p/out/**"},
		{"/p/team.yaml", "out/*.txt", "/p/out/*.txt"},
		{"/p/sub/team.yaml", "../out/**", "/p/out/**"},
		{"/p/team.yaml", "../../../etc", "/etc"},
		{"/p/team.yaml", "/srv//x/./**", "/srv/x/**"},
		{"/p/team.yaml", "**/.git/**", "**/.git/**"},
		{"/p/team.yaml", "~/notes/**", "~/notes/**"},
		{"/p/team.yaml", "C:/data/**", "C:/data/**"},
		{"/p/team.yaml", ".", "/p"},
		{"/p[1]*/team.yaml", "x/*", `/p\[1\]\*/x/*`},
		{"/team.yaml", "x", "/x"},
	}
	for _, c := range cases {
		m := memory{c.file: head("tools: {a/b: {args: [{slot: path, allow: [\"" + c.pattern + "\"]}]}}")}
		p, err := Load(Options{Files: []string{c.file}, Read: m.read})
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got := p.Rules("a", named("b")).Args[0].Allow; !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s in %s: %q, want %q", c.pattern, c.file, got, c.want)
		}
		if q, err := Decode(p.Value()); err != nil || !q.Value().Equal(p.Value()) {
			t.Errorf("%s: the value does not decode: %v", c.pattern, err)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
