package builtin

import (
	"fmt"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
)

// Flow judges where data with a label goes.
//
// Policy:
//
//	labels: [{name: secret, from: [filesystem/read_file], where: {path: "**/customer-secrets/**"}, audience: ["*@corp.example"]}]
//	flows:
//	  - {name: no-secret-egress, label: secret, to: ["*/http_post", "slack/*"], scope: session, verdict: deny}
//	  - {name: no-customer-in-tickets, label: private, to: [tracker/*], scope: value, when: {labels: [outside]}, where: {public: "true"}}
//
// Under `scope: session` a call of `to` violates the flow while the session holds
// the label; under `scope: value` if an argument of it holds data with the label:
// the value of an output in any form, or a part of it of 16 letters and digits. A
// call whose every destination is in the label's audience is let through; one
// without a destination is not. A violation yields the flow's verdict, deny or
// ask; where it cannot be told whether data has the label, the call asks.
//
// Codes: FLOW_SESSION, FLOW_VALUE, FLOW_UNSURE.
type Flow struct {
	rules []flowRule
	sink  *sink // nil: the call has no destinations
	base  string
	at    string
}

// flowRule is one entry of flows.
type flowRule struct {
	contract.Flow
	where    where
	audience sink // as if it were trusted
}

// NewFlow returns nil for what no flow ends in.
func NewFlow(r *contract.Rules) (contract.Contract, error) {
	if len(r.Flows) == 0 {
		return nil, nil
	}
	f := &Flow{base: r.Kind.Base(), at: r.Kind.Subject()}
	for _, rule := range r.Flows {
		compiled := flowRule{Flow: rule}
		var err error
		if compiled.where, err = newWhere(rule.Where, r); err != nil {
			return nil, err
		}
		for _, text := range rule.Audience {
			entry, err := newSinkEntry(text)
			if err != nil {
				return nil, fmt.Errorf("audience: %w", err)
			}
			compiled.audience.trusted = append(compiled.audience.trusted, entry)
		}
		f.rules = append(f.rules, compiled)
	}
	if r.Sink != nil && r.Kind.IsTool() {
		c, err := NewSink(r)
		if err != nil {
			return nil, err
		}
		f.sink, _ = c.(*sink)
	}
	return f, nil
}

// Carries implements [contract.Carrier].
func (f *Flow) Carries(s *abi.Snapshot) []abi.Wanted {
	if s.Phase == abi.PhaseCall && slices.ContainsFunc(f.rules, func(r flowRule) bool { return r.Value }) && s.Session.Flows.Data {
		return everything(s)
	}
	return nil
}

// everything lists the scalars of a call that can hold data: no flags, and no
// names that the pinned schema has.
func everything(s *abi.Snapshot) []abi.Wanted {
	known := planner{known: map[string]bool{}}
	known.properties(s.Definition.Schema, 0)
	values, _ := s.Call.Values()
	var out []abi.Wanted
	values.Walk("", func(at string, v abi.Value, key bool) {
		switch {
		case key:
			if !known.known[lastOf(at)] {
				out = append(out, abi.Wanted{At: at, Key: true})
			}
		case v.IsString(), v.Kind() == abi.Number:
			out = append(out, abi.Wanted{At: at})
		}
	})
	return out
}

// lastOf is the name that a pointer ends in.
func lastOf(at string) string {
	tokens, _ := abi.Tokens(at)
	if len(tokens) == 0 {
		return ""
	}
	return tokens[len(tokens)-1]
}

// Judge implements [contract.Contract].
func (f *Flow) Judge(s *abi.Snapshot) abi.Verdict {
	if s.Phase != abi.PhaseCall {
		return contract.Abstain
	}
	var all []violation
	var witness []abi.Evidence
	for i := range f.rules {
		r := &f.rules[i]
		if !r.Value && !s.Session.Holds(r.Label) || !s.Session.HoldsAll(r.When) || !r.where.matches(s) || f.inside(s, r) {
			continue
		}
		found, why := f.value(s, r)
		if !r.Value {
			found, why = f.session(s, r), []abi.Evidence{givenBy(s, r.Label)}
		}
		all, witness = append(all, found...), append(witness, why...)
	}
	v := joined("flow", all)
	if v.Outcome != abi.Abstain {
		v.Witness = witness[:min(len(witness), 16)]
	}
	return v
}

const mendFlow = "ask a person: who runs this host can say where data with the label may go"

// session is what is held against a call because of what the session holds.
func (f *Flow) session(s *abi.Snapshot, r *flowRule) []violation {
	v := violation{outcome: r.Outcome.Known(), code: "FLOW_SESSION", rule: r.Rule, at: f.at, mend: mendFlow}
	v.reason = fmt.Sprintf("flow %q: the session holds the label %q", r.Name, r.Label)
	if g, ok := s.Session.GivenBy(r.Label); ok {
		v.reason += fmt.Sprintf(" since call %s of the server %s", g.Call, g.Server)
	}
	return []violation{v}
}

// givenBy is the call that gave the session a label, as a witness.
func givenBy(s *abi.Snapshot, label string) abi.Evidence {
	g, _ := s.Session.GivenBy(label)
	return abi.Evidence{Call: g.Call, Server: g.Server, Tool: g.Tool, Labels: []string{label}}
}

// value is what is held against a call because of what its arguments hold.
func (f *Flow) value(s *abi.Snapshot, r *flowRule) (all []violation, witness []abi.Evidence) {
	for i := range s.Carried {
		c := &s.Carried[i]
		if !abi.HasLabel(c.Labels, r.Label) {
			continue
		}
		v := violation{outcome: r.Outcome.Known(), code: "FLOW_VALUE", rule: r.Rule, at: f.base + c.At, mend: mendFlow}
		switch {
		case c.Unsure:
			v.outcome, v.code, v.at = abi.Ask, "FLOW_UNSURE", f.at
			v.reason = fmt.Sprintf("flow %q: the call may hold data with the label %q: its text is gone, or more than is looked at", r.Name, r.Label)
		case !slices.Contains(c.Labels, r.Label):
			v.reason = fmt.Sprintf("flow %q: an argument holds data with more labels than are kept, so it may have the label %q", r.Name, r.Label)
		case len(c.Evidence) > 0:
			v.reason = fmt.Sprintf("flow %q: an argument holds data with the label %q, which %s", r.Name, r.Label, placed(c.Evidence[0]))
		default:
			v.reason = fmt.Sprintf("flow %q: an argument holds data with the label %q", r.Name, r.Label)
		}
		all, witness = append(all, v), append(witness, c.Evidence...)
	}
	return all, witness
}

// placed tells where a piece of evidence stands, without the name that a server
// gave its tool.
func placed(e abi.Evidence) string {
	e = masked(e)
	e.Tool = ""
	return e.String()
}

// inside says whether every destination of a call is in the audience of a label.
func (f *Flow) inside(s *abi.Snapshot, r *flowRule) bool {
	if f.sink == nil || len(r.audience.trusted) == 0 {
		return false
	}
	plan := f.sink.plan(s)
	if len(plan.destinations) == 0 || plan.nowhere {
		return false
	}
	values, _ := s.Call.Values()
	for _, d := range plan.destinations {
		text := lastOf(d.at)
		if v := values.At(d.at); !d.key {
			if text = v.Lexeme(); v.IsString() {
				text = v.Str()
			}
		}
		entities, cut := provenance.Canonicalise(text)
		if len(entities) == 0 || cut {
			return false
		}
		for _, e := range entities {
			if !r.audience.trusts(&abi.Finding{Kind: e.Kind, Identity: e.Identity, Value: e.Value, Spoiled: e.Spoiled}) {
				return false
			}
		}
	}
	return true
}
