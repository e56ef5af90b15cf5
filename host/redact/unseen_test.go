package redact

import (
	"testing"
	"unicode"
)

// TestWhatNobodySeesHidesNoMatch puts each such character into a secret.
func TestWhatNobodySeesHidesNoMatch(t *testing.T) {
	s := compiled(t, Entry{Name: "e", Pattern: "SECRET", With: "[R]"}, Entry{Name: "k", Pattern: "Z{5}", Keys: []string{"note"}, With: "[K]"})
	chars := append(invisible(), "\U000e0041", "\U000e01ef", "\u200f\u2066\ufe0f")
	for _, c := range chars {
		if c == unseenPlane {
			continue
		}
		if got := s.Text(Results, "a SEC"+c+"RET b"); got != "a [R] b" {
			t.Errorf("%+q: got %+q", c, got)
		}
		if got := s.leaf(Results, "ZZ"+c+"ZZZ", []string{"note"}); got.text != "[K]" {
			t.Errorf("%+q under a name: got %+q", c, got.text)
		}
	}
	for _, was := range []string{"SEC RET", "SEC\nRET", "SEC\tRET", "SEC-RET", "SECéRET", "\u200bpl\ufe0fain\x1b[0m \u263a\ufe0f", "\U000e0041"} {
		if got := s.Text(Results, was); got != was {
			t.Errorf("%+q: got %+q", was, got)
		}
	}
}

// TestUnseenIsWhatUnicodeIgnores compares with the tables of the library.
func TestUnseenIsWhatUnicodeIgnores(t *testing.T) {
	known := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || unicode.Is(unicode.Cc, r) && !unicode.IsSpace(r)
		if want && !isUnseen(string(r), r) {
			t.Errorf("%U is seen", r)
		}
		if unicode.IsSpace(r) && isUnseen(string(r), r) {
			t.Errorf("%U is white space", r)
		}
		if want {
			known++
		}
	}
	if known == 0 {
		t.Fatal("no such character")
	}
}
