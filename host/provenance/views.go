package provenance

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// view is a text that is hidden in another one.
type view struct {
	name     string // the encodings, outermost first, joined by +
	text     string
	from, to int // bytes that it was decoded from
}

// Limits of the views of one text.
const (
	viewDepth = 2       // encodings inside each other
	viewRoom  = 4 << 10 // bytes of all views, beside twice the length of the text
	maxView   = 8 << 20 // bytes of all views of one text
)

// What is decoded together with an escape, in bytes that have an image. A needle
// is as long as the reach of the index at most, so the escapes of a document,
// which are undone as a whole when it is graded, need as much around them. Of the
// others, as much as an address or a name has.
const (
	nearJSON  = overlap
	nearHTML  = 64
	nearOther = 64
	nearBlank = 64 // to the blank where the decoded part ends
)

// What a byte can be part of.
const (
	markEscape = 1 << iota // begins an escape
	markBase64
	markHex
	markUpper
	markLower
	markImage // counts as one with an image
)

// markMixed is what every encoded word holds: one without capitals, or without
// small letters, is not worth decoding.
const markMixed = markUpper | markLower

// marks says what each byte can be part of. Nothing changes it.
var marks = func() (t [256]byte) {
	for c := range t {
		b := byte(c)
		if isWord(b) || b == '+' || b == '/' || b == '-' || b == '_' || b == '=' {
			t[c] |= markBase64
		}
		if hexValue(b) < 16 {
			t[c] |= markHex
		}
		if b >= 'A' && b <= 'Z' {
			t[c] |= markUpper
		}
		if b >= 'a' && b <= 'z' {
			t[c] |= markLower
		}
		if isWord(b) || b >= utf8.RuneSelf {
			t[c] |= markImage
		}
	}
	for _, b := range []byte(`&%\=`) {
		t[b] |= markEscape
	}
	return t
}()

// viewer collects views within the limits.
type viewer struct {
	room int
	seen map[string]bool // texts of views
	cut  bool
}

// views returns the texts that are hidden in s under common encodings, nil for a
// text without any. The second result says that there was more to decode than
// the limits allow.
func views(s string) ([]view, bool) {
	w := viewer{room: min(2*len(s)+viewRoom, maxView)}
	return w.of(s, viewDepth), w.cut
}

// of returns the views of a text, and what is hidden in those.
func (w *viewer) of(s string, depth int) []view {
	var out []view
	add := func(v view) {
		if v.text == "" || v.text == s[v.from:v.to] || w.seen[v.text] {
			return
		}
		if w.room -= len(v.text); w.room < 0 {
			w.cut = true
			return
		}
		if w.seen == nil {
			w.seen = map[string]bool{}
		}
		w.seen[v.text] = true
		out = append(out, v)
		if depth == 1 {
			w.cut = w.cut || escaped(v.text)
			return
		}
		for _, inner := range w.of(v.text, depth-1) {
			out = append(out, view{name: v.name + "+" + inner.name, text: inner.text, from: v.from, to: v.to})
		}
	}
	// What else is escaped in the strings of a document is a part of them, and
	// comes one encoding deeper.
	undo := decodeText
	if depth > 1 {
		undo = func(s string) (string, string) { return "json", unescapeJSON(s) }
	}
	escapes(s, markers(s, `\`), undo, add)
	escapes(s, markers(s, `&%=`), decodeText, add)
	encodedWords(s, add)
	tags(s, add)
	return out
}

// markers returns where escapes begin with one of some signs, in order.
func markers(s, signs string) []int {
	var out []int
	kinds := 0
	for _, c := range []byte(signs) {
		before := len(out)
		for at := 0; ; at++ {
			i := strings.IndexByte(s[at:], c)
			if i < 0 {
				break
			}
			if at += i; escapeAt(s, at) {
				out = append(out, at)
			}
		}
		if len(out) > before {
			kinds++
		}
	}
	if kinds > 1 {
		slices.Sort(out)
	}
	return out
}

// escapeAt says whether an escape begins at an offset. Those of JSON that change
// no letter are none: \" and \\ have no image.
func escapeAt(s string, i int) bool {
	if i+1 >= len(s) {
		return false
	}
	next := s[i+1]
	switch s[i] {
	case '&':
		return next == '#' || isWord(next)
	case '%':
		return i+2 < len(s) && hexValue(next) < 16 && hexValue(s[i+2]) < 16 || next == 'u' && i+5 < len(s) && hexValue(s[i+2]) < 16
	case '\\':
		return strings.IndexByte("nrtbfux", next) >= 0
	case '=':
		return softBreak(s[i:]) > 0 || quotedByte(s, i)
	}
	return false
}

// escaped says whether a decoded text holds another escape.
func escaped(s string) bool {
	for i := 0; i < len(s); i++ {
		if marks[s[i]]&markEscape != 0 && s[i] != '=' && escapeAt(s, i) {
			if _, plain := decodeText(s[i:min(len(s), i+12)]); plain != s[i:min(len(s), i+12)] {
				return true
			}
		}
	}
	return false
}

// escapes decodes the parts of s around its escapes.
func escapes(s string, ms []int, undo func(string) (name, text string), add func(view)) {
	for k, to := 0, 0; k < len(ms); {
		from := behind(s, ms[k], to)
		for more := true; more; {
			to, k = ahead(s, ms, k)
			more = k < len(ms) && behind(s, ms[k], to) == to
		}
		name, text := undo(s[from:to])
		add(view{name, text, from, to})
	}
}

// near returns how much around the escape at an offset belongs to it, and whether
// that ends at a blank.
func near(s string, at int) (int, bool) {
	switch s[at] {
	case '\\':
		return nearJSON, false
	case '&':
		return nearHTML, false
	}
	return nearOther, true
}

// behind returns where the part that holds the escape at an offset begins, not
// before least.
func behind(s string, at, least int) int {
	reach, blank := near(s, at)
	from := at
	for from > least && reach > 0 {
		if blank && s[from-1] <= ' ' && !softBroken(s, from-1) {
			return from
		}
		from--
		reach -= boolInt(marks[s[from]]&markImage != 0)
	}
	for n := 0; n < nearBlank && from > least && s[from-1] > ' '; n++ {
		from--
	}
	for from > least && !utf8.RuneStart(s[from]) {
		from--
	}
	return from
}

// softBroken says whether the blank at an offset is of a soft line break.
func softBroken(s string, at int) bool {
	i := strings.LastIndexByte(s[max(0, at-8):at+1], '=')
	return i >= 0 && softBreak(s[max(0, at-8)+i:]) > at-max(0, at-8)-i
}

// ahead returns where the part that holds escape k ends, and the first escape
// behind it.
func ahead(s string, ms []int, k int) (int, int) {
	to, reach, blank := ms[k], 0, true
	for to < len(s) {
		if k < len(ms) && to == ms[k] {
			n, stops := near(s, to)
			reach, blank = max(reach, n), blank && stops
			if !stops {
				blank = false
			}
			to, k = to+max(1, boolInt(s[to] == '=')*softBreak(s[to:])), k+1
			continue
		}
		if blank && s[to] <= ' ' {
			return to, k
		}
		if reach == 0 {
			break
		}
		reach -= boolInt(marks[s[to]]&markImage != 0)
		to++
	}
	for n := 0; n < nearBlank && to < len(s) && s[to] > ' ' && !(k < len(ms) && to == ms[k]); n++ {
		to++
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	for k < len(ms) && ms[k] < to {
		k++
	}
	return to, k
}
