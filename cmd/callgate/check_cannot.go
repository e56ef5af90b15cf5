package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
)

// impossible reports the rules about arguments that no call of a tool can
// meet, and returns them.
func (c *checker) impossible(r *contract.Rules, definition abi.Value) map[string]bool {
	found := map[string]bool{}
	for i := range r.Args {
		rule := &r.Args[i]
		why, outcome := "", rule.Outcome
		if rule.Slot != "" {
			if rule.HasAllow && len(rule.Allow) == 0 {
				why = "the rule wants a " + rule.Slot + ", and its list allows none"
			}
		} else {
			why, outcome = unmeetable(r, rule, definition)
		}
		if why == "" || found[rule.Rule] {
			continue
		}
		found[rule.Rule] = true
		c.cannot(r, rule, definition, why, outcome)
	}
	return found
}

// cannot adds the finding. Every call shows it, such as the least one with the
// argument.
func (c *checker) cannot(r *contract.Rules, rule *contract.Arg, definition abi.Value, why string, outcome abi.Outcome) {
	text := fmt.Sprintf("no call of %s/%s can pass: %s", r.Server, r.Tool, why)
	if outcome == abi.Ask {
		text = fmt.Sprintf("every call of %s/%s asks: %s", r.Server, r.Tool, why)
	}
	s := schemaOf(definition)
	args := s.sample(0)
	if rule.Arg != "" && !strings.HasPrefix(rule.Arg, "/") && !args.Get(rule.Arg).Exists() {
		args = args.With(rule.Arg, s.property(rule.Arg).sample(1))
	}
	c.add(problem{fault: outcome == abi.Deny, code: codeNoCall, rule: rule.Rule, text: text, call: shortCall(r.Server, r.Tool, args)})
}

// unmeetable says why no call meets a rule about one argument, or "", and the
// loosest outcome of the calls there are. The contract itself is asked about a
// call without the argument.
func unmeetable(r *contract.Rules, rule *contract.Arg, definition abi.Value) (string, abi.Outcome) {
	name := strconv.Quote(rule.Arg)
	all := sameArgument(r, rule)
	needed, outcome := requirement(r, all, rule.Arg, definition)
	if needed == "" {
		return "", abi.Abstain
	}
	outcome = max(outcome, rule.Outcome)
	if rule.Forbid {
		return needed + " " + name + ", and the rule forbids it", outcome
	}
	why := ""
	if rule.HasIn && len(rule.In) == 0 {
		why = needed + " " + name + ", and the rule's list has no value for it"
	} else if other := crossed(r, rule, all, definition); other != nil {
		why = fmt.Sprintf("%s %s, and no number is at most %s and at least %s", needed, name, other.Max, rule.Min)
		outcome = max(outcome, other.Outcome)
	}
	if why == "" {
		return "", abi.Abstain
	}
	// Elements are judged one by one, and an empty list has none.
	empty := judgeArgs(r, all, definition, argumentOf(rule.Arg, abi.ArrayValue()))
	if empty >= abi.Allow {
		return "", abi.Abstain
	}
	return why, max(outcome, empty)
}

// sameArgument lists the rules about the argument of a rule.
func sameArgument(r *contract.Rules, rule *contract.Arg) []contract.Arg {
	var out []contract.Arg
	for i := range r.Args {
		if r.Args[i].Slot == "" && r.Args[i].Arg == rule.Arg {
			out = append(out, r.Args[i])
		}
	}
	return out
}

// requirement says what wants the argument, or "" if a call may go without it,
// and what becomes of one that does.
func requirement(r *contract.Rules, all []contract.Arg, name string, definition abi.Value) (string, abi.Outcome) {
	without := judgeArgs(r, all, definition, abi.ObjectValue())
	if schemaOf(definition).requires(name) {
		if without >= abi.Allow {
			without = abi.Deny // by the server, whose schema it is
		}
		return "the tool's schema requires", without
	}
	if without >= abi.Allow {
		return "", without
	}
	for _, rule := range all {
		if rule.Require {
			return "the policy requires", without
		}
	}
	return "", without
}

// crossed returns a rule whose greatest number is below the least number of
// this one, or nil.
func crossed(r *contract.Rules, rule *contract.Arg, all []contract.Arg, definition abi.Value) *contract.Arg {
	if rule.Min == "" {
		return nil
	}
	bound := contract.Arg{Rule: rule.Rule, Outcome: abi.Deny, Arg: rule.Arg, Min: rule.Min, MaxBytes: -1}
	for i := range all {
		if all[i].Max == "" {
			continue
		}
		most, err := abi.Parse([]byte(all[i].Max))
		if err == nil && judgeArgs(r, []contract.Arg{bound}, abi.Value{}, argumentOf(rule.Arg, most)) < abi.Allow {
			return &all[i]
		}
	}
	return nil
}

// judgeArgs asks the contract of some rules about arguments. What it has no
// objection to is allowed.
func judgeArgs(r *contract.Rules, all []contract.Arg, definition, args abi.Value) abi.Outcome {
	some := contract.Rules{Server: r.Server, Tool: r.Tool, Args: all}
	c, err := builtin.NewArgs(&some)
	if err != nil || c == nil {
		return abi.Allow
	}
	v := c.Judge(&abi.Snapshot{
		Call:       abi.Call{Tool: r.Tool, Arguments: args},
		Definition: abi.Definition{State: abi.PinOK, Schema: definition.Get("inputSchema")},
		Session:    abi.Session{Place: abi.Place{Dir: "/", Home: "/"}},
	})
	return min(v.Outcome.Known(), abi.Allow)
}

// argumentOf makes arguments that hold a value at a name or pointer.
func argumentOf(name string, v abi.Value) abi.Value {
	tokens := []string{name}
	if strings.HasPrefix(name, "/") {
		tokens, _ = abi.Tokens(name)
	}
	for i := len(tokens) - 1; i >= 0; i-- {
		v = abi.ObjectValue(abi.Member{Name: tokens[i], Value: v})
	}
	return v
}
