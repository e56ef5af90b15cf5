package redact

import (
	"math/bits"
	"regexp/syntax"
	"unicode/utf8"
)

// set is a set of bytes of ASCII.
type set [2]uint64

func (s set) has(c byte) bool { return c < utf8.RuneSelf && s[c>>6]>>(c&63)&1 != 0 }

func (s *set) add(c byte) { s[c>>6] |= 1 << (c & 63) }

func (s set) or(o set) set { return set{s[0] | o[0], s[1] | o[1]} }

func (s set) and(o set) set { return set{s[0] & o[0], s[1] & o[1]} }

func (s set) without(from, to byte) set {
	for c := from; c <= to; c++ {
		s[c>>6] &^= 1 << (c & 63)
	}
	return s
}

func (s set) size() int { return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) }

// in says whether a byte of the set is in a text.
func (s set) in(text string) bool {
	for i := 0; i < len(text); i++ {
		if s.has(text[i]) {
			return true
		}
	}
	return false
}

// maxSome is how many bytes there are at most in a set of which a match has to have
// one. Nearly every text has one of more.
const maxSome = 16

// everything is what a part can match of which nothing is known.
var everything = set{^uint64(0), ^uint64(0)}

// ofLiteral are the bytes of ASCII in a literal, in both cases if it folds.
func ofLiteral(re *syntax.Regexp) set {
	var s set
	for _, r := range re.Rune {
		if r >= utf8.RuneSelf {
			if re.Flags&syntax.FoldCase != 0 {
				s.add('k') // of the letters that fold to it
				s.add('K')
				s.add('s')
				s.add('S')
			}
			continue
		}
		s.add(byte(r))
		if c := byte(r) | 0x20; re.Flags&syntax.FoldCase != 0 && 'a' <= c && c <= 'z' {
			s.add(c)
			s.add(c - 'a' + 'A')
		}
	}
	return s
}

// ofClass are the bytes of ASCII in a class, and whether it has nothing else.
func ofClass(re *syntax.Regexp) (s set, all bool) {
	all = true
	for i := 0; i+1 < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1] && r < utf8.RuneSelf; r++ {
			s.add(byte(r))
		}
		all = all && re.Rune[i+1] < utf8.RuneSelf
	}
	return s, all
}

// run is a row of at least so many bytes of a set, which every match contains.
type run struct {
	of    set
	least int
}

// runOf is the row that a repetition of a class makes; the zero run is none.
func runOf(re *syntax.Regexp, least int) run {
	sub := re.Sub[0]
	for sub.Op == syntax.OpCapture {
		sub = sub.Sub[0]
	}
	if sub.Op != syntax.OpCharClass {
		return run{}
	}
	if of, all := ofClass(sub); all {
		return run{of, least}
	}
	return run{}
}

// find calls heard with the places of the longest rows in a text, and looks at few
// of the bytes between them.
func (r run) find(text string, heard func(from, to int)) {
	for i := r.least - 1; i < len(text); i += r.least {
		if !r.of.has(text[i]) {
			continue
		}
		from, to := i, i+1
		for from > 0 && r.of.has(text[from-1]) {
			from--
		}
		for to < len(text) && r.of.has(text[to]) {
			to++
		}
		if to-from >= r.least {
			heard(from, to)
		}
		i = to
	}
}

// around widens a window to all that a match which overlaps it can reach without
// a byte that no match has.
func (s set) around(text string, w window) window {
	for w.from > 0 && (text[w.from-1] >= utf8.RuneSelf || s.has(text[w.from-1])) {
		w.from--
	}
	for w.to < len(text) && (text[w.to] >= utf8.RuneSelf || s.has(text[w.to])) {
		w.to++
	}
	return w
}
