package main

import (
	"strconv"
	"strings"
	"unicode"
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
	open  []rune
	rtl   int8 // whether there is a letter written from right to left: 1, -1, 0 for not looked
}

// hidden finds the first thing that is hidden in a text.
func hidden(text string, where place) mark {
	if plain(text) {
		return mark{}
	}
	t := reader{text: text, where: where}
	for t.i < len(text) {
		t.r, t.n = utf8.DecodeRuneInString(text[t.i:])
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

// plain says whether a text has nothing but printed ASCII and white space.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c > '~' {
			return false
		}
	}
	return true
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
	switch {
	case r < ' ' || r >= 0x7F && r <= 0x9F:
		return t.control()
	case r < 0xAD:
		return mark{}
	case r >= 0xE0000 && r <= 0xE0FFF:
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
var flags = []string{"gbeng", "gbsct", "gbwls"}

// flag returns how many bytes of tags complete a black flag.
func flag(text string) int {
	for _, name := range flags {
		var b strings.Builder
		for _, c := range name {
			b.WriteRune(0xE0000 + c)
		}
		b.WriteRune(0xE007F)
		if strings.HasPrefix(text, b.String()) {
			return b.Len()
		}
	}
	return 0
}

// tags judges the block of tags and supplementary variation selectors.
func (t *reader) tags() mark {
	if t.r >= 0xE0100 && t.r <= 0xE01EF {
		if unicode.Is(unicode.Han, t.prev()) {
			return mark{}
		}
		return mark{"HIDDEN_INVISIBLE", "a variation selector"}
	}
	return mark{"HIDDEN_TAGS", "a tag character"}
}

// direction judges the marks of the bidirectional algorithm (UAX 9). They are
// honest in text that has letters from right to left, unless they turn letters
// around.
func (t *reader) direction() mark {
	bad := mark{"HIDDEN_BIDI", "a change of direction"}
	switch {
	case t.r == 0x202D || t.r == 0x202E || !t.rightToLeft():
		return bad
	case t.r < 0x202A:
		if p := t.prev(); p == t.r {
			return bad
		}
	case t.r == 0x202C || t.r == 0x2069:
		if len(t.open) == 0 || (t.open[len(t.open)-1] >= 0x2066) != (t.r == 0x2069) {
			return bad
		}
		t.open = t.open[:len(t.open)-1]
	default:
		t.open = append(t.open, t.r)
	}
	return mark{}
}

func (t *reader) rightToLeft() bool {
	if t.rtl == 0 {
		t.rtl = -1
		for _, r := range t.text {
			if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam) && unicode.IsLetter(r) {
				t.rtl = 1
				break
			}
		}
	}
	return t.rtl > 0
}

// control judges control characters.
func (t *reader) control() mark {
	bad := mark{"HIDDEN_CONTROL", "a control character"}
	switch t.r {
	case '\n', '\f', '\v', '\t', 0x85:
		if len(t.open) > 0 && t.r != '\t' {
			return mark{"HIDDEN_BIDI", "a change of direction without an end"}
		}
		return mark{}
	case '\r':
		if next := t.next(); t.where != listed || next == '\n' || next == 0 {
			return mark{}
		}
	case '\b': // man pages print a letter twice, or underline it
		if p, n := t.prev(), t.next(); n > ' ' && (p == n || p == '_') {
			return mark{}
		}
	case 0x1B:
		if n := colour(t.text[t.i:]); set.colours && n > 0 {
			t.n = n
			return mark{}
		}
		bad.what = "an escape sequence"
	}
	return bad
}

// colour returns the length of an escape sequence that sets colours, and does not
// conceal (ECMA-48, 8.3.117); 0: it is none.
func colour(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	end := strings.IndexByte(s, 'm')
	if end < 0 || strings.Trim(s[2:end], "0123456789;:") != "" {
		return 0
	}
	parts := strings.FieldsFunc(s[2:end], func(r rune) bool { return r == ';' || r == ':' })
	for i := 0; i < len(parts); i++ {
		if parts[i] == "38" || parts[i] == "48" || parts[i] == "58" {
			i += 2
			if i-1 < len(parts) && parts[i-1] == "2" {
				i += 2
			}
			continue
		}
		if strings.TrimLeft(parts[i], "0") == "8" {
			return 0
		}
	}
	return end + 1
}
