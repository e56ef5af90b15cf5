package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sqlReader splits a text into statements.
type sqlReader struct {
	sqlDialect
	text string
	at   int
	out  []byte // the statement so far
	list []string
	gap  bool // white space or a comment was read that is not written yet
	open bool // inside a comment whose content counts
}

// statements returns the statements of a text without comments, each run of white
// space outside literals as one blank. What is never closed goes to the end.
func (d sqlDialect) statements(text string) []string {
	r := sqlReader{sqlDialect: d, text: text, out: make([]byte, 0, len(text))}
	for r.at < len(text) {
		r.next()
	}
	r.end()
	return r.list
}

// end ends a statement.
func (r *sqlReader) end() {
	if len(r.out) > 0 {
		r.list = append(r.list, string(r.out))
	}
	r.out, r.gap = r.out[:0], false
}

// take writes the next n bytes.
func (r *sqlReader) take(n int) {
	if r.gap && len(r.out) > 0 {
		r.out = append(r.out, ' ')
	}
	r.gap = false
	r.out = append(r.out, r.text[r.at:r.at+n]...)
	r.at += n
}

// skip leaves out the next n bytes.
func (r *sqlReader) skip(n int) { r.gap, r.at = true, min(r.at+n, len(r.text)) }

func (r *sqlReader) has(s string) bool { return strings.HasPrefix(r.text[r.at:], s) }

// next reads one character, literal or comment.
func (r *sqlReader) next() {
	c := r.text[r.at]
	switch {
	case c == ';':
		r.at++
		r.end()
	case r.has("--") && r.dashes(), c == '#' && r.hash:
		r.skip(r.line())
	case r.open && r.has("*/"):
		r.open = false
		r.skip(2)
	case r.has("/*"):
		r.comment()
	case c == '\'' || c == '"' || c == '`':
		r.take(r.literal(c, r.backslash && c != '`' || r.dollar && c == '\'' && r.escapes()))
	case c == '[' && r.brackets:
		r.take(r.until(1, "]"))
	case c == '$' && r.dollar && !r.inWord():
		r.take(r.dollars())
	case (c == 'q' || c == 'Q') && r.quotes && !r.inWord() && r.at+2 < len(r.text) && r.text[r.at+1] == '\'':
		r.take(r.quoted())
	case identifier(c):
		n := 1
		for r.at+n < len(r.text) && identifier(r.text[r.at+n]) {
			n++
		}
		r.take(n)
	default:
		u, n := utf8.DecodeRuneInString(r.text[r.at:])
		if unicode.IsSpace(u) || u == 0xFEFF || u >= 0x200B && u <= 0x200D {
			r.skip(n)
			return
		}
		r.take(n)
	}
}

// dashes says whether two dashes start a comment.
func (r *sqlReader) dashes() bool {
	return !r.blank || r.at+2 >= len(r.text) || r.text[r.at+2] <= ' '
}

// line is the length up to the end of the line.
func (r *sqlReader) line() int {
	if i := strings.IndexAny(r.text[r.at:], "\r\n"); i >= 0 {
		return i
	}
	return len(r.text) - r.at
}

// comment reads a comment in stars. Of one that MySQL executes only the marks are
// left out.
func (r *sqlReader) comment() {
	if r.versions && (r.has("/*!") || r.has("/*M!")) {
		n := strings.IndexByte(r.text[r.at:], '!') + 1
		for r.at+n < len(r.text) && r.text[r.at+n] >= '0' && r.text[r.at+n] <= '9' {
			n++
		}
		r.open = true
		r.skip(n)
		return
	}
	depth, i := 1, r.at+2
	for i < len(r.text) && depth > 0 {
		switch {
		case strings.HasPrefix(r.text[i:], "*/"):
			depth--
			i += 2
		case r.nested && strings.HasPrefix(r.text[i:], "/*"):
			depth++
			i += 2
		default:
			i++
		}
	}
	r.skip(i - r.at)
}

// literal is the length of a literal or quoted name. A doubled quote is one that
// belongs to it, which reads as two literals side by side.
func (r *sqlReader) literal(quote byte, backslash bool) int {
	for i := r.at + 1; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '\\' && backslash:
			i++
		case c == quote:
			return i + 1 - r.at
		}
	}
	return len(r.text) - r.at
}

// until is the length up to the end of a mark, which is looked for from n on.
func (r *sqlReader) until(n int, mark string) int {
	if i := strings.Index(r.text[r.at+n:], mark); i >= 0 {
		return n + i + len(mark)
	}
	return len(r.text) - r.at
}

// dollars is the length of a literal between $tag$ and $tag$, 1 if there is none.
func (r *sqlReader) dollars() int {
	i := r.at + 1
	for i < len(r.text) && (identifier(r.text[i]) || r.text[i] >= 0x80) {
		i++
	}
	if i == len(r.text) || r.text[i] != '$' || i > r.at+1 && r.text[r.at+1] >= '0' && r.text[r.at+1] <= '9' {
		return 1
	}
	tag := r.text[r.at : i+1]
	return r.until(len(tag), tag)
}

// quoted is the length of a literal in quotes of one's choice: q'[…]'.
func (r *sqlReader) quoted() int {
	end := r.text[r.at+2 : r.at+3]
	if i := strings.Index("[({<", end); i >= 0 {
		end = "])}>"[i : i+1]
	}
	return r.until(3, end+"'")
}

// inWord says whether the character before is part of a name.
func (r *sqlReader) inWord() bool {
	return r.at > 0 && (identifier(r.text[r.at-1]) || r.text[r.at-1] == '$' || r.text[r.at-1] >= 0x80)
}

// escapes says whether a literal has the letter before it that gives backslashes
// a meaning.
func (r *sqlReader) escapes() bool {
	if r.at == 0 || r.text[r.at-1]|0x20 != 'e' {
		return false
	}
	before := sqlReader{text: r.text, at: r.at - 1}
	return !before.inWord()
}
