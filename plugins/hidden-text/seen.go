package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// seen says whether a character has a picture, or does something to those around
// it that can be seen.
func (t *reader) seen(r rune) bool {
	switch {
	case r == 0xAD:
		return t.softHyphen()
	case r == 0x200C || r == 0x200D:
		return t.joiner()
	case r == 0x200B:
		return t.blank()
	case r == 0x2060:
		return t.holds()
	case r == 0xFEFF:
		return t.where == answer && (t.i == 0 || t.prev() == '\n') // a mark at the start of a file, or of one of several
	case r >= 0xFE00 && r <= 0xFE0F:
		return t.variation()
	case r >= 0x180B && r <= 0x180F:
		return unicode.Is(unicode.Mongolian, t.prev()) && !(t.prev() >= 0x180B && t.prev() <= 0x180F)
	case r == 0x034F:
		return unicode.Is(unicode.Mn, t.next()) && t.next() != 0x034F
	case r == 0x115F || r == 0x1160:
		return jamo(t.prev()) || jamo(t.next())
	case r == 0x2800:
		return once(&t.dots, func() bool { return drawn(t.text) })
	case r == 0x1D159 || r >= 0x1D173 && r <= 0x1D17A: // of scores
		return t.beside(0x1D100, 0x1D1FF)
	case r >= 0x1BCA0 && r <= 0x1BCA3: // of shorthand
		return t.beside(0x1BC00, 0x1BCAF)
	case r >= 0x13430 && r <= 0x1345F: // of hieroglyphs
		return t.beside(0x13000, 0x143FF)
	}
	return !invisible(r)
}

// beside says whether a character stands next to one of its own block, which is
// not one as it is.
func (t *reader) beside(from, to rune) bool {
	for _, r := range [...]rune{t.prev(), t.next()} {
		if r >= from && r <= to && !(invisible(r) || r >= 0x13430 && r <= 0x1345F) {
			return true
		}
	}
	return false
}

// invisible lists what has no picture anywhere.
func invisible(r rune) bool {
	switch {
	case r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFFA0, r == 0x1D159:
		return true
	case r >= 0x2060 && r <= 0x206F, r >= 0xFFF0 && r <= 0xFFFB, r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A:
		return true
	}
	return false
}

func jamo(r rune) bool { return r >= 0x1100 && r <= 0x11FF && r != 0x115F && r != 0x1160 }

// drawn says whether a text has so much braille that its blanks are blanks: in
// pictures most are.
func drawn(text string) bool {
	blank, dots := 0, 0
	for _, r := range text {
		if r == 0x2800 {
			blank++
		} else if r > 0x2800 && r <= 0x28FF {
			dots++
		}
	}
	return dots*16 >= blank
}

// blank judges a blank without width: beside a letter of such a script, and no other thing that
// is not seen.
func (t *reader) blank() bool {
	p, n := t.prev(), t.next()
	return (is(p, unbroken, unbrokens) || is(n, unbroken, unbrokens)) && !unseen(p) && !unseen(n)
}

// bare says whether a character cannot stand beside another that is not seen; 0 is
// the end of the text.
func bare(r rune) bool { return r == 0 || unseen(r) }

// holds judges a word joiner: beside the signs that lines break at, in prose.
func (t *reader) holds() bool {
	p, n := t.prev(), t.next()
	if t.where == listed || bare(p) || bare(n) {
		return false
	}
	for _, r := range [...]rune{p, n} {
		if r >= 0xA0 && (unicode.IsPunct(r) || unicode.Is(unicode.Zs, r)) {
			return true
		}
	}
	return false
}

// softHyphen says whether a soft hyphen parts a word of prose, of which it leaves
// more than a letter on each side. What a server says of itself is no typeset prose.
func (t *reader) softHyphen() bool {
	if t.where == listed || !twoLetters(t.text[:t.i], true) || !twoLetters(t.text[t.i+t.n:], false) {
		return false
	}
	return t.where == answer || once(&t.prose, func() bool { return strings.ContainsAny(t.text, " <") })
}

// twoLetters says whether a text begins with two letters, or ends in them.
func twoLetters(s string, ends bool) bool {
	for n := 0; n < 2; {
		r, size := utf8.DecodeRuneInString(s)
		if ends {
			r, size = utf8.DecodeLastRuneInString(s)
		}
		switch {
		case unicode.IsLetter(r):
			n++
		case !unicode.IsMark(r) || unseen(r):
			return false
		}
		if ends {
			s = s[:len(s)-size]
		} else {
			s = s[size:]
		}
	}
	return true
}

// joiner judges joiner and non-joiner: in scripts whose letters change with them
// (RFC 5892, appendix A), and in emoji that are made of several.
func (t *reader) joiner() bool {
	p, n := t.prev(), t.next()
	switch {
	case n == 0x200B || n == 0x200C || n == 0x200D:
		return false
	case is(p, joining, joinings) || is(p, composing, composings):
		return true
	case is(n, joining, joinings): // what stands alone as it would within a word; endings of foreign words
		return t.r == 0x200D && !unicode.IsLetter(p) && !unseen(p) || t.r == 0x200C && (unicode.IsLetter(p) || unicode.IsDigit(p))
	}
	return t.r == 0x200D && (pictographic(p) || p == 0xFE0F || p >= 0x1F3FB && p <= 0x1F3FF) && pictographic(n)
}

// variation judges a variation selector: one, behind a character that has variants.
func (t *reader) variation() bool {
	p := t.prev()
	switch {
	case t.r >= 0xFE0E && (p >= '0' && p <= '9' || p == '#' || p == '*'):
		return t.next() == 0x20E3 // a keycap
	case t.r >= 0xFE0E:
		return pictographic(p) || p >= 0x2190 && p <= 0x21FF || p >= 0x1F3FB && p <= 0x1F3FF
	case t.r == 0xFE00:
		return p == '0' || p >= 0x2654 && p <= 0x265F || varies(p) || p >= 0x13000 && p <= 0x143FF
	case t.r <= 0xFE02:
		return varies(p) || p >= 0x13000 && p <= 0x143FF
	case t.r <= 0xFE06:
		return p >= 0x13000 && p <= 0x143FF // turned hieroglyphs
	}
	return false
}

// pictographic says whether a character is an emoji, or can be shown as one: the
// blocks of Extended_Pictographic (UTS 51).
func pictographic(r rune) bool {
	switch {
	case r == 0xA9, r == 0xAE, r == 0x203C, r == 0x2049, r == 0x2122, r == 0x2139, r == 0x24C2, r == 0x3030, r == 0x303D, r == 0x3297, r == 0x3299:
		return true
	case r >= 0x2194 && r <= 0x21AA, r >= 0x231A && r <= 0x23FF, r >= 0x25AA && r <= 0x25FE, r >= 0x2600 && r <= 0x27BF, r >= 0x2934 && r <= 0x2935,
		r >= 0x2B05 && r <= 0x2B55:
		return true
	}
	return r >= 0x1F000 && r <= 0x1FAFF && !(r >= 0x1F1E6 && r <= 0x1F1FF) && !(r >= 0x1F3FB && r <= 0x1F3FF)
}
