package main

import "unicode"

// isolate is a change of direction that has no end yet.
type isolate struct {
	r     rune
	start int // of what it turns
}

// maxOpen is how many changes of direction stand in each other: a quotation in a
// name in a sentence has three, and UAX 9 has an end to it.
const maxOpen = 8

// direction judges the marks of the bidirectional algorithm (UAX 9). They are
// honest in text that has letters from right to left, unless they turn letters
// around.
func (t *reader) direction() mark {
	bad := mark{"HIDDEN_BIDI", "a change of direction"}
	switch {
	case t.r == 0x202D || t.r == 0x202E || !t.rightToLeft():
		return bad
	case t.r < 0x202A:
		if p := t.prev(); p == 0x200E || p == 0x200F || p == 0x061C {
			return bad
		}
	case t.r == 0x202C || t.r == 0x2069:
		return t.close(bad)
	case len(t.open) == maxOpen:
		return bad
	default:
		t.open = append(t.open, isolate{t.r, t.i + t.n})
	}
	return mark{}
}

// close ends what was opened last.
func (t *reader) close(bad mark) mark {
	if len(t.open) == 0 {
		return bad
	}
	last := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	within := t.text[last.start:t.i]
	if within == "" {
		t.empty++
	}
	if (last.r >= 0x2066) != (t.r == 0x2069) || t.empty > 2 {
		return bad
	}
	// Letters from left to right that are turned, in a line of such, are how source
	// code is made to look like other code.
	if (last.r == 0x202B || last.r == 0x2067) && within != "" && !turned(within) && !turned(first(t.text, last.start)) {
		return bad
	}
	return mark{}
}

// maxFirst is how far is looked for a letter.
const maxFirst = 256

// first returns the first letter of the line in which a place is, for as far as is
// looked.
func first(text string, at int) string {
	from := at
	for from > 0 && at-from < maxFirst && text[from-1] != '\n' {
		from--
	}
	for _, r := range text[from:min(len(text), at+maxFirst)] {
		if unicode.IsLetter(r) {
			return string(r)
		}
	}
	return ""
}

// turned says whether there is a letter written from right to left: those of blocks
// that have no others.
func turned(text string) bool {
	for _, r := range text {
		if r >= 0x590 && (r < 0x900 || r >= 0xFB1D && r <= 0xFEFC || r >= 0x10800 && r < 0x11000 || r >= 0x1E800 && r < 0x1F000) && unicode.IsLetter(r) {
			return true
		}
	}
	return false
}

func (t *reader) rightToLeft() bool {
	return once(&t.rtl, func() bool { return turned(t.text) })
}

// once remembers an answer about the whole text.
func once(known *int8, ask func() bool) bool {
	if *known == 0 {
		*known = -1
		if ask() {
			*known = 1
		}
	}
	return *known > 0
}
