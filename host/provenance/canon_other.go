package provenance

import (
	"path"
	"strings"
)

// iban reads an account number of the shape of ISO 13616, spaces and hyphens
// dropped. The check digits are not verified: a wrong number is still where
// the money was meant to go.
func iban(s string) (Entity, bool) {
	if len(s) < 15 || len(s) > 64 || !allLetters(s[:1]) {
		return Entity{}, false
	}
	id := strings.ToUpper(strings.Map(unspaced, s))
	if len(id) < 15 || len(id) > 34 || !allLetters(id[:2]) || !digits(id[2:4]) {
		return Entity{}, false
	}
	figures := 0
	for i := 4; i < len(id); i++ {
		switch {
		case isDigit(id[i]):
			figures++
		case id[i] < 'A' || id[i] > 'Z':
			return Entity{}, false
		}
	}
	return Entity{Kind: KindIBAN, Identity: id, Value: s}, figures >= 6
}

// unspaced drops the separators of account numbers.
func unspaced(r rune) rune {
	if r == ' ' || r == '-' {
		return -1
	}
	return r
}

// phone reads an international number: + or 00, then 7 to 15 digits (E.164)
// with the separators of RFC 3966. Its identity is + and the digits.
func phone(s string) (Entity, bool) {
	num, dialled := strings.CutPrefix(strings.TrimSpace(s), "+")
	if !dialled {
		if num, dialled = strings.CutPrefix(num, "00"); !dialled {
			return Entity{}, false
		}
	}
	id := make([]byte, 0, 16)
	for i := 0; i < len(num); i++ {
		switch c := num[i]; {
		case isDigit(c) && len(id) < 16:
			id = append(id, c)
		case !strings.ContainsRune(" ().-/", rune(c)):
			return Entity{}, false
		}
	}
	return Entity{Kind: KindPhone, Identity: "+" + string(id), Value: s}, len(id) >= 7 && len(id) <= 15
}

// handle reads #channel and @user. The identity of a channel has no sigil, so
// that both ways to write it are one; that of a user keeps it, so that a user
// is never taken for a channel of the same name.
func handle(s string) (Entity, bool) {
	if len(s) < 2 || len(s) > 256 || s[0] != '#' && s[0] != '@' {
		return Entity{}, false
	}
	for _, r := range s[1:] {
		if strings.ContainsRune(" @#,;<>\"'()[]{}\n", r) {
			return Entity{}, false
		}
	}
	return Entity{Kind: KindHandle, Identity: strings.TrimPrefix(s, "#"), Value: s}, true
}

// fsPath reads a file system path: absolute, with a dot or tilde in front, with
// a Windows drive, or a share. The identity is clean, with slashes, and keeps
// its case.
func fsPath(s string) (Entity, bool) {
	p := strings.ReplaceAll(s, `\`, "/")
	windows := strings.Contains(s, `\`)
	drive := len(p) > 2 && p[1] == ':' && allLetters(p[:1]) && p[2] == '/'
	if len(p) > 3 && p[0] == '/' && p[2] == ':' && allLetters(p[1:2]) {
		p, drive = p[1:], true
	}
	rooted := strings.HasPrefix(p, "/") || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "~/")
	if !drive && !rooted && !(windows && strings.Contains(p, "/") && !strings.Contains(p, " ")) || len(p) < 2 || strings.Contains(p, "\n") {
		return Entity{}, false
	}
	id := path.Clean(p)
	if strings.HasPrefix(p, "//") {
		id = "/" + id
	}
	return Entity{Kind: KindPath, Identity: id, Value: s}, true
}

// extract finds the mail addresses and URLs inside a text, in order. The second
// result says that there was more than the limits allow to look at.
func extract(s string) ([]Entity, bool) {
	var out []Entity
	work := workFor(s)
	cut := addresses(s, &work, func(e Entity, _ int) bool {
		if len(out) == maxEntities {
			return false
		}
		if out == nil {
			out = make([]Entity, 0, 8)
		}
		out = append(out, e)
		return true
	})
	return out, cut
}

// workFor is how many bytes are looked at in search of addresses in a text.
func workFor(s string) int { return 8*len(s) + 1<<16 }

// addresses calls take with the mail addresses and URLs inside a text and where
// they begin, in order, until it returns false. It says whether there was more,
// for take or for the bytes that may be looked at.
func addresses(s string, work *int, take func(e Entity, from int) bool) (cut bool) {
	at, slashes := -1, -1 // the next @ and the next two slashes
	for i := 0; i < len(s); i++ {
		at, slashes = nextIn(s, "@", at, i), nextIn(s, "//", slashes, i)
		var from, to int
		if i = min(at, slashes); i == len(s) {
			break
		}
		if i == at {
			from, to = mailAround(s, i)
		} else {
			from, to = urlAround(s, i)
		}
		if from >= to {
			continue
		}
		if *work -= to - from; *work < 0 {
			return true
		}
		token := s[from:to]
		e, ok := plainAddress(token, s[i] == '@')
		if !ok {
			if e, ok = uri(token); !ok {
				e, ok = mail(token)
			}
		}
		if !ok {
			continue
		}
		e.Value, e.embedded = token, true
		if odd := oddity(token); odd != "" {
			e.Spoiled = odd
		}
		if !take(e, from) {
			return true
		}
		// A token that is no address may still end in one, so only what was
		// read is skipped.
		i = max(i, to-1)
	}
	return false
}

// nextIn returns where a mark stands next in s from an offset on, len(s) if it does
// not; before it stood at was.
func nextIn(s, mark string, was, from int) int {
	if was >= from {
		return was
	}
	if i := strings.Index(s[from:], mark); i >= 0 {
		return from + i
	}
	return len(s)
}

// plainAddress reads a token that is written as it is identified.
func plainAddress(token string, mail bool) (Entity, bool) {
	if mail {
		return plainMail(token)
	}
	return plainURL(token)
}

// maxToken bounds the length of an address inside a text.
const maxToken = 2048

// urlAround returns the URL around the two slashes at offset i.
func urlAround(s string, i int) (int, int) {
	from := i
	if from > 0 && s[from-1] == ':' {
		for from--; from > 0 && i-from < 32 && schemeByte(s[from-1]); from-- {
		}
	}
	to := i + 2
	for to < len(s) && to-i < maxToken && punctuation[s[to]]&noURL == 0 {
		to++
	}
	for to > i && punctuation[s[to-1]]&endsURL != 0 {
		to--
	}
	return from, to
}

func schemeByte(c byte) bool {
	return isWord(c) || c == '+' || c == '-' || c == '.'
}

// mailAround returns the address around the @ at offset i.
func mailAround(s string, i int) (int, int) {
	from := i
	for from > 0 && i-from < 256 && mailByte(s[from-1]) {
		from--
	}
	to := i + 1
	for to < len(s) && to-i < 256 && mailByte(s[to]) {
		to++
	}
	for to > i && strings.ContainsRune(".-_+", rune(s[to-1])) {
		to--
	}
	return from, to
}

func mailByte(c byte) bool {
	return isWord(c) || c >= 0x80 || c == '.' || c == '-' || c == '_' || c == '+'
}
