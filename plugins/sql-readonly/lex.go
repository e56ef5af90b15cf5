package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	word    kind = iota // an unquoted name or keyword, in upper case
	quoted              // a quoted name
	literal             // a string
	number
	mark // one character
)

type token struct {
	kind kind
	text string // of a quoted name, without its quotes
}

// reading is one way to take SQL apart. Servers differ, and so do their settings.
type reading struct {
	backslash bool   // in '…' a backslash takes the next character
	escapeE   bool   // PostgreSQL: in E'…' it does
	double    kind   // what "…" is
	ticks     bool   // `name`
	brackets  bool   // [name]
	dollar    bool   // $tag$ … $tag$
	nested    bool   // comments in comments
	hash      bool   // # starts a comment
	blank     bool   // -- starts one only before white space
	executed  bool   // /*! … */ and /*M! … */ are run
	quotes    bool   // Oracle: q'[…]', and # in names
	sigil     bool   // @name is one word
	variables bool   // SQLite: $name, :name and @name, a bracket with anything in it too
	batches   bool   // SQL Server: [a]]b] is a name, GO on a line of its own ends a batch
	slashes   bool   // Snowflake: // starts a comment
	triple    bool   // BigQuery: '''…''', and backslashes in `name`
	lineEnd   string // what ends a comment of one line
}

// dialects lists the readings of each dialect. The text must be harmless in all
// of them: the settings of a server are not known here.
var dialects = map[string][]reading{
	"postgres": {
		{escapeE: true, double: quoted, dollar: true, nested: true, lineEnd: "\r\n"},
		{backslash: true, escapeE: true, double: quoted, dollar: true, nested: true, lineEnd: "\r\n"}, // standard_conforming_strings off
	},
	"mysql": {
		{backslash: true, double: literal, ticks: true, hash: true, blank: true, executed: true, sigil: true, lineEnd: "\n"},
		{backslash: true, double: quoted, ticks: true, hash: true, blank: true, executed: true, sigil: true, lineEnd: "\n"}, // ANSI_QUOTES
		{double: literal, ticks: true, hash: true, blank: true, executed: true, sigil: true, lineEnd: "\n"},                 // NO_BACKSLASH_ESCAPES
		{double: quoted, ticks: true, hash: true, blank: true, executed: true, sigil: true, lineEnd: "\n"},
	},
	"sqlite": {
		{double: quoted, ticks: true, brackets: true, variables: true, lineEnd: "\n"},
	},
	"generic": {
		{escapeE: true, double: quoted, dollar: true, nested: true, lineEnd: "\r\n"},
		{backslash: true, double: literal, ticks: true, hash: true, blank: true, executed: true, sigil: true, lineEnd: "\n"},
		{double: literal, ticks: true, hash: true, blank: true, executed: true, sigil: true, lineEnd: "\n"},
		{double: quoted, ticks: true, brackets: true, variables: true, lineEnd: "\n"},
		{double: quoted, brackets: true, nested: true, sigil: true, batches: true, lineEnd: "\r\n"}, // SQL Server
		{double: quoted, quotes: true, lineEnd: "\n"},                                               // Oracle
		{backslash: true, double: quoted, dollar: true, slashes: true, lineEnd: "\r\n"},             // Snowflake
		{backslash: true, double: literal, ticks: true, hash: true, triple: true, lineEnd: "\r\n"},  // BigQuery
	},
}

// lexer takes a text apart.
type lexer struct {
	reading
	text    string
	at      int
	tokens  []token
	code    string // what is wrong with the text, whatever it says
	because string
	open    bool // a literal, name or comment has no end
	escaped int  // how many tokens there were when the last E'…' had been read
}

func (l *lexer) run() {
	for l.at < len(l.text) && l.code == "" {
		l.next()
	}
}

func (l *lexer) refuse(code, because string) { l.code, l.because = code, because }

func (l *lexer) add(k kind, text string) { l.tokens = append(l.tokens, token{k, text}) }

func (l *lexer) has(s string) bool { return strings.HasPrefix(l.text[l.at:], s) }

// byteAt returns a byte from here on, 0 behind the end.
func (l *lexer) byteAt(n int) byte {
	if l.at+n >= len(l.text) {
		return 0
	}
	return l.text[l.at+n]
}

// plain are marks that are nothing else anywhere.
var plain = [256]bool{',': true, '(': true, ')': true, '=': true, ';': true, '*': true, '+': true, '<': true, '>': true, '|': true, '!': true, '%': true}

func (l *lexer) next() {
	c := l.text[l.at]
	switch {
	case plain[c]:
		l.add(mark, l.text[l.at:l.at+1])
		l.at++
	case c == ' ' || c >= '\t' && c <= '\r':
		l.at++
	case c < ' ' || c == 0x7F:
		l.refuse("SQL_UNREADABLE", "a control character")
	case l.has("--") && (!l.blank || l.byteAt(2) <= ' '), c == '#' && l.hash, l.slashes && l.has("//"):
		l.line()
	case l.has("/*"):
		l.comment()
	case l.triple && (l.has("'''") || l.has(`"""`)):
		l.tripled()
	case c == '\'':
		l.single()
	case c == '"':
		if l.escapeE && l.prefix("U&") {
			l.refuse("SQL_UNREADABLE", "a name with escapes")
			return
		}
		l.take(l.double, '"', l.backslash && l.double == literal)
	case c == '`' && l.ticks:
		l.take(quoted, '`', l.triple)
	case c == '[' && l.batches:
		l.take(quoted, ']', false)
	case c == '[' && l.brackets:
		l.until(quoted, 1, "]")
	case c == '$' && l.dollar && l.dollars():
	case c >= '0' && c <= '9', c == '.' && l.byteAt(1) >= '0' && l.byteAt(1) <= '9':
		l.number()
	case l.quotes && l.chosen():
	case l.variables && strings.IndexByte("$:@#", c) >= 0:
		l.variable()
	case l.begins(c):
		l.word()
	case c == '\\':
		l.refuse("SQL_UNREADABLE", "a backslash outside of text, which clients take for a command")
	default:
		l.add(mark, l.text[l.at:l.at+1])
		l.at++
	}
}

// prefix says whether the word that was read last stands before this quote.
func (l *lexer) prefix(s string) bool {
	return l.at >= len(s) && strings.EqualFold(l.text[l.at-len(s):l.at], s) && (l.at == len(s) || !l.continues(l.text[l.at-len(s)-1]))
}

func (l *lexer) begins(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80 || c == '@' && l.sigil
}

func (l *lexer) continues(c byte) bool {
	return l.begins(c) || c >= '0' && c <= '9' || c == '$' || c == '#' && l.quotes
}

// line reads a comment to the end of its line.
func (l *lexer) line() {
	if i := strings.IndexAny(l.text[l.at:], l.lineEnd); i >= 0 {
		l.at += i
		return
	}
	l.at = len(l.text)
}

// comment reads a comment in stars.
func (l *lexer) comment() {
	if l.executed && (l.has("/*!") || l.has("/*M!")) {
		l.refuse("SQL_EXECUTABLE_COMMENT", "a comment that the server runs")
		return
	}
	depth := 1
	for l.at += 2; depth > 0; {
		switch {
		case l.at >= len(l.text):
			l.open = true
			return
		case l.has("*/"):
			depth--
			l.at += 2
		case l.nested && l.has("/*"):
			depth++
			l.at += 2
		default:
			l.at++
		}
	}
}

// take reads what stands in quotes. A doubled quote belongs to it.
func (l *lexer) take(k kind, quote byte, backslash bool) {
	start := l.at + 1
	for i := start; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '\\' && backslash:
			i++
		case c == quote && i+1 < len(l.text) && l.text[i+1] == quote:
			i++
		case c == quote:
			l.add(k, l.text[start:i])
			l.at = i + 1
			return
		}
	}
	l.add(k, l.text[start:])
	l.at, l.open = len(l.text), true
}

// until reads up to a closing mark, which is looked for from n on.
func (l *lexer) until(k kind, n int, end string) {
	from := l.text[l.at+n:]
	i := strings.Index(from, end)
	if i < 0 {
		l.add(k, from)
		l.at, l.open = len(l.text), true
		return
	}
	l.add(k, from[:i])
	l.at += n + i + len(end)
}

// number reads a number. What servers read in different ways is a number with a
// word glued to it: some take both for a name, others for two tokens.
func (l *lexer) number() {
	i := l.at
	digits := func(set string) {
		for i < len(l.text) && strings.IndexByte(set, l.text[i]) >= 0 {
			i++
		}
	}
	switch {
	case l.has("0x"), l.has("0X"):
		i += 2
		digits("0123456789abcdefABCDEF_")
	case l.has("0b"), l.has("0B"), l.has("0o"), l.has("0O"):
		i += 2
		digits("01234567_")
	default:
		digits("0123456789._")
		if rest := l.text[i:]; len(rest) > 1 && rest[0]|0x20 == 'e' && (rest[1] >= '0' && rest[1] <= '9' || len(rest) > 2 && (rest[1] == '-' || rest[1] == '+') && rest[2] >= '0' && rest[2] <= '9') {
			i += 2
			digits("0123456789")
		}
	}
	if i < len(l.text) && l.begins(l.text[i]) && l.text[i-1] != '_' {
		l.refuse("SQL_UNREADABLE", "a word glued to a number")
		return
	}
	l.add(number, l.text[l.at:i])
	l.at = i
}

// word reads a name. Unicode's spaces, and what is not seen, end it in some
// servers and belong to it in others.
func (l *lexer) word() {
	i := l.at
	for i < len(l.text) && l.continues(l.text[i]) {
		if l.text[i] < 0x80 {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(l.text[i:])
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			l.refuse("SQL_UNREADABLE", "a character outside of text that servers read in different ways")
			return
		}
		i += n
	}
	name := upper(l.text[l.at:i])
	if l.batches && name == "GO" && l.alone(i) {
		l.add(mark, ";")
	} else {
		l.add(word, name)
	}
	l.at = i
}

// upper changes ASCII only, as keywords are compared.
func upper(s string) string {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			continue
		}
		b := []byte(s)
		for n := i; n < len(b); n++ {
			if b[n] >= 'a' && b[n] <= 'z' {
				b[n] -= 'a' - 'A'
			}
		}
		return string(b)
	}
	return s
}
