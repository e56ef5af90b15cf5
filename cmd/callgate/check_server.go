package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
)

// servers reports the servers that the policy names and no list is of, and the
// other way round: with a misspelt name a rule is about nothing. A policy may
// well be checked against some of its servers only, so it is a note. A list of a
// server whose name is one slip away from one without a list is an error.
func (c *checker) servers() {
	listed := sortedKeys(c.tools)
	if len(listed) == 0 {
		return
	}
	named := map[string]bool{}
	for _, y := range layersOf(c.policy.Value()) {
		for _, k := range serversOf(y) {
			first := !named[k.name]
			named[k.name] = true
			if !first || slices.Contains(listed, k.name) {
				continue
			}
			text := fmt.Sprintf("no list of server %q is given, so what is said of it was not checked", k.name)
			if best := policy.Closest(k.name, listed); best != "" {
				text += fmt.Sprintf("; did you mean %q?", best)
			} else {
				text += "; give --tools " + k.name + "=FILE"
			}
			c.add(problem{code: codeUnknownServer, rule: y.rule(k.at), text: text})
		}
	}
	for _, server := range listed {
		if len(named) == 0 || named[server] {
			continue
		}
		slip := slices.ContainsFunc(sortedKeys(named), func(name string) bool {
			return policy.OneSlip(server, name) && !slices.Contains(listed, name)
		})
		text := fmt.Sprintf("--tools %s: the policy does not name this server", server)
		if best := policy.Closest(server, sortedKeys(named)); best != "" {
			text += fmt.Sprintf("; did you mean %q?", best)
		} else {
			text += "; only rules for every server are about it"
		}
		c.add(problem{fault: slip, code: codeUnknownServer, text: text})
	}
}

// serverName is a server that a file names, with the place of the name.
type serverName struct{ at, name string }

// serversOf lists the servers that a file names without a glob.
func serversOf(y file) []serverName {
	var out []serverName
	key := func(at, key string) {
		if server, _, ok := strings.Cut(key, "/"); ok && !strings.ContainsAny(server, `*?[\`) {
			out = append(out, serverName{at, server})
		}
	}
	for _, m := range y.doc.Get("servers").Members() {
		out = append(out, serverName{abi.Join("/servers", m.Name), m.Name})
	}
	for _, part := range []string{"tools", "sources"} {
		for _, m := range y.doc.Get(part).Members() {
			key(abi.Join("/"+part, m.Name), m.Name)
		}
	}
	for i, b := range y.doc.Get("budgets").Items() {
		for j, k := range b.Get("tools").Items() {
			key(abi.JoinIndex(abi.JoinIndex("/budgets", i)+"/tools", j), k.Str())
		}
	}
	return out
}

// binding reports how a pack binds to a server, and what of a pack that is bound
// by hand does not fit. One that fits nothing is another server's, and so is one
// of which less fits than of another pack.
func (c *checker) binding(server string, b policy.Binding, all []policy.Binding) {
	if b.All {
		c.add(problem{code: codePackBound, text: fmt.Sprintf("pack %s is about every server, %s among them, since packs: names it", b.Pack, plainName(server))})
		return
	}
	fits := fitting(b)
	how := "by fit: only what restricts counts"
	switch another := slices.ContainsFunc(all, func(o policy.Binding) bool { return o.Hand || fitting(o) > fits }); {
	case b.Hand:
		how = "by hand: everything in it counts"
	case !another:
		how += "; bind it by hand with servers: {" + plainName(server) + ": {pack: " + b.Pack + "}} for its grants"
	}
	if b.Hand && fits == 0 && len(b.Entries) > 0 {
		c.add(problem{fault: true, code: codePackMisfit, rule: c.packRule(server, b.Pack), text: fmt.Sprintf(
			"pack %s is for another server: none of its %s fits a tool of %q; bind the pack of this server, or remove pack:",
			b.Pack, plural.Of(len(b.Entries), "entry"), server)})
		return
	}
	for _, e := range b.Entries {
		if b.Hand && !e.Fits {
			c.add(problem{code: codePackMisfit, rule: e.Rule, text: fmt.Sprintf("does not fit %s/%s%s: %s", server, e.Tool, tightens(e), e.Why)})
		}
	}
	c.add(problem{code: codePackBound, text: fmt.Sprintf("pack %s binds to %s %s (%d of %s fit)", b.Pack, server, how, fits, plural.Of(len(b.Entries), "entry"))})
}

// fitting counts the entries of a pack that have their tool.
func fitting(b policy.Binding) int {
	n := 0
	for _, e := range b.Entries {
		if e.Fits && !b.All {
			n++
		}
	}
	return n
}

// tightens says of an entry what is left of it where the tool is another one.
func tightens(e policy.BoundEntry) string {
	if e.Renamed {
		return ", which has other arguments, so it only restricts and grants nothing"
	}
	return ""
}

// packRule is where a pack is bound by hand.
func (c *checker) packRule(server, pack string) string {
	at := abi.Join("/servers", server) + "/pack"
	for _, y := range layersOf(c.policy.Value()) {
		if y.doc.At(at).Str() == pack {
			return y.rule(at)
		}
	}
	return ""
}

// addPinned adds the tools that a group has pinned, of servers without a list.
func addPinned(tools map[string][]abi.Value, of pinPlace) error {
	if of.group == "" && of.ledger == "" {
		return nil
	}
	list, err := of.known("")
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for _, k := range list {
		if _, given := tools[k.server]; given && !found[k.server] {
			continue
		}
		for _, tool := range sortedKeys(k.tools) {
			found[k.server] = true
			if !named(tools[k.server], tool).Exists() {
				tools[k.server] = append(tools[k.server], k.tools[tool].Definition)
			}
		}
	}
	if len(found) == 0 && len(tools) == 0 {
		return failed(fmt.Errorf("nothing is pinned in a group %q; callgate tools ls lists the groups", cmp.Or(of.group, of.ledger)))
	}
	return nil
}
