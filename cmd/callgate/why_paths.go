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

// pathRule is a rule about paths that the call violates, as it was applied.
type pathRule struct {
	rule        string
	allow, deny []string // patterns, absolute or from anywhere
	hit         []string // of deny, those that a value matches
	hasAllow    bool
	values      []pathValue
}

// pathValue is a value that offended, and what it was read as.
type pathValue struct {
	at            string // JSON Pointer into the arguments
	value         string
	resolved, why string // one of them: the path, or why there is none
}

// paths finds the rules about paths that the call violates, of policy and floor.
func (in *incident) paths() []pathRule {
	if in.callEvent == nil || !slices.ContainsFunc(append([]abi.Verdict{in.verdict()}, in.verdict().Also...), aboutPaths) {
		return nil
	}
	p, err := policy.Decode(in.policy)
	if err != nil {
		return nil
	}
	w := newMending(in, p)
	place := w.place()
	policies := []*policy.Policy{p}
	if floor := p.Floor(); floor != nil {
		policies = append(policies, floor)
	}
	var out []pathRule
	for _, p := range policies {
		rules := w.rules(p)
		for i := range rules.Args {
			if rules.Args[i].Slot == "path" {
				out = append(out, in.pathRule(&rules, &rules.Args[i], place)...)
			}
		}
	}
	return out
}

func aboutPaths(v abi.Verdict) bool { return v.Contract == "args" && v.Outcome < abi.Allow }

// pathRule asks the contract about one rule; nothing: the call meets it.
func (in *incident) pathRule(r *contract.Rules, rule *contract.Arg, place abi.Place) []pathRule {
	v := in.alone(r, *rule, place)
	if v.Outcome >= abi.Allow || !strings.HasPrefix(v.Code, "ARGS_PATH_") {
		return nil
	}
	out := pathRule{rule: rule.Rule, allow: atHome(rule.Allow, place), deny: atHome(rule.Deny, place), hasAllow: rule.HasAllow}
	if v.Code == "ARGS_PATH_DENIED" {
		out.hit = atHome(in.denying(r, *rule, place), place)
	}
	values, base := in.callEvent.Call.Values()
	for _, at := range v.At {
		below := strings.TrimPrefix(at, base)
		value := values.At(below)
		if !value.IsString() || strings.HasPrefix(strings.TrimSpace(value.Str()), "[") || strings.HasPrefix(strings.TrimSpace(value.Str()), "{") {
			continue // a member's name, or JSON text with the path inside
		}
		one := pathValue{at: below, value: value.Str()}
		one.resolved, one.why = builtin.ResolvePath(one.value, &place)
		out.values = append(out.values, one)
	}
	return []pathRule{out}
}

// alone is what one rule says of the call by itself.
func (in *incident) alone(r *contract.Rules, rule contract.Arg, place abi.Place) abi.Verdict {
	one := contract.Rules{Server: r.Server, Kind: r.Kind, Tool: r.Tool, Args: []contract.Arg{rule}}
	c, err := builtin.NewArgs(&one)
	if err != nil || c == nil {
		return abi.Verdict{Outcome: abi.Allow} // it says nothing
	}
	return c.Judge(&abi.Snapshot{
		Call: *in.callEvent.Call, Definition: abi.Definition{State: abi.PinOK, Schema: in.tool().Get("inputSchema")},
		Session: abi.Session{Place: place},
	})
}

// denying picks the patterns of a deny list that the call matches.
func (in *incident) denying(r *contract.Rules, rule contract.Arg, place abi.Place) []string {
	all := rule.Deny
	rule.Allow, rule.HasAllow = nil, false
	var out []string
	for _, pattern := range all {
		rule.Deny = []string{pattern}
		if v := in.alone(r, rule, place); v.Outcome < abi.Allow && v.Code == "ARGS_PATH_DENIED" {
			out = append(out, pattern)
		}
	}
	return out
}

// atHome writes out the home directory in patterns.
func atHome(patterns []string, place abi.Place) []string {
	out := slices.Clone(patterns)
	for i, p := range out {
		if rest, ok := strings.CutPrefix(p, "~/"); ok && place.Home != "" {
			out[i] = strings.TrimSuffix(place.Home, "/") + "/" + rest
		}
	}
	return out
}

// pathText shows paths and patterns side by side.
func pathText(b *strings.Builder, rules []pathRule) {
	for _, r := range rules {
		fmt.Fprintf(b, "\npaths under %s\n", oneLine(r.rule))
		for _, v := range r.values {
			what := "is " + quoteShown(v.resolved)
			if v.why != "" {
				what = "is no one path: " + oneLine(v.why)
			}
			fmt.Fprintf(b, "  %s %s %s\n", oneLine(v.at), quoteShown(v.value), what)
		}
		switch {
		case len(r.allow) > 0:
			b.WriteString("  allowed   " + quotedList(r.allow) + "\n")
		case r.hasAllow:
			b.WriteString("  allowed   nothing, the list is empty\n")
		}
		switch others := len(r.deny) - len(r.hit); {
		case len(r.hit) > 0 && others > 0:
			fmt.Fprintf(b, "  denied    %s (and %d that it does not match)\n", quotedList(r.hit), others)
		case len(r.deny) > 0:
			b.WriteString("  denied    " + quotedList(r.deny) + "\n")
		}
	}
}

// quotedList shows at most so many items as of any value.
func quotedList(list []string) string {
	var out []string
	for i, s := range list {
		if i == maxItems {
			out = append(out, fmt.Sprintf("… (%d more)", len(list)-i))
			break
		}
		out = append(out, quoteShown(s))
	}
	return strings.Join(out, ", ")
}

func pathJSON(rules []pathRule) abi.Value {
	texts := func(list []string) abi.Value {
		items := make([]abi.Value, len(list))
		for i, s := range list {
			items[i] = abi.StringValue(s)
		}
		return abi.ArrayValue(items...)
	}
	var out []abi.Value
	for _, r := range rules {
		var values []abi.Value
		for _, v := range r.values {
			values = append(values, object("at", v.at, "value", v.value, "resolved", stated(v.resolved), "why", stated(v.why)))
		}
		one := object("rule", r.rule, "values", abi.ArrayValue(values...), "deny", texts(r.deny))
		if len(r.hit) > 0 {
			one = one.With("denied_by", texts(r.hit))
		}
		if r.hasAllow {
			one = one.With("allow", texts(r.allow))
		}
		out = append(out, one)
	}
	return abi.ArrayValue(out...)
}
