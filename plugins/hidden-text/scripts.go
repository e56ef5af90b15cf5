package main

import (
	"unicode"
	"unicode/utf8"
)

// joinings are scripts whose letters join.
var joinings = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Mandaic, unicode.Adlam, unicode.Phags_Pa, unicode.Manichaean,
	unicode.Psalter_Pahlavi, unicode.Sogdian, unicode.Chorasmian, unicode.Hanifi_Rohingya, unicode.Old_Uyghur,
}

// composings are scripts that make one letter of several.
var composings = []*unicode.RangeTable{
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese, unicode.Sundanese,
	unicode.Tai_Tham, unicode.Cham, unicode.Meetei_Mayek, unicode.Saurashtra, unicode.Rejang, unicode.Limbu, unicode.Lepcha, unicode.Syloti_Nagri,
	unicode.Buginese, unicode.Brahmi, unicode.Kaithi, unicode.Chakma, unicode.Sharada, unicode.Khojki, unicode.Khudawadi, unicode.Grantha,
	unicode.Newa, unicode.Tirhuta, unicode.Siddham, unicode.Modi, unicode.Takri, unicode.Ahom, unicode.Dogra, unicode.Nandinagari,
	unicode.Kharoshthi, unicode.Bhaiksuki, unicode.Soyombo, unicode.Zanabazar_Square, unicode.Masaram_Gondi, unicode.Gunjala_Gondi, unicode.Kawi,
}

// unbrokens are scripts without blanks between words.
var unbrokens = []*unicode.RangeTable{
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese, unicode.Tai_Tham,
	unicode.New_Tai_Lue, unicode.Tai_Le, unicode.Tai_Viet,
}

const (
	// lastIdeographic is the last selector that ideographs have variants for: one of
	// them has 32.
	lastIdeographic = 0xE011F
	// maxVariants is how many characters in a row have one: those of a name.
	maxVariants = 8
)

// ideograph judges a selector of one of the variants of an ideograph (UTS 37).
func (t *reader) ideograph() bool {
	p, size := utf8.DecodeLastRuneInString(t.text[:t.i])
	if t.variants++; t.i-size != t.variant {
		t.variants = 1
	}
	t.variant = t.i + t.n
	return unicode.Is(unicode.Han, p) && t.r <= lastIdeographic && t.variants <= maxVariants
}

// varies says whether a character is of those that StandardizedVariants.txt has
// two or three variants of.
func varies(r rune) bool {
	switch {
	case r >= 0x3001 && r <= 0x3002, r >= 0xFF00 && r <= 0xFFEF, r == 0x2018, r == 0x2019, r == 0x201C, r == 0x201D, r >= 0x1D49C && r <= 0x1D4CF,
		r >= 0x210B && r <= 0x2134:
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean)
}
