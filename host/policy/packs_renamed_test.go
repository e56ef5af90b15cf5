package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// guarded is a pack with entries that guard destinations, an argument, a path and
// nothing.
const guarded = `
servers: {"*": {text: {"*": prose}, resources: {args: [{slot: path, deny: ["**/.netrc"]}]}}}
tools:
  send:
    verdict: allow
    sink: {to: [rcpt, copy], content: [msg], trusted: [a@b], override: once}
  act: {verdict: allow, args: [{arg: method, in: [get]}]}
  save: {verdict: allow, slots: {file: path, target: path}, args: [{slot: path}]}
  look: {verdict: allow}
  "s*": {sink: {to: [proxy]}}
sources:
  send: {fields: {"/id": trusted}}
  look: {fields: {"/id": trusted}}`

// TestAPackBoundByHandDoesNotGrantAnotherTool: the name is the same, and what the
// entry guards is called otherwise.
func TestAPackBoundByHandDoesNotGrantAnotherTool(t *testing.T) {
	p := planted(t, guarded, "servers: {byhand: {}}")
	n := 0
	for _, c := range []struct {
		name string
		tool abi.Value
		want bool // granted
	}{
		{"as it is", defined("send", "rcpt", "copy", "msg"), true},
		{"without a destination that may be left out", defined("send", "rcpt", "msg"), true},
		{"with an argument more", defined("send", "rcpt", "msg", "note"), true},
		{"with destinations of other names", defined("send", "addressee", "msg"), false},
		{"without destinations", defined("send", "msg"), true},
		{"no schema", named("send"), true},
		{"a rule's argument", defined("act", "method", "x"), true},
		{"a rule's argument by another name", defined("act", "verb"), false},
		{"a path", defined("save", "file", "text"), true},
		{"a path by another name", defined("save", "where", "text"), false},
		{"nothing that it guards", defined("look", "anything"), true},
	} {
		n++
		r := p.Rules("byhand", c.tool)
		if r.Grant.Set != c.want {
			t.Errorf("%s: granted %v, want %v", c.name, r.Grant.Set, c.want)
		}
		if c.tool.Get("name").Str() == "send" && (len(r.Sink.Trusted) > 0 || r.Sink.Once) != c.want {
			t.Errorf("%s: trusts %v, once %v", c.name, r.Sink.Trusted, r.Sink.Once)
		}
		if s := p.SourceOf("byhand", c.tool); c.tool.Get("name").Str() != "act" && c.tool.Get("name").Str() != "save" && (len(s.Fields) > 0) != c.want {
			t.Errorf("%s: vouches for %v", c.name, s.Fields)
		}
		if s := p.SourceOf("byhand", c.tool); s.Text != "prose" {
			t.Errorf("%s: text is read as %q", c.name, s.Text)
		}
		for _, e := range p.Bindings("byhand", []abi.Value{c.tool})[0].Entries {
			if e.Tool == c.tool.Get("name").Str() && e.Renamed == c.want {
				t.Errorf("%s: renamed %v", c.name, e.Renamed)
			}
		}
	}
	if n == 0 {
		t.Fatal("no cases")
	}
	if r := p.Rules("byhand", defined("send", "addressee", "msg")); r.Sink == nil || !slices.Contains(r.Sink.To, "rcpt") {
		t.Errorf("what is left of the entry: %+v", r.Sink)
	}
}

// TestResourcesAreGuardedAsFilesAre: the rules about every tool, and of packs.
func TestResourcesAreGuardedAsFilesAre(t *testing.T) {
	denies := func(r contract.Rules, pattern string) bool {
		return slices.ContainsFunc(r.Args, func(a contract.Arg) bool { return slices.Contains(a.Deny, pattern) })
	}
	const key = "**/{id_rsa,id_dsa,id_ecdsa,id_ed25519,id_ecdsa_sk,id_ed25519_sk,id_xmss,identity.pem}"
	n := 0
	for _, c := range []struct {
		name, policy, pattern string
		want                  bool
	}{
		{"the starter", "include: [starter]", key, true},
		{"the pack", "packs: [sensitive-files]", key, true},
		{"neither", "packs: auto", key, false},
		{"a rule for every tool", `tools: {"*": {args: [{slot: path, deny: ["**/x"]}]}}`, "**/x", true},
		{"a rule for every tool of the server", `tools: {"s/*": {args: [{slot: path, deny: ["**/x"]}]}}`, "**/x", true},
		{"a rule for every tool of another one", `tools: {"t/*": {args: [{slot: path, deny: ["**/x"]}]}}`, "**/x", false},
		{"a rule for some tools", `tools: {"read_*": {args: [{slot: path, deny: ["**/x"]}]}}`, "**/x", false},
		{"a rule that the server takes out", "include: [starter]\nservers: {s: {resources: {replace: true, verdict: ask}}}", key, false},
	} {
		n++
		p := mustLoad(t, head(c.policy))
		if got := denies(p.RulesFor("s", abi.KindResource, "resources/read"), c.pattern); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if denies(p.RulesFor("s", abi.KindPrompt, "prompts/get"), c.pattern) {
			t.Errorf("%s: prompts, too", c.name)
		}
	}
	if n == 0 {
		t.Fatal("no cases")
	}
	p := mustLoad(t, head(`tools: {"*": {args: [{slot: path, allow: ["/srv/**"]}]}}`))
	if r := p.RulesFor("s", abi.KindResource, "resources/read"); len(r.Args) > 0 {
		t.Errorf("what is allowed of tools: %+v", r.Args)
	}
	p = planted(t, guarded, "servers: {byhand: {}, byfit: {}}")
	hand, fit := p.RulesFor("byhand", abi.KindResource, "resources/read"), p.RulesFor("byfit", abi.KindResource, "resources/read")
	if !denies(hand, "**/.netrc") || denies(fit, "**/.netrc") {
		t.Errorf("a pack: by hand %+v, by fit %+v", hand.Args, fit.Args)
	}
	for _, a := range hand.Args {
		if !strings.HasPrefix(a.Rule, "packs/planted.yaml:") {
			t.Errorf("rule %q", a.Rule)
		}
	}
}
