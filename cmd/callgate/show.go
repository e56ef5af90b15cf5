package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
)

// The marks around what offended.
const (
	markOpen  = ">>>"
	markClose = "<<<"
)

// safeJSON escapes, inside JSON text, what a terminal could act on. The text
// stays the same JSON value.
func safeJSON(data []byte) []byte {
	var out []byte
	for start := 0; start < len(data); {
		r, n := utf8.DecodeRune(data[start:])
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, `\ufffd`...)
		case r == '\n' || approval.Visible(r):
			out = append(out, data[start:start+n]...)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		start += n
	}
	return out
}

// oneLine is printable, and keeps to one line.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(printable(s))
}

// shorten cuts a text for people, at a rune, and says how much is left out.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "… (" + strconv.Itoa(len(s)-cut) + " more bytes)"
}

// marked writes a JSON value for people, with marks around the values at some
// pointers. Nothing in it can act on a terminal.
type marked struct {
	marks map[string]bool
	b     strings.Builder
}

// maxShown is how much of one string is shown, in bytes.
const maxShown = 400

// maxItems is how many items or members of one value are shown, unless a mark
// lies further on.
const maxItems = 40

func (m *marked) value(at string, v abi.Value) {
	if m.marks[at] {
		m.b.WriteString(markOpen)
		defer m.b.WriteString(markClose)
	}
	switch v.Kind() {
	case abi.Array:
		m.list("[", "]", v.Len(), func(i int) string { return abi.JoinIndex(at, i) }, func(i int) {
			m.value(abi.JoinIndex(at, i), v.Items()[i])
		})
	case abi.Object:
		m.list("{", "}", v.Len(), func(i int) string { return abi.Join(at, v.Members()[i].Name) }, func(i int) {
			member := v.Members()[i]
			m.b.WriteString(quoteShown(member.Name) + ": ")
			m.value(abi.Join(at, member.Name), member.Value)
		})
	case abi.Absent:
		m.b.WriteString("absent")
	default:
		if v.IsString() {
			m.b.WriteString(quoteShown(v.Str()))
			return
		}
		m.b.WriteString(shorten(v.Lexeme(), maxShown))
	}
}

func (m *marked) list(open, end string, n int, at func(int) string, one func(int)) {
	m.b.WriteString(open)
	left := 0
	for i := range n {
		if i >= maxItems && !m.below(at(i)) {
			left++
			continue
		}
		if i > 0 {
			m.b.WriteString(", ")
		}
		one(i)
	}
	if left > 0 {
		fmt.Fprintf(&m.b, ", … (%d more)", left)
	}
	m.b.WriteString(end)
}

// below says whether a mark lies at or below a pointer.
func (m *marked) below(at string) bool {
	for mark := range m.marks {
		if mark == at || strings.HasPrefix(mark, at+"/") {
			return true
		}
	}
	return false
}

// quoteShown quotes a string for people: as JSON would, but with what cannot
// be seen as {U+200B}.
func quoteShown(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(shorten(s, maxShown))
	return `"` + oneLine(s) + `"`
}
