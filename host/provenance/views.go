package provenance

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
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
	viewDepth   = 2       // encodings inside each other
	viewRoom    = 4 << 10 // bytes of all views, beside the length of the text
	viewContext = 64      // bytes around an escape that are decoded with it
	leastBase64 = 12      // characters of an encoded word
	leastHex    = 16
)

// What a byte can be part of.
const (
	markEscape = 1 << iota // begins an escape
	markBase64
	markHex
	markUpper
	markLower
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
		if b == '&' || b == '%' || b == '\\' {
			t[c] |= markEscape
		}
	}
	t['='] |= markEscape
	return t
}()

// views returns the texts that are hidden in s under common encodings, nil for a
// text without any. The second result says that there was more to decode than
// the limits allow.
func views(s string) ([]view, bool) {
	room := len(s) + viewRoom
	return viewsOf(s, viewDepth, &room)
}

func viewsOf(s string, depth int, room *int) (out []view, cut bool) {
	add := func(v view) {
		if v.text == s[v.from:v.to] || v.text == "" {
			return
		}
		if *room -= len(v.text); *room < 0 {
			cut = true
			return
		}
		out = append(out, v)
		if depth == 1 {
			cut = cut || deeper(v.text)
			return
		}
		inner, more := viewsOf(v.text, depth-1, room)
		cut = cut || more
		for _, w := range inner {
			out = append(out, view{name: v.name + "+" + w.name, text: w.text, from: v.from, to: v.to})
		}
	}
	escaped := 0
	for _, at := range markers(s) {
		if at >= escaped {
			v := escapes(s, at, escaped)
			escaped = v.to
			add(v)
		}
	}
	for i := leastBase64 - 1; i < len(s); i += leastBase64 {
		// A word of that length that begins before has its byte here.
		if marks[s[i]]&markBase64 == 0 {
			continue
		}
		from, end, all, any := i, i, byte(0xFF), byte(0)
		for ; from > 0 && marks[s[from-1]]&markBase64 != 0; from-- {
			all, any = all&marks[s[from-1]], any|marks[s[from-1]]
		}
		for ; end < len(s) && marks[s[end]]&markBase64 != 0; end++ {
			all, any = all&marks[s[end]], any|marks[s[end]]
		}
		if end-from >= leastBase64 && (any&markMixed == markMixed || all&markHex != 0 && end-from >= leastHex) {
			word(s, from, end, add)
		}
		i = end
	}
	for rest := s; ; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		if at := len(s) - len(rest) + i; at > 0 && inWord(s[at-1]) && glued(rest[i:]) {
			if isHTML(s) {
				add(view{"tags", untag(s), 0, len(s)})
			}
			break
		}
		rest = rest[i+1:]
	}
	return out, cut
}

// markers returns where escapes begin, in order.
func markers(s string) []int {
	var out []int
	kinds := 0
	for _, c := range []byte{'&', '%', '\\', '='} {
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

// deeper says whether a decoded text may hold another encoded one that is not
// looked for.
func deeper(s string) bool {
	for i := 0; i < len(s); i++ {
		if m := marks[s[i]]; m&markEscape != 0 && s[i] != '=' && escapeAt(s, i) {
			return true
		}
	}
	return false
}

// escapeAt says whether an escape begins at an offset.
func escapeAt(s string, i int) bool {
	if i+1 >= len(s) {
		return false
	}
	next := s[i+1]
	switch s[i] {
	case '&':
		return next == '#' || isWord(next)
	case '%':
		return i+2 < len(s) && hexValue(next) < 16 && hexValue(s[i+2]) < 16
	case '\\':
		return strings.IndexByte(`nrtbfux"'\/`, next) >= 0
	case '=':
		return next == '\n' || next == '\r' || i+2 < len(s) && hexValue(next) < 16 && hexValue(s[i+2]) < 16
	}
	return false
}

// escapes decodes what stands around an escape, up to the blanks around it.
func escapes(s string, at, least int) view {
	from, to := at, at+1
	for from > least && at-from < viewContext && s[from-1] > ' ' {
		from--
	}
	for run := 0; to < len(s) && run < viewContext; to++ {
		if m := marks[s[to]]; m&markEscape != 0 && escapeAt(s, to) {
			run = 0 // more of them
		} else if run++; s[to] <= ' ' && !(s[to] == '\n' && s[to-1] == '=' || s[to] == '\r' && s[to-1] == '=' || s[to] == '\n' && s[to-1] == '\r' && to > 1 && s[to-2] == '=') {
			break
		}
	}
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	name, text := decodeText(s[from:to])
	return view{name, text, from, to}
}

// word decodes a word of base64 or hexadecimal digits.
func word(s string, from, to int, add func(view)) {
	w := s[from:to]
	if isHex(w) && len(w) >= leastHex {
		if b, err := hex.DecodeString(w); err == nil && readable(b) {
			add(view{"hex", string(b), from, to})
		}
	}
	// Lines of an encoded text that was wrapped belong together.
	for long := to-from >= 60; long && to+1 < len(s) && (s[to] == '\n' || s[to] == '\r'); {
		next := to + 1
		if s[to] == '\r' && s[next] == '\n' {
			next++
		}
		end := next
		for end < len(s) && marks[s[end]]&markBase64 != 0 {
			end++
		}
		if end == next {
			break
		}
		w += s[next:end]
		long, to = end-next >= 60, end
	}
	// What a path or a name in front of it has in common with the alphabet is cut.
	for _, cut := range []string{w, w[strings.LastIndexByte(strings.TrimRight(w, "="), '=')+1:], w[strings.LastIndexAny(w, "/")+1:], w[strings.LastIndexAny(w, "-_")+1:]} {
		plain := strings.TrimRight(cut, "=")
		if len(plain) < leastBase64 {
			continue
		}
		enc, name := base64.RawStdEncoding, "base64"
		if strings.ContainsAny(plain, "-_") {
			enc, name = base64.RawURLEncoding, "base64url"
		}
		if len(plain)%4 == 1 {
			plain = plain[:len(plain)-1]
		}
		if b, err := enc.DecodeString(plain); err == nil && readable(b) {
			add(view{name, string(b), from, to})
			return
		}
	}
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if marks[s[i]]&markHex == 0 {
			return false
		}
	}
	return len(s)%2 == 0
}

// readable says whether decoded bytes are text: at least four of five are
// printable.
func readable(b []byte) bool {
	good, all := 0, 0
	for i := 0; i < len(b); all++ {
		r, n := utf8.DecodeRune(b[i:])
		if r != utf8.RuneError && (unicode.IsPrint(r) || r == '\n' || r == '\t' || r == '\r') {
			good++
		}
		i += n
	}
	return all > 0 && good*5 >= all*4
}

// inWord says whether a byte can stand inside of an address.
func inWord(b byte) bool {
	return isWord(b) || strings.IndexByte("@._-/:", b) >= 0 || b >= utf8.RuneSelf
}

// glued says whether a word goes on behind the tags at the start of s.
func glued(s string) bool {
	for n := 0; n < 8 && len(s) > 1 && s[0] == '<'; n++ {
		length := tagLength(s)
		if length == 0 {
			return false
		}
		s = s[length:]
	}
	return s != "" && inWord(s[0])
}

// isHTML says whether a text is a document, or a part of one: one tag of text
// style alone does not make it one.
func isHTML(s string) bool {
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 || i+2 >= len(s) {
			return false
		}
		s = s[i+1:]
		for _, tag := range [...]string{"html", "body", "div", "p>", "p ", "table", "td", "br", "span", "a ", "head", "!doctype", "li", "h1"} {
			if s[0]|0x20 == tag[0]|0x20 {
				if _, ok := cutPrefixFold(s, tag); ok {
					return true
				}
			}
		}
	}
}

// untag drops tags and comments.
func untag(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 || i+1 >= len(s) {
			break
		}
		n := tagLength(s[i:])
		b.WriteString(s[:i])
		if n == 0 {
			b.WriteByte('<')
			n = 1
		}
		s = s[i+n:]
	}
	b.WriteString(s)
	return b.String()
}

// tagLength returns the length of the tag at the start of s, 0 if there is none.
func tagLength(s string) int {
	if strings.HasPrefix(s, "<!--") {
		if i := strings.Index(s[:min(len(s), 4096)], "-->"); i >= 0 {
			return i + 3
		}
		return 0
	}
	if c := s[1]; c != '/' && c != '!' && !isWord(c) {
		return 0
	}
	i := strings.IndexByte(s[:min(len(s), 1024)], '>')
	if i < 0 || strings.IndexByte(s[1:i], '<') >= 0 || strings.IndexByte(s[:i], '@') > 0 && !strings.ContainsAny(s[:i], " =") {
		return 0 // <mallory@rogue.example> is no tag
	}
	return i + 1
}
