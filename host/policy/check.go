package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// role is what a file is read as; it decides which members mean anything.
type role int

const (
	userRole role = iota
	floorRole
	packRole
)

// check finds the mistakes of a file that no single leaf shows.
func (c *issues) check(f *file, role role) {
	if f.Callgate == 0 && !c.spoiled("/callgate") {
		c.add("", "no format version; start the file with %s", c.head())
	}
	for _, name := range sortedKeys(f.Tools) {
		t := f.Tools[name]
		c.checkTool(&t, abi.Join("/tools", name), role, name)
	}
	for _, name := range sortedKeys(f.Servers) {
		s := f.Servers[name]
		c.checkPermits(&s, abi.Join("/servers", name))
		c.checkAttest(s.Attest, abi.Join("/servers", name)+"/attest")
	}
	for i := range f.Budgets {
		c.checkBudget(&f.Budgets[i], abi.JoinIndex("/budgets", i))
	}
	for i := range f.Schedules {
		c.checkSchedule(&f.Schedules[i], abi.JoinIndex("/schedules", i))
	}
	c.checkCapabilities(f.Capability, "/capability")
	if f.Identities != nil && len(f.Identities) == 0 {
		c.add("/identities", "an empty list knows nobody; name who may call, or remove it")
	}
	for i := range f.Identities {
		c.checkIdentity(&f.Identities[i], abi.JoinIndex("/identities", i))
	}
	c.checkApproval(f.Settings)
	c.checkFlows(f, role)
	c.checkRedact(f)
	c.checkPlugins(f)
	names := map[string]int{}
	for i, b := range f.Budgets {
		if first, ok := names[b.Name]; ok && b.Name != "" {
			c.add(abi.JoinIndex("/budgets", i)+"/name", "budget %q is also budgets[%d]; give each its own name", b.Name, first)
			continue
		}
		names[b.Name] = i
	}
	for _, name := range sortedKeys(f.Sources) {
		if s := f.Sources[name]; s.Outputs == nil && s.WholeField == nil && s.Fields == nil {
			c.entry(abi.Join("/sources", name), "says nothing; want outputs, whole_field or fields")
		} else if at := abi.Join("/sources", name); s.WholeField != nil && !*s.WholeField {
			c.add(at+"/whole_field", "false says nothing, since whole fields vouch only where a source says so; remove it, or write true")
		} else if s.Fields != nil && len(s.Fields) == 0 {
			c.add(at+"/fields", "says nothing; name a field, such as {\"/*/sender\": addressing}, or remove it")
		}
	}
	if _, ok := f.Servers["*"]; ok && role != packRole {
		c.add("/servers/*", "servers are named exactly; for every server write tools: {\"*/*\": …}")
	}
	switch role {
	case floorRole:
		c.checkFloor(f)
	case packRole:
		c.checkPack(f)
	}
}

// entry reports a mistake of an entry as a whole, unless a part of it was
// already found wrong.
func (c *issues) entry(at, format string, args ...any) {
	if !c.spoiled(at) {
		c.add(at, format, args...)
	}
}

func (c *issues) checkTool(t *tool, at string, role role, name string) {
	if role == packRole && strings.Contains(name, "/") {
		c.add(at, "a pack's tools have no server half; write %q", parseKey(name).tool)
	}
	if t.Sink != nil && t.Sink.Of != nil {
		s := t.Sink.Of
		if s.To == nil && s.Content == nil && s.Trusted == nil && s.On == nil && s.Payload == nil && s.Override == nil {
			c.entry(at+"/sink", "says nothing; want to: with the destinations (an empty list is every argument), or none")
		}
		for i, to := range s.To {
			if slices.Contains(s.Content, to) {
				c.add(abi.JoinIndex(at+"/sink/to", i), "%q is content too; keep it in one of the two lists", to)
			}
		}
	}
	if a := t.Approve; a != nil && a.Scope == nil && a.For == nil {
		c.entry(at+"/approve", "says nothing; want scope: call, args or destination, or for: with a duration such as 30m")
	}
	if t.Hide != nil && !*t.Hide {
		c.add(at+"/hide", "shows nothing that another entry hides; remove it, or start the entry with replace: true")
	}
	for i := range t.Args {
		c.checkArg(&t.Args[i], abi.JoinIndex(at+"/args", i))
	}
	c.checkResults(t, at)
}

func (c *issues) checkArg(a *arg, at string) {
	slot, one := a.ofSlots(), a.ofArgs()
	switch {
	case a.Slot == "" && a.Arg == "":
		c.entry(at, "neither slot nor arg; want slot: path, or arg: with the name of an argument")
	case a.Slot != "":
		c.checkSlot(a, at)
	case slot.first() != "":
		c.add(at+"/"+slot.first(), "%s is for slot:; an arg takes %s", slot.first(), one.names())
	case !a.constrains():
		c.entry(at, "constrains nothing; want one of %s", one.names())
	case yes(a.Forbid) && yes(a.Require):
		c.add(at, "forbid and require together refuse every call; deny the tool instead: verdict: deny")
	case yes(a.Also) && a.In == nil:
		c.entry(at+"/also", "also is about an allow or in list, and there is none; remove it")
	}
}

// constrains says whether an arg entry says anything of its argument.
func (a *arg) constrains() bool {
	return a.Match != nil || a.In != nil || a.Max != nil || a.Min != nil || a.MaxBytes != nil || yes(a.Forbid) || yes(a.Require) || len(a.Origin) > 0
}

// present lists members, and whether they are there.
type present []struct {
	name string
	is   bool
}

func (p present) first() string {
	for _, m := range p {
		if m.is {
			return m.name
		}
	}
	return ""
}

func (p present) names() string {
	var names []string
	for _, m := range p {
		names = append(names, m.name)
	}
	return strings.Join(names, ", ")
}

func (c *issues) checkBudget(b *budget, at string) {
	missing := func(name, want string) {
		if !c.spoiled(at + "/" + name) {
			c.add(at, "no %s; %s", name, want)
		}
	}
	if b.Name == "" {
		missing("name", "give the budget a name of its own")
	}
	if len(b.Tools) == 0 {
		missing("tools", "list the tools that share it, such as [\"*/send_*\"]")
	}
	if b.Weight != nil && text(b.Count) == "failures" {
		c.add(at+"/weight", "weight is not for count: failures, which counts calls; remove it")
	}
	if b.Max == nil {
		missing("max", "say how much may be charged, such as max: 50")
	}
}

// checkFloor refuses what a floor would silently not do: it is judged without
// packs, and what tells contracts where data comes from is one index for both.
func (c *issues) checkFloor(f *file) {
	inert := func(at, mend string) { c.add(at, "has no effect in a floor; %s", mend) }
	if f.Packs != nil {
		inert("/packs", "a floor is judged without packs, so remove it")
	}
	if f.Sources != nil {
		inert("/sources", "state it in the policy")
	}
	for _, name := range sortedKeys(f.Servers) {
		s, at := f.Servers[name], abi.Join("/servers", name)
		if s.Pack != nil {
			inert(at+"/pack", "bind the pack in the policy")
		}
		if s.Text != nil {
			inert(at+"/text", "state it in the policy")
		}
		if s.Cwd != nil {
			inert(at+"/cwd", "state it in the policy")
		}
		if s.Outputs != nil && *s.Outputs == "trusted" {
			inert(at+"/outputs", "a floor only tightens: outputs: untrusted, or nothing")
		}
	}
	if s := f.Settings; s != nil {
		if s.Ledger != nil {
			inert("/settings/ledger", "state it in the policy")
		}
		if s.SessionIdle != nil {
			inert("/settings/session_idle", "state it in the policy")
		}
		if a := s.Approval; a != nil && (a.Webhook != nil || a.WebhookKey != nil) {
			inert("/settings/approval", "state the webhook in the policy, and here only channels")
		}
		if s.ApprovalTimeout != nil {
			inert("/settings/approval_timeout", "state it in the policy")
		}
		if yes(s.UserContext) {
			inert("/settings/user_context", "a floor only tightens: false, or nothing")
		}
	}
}

// checkPack refuses what a pack cannot say.
func (c *issues) checkPack(f *file) {
	cannot := func(at string) {
		c.add(at, "not part of a pack; a pack has callgate, name, servers, tools, sources and redact")
	}
	if f.Include != nil {
		cannot("/include")
	}
	if f.Packs != nil {
		cannot("/packs")
	}
	if f.Settings != nil {
		cannot("/settings")
	}
	if f.Budgets != nil {
		cannot("/budgets")
	}
	if f.Labels != nil {
		cannot("/labels")
	}
	if f.Flows != nil {
		cannot("/flows")
	}
	if f.Chains != nil {
		cannot("/chains")
	}
	if f.Plugins != nil {
		cannot("/plugins")
	}
	for _, name := range sortedKeys(f.Servers) {
		s, at := f.Servers[name], abi.Join("/servers", name)
		if name != "*" {
			c.add(at, "a pack knows one server, the one it binds to; write \"*\"")
		}
		if s.Verdict != nil || s.Pack != nil || s.Outputs != nil || s.Env != nil || s.Attest != nil || s.Cwd != nil || s.Replace != nil || s.Prompts != nil || s.Completions != nil || len(s.Methods) > 0 || s.Requests != nil {
			c.entry(at, "a pack says only text: and resources: of its server")
		}
		if s.Resources != nil && (s.Resources.Verdict != nil || s.Resources.Replace != nil) {
			c.entry(at+"/resources", "a pack says only args: of resources")
		}
	}
	for _, name := range sortedKeys(f.Tools) {
		if f.Tools[name].When != nil {
			cannot(abi.Join("/tools", name) + "/when")
		}
		if yes(f.Tools[name].Replace) {
			c.add(abi.Join("/tools", name)+"/replace", "not part of a pack; a pack is the lowest layer")
		}
	}
}

func yes(b *bool) bool { return b != nil && *b }

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// ruleText is the rule of a place, as verdicts show it.
func ruleText(label string, line int, at string) string {
	if line == 0 {
		return fmt.Sprintf("%s: %s", label, display(at))
	}
	return fmt.Sprintf("%s:%d: %s", label, line, display(at))
}
