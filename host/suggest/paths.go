package suggest

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// paths finds the least patterns that cover what a tool was given: the
// directories of the files, without those inside another one of them.
func (d *draft) paths(g *grant) {
	var all []string
	places, isDir := map[string]abi.Place{}, map[string]bool{}
	for _, c := range g.calls {
		for _, f := range c.files {
			isDir[f.canonical] = isDir[f.canonical] || f.dir
			if _, ok := places[f.canonical]; !ok {
				places[f.canonical] = c.place
				all = append(all, f.canonical)
			}
		}
	}
	slices.Sort(all)
	var dirs, single []string
	for _, p := range all {
		place := places[p]
		dir := p
		if !isDir[p] {
			dir = parent(p, all, place)
		}
		if d.tooWide(dir, place) {
			single = append(single, p)
			continue
		}
		add(&dirs, dir)
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool {
		return slices.ContainsFunc(dirs, func(o string) bool { return strictlyBelow(dir, o) })
	})
	for _, dir := range dirs {
		g.globs = append(g.globs, d.pattern(dir, d.s.place)+"/**")
	}
	for _, p := range single {
		if !slices.ContainsFunc(dirs, func(dir string) bool { return p == dir || strictlyBelow(p, dir) }) {
			g.globs = append(g.globs, d.pattern(p, d.s.place))
			g.wide = append(g.wide, p)
		}
	}
}

// parent is the directory to open for a path: the one that holds it; itself, if
// other paths show that it is one, or if it is where the server stands.
func parent(p string, all []string, place abi.Place) string {
	if p == strings.TrimSuffix(filepath.ToSlash(place.Dir), "/") || slices.ContainsFunc(all, func(o string) bool { return strictlyBelow(o, p) }) {
		return p
	}
	return path.Dir(p)
}

// tooWide says whether a directory is more than a session can have meant by a
// file in it: a home or what holds one, what holds the server's own directory,
// a top-level directory, or one that holds what belongs to Callgate.
func (d *draft) tooWide(dir string, place abi.Place) bool {
	if depth(dir) < 2 {
		return true
	}
	if h := home(place); h != "" && (dir == h || strictlyBelow(h, dir)) {
		return true
	}
	switch cwd := strings.TrimSuffix(filepath.ToSlash(place.Dir), "/"); {
	case cwd != "" && strictlyBelow(cwd, dir):
		return true
	case cwd != "" && (dir == cwd || strictlyBelow(dir, cwd)):
		return false // a project may well hold a policy, which self guards whatever is allowed
	}
	return slices.ContainsFunc(d.s.protected, func(p string) bool {
		p = filepath.ToSlash(p)
		return p == dir || strictlyBelow(p, dir)
	})
}

// depth counts the names of a path, without a drive.
func depth(p string) int {
	n := 0
	for part := range strings.SplitSeq(p, "/") {
		if part != "" && !strings.HasSuffix(part, ":") {
			n++
		}
	}
	return n
}

func strictlyBelow(p, dir string) bool {
	if dir == "/" {
		return len(p) > 1 && p[0] == '/'
	}
	return len(p) > len(dir) && p[len(dir)] == '/' && strings.HasPrefix(p, dir)
}

// pattern writes a path as a pattern of the draft: below its own directory with
// ./, below the home directory with ~/, else absolute.
func (d *draft) pattern(p string, place abi.Place) string {
	own := d.opts.dir()
	switch h := home(place); {
	case p == own:
		return "."
	case strictlyBelow(p, own):
		return "./" + escaped(strings.TrimPrefix(p[len(strings.TrimSuffix(own, "/")):], "/"))
	case h != "" && strictlyBelow(p, h):
		return "~/" + escaped(p[len(h)+1:])
	}
	return escaped(p)
}

// escaped makes every character of a path literal in a pattern.
func escaped(p string) string {
	var b strings.Builder
	for i := range len(p) {
		if strings.IndexByte(`*?[]{}\`, p[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(p[i])
	}
	return b.String()
}
