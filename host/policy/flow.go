package policy

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// flowRules adds what the layers say of labels, flows and chains of a tool, or of
// a method of another kind of call.
func (p *Policy) flowRules(r *contract.Rules) {
	here := func(keys []string) bool { return contract.MatchAny(keys, r.Server, r.Tool) }
	audience := map[string][]string{}
	for _, y := range p.layers {
		for i := range y.doc.Labels {
			l := &y.doc.Labels[i]
			audience[l.Name] = l.Audience
			if here(l.From) {
				r.Labels = append(r.Labels, compileLabel(l, y.rule(abi.JoinIndex("/labels", i))))
			}
		}
	}
	for _, y := range p.layers {
		for i := range y.doc.Flows {
			if f := &y.doc.Flows[i]; here(f.To) {
				c := compileFlow(f, y.rule(abi.JoinIndex("/flows", i)))
				c.Audience = audience[f.Label]
				r.Flows = append(r.Flows, c)
			}
		}
		for i := range y.doc.Chains {
			if c := &y.doc.Chains[i]; here(c.To) {
				r.Chains = append(r.Chains, compileChain(c, y.rule(abi.JoinIndex("/chains", i))))
			}
		}
	}
	r.Tracks = len(audience) > 0 || p.HasPlugins() // which give labels, too
}

func compileLabel(l *labelEntry, rule string) contract.Label {
	return contract.Label{Rule: rule, Name: l.Name, Where: compileWhere(l.Where)}
}

func compileFlow(f *flow, rule string) contract.Flow {
	c := contract.Flow{Rule: rule, Name: f.Name, Label: f.Label, Value: text(f.Scope) == "value", Outcome: violates(f.Verdict), Where: compileWhere(f.Where)}
	if f.When != nil {
		c.When = f.When.Labels
	}
	return c
}

func compileChain(c *chain, rule string) contract.Chain {
	out := contract.Chain{Rule: rule, Name: c.Name, From: c.From, Outcome: violates(c.Verdict)}
	if c.Within != nil {
		out.Within = *c.Within
	}
	return out
}

// violates is what the verdict of a rule makes of a call that breaks it.
func violates(verdict *string) abi.Outcome {
	if text(verdict) == abi.Ask.String() {
		return abi.Ask
	}
	return abi.Deny
}

func compileWhere(where map[string][]string) []contract.Where {
	var list []contract.Where
	for _, key := range sortedKeys(where) {
		list = append(list, contract.Where{Key: key, Patterns: where[key]})
	}
	return list
}

// entry names one entry of tools: that holds only while the session holds labels.
type whenEntry struct {
	layer *layer
	at    string
	needs []string
}

// whens lists the entries that hold of a tool while the session holds labels,
// highest layer first.
func (p *Policy) whens(server, tool string) []whenEntry {
	var list []whenEntry
	for _, y := range p.layers {
		for i := range y.keys {
			if k := &y.keys[i]; k.key.matches(server, tool) {
				if w := k.tool().When; w != nil {
					list = append(list, whenEntry{y, k.at, w.Labels})
				}
			}
		}
	}
	return list
}

// applies says whether an entry counts: one without a condition does, and of the
// others the one that is looked at.
func (p *Policy) applies(h *hit) bool {
	if h.tool.When == nil {
		return true
	}
	return p.under != nil && h.layer == p.under.layer && h.at == p.under.at
}

// RulesUnder returns what a tool is judged by beside [Policy.Rules] while the
// session holds labels: one set of rules for each entry whose labels it holds,
// made of the entries without a condition and that one. Since the strictest of
// all holds, no label ever loosens.
func (p *Policy) RulesUnder(server string, definition abi.Value, holds func([]string) bool) []contract.Rules {
	var list []contract.Rules
	for _, w := range p.whens(server, definition.Get("name").Str()) {
		if holds(w.needs) {
			under := *p
			under.under = &w
			list = append(list, under.rules(server, definition, nil))
		}
	}
	return list
}

// budgetsUnder returns the max_calls of entries that hold only while the session
// holds labels. They are charged always.
func (p *Policy) budgetsUnder(scope, server, name string) []contract.Budget {
	var list []contract.Budget
	for _, w := range p.whens(server, name) {
		for i := range w.layer.keys {
			k := &w.layer.keys[i]
			if k.at != w.at || k.tool().MaxCalls == nil {
				continue
			}
			needs := slices.Clone(w.needs)
			slices.Sort(needs)
			list = append(list, contract.Budget{
				Rule: w.layer.rule(w.at + "/max_calls"), Name: "max_calls", Max: *k.tool().MaxCalls, When: strings.Join(needs, " "),
				Scope: scope + "max_calls:" + server + "/" + name + "\x00" + w.layer.label + w.at,
			})
		}
	}
	return list
}

// Labels lists the labels that the policy and its floor know: those that an entry
// gives, and those that one waits for.
func (p *Policy) Labels() []string {
	var list []string
	for _, y := range p.all() {
		for i := range y.doc.Labels {
			list = append(list, y.doc.Labels[i].Name)
		}
	}
	p.waits(func(_ *layer, _, label string) { list = append(list, label) })
	slices.Sort(list)
	return slices.Compact(list)
}

// Conditions lists the labels on which entries of tools: and its floor's depend.
func (p *Policy) Conditions() []string {
	var list []string
	for _, y := range p.layers {
		for i := range y.keys {
			if w := y.keys[i].tool().When; w != nil {
				list = append(list, w.Labels...)
			}
		}
	}
	if p.floor != nil {
		list = append(list, p.floor.Conditions()...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
