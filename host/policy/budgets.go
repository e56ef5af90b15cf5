package policy

import (
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Budgets returns the budgets that a call of a tool is charged to: its
// max_calls, then the entries of budgets: that name it. definition is as for
// [Policy.Rules].
func (p *Policy) Budgets(server string, definition abi.Value) []contract.Budget {
	return p.budgets(server, definition, nil)
}

func (p *Policy) budgets(server string, definition abi.Value, n *notes) []contract.Budget {
	name := definition.Get("name").Str()
	var list []contract.Budget
	scope := ""
	if p.isFloor {
		scope = "floor:"
	}
	calls := highest(p.stack(server, definition, nil), func(l *level) said[int64] {
		return pick(l, func(t *tool) *int64 { return t.MaxCalls }, fewer)
	}, fewer, "/max_calls", n)
	if calls.ok {
		// Names of budgets hold neither ":" nor "/", so this scope is no other's.
		list = append(list, contract.Budget{
			Rule: calls.hit.rule("/max_calls"), Name: "max_calls", Max: calls.value, Scope: scope + "max_calls:" + server + "/" + name,
		})
	}
	list = append(list, p.budgetsUnder(scope, server, name)...)
	for _, y := range p.layers {
		for i := range y.doc.Budgets {
			b := &y.doc.Budgets[i]
			if !anyKey(b.Tools, server, name) {
				continue
			}
			c := compileBudget(b, y.rule(abi.JoinIndex("/budgets", i)))
			c.Scope = scope + b.Name
			list = append(list, c)
		}
	}
	return list
}

// perDay is how the period of a budget per calendar day starts; a zone follows.
const perDay = "day@"

func fewer(a, b int64) bool { return a < b }

func compileBudget(b *budget, rule string) contract.Budget {
	c := contract.Budget{Rule: rule, Name: b.Name, Max: *b.Max, Weight: text(b.Weight)}
	if zone, daily := strings.CutPrefix(text(b.Per), perDay); daily {
		c.Zone = zone
	} else if b.Per != nil && *b.Per != "session" {
		// The leaf was checked; an unreadable one would be zero: per session.
		c.Window, _ = time.ParseDuration(*b.Per)
	}
	switch text(b.Count) {
	case "commits":
		c.Count = contract.CountCommits
	case "successes":
		c.Count = contract.CountSuccesses
	case "failures":
		c.Count = contract.CountFailures
	}
	return c
}

// join finds the mistakes that only several files together show. alone says
// that a process of one server counts on its own.
func (p *Policy) join(alone bool) []error {
	errs := slices.Concat(p.conflicts(), p.flowConflicts(), p.approvalConflicts(), p.riseConflicts(), p.ungiven())
	errs = append(errs, p.joinRedact()...)
	if p.floor != nil {
		errs = append(errs, p.floor.conflicts()...)
		errs = append(errs, p.floor.flowConflicts()...)
		errs = append(errs, p.floor.approvalConflicts()...)
		errs = append(errs, p.floor.riseConflicts()...)
		for _, y := range slices.Concat(p.layers, p.floor.layers) {
			if s := y.doc.Settings; s != nil && text(s.Mode) == "observe" {
				errs = append(errs, y.errorAt("/settings/mode", "observe beside a floor, which always enforces; remove the mode or the floor"))
			}
		}
	}
	if !alone {
		return errs
	}
	errs = append(errs, p.unshared()...)
	if p.floor != nil {
		errs = append(errs, p.floor.unshared()...)
	}
	return errs
}

// unshared finds the budgets that servers would have to share, which a process
// that wraps one server cannot count without the others of its group.
func (p *Policy) unshared() []error {
	var errs []error
	for _, y := range p.layers {
		for i := range y.doc.Budgets {
			if what := shared(y.doc.Budgets[i].Tools); what != "" {
				errs = append(errs, y.errorAt(abi.JoinIndex("/budgets", i)+"/tools", "%s", sharedText(what)))
			}
		}
	}
	return errs
}

func sharedText(what string) string {
	return "the budget is shared by " + what + ", and a run without --group sees one server; give every run of the client the same --group, as callgate wrap does, or give each server its own budget"
}

// shared says which servers a list of tools spans, if they can be several.
func shared(tools []string) string {
	one := ""
	for _, t := range tools {
		k := parseKey(t)
		switch {
		case isGlob(k.server):
			return "every server that matches \"" + k.server + "\""
		case one != "" && one != k.server:
			return "the servers " + strings.Join([]string{one, k.server}, " and ")
		}
		one = k.server
	}
	return ""
}

// conflicts finds names that two layers give to different things.
func (p *Policy) conflicts() []error {
	var errs []error
	cwd, pack, attests := map[string]string{}, map[string]string{}, map[string]string{}
	stated := map[string]string{}
	one := func(values map[string]string, y *layer, server, member string, v *string) {
		if v == nil {
			return
		}
		at := abi.Join("/servers", server) + "/" + member
		if was, ok := values[server]; ok && was != *v {
			errs = append(errs, y.errorAt(at, "%q, but %s says %q; keep one of them", *v, stated[server+"/"+member], was))
			return
		}
		values[server], stated[server+"/"+member] = *v, y.rule(at)
	}
	named := map[string]string{}
	for _, y := range p.layers {
		for _, e := range y.doc.named() {
			if first, ok := named[e.noun+" "+e.name]; ok {
				errs = append(errs, y.errorAt(e.at+"/name", "%s %q is already in %s; give each its own name", e.noun, e.name, first))
				continue
			}
			named[e.noun+" "+e.name] = y.rule(e.at)
		}
		for _, server := range sortedKeys(y.doc.Servers) {
			s := y.doc.Servers[server]
			one(cwd, y, server, "cwd", s.Cwd)
			one(pack, y, server, "pack", s.Pack)
			one(attests, y, server, "attest", s.Attest.said())
		}
	}
	return errs
}

// namedEntry is an entry of a list whose names are unique in a policy.
type namedEntry struct{ noun, name, at string }

// named lists the entries of a file that have a name of their own.
func (f *file) named() []namedEntry {
	var list []namedEntry
	add := func(noun, name, key string, i int) {
		if name != "" {
			list = append(list, namedEntry{noun, name, abi.JoinIndex("/"+key, i)})
		}
	}
	for i := range f.Budgets {
		add("budget", f.Budgets[i].Name, "budgets", i)
	}
	for i := range f.Schedules {
		add("schedule", f.Schedules[i].Name, "schedules", i)
	}
	for i := range f.Plugins {
		add("plugin", f.Plugins[i].Name, "plugins", i)
	}
	for i := range f.Identities {
		add("identity", f.Identities[i].Name, "identities", i)
	}
	return list
}

// try hands the rules of each entry to the contracts, so that what they refuse
// is reported with its place before anything runs. Packs were tried when they
// were compiled.
func (p *Policy) try(specs []contract.Spec) []error {
	layers := p.layers
	if p.floor != nil {
		layers = slices.Concat(layers, p.floor.layers)
	}
	var errs []error
	for _, y := range layers {
		errs = append(errs, y.try(specs)...)
	}
	return errs
}

func (y *layer) try(specs []contract.Spec) []error {
	var errs []error
	attempt := func(at string, r contract.Rules) {
		for _, spec := range specs {
			if _, err := spec.New(&r); err != nil {
				errs = append(errs, y.errorAt(y.told(at, err), "%v", err))
			}
		}
	}
	y.index()
	for i := range y.keys {
		k, t := &y.keys[i], y.keys[i].tool()
		base := contract.Rules{Server: k.key.server, Tool: k.key.tool, Default: abi.Ask, Unlisted: abi.Ask}
		for j := range t.Args {
			at := abi.JoinIndex(k.at+"/args", j)
			r := base
			r.Args = []contract.Arg{compileArg(&t.Args[j], y.rule(at))}
			r.Args[0].Names = namesOf(t, t.Args[j].Slot)
			attempt(at, r)
		}
		for j := range t.Results {
			at := abi.JoinIndex(k.at+"/results", j)
			r := base
			r.Results = []contract.Arg{compileArg(&t.Results[j], y.rule(at))}
			attempt(at, r)
		}
		l := level{hits: []hit{{layer: y, at: k.at, key: k.key, tool: t}}, trust: true}
		if r := base; t.Sink != nil {
			if r.Sink = joinSink([]level{l}, false, nil); r.Sink == nil && t.Sink.Of != nil {
				// It adds to a sink that another entry, a pack or a guess declares.
				r.Sink = &contract.Sink{Rule: y.rule(k.at + "/sink"), All: true, Trusted: t.Sink.Of.Trusted}
			}
			attempt(k.at+"/sink", r)
		}
	}
	y.tryFlows(attempt)
	y.eachPermit(func(server string, kind abi.CallKind, at string, t *tool) {
		for j := range t.Args {
			at := abi.JoinIndex(at+"/args", j)
			attempt(at, contract.Rules{
				Server: server, Kind: kind, Tool: methodOf(kind), Default: abi.Ask, Args: []contract.Arg{compileArg(&t.Args[j], y.rule(at))},
			})
		}
	})
	return errs
}
