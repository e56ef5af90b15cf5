package bundle

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// LockFile is what the file of a [Lock] is called, and LockSchema its form.
const (
	LockFile   = "callgate.lock"
	LockSchema = "callgate.lock/v0"
)

// Lock pins what is served. It has no settings: those are of the policy.
type Lock struct {
	Plugins []Entry // each Ref once
}

// Entry pins one bundle.
type Entry struct {
	Ref      string // as the policy names it: a path, or oci://…
	Name     string
	Version  string
	Manifest string   // digest of the OCI manifest that an oci://… led to: sha256:…; "" for a file
	Bundle   string   // digest of the bundle: sha256:…
	Module   string   // digest of its module without the manifest: sha256:…
	Keys     []string // ids of the keys that signed it, sorted
}

var keyID = regexp.MustCompile(`^[0-9A-F]{16}$`)

// maxRef is how many bytes a reference has.
const maxRef = 1024

// NewEntry pins a bundle that [Trust.Open] opened.
func NewEntry(ref string, b *Bundle, v *Verified) Entry {
	return Entry{Ref: ref, Name: b.About.Name, Version: b.About.Version, Bundle: b.Digest, Module: b.ModuleDigest, Keys: v.KeyIDs}
}

// Open opens the bundle that is pinned, and no other. Whether it is trusted is for
// [Entry.OpenTrusted].
func (e *Entry) Open(data []byte) (*Bundle, error) {
	if err := e.holds(data); err != nil {
		return nil, err
	}
	b, err := Open(data)
	if err == nil {
		err = e.describes(b)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Find is the entry of a reference, nil if there is none.
func (l *Lock) Find(ref string) *Entry {
	for i := range l.Plugins {
		if l.Plugins[i].Ref == ref {
			return &l.Plugins[i]
		}
	}
	return nil
}

// Put pins an entry in place of the one of its reference. It refuses an older
// version than is pinned there, another plugin, and other bytes under a version that
// is pinned already; take the entry out first if that is wanted.
func (l *Lock) Put(e Entry) error {
	for _, old := range l.Plugins {
		switch {
		case old.Ref == e.Ref && old.Name != e.Name:
			return fmt.Errorf("%s %s: another plugin than %s %s, which the lock pins there; take that out first with callgate plugin rm %s if you want it", e.Name, e.Version, old.Name, old.Version, old.Ref)
		case old.Name != e.Name:
			continue
		case old.Version == e.Version && old.Bundle != e.Bundle:
			return fmt.Errorf("%s %s: it is %s, and the lock pins %s under the same version; ask its author why, or take it out first with callgate plugin rm %s", e.Name, e.Version, e.Bundle, old.Bundle, old.Ref)
		case old.Ref == e.Ref && compareVersions(e.Version, old.Version) < 0:
			return fmt.Errorf("%s %s: older than %s, which the lock pins; take that out first with callgate plugin rm %s if you want it", e.Name, e.Version, old.Version, old.Ref)
		}
	}
	next := Lock{append(slices.DeleteFunc(slices.Clone(l.Plugins), func(old Entry) bool { return old.Ref == e.Ref }), e)}
	if _, err := next.Text(); err != nil {
		return err
	}
	l.Plugins = next.Plugins
	return nil
}

// Remove takes an entry out, and says whether it was there.
func (l *Lock) Remove(ref string) bool {
	n := len(l.Plugins)
	l.Plugins = slices.DeleteFunc(l.Plugins, func(e Entry) bool { return e.Ref == ref })
	return len(l.Plugins) < n
}

// ParseLock reads a lock, strictly: every mistake is reported, with the line and
// column in the file of this name.
func ParseLock(name string, data []byte) (*Lock, error) {
	s, err := readSource(name, data, MaxLock, LockSchema, "plugins")
	if err != nil {
		return nil, err
	}
	l := &Lock{}
	list := s.root.Get("plugins")
	if list.Kind() != abi.Array {
		s.add("/plugins", "plugins: want a list, [] for none")
	}
	refs, versions := map[string]bool{}, map[[2]string]string{}
	for i := range list.Items() {
		at := abi.JoinIndex("/plugins", i)
		before := len(s.issues)
		e := readEntry(s, at)
		version := [2]string{e.Name, e.Version}
		switch other, again := versions[version]; {
		case len(s.issues) > before:
		case refs[e.Ref]:
			s.add(at, "%s%q is there twice; take one out", label(at), e.Ref)
		case again && other != e.Bundle:
			s.add(at, "%s%s %s is there with two different bundles; take one out", label(at), e.Name, e.Version)
		}
		refs[e.Ref], versions[version] = true, e.Bundle
		l.Plugins = append(l.Plugins, e)
	}
	if err := s.err(); err != nil {
		return nil, err
	}
	sortEntries(l.Plugins)
	return l, nil
}

func readEntry(s *source, at string) Entry {
	before := len(s.issues)
	if s.object(at); s.root.At(at).Kind() != abi.Object {
		if len(s.issues) == before {
			s.add(at, "%swant an object {…}", label(at))
		}
		return Entry{}
	}
	s.members(at, "ref", "name", "version", "manifest", "bundle", "module", "keys")
	e := Entry{
		Ref: s.str(at, "ref", true), Name: s.str(at, "name", true), Version: s.str(at, "version", true), Manifest: s.str(at, "manifest", false),
		Bundle: s.str(at, "bundle", true), Module: s.str(at, "module", true), Keys: s.strs(at, "keys"),
	}
	refuse := func(name, value string, bad bool, want string) {
		if in := abi.Join(at, name); value != "" && bad {
			s.add(in, "%s%q; want %s", label(in), value, want)
		}
	}
	refuse("ref", e.Ref, len(e.Ref) > maxRef, fmt.Sprintf("at most %d bytes", maxRef))
	refuse("name", e.Name, !abi.IsPluginName(e.Name), "the name of a plugin, like acme/no-exfil")
	refuse("version", e.Version, !isVersion(e.Version), "a version like 1.2.0")
	refuse("manifest", e.Manifest, !digestText.MatchString(e.Manifest), "sha256: and 64 hexadecimal digits in lower case")
	refuse("manifest", e.Manifest, !strings.HasPrefix(e.Ref, registryPrefix), "none: "+e.Ref+" is in no registry")
	refuse("bundle", e.Bundle, !digestText.MatchString(e.Bundle), "sha256: and 64 hexadecimal digits in lower case")
	refuse("module", e.Module, !digestText.MatchString(e.Module), "sha256: and 64 hexadecimal digits in lower case")
	for _, k := range e.Keys {
		refuse("keys", k, !keyID.MatchString(k), "ids of keys: 16 hexadecimal digits in upper case")
	}
	slices.Sort(e.Keys)
	return e
}

func sortEntries(list []Entry) {
	slices.SortStableFunc(list, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Ref, b.Ref)) })
}

// Text is the one lock that says this, or what is wrong with it.
func (l *Lock) Text() ([]byte, error) {
	sorted := slices.Clone(l.Plugins)
	sortEntries(sorted)
	var list []abi.Value
	for _, e := range sorted {
		var keys []abi.Value
		for _, k := range slices.Sorted(slices.Values(e.Keys)) {
			keys = append(keys, abi.StringValue(k))
		}
		of := []abi.Member{{Name: "ref", Value: abi.StringValue(e.Ref)}, {Name: "name", Value: abi.StringValue(e.Name)}, {Name: "version", Value: abi.StringValue(e.Version)}}
		if e.Manifest != "" {
			of = append(of, abi.Member{Name: "manifest", Value: abi.StringValue(e.Manifest)})
		}
		of = append(of, abi.Member{Name: "bundle", Value: abi.StringValue(e.Bundle)}, abi.Member{Name: "module", Value: abi.StringValue(e.Module)}, abi.Member{Name: "keys", Value: abi.ArrayValue(keys...)})
		list = append(list, abi.ObjectValue(of...))
	}
	text, err := indented(abi.ObjectValue(abi.Member{Name: "schema", Value: abi.StringValue(LockSchema)}, abi.Member{Name: "plugins", Value: abi.ArrayValue(list...)}))
	if err == nil {
		_, err = ParseLock(LockFile, text)
	}
	if err != nil {
		return nil, fmt.Errorf("not to be written: %w", err)
	}
	return text, nil
}
