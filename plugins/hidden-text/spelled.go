package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// fewTags and fewOthers are how many characters that are not seen a text spells in
	// a row, if it is about them: as code and tables do.
	fewTags, fewOthers = 3, 11
)

// spelled finds what is not seen where it is spelled: \u200b, &#8203;, %E2%80%8B.
// Whoever shows a page shows nothing of it, and a model reads it as well as the
// characters. A few are honest: code looks for them. Entities, which pages turn into
// characters, are none in lists, nor where they turn letters around.
func spelled(text string, where place) mark {
	tags, others, flagged := "", 0, false
	for i := 0; i < len(text); {
		if kinds[text[i]]&signs == 0 {
			i++
			tags, others, flagged = "", 0, false
			continue
		}
		r, n, entity := rune(-1), 1, false
		switch text[i] {
		case '\\':
			r, n = escapes(text[i:])
		case '%':
			if i+2 < len(text) && text[i+1] > '7' {
				r, n = octets(text[i:])
			}
		case '&':
			r, n = reference(text[i:])
			entity = true
		}
		i += n
		switch {
		case r >= 0xE0000 && r < 0xE0080:
			if tags += string(r); flagged && flag(tags) > 0 {
				tags, flagged = "", false
			}
			if (utf8.RuneCountInString(tags) > fewTags || entity && where == listed) && !(flagged && begins(tags)) {
				return mark{"HIDDEN_TAGS", "tag characters that are spelled"}
			}
			continue
		case entity && (r == 0x202D || r == 0x202E):
			return mark{"HIDDEN_BIDI", "a change of direction that is spelled"}
		case entity && where == listed && unseen(r) && !set.allow[r]:
			return mark{"HIDDEN_INVISIBLE", "an invisible character that is spelled"}
		case r > 0x7F && unseen(r) && !set.allow[r]:
			if others++; others > fewOthers {
				return mark{"HIDDEN_INVISIBLE", "invisible characters that are spelled"}
			}
			continue
		}
		tags, others, flagged = "", 0, r == 0x1F3F4
	}
	return mark{}
}

// unseen lists what is not seen, wherever it stands.
func unseen(r rune) bool {
	return r == 0xAD || r == 0x34F || r == 0x61C || r == 0x180E || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r == 0xFEFF ||
		r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0000 && r <= 0xE0FFF || invisible(r)
}

// escape reads an escape, and returns the character and how long it is: -1 is none.
func escape(s string) (r rune, n int) {
	if len(s) > 1 && s[0] == '\\' && strings.IndexByte("uUx\\", s[1]) < 0 {
		return -1, 1
	}
	if strings.HasPrefix(s, `\x`) {
		return octets(s)
	}
	for n < len(s) && s[n] == '\\' {
		n++ // what is escaped more than once has more of them
	}
	if n == len(s) {
		return -1, n
	}
	from, to := n+1, n+1
	switch {
	case strings.HasPrefix(s[n:], "u{"):
		from++
		to = from + max(strings.IndexByte(s[from:min(len(s), from+9)], '}'), 0)
		n = to + 1
	case s[n] == 'u':
		to += 4
		n = to
	case s[n] == 'U':
		to += 8
		n = to
	default:
		return -1, n
	}
	if to > len(s) {
		return -1, 1
	}
	v, err := strconv.ParseUint(s[from:to], 16, 32)
	if err != nil {
		return -1, 1
	}
	r = rune(v)
	return r, n
}

// escapes reads an escape, or two that are the halves of a character outside of the
// first plane.
func escapes(s string) (r rune, n int) {
	r, n = escape(s)
	if r >= 0xD800 && r < 0xDC00 && n < len(s) && s[n] == '\\' {
		if low, more := escape(s[n:]); low >= 0xDC00 && low < 0xE000 {
			return (r-0xD800)<<10 + (low - 0xDC00) + 0x10000, n + more
		}
	}
	return r, n
}

// octets reads the bytes of a character as %XX or \xXX.
func octets(s string) (r rune, n int) {
	sign := s[:1]
	if sign == `\` {
		sign = s[:2]
	}
	if v := len(sign); len(s) < v+2 || hex(s[v]) < 8 || hex(s[v+1]) < 0 {
		return -1, 1 // none, or one of ASCII
	}
	var b []byte
	for len(b) < utf8.UTFMax && strings.HasPrefix(s[n:], sign) && n+len(sign)+2 <= len(s) {
		v, err := strconv.ParseUint(s[n+len(sign):n+len(sign)+2], 16, 8)
		if err != nil {
			break
		}
		b = append(b, byte(v))
		n += len(sign) + 2
		if utf8.FullRune(b) {
			break
		}
	}
	if r, _ := utf8.DecodeRune(b); r != utf8.RuneError {
		return r, n
	}
	return -1, 1
}

// hex returns the value of a digit, -1 of another character.
func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// entities are those of HTML that are not seen.
var entities = map[string]rune{
	"ZeroWidthSpace": 0x200B, "NegativeThinSpace": 0x200B, "NegativeMediumSpace": 0x200B, "NegativeThickSpace": 0x200B,
	"NegativeVeryThinSpace": 0x200B, "zwnj": 0x200C, "zwj": 0x200D, "lrm": 0x200E, "rlm": 0x200F, "NoBreak": 0x2060, "af": 0x2061,
	"ApplyFunction": 0x2061, "it": 0x2062, "InvisibleTimes": 0x2062, "ic": 0x2063, "InvisibleComma": 0x2063, "shy": 0xAD,
}

// longest is how long a reference to a character is.
const longest = 24

// reference reads a reference of HTML.
func reference(s string) (r rune, n int) {
	end := strings.IndexByte(s[:min(len(s), longest)], ';')
	if end < 2 {
		return -1, 1
	}
	name := s[1:end]
	if r, ok := entities[name]; ok {
		return r, end + 1
	}
	base := 10
	if name[0] != '#' {
		return -1, 1
	}
	if name = name[1:]; name != "" && name[0]|0x20 == 'x' {
		name, base = name[1:], 16
	}
	v, err := strconv.ParseUint(name, base, 21)
	if err != nil {
		return -1, 1
	}
	return rune(v), end + 1
}
