package main

import "unicode"

// seen says whether a character has a picture, or does something to those around
// it that can be seen.
func (t *reader) seen(r rune) bool {
	switch {
	case r == 0xAD:
		return t.softHyphen()
	case r == 0x200C || r == 0x200D:
		return t.joiner()
	case r == 0x200B: // where scripts have no blanks between words
		return breaks(t.prev()) && breaks(t.next())
	case r == 0xFEFF:
		return t.i == 0 && t.where == answer // a mark at the start of a file
	case r >= 0xFE00 && r <= 0xFE0F:
		return t.variation()
	case r >= 0x180B && r <= 0x180F:
		return unicode.Is(unicode.Mongolian, t.prev()) && !(t.prev() >= 0x180B && t.prev() <= 0x180F)
	case r == 0x034F:
		return unicode.Is(unicode.Mn, t.next()) && t.next() != 0x034F
	case r == 0x115F || r == 0x1160:
		return jamo(t.prev()) || jamo(t.next())
	case r == 0x2800:
		return braille(t.prev()) || braille(t.next())
	}
	return !invisible(r)
}

// invisible lists what has no picture anywhere.
func invisible(r rune) bool {
	switch {
	case r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFFA0:
		return true
	case r >= 0x2060 && r <= 0x206F, r >= 0xFFF0 && r <= 0xFFFB, r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A:
		return true
	}
	return false
}

func jamo(r rune) bool { return r >= 0x1100 && r <= 0x11FF && r != 0x115F && r != 0x1160 }

func braille(r rune) bool { return r > 0x2800 && r <= 0x28FF }

// breaks says whether a letter is of a script without blanks between words.
func breaks(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese, unicode.Tai_Tham)
}

// softHyphen says whether a soft hyphen parts a word of prose. What a server says
// of itself is no typeset prose.
func (t *reader) softHyphen() bool {
	if t.where == listed || !unicode.IsLetter(t.prev()) || !unicode.IsLetter(t.next()) {
		return false
	}
	for _, r := range t.text {
		if r == ' ' {
			return true
		}
	}
	return false
}

// joiner judges joiner and non-joiner: in scripts whose letters change with them
// (RFC 5892, appendix A), and in emoji that are made of several.
func (t *reader) joiner() bool {
	p, n := t.prev(), t.next()
	if n == 0x200B || n == 0x200C || n == 0x200D {
		return false
	}
	if joins(p) || indic(p) {
		return true
	}
	return t.r == 0x200D && (pictographic(p) || p == 0xFE0F || p >= 0x1F3FB && p <= 0x1F3FF) && pictographic(n)
}

func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Mandaic, unicode.Adlam) && (unicode.IsLetter(r) || unicode.IsMark(r))
}

func indic(r rune) bool {
	return unicode.In(r, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan) && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// variation judges a variation selector: one, behind a character that has variants.
func (t *reader) variation() bool {
	p := t.prev()
	switch {
	case t.r >= 0xFE0E && (p >= '0' && p <= '9' || p == '#' || p == '*'):
		return t.next() == 0x20E3 // a keycap
	case t.r >= 0xFE0E:
		return pictographic(p) || p >= 0x2190 && p <= 0x21FF || p >= 0x1F3FB && p <= 0x1F3FF
	case t.r <= 0xFE02:
		return unicode.In(p, unicode.Han, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean) || p >= 0x3001 && p <= 0x3002 || p >= 0xFF00 && p <= 0xFFEF
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
