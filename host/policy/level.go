package policy

import (
	"slices"

	"github.com/callgate/callgate/abi"
)

// hit is one entry that applies to a tool.
type hit struct {
	layer *layer
	at    string // pointer of the entry in its layer
	why   string // heuristics: what was seen, instead of layer and at
	key   key
	tool  *tool
	leaf  bool     // the entry is a verdict itself, and has no members
	spare bool     // heuristics: no destination is required
	mild  bool     // heuristics: every destination is a repository
	rest  []string // and these are the arguments that are none
}

// rule names the entry, or a member of it.
func (h *hit) rule(member string) string {
	if h.layer == nil {
		return "heuristics: " + h.why
	}
	if h.leaf {
		return h.layer.rule(h.at)
	}
	return h.layer.rule(h.at + member)
}

// level is what one layer says of a tool.
type level struct {
	hits  []hit
	trust bool // grants, trusted and sources count
	fit   bool // a pack that nobody bound by hand: it only tightens
}

// replaces returns the hit that starts the tool from nothing, or nil.
func (l *level) replaces() *hit {
	for i := range l.hits {
		if yes(l.hits[i].tool.Replace) {
			return &l.hits[i]
		}
	}
	return nil
}

// stack returns what applies to a tool, highest level first, down to the level
// that replaces the rest.
func (p *Policy) stack(server string, definition abi.Value, n *notes) []level {
	name := definition.Get("name").Str()
	var levels []level
	add := func(l level) {
		if len(l.hits) > 0 {
			levels = append(levels, l)
		}
	}
	for _, y := range p.layers {
		hits := slices.DeleteFunc(y.hits(server, name), func(h hit) bool { return !p.applies(&h) })
		add(level{hits: hits, trust: true})
	}
	if !p.isFloor {
		hand := p.handBound(server)
		bound := slices.Clone(p.packs)
		slices.SortStableFunc(bound, func(a, b *layer) int { return first(a.pack == hand, b.pack == hand) })
		for _, y := range bound {
			for _, l := range y.packLevels(name, definition, y.pack == hand) {
				add(l)
			}
		}
		add(level{hits: heuristics(definition), trust: true})
	}
	for i := range levels {
		if h := levels[i].replaces(); h != nil {
			n.replaced(h, levels[i+1:])
			return levels[:i+1]
		}
	}
	return levels
}

// first orders what holds before what does not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// hits finds the entries of a file that match a tool.
func (y *layer) hits(server, name string) []hit {
	var list []hit
	for i := range y.keys {
		if k := &y.keys[i]; k.key.matches(server, name) {
			list = append(list, hit{layer: y, at: k.at, key: k.key, tool: k.tool()})
		}
	}
	if s, ok := y.doc.Servers[server]; ok && (s.Verdict != nil || s.Replace != nil) {
		k := key{server, "*"} // names hold no glob characters
		list = append(list, hit{layer: y, at: abi.Join("/servers", server), key: k, tool: &tool{Verdict: s.Verdict, Replace: s.Replace}})
	}
	return list
}

// handBound returns the pack that is bound to a server by hand, or "".
func (p *Policy) handBound(server string) string {
	for _, y := range p.layers {
		if s := y.doc.Servers[server]; s.Pack != nil {
			return *s.Pack
		}
		if yes(y.doc.Servers[server].Replace) {
			return ""
		}
	}
	return ""
}

// packLevels finds what a pack says of a tool. The entries that fit count whole
// where the pack is bound by hand, else as far as they tighten. Of one bound by
// hand those about a tool with other arguments tighten, too: whoever bound it did
// not mean that one, so nothing of them grants or vouches.
func (y *layer) packLevels(name string, definition abi.Value, hand bool) []level {
	fitting, other := level{trust: hand, fit: !hand}, level{fit: true}
	var known map[string]bool
	if hand {
		known = y.argsOf(name)
	}
	for i := range y.keys {
		k := &y.keys[i]
		if !glob(k.key.tool, name) {
			continue
		}
		h := hit{layer: y, at: k.at, key: k.key, tool: k.tool()}
		switch {
		case hand && renamed(h.tool, known, definition) != "":
			other.hits = append(other.hits, h)
		case hand || misfit(h.tool, definition) == "":
			fitting.hits = append(fitting.hits, h)
		}
	}
	return []level{fitting, other}
}

// said is what a level says of one scalar.
type said[T any] struct {
	ok     bool
	value  T
	hit    *hit
	exempt bool // may loosen what lower levels say
}

// pick decides one scalar inside a level: the most specific key's, and of equal
// ones the stricter. stricter says whether a is stricter than b.
func pick[T any](l *level, get func(*tool) *T, stricter func(a, b T) bool) said[T] {
	var best said[T]
	for i := range l.hits {
		h := &l.hits[i]
		v := get(h.tool)
		if v == nil {
			continue
		}
		if best.ok {
			was, is := best.hit.key.specificity(), h.key.specificity()
			if is < was || is == was && !stricter(*v, best.value) {
				continue
			}
		}
		best = said[T]{ok: true, value: *v, hit: h}
	}
	return best
}

// tighten joins a scalar over the levels: a looser value of a higher level is
// ignored, unless it is exempt.
func tighten[T any](levels []level, one func(*level) said[T], stricter func(a, b T) bool, member string, n *notes) said[T] {
	var cur said[T]
	for i := range slices.Backward(levels) {
		s := one(&levels[i])
		switch {
		case !s.ok:
		case cur.ok && stricter(cur.value, s.value) && !s.exempt:
			n.ignored(s.hit.rule(member), cur.hit.rule(member))
		default:
			if cur.ok && stricter(cur.value, s.value) {
				n.loosened(s.hit.rule(member), cur.hit.rule(member))
			}
			cur = s
		}
	}
	return cur
}

// highest joins a scalar over the levels: the higher level's, whatever it is.
// What a pack says that nobody bound by hand only counts where it is stricter.
func highest[T any](levels []level, one func(*level) said[T], stricter func(a, b T) bool, member string, n *notes) said[T] {
	var cur said[T]
	for i := range slices.Backward(levels) {
		s := one(&levels[i])
		if !s.ok {
			continue
		}
		if cur.ok && stricter(cur.value, s.value) {
			if levels[i].fit {
				continue
			}
			n.loosened(s.hit.rule(member), cur.hit.rule(member))
		}
		cur = s
	}
	return cur
}
