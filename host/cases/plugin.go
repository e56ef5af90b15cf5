package cases

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
)

// PluginFile is a cases file of a plugin: what it answers to snapshots. Unlike a
// cases file of a policy it has no gate in it.
//
//	settings: {allow: [a.example]}          # of all cases that have none
//	call: {server: mail, tool: send}        # of all, below what a case says
//	cases:
//	  - name: a stranger
//	    args: {to: x@evil.test}             # or any member of the snapshot
//	    want: {outcome: deny, code: STRANGER, at: /call/arguments/to}
//	    max_fuel: 100000
//	  - name: twice                         # labels of the session carry over
//	    steps:
//	      - {args: {to: a@a.example}, want: {labels: {session: [seen]}}}
//	      - {args: {to: a@a.example}, want: {outcome: deny}}
type PluginFile struct {
	Cases []PluginCase
}

// PluginCase is one test of a plugin.
type PluginCase struct {
	Name     string
	Line     int
	Settings abi.Value
	MaxFuel  uint64 // of each step; 0: whatever it may use
	Steps    []PluginStep
}

// PluginStep is one evaluation.
type PluginStep struct {
	Line     int
	Snapshot abi.Value // without settings
	Want     PluginWant
}

// PluginWant is what a step expects. Redact, hide, labels and budget must be what
// is given, nothing if nothing is.
type PluginWant struct {
	Outcome         string           // abstain unless the file says another
	Class           abi.FailureClass // expects no verdict
	Code            string           // "": whatever it has
	At              []string         // nil: whatever it has
	Redact, Hide    []string
	Labels, Session []string // of the call, and of the session, without the plugin's name
	Budget          int64    // -1: none
}

// pluginMembers are the members of a snapshot that a case can give. args stands
// for call.arguments.
var pluginMembers = []string{"phase", "time", "call", "args", "definition", "taint", "session", "result", "list"}

// LoadPlugin reads a cases file of a plugin. Every mistake is an error with file
// and line.
func LoadPlugin(path string, data []byte, m *abi.Manifest) (*PluginFile, error) {
	l := pluginLoader{loader{path: path}, m}
	root, err := l.root(data)
	if err != nil {
		return nil, err
	}
	f := l.pluginFile(root)
	if len(l.errs) > 0 {
		return nil, errors.Join(l.errs...)
	}
	return f, nil
}

type pluginLoader struct {
	loader
	manifest *abi.Manifest
}

func (l *pluginLoader) pluginFile(n *yaml.Node) *PluginFile {
	m := l.members(n, "cases file", slices.Concat([]string{"settings", "cases"}, pluginMembers)...)
	base, settings := l.snapshot(abi.ObjectValue(), m), abi.ObjectValue()
	if m["settings"] != nil {
		settings = l.value(m["settings"])
	}
	f := &PluginFile{}
	list := m["cases"]
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		l.fail(n, "cases: want a list of cases")
		return f
	}
	names := map[string]bool{}
	for _, c := range list.Content {
		one := l.pluginCase(c, base, settings)
		if names[one.Name] {
			l.fail(c, "case %q: another one has this name", one.Name)
		}
		names[one.Name] = true
		f.Cases = append(f.Cases, one)
	}
	return f
}

func (l *pluginLoader) pluginCase(n *yaml.Node, base, settings abi.Value) PluginCase {
	m := l.members(n, "case", slices.Concat([]string{"name", "settings", "max_fuel", "want", "steps"}, pluginMembers)...)
	c := PluginCase{Name: l.text(m["name"], "name"), Line: n.Line, Settings: settings}
	if c.Name == "" {
		l.fail(n, "case: want a name")
	}
	if m["settings"] != nil {
		if c.Settings = l.value(m["settings"]); c.Settings.Kind() != abi.Object {
			l.fail(m["settings"], "settings: want a mapping")
		}
	}
	if fuel := m["max_fuel"]; fuel != nil {
		var err error
		if c.MaxFuel, err = strconv.ParseUint(fuel.Value, 10, 63); err != nil || c.MaxFuel == 0 {
			l.fail(fuel, "max_fuel: %q; want a whole number above 0", fuel.Value)
		}
	}
	base = l.snapshot(base, m)
	if m["steps"] == nil {
		c.Steps = []PluginStep{{n.Line, l.finish(n, base), l.pluginWant(n, m["want"])}}
		return c
	}
	if m["want"] != nil || m["steps"].Kind != yaml.SequenceNode || len(m["steps"].Content) == 0 {
		l.fail(n, "case %q: want a list of steps, each with its own want", c.Name)
	}
	for _, s := range m["steps"].Content {
		m := l.members(s, "step", slices.Concat([]string{"want"}, pluginMembers)...)
		c.Steps = append(c.Steps, PluginStep{s.Line, l.finish(s, l.snapshot(base, m)), l.pluginWant(s, m["want"])})
	}
	return c
}

// snapshot lays members over those of base: of call and session one by one.
func (l *pluginLoader) snapshot(base abi.Value, m map[string]*yaml.Node) abi.Value {
	for _, name := range pluginMembers {
		n := m[name]
		if n == nil {
			continue
		}
		v := l.value(n)
		if name == "args" {
			name, v = "call", abi.ObjectValue(abi.Member{Name: "arguments", Value: v})
		}
		if old := base.Get(name); old.Exists() && (name == "call" || name == "session") {
			for _, inner := range v.Members() {
				old = old.With(inner.Name, inner.Value)
			}
			v = old
		}
		if name != "phase" && !l.manifest.Sees(name) {
			l.fail(n, "%s: the manifest does not read it, so the plugin can not see it", name)
		}
		base = base.With(name, v)
	}
	return base
}

// finish fills in what every snapshot has, and leaves out what the manifest does
// not read.
func (l *pluginLoader) finish(n *yaml.Node, v abi.Value) abi.Value {
	phase := abi.PhaseCall
	if p := v.Get("phase"); p.Exists() {
		phase = abi.Phase(p.Str())
	}
	if !l.manifest.Has(phase) {
		l.fail(n, "phase %q: the plugin is not asked in it; its phases are %q", phase, l.manifest.Phases)
	}
	v = v.With("abi", abi.StringValue(l.manifest.Speaks())).With("phase", abi.StringValue(string(phase)))
	if call := v.Get("call"); call.Exists() && !call.Get("kind").Exists() {
		v = v.With("call", call.With("kind", abi.StringValue(string(abi.KindTool))))
	}
	if kind := abi.CallKind(v.At("/call/kind").Str()); phase != abi.PhaseList && !l.manifest.Judges(kind) {
		l.fail(n, "kind %q: the plugin is not asked about it; it judges %q", kind, l.manifest.Kinds)
	}
	return l.manifest.Project(v)
}

// budget reads how many calls are left: a number, or as a verdict says it.
func (l *pluginLoader) budget(n *yaml.Node) int64 {
	if n.Kind == yaml.MappingNode {
		if calls := l.members(n, "budget", "calls")["calls"]; calls != nil {
			n = calls
		}
	}
	calls, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil || calls < 0 {
		l.fail(n, "budget: %q; want how many calls are left, such as 3", n.Value)
	}
	return calls
}

func (l *pluginLoader) pluginWant(of, n *yaml.Node) PluginWant {
	w := PluginWant{Outcome: abi.Abstain.String(), Budget: -1}
	if n == nil {
		l.fail(of, "want: missing, so this can not fail")
		return w
	}
	m := l.members(n, "want", "outcome", "class", "code", "at", "redact", "hide", "labels", "budget")
	if m["outcome"] != nil {
		w.Outcome = l.text(m["outcome"], "outcome")
		if w.Outcome != "abstain" && w.Outcome != "ask" && w.Outcome != "deny" {
			l.fail(m["outcome"], "want: outcome %q; want abstain, ask or deny", w.Outcome)
		}
	}
	if m["class"] != nil {
		w.Class = abi.FailureClass(l.text(m["class"], "class"))
		if !slices.Contains(abi.FailureClasses, w.Class) || len(m) > 1 {
			l.fail(n, "want: class %q; want one of %q, and nothing beside it", w.Class, abi.FailureClasses)
		}
	}
	if w.Code = l.text(m["code"], "code"); w.Code != "" && !l.manifest.Declares(w.Code) {
		l.fail(m["code"], "want: code %q, which the manifest does not declare", w.Code)
	}
	w.At, w.Redact, w.Hide = sorted(l.texts(m["at"], "at")), sorted(l.texts(m["redact"], "redact")), sorted(l.texts(m["hide"], "hide"))
	if m["labels"] != nil {
		given := l.members(m["labels"], "labels", "call", "session")
		w.Labels, w.Session = sorted(l.texts(given["call"], "call")), sorted(l.texts(given["session"], "session"))
	}
	if b := m["budget"]; b != nil {
		w.Budget = l.budget(b)
	}
	return w
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// lastSegment is what a policy is likely to call a plugin.
func lastSegment(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
