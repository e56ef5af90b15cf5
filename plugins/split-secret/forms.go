package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a character of the first plane is read as: gone is nothing, a character of
// ASCII is that, and 0 is itself.
const gone = 1

var reads = func() (list [1 << 16]byte) {
	for _, table := range []*unicode.RangeTable{unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Mn} {
		for _, r := range table.R16 {
			for c := int(r.Lo); c <= int(r.Hi); c += int(r.Stride) {
				list[c] = gone
			}
		}
	}
	for c := '!'; c <= '~'; c++ {
		list[c], list[c-'!'+0xFF01] = 0, byte(c) // of full width
	}
	alike := []rune("аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅ")
	for i, c := range "aeopcyxijshdqwABEKMHOPCTXIJS" {
		list[alike[i]] = byte(c) // of Cyrillic
	}
	return list
}()

// squash takes out what parts a text without being read, white space and what is not
// seen, and reads letters that are shown as those of ASCII as such.
func squash(s string) string {
	i := 0
	for i < len(s) && s[i] > ' ' && s[i] < 0x7F {
		i++
	}
	if i == len(s) {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if i++; reads[c] == 0 {
				out = append(out, c)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch to := read(r); to {
		case gone:
		case 0:
			out = append(out, s[i:i+n]...)
		default:
			out = append(out, to)
		}
		i += n
	}
	return string(out)
}

func read(r rune) byte {
	switch {
	case r < 1<<16:
		return reads[r]
	case r >= 0x1D400 && r < 0x1D6A4: // letters of mathematics, in alphabets of 52
		return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[(r-0x1D400)%52]
	case r >= 0x1D7CE && r < 0x1D800:
		return byte('0' + (r-0x1D7CE)%10)
	case r > 0xE0020 && r < 0xE007F: // tags
		return byte(r - 0xE0000)
	case r >= 0xE0000 && r <= 0xE0FFF || unicode.In(r, unicode.Mn, unicode.Cf):
		return gone
	}
	return 0
}

// digit returns the value of a hexadecimal digit, -1 of another character.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// escapes are the signs that an escape begins with.
const escapes = `%\=&`

// unescape decodes %41, =41, \x41, \u0041, \101, &#65; and &#x41;, once.
func unescape(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := rune(-1), 1
		switch s[i] {
		case '%', '=':
			r, n = number(s, i, 1, 2, 16)
		case '\\':
			r, n = backslash(s, i)
		case '&':
			r, n = reference(s, i)
		}
		switch {
		case r < 0:
			out = append(out, s[i])
			n = 1
		case n == 3 || n == 4 && s[i] == '\\':
			out = append(out, byte(r)) // which can be one of several of a character
		default:
			out = utf8.AppendRune(out, r)
		}
		i += n
	}
	return string(out)
}

// number reads so many digits behind a sign, -1 if there are others.
func number(s string, i, sign, digits, base int) (r rune, n int) {
	if i+sign+digits > len(s) {
		return -1, 1
	}
	for _, c := range []byte(s[i+sign : i+sign+digits]) {
		d := digit(c)
		if d < 0 || d >= base {
			return -1, 1
		}
		r = r*rune(base) + rune(d)
	}
	return r, sign + digits
}

func backslash(s string, i int) (r rune, n int) {
	if i+1 == len(s) {
		return -1, 1
	}
	switch c := s[i+1]; {
	case c == 'x':
		return number(s, i, 2, 2, 16)
	case c == 'u':
		return number(s, i, 2, 4, 16)
	case c >= '0' && c <= '3':
		return number(s, i, 1, 3, 8)
	}
	return -1, 1
}

// longest is how long a reference to a character is.
const longest = 12

func reference(s string, i int) (r rune, n int) {
	end := strings.IndexByte(s[i:min(len(s), i+longest)], ';')
	if end < 3 || s[i+1] != '#' {
		return -1, 1
	}
	digits, base := s[i+2:i+end], 10
	if digits[0]|0x20 == 'x' {
		digits, base = digits[1:], 16
	}
	v, err := strconv.ParseUint(digits, base, 20)
	if err != nil {
		return -1, 1
	}
	return rune(v), end + 1
}
