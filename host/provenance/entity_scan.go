package provenance

import "strings"

// leastToken is the length from which a word of letters and digits is an entity
// of its own, in bytes.
const leastToken = 16

// Classes of the bytes that tokens are made of.
const (
	inToken  = 1 << iota // may stand inside of a token
	isLetter             // a to z, in either case
	isFigure
	isDot    // . or :
	isSlash  // / or backslash
	isStrong // what only tokens of some kinds hold: @ # + ~ %
)

// classes says what each byte may be. Nothing changes it.
var classes = func() (t [256]uint8) {
	for c := range t {
		b := byte(c)
		switch {
		case isDigit(b):
			t[c] = inToken | isFigure
		case isWord(b), b >= 0x80:
			t[c] = inToken | isLetter
		case b == '.' || b == ':':
			t[c] = inToken | isDot
		case b == '/' || b == '\\':
			t[c] = inToken | isSlash
		case strings.IndexByte("@#+~%", b) >= 0:
			t[c] = inToken | isStrong
		case strings.IndexByte("-_=?&$!*", b) >= 0:
			t[c] = inToken
		}
	}
	return t
}()

// scanEntities calls emit with the keys of every entity that a text names, and
// says whether there was more than it looks at.
func scanEntities(s string, emit func(key uint64)) (cut bool) {
	return eachEntity(s, func(e Entity) {
		emit(keyHash(e))
		for _, a := range e.aliases() {
			emit(keyHash(a))
		}
	})
}

// keys returns the keys under which an entity is known, the exact one first.
func (e Entity) keys() []uint64 {
	out := []uint64{keyHash(e)}
	for _, a := range e.aliases() {
		out = append(out, keyHash(a))
	}
	return out
}

// eachEntity calls named with every entity that a text names: what [extract]
// finds, and every token that has the shape of one by itself. It says whether
// there was more than it looks at.
func eachEntity(s string, named func(Entity)) (cut bool) {
	inside, cut := extract(s)
	for _, e := range inside {
		named(e)
	}
	for i := 0; i < len(s); {
		if classes[s[i]]&inToken == 0 {
			i++
			continue
		}
		end, any := i, uint8(0)
		for end < len(s) && classes[s[end]]&inToken != 0 {
			any |= classes[s[end]]
			end++
		}
		if any&(isFigure|isDot|isSlash|isStrong) != 0 {
			scanToken(s, i, end, any, named)
		}
		i = end
	}
	return cut
}

// scanToken reads one token that is more than a word of letters.
func scanToken(s string, from, to int, any uint8, named func(Entity)) {
	token := strings.TrimRight(s[from:to], ".,:;!?*_=&")
	if len(token) > maxToken || len(token) < 3 {
		return
	}
	// Numbers are written with blanks: the token is where they begin.
	switch {
	case token[0] == '+' || strings.HasPrefix(token, "00") && any&isFigure != 0:
		if e, ok := phone(run(s[from:], 32, "0123456789 +().-/")); ok {
			named(e)
		}
	case len(token) >= 4 && isWord(token[0]) && isWord(token[1]) && isDigit(token[2]) && isDigit(token[3]):
		if e, ok := iban(run(s[from:], 42, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz -")); ok {
			named(e)
		}
	}
	if any&isStrong != 0 && strings.Contains(token, "@") && token[0] != '@' || strings.Contains(token, "//") {
		return // [extract] reads these
	}
	switch {
	case any&isSlash != 0, token[0] == '~':
		if e, ok := fsPath(token); ok {
			named(e)
		}
	case token[0] == '#' || token[0] == '@':
		if e, ok := handle(token); ok {
			named(e)
		}
	case any&isDot != 0 && strings.ContainsAny(token, ".:"):
		if e, ok := ip(token); ok {
			named(e)
		} else if e, ok := hostName(token); ok {
			named(e)
		}
	case len(token) >= leastToken && any&(isFigure|isLetter) == isFigure|isLetter:
		named(text(token))
	}
}

// run returns the start of s that is made of some characters only, without blanks
// at its end.
func run(s string, most int, of string) string {
	n := 0
	for n < len(s) && n < most && strings.IndexByte(of, s[n]) >= 0 {
		n++
	}
	return strings.TrimRight(s[:n], " -.(/")
}

// aliases returns what an entity is known as besides: mail reaches a box whatever
// follows a + in its name, and some hosts do not see dots in it. They taint, and
// never vouch.
func (e Entity) aliases() []Entity {
	if e.Kind != KindMail {
		return nil
	}
	local, _, tagged := strings.Cut(e.local, "+")
	host := e.host
	if host == "gmail.com" || host == "googlemail.com" {
		local, host, tagged = strings.ReplaceAll(strings.ToLower(local), ".", ""), "gmail.com", true
	}
	if !tagged || local == "" {
		return nil
	}
	return []Entity{{Kind: KindMail, Identity: local + "@" + host}}
}
