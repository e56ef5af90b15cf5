package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxMarks is how many marks stand on one letter. Hebrew with its accents and
	// Tibetan in Sanskrit have up to eight, and text that is made to drip has more.
	maxMarks = 10
	// maxPrivate is how many characters without a meaning stand in a row: icons
	// stand alone.
	maxPrivate = 3
	// maxWide and maxHigh are how many blanks and empty lines stand before a text
	// that a server has listed: what comes behind more is out of sight.
	maxWide, maxHigh = 99, 19
)

// masses judges characters of which some are honest, and many are not.
func (t *reader) masses() mark {
	r := t.r
	switch {
	case r < 0x300:
		t.marks = 0
	case is(r, stands, []*unicode.RangeTable{unicode.Mn, unicode.Me}):
		if t.marks++; t.marks > maxMarks {
			return mark{"HIDDEN_INVISIBLE", "marks in masses"}
		}
	case private(r):
		t.marks = 0
		if private(t.prev()) {
			break
		}
		n := 0
		for _, next := range t.text[t.i:] {
			if !private(next) || n > maxPrivate {
				break
			}
			n++
		}
		if n > maxPrivate {
			return mark{"HIDDEN_INVISIBLE", "characters of private use"}
		}
	case outside(r):
		return mark{"HIDDEN_INVISIBLE", "what is no character"}
	default:
		t.marks = 0
	}
	return mark{}
}

func private(r rune) bool {
	return r >= 0xE000 && r <= 0xF8FF || r >= 0xF0000 && r&0xFFFE != 0xFFFE
}

// space counts a run of blanks.
type space struct {
	all, changes int
	last         rune
	run          int // of the last one
	short, long  int // the shortest and longest run of one kind, of those inside
	lines        int
	spells, far  bool
}

// blanks finds blanks of several kinds that spell something, and blanks that put a
// text out of sight.
func blanks(text string, where place) mark {
	var s space
	for i := 0; i < len(text) && !s.spells && !s.far; {
		c, n := rune(text[i]), 1
		if c > 0xE3 || c > ' ' && c < 0xC2 || c > 0xC2 && c < 0xE1 { // no blank begins so
			if i++; s.all > 0 || s.lines > 0 {
				s.end(where)
			}
			continue
		}
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRuneInString(text[i:])
		}
		i += n
		switch {
		case c == '\n':
			s.line()
			s.lines++
		case c == '\r':
			s.line()
		case c == ' ' || c == '\t' || c == 0xA0 || c == 0x1680 || c >= 0x2000 && c <= 0x200A || c == 0x202F || c == 0x205F || c == 0x3000:
			s.add(c)
		default:
			s.end(where)
		}
	}
	s.line()
	switch {
	case s.spells:
		return mark{"HIDDEN_INVISIBLE", "blanks of several kinds that spell something"}
	case s.far:
		return mark{"HIDDEN_INVISIBLE", "text that blanks put out of sight"}
	}
	return mark{}
}

// add counts a blank. One that does not break is like one that does: pages have
// them in turn.
func (s *space) add(c rune) {
	if c == 0xA0 {
		c = ' '
	}
	if s.all++; s.all > 1 && c == s.last {
		s.run++
		return
	}
	if s.changes++; s.changes > 2 { // the run that ends here is not the first
		s.short, s.long = min(s.short, s.run), max(s.long, s.run)
	} else {
		s.short, s.long = 1<<30, 0
	}
	s.last, s.run = c, 1
}

// line ends a run of blanks at the end of a line.
func (s *space) line() {
	s.spells = s.spells || s.all >= 12 && s.changes > 6 && s.short < s.long
	s.all, s.changes = 0, 0
}

// end ends it at a letter.
func (s *space) end(where place) {
	if s.all > 0 || s.lines > 0 {
		s.far = s.far || where == listed && (s.all > maxWide || s.lines > maxHigh)
		s.line()
		s.lines = 0
	}
}

// overwrites says whether what follows a carriage return is the same again, as a
// bar of progress writes it: its letters begin alike. Other text would hide what
// stands before it.
func (t *reader) overwrites() bool {
	from := t.i
	for from > t.part && t.text[from-1] != '\n' {
		from--
	}
	if from > t.part || from == 0 {
		t.said = ""
	}
	if part := t.text[from:t.i]; strings.TrimSpace(part) != "" {
		t.said = letters(part)
	}
	t.part = t.i + 1
	behind := letters(t.text[t.part:])
	n := min(len(t.said), len(behind))
	return t.said[:n] == behind[:n]
}

// letters returns the first letters of a line, in small ones.
func letters(line string) string {
	var out []rune
	for _, r := range line {
		if r == '\r' || r == '\n' || len(out) == 4 {
			break
		}
		if r < utf8.RuneSelf && (r < '@' || r > 'z') {
			continue
		}
		if unicode.IsLetter(r) {
			out = append(out, unicode.ToLower(r))
		}
	}
	return string(out)
}
