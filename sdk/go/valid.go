package callgate

import (
	"strings"
	"unicode/utf8"
)

// valid says whether s is one JSON text (RFC 8259), however deep.
func valid(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	var open []byte // the brackets that are open
	due := true     // a value, else what follows one
	for i := space(s, 0); ; i = space(s, i) {
		top := byte(0)
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		switch {
		case due:
			if top == '{' {
				if i = memberName(s, i); i < 0 {
					return false
				}
			}
			if i < len(s) && (s[i] == '{' || s[i] == '[') {
				open = append(open, s[i])
				i = space(s, i+1)
				due = !closes(s, i, open)
				continue
			}
			if i = scalar(s, i); i < 0 {
				return false
			}
			due = false
		case len(open) == 0:
			return i == len(s)
		case i == len(s):
			return false
		case s[i] == ',':
			due = true
			i++
		case s[i] == top+2: // } is two above {, and ] above [
			open = open[:len(open)-1]
			i++
		default:
			return false
		}
	}
}

// closes says whether the bracket that was opened last is closed at i.
func closes(s string, i int, open []byte) bool {
	return i < len(s) && s[i] == open[len(open)-1]+2
}

// memberName returns where the value of a member begins, -1: there is no name.
func memberName(s string, i int) int {
	if i >= len(s) || s[i] != '"' {
		return -1
	}
	if i = scalar(s, i); i < 0 {
		return -1
	}
	if i = space(s, i); i >= len(s) || s[i] != ':' {
		return -1
	}
	return space(s, i+1)
}

// scalar returns the end of the string, number or literal at i, -1: there is none.
func scalar(s string, i int) int {
	if i >= len(s) {
		return -1
	}
	if s[i] == '"' {
		return str(s, i)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(s[i:], word) {
			return i + len(word)
		}
	}
	return number(s, i)
}

// str returns the end of a string without control characters and with known
// escapes.
func str(s string, i int) int {
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			i++
			if i == len(s) || strings.IndexByte(`"\/bfnrtu`, s[i]) < 0 || s[i] == 'u' && hex4(s[i+1:]) < 0 {
				return -1
			}
		}
	}
	return -1
}

func number(s string, i int) int {
	if i < len(s) && s[i] == '-' {
		i++
	}
	first := i
	if i = digits(s, i); i < 0 || s[first] == '0' && i > first+1 {
		return -1
	}
	if i < len(s) && s[i] == '.' {
		if i = digits(s, i+1); i < 0 {
			return -1
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		i = digits(s, i)
	}
	return i
}

// digits returns the end of one or more digits, -1: there are none.
func digits(s string, i int) int {
	first := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == first {
		return -1
	}
	return i
}
