package callgate

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// space returns where the white space at i ends.
func space(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// skip returns the end of the JSON value that starts at i, -1 if there is none.
// It finds ends, and takes for granted that what is between is JSON.
func skip(s string, i int) int {
	depth := 0
	for i = space(s, i); i < len(s); {
		switch s[i] {
		case '"':
			if i = quoted(s, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth--; depth < 0 {
				return -1
			}
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
			continue
		default:
			for i < len(s) && !ends(s[i]) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

// ends says whether a number or a literal ends before c.
func ends(c byte) bool {
	switch c {
	case ',', ':', ']', '}', '"', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

// quoted returns the end of the string that starts at i, -1 if it has none.
func quoted(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// unquote returns the text of a string's lexeme, and whether UTF-8 can hold it:
// each lone surrogate becomes U+FFFD.
func unquote(lexeme string) (text string, whole bool) {
	if len(lexeme) < 2 {
		return "", false
	}
	s := lexeme[1 : len(lexeme)-1]
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s, true
	}
	whole = true
	out := make([]byte, 0, len(s))
	for at >= 0 && at+1 < len(s) {
		out = append(out, s[:at]...)
		r, n := escape(s[at:])
		if r < 0 {
			r, whole = utf8.RuneError, false
		}
		out = utf8.AppendRune(out, r)
		s = s[at+n:]
		at = strings.IndexByte(s, '\\')
	}
	return string(append(out, s...)), whole
}

// escape reads the escape at the start of s, and how many bytes it takes; -1: a
// lone surrogate.
func escape(s string) (rune, int) {
	switch s[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r := hex4(s[2:])
		switch {
		case r < 0:
			return -1, min(6, len(s))
		case !utf16.IsSurrogate(r):
			return r, 6
		case len(s) >= 12 && s[6] == '\\' && s[7] == 'u':
			if both := utf16.DecodeRune(r, hex4(s[8:])); both != utf8.RuneError {
				return both, 12
			}
		}
		return -1, 6
	}
	return rune(s[1]), 2
}

// hex4 reads four hexadecimal digits; -1: there are none.
func hex4(s string) rune {
	if len(s) < 4 {
		return -1
	}
	var r rune
	for i := range 4 {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
