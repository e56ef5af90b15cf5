package main

import (
	"strings"
	"unicode/utf8"
)

// Hangul syllables decompose by rule (Unicode, section 3.12), so that neither
// the data nor the table lists them.
const firstSyllable, lastSyllable = 0xAC00, 0xD7A3

// images gives each code point its image.
type images struct {
	data
	extra map[rune]string
	looks map[rune]string // look-alikes by UTS #39 and their other cases
	done  map[rune]string
}

func newImages(d data) *images {
	m := &images{data: d, extra: map[rune]string{}, looks: map[rune]string{}, done: map[rune]string{}}
	for _, e := range extra {
		for _, r := range e.of {
			m.extra[r] = string(e.image)
		}
	}
	for r := range d.confusables {
		if s := m.look(r); s != "" && m.plain(r) {
			m.looks[r] = s
		}
	}
	m.spread()
	m.pair()
	return m
}

func (m *images) is(r rune, category string) bool {
	return strings.HasPrefix(m.characters[r].category, category)
}

// ignored says whether a code point shows nothing by itself. The last three are
// letters or symbols that are blank.
func (m *images) ignored(r rune) bool {
	return r >= utf8.RuneSelf && (m.characters[r].ignorable || m.is(r, "Cf") || r == 0x2800 || r == 0xFFA0 || r == 0x3164)
}

// plain says whether neither extra nor its decomposition say what a character
// looks like.
func (m *images) plain(r rune) bool {
	return m.extra[r] == "" && m.characters[r].parts == nil
}

// alnum says whether the bare image keeps a code point.
func (m *images) alnum(r rune) bool {
	return m.is(r, "L") || m.is(r, "N")
}

// image returns the image of a code point. It is made of code points that are
// their own images, so that folding twice is folding once.
func (m *images) image(r rune) string {
	if s, ok := m.done[r]; ok {
		return s
	}
	s := m.derive(r)
	m.done[r] = s
	return s
}

func (m *images) derive(r rune) string {
	c, assigned := m.characters[r]
	switch {
	case r < utf8.RuneSelf:
		return ascii(byte(r))
	case m.ignored(r):
		return ""
	case m.extra[r] != "":
		return m.extra[r]
	case c.parts != nil:
		return m.images(c.parts)
	case m.is(r, "M"), m.is(r, "Cc"):
		return ""
	case c.space:
		return " "
	case m.is(r, "Nd"):
		return string(m.digit(r))
	case m.looks[r] != "":
		return m.looks[r]
	case assigned && c.lower != r:
		return m.image(c.lower)
	}
	return string(r)
}

func (m *images) images(list []rune) string {
	var s strings.Builder
	for _, r := range list {
		s.WriteString(m.image(r))
	}
	return s.String()
}

// ascii is the image of an ASCII character: its small letter; nothing for a
// control that is no space.
func ascii(c byte) string {
	switch {
	case c >= 'A' && c <= 'Z':
		return string(rune(c + 'a' - 'A'))
	case c > ' ' && c < 0x7F:
		return string(rune(c))
	case c == ' ' || c >= '\t' && c <= '\r':
		return " "
	}
	return ""
}

// digit is the value of a decimal digit. Unicode keeps the digits of a script
// together, from zero to nine.
func (m *images) digit(r rune) byte {
	first := r
	for m.is(first-1, "Nd") {
		first--
	}
	return '0' + byte((r-first)%10)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
