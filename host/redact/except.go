package redact

import (
	"slices"
	"strings"
)

// glob is a pattern with * for any text and ? for one byte.
type glob struct {
	text string
	name bool // of a member: in any case, with any separators
}

func newGlob(text string, name bool) glob {
	if name {
		text = bareName(text)
	}
	return glob{text, name}
}

// bareName is the name of a member without case and separators.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

func (g glob) matches(text string) bool {
	if g.name {
		text = bareName(text)
	}
	return Wildcard(g.text, text)
}

// Wildcard says whether a pattern with * and ? matches the whole of a text. It
// takes time in the product of both lengths at most.
func Wildcard(pattern, text string) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// unspared leaves out the pieces that stay: those that are, or are inside, a word
// that is excepted. Unless an entry has an empty list, digests, commits and UUIDs
// are.
func (s *Set) unspared(text string, found []span) []span {
	in := word{entry: -1}
	return slices.DeleteFunc(found, func(f span) bool {
		e := &s.entries[f.entry]
		if f.rest || e.Except != nil && len(e.Except) == 0 {
			return false
		}
		if !in.holds(f) {
			in = wordAround(text, f)
			in.spared = e.spares(text[in.from:in.to])
		}
		return in.spared || slices.ContainsFunc(e.except, func(g glob) bool { return g.matches(text[f.from:f.to]) })
	})
}

// spares says whether a word is excepted.
func (e *entry) spares(word string) bool {
	if slices.ContainsFunc(e.except, func(g glob) bool { return g.matches(word) }) {
		return true
	}
	return e.re != nil && isIdentifier(word) // else the name says that it is a secret, whatever it looks like
}

// word is the word around a piece of a text. It serves all pieces inside, so that
// one with many is read once.
type word struct {
	from, to, entry int
	pure            bool // no other characters are in the piece
	spared          bool
}

func (w *word) holds(f span) bool {
	return w.pure && w.entry == f.entry && w.from <= f.from && f.to <= w.to && f.from < f.to
}

func wordAround(text string, f span) word {
	w := word{from: f.from, to: f.to, entry: f.entry, pure: f.from < f.to}
	for i := f.from; i < f.to && w.pure; i++ {
		w.pure = isWord(text[i])
	}
	for w.from > 0 && isWord(text[w.from-1]) {
		w.from--
	}
	for w.to < len(text) && isWord(text[w.to]) {
		w.to++
	}
	return w
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == ':'
}

// digests are the hex digits of digests by the name before them.
var digests = map[string]int{"md5": 32, "sha1": 40, "sha256": 64, "sha384": 96, "sha512": 128}

// isIdentifier says whether a word is a digest, a commit of git or a UUID.
func isIdentifier(word string) bool {
	if name, rest, ok := strings.Cut(word, ":"); ok {
		n, known := digests[strings.ToLower(name)]
		return known && len(rest) == n && isHex(rest)
	}
	switch len(word) {
	case 40, 64:
		return isHex(word)
	case 36:
		for i := 0; i < len(word); i++ {
			if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (word[i] == '-') || !dash && !isHex(word[i:i+1]) {
				return false
			}
		}
		return true
	}
	return false
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}
