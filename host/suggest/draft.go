package suggest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
)

// grant is what a draft says of one tool.
type grant struct {
	name    toolName
	key     string // "" : no policy can name it
	ask     bool   // a person decides about every call
	calls   []*call
	refused []*call
	most    int64    // attempts that are allowed in a session
	globs   []string // of paths, as they stand in the file
	wide    []string // paths that are granted one by one, since their directory is too much
	values  []values
	trusted []string
	kept    []finding // destinations that stay a question
	carried carried
}

// finding is a destination that does not become trusted, and why.
type finding struct{ value, why string }

// draft is a policy in the making.
type draft struct {
	s     *survey
	o     *observation
	opts  Options
	tools []*grant // in the order of the file
}

// maxTrusted bounds how many destinations of one tool a draft trusts.
const maxTrusted = 256

func drafted(s *survey, o *observation, opts Options) *draft {
	d := &draft{s: s, o: o, opts: opts}
	by := map[toolName]*grant{}
	var names []toolName
	for _, c := range o.calls {
		g := by[c.name]
		if g == nil {
			g = &grant{name: c.name}
			g.key, _ = toolKey(c.name)
			by[c.name] = g
			names = append(names, c.name)
		}
		if c.refused != "" {
			g.refused = append(g.refused, c)
			continue
		}
		g.calls = append(g.calls, c)
		g.ask = g.ask || c.byPerson
	}
	sortTools(names)
	for _, t := range names {
		g := by[t]
		d.tools = append(d.tools, g)
		if len(g.calls) > 0 {
			d.fill(g)
		}
	}
	d.unlike()
	for _, g := range d.tools {
		g.expect()
	}
	return d
}

// granted lists the tools that are granted.
func (d *draft) granted() []*grant {
	return slices.DeleteFunc(slices.Clone(d.tools), func(g *grant) bool { return len(g.calls) == 0 })
}

func (d *draft) fill(g *grant) {
	used := d.o.most[g.name]
	g.most = used + max(2, used/4)
	d.paths(g)
	g.values = closedValues(g.calls)
	d.destinations(g)
	g.carried = d.s.carry(g.name, d.s.plain)
}

// destinations sorts the destinations of a tool into those that become trusted
// and those that stay a question.
func (d *draft) destinations(g *grant) {
	done := map[identity]bool{}
	kept := map[identity]finding{}
	var order []identity
	each := func(echoed bool) {
		for _, c := range g.calls {
			for _, f := range c.targets {
				id := identity{f.Kind, f.Identity}
				if done[id] || echoed != (len(f.Evidence) > 0 && !fromOutput(f.Evidence)) {
					continue
				}
				text, why := d.trust(f, c)
				if why == "" && len(g.trusted) == maxTrusted {
					why = "there are more than a list is for"
				}
				if done[id] = why == ""; done[id] {
					add(&g.trusted, text)
				} else if _, ok := kept[id]; !ok {
					kept[id] = finding{f.Value, why}
					order = append(order, id)
				}
			}
		}
	}
	each(false) // as it was named first
	each(true)  // and what only ever was an echo of what another tool was told
	for _, id := range order {
		if !done[id] {
			g.kept = append(g.kept, kept[id])
		}
	}
	slices.Sort(g.trusted)
}

func (d *draft) tainted(id identity) bool {
	_, ok := d.o.tainted[id]
	return ok
}

// plainName is a destination without a grammar, such as a channel, that a draft
// trusts: nothing that a server could decode into another one.
var plainName = regexp.MustCompile(`^[#@]?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// trust returns the entry of trusted: that names a destination, or why there is
// none. What an output brought is never one.
func (d *draft) trust(f abi.Finding, c *call) (text, why string) {
	id := identity{f.Kind, f.Identity}
	switch {
	case d.tainted(id):
		why = "it came from an output"
		if e := d.o.tainted[id]; e.Call != "" || e.Pointer != "" {
			why = "it " + e.String()
		}
		return "", why
	case len(f.Evidence) > 0:
		return "", "an output holds it, too"
	case c.gap:
		return "", "what other servers of its group had said is not in these ledgers"
	case c.tainted:
		return "", "it was sent together with what came from an output"
	case f.Origin != abi.OriginUnproven && f.Origin != abi.OriginClient:
		return "", "who vouches for it is not known"
	case f.Spoiled != "":
		return "", "it holds " + f.Spoiled
	case opaque(f.Kind) && (f.Key || !declares(c.declared, f.At)):
		return "", "it is no argument that the tool's sink names"
	case opaque(f.Kind) && !plainName.MatchString(f.Value):
		return "", "it is neither an address nor a plain name"
	}
	for _, text := range []string{f.Identity, f.Value} {
		if names(text, f) {
			return text, ""
		}
	}
	return "", "no entry names exactly this destination"
}

func opaque(kind string) bool {
	return kind == provenance.KindText || kind == provenance.KindHandle || kind == provenance.KindPath
}

// declares says whether a value is below an argument that the sink names.
func declares(to []string, at string) bool {
	tokens, _ := abi.Tokens(at)
	for _, entry := range to {
		own := []string{entry}
		if strings.HasPrefix(entry, "/") {
			own, _ = abi.Tokens(entry)
		}
		last := own[len(own)-1]
		for _, t := range tokens {
			if strings.EqualFold(squash(t), squash(last)) {
				return true
			}
		}
	}
	return false
}

func squash(s string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(s)
}

// names says whether an entry of trusted: names this destination and loads.
func names(text string, f abi.Finding) bool {
	if text == "" || len(text) > 1024 || strings.Contains(text, "*") || strings.ContainsFunc(text, func(r rune) bool { return !approval.Visible(r) }) {
		return false
	}
	entities, cut := provenance.Canonicalise(text)
	if cut || len(entities) != 1 || entities[0].Spoiled != "" || entities[0].Identity != f.Identity {
		return false
	}
	if entities[0].Kind != f.Kind && !(opaque(f.Kind) && opaque(entities[0].Kind)) {
		return false
	}
	_, err := builtin.NewSink(&contract.Rules{Sink: &contract.Sink{To: []string{"to"}, Trusted: []string{text}}})
	return err == nil
}

// unlike takes back every destination that imitates another one: of two that
// look the same, a person has to say which is meant.
func (d *draft) unlike() {
	var all []string
	for _, g := range d.tools {
		for _, t := range g.trusted {
			add(&all, t)
		}
	}
	index := provenance.New(provenance.Options{})
	for _, g := range d.tools {
		g.trusted = slices.DeleteFunc(g.trusted, func(t string) bool {
			args := abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue(t)})
			for _, f := range index.Explain(args, []abi.Wanted{{At: "/to", Trusted: all}}) {
				if len(f.Evidence) > 0 {
					g.kept = append(g.kept, finding{t, "it looks like another destination that was used"})
					return true
				}
			}
			return false
		})
	}
}

// expect says which calls a person is asked about under the draft.
func (g *grant) expect() {
	for _, c := range g.calls {
		c.asks = g.ask || c.tainted || c.nowhere || slices.ContainsFunc(c.targets, func(f abi.Finding) bool { return !g.trusts(f) })
	}
}
