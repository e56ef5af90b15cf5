package fold

import (
	"slices"
	"unicode/utf8"
)

// stepBit is the place of the number of bytes in what bareASCII says of a byte:
// what it gives is written, and counted, without a question.
const stepBit = 8

// AppendBare appends the letters and digits of the folded image of s. It may
// overwrite what lies between the length and the capacity of the result.
func AppendBare(dst []byte, s string) []byte { return appendBare(dst, s) }

// AppendBareBytes is AppendBare for bytes, which dst must not overlap.
func AppendBareBytes(dst, s []byte) []byte { return appendBare(dst, s) }

// appendBare keeps room for as many bytes as are left of s, so that what is no
// longer than its source is written without looking.
func appendBare[S string | []byte](dst []byte, s S) []byte {
	n := len(dst)
	dst = slices.Grow(dst, len(s))
	dst = dst[:cap(dst)]
	for len(s) > 0 {
		var ascii int
		n, ascii = bareRun(dst, n, s)
		s = s[ascii:]
		for len(s) > 0 && s[0] >= utf8.RuneSelf {
			r, size := decode(s)
			e := entry(r)
			switch {
			case e < keepWord:
				v := bareASCII[e]
				dst[n] = byte(v)
				n += int(v >> stepBit)
			case e == keepWord && (r < syllables || r > lastSyllable):
				n += copy(dst[n:n+size], s[:size])
			case e != keepOther:
				longer := appendBareRune(dst[:n], r)
				n = len(longer)
				dst = slices.Grow(longer, len(s)-size)
				dst = dst[:cap(dst)]
			}
			s = s[size:]
		}
	}
	return dst[:n]
}

// bareRun writes the image of the ASCII that s begins with at dst[n:], which has
// room for it, and returns the end of the image and the length of that ASCII.
func bareRun[S string | []byte](dst []byte, n int, s S) (int, int) {
	i := 0
	for ; i+8 <= len(s) && n+8 <= len(dst); i += 8 {
		w, out := s[i:i+8], dst[n:n+8]
		if (w[0]|w[1]|w[2]|w[3]|w[4]|w[5]|w[6]|w[7])&utf8.RuneSelf != 0 {
			break
		}
		k := 0
		v0 := bareASCII[w[0]]
		v1 := bareASCII[w[1]]
		v2 := bareASCII[w[2]]
		v3 := bareASCII[w[3]]
		v4 := bareASCII[w[4]]
		v5 := bareASCII[w[5]]
		v6 := bareASCII[w[6]]
		v7 := bareASCII[w[7]]
		out[k&7] = byte(v0)
		k += int(v0 >> stepBit)
		out[k&7] = byte(v1)
		k += int(v1 >> stepBit)
		out[k&7] = byte(v2)
		k += int(v2 >> stepBit)
		out[k&7] = byte(v3)
		k += int(v3 >> stepBit)
		out[k&7] = byte(v4)
		k += int(v4 >> stepBit)
		out[k&7] = byte(v5)
		k += int(v5 >> stepBit)
		out[k&7] = byte(v6)
		k += int(v6 >> stepBit)
		out[k&7] = byte(v7)
		k += int(v7 >> stepBit)
		n += k
	}
	for ; i < len(s) && s[i] < utf8.RuneSelf; i++ {
		if v := bareASCII[s[i]]; v != 0 {
			dst[n] = byte(v)
			n++
		}
	}
	return n, i
}

// decode is utf8.DecodeRune for both, with the common lengths in line.
func decode[S string | []byte](s S) (rune, int) {
	if len(s) >= 2 && s[0]&^0x1F == 0xC0 && s[0] >= 0xC2 && s[1]&^0x3F == 0x80 {
		return rune(s[0]&0x1F)<<6 | rune(s[1]&0x3F), 2
	}
	if len(s) >= 3 && s[0]&^0xF == 0xE0 && s[1]&^0x3F == 0x80 && s[2]&^0x3F == 0x80 {
		r := rune(s[0]&0xF)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)
		if r >= 0x800 && (r < 0xD800 || r > 0xDFFF) {
			return r, 3
		}
	}
	return utf8.DecodeRuneInString(string(s[:min(len(s), utf8.UTFMax)]))
}
