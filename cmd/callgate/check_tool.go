package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
)

// tool asks the contracts themselves what no call of a tool can pass.
func (c *checker) tool(server string, definition abi.Value) {
	policies := []*policy.Policy{c.policy}
	if floor := c.policy.Floor(); floor != nil {
		policies = append(policies, floor)
	}
	for _, p := range policies {
		rules := p.Rules(server, definition)
		denied := c.covered(&rules, definition)
		for _, b := range p.Budgets(server, definition) {
			if b.Max == 0 {
				c.noCall(server, definition, b.Rule, "its budget is 0")
			}
		}
		c.disjointResults(&rules, definition)
		void := map[string]bool{}
		if !denied { // else every rule about arguments is void, and that is meant
			void = c.impossible(&rules, definition)
		}
		for i := range rules.Args {
			if !void[rules.Args[i].Rule] {
				c.disjoint(&rules, rules.Args[i], definition)
				c.untyped(&rules, rules.Args[i], definition)
			}
		}
	}
}

func (c *checker) noCall(server string, definition abi.Value, rule, why string) {
	tool := definition.Get("name").Str()
	c.add(problem{
		code: codeNoCall, rule: rule, text: fmt.Sprintf("no call of %s/%s can pass: %s", server, tool, why),
		call: shortCall(server, tool, schemaOf(definition).sample(0)),
	})
}

// covered reports a tool that the policy denies as a whole without naming it,
// and says whether it denies the tool as a whole.
func (c *checker) covered(r *contract.Rules, definition abi.Value) bool {
	coverage, err := builtin.NewCoverage(r)
	if err != nil || coverage == nil {
		return false
	}
	v := coverage.Judge(&abi.Snapshot{})
	if v.Outcome == abi.Deny && v.Code != "COVERAGE_DENIED" {
		c.noCall(r.Server, definition, v.Rule, v.Reason)
	}
	return v.Outcome == abi.Deny
}

// disjoint reports a constraint that every value of an enum violates: no call
// with that argument can pass. The contract itself is asked.
func (c *checker) disjoint(r *contract.Rules, rule contract.Arg, definition abi.Value) {
	if rule.Forbid {
		return
	}
	one := contract.Rules{Server: r.Server, Tool: r.Tool, Args: []contract.Arg{rule}}
	args, err := builtin.NewArgs(&one)
	if err != nil || args == nil {
		return
	}
	s := schemaOf(definition)
	for _, name := range s.names() {
		if rule.Arg != "" && rule.Arg != name && rule.Arg != "/"+name {
			continue
		}
		enum := s.property(name).enum()
		if len(enum) == 0 {
			continue
		}
		outcome, all := violates(args, definition, name, enum)
		if !all {
			continue
		}
		x := problem{
			fault: outcome == abi.Deny, code: codeDisjoint, rule: rule.Rule,
			text: fmt.Sprintf("%s/%s accepts only %s for %q, and none of it meets the rule", r.Server, r.Tool, shorten(abi.ArrayValue(enum...).String(), 200), name),
			call: shortCall(r.Server, r.Tool, s.sample(0).With(name, enum[0])),
		}
		if !x.fault {
			x.text += ", so every call asks"
		}
		c.add(x)
	}
}

// violates says whether every value of an enum violates a rule, and the
// loosest outcome of that.
func violates(args contract.Contract, definition abi.Value, name string, enum []abi.Value) (abi.Outcome, bool) {
	loosest := abi.Deny
	for _, value := range enum {
		v := args.Judge(&abi.Snapshot{
			Call:       abi.Call{Tool: definition.Get("name").Str(), Arguments: abi.ObjectValue(abi.Member{Name: name, Value: value})},
			Definition: abi.Definition{State: abi.PinOK, Schema: definition.Get("inputSchema")},
			Session:    abi.Session{Place: abi.Place{Dir: "/", Home: "/"}},
		})
		hit := slices.ContainsFunc(v.At, func(at string) bool {
			own := abi.Join("/call/arguments", name)
			return at == own || strings.HasPrefix(at, own+"/")
		})
		if v.Outcome.Known() >= abi.Allow || !hit {
			return abi.Allow, false
		}
		loosest = max(loosest, v.Outcome.Known())
	}
	return loosest, true
}
