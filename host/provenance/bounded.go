package provenance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bounded says whether bytes from-to of a text are no part of a longer token
// of their kind: alice@corp.com.evil.net does not name alice@corp.com. In a
// part, a name in front of the host is expected.
func bounded(raw string, from, to int, kind string, part bool) bool {
	b1, b2 := before(raw, from)
	a1, a2 := after(raw, to)
	word := func(r rune) bool { return wordRune(r, kind) }
	// Names in ASCII are written without blanks between such scripts as well.
	apart := func(edge byte, r rune) bool { return kind == KindText && edge < utf8.RuneSelf && interrupts(r) }
	if word(b1) && !apart(raw[from], b1) && !(strings.ContainsRune("nrt", b1) && b2 == '\\') {
		return false
	}
	if word(a1) && !apart(raw[to-1], a1) {
		return false
	}
	joinBefore, joinAfter := joiners(kind)
	if part {
		joinBefore, joinAfter = "-_", "-_."
	}
	if b1 != 0 && strings.ContainsRune(joinBefore, b1) && word(b2) {
		return false
	}
	return !(a1 != 0 && strings.ContainsRune(joinAfter, a1) && word(a2))
}

// joiners lists the characters that glue a word in front of, or behind, a token
// of a kind to it.
func joiners(kind string) (before, after string) {
	switch kind {
	case KindMail:
		return ".+-_%", ".-_@"
	case KindURL:
		return ".-_", ".-_?/=&%+~:@"
	case KindHost, KindIP:
		return ".-_", ".-_@"
	case KindPath:
		return ".-_", ".-_/\\"
	}
	return "_-@", "_-@"
}

// wordRune says whether a code point belongs to a token. Next to a kind that is
// written in ASCII, letters of scripts without blanks between words do not.
func wordRune(r rune, kind string) bool {
	if r < utf8.RuneSelf {
		return isWord(byte(r))
	}
	if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
		return false
	}
	if kind == KindText || kind == KindHandle || kind == KindPath {
		return true
	}
	return isASCII(Fold(string(r)))
}

// before returns the two visible code points in front of an offset, 0 for none.
func before(raw string, at int) (near, far rune) {
	near, at = backward(raw, at)
	far, _ = backward(raw, at)
	return near, far
}

func backward(raw string, at int) (rune, int) {
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(raw[:at])
		at -= n
		if !hidden(r) {
			return r, at
		}
	}
	return 0, 0
}

// after returns the two visible code points behind an offset, 0 for none.
func after(raw string, at int) (near, far rune) {
	near, at = forward(raw, at)
	far, _ = forward(raw, at)
	return near, far
}

func forward(raw string, at int) (rune, int) {
	for at < len(raw) {
		r, n := utf8.DecodeRuneInString(raw[at:])
		at += n
		if !hidden(r) {
			return r, at
		}
	}
	return 0, len(raw)
}

// hidden says whether a code point has no image of its own.
func hidden(r rune) bool { return invisible(r) || unicode.Is(unicode.M, r) }
