package provenance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Classes of the bytes of a text. A word is what stands between blanks, quotes
// and angle brackets; a piece of it is what stands between its odd characters.
const (
	classBlank   uint16 = 1 << iota // ends a word
	classOdd                        // ends a piece
	classLetter                     // a to z, in either case
	classFigure                     // 0 to 9
	classAt                         // @
	classDot                        // .
	classColon                      // :
	classSlash                      // /
	classBack                       // backslash
	classHash                       // #
	classPercent                    // %
	classWide                       // beyond ASCII
	classStop                       // may begin the full stop of Chinese and Japanese

	// classHot is what every entity has one of.
	classHot = classFigure | classAt | classDot | classColon | classSlash | classBack | classHash | classStop
)

// classes says what each byte is. Nothing changes it.
var classes = func() (t [256]uint16) {
	marks := map[byte]uint16{
		'@': classAt, '.': classDot, ':': classColon, '/': classSlash, '\\': classBack, '#': classHash, '%': classPercent,
		'-': 0, '_': 0, '+': 0, '~': 0, "。"[0]: classWide | classStop,
	}
	for c := range t {
		b := byte(c)
		mark, marked := marks[b]
		switch {
		case marked:
			t[c] = mark
		case isDigit(b):
			t[c] = classFigure
		case isWord(b):
			t[c] = classLetter
		case b >= utf8.RuneSelf:
			t[c] = classWide
		case strings.IndexByte(" \t\r\n\"<>", b) >= 0:
			t[c] = classBlank
		default:
			t[c] = classOdd
		}
	}
	return t
}()

// Punctuation around a word that is none of it.
const (
	opens   uint8 = 1 << iota // may stand in front
	closes                    // may stand behind
	ends                      // ends a sentence, and no address
	noURL                     // in no URL inside of a text
	endsURL                   // may stand behind a URL inside of a text
)

// punctuation says what each byte is around a word. Nothing changes it.
var punctuation = func() (t [256]uint8) {
	for as, set := range map[uint8]string{opens: "([{'`*_=,;!?&|$", closes: ")]}'`*_=,;!?&|.:", ends: "'`,;!?.:", noURL: " \t\r\n\"'<>`|^{}", endsURL: ".,;:!?)]*_"} {
		for i := range len(set) {
			t[set[i]] |= as
		}
	}
	return t
}()

// trim returns the borders of s[from:to] without the punctuation around it, which
// behind it is of a kind. A colon that begins it is of no use but to IPv6.
func trim(s string, from, to int, kind uint8) (int, int) {
	for from < to && punctuation[s[from]]&opens != 0 {
		from++
	}
	for from < to && punctuation[s[to-1]]&kind != 0 {
		to--
	}
	if from+1 < to && s[from] == ':' && s[from+1] != ':' {
		from++
	}
	return from, to
}

// balanced returns the borders of s[from:to] without what ends a sentence, and
// without brackets that are not opened in it: addresses may end in brackets.
func balanced(s string, from, to int) (int, int) {
	for {
		from, to = trim(s, from, to, ends)
		if to <= from {
			return from, to
		}
		i := strings.IndexByte(")]}", s[to-1])
		if i < 0 || strings.IndexByte(s[from:to], "([{"[i]) >= 0 {
			return from, to
		}
		to--
	}
}

// classesOf returns the classes of the bytes of a word.
func classesOf(w string) (of uint16) {
	for i := 0; i < len(w); i++ {
		of |= classes[w[i]]
	}
	return of
}

// interrupts says whether a code point beyond ASCII stands between words, or in a
// script that is written without blanks: an ASCII address next to it does not go
// on in it. The full stop of Chinese and Japanese stands in host names as well.
func interrupts(r rune) bool {
	switch {
	case r < utf8.RuneSelf, r == utf8.RuneError, r == '。', invisible(r):
		return false
	case r >= 0x2E80 && r <= 0xD7FF, r >= 0x20000 && r <= 0x3FFFF, // East Asia
		r >= 0x0E00 && r <= 0x0EFF, r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17FF: // Thai, Lao, Burmese, Khmer
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N)
}
