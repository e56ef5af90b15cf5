package policy

import (
	"maps"
	"slices"
	"strconv"

	"github.com/callgate/callgate/abi"
)

// tool compares an entry of tools:. A new one that holds only under labels can
// only tighten.
func (p *layerPair) tool(at string, a, b abi.Value) {
	if when := b.Get("when"); !a.Exists() && when.Exists() {
		return
	}
	for _, name := range membersOf(a, b) {
		at, a, b := abi.Join(at, name), a.Get(name), b.Get(name)
		switch name {
		case "verdict":
			p.verdict(at, a, b)
		case "sink":
			p.sink(at, a, b)
		case "max_calls":
			p.limit(at, a, b)
		case "risk":
			p.raised(at, a, b, "low", "medium", "high", "critical")
		case "undeclared":
			p.undeclared(at, a, b)
		case "args", "results":
			p.args(at, a, b)
		case "slots":
			// A further name tightens what no value may be, and is one more place where
			// a list that wants a value finds one.
			p.same(at, a, b)
		case "hide":
			if a.True() && !b.True() {
				p.looser(at, "")
			}
		default: // when, approve, replace
			p.same(at, a, b)
		}
	}
}

// limit compares two numbers of what may happen at most. One that was not there
// may replace a lower one of another entry.
func (p *layerPair) limit(at string, a, b abi.Value) {
	if !a.Equal(b) && b.Lexeme() != "0" && (!a.Exists() || !b.Exists() || !less(b, a)) {
		p.looser(at, "")
	}
}

// less compares two numbers. Those that a float can not tell apart are not less.
func less(a, b abi.Value) bool {
	x, errX := strconv.ParseFloat(a.Lexeme(), 64)
	y, errY := strconv.ParseFloat(b.Lexeme(), 64)
	return errX == nil && errY == nil && x < y
}

// raised compares two words of an order that tightens.
func (p *layerPair) raised(at string, a, b abi.Value, order ...string) {
	was, is := slices.Index(order, a.Str()), slices.Index(order, b.Str())
	if !a.Equal(b) && is != len(order)-1 && (!a.Exists() || !b.Exists() || is < was) {
		p.looser(at, "")
	}
}

func (p *layerPair) undeclared(at string, a, b abi.Value) {
	order := []string{"allow", "sink", "deny"}
	is, was := slices.Index(order, b.Str()), slices.Index(order, a.Str()) // -1: absent
	if is < was || was < 0 && is < len(order)-1 && is >= 0 {              // a less specific one may deny
		p.looser(at, "")
	}
}

// sink compares what an entry says of destinations.
func (p *layerPair) sink(at string, a, b abi.Value) {
	if b.IsString() && !a.Equal(b) {
		p.looser(at, "")
		return
	}
	if a.IsString() && !b.IsString() {
		a = abi.Value{} // none: what others say counts again
		if p.loosens.contentOnly() {
			p.looser(at, "the destinations that are guessed may be all that is judged")
		}
	}
	if !a.Get("to").Exists() && a.Get("content").Exists() && !b.Get("to").Exists() && !b.Get("content").Exists() {
		p.looser(at, "declares no sink any more")
	}
	for _, name := range membersOf(a, b) {
		at, a, b := abi.Join(at, name), a.Get(name), b.Get(name)
		switch name {
		case "to":
			all := b.Exists() && b.Len() == 0
			switch {
			case all:
			case a.Exists() && (a.Len() == 0 || !subset(b, a)):
				p.looser(at, "")
			case !a.Exists() && p.loosens.contentOnly():
				p.looser(at, "every argument may have been a destination before")
			}
		case "content", "trusted":
			if !subset(a, b) {
				p.looser(at, "")
			}
		case "on":
			for _, position := range membersOf(a, b) {
				p.verdict(abi.Join(at, position), a.Get(position), b.Get(position))
			}
		case "payload":
			p.verdict(at, a, b)
		case "override":
			if b.Exists() && !a.Equal(b) {
				p.looser(at, "")
			}
		default:
			p.same(at, a, b)
		}
	}
}

// contentOnly says whether an entry of the old policy declares a sink and none of
// its destinations. Every argument is one then, until any entry names one.
func (l *loosens) contentOnly() bool {
	return slices.ContainsFunc(slices.Concat(l.old.layers, l.old.packs), func(y *layer) bool {
		return slices.ContainsFunc(y.typed().toolsIn(), func(t tool) bool {
			return t.Sink != nil && t.Sink.Of != nil && t.Sink.Of.To == nil && t.Sink.Of.Content != nil
		})
	})
}

func (f *file) toolsIn() []tool { return slices.Collect(maps.Values(f.Tools)) }

// args compares rules about arguments: those that are the same in both, then
// those that are about the same values, then what is new or gone.
func (p *layerPair) args(at string, a, b abi.Value) {
	gone := slices.Clone(a.Items())
	for i, entry := range b.Items() {
		if j := slices.IndexFunc(gone, entry.Equal); j >= 0 {
			gone = slices.Delete(gone, j, j+1)
			continue
		}
		at := abi.JoinIndex(at, i)
		j := slices.IndexFunc(gone, func(old abi.Value) bool {
			return old.Get("slot").Equal(entry.Get("slot")) && old.Get("arg").Equal(entry.Get("arg")) && !slices.ContainsFunc(b.Items(), old.Equal)
		})
		if j < 0 {
			if lists := entry.Get("allow").Exists() || entry.Get("in").Exists() || entry.Get("allow_pattern").Exists(); lists && !entry.Get("also").True() {
				p.looser(at, "its list may replace one that holds")
			}
			continue
		}
		p.arg(at, gone[j], entry)
		gone = slices.Delete(gone, j, j+1)
	}
	for _, old := range gone {
		i := slices.IndexFunc(a.Items(), old.Equal)
		p.add(p.from.rule(abi.JoinIndex(at, i)), "removed")
	}
}

// arg compares two rules about the same values.
func (p *layerPair) arg(at string, a, b abi.Value) {
	for _, name := range membersOf(a, b) {
		origin := b.Get("origin").Exists()
		a, b, ok := a.Get(name), b.Get(name), false
		switch name {
		case "allow", "in", "allow_pattern":
			ok = a.Exists() && b.Exists() && subset(a, b)
		case "except":
			ok = subset(a, b)
		case "origin":
			ok = b.Len() > 0 && (!a.Exists() || subset(a, b))
		case "deny", "deny_pattern", "deny_keyword":
			ok = subset(b, a)
		case "literal", "forbid", "require", "private":
			ok = b.True() || b.Str() == "deny"
		case "symlinks":
			ok = b.Str() == "resolve"
		case "match":
			ok = !a.Exists()
		case "max", "max_bytes":
			ok = b.Exists() && (!a.Exists() || less(b, a))
		case "min":
			ok = b.Exists() && (!a.Exists() || less(a, b))
		case "verdict": // a value that nobody vouches for asks, where nothing is said
			ok = b.Str() == "deny" || !b.Exists() && (!origin || a.Str() == "ask")
		}
		if !ok && !a.Equal(b) {
			p.looser(abi.Join(at, name), "")
		}
	}
}

// server compares an entry of servers:. One that is named is known from then on.
func (p *layerPair) server(at, name string, a, b abi.Value) {
	if !a.Exists() && p.loosens.old.settings.UnknownServer != abi.Allow && !p.loosens.old.Server(name).Named {
		p.looser(at, "the server is not unknown any more")
	}
	for _, member := range membersOf(a, b) {
		at, a, b := abi.Join(at, member), a.Get(member), b.Get(member)
		switch member {
		case "verdict":
			p.verdict(at, a, b)
		case "outputs":
			if !a.Equal(b) && b.Str() != "untrusted" && a.Str() != "trusted" {
				p.looser(at, "")
			}
		case "env":
			if !b.Exists() || a.Exists() && !subset(a, b) {
				p.looser(at, "")
			}
		case "attest":
			if a.Exists() {
				p.same(at, a, b)
			}
		case "requests", "methods":
			for _, kind := range membersOf(a, b) {
				p.permit(abi.Join(at, kind), a.Get(kind), b.Get(kind))
			}
		case "resources", "prompts", "completions":
			p.permit(at, a, b)
		default: // pack, text, cwd, replace
			p.same(at, a, b)
		}
	}
}

// permit compares what is said of a kind of calls: a word, or more.
func (p *layerPair) permit(at string, a, b abi.Value) {
	if a.IsString() || b.IsString() {
		word := func(v abi.Value) abi.Value {
			if v.Kind() == abi.Object {
				return v.Get("verdict")
			}
			return v
		}
		if a.Kind() == abi.Object && a.Len() > 1 || b.Get("replace").Exists() {
			p.same(at, a, b)
			return
		}
		p.verdict(at, word(a), word(b))
		if b.Str() != "deny" {
			p.args(abi.Join(at, "args"), a.Get("args"), b.Get("args"))
		}
		return
	}
	for _, name := range membersOf(a, b) {
		at, a, b := abi.Join(at, name), a.Get(name), b.Get(name)
		switch name {
		case "verdict":
			p.verdict(at, a, b)
		case "args":
			p.args(at, a, b)
		default:
			p.same(at, a, b)
		}
	}
}
