package clients

import (
	"fmt"
	"strings"
	"unicode"
)

// quoteJSON writes a JSON string (RFC 8259, section 7).
func quoteJSON(s string) string { return quote(s, func(r rune) bool { return r >= 0x20 }) }

// quoteTOML writes a basic string of TOML 1.0, which lets a DEL pass no more than
// other control characters.
func quoteTOML(s string) string { return quote(s, func(r rune) bool { return r >= 0x20 && r != 0x7F }) }

// quoteYAML writes a double-quoted scalar of YAML 1.2, section 7.3.1.
func quoteYAML(s string) string {
	return quote(s, func(r rune) bool { return r < 0x7F && r >= 0x20 || unicode.IsPrint(r) && r > 0xA0 })
}

func quote(s string, literal func(rune) bool) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case literal(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, r) // of YAML only: JSON and TOML have none to escape
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// blank says whether only spaces, tabs and line ends are in a text.
func blank(s string) bool { return strings.Trim(s, " \t\r\n") == "" }

// lineStart is the last line end of a text with the blanks behind it, or "" if
// there is none: what an inserted line starts with to look like its neighbour.
func lineStart(s string) string {
	i := strings.LastIndexByte(s, '\n')
	if i < 0 {
		return ""
	}
	rest := s[i+1:]
	end := len(rest) - len(strings.TrimLeft(rest, " \t"))
	if i > 0 && s[i-1] == '\r' {
		i--
	}
	return s[i:strings.LastIndexByte(s, '\n')+1] + rest[:end]
}

// gapOf is what goes between the items of a list, given what stands before its
// first and second items ("" for none), and what else goes there.
func gapOf(first, second, otherwise string) string {
	for _, s := range []string{first, second} {
		if line := lineStart(s); line != "" {
			return line
		}
	}
	if second != "" && blank(second) {
		return second
	}
	return otherwise
}
