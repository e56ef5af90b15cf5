package provenance

import (
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeRounds is how often each escape of a text is undone at once: doubly
// escaped text is common.
const decodeRounds = 2

// decodeText undoes the escapes that prose commonly carries, and names those
// that were found, outermost first.
func decodeText(s string) (string, string) {
	name := ""
	undo := func(encoding, plain string) {
		if plain == s {
			return
		}
		s = plain
		if name == "" {
			name = encoding
		} else if !strings.HasSuffix(name, encoding) {
			name += "+" + encoding
		}
	}
	for range decodeRounds {
		before := s
		if strings.Contains(s, "&") {
			undo("html", html.UnescapeString(s))
		}
		if strings.Contains(s, "%") {
			undo("percent", unescapeWide(unescapePercent(s)))
		}
		if strings.Contains(s, `\`) {
			undo("json", unescapeJSON(s))
		}
		if strings.Contains(s, "=") {
			undo("quoted-printable", quotedPrintable(s))
		}
		if s == before {
			break
		}
	}
	return name, s
}

// unescapeJSON undoes the escapes of the string literals of JSON (RFC 8259, 7),
// and those that only JavaScript has: \x40, \u{40}. What is no escape stays.
func unescapeJSON(s string) string {
	out := make([]byte, 0, len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			return string(append(out, s...))
		}
		out = append(out, s[:i]...)
		s = s[i:]
		n := 2
		switch c := s[1]; c {
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'b', 'f':
			out = append(out, ' ')
		case '"', '\'', '\\', '/':
			out = append(out, c)
		default:
			var r rune
			if r, n = escapedRune(s); n == 0 {
				out, n = append(out, '\\'), 1
			} else {
				out = utf8.AppendRune(out, r)
			}
		}
		s = s[n:]
	}
}

// escapedRune reads a numeric escape at the start of s, and returns its length, 0
// if there is none. A pair of surrogates is one.
func escapedRune(s string) (rune, int) {
	if len(s) > 3 && s[1] == 'x' {
		if r, ok := hexRune(s[2:4]); ok {
			return r, 4
		}
		return 0, 0
	}
	if len(s) < 4 || s[1] != 'u' {
		return 0, 0
	}
	if s[2] == '{' {
		end := strings.IndexByte(s[:min(len(s), 12)], '}')
		if end < 4 {
			return 0, 0
		}
		r, ok := hexRune(s[3:end])
		return r, boolInt(ok) * (end + 1)
	}
	if len(s) < 6 {
		return 0, 0
	}
	r, ok := hexRune(s[2:6])
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low, ok := hexRune(s[8:12]); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return both, 12
			}
		}
	}
	return r, 6
}

// boolInt is 1 for true.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hexRune reads hexadecimal digits.
func hexRune(s string) (r rune, ok bool) {
	for i := 0; i < len(s); i++ {
		d := hexValue(s[i])
		if d > 15 || r > utf8.MaxRune>>4 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, s != ""
}

// unescapeWide undoes %u0040, which old browsers write.
func unescapeWide(s string) string {
	if !strings.Contains(s, "%u") {
		return s
	}
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+6 <= len(s) && s[i+1] == 'u' {
			if r, ok := hexRune(s[i+2 : i+6]); ok {
				out = utf8.AppendRune(out, r)
				i += 5
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

// quotedPrintable undoes soft line breaks and =XX (RFC 2045, 6.7).
func quotedPrintable(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '=' {
			if n := softBreak(s[i:]); n > 0 {
				i += n - 1
				continue
			}
			if quotedByte(s, i) {
				out = append(out, hexValue(s[i+1])<<4|hexValue(s[i+2]))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

// softBreak returns the length of the soft line break at the start of s, with
// the blanks that a mailer left behind the sign, 0 if there is none.
func softBreak(s string) int {
	i := 1
	for i < len(s) && i < 8 && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	if i < len(s) && s[i] == '\r' {
		i++
	}
	if i < len(s) && s[i] == '\n' {
		return i + 1
	}
	return 0
}

// quotedByte says whether =XX of quoted-printable stands at an offset: of a
// printable character, or of a byte beyond ASCII beside another. In a URL, = is
// followed by hexadecimal digits by chance.
func quotedByte(s string, i int) bool {
	if i+2 >= len(s) || hexValue(s[i+1]) > 15 || hexValue(s[i+2]) > 15 {
		return false
	}
	if high := hexValue(s[i+1]); high < 8 {
		return high >= 2
	}
	return i+3 < len(s) && s[i+3] == '=' || i >= 3 && s[i-3] == '='
}
