package main

import (
	"strings"
	"unicode/utf8"
)

// single reads '…'. PostgreSQL joins texts that only blanks and lines stand
// between, and reads all of them as it read the first one.
func (l *lexer) single() {
	e := l.escapeE && (l.prefix("E") || l.escaped > 0 && l.escaped == len(l.tokens))
	l.take(literal, '\'', l.backslash || e)
	if e {
		l.escaped = len(l.tokens)
	}
}

// tripled reads a text between three quotes.
func (l *lexer) tripled() {
	end := l.text[l.at : l.at+3]
	from := l.at + 3
	for i := from; i < len(l.text); i++ {
		switch {
		case l.text[i] == '\\':
			i++
		case strings.HasPrefix(l.text[i:], end):
			l.add(literal, l.text[from:i])
			l.at = i + 3
			return
		}
	}
	l.add(literal, l.text[from:])
	l.at, l.open = len(l.text), true
}

// dollars reads $tag$ … $tag$; false: it is none.
func (l *lexer) dollars() bool {
	i := l.at + 1
	for i < len(l.text) && l.continues(l.text[i]) && l.text[i] != '$' {
		i++
	}
	if i == len(l.text) || l.text[i] != '$' || l.byteAt(1) >= '0' && l.byteAt(1) <= '9' {
		return false
	}
	tag := l.text[l.at : i+1]
	l.until(literal, len(tag), tag)
	return true
}

// chosen reads q'[…]' and nq'[…]', a literal between marks of one's choice; false:
// it is none.
func (l *lexer) chosen() bool {
	n := 0
	if l.byteAt(0)|0x20 == 'n' {
		n = 1
	}
	if l.byteAt(n)|0x20 != 'q' || l.byteAt(n+1) != '\'' || l.byteAt(n+2) == 0 {
		return false
	}
	_, size := utf8.DecodeRuneInString(l.text[l.at+n+2:])
	end := l.text[l.at+n+2 : l.at+n+2+size]
	if i := strings.Index("[({<", end); i >= 0 {
		end = "])}>"[i : i+1]
	}
	l.until(literal, n+2+size, end+"'")
	return true
}

// variable reads a variable as SQLite does: behind its name may stand a bracket
// with anything but blanks in it, quotes too.
func (l *lexer) variable() {
	i, named := l.at+1, false
scan:
	for i < len(l.text) {
		switch c := l.text[i]; {
		case c >= 0x80 || l.continues(c):
			named = true
			i++
		case c == ':' && i+1 < len(l.text) && l.text[i+1] == ':':
			i += 2
		case c == '(' && named:
			n := strings.IndexAny(l.text[i:], ") \t\n\v\f\r")
			if n < 0 || l.text[i+n] != ')' { // it reads no further
				i, l.open = len(l.text)-1, true
			} else {
				i += n
			}
			i++
			break scan
		default:
			break scan
		}
	}
	if !named {
		i = l.at + 1
	}
	l.add(mark, l.text[l.at:l.at+1])
	l.at = i
}

// alone says whether a word that ends at i stands on a line of its own, or with a
// number of times.
func (l *lexer) alone(i int) bool {
	before, behind := strings.TrimRight(l.text[:l.at], " \t"), strings.TrimLeft(l.text[i:], " \t0123456789")
	starts := before == "" || strings.HasSuffix(before, "\n") || strings.HasSuffix(before, "\r") || strings.HasSuffix(before, "*/")
	return starts && (behind == "" || strings.IndexByte("\r\n;", behind[0]) >= 0 || strings.HasPrefix(behind, "--") || strings.HasPrefix(behind, "/*"))
}
