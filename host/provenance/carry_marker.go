package provenance

import "strings"

// unmarked returns the parts of a text that are no replacement of redacted text.
// A replacement is a word of the policy: whoever repeats it says that something is
// hidden, and nothing of what is.
func (x *index) unmarked(text string) []string {
	parts := []string{text}
	if x.options.Markers == nil {
		return parts
	}
	for _, marker := range x.options.Markers() {
		var next []string
		for _, part := range parts {
			next = append(next, strings.Split(part, marker)...)
		}
		parts = next
	}
	return parts
}

// marker says whether a text is a replacement of redacted text and nothing else.
func (x *index) marker(text string) bool {
	left := x.unmarked(text)
	return len(left) > 1 && strings.TrimSpace(strings.Join(left, "")) == ""
}

// mereWord says whether a text is one short word without figures, such as the
// state of a ticket. Such words stand in the outputs of everything, so that one of
// them is the same as a field says nothing of where it was taken from.
func mereWord(text string) bool {
	words := 0
	for _, field := range strings.Fields(text) {
		if len(appendBare(nil, field)) > 0 {
			words++
		}
	}
	b := appendBare(nil, text)
	if words > 1 || len(b) >= shortWord {
		return false
	}
	lower := false
	for _, r := range text {
		if r >= 'A' && r <= 'Z' && lower {
			return false // aName, or a password
		}
		lower = lower || r >= 'a' && r <= 'z'
	}
	for _, c := range b {
		if isDigit(c) {
			return false
		}
	}
	return true
}

// shortWord is from how many letters on a word is data by itself.
const shortWord = 12
