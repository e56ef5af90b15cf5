package suggest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
)

// quote writes a double-quoted YAML scalar on one line (YAML 1.2, section
// 7.3.1): nothing in it ends the scalar, acts on a terminal or is invisible.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case seen(r):
			b.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// seen says whether a character shows itself and does nothing else.
func seen(r rune) bool {
	switch {
	case r == utf8.RuneError, r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x2800, r == 0x3164, r == 0xFFA0,
		r >= 0x180B && r <= 0x180F, r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF:
		return false // of a printing class, but blank or a stand-in
	}
	return unicode.IsPrint(r)
}

// quotes is a flow list of scalars.
func quotes(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = quote(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// short is a quoted text for a comment, cut at a length that a person reads.
func short(s string) string {
	const most = 120
	if len(s) <= most {
		return quote(s)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return quote(s[:cut]) + "…"
}

// maxKey is the longest key of a mapping, in bytes as written: YAML takes at
// most 1024 characters for one (YAML 1.2, section 7.4.2).
const maxKey = 1000

// appendYAML writes a JSON value in flow style. It fails for what YAML has no
// spelling of: unpaired surrogates, and keys that are too long for one.
func appendYAML(b *strings.Builder, v abi.Value) bool {
	switch v.Kind() {
	case abi.Object:
		b.WriteByte('{')
		for i, m := range v.Members() {
			key := quote(m.Name)
			if !utf8.ValidString(m.Name) || len(key) > maxKey {
				return false
			}
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(key + ": ")
			if !appendYAML(b, m.Value) {
				return false
			}
		}
		b.WriteByte('}')
	case abi.Array:
		b.WriteByte('[')
		for i, item := range v.Items() {
			if i > 0 {
				b.WriteString(", ")
			}
			if !appendYAML(b, item) {
				return false
			}
		}
		b.WriteByte(']')
	case abi.Absent:
		b.WriteString("{}")
	default:
		if !v.IsString() {
			b.WriteString(v.Lexeme())
			return true
		}
		if !utf8.ValidString(v.Str()) {
			return false
		}
		b.WriteString(quote(v.Str()))
	}
	return true
}

// flow is appendYAML as a string, and whether there is one of at most some
// length.
func flow(v abi.Value, most int) (string, bool) {
	var b strings.Builder
	ok := appendYAML(&b, v)
	return b.String(), ok && b.Len() <= most
}
