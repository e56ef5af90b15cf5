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
	set(joining, joinings...)
	set(composing, composings...)
	set(unbroken, unbrokens...)
	for c := 0x600; c < 0xFF00; c++ {
		if list[c] != 0 && (!unicode.IsLetter(rune(c)) && !unicode.IsMark(rune(c)) || unseen(rune(c))) {
			list[c] = 0
		}
		switch c { // none of these scripts is among ideographs and Hangul
		case 0x3400:
			c = 0xA000
		case 0xAC00:
			c = 0xFB00
		}
	}
	for _, r := range [...][2]int{{0, 0x9F}, {0xAD, 0xAD}, {0x34F, 0x34F}, {0x61C, 0x61C}, {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},
		{0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x206F}, {0x2800, 0x2800}, {0x3164, 0x3164}, {0xD800, 0xF8FF}, {0xFDD0, 0xFDEF},
		{0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}} {
		for c := r[0]; c <= r[1]; c++ {
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
