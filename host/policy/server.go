package policy

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/packs"
)

// Server is what a policy says of a server as a whole.
type Server struct {
	Named   bool     // servers: names it
	Env     []string // with HasEnv: the variables that it gets, sorted
	HasEnv  bool     // false: it gets everything but CALLGATE_*
	Cwd     string   // absolute directory that it is started in, and its relative paths start from; "" if not stated
	CwdAt   string   // rule of Cwd
	Trusted bool     // outputs: trusted; its results do not taint
	Pack    string   // bound by hand, "" if none
}

// Server joins what the layers say of a server.
func (p *Policy) Server(name string) Server {
	var out Server
	said, untrusted := false, false
	dropped := false
	for _, y := range p.layers {
		s, ok := y.doc.Servers[name]
		if !ok {
			continue
		}
		out.Named = true
		if dropped {
			continue
		}
		if s.Env != nil {
			if out.HasEnv {
				out.Env = slices.DeleteFunc(out.Env, func(v string) bool { return !slices.Contains(s.Env, v) })
			} else {
				out.Env, out.HasEnv = set(s.Env), true
			}
		}
		if s.Cwd != nil && out.Cwd == "" {
			out.Cwd, out.CwdAt = *s.Cwd, y.rule(abi.Join("/servers", name)+"/cwd")
		}
		if s.Pack != nil && out.Pack == "" {
			out.Pack = *s.Pack
		}
		if s.Outputs != nil {
			said = true
			untrusted = untrusted || *s.Outputs != "trusted"
		}
		dropped = yes(s.Replace)
	}
	out.Trusted = said && !untrusted
	if p.floor == nil {
		return out
	}
	f := p.floor.Server(name)
	if f.HasEnv && out.HasEnv {
		out.Env = slices.DeleteFunc(out.Env, func(v string) bool { return !slices.Contains(f.Env, v) })
	} else if f.HasEnv {
		out.Env, out.HasEnv = f.Env, true
	}
	out.Trusted = out.Trusted && !p.floor.distrusts(name)
	return out
}

// distrusts says whether a layer states that a server's results taint.
func (p *Policy) distrusts(name string) bool {
	return slices.ContainsFunc(p.layers, func(y *layer) bool {
		s := y.doc.Servers[name]
		return s.Outputs != nil && *s.Outputs != "trusted"
	})
}

// Source is what a tool's results vouch for.
type Source struct {
	Trusted    bool              // outputs: trusted; the results do not taint
	WholeField bool              // whole fields vouch, prose never does
	Fields     map[string]string // pointer with * segments → addressing, trusted or untrusted; nil if none
	Text       string            // how text is read: json, yaml, headers, prose; "" is found out
}

// Source joins what vouches for a tool: files and the pack that is bound by
// hand.
func (p *Policy) Source(server, tool string) Source {
	return p.SourceOf(server, abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue(tool)}))
}

// SourceOf is [Policy.Source] of a tool as the server defines it: a pack that is
// bound by hand does not vouch for one with other arguments than it knows.
func (p *Policy) SourceOf(server string, definition abi.Value) Source {
	tool := definition.Get("name").Str()
	out := Source{Trusted: p.Server(server).Trusted}
	layers := slices.Clone(p.layers)
	if hand := p.handBound(server); hand != "" {
		layers = append(layers, p.pack(hand)...)
	}
	for _, y := range layers {
		sources := y.typed().Sources
		if y.pack != "" && len(y.packLevels(tool, definition, true)[1].hits) > 0 {
			sources = nil
		}
		for _, name := range sortedKeys(sources) {
			k, s := parseKey(name), sources[name]
			if y.pack != "" && k.tool != tool || y.pack == "" && !k.matches(server, tool) {
				continue
			}
			out.Trusted = out.Trusted || s.Outputs != nil
			out.WholeField = out.WholeField || yes(s.WholeField)
			for field, what := range s.Fields {
				if out.Fields == nil {
					out.Fields = map[string]string{}
				}
				if was, ok := out.Fields[field]; !ok || vouching(what) < vouching(was) {
					out.Fields[field] = what
				}
			}
		}
		if out.Text == "" {
			out.Text = y.textOf(server, tool)
		}
		if y.starts(server, tool) {
			break
		}
	}
	if p.floor != nil && p.floor.distrusts(server) {
		out.Trusted = false
	}
	return out
}

// vouching orders what a field may be, strictest first.
func vouching(what string) int {
	return slices.Index([]string{"untrusted", "addressing", "trusted"}, what)
}

// textOf returns how a layer reads a tool's text: an exact name before globs,
// and of several globs the longest.
func (y *layer) textOf(server, tool string) string {
	if y.pack != "" {
		server = "*"
	}
	texts := y.typed().Servers[server].Text
	if mode, ok := texts[tool]; ok {
		return mode
	}
	best := ""
	for _, name := range sortedKeys(texts) {
		if glob(name, tool) && len(name) > len(best) {
			best = name
		}
	}
	return texts[best]
}

// starts says whether a layer replaces all lower ones for a tool.
func (y *layer) starts(server, tool string) bool {
	l := level{hits: y.hits(server, tool)}
	return y.pack == "" && l.replaces() != nil
}

// pack returns the pack of this name, if it may bind.
func (p *Policy) pack(name string) []*layer {
	i := slices.IndexFunc(p.packs, func(y *layer) bool { return y.pack == name })
	if i < 0 {
		return nil
	}
	return p.packs[i : i+1]
}

// Binding says how a pack is bound to a server.
type Binding struct {
	Pack    string
	Hand    bool // by servers.<name>.pack: everything counts; else by fit: what tightens
	All     bool // it is about every server, and packs: names it
	Entries []BoundEntry
}

// BoundEntry is one entry of a pack.
type BoundEntry struct {
	Tool string
	Rule string
	Fits bool
	Why  string // why it does not fit, "" if it does
	// Renamed says of a pack that is bound by hand that the tool has other
	// arguments than the entry, which then grants nothing and only tightens.
	Renamed bool
}

// Bindings lists the packs that bind to a server with these tools, and what of
// them fits. list holds tool definitions as listed.
func (p *Policy) Bindings(server string, list []abi.Value) []Binding {
	var out []Binding
	hand := p.handBound(server)
	for _, y := range p.packs {
		b := Binding{Pack: y.pack, Hand: y.pack == hand, All: packs.ForAll(y.pack)}
		fits := false
		for i := range y.keys {
			k := &y.keys[i]
			e := BoundEntry{Tool: k.key.tool, Rule: y.rule(k.at), Why: "the server does not list it"}
			for _, d := range list {
				if glob(k.key.tool, d.Get("name").Str()) {
					e.Why, e.Renamed = misfit(k.tool(), d), b.Hand && renamed(k.tool(), y.argsOf(d.Get("name").Str()), d) != ""
				}
				if e.Why == "" {
					break
				}
			}
			e.Fits = e.Why == ""
			fits = fits || e.Fits
			b.Entries = append(b.Entries, e)
		}
		if b.Hand || b.All || fits {
			out = append(out, b)
		}
	}
	return out
}
