package provenance

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the loose image of text in which taint is searched: compatibility
// decomposition, marks, controls and invisible characters dropped, look-alikes
// to ASCII, lower case, every space one blank. It works code point by code
// point: Fold(a+b) is Fold(a)+Fold(b).
func Fold(s string) string {
	out, _ := appendFold(nil, s)
	return string(out)
}

// bare is Fold with everything dropped that is neither letter nor digit.
func bare(s string) string { return string(appendBare(nil, s)) }

// appendFold appends the image of s, and says whether every byte of s gave
// exactly one byte, so that offsets agree.
func appendFold(dst []byte, s string) ([]byte, bool) {
	aligned := true
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if f := foldASCII(c); f != 0 {
				dst = append(dst, f)
			} else {
				aligned = false
			}
			i++
			continue
		}
		aligned = false
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = appendFoldRune(dst, r)
		i += n
	}
	return dst, aligned
}

// appendBare appends the letters and digits of the image of s.
func appendBare(dst []byte, s string) []byte {
	var buf [64]byte
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c = foldASCII(c); isAlnum(c) {
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = appendAlnum(dst, appendFoldRune(buf[:0], r))
		i += n
	}
	return dst
}

// appendAlnum appends the letters and digits of an image.
func appendAlnum(dst, image []byte) []byte {
	for i := 0; i < len(image); {
		if image[i] < utf8.RuneSelf {
			if isAlnum(image[i]) {
				dst = append(dst, image[i])
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(image[i:])
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			dst = append(dst, image[i:i+n]...)
		}
		i += n
	}
	return dst
}

// foldASCII returns the image of an ASCII character, 0 if it has none.
func foldASCII(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	case c > ' ' && c < 0x7F:
		return c
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f':
		return ' '
	}
	return 0
}

// appendFoldRune appends the image of one code point beyond ASCII. Lone
// surrogates and invalid bytes have the image of U+FFFD.
func appendFoldRune(dst []byte, r rune) []byte {
	if invisible(r) {
		return dst
	}
	var in [utf8.UTFMax]byte
	var out [64]byte
	n := utf8.EncodeRune(in[:], r)
	for _, d := range string(norm.NFKD.Append(out[:0], in[:n]...)) {
		dst = appendFolded(dst, d, 0)
	}
	return dst
}

// appendFolded appends the image of a decomposed code point. Lower-casing can
// yield a code point that decomposes again, at most once.
func appendFolded(dst []byte, r rune, depth int) []byte {
	if r < utf8.RuneSelf {
		if f := foldASCII(byte(r)); f != 0 {
			dst = append(dst, f)
		}
		return dst
	}
	if invisible(r) || unicode.Is(unicode.M, r) || unicode.IsControl(r) {
		return dst
	}
	if unicode.IsSpace(r) {
		return append(dst, ' ')
	}
	if p := prototype(r); p != 0 {
		return append(dst, p)
	}
	low := unicode.ToLower(r)
	if low != r && depth < 3 {
		for _, d := range norm.NFKD.String(string(low)) {
			dst = appendFolded(dst, d, depth+1)
		}
		return dst
	}
	return utf8.AppendRune(dst, low)
}

// invisible says whether a code point shows nothing by itself: format and tag
// characters, variation selectors, fillers.
func invisible(r rune) bool {
	if r < 0x80 {
		return false
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Variation_Selector, r) || r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x2800
}

func isAlnum(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// isWord says whether c is an ASCII letter or digit.
func isWord(c byte) bool { return isAlnum(c) || c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// cursor maps offsets of an image back to offsets of the text, going forward
// only, so that any number of matches in one text costs one pass.
type cursor struct {
	raw  string
	bare bool
	in   int // next byte of raw
	out  int // bytes of the image before it
	buf  [64]byte
}

// start moves to the code point that gave the byte at offset at of the image,
// and returns the offset of its first byte.
func (c *cursor) start(at int) int {
	for c.in < len(c.raw) {
		n, image := c.peek()
		if c.out+image > at {
			return c.in
		}
		c.in += n
		c.out += image
	}
	return c.in
}

// end returns the offset after the code point that gave the byte before offset
// at of the image, without moving.
func (c cursor) end(at int) int {
	for c.in < len(c.raw) && c.out < at {
		n, image := c.peek()
		c.in += n
		c.out += image
	}
	return c.in
}

// peek returns the width of the next code point and of its image.
func (c *cursor) peek() (int, int) {
	b := c.raw[c.in]
	if b < utf8.RuneSelf {
		f := foldASCII(b)
		if f == 0 || c.bare && !isAlnum(f) {
			return 1, 0
		}
		return 1, 1
	}
	r, n := utf8.DecodeRuneInString(c.raw[c.in:])
	image := appendFoldRune(c.buf[:0], r)
	if c.bare {
		var kept [64]byte
		image = appendAlnum(kept[:0], image)
	}
	return n, len(image)
}
