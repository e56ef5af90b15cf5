package builtin

import (
	"path"
	"strings"
	"unicode/utf8"
)

// remoteness says of most texts, at one look at each byte, that they reach no
// protected path: a path below one has the last name of it among its own, unless
// the directory that relative paths start from has.
type remoteness struct {
	names []string   // the last names of the protected paths, folded
	class [256]uint8 // what a byte can be the start of
	off   bool       // nothing can be said
}

const (
	opensNothing uint8 = iota
	opensName          // one of the names, in either case
	opensOther         // what stands for other bytes: escapes, home, what is no ASCII
)

// keepAway takes in the protected paths.
func (r *remoteness) keepAway(l *look) {
	dir := foldPath(path.Clean(l.place.Dir))
	r.off = l.place.Platform == "windows" || hasPrefixFold(l.place.Dir, "/proc")
	for _, p := range l.protected {
		name := p[strings.LastIndexByte(p, '/')+1:]
		if p[0] != '/' || name == "" || dir == p || within(dir, p) {
			r.off = true
			return
		}
		r.names = append(r.names, name)
		for _, c := range bothCases(name[0]) {
			r.class[c] = opensName
		}
	}
	for c := utf8.RuneSelf; c < len(r.class); c++ {
		r.class[c] = opensOther
	}
	for _, c := range `%\$~` {
		r.class[c] = opensOther
	}
}

// bothCases are both cases of a letter.
func bothCases(c byte) [2]byte {
	if 'a' <= c && c <= 'z' {
		return [2]byte{c, c - 'a' + 'A'}
	}
	return [2]byte{c, c}
}

// from says that neither a text nor a piece of it, read as a path, is a protected
// path or lies below one. False says nothing.
func (r *remoteness) from(s string) bool {
	if r.off {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch r.class[s[i]] {
		case opensName:
			for _, name := range r.names {
				if hasPrefixFold(s[i:], name) {
					return false
				}
			}
		case opensOther:
			return false
		}
	}
	return true
}
