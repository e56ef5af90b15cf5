package main

import "unicode"

// What a byte is: a control character or no ASCII, a sign that something is
// spelled with, a tab.
const (
	odd uint8 = 1 << iota
	signs
	tabs
)

var kinds = func() (list [256]uint8) {
	for c := range list {
		if c < ' ' && c != '\n' && c != '\t' || c > '~' {
			list[c] = odd
		}
	}
	list['\\'], list['&'], list['%'], list['\t'] = signs, signs, signs, tabs
	return list
}()

// What a character of the first plane is, in bits: a mark on a letter, one that
// judge has to see, a letter or mark of scripts that join, of those that make one
// letter of several, and of those without blanks; none is nothing to judge.
const (
	stands uint8 = 1 << iota
	special
	joining
	composing
	unbroken
)

var classes = func() (list [1 << 16]uint8) {
	set := func(bit uint8, tables ...*unicode.RangeTable) {
		for _, table := range tables {
			for _, r := range table.R16 {
				for c := int(r.Lo); c <= int(r.Hi); c += int(r.Stride) {
					list[c] |= bit
				}
			}
		}
	}
	const wordy = special // for a while
	set(wordy, unicode.L, unicode.M)
	set(joining, joinings...)
	set(composing, composings...)
	set(unbroken, unbrokens...)
	for c := range list {
		r := rune(c)
		if list[c]&wordy == 0 || unseen(r) {
			list[c] = 0
		}
		list[c] &^= wordy
		switch {
		case c < 0xA0, c == 0x115F, c == 0x1160, c == 0x2800, c >= 0x180B && c <= 0x180F, c >= 0xD800 && c < 0xE000, unseen(r), private(r), outside(r):
			list[c] |= special
		}
	}
	set(stands, unicode.Mn, unicode.Me)
	return list
}()

// is says whether a character has a class.
func is(r rune, class uint8, tables []*unicode.RangeTable) bool {
	if r < 1<<16 {
		return classes[r]&class != 0
	}
	return unicode.In(r, tables...)
}

// outside says whether a number is that of no character, and will be of none.
func outside(r rune) bool {
	return r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF || r >= 0x40000 && r < 0xE0000
}
