// Package fold gives text the loose image in which it is searched: two texts
// that a reader takes for one another have one image.
//
// The image of a code point is its compatibility decomposition (NFKD, UAX #15)
// without marks, format and control characters and what is ignorable by default
// (UAX #44), every letter and sign that is taken for an ASCII one as that one
// (UTS #39, and a list of ours), in lower case, every decimal digit as the ASCII
// digit of its value, every space as one blank. Letters without an ASCII
// look-alike are kept. ASCII is never taken for other ASCII: 0 and o, 1 and l,
// rn and m stay different.
//
// There are two images: the folded one keeps spaces and punctuation, the bare one
// has letters and digits only. Both work one code point at a time, so that the
// image of x+y is the image of x and then that of y, and folding twice is folding
// once; the bare image is the folded one less all that is neither a letter nor a
// number. Invalid UTF-8 has the image of U+FFFD for each byte, as lone surrogates
// have.
//
// The table is written by go generate from the data of one version of Unicode.
package fold

//go:generate go run ./gen

import "unicode/utf8"

// Hangul syllables decompose by rule (Unicode, section 3.12) and are not in the
// table.
const (
	syllables     = 0xAC00
	lastSyllable  = 0xD7A3
	leads, vowels = 0x1100, 0x1161
	trails        = 0x11A7
	vowelCount    = 21
	trailCount    = 28
)

// entry returns what the table says about a code point.
func entry(r rune) uint16 {
	if uint32(r) > utf8.MaxRune || r >= 0xD800 && r <= 0xDFFF {
		r = utf8.RuneError
	}
	return entries[int(stages[r>>blockBits])<<blockBits|int(r&(1<<blockBits-1))]
}

// image returns the image of an entry that has one in the blob.
func image(e uint16, bare uint16) string {
	n := e&^apartBit - firstImage + e>>15&bare
	return blob[ends[n]:ends[n+1]]
}

// AppendRune appends the folded image of a code point.
func AppendRune(dst []byte, r rune) []byte {
	if r >= syllables && r <= lastSyllable {
		return appendSyllable(dst, r)
	}
	switch e := entry(r); {
	case e == 0:
		return dst
	case e < keepWord:
		return append(dst, byte(e))
	case e < firstImage:
		return utf8.AppendRune(dst, r)
	default:
		return append(dst, image(e, 0)...)
	}
}

// appendBareRune appends the bare image of a code point whose image is of
// several bytes.
func appendBareRune(dst []byte, r rune) []byte {
	if r >= syllables && r <= lastSyllable {
		return appendSyllable(dst, r)
	}
	return append(dst, image(entry(r), 1)...)
}

func appendSyllable(dst []byte, r rune) []byte {
	n := r - syllables
	dst = utf8.AppendRune(dst, leads+n/(vowelCount*trailCount))
	dst = utf8.AppendRune(dst, vowels+n%(vowelCount*trailCount)/trailCount)
	if t := n % trailCount; t != 0 {
		dst = utf8.AppendRune(dst, trails+t)
	}
	return dst
}

// Append appends the folded image of s, and says whether every byte of s gave
// exactly one byte, so that offsets in the image are offsets in s.
func Append(dst []byte, s string) (out []byte, aligned bool) {
	aligned = true
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			f := byte(entries[c])
			if f != 0 {
				dst = append(dst, f)
			} else {
				aligned = false
			}
			i++
			continue
		}
		aligned = false
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = AppendRune(dst, r)
		i += n
	}
	return dst, aligned
}

// Fold returns the folded image of s.
func Fold(s string) string {
	out, _ := Append(nil, s)
	return string(out)
}

// Bare returns the bare image of s.
func Bare(s string) string { return string(AppendBare(nil, s)) }

// Ignored says whether a code point shows nothing by itself: format and tag
// characters, variation selectors, fillers and whatever else is ignorable by
// default, blank letters and symbols. Marks and controls are not among them.
func Ignored(r rune) bool {
	if r < utf8.RuneSelf || r > utf8.MaxRune {
		return false
	}
	return blanks[stages[r>>blockBits]]>>(r&(1<<blockBits-1))&1 != 0
}
