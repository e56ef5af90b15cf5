package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// place is where text stands: what is honest there differs.
type place uint8

const (
	argument place = iota
	answer
	listed
)

// mark is what is hidden in a text; code "" is nothing.
type mark struct{ code, what string }

// reader goes through one text.
type reader struct {
	text  string
	where place
	i     int  // of the character that is judged
	r     rune // that character
	n     int  // its length
	marks int  // that stand on one letter
	open  []isolate
	empty int // changes of direction with nothing in them
	paint paint
	// Where the last variant of an ideograph ended, and how many stand in a row.
	variant, variants int
	// Where the part of a line behind the last carriage return begins, and how those
	// before it do.
	part int
	said string
	// What the whole text holds: 1, -1, 0 for not looked.
	rtl, prose, dots int8
}

// hidden finds the first thing that is hidden in a text.
func hidden(text string, where place) mark {
	var has uint8
	for i := range len(text) {
		has |= kinds[text[i]]
	}
	if has&signs != 0 {
		if m := spelled(text, where); m.code != "" {
			return m
		}
	}
	if has&(odd|tabs) != 0 || where == listed {
		if m := blanks(text, where); m.code != "" {
			return m
		}
	}
	if has&odd == 0 {
		return mark{}
	}
	t := reader{text: text, where: where}
	return t.read()
}

func (t *reader) read() mark {
	for t.i < len(t.text) {
		t.pass()
		if t.i >= len(t.text) {
			break
		}
		t.r, t.n = utf8.DecodeRuneInString(t.text[t.i:])
		if !set.allow[t.r] {
			if m := t.judge(); m.code != "" {
				m.what += " U+" + strings.ToUpper(strconv.FormatInt(int64(t.r), 16))
				return m
			}
		}
		t.i += t.n
	}
	if len(t.open) > 0 {
		return mark{"HIDDEN_BIDI", "a change of direction without an end"}
	}
	return mark{}
}

// pass goes on to the next character that has to be judged: most are letters, or
// marks on them.
func (t *reader) pass() {
	s, i, marks := t.text, t.i, t.marks
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if kinds[c]&odd != 0 || c == '\n' && len(t.open) > 0 {
				break
			}
			i, marks = i+1, 0
			continue
		}
		var r rune
		n := 2
		switch {
		case c < 0xE0 && i+1 < len(s):
			r = rune(c&0x1F)<<6 | rune(s[i+1]&0x3F)
		case c >= 0xE0 && c < 0xF0 && i+2 < len(s):
			r, n = rune(c&0xF)<<12|rune(s[i+1]&0x3F)<<6|rune(s[i+2]&0x3F), 3
		}
		class := classes[r]
		if r == 0 || class&special != 0 || class&stands != 0 && marks >= maxMarks {
			break // also what is no UTF-8, or of another plane
		}
		if marks++; class&stands == 0 {
			marks = 0
		}
		i += n
	}
	t.i, t.marks = i, marks
}

// prev and next return the characters around, 0 at the ends.
func (t *reader) prev() rune {
	if t.i == 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRuneInString(t.text[:t.i])
	return r
}

func (t *reader) next() rune {
	if t.i+t.n >= len(t.text) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(t.text[t.i+t.n:])
	return r
}

// judge judges one character.
func (t *reader) judge() mark {
	r := t.r
	if m := t.masses(); m.code != "" {
		return m
	}
	switch {
	case r < ' ' || r >= 0x7F && r <= 0x9F:
		return t.control()
	case r < 0xAD:
		return mark{}
	case r >= 0xE0000 && r <= 0xEFFFF:
		return t.tags()
	case r == 0x200E || r == 0x200F || r == 0x061C || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069:
		return t.direction()
	case r == 0x1F3F4:
		t.n += flag(t.text[t.i+t.n:])
		return mark{}
	}
	if t.seen(r) {
		return mark{}
	}
	return mark{"HIDDEN_INVISIBLE", "an invisible character"}
}

// flags are the flags of parts of countries that Unicode recommends, spelled in
// tags behind a black flag (UTS 51, emoji tag sequences).
var flags = func() (list [3]string) {
	for i, name := range [...]string{"gbeng", "gbsct", "gbwls"} {
		for _, c := range name {
			list[i] += string(0xE0000 + c)
		}
		list[i] += "\U000E007F"
	}
	return list
}()

// flag returns how many bytes of tags complete a black flag.
func flag(text string) int {
	for _, f := range flags {
		if strings.HasPrefix(text, f) {
			return len(f)
		}
	}
	return 0
}

// begins says whether tags can become those of a flag.
func begins(tags string) bool {
	for _, f := range flags {
		if strings.HasPrefix(f, tags) {
			return true
		}
	}
	return false
}

// tags judges the block of tags and supplementary variation selectors.
func (t *reader) tags() mark {
	if t.r >= 0xE0100 && t.r <= 0xE01EF {
		if t.ideograph() {
			return mark{}
		}
		return mark{"HIDDEN_INVISIBLE", "a variation selector"}
	}
	return mark{"HIDDEN_TAGS", "a tag character"}
}

// control judges control characters.
func (t *reader) control() mark {
	bad := mark{"HIDDEN_CONTROL", "a control character"}
	switch t.r {
	case '\n', '\f', '\v', 0x85:
		if len(t.open) > 0 {
			return mark{"HIDDEN_BIDI", "a change of direction without an end"}
		}
		if t.where != listed || t.r != '\v' && t.r != 0x85 {
			return mark{}
		}
	case '\r':
		if next := t.next(); next == '\n' || next == '\r' || next == 0 || t.where != listed && t.overwrites() {
			return mark{}
		}
	case '\b': // man pages print a letter twice, or underline it
		if p, n := t.prev(), t.next(); n > ' ' && (p == n || p == '_') {
			return mark{}
		}
	case 0x1B:
		if n := t.paint.take(t.text[t.i:]); set.colours && n > 0 && t.where != listed {
			t.n = n
			return mark{}
		}
		bad.what = "an escape sequence"
	}
	return bad
}
