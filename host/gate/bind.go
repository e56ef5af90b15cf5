package gate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
)

// maxBindings is how many tools are kept ready to judge.
const maxBindings = 4096

// binding is a tool, or a method of another kind of call, with the contracts
// that its rules made.
type binding struct {
	hidden     bool // the client is not shown the tool
	rows       []row
	returned   []row // what is asked about results
	listed     []row // the same for the definition as last listed, while it is not the pinned one
	budgets    []contract.Budget
	guests     []guest
	risk       contract.Risk // the higher of policy and floor
	approve    contract.Approve
	output     *jsonschema.Schema // of what it returns, once it was looked for
	outputRead bool
	broken     error // a contract could not be made: every call is denied
}

// row is one contract of the table, made for one tool.
type row struct {
	name string
	c    contract.Contract
}

// bound returns the contracts of a call.
func (s *State) bound(c *abi.Call) *binding { return s.bind(c.Kind, c.Server, c.Target()) }

// bind returns the contracts of a tool, or of a method of another kind of call,
// in table order; those of the floor stand directly after their twins. A contract of the floor that is made of the
// same as its twin would say everything a second time, so it is left out.
func (s *State) bind(kind abi.CallKind, serverName, target string) *binding {
	key := serverName + "\x00" + target
	if !kind.IsTool() {
		key += "\x00" + string(kind)
	}
	if b := s.bindings[key]; b != nil {
		return b
	}
	if len(s.bindings) >= maxBindings {
		s.bindings = map[string]*binding{} // names that nobody listed must not fill memory
	}
	b := &binding{}
	s.bindings[key] = b
	if s.policy == nil {
		b.broken = fmt.Errorf("no policy is in force")
		if s.bad != nil {
			b.broken = fmt.Errorf("the policy does not load: %w", s.bad)
		}
		return b
	}
	policies := []*policy.Policy{s.policy}
	if floor := s.policy.Floor(); floor != nil {
		policies = append(policies, floor)
	}
	rules := make([]contract.Rules, len(policies))
	for i, p := range policies {
		if kind.IsTool() {
			definition := s.definition(serverName, target)
			rules[i] = p.Rules(serverName, definition)
			b.budgets = append(b.budgets, p.Budgets(serverName, definition)...)
		} else {
			rules[i] = p.RulesFor(serverName, kind, target)
		}
		b.hidden = b.hidden || rules[i].Hide != ""
		b.risk = max(b.risk, rules[i].Risk)
		if b.approve = rules[0].Approve; i > 0 {
			b.approve = narrower(b.approve, rules[i].Approve)
		}
	}
	if kind.IsTool() {
		for _, p := range policies {
			rules = append(rules, p.RulesUnder(serverName, s.definition(serverName, target), s.holdsAll)...)
		}
		b.joinRisk(rules)
	}
	b.guests = s.guests(rules)
	b.rows, b.broken = contracts(ofPhase(s.opts.Specs, abi.PhaseCall), rules)
	if b.broken == nil {
		b.returned, b.broken = contracts(ofPhase(s.opts.Specs, abi.PhaseResult), rules)
	}
	if definition, drifts := s.drifting(serverName, target); drifts && kind.IsTool() && b.broken == nil {
		b.drifted(s.opts.Specs, policies, serverName, definition, s.holdsAll)
	}
	return b
}

// drifted adds what the definition as last listed is judged by.
func (b *binding) drifted(specs []contract.Spec, policies []*policy.Policy, serverName string, definition abi.Value, holds func([]string) bool) {
	rules := make([]contract.Rules, len(policies))
	for i, p := range policies {
		rules[i] = p.Rules(serverName, definition)
		b.hidden = b.hidden || rules[i].Hide != ""
		b.risk, b.approve = max(b.risk, rules[i].Risk), narrower(b.approve, rules[i].Approve)
		for _, budget := range p.Budgets(serverName, definition) {
			if !slices.Contains(b.budgets, budget) {
				b.budgets = append(b.budgets, budget)
			}
		}
	}
	for _, p := range policies {
		rules = append(rules, p.RulesUnder(serverName, definition, holds)...)
	}
	b.joinRisk(rules)
	b.listed, b.broken = contracts(ofPhase(specs, abi.PhaseCall), rules)
}

// contracts makes the contracts of the rules of policy and floor.
func contracts(specs []contract.Spec, rules []contract.Rules) (rows []row, broken error) {
	for _, spec := range specs {
		var twins []contract.Contract
		for i := range rules {
			c, err := spec.New(&rules[i])
			if err != nil {
				return nil, fmt.Errorf("contract %s: %w", spec.Name, err)
			}
			same := func(twin contract.Contract) bool { return reflect.DeepEqual(c, twin) }
			if c != nil && !slices.ContainsFunc(twins, same) {
				rows = append(rows, row{spec.Name, c})
				twins = append(twins, c)
			}
		}
	}
	return rows, nil
}

// Observes says whether what is decided is not enforced.
func (s *State) Observes() bool { return s.settings.Mode == policy.ModeObserve }

// Hidden says whether the policy, or a plugin, keeps a tool out of the lists that
// the client is shown. Its calls are denied all the same.
func (s *State) Hidden(serverName, tool string) bool {
	return s.settings.Mode != policy.ModeObserve && s.bind(abi.KindTool, serverName, tool).hidden || s.Hides(serverName, abi.ListTools, tool)
}

// narrower joins what policy and floor say of a person's yes.
func narrower(a, b contract.Approve) contract.Approve {
	if b.Scope != contract.ScopeUnset && b.Scope != a.Scope {
		a.Scope = contract.ScopeCall // of two kinds of memory, one would be what the other does not allow
	}
	if a.For == 0 || b.For != 0 && b.For < a.For {
		a.For = b.For
	}
	return a
}

// unbind forgets the contracts of every tool of a server, and what vouches for it:
// the definitions have changed.
func (s *State) unbind(serverName string) {
	s.settleAll() // what came before was said under the old ones
	prefix := serverName + "\x00"
	for key := range s.bindings {
		if len(key) > len(prefix) && key[:len(prefix)] == prefix {
			delete(s.bindings, key)
		}
	}
	for key := range s.sources {
		if strings.HasPrefix(key, prefix) {
			delete(s.sources, key)
		}
	}
}

// definition returns the definition that a tool is judged by.
func (s *State) definition(serverName, tool string) abi.Value {
	if srv := s.servers[serverName]; srv != nil {
		if p, ok := srv.pins[tool]; ok {
			return p.definition
		}
		if l, ok := srv.listed[tool]; ok {
			return l.definition
		}
	}
	return abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue(tool)})
}
