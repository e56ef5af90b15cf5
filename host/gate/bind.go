package gate

import (
	"fmt"
	"reflect"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
)

// maxBindings is how many tools are kept ready to judge.
const maxBindings = 4096

// binding is a tool with the contracts that its rules made.
type binding struct {
	rows    []row
	budgets []contract.Budget
	risk    contract.Risk // the higher of policy and floor
	approve contract.Approve
	broken  error // a contract could not be made: every call is denied
}

// row is one contract of the table, made for one tool.
type row struct {
	name string
	c    contract.Contract
}

// bind returns the contracts of a tool, in table order; those of the floor
// stand directly after their twins. A contract of the floor that is made of the
// same as its twin would say everything a second time, so it is left out.
func (s *State) bind(serverName, tool string) *binding {
	key := serverName + "\x00" + tool
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
	definition := s.definition(serverName, tool)
	policies := []*policy.Policy{s.policy}
	if floor := s.policy.Floor(); floor != nil {
		policies = append(policies, floor)
	}
	rules := make([]contract.Rules, len(policies))
	for i, p := range policies {
		rules[i] = p.Rules(serverName, definition)
		b.risk = max(b.risk, rules[i].Risk)
		if b.approve = rules[0].Approve; i > 0 {
			b.approve = narrower(b.approve, rules[i].Approve)
		}
		b.budgets = append(b.budgets, p.Budgets(serverName, definition)...)
	}
	for _, spec := range s.opts.Specs {
		var twin contract.Contract
		for i := range rules {
			c, err := spec.New(&rules[i])
			if err != nil {
				b.broken = fmt.Errorf("contract %s: %w", spec.Name, err)
				return b
			}
			if c != nil && !reflect.DeepEqual(c, twin) {
				b.rows = append(b.rows, row{spec.Name, c})
			}
			twin = c
		}
	}
	return b
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

// unbind forgets the contracts of every tool of a server, whose definitions
// have changed.
func (s *State) unbind(serverName string) {
	prefix := serverName + "\x00"
	for key := range s.bindings {
		if len(key) > len(prefix) && key[:len(prefix)] == prefix {
			delete(s.bindings, key)
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
