package provenance

import "strings"

// tags reads words that HTML tags part. In a text that is no HTML, what looks like
// a tag is left.
func tags(s string, add func(view)) {
	known := false
	for to := 0; to < len(s); {
		i := strings.IndexByte(s[to:], '<')
		if i < 0 {
			return
		}
		at := to + i
		if !glued(s, at) {
			to = at + 1
			continue
		}
		if known = known || isHTML(s); !known {
			return
		}
		from := at
		for reach := nearHTML; from > to && reach > 0; from-- {
			reach -= boolInt(marks[s[from-1]]&markImage != 0)
		}
		if j := strings.LastIndexByte(s[max(to, from-nearBlank):from], '>'); j >= 0 {
			from = max(to, from-nearBlank) + j + 1
		} else {
			for n := 0; n < nearBlank && from > to && s[from-1] > ' '; n++ {
				from--
			}
		}
		to = past(s, at)
		add(view{"tags", untag(s[from:to]), from, to})
	}
}

// past returns where the text around the tag at an offset ends: behind as much as
// belongs to the last tag that parts a word.
func past(s string, at int) int {
	for reach := nearHTML; at < len(s) && reach > 0; {
		if s[at] == '<' {
			if n := tagLength(s[at:]); n > 0 {
				if glued(s, at) {
					reach = nearHTML
				}
				at += n
				continue
			}
		}
		reach -= boolInt(marks[s[at]]&markImage != 0)
		at++
	}
	for n := 0; n < nearBlank && at < len(s) && s[at] > ' ' && s[at] != '<'; n++ {
		at++
	}
	return at
}

// inWord says whether a byte can stand inside of an address, escaped or not.
func inWord(b byte) bool { return marks[b]&markImage != 0 || strings.IndexByte("@._-/:+&;%", b) >= 0 }

// glued says whether tags at an offset part a word. Where they begin a paragraph
// or a cell, only an address goes on behind them.
func glued(s string, at int) bool {
	if at == 0 || !inWord(s[at-1]) {
		return false
	}
	before, block := s[at-1], false
	s = s[at:]
	for n := 0; n < 8 && len(s) > 1 && s[0] == '<'; n++ {
		length := tagLength(s)
		if length == 0 {
			return false
		}
		block = block || parts(s[:length])
		s = s[length:]
	}
	if s == "" || !inWord(s[0]) {
		return false
	}
	return !block || before == '@' || s[0] == '@' || s[0] == '.' || s[0] == '&'
}

// parts says whether a tag parts what stands in front of it from what follows.
func parts(tag string) bool {
	name := strings.TrimLeft(tag, "</")
	n := 0
	for n < len(name) && isWord(name[n]) {
		n++
	}
	switch strings.ToLower(name[:n]) {
	case "p", "div", "br", "li", "ul", "ol", "tr", "td", "th", "table", "h1", "h2", "h3", "h4", "body", "hr", "option":
		return true
	}
	return false
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

// Limits of the length of what is taken for a comment and for a tag.
const (
	maxComment = 4096
	maxTag     = 1024
)

// tagLength returns the length of the tag at the start of s, 0 if there is none.
func tagLength(s string) int {
	if strings.HasPrefix(s, "<!--") {
		if i := strings.Index(s[:min(len(s), maxComment)], "-->"); i >= 0 {
			return i + 3
		}
		return 0
	}
	if len(s) < 2 || s[1] != '/' && s[1] != '!' && !isWord(s[1]) {
		return 0
	}
	i := strings.IndexByte(s[:min(len(s), maxTag)], '>')
	if i < 0 || strings.IndexByte(s[1:i], '<') >= 0 || strings.IndexByte(s[:i], '@') > 0 && !strings.ContainsAny(s[:i], " =") {
		return 0 // <mallory@rogue.example> is no tag
	}
	return i + 1
}
