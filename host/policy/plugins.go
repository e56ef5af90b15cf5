package policy

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/regular"
)

// maxModule is how many bytes a module may have: ABI.md, under fuel.
const maxModule = 16 << 20

// ReadModule reads the file of a module, a regular one, of at most the accepted
// size, and one byte: what [Options.Module] is by default.
func ReadModule(name string) ([]byte, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadModuleFrom(f)
}

// ReadModuleFrom reads the bytes of a module, like [ReadModule].
func ReadModuleFrom(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxModule+1)) }

// checkPlugins finds the mistakes that a file shows without its modules.
func (c *issues) checkPlugins(f *file) {
	names := map[string]int{}
	for i := range f.Plugins {
		p, at := &f.Plugins[i], abi.JoinIndex("/plugins", i)
		first, again := names[p.Name]
		switch {
		case c.spoiled(at):
			continue
		case p.Name == "":
			c.add(at, "no name; give the plugin a name of its own")
			continue
		case again:
			c.add(at+"/name", "plugin %q is also plugins[%d]; give each its own name", p.Name, first)
			continue
		case slices.Contains(contractNames, p.Name):
			c.add(at+"/name", "%q is the name of a contract of Callgate; choose another one", p.Name)
		}
		names[p.Name] = i
		switch {
		case p.Use == "":
			c.add(at, "no use; name the module, such as use: ./%s.wasm", p.Name)
		case p.On == nil || p.On.empty():
			c.add(at, "no on; say what it is asked about, such as on: {tools: [\"postgres/query\"]}")
		default:
			c.checkServers(at+"/on", p.On)
		}
	}
}

// checkServers refuses what no name of a server matches, where servers are named.
func (c *issues) checkServers(at string, on *pluginOn) {
	for _, l := range []struct {
		name string
		list []string
	}{
		{"resources", on.Resources}, {"prompts", on.Prompts}, {"completions", on.Completions}, {"sampling", on.Sampling}, {"elicitation", on.Elicitation},
		{"roots", on.Roots}, {"methods", on.Methods}, {"lists", on.Lists},
	} {
		for i, pattern := range l.list {
			if server, _, found := strings.Cut(pattern, "/"); found {
				c.add(abi.JoinIndex(abi.Join(at, l.name), i), "%q is no server: only tools: names tools; write %q", pattern, server)
			}
		}
	}
}

// contractNames are the names that verdicts name, so that no plugin poses as one.
var contractNames = []string{
	"approval", "args", "attest", "budget", "capability", "chain", "coverage", "edit", "flow", "gate", "identity", "label", "ledger", "origin", "pin",
	"plugin", "redact", "result", "results", "schedule", "self", "sink", "wire",
}

// lists are the lists of an entry that name servers, by the kind of call.
func (o *pluginOn) lists() map[abi.CallKind][]string {
	return map[abi.CallKind][]string{
		abi.KindResource: o.Resources, abi.KindPrompt: o.Prompts, abi.KindCompletion: o.Completions, abi.KindSampling: o.Sampling,
		abi.KindElicitation: o.Elicitation, abi.KindRoots: o.Roots, abi.KindMethod: o.Methods,
	}
}

func (o *pluginOn) empty() bool {
	n := len(o.Tools) + len(o.Lists)
	for _, list := range o.lists() {
		n += len(list)
	}
	return n == 0
}

// names says whether an entry is about calls of a kind.
func (o *pluginOn) names(kind abi.CallKind, server, target string) bool {
	if kind.IsTool() {
		return contract.MatchAny(o.Tools, server, target)
	}
	return slices.ContainsFunc(o.lists()[kind], func(pattern string) bool { return glob(pattern, server) })
}

// modules reads the modules that a layer names, holds them to their digests and
// their settings to their manifests, and notes the digest of those that the file
// pins to none.
func (l *loader) modules(y *layer) {
	for i := range y.doc.Plugins {
		at := abi.JoinIndex("/plugins", i)
		if below, err := l.fetch(y, i); err != nil {
			l.errs = append(l.errs, y.errorAt(at+below, "%v", err))
			continue
		}
		y.value, _ = y.value.Set(at, y.value.At(at).With("digest", abi.StringValue(y.doc.Plugins[i].Digest)))
	}
}

// fetch reads the module of an entry. It returns where in the entry a mistake is.
func (l *loader) fetch(y *layer, i int) (below string, err error) {
	p := &y.doc.Plugins[i]
	var data []byte
	if namesBundle(p.Use) {
		data, below, err = l.unpack(y, i)
	} else {
		data, below, err = l.bare(p)
	}
	if err != nil {
		return below, err
	}
	m, _, err := abi.ReadModule(data)
	if err != nil {
		return "/use", fmt.Errorf("%s: %w", p.Use, err)
	}
	if at, err := fitsManifest(p, m); err != nil {
		return at, err
	}
	if p.Digest == "" && !namesBundle(p.Use) { // which the lock pins
		y.unpinned = append(y.unpinned, i)
	}
	if !m.May("labels") {
		y.silent = append(y.silent, i)
	}
	p.Digest = abi.DigestBytes(data)
	return "", nil
}

// bare reads the file of a module.
func (l *loader) bare(p *plugin) (data []byte, below string, err error) {
	data, err = l.module(p.Use)
	if err == nil && len(data) > maxModule {
		err = fmt.Errorf("more than %d bytes", maxModule)
	}
	if err != nil {
		return nil, "/use", fmt.Errorf("%s: %w; name a readable module", p.Use, plainPathError(err))
	}
	if digest := abi.DigestBytes(data); p.Digest != "" && p.Digest != digest {
		return nil, "/digest", fmt.Errorf("the module is another one, %s; look at it with callgate plugin inspect, and state its digest if it is wanted", digest)
	}
	if l.allow != nil {
		if err := l.allow(data); err != nil {
			return nil, "/use", fmt.Errorf("%s: %w", p.Use, err)
		}
	}
	return data, "", nil
}

// fitsManifest holds an entry to what the plugin says of itself. It returns where
// in the entry a mistake is.
func fitsManifest(p *plugin, m *abi.Manifest) (string, error) {
	if len(p.On.Tools) > 0 && !m.Judges(abi.KindTool) {
		return "/on/tools", fmt.Errorf("%s does not judge calls of tools; it judges %q", m.Name, m.Kinds)
	}
	for kind, list := range p.On.lists() {
		if len(list) > 0 && !m.Judges(kind) {
			return "/on", fmt.Errorf("%s does not judge calls of kind %s; it judges %q", m.Name, kind, m.Kinds)
		}
	}
	if len(p.On.Lists) > 0 && !m.Has(abi.PhaseList) {
		return "/on/lists", fmt.Errorf("%s does not judge lists; its phases are %q", m.Name, m.Phases)
	}
	if onlyLists := len(m.Phases) == 1 && m.Has(abi.PhaseList); onlyLists && len(p.On.Lists) == 0 {
		return "/on", fmt.Errorf("%s judges only lists; name servers under lists", m.Name)
	}
	return settingsFit(p, m)
}

// settings are the settings of an entry; none are an empty object.
func (p *plugin) settings() abi.Value {
	if p.With.Exists() {
		return p.With
	}
	return abi.ObjectValue()
}

// plugins returns the entries that are about calls of a kind.
func (p *Policy) plugins(kind abi.CallKind, server, target string) []contract.PluginRef {
	return p.pluginsOf(func(o *pluginOn) bool { return o.names(kind, server, target) })
}

// Listers returns the plugins that policy and floor ask about the lists of a
// server, sorted by name.
func (p *Policy) Listers(server string) []contract.PluginRef {
	list := p.pluginsOf(func(o *pluginOn) bool {
		return slices.ContainsFunc(o.Lists, func(pattern string) bool { return glob(pattern, server) })
	})
	if p.floor != nil {
		list = append(list, p.floor.Listers(server)...)
	}
	return list
}

// Plugins returns all entries of policy and floor, sorted by name.
func (p *Policy) Plugins() []contract.PluginRef {
	list := p.pluginsOf(func(*pluginOn) bool { return true })
	if p.floor != nil {
		list = append(list, p.floor.Plugins()...)
	}
	return list
}

// tryPlugins loads the plugins of policy and floor, and reports those that can not
// be.
func (p *Policy) tryPlugins(load func(contract.PluginRef) error) []error {
	layers := p.layers
	if p.floor != nil {
		layers = slices.Concat(layers, p.floor.layers)
	}
	var errs []error
	for _, y := range layers {
		for i := range y.doc.Plugins {
			at := abi.JoinIndex("/plugins", i)
			if err := load(y.ref(i)); err != nil {
				errs = append(errs, y.errorAt(at+"/use", "%v", err))
			}
		}
	}
	return errs
}

// ref is an entry as data.
func (y *layer) ref(i int) contract.PluginRef {
	e := &y.doc.Plugins[i]
	return contract.PluginRef{Rule: y.rule(abi.JoinIndex("/plugins", i)), Name: e.Name, File: e.Use, Digest: e.Digest, Bundle: y.bundles[i], Settings: e.settings(), Observe: text(e.Mode) == "observe"}
}

// HasPlugins says whether policy or floor name a plugin.
func (p *Policy) HasPlugins() bool {
	return slices.ContainsFunc(p.layers, func(y *layer) bool { return len(y.doc.Plugins) > 0 }) || p.floor != nil && p.floor.HasPlugins()
}

// PluginsOf says whether a plugin of policy or floor can judge calls of a server.
func (p *Policy) PluginsOf(server string) bool {
	list := p.pluginsOf(func(o *pluginOn) bool {
		for _, patterns := range o.lists() {
			if slices.ContainsFunc(patterns, func(pattern string) bool { return glob(pattern, server) }) {
				return true
			}
		}
		return slices.ContainsFunc(o.Tools, func(k string) bool { return glob(parseKey(k).server, server) })
	})
	return len(list) > 0 || p.floor != nil && p.floor.PluginsOf(server)
}

func (p *Policy) pluginsOf(wanted func(*pluginOn) bool) []contract.PluginRef {
	var list []contract.PluginRef
	for _, y := range p.layers {
		for i := range y.doc.Plugins {
			if e := &y.doc.Plugins[i]; e.On != nil && wanted(e.On) {
				list = append(list, y.ref(i))
			}
		}
	}
	slices.SortFunc(list, func(a, b contract.PluginRef) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// settings reads the settings of a plugin: a map of whatever JSON can say, in the
// grammar of JSON (RFC 8259 section 6) for numbers.
func (c *converter) settings(n *yaml.Node, at string) abi.Value {
	if n.Kind != yaml.MappingNode {
		c.addAt(at, position(n), "%s; want a map of settings", describe(n))
		return abi.Value{}
	}
	return c.setting(n, at)
}

func (c *converter) setting(n *yaml.Node, at string) abi.Value {
	switch n.Kind {
	case yaml.MappingNode:
		return c.members(n, at, func(_, value *yaml.Node, at string) abi.Value { return c.setting(value, at) })
	case yaml.SequenceNode:
		items := make([]abi.Value, len(n.Content))
		for i, item := range n.Content {
			below := abi.JoinIndex(at, i)
			c.places[below] = position(item)
			items[i] = c.setting(item, below)
		}
		return abi.ArrayValue(items...)
	}
	switch {
	case !isPlain(n):
		return abi.StringValue(n.Value)
	case isNull(n):
		return number("null")
	}
	v, _ := scalar("scalar", n.Value, true)
	return v
}
