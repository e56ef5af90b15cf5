package suggest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
)

// Quote writes a double-quoted YAML scalar on one line (YAML 1.2, section
// 7.3.1): nothing in it ends the scalar, acts on a terminal or is invisible.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case approval.Visible(r):
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

// quotes is a flow list of scalars.
func quotes(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Quote(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// short is a quoted text for a comment, cut at a length that a person reads.
func short(s string) string {
	const most = 120
	if len(s) <= most {
		return Quote(s)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return Quote(s[:cut]) + "…"
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
			key := Quote(m.Name)
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
		b.WriteString(Quote(v.Str()))
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
