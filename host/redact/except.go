package redact

import "strings"

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

// spares says whether a piece of a text stays: it is, or is inside, a word that
// is excepted. Unless the entry has an empty list, digests, commits and UUIDs
// are.
func (e *entry) spares(text string, f span) bool {
	if e.Except != nil && len(e.Except) == 0 {
		return false
	}
	from, to := f.from, f.to
	for from > 0 && isWord(text[from-1]) {
		from--
	}
	for to < len(text) && isWord(text[to]) {
		to++
	}
	for _, g := range e.except {
		if g.matches(text[f.from:f.to]) || g.matches(text[from:to]) {
			return true
		}
	}
	if e.re == nil {
		return false // the name says that it is a secret, whatever it looks like
	}
	return isIdentifier(text[from:to])
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
