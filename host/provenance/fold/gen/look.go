package main

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// look returns what a character is taken for by UTS #39, "" for itself. A
// letter is only taken for a letter or digit, and a mark of punctuation or
// symbol for punctuation: otherwise a sign beside a word would become part of
// it, or a letter would vanish from the bare image. Numbers keep their value.
func (m *images) look(r rune) string {
	if r < utf8.RuneSelf || m.ignored(r) {
		return ""
	}
	s := m.flat(m.confusables[r])
	switch {
	case !isASCII(s):
	case m.is(r, "P"), m.is(r, "S"):
		return punctuation(s)
	case m.is(r, "L"):
		return m.letter(r, s)
	}
	return ""
}

// flat is a prototype as it is seen: decomposed, without marks.
func (m *images) flat(prototype []rune) string {
	var s strings.Builder
	for _, p := range prototype {
		parts := m.characters[p].parts
		if parts == nil {
			parts = []rune{p}
		}
		for _, r := range parts {
			if !m.is(r, "M") && !m.ignored(r) {
				s.WriteRune(r)
			}
		}
	}
	return s.String()
}

// punctuation reads a prototype as punctuation. UTS #39 gives | the prototype l
// and " two apostrophes.
func punctuation(s string) string {
	if s == "''" {
		return `"`
	}
	s = strings.ReplaceAll(s, "l", "|")
	for i := range len(s) {
		if c := s[i]; c == ' ' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return ""
		}
	}
	return s
}

// letter reads a prototype as letters. UTS #39 gives m the prototype rn. A
// modifier letter is punctuation where it looks like it.
func (m *images) letter(r rune, s string) string {
	low := strings.ToLower(s)
	switch {
	case s == "" || strings.Contains(apart, " "+m.characters[r].script+" "):
		return ""
	case low == "rn":
		return "m"
	case strings.ContainsRune(ligatures, r):
		return low
	case punctuation(s) != "" && s != "l" && m.is(r, "Lm"):
		return punctuation(s)
	case len(s) == 1 && m.alnum(rune(s[0])):
		return low
	}
	return ""
}

// spread gives the look-alikes of a letter that is not ASCII what extra gives
// some of them, if it gives all of these the same.
func (m *images) spread() {
	classes := map[rune][]rune{}
	for _, r := range slices.Sorted(maps.Keys(m.confusables)) {
		s := []rune(m.flat(m.confusables[r]))
		if len(s) == 1 && s[0] >= utf8.RuneSelf && m.is(s[0], "L") {
			classes[s[0]] = append(classes[s[0]], r)
		}
	}
	for p, class := range classes {
		class = append(class, p)
		image := ""
		for _, r := range class {
			if s := m.extra[r]; s != "" && image != "" && s != image {
				image = "?"
			} else if s != "" {
				image = s
			}
		}
		for _, r := range class {
			if !m.plain(r) || m.looks[r] != "" || !m.is(r, "L") || punctuation(image) != "" {
				continue
			}
			if s := m.letter(r, image); s != "" {
				m.looks[r] = s
			}
		}
	}
}

// pair makes both cases of a letter look the same, as far as extra lets it: the
// image does not depend on case. The small letter decides; where only the
// capital looks like something, the small one follows.
func (m *images) pair() {
	for _, r := range slices.Sorted(maps.Keys(m.looks)) {
		low := m.characters[r].lower
		switch {
		case low == r:
		case m.extra[low] != "" || m.looks[low] != "":
			delete(m.looks, r)
		case m.plain(low):
			m.looks[low] = m.looks[r]
		}
	}
}
