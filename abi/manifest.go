package abi

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// ManifestSchema names the form of a [Manifest].
const ManifestSchema = "callgate.plugin/v0"

// Manifest is what a plugin says of itself: what it judges, what it wants to see,
// and the most it may do. The host holds it to that.
type Manifest struct {
	Name        string // see PluginNameForm
	Version     string // of Semantic Versioning 2.0.0
	ABI         string
	License     string
	Description string
	Source      string
	Phases      []Phase
	Kinds       []CallKind // of the calls; none: tool
	Reads       []string   // members of the snapshot, of [Readable]
	Effects     []string   // of [Effects]
	Codes       []Code
	Settings    Value // JSON Schema of its settings; absent: it takes none
	Fuel        uint64
	MemoryMiB   uint32
	Build       Build
	Text        string // the manifest's bytes as read
}

// Code is a verdict code that a plugin declares.
type Code struct{ Name, Means string }

// Build is how the module was made.
type Build struct{ Lang, Run string }

// Effects is all that a verdict can do, beside saying nothing.
var Effects = []string{"ask", "deny", "labels", "redact", "hide", "budget"}

// Readable lists the members of the snapshot that a manifest can ask for. The ABI,
// the phase and the settings are there always.
var Readable = []string{
	"time", "call", "call.arguments", "call.id", "call.kind", "call.server", "call.tool", "call.digest",
	"definition", "taint", "session", "session.labels", "session.counts", "session.recent", "session.principal",
	"result", "list",
}

var (
	pluginName    = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}(/[a-z0-9][a-z0-9._-]{0,62}){0,3}$`)
	pluginVersion = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})(-[0-9A-Za-z.-]{1,64})?(\+[0-9A-Za-z.-]{1,64})?$`)
	codeName      = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)
)

// Speaks is the version of the ABI that the plugin is spoken to in. A manifest
// that was not read from text may leave it out, and means [Version].
func (m *Manifest) Speaks() string {
	if m.ABI == "" {
		return Version
	}
	return m.ABI
}

// MarkerOf is the marker of a version: of 1.0 callgate_abi_1_0.
func MarkerOf(version string) string {
	return MarkerPrefix + strings.ReplaceAll(version, ".", "_")
}

// IsPluginName says whether s can be the name of a plugin.
func IsPluginName(s string) bool { return pluginName.MatchString(s) && !strings.Contains(s, "..") }

// PluginNameForm says what [IsPluginName] accepts.
const PluginNameForm = "NAME, SCOPE/NAME or up to three scopes before NAME, each 1 to 63 lower-case letters, digits, '.', '_' and '-', a letter or digit first, and no '..'"

var manifestMembers = []string{
	"schema", "name", "version", "abi", "license", "description", "source", "phases", "kinds", "reads", "effects", "codes", "settings", "limits", "build",
}

// ParseManifest reads a manifest, strictly: what nobody knows, or names twice, is
// an error.
func ParseManifest(data []byte) (*Manifest, error) {
	if len(data) > MaxManifest {
		return nil, fmt.Errorf("manifest: %d bytes; at most %d", len(data), MaxManifest)
	}
	v, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	r := read("manifest", v)
	m := &Manifest{
		Name: r.str("name"), Version: r.str("version"), ABI: r.str("abi"), License: r.str("license"), Description: r.str("description"),
		Source: r.str("source"), Reads: r.strs("reads"), Effects: r.strs("effects"), Settings: r.val("settings"), Text: string(data),
	}
	if s := r.str("schema"); s != ManifestSchema {
		r.fail("schema: %q; want %q", s, ManifestSchema)
	}
	for _, p := range r.strs("phases") {
		m.Phases = append(m.Phases, Phase(p))
	}
	for _, k := range r.strs("kinds") {
		m.Kinds = append(m.Kinds, CallKind(k))
	}
	codes := r.val("codes")
	if codes.Exists() && codes.Kind() != Object {
		r.fail("codes: want an object")
	}
	for _, c := range codes.Members() {
		if !c.Value.IsString() {
			r.fail("codes: %s: want a string", c.Name)
		}
		m.Codes = append(m.Codes, Code{c.Name, c.Value.Str()})
	}
	m.readLimits(&r)
	m.readBuild(&r)
	if err := r.done(manifestMembers...); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return m, nil
}

func (m *Manifest) readLimits(r *reader) {
	v := r.val("limits")
	if !v.Exists() {
		return
	}
	l := read(r.of+": limits", v)
	fuel, memory := l.num("fuel"), l.num("memory_mib")
	if fuel < 0 || memory < 0 || memory > 256 || fuel > MaxFuel {
		l.fail("want fuel of at most %d, and memory_mib of at most 256", MaxFuel)
	}
	m.Fuel, m.MemoryMiB = uint64(max(fuel, 0)), uint32(max(memory, 0))
	if err := l.done("fuel", "memory_mib"); err != nil {
		r.fail("%v", err)
	}
}

func (m *Manifest) readBuild(r *reader) {
	v := r.val("build")
	if !v.Exists() {
		return
	}
	b := read(r.of+": build", v)
	m.Build = Build{Lang: b.str("lang"), Run: b.str("run")}
	if err := b.done("lang", "run"); err != nil {
		r.fail("%v", err)
	}
}

// check says what is wrong with the values of a manifest.
func (m *Manifest) check() error {
	switch {
	case !IsPluginName(m.Name):
		return fmt.Errorf("name: %q; want %s", m.Name, PluginNameForm)
	case !pluginVersion.MatchString(m.Version):
		return fmt.Errorf("version: %q; want one like 1.2.0", m.Version)
	case !slices.Contains(Versions, m.ABI):
		return fmt.Errorf("abi: %q; this callgate speaks %s: build the plugin with an SDK for one of them, or take a newer callgate", m.ABI, strings.Join(Versions, " and "))
	case len(m.Phases) == 0:
		return fmt.Errorf("phases: none; want one or more of call, result, list")
	case m.Settings.Exists() && m.Settings.Kind() != Object:
		return fmt.Errorf("settings: want a JSON Schema, an object")
	}
	for _, p := range m.Phases {
		if !slices.Contains(Phases, p) {
			return fmt.Errorf("phases: %q; want call, result or list", p)
		}
	}
	for _, k := range m.Kinds {
		if !slices.Contains(Kinds, k) {
			return fmt.Errorf("kinds: %q; want one of %q", k, Kinds)
		}
	}
	for _, s := range m.Reads {
		if !slices.Contains(Readable, s) {
			return fmt.Errorf("reads: %q; want one of %s", s, strings.Join(Readable, ", "))
		}
	}
	for _, s := range m.Effects {
		if !slices.Contains(Effects, s) {
			return fmt.Errorf("effects: %q; want one of %s", s, strings.Join(Effects, ", "))
		}
	}
	for _, c := range m.Codes {
		if !codeName.MatchString(c.Name) || strings.HasPrefix(c.Name, "PLUGIN_") || c.Means == "" || utf8.RuneCountInString(c.Means) > MaxReasonRunes {
			return fmt.Errorf("codes: %q; want upper-case letters, digits and '_', not PLUGIN_ first, and a text that says what it means", c.Name)
		}
	}
	return twice(m)
}

// twice refuses a list that names something two times.
func twice(m *Manifest) error {
	for _, l := range []struct {
		name string
		list []string
	}{{"phases", texts(m.Phases)}, {"kinds", texts(m.Kinds)}, {"reads", m.Reads}, {"effects", m.Effects}} {
		seen := map[string]bool{}
		for _, s := range l.list {
			if seen[s] {
				return fmt.Errorf("%s: %q is there twice", l.name, s)
			}
			seen[s] = true
		}
	}
	return nil
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// Has says whether the plugin is asked in a phase.
func (m *Manifest) Has(p Phase) bool { return slices.Contains(m.Phases, p) }

// Judges says whether the plugin is asked about calls of a kind.
func (m *Manifest) Judges(k CallKind) bool {
	if k == "" {
		k = KindTool
	}
	if len(m.Kinds) == 0 {
		return k == KindTool
	}
	return slices.Contains(m.Kinds, k)
}

// May says whether the plugin declares an effect.
func (m *Manifest) May(effect string) bool { return slices.Contains(m.Effects, effect) }

// Sees says whether the plugin gets a member of the snapshot, such as
// "session.labels", or any part of one.
func (m *Manifest) Sees(member string) bool {
	for _, r := range m.Reads {
		if r == member || strings.HasPrefix(member, r+".") || strings.HasPrefix(r, member+".") {
			return true
		}
	}
	return false
}

// sees says whether the plugin gets the whole of a member.
func (m *Manifest) sees(member string) bool {
	parent, _, _ := strings.Cut(member, ".")
	return slices.Contains(m.Reads, member) || slices.Contains(m.Reads, parent)
}

// Declares says whether the plugin declares a code.
func (m *Manifest) Declares(code string) bool {
	return slices.ContainsFunc(m.Codes, func(c Code) bool { return c.Name == code })
}
