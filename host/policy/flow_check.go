package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// checkFlows finds the mistakes of a file's labels, flows, chains and conditions.
func (c *issues) checkFlows(f *file, role role) {
	missing := func(at, name, want string) {
		if !c.spoiled(at + "/" + name) {
			c.add(at, "no %s; %s", name, want)
		}
	}
	const from, to = "list the tools that it comes from, such as [\"crm/*\"]", "list the tools that it ends in, such as [\"*/http_post\"]"
	eachNamed(c, "labels", f.Labels, func(l *labelEntry, at string) {
		c.named(l.Name, at, "label")
		if len(l.From) == 0 {
			missing(at, "from", from)
		}
		c.checkWhere(l.Where, at+"/where")
	})
	eachNamed(c, "flows", f.Flows, func(l *flow, at string) {
		c.named(l.Name, at, "flow")
		if l.Label == "" {
			missing(at, "label", "name the label that may not flow")
		}
		if len(l.To) == 0 {
			missing(at, "to", to)
		}
		c.checkHeld(l.When, at+"/when")
		c.checkWhere(l.Where, at+"/where")
	})
	eachNamed(c, "chains", f.Chains, func(l *chain, at string) {
		c.named(l.Name, at, "chain")
		if len(l.From) == 0 {
			missing(at, "from", from)
		}
		if len(l.To) == 0 {
			missing(at, "to", to)
		}
		if l.Within != nil && *l.Within == 0 {
			c.add(at+"/within", "0 is no call at all; want 1 or more, or leave it out for every call of the session")
		}
	})
	for _, name := range sortedKeys(f.Tools) {
		t := f.Tools[name]
		c.checkWhen(&t, abi.Join("/tools", name), role)
	}
}

// eachNamed visits the entries of a list, and finds names that two of them have.
func eachNamed[T any, P interface {
	*T
	called() string
}](c *issues, list string, entries []T, visit func(P, string)) {
	first := map[string]int{}
	for i := range entries {
		p, at := P(&entries[i]), abi.JoinIndex("/"+list, i)
		visit(p, at)
		if was, ok := first[p.called()]; ok && p.called() != "" {
			c.add(at+"/name", "%q is also the name of %s[%d]; give each its own name", p.called(), list, was)
			continue
		}
		first[p.called()] = i
	}
}

func (l *labelEntry) called() string { return l.Name }
func (l *flow) called() string       { return l.Name }
func (l *chain) called() string      { return l.Name }

func (c *issues) named(name, at, what string) {
	if name == "" && !c.spoiled(at+"/name") {
		c.add(at, "no name; give the %s a name of its own", what)
	}
}

func (c *issues) checkHeld(h *held, at string) {
	if h != nil && len(h.Labels) == 0 {
		c.entry(at, "no labels; list those that the session must hold, such as labels: [secret]")
	}
}

// checkWhen refuses what an entry that holds only at times could loosen.
func (c *issues) checkWhen(t *tool, at string, role role) {
	if t.When == nil {
		return
	}
	c.checkHeld(t.When, at+"/when")
	if t.Verdict != nil && *t.Verdict == abi.Allow.String() {
		c.add(at+"/verdict", "allow under when: would grant the tool because of a label; grant it in an entry without when")
	}
	if yes(t.Replace) {
		c.add(at+"/replace", "replace under when: would loosen because of a label; replace in an entry without when")
	}
	if s := t.Sink; s != nil && (s.Word == "none" || s.Of != nil && s.Of.Trusted != nil) {
		member := at + "/sink"
		if s.Of != nil {
			member += "/trusted"
		}
		c.add(member, "trust under when: would loosen because of a label; state it in an entry without when")
	}
}

// checkWhere checks the patterns of what only paths have; the others are tried on
// the contracts.
func (c *issues) checkWhere(where map[string][]string, at string) {
	if where != nil && len(where) == 0 {
		c.entry(at, "says nothing; name an argument and a pattern, such as path: \"**/secrets/**\"")
	}
	for _, key := range sortedKeys(where) {
		below := abi.Join(at, key)
		if len(where[key]) == 0 {
			c.entry(below, "an empty list matches nothing; list patterns, or remove it")
		}
		if strings.HasPrefix(key, "/") {
			if err := checkPointer(key); err != nil {
				c.add(below, "%v", err)
			}
		}
		if !contract.PathSlot(key) {
			continue
		}
		for i, pattern := range where[key] {
			if err := checkPattern(pattern); err != nil && !c.spoiled(abi.JoinIndex(below, i)) {
				c.add(abi.JoinIndex(below, i), "%v", err)
			}
		}
	}
}

// whereOfPath says whether the pattern at a pointer is one of a path.
func whereOfPath(at string) bool {
	tokens, _ := abi.Tokens(at)
	n := len(tokens)
	return n >= 2 && contract.PathSlot(tokens[n-2])
}

// checkLabel accepts the name of a label of a policy, or of a plugin's, which has
// the plugin's name in front.
func checkLabel(s string) error {
	plugin, name, ok := strings.Cut(s, ":")
	if !ok {
		return want(isName(s, "._-"), s, "the name of a label: letters, digits, '.', '_', '-', at most 64, behind a plugin's name and ':' if a plugin gives it")
	}
	if !isName(plugin, "._-") || !isName(name, "._-") {
		return fmt.Errorf("%q is not the name of a label of a plugin; want NAME:LABEL, where plugins: has an entry of that name", s)
	}
	return nil
}

// flowConflicts finds names that two layers give to different things.
func (p *Policy) flowConflicts() []error {
	var errs []error
	one := map[string]string{}
	add := func(y *layer, what, list, name string, i int) {
		at := abi.JoinIndex("/"+list, i)
		if first, ok := one[what+name]; ok {
			errs = append(errs, y.errorAt(at+"/name", "%s %q is already in %s; give each its own name", what, name, first))
			return
		}
		one[what+name] = y.rule(at)
	}
	for _, y := range p.layers {
		for i := range y.doc.Labels {
			add(y, "label", "labels", y.doc.Labels[i].Name, i)
		}
		for i := range y.doc.Flows {
			add(y, "flow", "flows", y.doc.Flows[i].Name, i)
		}
		for i := range y.doc.Chains {
			add(y, "chain", "chains", y.doc.Chains[i].Name, i)
		}
	}
	return errs
}

// ungiven finds the labels that rules wait for and nothing gives: no entry of
// labels:, and, of a label with a plugin's name in front, no entry of plugins:.
// Policy and floor give labels to one session, so either may look at what the
// other gives.
func (p *Policy) ungiven() []error {
	given, plugins := map[string]bool{}, map[string]bool{}
	for _, y := range p.all() {
		for i := range y.doc.Labels {
			given[y.doc.Labels[i].Name] = true
		}
		for i := range y.doc.Plugins {
			plugins[y.doc.Plugins[i].Name] = true
		}
	}
	var errs []error
	p.waits(func(y *layer, at, name string) {
		switch plugin, _, ok := strings.Cut(name, ":"); {
		case !ok && !given[name]:
			errs = append(errs, y.errorAt(at, "no entry of labels: gives the label %q%s", name, nearLabel(name, given)))
		case ok && !plugins[plugin]:
			errs = append(errs, y.errorAt(at, "no entry of plugins: has the name %q, so nothing gives the label %q%s", plugin, name, nearPlugin(plugin, plugins)))
		}
	})
	return errs
}

// all lists the layers of policy and floor.
func (p *Policy) all() []*layer {
	if p.floor == nil {
		return p.layers
	}
	return slices.Concat(p.layers, p.floor.layers)
}

// waits visits the labels that rules of policy and floor wait for.
func (p *Policy) waits(look func(y *layer, at, label string)) {
	for _, y := range p.all() {
		held := func(at string, h *held) {
			if h != nil {
				for i, name := range h.Labels {
					look(y, abi.JoinIndex(at+"/when/labels", i), name)
				}
			}
		}
		for i := range y.doc.Flows {
			f, at := &y.doc.Flows[i], abi.JoinIndex("/flows", i)
			look(y, at+"/label", f.Label)
			held(at, f.When)
		}
		for _, name := range sortedKeys(y.doc.Tools) {
			held(abi.Join("/tools", name), y.doc.Tools[name].When)
		}
	}
}

func nearPlugin(name string, plugins map[string]bool) string {
	if best := Closest(name, sortedKeys(plugins)); best != "" {
		return "; did you mean \"" + best + "\"?"
	}
	return "; bind the plugin under that name, or remove this"
}

func nearLabel(name string, given map[string]bool) string {
	if best := Closest(name, sortedKeys(given)); best != "" {
		return "; did you mean \"" + best + "\"?"
	}
	return "; add one, such as labels: [{name: " + name + ", from: [\"crm/*\"]}], or remove this"
}

// tryFlows hands what the files say of labels, flows and chains to the contracts.
func (y *layer) tryFlows(attempt func(at string, r contract.Rules)) {
	base := func() contract.Rules {
		return contract.Rules{Server: "*", Tool: "*", Default: abi.Ask, Unlisted: abi.Ask}
	}
	for i := range y.doc.Labels {
		r, at := base(), abi.JoinIndex("/labels", i)
		r.Labels = []contract.Label{compileLabel(&y.doc.Labels[i], y.rule(at))}
		// The audience is read where the label may not flow.
		r.Flows = []contract.Flow{{Rule: y.rule(at), Label: y.doc.Labels[i].Name, Audience: y.doc.Labels[i].Audience}}
		attempt(at, r)
	}
	for i := range y.doc.Flows {
		r, at := base(), abi.JoinIndex("/flows", i)
		r.Flows = []contract.Flow{compileFlow(&y.doc.Flows[i], y.rule(at))}
		attempt(at, r)
	}
	for i := range y.doc.Chains {
		r, at := base(), abi.JoinIndex("/chains", i)
		r.Chains = []contract.Chain{compileChain(&y.doc.Chains[i], y.rule(at))}
		attempt(at, r)
	}
}
