package callgate

import (
	"strconv"
	"unicode/utf8"
)

// writer writes one JSON object.
type writer struct{ out []byte }

func (w *writer) raw(s string) { w.out = append(w.out, s...) }

// name starts a member.
func (w *writer) name(name string) {
	mark := byte(',')
	if len(w.out) == 0 {
		mark = '{'
	}
	w.out = append(w.out, mark)
	w.text(name)
	w.out = append(w.out, ':')
}

// end closes the object.
func (w *writer) end() []byte {
	if len(w.out) == 0 {
		w.out = append(w.out, '{')
	}
	return append(w.out, '}')
}

// str writes a member that is text, unless it is empty.
func (w *writer) str(name, s string) {
	if s != "" {
		w.name(name)
		w.text(s)
	}
}

// strs writes a member that is a list, unless it is empty.
func (w *writer) strs(name string, list []string) {
	if len(list) == 0 {
		return
	}
	w.name(name)
	for i, s := range list {
		mark := byte(',')
		if i == 0 {
			mark = '['
		}
		w.out = append(w.out, mark)
		w.text(s)
	}
	w.out = append(w.out, ']')
}

// text writes a string (RFC 8259, section 7). What is no UTF-8 becomes U+FFFD.
func (w *writer) text(s string) {
	const hex = "0123456789abcdef"
	w.out = append(w.out, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.out = append(w.out, '\\', byte(r))
		case r < ' ':
			w.out = append(w.out, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			w.out = utf8.AppendRune(w.out, r)
		}
	}
	w.out = append(w.out, '"')
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
