package policy

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/abi"
)

// The two forms of use: that name no module: the file of a bundle, and a reference
// to one in a registry.
const (
	bundleSuffix = ".cgp"
	remotePrefix = "oci://"
)

// Use is what an entry of `plugins:` names, before anything of that is read.
type Use struct {
	Policy string // the file that has the entry, absolute; its lock lies beside it
	Named  string // the same as it was named, for messages
	Line   int    // of use:
	Column int
	Name   string // of the entry
	Text   string // use: as it is written: what a lock calls it
	Path   string // the file that it names, absolute; "" for a reference
	Digest string // that the entry states, "" for none
}

// Bundle says whether the entry names a bundle, in a file or in a registry, and no
// module: what a lock pins.
func (u *Use) Bundle() bool { return namesBundle(u.Text) }

// Remote says whether the entry is a reference to a registry.
func (u *Use) Remote() bool { return IsRemote(u.Text) }

// IsRemote says whether use: is a reference to a registry, and no path.
func IsRemote(use string) bool { return strings.HasPrefix(use, remotePrefix) }

// Place is where the entry names it, as errors write it.
func (u *Use) Place() string { return fmt.Sprintf("%s:%d:%d", u.Named, u.Line, u.Column) }

func namesBundle(use string) bool {
	return strings.HasPrefix(use, remotePrefix) || strings.HasSuffix(use, bundleSuffix)
}

// Uses lists what the entries of `plugins:` in policy files name, and in those that
// they include, each file once: by the order of the files, and in each by line.
// Nothing that they name is read. Its error is like that of [Load].
func Uses(files ...string) ([]Use, error) {
	l := &loader{read: ReadFile, known: map[string]*layer{}}
	var layers []*layer
	for _, name := range files {
		if name != Starter {
			layers = append(layers, l.load(name, false, userRole, nil, includer{})...)
		}
	}
	if len(l.errs) > 0 {
		return nil, join(l.errs)
	}
	var list []Use
	seen := map[*layer]bool{}
	for _, y := range layers {
		if !seen[y] {
			list = append(list, y.uses()...)
		}
		seen[y] = true
	}
	return list, nil
}

// uses lists what the entries of a file name.
func (y *layer) uses() []Use {
	list := make([]Use, len(y.doc.Plugins))
	for i := range list {
		list[i] = y.use(i)
	}
	return list
}

func (y *layer) use(i int) Use {
	at := abi.JoinIndex("/plugins", i) + "/use"
	p, pos := &y.doc.Plugins[i], lookup(y.known(), at)
	u := Use{Policy: filepath.FromSlash(y.path), Named: y.named, Line: pos.line, Column: pos.col, Name: p.Name, Text: y.written[at], Digest: p.Digest}
	if !u.Remote() {
		u.Path = filepath.FromSlash(p.Use)
	}
	return u
}

// joinUse makes a path of use: absolute, and leaves a reference as it is.
func joinUse(dir, s string) (string, error) {
	switch _, _, found := strings.Cut(s, "://"); {
	case strings.HasPrefix(s, remotePrefix):
		return s, nil
	case len(s) >= 4 && strings.EqualFold(s[:4], "oci:"):
		return "", fmt.Errorf("%q: a reference begins with %s; write it so", s, remotePrefix)
	case found:
		return "", fmt.Errorf("%q: neither the path of a module or bundle nor a reference %s…; want one of them", s, remotePrefix)
	}
	return joinDir(dir, s)
}

// checkUse accepts what [joinUse] makes.
func checkUse(s string) error {
	if !strings.HasPrefix(s, remotePrefix) {
		return rooted(s, "path")
	}
	if i := strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }); i >= 0 || s == remotePrefix {
		return fmt.Errorf("%q is no reference; want %sregistry/repository:tag, with @sha256:… to name just one", s, remotePrefix)
	}
	return nil
}
