package suggest

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
)

// toolName is a tool of a server.
type toolName struct{ server, tool string }

// shown names the tool in a comment.
func (t toolName) shown() string { return Quote(t.server + "/" + t.tool) }

// said is what a recorded verdict holds against a call.
type said struct {
	made    bool // the call went out
	asks    bool // the policy wants a person to decide about the tool, whatever the call
	against string
	taint   bool // the sink denied it, or showed what came from an output
}

// survey is what ledgers say before anything is replayed.
type survey struct {
	calls     int
	tools     map[toolName]abi.Value // last known definition
	servers   map[string]bool
	verdicts  map[string]said // by call
	taken     map[string]bool // calls that a refused batch took back
	policies  []*policy.Policy
	plain     *policy.Policy // what holds without anything carried over
	files     []string       // of those policies
	digests   map[string]bool
	protected []string
	place     abi.Place // of the first session
	wire      int       // frames that were refused
	wireTools []string  // that they named
	others    []otherCall
	ids       []string // of the files
}

func surveyed(ledgers []Ledger) (*survey, error) {
	s := &survey{
		tools: map[toolName]abi.Value{}, servers: map[string]bool{}, verdicts: map[string]said{}, taken: map[string]bool{}, digests: map[string]bool{},
	}
	for _, l := range ledgers {
		if l.ID != "" {
			s.ids = append(s.ids, l.ID)
		}
	}
	err := merged(ledgers, func(_ int, _ abi.Value, e abi.Event) error {
		s.add(e)
		return nil
	})
	return s, err
}

func (s *survey) add(e abi.Event) {
	switch {
	case e.Session != nil:
		s.session(e.Session)
	case e.Policy != nil:
		s.policy(e.Policy)
	case e.Tools != nil:
		s.servers[e.Tools.Server] = true
		for _, d := range e.Tools.Definitions() {
			s.tools[toolName{e.Tools.Server, d.Get("name").Str()}] = d
		}
	case e.Call != nil && !e.Call.Kind.IsTool():
		s.servers[e.Call.Server] = true
		s.others = append(s.others, otherCall{*e.Call, e.Text != nil})
	case e.Call != nil:
		s.calls++
		s.servers[e.Call.Server] = true
	case e.Verdict != nil && e.Verdict.Contract == "result":
		// The call went out; what is held against it was said before.
	case e.Verdict != nil:
		s.verdicts[e.Verdict.ID] = heldAgainst(e.Verdict)
	case e.Refused != nil && e.Refused.Call != "":
		s.taken[e.Refused.Call] = true
	case e.Refused != nil:
		s.wire++
		if e.Refused.Tool != "" && !slices.Contains(s.wireTools, e.Refused.Tool) && len(s.wireTools) < 20 {
			s.wireTools = append(s.wireTools, e.Refused.Tool)
		}
	}
}

func (s *survey) session(e *abi.SessionEvent) {
	if s.place == (abi.Place{}) {
		s.place = e.Place
	}
	for _, p := range e.Protected {
		if !slices.Contains(s.protected, p) {
			s.protected = append(s.protected, p)
		}
	}
	if e.File != "" && !slices.Contains(s.ids, e.File) {
		s.ids = append(s.ids, e.File)
	}
}

// policy keeps each policy that was in force once. One that does not load here
// denied everything, and says nothing.
func (s *survey) policy(e *abi.PolicyEvent) {
	if s.digests[e.Digest] {
		return
	}
	s.digests[e.Digest] = true
	for _, f := range e.Files {
		if f.Path != policy.Starter && !slices.Contains(s.files, f.Path) {
			s.files = append(s.files, f.Path)
		}
	}
	if p, err := policy.Decode(e.Policy); err == nil {
		s.policies = append(s.policies, p)
	}
}

// heldAgainst reads a recorded verdict: what a suggestion must not go against.
// That nothing granted the tool is what a suggestion is for, and a guessed budget
// is what it replaces.
func heldAgainst(v *abi.Verdict) said {
	out := said{made: v.Enforced() == abi.Allow}
	all := append([]abi.Verdict{*v}, v.Also...)
	for i, one := range all {
		outcome := one.Outcome.Known()
		if outcome >= abi.Allow {
			continue
		}
		what := one.Contract + " " + one.Code
		switch {
		case one.Contract == "sink":
			out.taint = out.taint || outcome == abi.Deny || fromOutput(one.Witness)
			if outcome == abi.Deny {
				out.against = what
			}
		case one.Code == "COVERAGE_DEFAULT" || one.Code == "COVERAGE_SERVER":
		case one.Contract == "coverage" && outcome == abi.Ask:
			out.asks = true
		case one.Contract == "budget" && guessed(one.Rule):
		default:
			out.against = what
		}
		if i == 0 && !out.made && out.against == "" {
			out.against = what
		}
	}
	return out
}

// guessed says whether a rule is none that a person wrote.
func guessed(rule string) bool {
	return strings.HasPrefix(rule, "heuristics: ") || strings.HasPrefix(rule, "packs/")
}

// carried is what policies that were in force said of a tool or server, and what
// a suggestion must not lose.
type carried struct {
	to    []string
	all   bool // every argument is a destination
	slots []string
	rules []string // other restrictions, by their place
}

// carry collects what the policies that were in force say of a tool beyond what
// base says.
func (s *survey) carry(t toolName, base *policy.Policy) carried {
	definition := s.definition(t)
	var out carried
	known := base.Rules(t.server, definition)
	for _, p := range s.policies {
		r := p.Rules(t.server, definition)
		out.sink(r.Sink, known.Sink)
		for _, a := range r.Args {
			for _, name := range a.Names {
				add(&out.slots, name)
			}
			if !guessed(a.Rule) {
				add(&out.rules, a.Rule)
			}
		}
		for _, b := range p.Budgets(t.server, definition) {
			if !guessed(b.Rule) {
				add(&out.rules, b.Rule)
			}
		}
	}
	for _, a := range known.Args {
		out.slots = slices.DeleteFunc(out.slots, func(name string) bool { return slices.Contains(a.Names, name) })
	}
	return out
}

func (c *carried) sink(was, known *contract.Sink) {
	if was == nil {
		return
	}
	have := contract.Sink{}
	if known != nil {
		have = *known
	}
	c.all = c.all || was.All && !have.All
	for _, name := range was.To {
		if !slices.Contains(have.To, name) {
			add(&c.to, name)
		}
	}
}

// definition is the last known definition of a tool, or one that has its name.
func (s *survey) definition(t toolName) abi.Value {
	if d, ok := s.tools[t]; ok {
		return d
	}
	return abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue(t.tool)})
}

// server joins what the policies that were in force say of how a server runs.
// Two working directories are none: which one held is not to be told.
func (s *survey) server(name string) (cwd string, env []string, hasEnv bool) {
	for _, p := range s.policies {
		one := p.Server(name)
		if one.HasEnv {
			if hasEnv {
				env = slices.DeleteFunc(env, func(v string) bool { return !slices.Contains(one.Env, v) })
			} else {
				env, hasEnv = slices.Clone(one.Env), true
			}
		}
		if cwd == "" {
			cwd = one.Cwd
		}
	}
	return cwd, env, hasEnv
}

// add appends a text that is not there yet.
func add(list *[]string, s string) {
	if !slices.Contains(*list, s) {
		*list = append(*list, s)
	}
}
