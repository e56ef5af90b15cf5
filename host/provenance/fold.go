package provenance

import (
	"unicode/utf8"

	"github.com/callgate/callgate/host/provenance/fold"
)

// Fold returns the loose image of text in which taint is searched; package fold
// says what it is.
func Fold(s string) string { return fold.Fold(s) }

// bare is Fold with everything dropped that is neither letter nor digit.
func bare(s string) string { return fold.Bare(s) }

// appendFold appends the image of s, and says whether every byte of s gave
// exactly one byte, so that offsets agree.
func appendFold(dst []byte, s string) ([]byte, bool) { return fold.Append(dst, s) }

// appendBare appends the letters and digits of the image of s. It may overwrite
// what lies between the length and the capacity of the result.
func appendBare(dst []byte, s string) []byte { return fold.AppendBare(dst, s) }

// appendAlnum appends the letters and digits of an image, which folding leaves
// as it is. It may overwrite what appendBare may.
func appendAlnum(dst, image []byte) []byte { return fold.AppendBareBytes(dst, image) }

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

// invisible says whether a code point shows nothing by itself: format and tag
// characters, variation selectors, fillers.
func invisible(r rune) bool { return fold.Ignored(r) }

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

// end moves behind the code point that gave the byte before offset at of the
// image, and returns the offset behind it.
func (c *cursor) end(at int) int {
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
	if c.bare {
		return n, len(fold.AppendBare(c.buf[:0], c.raw[c.in:c.in+n]))
	}
	return n, len(fold.AppendRune(c.buf[:0], r))
}
