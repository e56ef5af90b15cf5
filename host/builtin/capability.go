package builtin

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Capability asks where a call shows that the session can do more than the
// policy's envelope and what it has shown before.
//
// Policy:
//
//	capability: {envelope: [read_files, "net_egress:api.example"], on_rise: ask}
//
// What a call shows is read from its arguments, as the slots of `args:` find them
// (paths and working directories, commands, URLs and hosts, secrets), and from
// words of the tool's name. Every path outside the server's working directory, or
// of which nobody can say where it leads, is outside the workspace. It abstains
// while nothing new is shown, and says what is in its obligations, which enter
// the session if the call is allowed. Code: CAPABILITY_RISE.
type Capability struct {
	of       *contract.Capability
	classes  []slotRule
	base     string
	writes   bool
	words    []string // what the tool's name shows by itself
	resource bool
}

// NewCapability makes the walks. It returns nil under a policy without
// capability:, and for requests of a server, which are not the session's doing.
func NewCapability(r *contract.Rules) (contract.Contract, error) {
	if r.Capability == nil || r.Kind.FromServer() {
		return nil, nil
	}
	c := &Capability{of: r.Capability, base: r.Kind.Base(), writes: r.Kind.IsTool() && writing(r.Tool), resource: r.Kind == abi.KindResource}
	for _, name := range []string{"path", "cwd", "command", "url", "host", "secret"} {
		rule := contract.Arg{Slot: name, Outcome: abi.Deny, MaxBytes: -1, Forbid: name == "secret"}
		for i := range r.Args {
			if r.Args[i].Slot == name {
				rule.Names = r.Args[i].Names
			}
		}
		compiled, err := newSlotRule(&rule, r)
		if err != nil {
			return nil, err
		}
		c.classes = append(c.classes, compiled)
	}
	if !r.Kind.IsTool() {
		return c, nil
	}
	for _, w := range capabilityWords {
		if hasWord(r.Tool, w.words...) {
			c.words = append(c.words, w.capability)
		}
	}
	return c, nil
}

// capabilityWords are words of the names of tools that show a capability.
var capabilityWords = []struct {
	capability string
	words      []string
}{
	{"execute", []string{"exec", "execute", "run", "shell", "bash", "sh", "terminal", "command", "eval", "spawn", "powershell"}},
	{"install", []string{"install", "uninstall", "upgrade"}},
	{"register", []string{"register", "enroll", "subscribe", "connect", "authorize"}},
}

// shown is one capability, and the place in the call that shows it.
type shown struct{ capability, at string }

// Judge compares what the call shows with the envelope and the session.
func (c *Capability) Judge(s *abi.Snapshot) abi.Verdict {
	var risen []shown
	var fresh []string
	for _, x := range c.shows(s) {
		if slices.Contains(s.Session.Capabilities, x.capability) {
			continue
		}
		fresh = append(fresh, x.capability)
		if !slices.ContainsFunc(c.of.Envelope, func(e string) bool { return contract.Covers(e, x.capability) }) {
			risen = append(risen, x)
		}
	}
	v := contract.Abstain
	if len(risen) > 0 {
		v = c.rise(risen)
	}
	v.Obligations.Capabilities = sortedSet(fresh)
	return v
}

func (c *Capability) rise(risen []shown) abi.Verdict {
	v := abi.Verdict{
		Outcome: abi.Deny, Contract: "capability", Code: "CAPABILITY_RISE", Rule: c.of.Rule,
		Mend: "let a person decide about the call, or add the capability to envelope in the policy",
	}
	if c.of.OnRise == abi.Ask {
		v.Outcome = abi.Ask
	}
	var names []string
	for _, x := range risen {
		name := x.capability
		if strings.HasPrefix(name, contract.NetEgress) {
			name = "net_egress of another host" // the host is the caller's word
		}
		names = append(names, name)
		if !slices.Contains(v.At, x.at) {
			v.At = append(v.At, x.at)
		}
	}
	v.Reason = "the call shows more than the session's envelope: " + strings.Join(sortedSet(names), ", ")
	return v
}

// maxShown bounds what one call shows: behind it, any host is meant.
const maxShown = 64

// shows lists what the call shows, in the order in which it is found.
func (c *Capability) shows(s *abi.Snapshot) []shown {
	var out []shown
	add := func(capability, at string) {
		if len(out) >= maxShown {
			capability, at = contract.NetEgress+"?", c.base
		}
		if len(out) <= maxShown && !slices.ContainsFunc(out, func(x shown) bool { return x.capability == capability }) {
			out = append(out, shown{capability, at})
		}
	}
	for _, w := range c.words {
		add(w, s.Call.Kind.Subject())
	}
	values, _ := s.Call.Values()
	j := judging{place: &s.Session.Place, schema: schemaOf(&s.Definition.Schema), base: c.base, arguments: values, call: &s.Call}
	if !values.Exists() {
		j.arguments = abi.ObjectValue()
	}
	for i := range c.classes {
		w := search{slotRule: &c.classes[i], j: &j, trail: newTrail()}
		w.collect = func(v abi.Value, p *place) {
			at := w.trail.pointer(c.base)
			if w.class.name == "secret" && w.matcher.judge(v, p).code == "" {
				return // where one could stand, and none does
			}
			for _, capability := range c.read(w.class.name, v, p) {
				add(capability, at)
			}
		}
		w.walk()
	}
	return out
}

// read says what one value shows.
func (c *Capability) read(class string, v abi.Value, p *place) []string {
	switch class {
	case "command":
		return []string{"execute"}
	case "secret":
		return []string{"credentials"}
	case "path", "cwd":
		return c.path(v, p)
	}
	if c.resource && v.IsString() && hasPrefixFold(v.Str(), "file:") {
		return nil // a path
	}
	if !v.IsString() {
		return []string{contract.NetEgress + "?"}
	}
	var out []string
	for _, text := range addressesIn(v.Str(), class == "host") {
		a, doubt := readURL(text)
		if class == "host" {
			a, doubt = readHostValue(text)
		}
		switch {
		case doubt != "":
			out = append(out, contract.NetEgress+"?")
		case a.host != "":
			out = append(out, contract.NetEgress+a.host)
		}
	}
	return out
}

// path says what a path shows.
func (c *Capability) path(v abi.Value, p *place) []string {
	inside, outside := "read_files", "read_outside"
	if c.writes {
		inside, outside = "write_files", "write_outside"
	}
	if v.IsString() && p.Dir != "" {
		path, why := canonicalPath(v.Str(), p.Place)
		root, _ := canonicalPath(p.Dir, p.Place)
		if why == "" && root != "" && (path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")) {
			return []string{inside}
		}
	}
	return []string{inside, outside}
}
