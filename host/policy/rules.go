package policy

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Rules returns what a tool is judged by. definition is the tool's definition
// as listed (name, inputSchema); a definition without a schema gets what the
// files and hand-bound packs say, but neither heuristics nor packs by fit.
func (p *Policy) Rules(server string, definition abi.Value) contract.Rules {
	return p.rules(server, definition, nil)
}

func (p *Policy) rules(server string, definition abi.Value, n *notes) contract.Rules {
	levels := p.stack(server, definition, n)
	s := &p.settings
	r := p.common(server, definition.Get("name").Str())
	r.Kind, r.Tool = abi.KindTool, definition.Get("name").Str()
	r.Unlisted, r.UnlistedAt, r.AskFrom, r.AskFromAt = s.Unlisted, s.UnlistedAt, s.AskFrom, s.AskFromAt
	if v := tighten(levels, verdictOf, stricterOutcome, "/verdict", n); v.ok {
		r.Grant = contract.Grant{Set: true, Outcome: v.value, Rule: v.hit.rule("/verdict")}
	}
	r.Hide = hidden(levels)
	risk := highest(levels, riskOf, func(a, b contract.Risk) bool { return a > b }, "/risk", n)
	r.Risk = risk.value
	undeclared := tighten(levels, undeclaredOf, func(a, b contract.Undeclared) bool { return a > b }, "/undeclared", n)
	if undeclared.ok {
		r.Undeclared, r.UndeclaredAt = undeclared.value, undeclared.hit.rule("/undeclared")
	}
	r.Approve = joinApprove(levels, n)
	r.Args = joinArgs(levels, n)
	r.Results = results(levels, n)
	r.Sink = joinSink(levels, s.Strict, n)
	r.Schedules = p.schedules(server, r.Tool)
	p.flowRules(&r)
	r.Plugins = p.plugins(abi.KindTool, server, r.Tool)
	return r
}

// common is what every call of a server is judged by.
func (p *Policy) common(server, tool string) contract.Rules {
	s := &p.settings
	r := contract.Rules{
		Server: server, Default: s.Default, DefaultAt: s.DefaultAt,
		MaxArgumentBytes: s.MaxArgumentBytes, MaxArgumentBytesAt: s.MaxArgumentBytesAt, Redact: p.redact,
	}
	r.Identities, r.Capability = p.identities(server, tool), p.capability()
	r.Attest = p.attest(server)
	if !p.Server(server).Named {
		r.Unknown = &contract.Grant{Set: true, Outcome: s.UnknownServer, Rule: s.UnknownServerAt}
	}
	return r
}

// hidden returns the rule that hides a tool, or "". No level shows what another
// one hides.
func hidden(levels []level) string {
	for i := range levels {
		for j := range levels[i].hits {
			if h := &levels[i].hits[j]; yes(h.tool.Hide) {
				return h.rule("/hide")
			}
		}
	}
	return ""
}

func stricterOutcome(a, b abi.Outcome) bool { return a < b }

func outcomeOf(s *string) *abi.Outcome {
	if s == nil {
		return nil
	}
	o, _ := abi.ParseOutcome(*s)
	return &o
}

// verdictOf picks the verdict of a level. A grant for exactly one tool, and
// whatever replaces, may be looser than lower levels. A grant of a pack that
// nobody bound by hand is none.
func verdictOf(l *level) said[abi.Outcome] {
	v := pick(l, func(t *tool) *abi.Outcome {
		o := outcomeOf(t.Verdict)
		if o != nil && *o == abi.Allow && !l.trust {
			return nil
		}
		return o
	}, stricterOutcome)
	v.exempt = v.ok && v.value == abi.Allow && v.hit.key.exact()
	return v
}

func riskOf(l *level) said[contract.Risk] {
	return pick(l, func(t *tool) *contract.Risk { return parseRisk(t.Risk) }, func(a, b contract.Risk) bool { return a > b })
}

func parseRisk(s *string) *contract.Risk {
	if s == nil {
		return nil
	}
	r := contract.Risk(1 + slices.Index([]string{"low", "medium", "high", "critical"}, *s))
	return &r
}

func undeclaredOf(l *level) said[contract.Undeclared] {
	return pick(l, func(t *tool) *contract.Undeclared {
		if t.Undeclared == nil {
			return nil
		}
		u := contract.Undeclared(1 + slices.Index([]string{"allow", "sink", "deny"}, *t.Undeclared))
		return &u
	}, func(a, b contract.Undeclared) bool { return a > b })
}

// joinArgs appends the entries of all levels, highest first. An allow or in
// list drops those of lower levels for the same slot or argument, unless it
// says also.
func joinArgs(levels []level, n *notes) []contract.Arg {
	return joinArgsOf(levels, "/args", func(t *tool) []arg { return t.Args }, n)
}

// joinArgsOf is joinArgs for a member of entries that lists such rules.
func joinArgsOf(levels []level, member string, of func(*tool) []arg, n *notes) []contract.Arg {
	var list []contract.Arg
	names := map[string][]string{}
	held := map[string]string{} // slot or argument → rule of the list that holds
	for i := range levels {
		l := &levels[i]
		here := map[string]string{}
		for j := range l.hits {
			h := &l.hits[j]
			for k := range of(h.tool) {
				entry := &of(h.tool)[k]
				a := compileArg(entry, h.rule(abi.JoinIndex(member, k)))
				if a.Slot != "" {
					if _, ok := names[a.Slot]; !ok {
						names[a.Slot] = slotNames(levels, a.Slot)
					}
					a.Names = names[a.Slot]
				}
				id := a.Slot + "=" + a.Arg
				if a.HasAllow || a.HasIn || a.HasPatterns {
					if rule, ok := held[id]; ok {
						n.superseded(rule, a.Rule)
						a.HasAllow, a.Allow, a.HasIn, a.In, a.HasPatterns, a.AllowPattern = false, nil, false, nil, false, nil
					} else if !yes(entry.Also) && !l.fit {
						here[id] = a.Rule
					}
				}
				if a.Slot == "" && !constrained(&a) || repeats(&a, list) {
					continue
				}
				list = append(list, a)
			}
		}
		for id, rule := range here {
			held[id] = rule
		}
	}
	return list
}

// repeats says whether a rule only asks for canonical values, as an earlier one
// for the same values does, no less strictly.
func repeats(a *contract.Arg, list []contract.Arg) bool {
	if a.Slot == "" || a.HasAllow || len(a.Deny) > 0 || a.Literal || a.Require || a.Narrows() {
		return false
	}
	return slices.ContainsFunc(list, func(b contract.Arg) bool {
		return b.Slot == a.Slot && b.Arg == a.Arg && b.Outcome <= a.Outcome
	})
}

// slotNames lists the arguments that entries declare to hold values of a class.
func slotNames(levels []level, slot string) []string {
	var names []string
	for i := range levels {
		for j := range levels[i].hits {
			names = append(names, namesOf(levels[i].hits[j].tool, slot)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func namesOf(t *tool, slot string) []string {
	return slices.DeleteFunc(sortedKeys(t.Slots), func(name string) bool { return t.Slots[name] != slot })
}

func constrained(a *contract.Arg) bool {
	return a.HasIn || a.Match != "" || a.Max != "" || a.Min != "" || a.MaxBytes >= 0 || a.Forbid || a.Require || a.Origin != nil
}

func compileArg(e *arg, rule string) contract.Arg {
	a := contract.Arg{
		Rule: rule, Outcome: abi.Deny, Slot: e.Slot, Arg: e.Arg,
		HasAllow: e.Allow != nil, Allow: e.Allow, Deny: e.Deny, Literal: yes(e.Literal), Fold: yes(e.Fold),
		Match: text(e.Match), In: e.In, HasIn: e.In != nil, Max: text(e.Max), Min: text(e.Min), MaxBytes: -1,
		Forbid: yes(e.Forbid), Require: yes(e.Require), Origin: e.Origin,
	}
	slotMembers(e, &a)
	if e.MaxBytes != nil {
		a.MaxBytes = *e.MaxBytes
	}
	if e.Verdict != nil && *e.Verdict == "ask" {
		a.Outcome = abi.Ask
	}
	switch {
	case e.Origin == nil:
	case e.Verdict == nil:
		a.Unknown = abi.Ask
	default:
		a.Unknown = a.Outcome
	}
	return a
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
