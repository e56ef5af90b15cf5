package builtin

import (
	"path"
	"strings"

	"github.com/callgate/callgate/abi"
)

// readings calls visit with every canonical form that a value could have,
// folded. A value that has no safe canonical form is read as generously as
// possible: whether it is acceptable at all is for other contracts.
func readings(s string, place *abi.Place, visit func(string) bool) bool {
	s = strings.TrimSpace(s)
	if p, why := canonicalPath(s, place); why == "" {
		if visit(foldPath(p)) {
			return true
		}
		if place.Platform != "windows" && strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '%') < 0 {
			return false
		}
	}
	for _, form := range [...]func(string) string{generous, decodedTwice, slashed} {
		t := form(s)
		if t == "" {
			continue
		}
		if place.Home != "" {
			for _, prefix := range [...]string{"~", "${HOME}", "$HOME", "%USERPROFILE%", "%HOME%", "$env:USERPROFILE", "$env:HOME"} {
				if r, ok := strings.CutPrefix(t, prefix); ok && (r == "" || r[0] == '/' || r[0] == '\\') {
					t = place.Home + "/" + r
				}
			}
		}
		if place.Platform == "windows" {
			t = strings.ReplaceAll(t, `\`, "/")
			t = strings.TrimPrefix(strings.TrimPrefix(t, "//?/"), "//./")
		}
		if !strings.HasPrefix(t, "/") && !drive(t) && place.Dir != "" {
			t = place.Dir + "/" + t
		}
		if visit(foldPath(path.Clean(throughRoot(t)))) {
			return true
		}
	}
	return false
}

// generous strips the scheme and host of a file URI.
func generous(s string) string {
	if !hasPrefixFold(s, "file:") {
		return s
	}
	s = s[len("file:"):]
	if strings.HasPrefix(s, "//") {
		if i := strings.IndexByte(s[2:], '/'); i >= 0 {
			s = s[2+i:]
		}
	}
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	if len(s) > 2 && s[0] == '/' && drive(s[1:]) {
		s = s[1:]
	}
	return decode(s)
}

func decodedTwice(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return ""
	}
	return decode(decode(generous(s)))
}

func slashed(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return ""
	}
	return strings.ReplaceAll(generous(s), `\`, "/")
}

// decode decodes percent escapes and leaves broken ones alone.
func decode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && hexDigit(s[i+1]) && hexDigit(s[i+2]) {
			out.WriteByte(hexValue(s[i+1])<<4 | hexValue(s[i+2]))
			i += 2
			continue
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// throughRoot cuts off /proc/…/root, behind which the whole file system stands
// once more.
func throughRoot(s string) string {
	if !strings.HasPrefix(s, "/proc/") {
		return s
	}
	for {
		i := strings.LastIndex(s, "/root/")
		if i < 0 || !strings.HasPrefix(s, "/proc/") {
			return s
		}
		s = s[i+len("/root"):]
	}
}

// below says whether a value is a protected path or lies below one.
func (l *look) below(s string, place *abi.Place) bool {
	return readings(s, place, func(p string) bool {
		for _, q := range l.protected {
			if p == q || within(p, q) {
				return true
			}
		}
		return false
	})
}

// above says whether a protected path lies below a value.
func (l *look) above(s string, place *abi.Place) bool {
	return readings(s, place, func(p string) bool {
		for _, q := range l.protected {
			if within(q, p) {
				return true
			}
		}
		return false
	})
}

// within says whether p lies strictly below dir.
func within(p, dir string) bool {
	if dir == "/" {
		return len(p) > 1 && p[0] == '/'
	}
	return len(p) > len(dir) && p[len(dir)] == '/' && strings.HasPrefix(p, dir)
}

// reach says how a word of a command line, which can have wildcards, stands to
// the protected paths: it can name one, or something below one; or a directory
// above one.
func (l *look) reach(word string, place *abi.Place) (below, above bool) {
	if !strings.ContainsAny(word, "*?[{") {
		return l.below(word, place), l.above(word, place)
	}
	readings(unbraced(word), place, func(p string) bool {
		for _, q := range l.protected {
			b, a := overlap(strings.Split(p, "/"), strings.Split(q, "/"))
			below, above = below || b, above || a
		}
		return below
	})
	return below, above
}

// unbraced replaces brace groups by wildcards, which match more. The word is the
// caller's, and expanding its groups could take for ever.
func unbraced(word string) string {
	for range 64 {
		open := strings.IndexByte(word, '{')
		if open < 0 {
			return word
		}
		wild, end := "*", strings.LastIndexByte(word, '}')
		if n := strings.IndexByte(word[open:], '}'); n >= 0 && strings.Count(word[open:open+n], "{") == 1 {
			end = open + n
		}
		if end < open {
			return word[:open] + wild
		}
		if strings.Contains(word[open:end], "/") {
			wild = "**"
		}
		word = word[:open] + wild + word[end+1:]
	}
	return word
}

// overlap compares a pattern with a path, component by component.
func overlap(pattern, p []string) (below, above bool) {
	for i, c := range pattern {
		if strings.Contains(c, "**") || i >= len(p) {
			return true, true
		}
		if c == p[i] {
			continue
		}
		if ok, err := path.Match(c, p[i]); err != nil || !ok {
			return false, false
		}
	}
	return len(pattern) == len(p), len(pattern) < len(p)
}
