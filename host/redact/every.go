package redact

import (
	"io"
	"regexp"
	"unicode/utf8"
)

// few is how many matches in a piece of text are looked for at once. Beyond them it
// counts what is read: behind each match the reading starts anew, and there are
// patterns that read on to the end each time, for what could have been longer.
const few = 4

// small is the length that a piece of text has at most in which more of them are
// looked for at once: this divided by its length. That is faster, and what is read
// more than once there is little.
const small = 1 << 10

// spent is how often a piece of text is read for one pattern, besides, before what
// is left of it counts as a match.
const spent = 4

// onward compiles what finds the next match behind a character.
func onward(pattern string) (*regexp.Regexp, error) {
	return regexp.Compile(`\A(?s:.)(?s:.*?)(` + pattern + `)`)
}

// every calls heard with each match of the pattern in a text, as
// [regexp.Regexp.FindAllStringSubmatchIndex] lists them. It takes time in the
// length of the text: a text that makes it read more is cut off, and rest is where;
// -1 for nowhere.
func (e *entry) every(text string, left *budget, heard func(m []int)) (rest int) {
	if !left.pay(e, len(text)) {
		return 0
	}
	few := max(few, small/max(1, len(text)))
	list := e.re.FindAllStringSubmatchIndex(text, few)
	for _, m := range list {
		heard(m)
	}
	if len(list) < few {
		return -1
	}
	last := list[few-1]
	at, ended := behind(text, last), last[1]
	for read := 0; at <= len(text); {
		if read > spent*len(text) {
			return ended
		}
		_, width := utf8.DecodeLastRuneInString(text[:at])
		r := counted{text: text[at-width:]}
		m := e.onward.FindReaderSubmatchIndex(&r)
		read += r.read
		if !left.pay(e, r.read+anew) {
			return ended
		}
		if m == nil {
			return -1
		}
		m = m[2:]
		for i := range m {
			if m[i] >= 0 {
				m[i] += at - width
			}
		}
		if m[1] > m[0] || m[0] != ended {
			heard(m)
		}
		at, ended = behind(text, m), m[1]
	}
	return -1
}

// behind is where the next match after one can start.
func behind(text string, m []int) int {
	if m[1] > m[0] {
		return m[1]
	}
	_, n := utf8.DecodeRuneInString(text[m[1]:])
	return m[1] + max(1, n)
}

// counted reads a text, and counts the bytes.
type counted struct {
	text string
	read int
}

func (c *counted) ReadRune() (rune, int, error) {
	if c.read >= len(c.text) {
		return 0, 0, io.EOF
	}
	r, n := utf8.DecodeRuneInString(c.text[c.read:])
	c.read += n
	return r, n, nil
}
