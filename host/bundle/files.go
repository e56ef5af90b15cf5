package bundle

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// The names in a bundle. Cases are CasesDir/NAME.yaml.
const (
	ManifestFile = "plugin.json"
	ModuleFile   = "plugin.wasm"
	ReadmeFile   = "README.md"
	LicenseFile  = "LICENSE"
	CasesDir     = "cases"
)

// File is one file of a bundle, named by its path in it, such as cases/a.yaml.
type File struct {
	Name string
	Data []byte
}

// Files is what a bundle is made of. Cases are named by their path in the bundle;
// Readme and License may be absent.
type Files struct {
	Manifest []byte
	Module   []byte
	Cases    []File
	Readme   []byte
	License  []byte
}

var caseName = regexp.MustCompile(`^` + CasesDir + `/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\.yaml$`)

// IsCaseName says whether a path can be that of a cases file in a bundle.
func IsCaseName(name string) bool { return caseName.MatchString(name) && !strings.Contains(name, "..") }

// list is the files in the one order that they have in a bundle.
func (f *Files) list() []File {
	list := slices.Clone(f.Cases)
	for _, one := range []File{{ManifestFile, f.Manifest}, {ModuleFile, f.Module}, {ReadmeFile, f.Readme}, {LicenseFile, f.License}} {
		if one.Data != nil {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// filesOf puts a list in its places, which is checked already.
func filesOf(list []File) Files {
	var f Files
	for _, one := range list {
		switch one.Name {
		case ManifestFile:
			f.Manifest = one.Data
		case ModuleFile:
			f.Module = one.Data
		case ReadmeFile:
			f.Readme = one.Data
		case LicenseFile:
			f.License = one.Data
		default:
			f.Cases = append(f.Cases, one)
		}
	}
	return f
}

// most is how many bytes a file of a name has; not ok: no bundle has such a file.
func most(name string) (n int, ok bool) {
	switch {
	case name == ManifestFile:
		return abi.MaxManifest, true
	case name == ModuleFile:
		return MaxModule, true
	case name == ReadmeFile, name == LicenseFile, IsCaseName(name):
		return MaxText, true
	}
	return 0, false
}

// names checks the names, order and sizes of what is in a bundle.
type names struct {
	last   string
	folded map[string]string
	n      int
}

// admit takes the next file, or says why it has no place.
func (s *names) admit(name string, size int64) error {
	s.n++
	limit, known := most(name)
	switch {
	case s.n > MaxEntries:
		return fmt.Errorf("more than %d files; a bundle has at most that many", MaxEntries)
	case !known:
		return fmt.Errorf("%q: no bundle has a file of this name; it has %s, %s, %s, %s and %s/NAME.yaml", name, ManifestFile, ModuleFile, ReadmeFile, LicenseFile, CasesDir)
	case name == s.last:
		return fmt.Errorf("%q: is there twice; a bundle has each file once", name)
	case name < s.last:
		return fmt.Errorf("%q: comes after %q; the files of a bundle are sorted by name", name, s.last)
	case size == 0:
		return fmt.Errorf("%q: empty; fill it or leave it out", name)
	case size < 0 || size > int64(limit):
		return fmt.Errorf("%q: %d bytes; at most %d", name, size, limit)
	}
	// Two such files are one where names have no case.
	fold := strings.ToLower(name)
	if other, ok := s.folded[fold]; ok {
		return fmt.Errorf("%q: differs from %q by case alone; rename one", name, other)
	}
	if s.folded == nil {
		s.folded = map[string]string{}
	}
	s.folded[fold] = name
	s.last = name
	return nil
}
