package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// span is a piece of a text that an entry wants replaced.
type span struct {
	from, to, entry int
	rest            bool // what was left unread, see [entry.every]
}

// window is a piece of a text in which a pattern can match.
type window struct{ from, to int }

// context is how many bytes stand on either side of a window, at least: a
// pattern may look at the characters around its match.
const context = utf8.UTFMax

// heard is what one pass found in a text.
type heard struct {
	windows [][]window // by entry; nil: none
	hidden  bool       // there are characters in it that nobody sees
}

// spans finds what is to be replaced in a text, which stands under members of
// these names. Pieces do not overlap, and come in order. A text that would be read
// for too long is one piece.
func (s *Set) spans(w Where, text string, names []string) []span {
	left := s.budget(text)
	found, hidden := s.matches(w, text, left)
	found = s.values(w, text, names, found, left)
	if hidden && *left >= 0 {
		bare, at := visible(text)
		left = s.budget(text)
		more, _ := s.matches(w, bare, left)
		for _, m := range s.values(w, bare, names, more, left) {
			found = append(found, span{at[m.from], at[m.to-1] + width(text, at[m.to-1]), m.entry, m.rest})
		}
	}
	if *left < 0 {
		return []span{{0, len(text), found[len(found)-1].entry, true}}
	}
	if len(found) == 0 {
		return nil
	}
	return merged(s.beside(text, s.unspared(text, found)))
}

// listen reads a text once, and once more if a letter in it folds oddly.
func (s *Set) listen(w Where, text string) heard {
	var h heard
	odd := false
	s.literal.find(text, func(owner, end int) {
		switch {
		case owner == s.own:
			odd = true
		case owner > s.own:
			h.hidden = true
		default:
			s.hear(&h, w, owner, text, window{end - 1, end})
		}
	})
	if odd {
		h.windows = nil
		plain, at := unfolded(text)
		s.literal.find(plain, func(owner, end int) {
			from := at[end-1]
			s.hear(&h, w, owner, text, window{from, from + width(text, from)})
		})
	}
	for i := range s.entries {
		if e := &s.entries[i]; e.re != nil && e.part.byRow() {
			e.part.row.find(text, func(from, to int) { s.hear(&h, w, i, text, window{from, to}) })
		}
	}
	return h
}

// hear adds the window around a place where an entry can match, if it is asked.
func (s *Set) hear(h *heard, w Where, i int, text string, at window) {
	if i >= len(s.entries) || s.entries[i].where&w == 0 || s.entries[i].keys != nil {
		return
	}
	if h.windows == nil {
		h.windows = make([][]window, len(s.entries))
	}
	h.windows[i] = s.entries[i].part.widened(text, h.windows[i], at)
}

// widened adds the window around a place that a match overlaps.
func (p *part) widened(text string, list []window, at window) []window {
	n := len(list)
	if n > 0 && p.reach < 0 && at.to <= list[n-1].to-context {
		return list // nothing parts it from the last one
	}
	next := window{0, len(text)}
	switch {
	case p.text:
	case p.reach >= 0:
		next = window{max(0, at.from-p.reach), min(len(text), at.to+p.reach)}
	default:
		next = p.can.around(text, at)
	}
	next = window{max(0, next.from-context), min(len(text), next.to+context)}
	if n > 0 && next.from <= list[n-1].to {
		list[n-1].to = max(list[n-1].to, next.to)
		return list
	}
	return append(list, next)
}

// matches finds what the patterns match.
func (s *Set) matches(w Where, text string, left *budget) (found []span, hidden bool) {
	h := s.listen(w, text)
	whole := []window{{0, len(text)}}
	for i := range s.entries {
		e := &s.entries[i]
		if e.where&w == 0 || e.keys != nil || e.re == nil {
			continue
		}
		var windows []window
		if h.windows != nil {
			windows = h.windows[i]
		}
		if slices.Contains(s.always, i) {
			windows = whole
		}
		if found = append(found, e.all(i, text, windows, left)...); *left < 0 {
			break
		}
	}
	return found, h.hidden
}

// all finds the matches in the windows of a text.
func (e *entry) all(i int, text string, windows []window, left *budget) (found []span) {
	for _, in := range windows {
		some, sure := e.within(i, text, in, left)
		if !sure {
			whole, _ := e.within(i, text, window{0, len(text)}, left)
			return whole
		}
		if found = append(found, some...); *left < 0 {
			break
		}
	}
	return found
}

// within finds the matches in a piece of a text. It is not sure of one that
// touches an end of the piece, as it can not see what stands beyond. A budget that
// it spends leaves one piece, which is not read.
func (e *entry) within(i int, text string, in window, left *budget) (found []span, sure bool) {
	for in.from > 0 && !utf8.RuneStart(text[in.from]) {
		in.from--
	}
	for in.to < len(text) && !utf8.RuneStart(text[in.to]) {
		in.to++
	}
	if e.part.lacks(text[in.from:in.to]) {
		return nil, true
	}
	sure = true
	rest := e.every(text[in.from:in.to], left, func(m []int) {
		from, to := in.from+m[0], in.from+m[1]
		sure = sure && !(from == in.from && from > 0 || to == in.to && to < len(text))
		if g := 2 * e.group; m[g] >= 0 && m[g+1] > m[g] {
			from, to = in.from+m[g], in.from+m[g+1]
		}
		found = append(found, span{from, to, i, false})
	})
	switch {
	case *left < 0:
		return []span{{in.from, in.to, i, true}}, true
	case rest >= 0:
		found = append(found, span{in.from + rest, in.to, i, true})
	}
	return found, sure
}

// values finds the entries that are about everything under a member with one of
// these names, or what their pattern matches in it.
func (s *Set) values(w Where, text string, names []string, found []span, left *budget) []span {
	if s.named&w == 0 || text == "" || *left < 0 {
		return found
	}
	for i := range s.entries {
		e := &s.entries[i]
		if e.where&w == 0 || !e.about(names) {
			continue
		}
		if e.re == nil {
			found = append(found, span{0, len(text), i, false})
			continue
		}
		some, _ := e.within(i, text, window{0, len(text)}, left)
		if found = append(found, some...); *left < 0 {
			break
		}
	}
	return found
}

// about says whether the entry is about the values of a member with one of these
// names.
func (e *entry) about(names []string) bool {
	return slices.ContainsFunc(e.keys, func(k glob) bool { return slices.ContainsFunc(names, k.matches) })
}

// beside leaves out what lies inside a replacement that stands in the text
// already, and widens what overlaps one, so that redacted text stays as it is.
func (s *Set) beside(text string, found []span) []span {
	if len(found) == 0 {
		return found
	}
	stand := make([][]int, len(s.entries)) // where the replacement of each entry does
	s.withs.find(text, func(owner, end int) {
		if owner >= len(stand) {
			return // of an entry that is not asked
		}
		with, list := s.entries[owner].With, stand[owner]
		at := end - len(with)
		if text[at:end] == with && (len(list) == 0 || list[len(list)-1]+len(with) <= at) {
			stand[owner] = append(list, at)
		}
	})
	for i, at := range stand {
		kept := found[:0]
		for _, f := range found {
			if len(at) == 0 || !f.inside(at, len(s.entries[i].With)) {
				kept = append(kept, f)
			}
		}
		found = kept
	}
	return found
}

// inside says whether a piece lies inside a text of n bytes that stands at one of
// these places. It is widened by those that it overlaps.
func (f *span) inside(at []int, n int) bool {
	first, _ := slices.BinarySearch(at, f.from-n)
	for _, from := range at[first:] {
		switch to := from + n; {
		case from > f.to:
			return false
		case from <= f.from && f.to <= to:
			return true
		case f.from < to && from < f.to:
			f.from, f.to = min(f.from, from), max(f.to, to)
		}
	}
	return false
}

// merged joins pieces that overlap. What takes their place is said by the entry
// that stands first.
func merged(found []span) []span {
	slices.SortFunc(found, func(a, b span) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to
	})
	out := found[:0]
	for _, f := range found {
		if n := len(out); n > 0 && f.from < out[n-1].to {
			out[n-1].to, out[n-1].entry = max(out[n-1].to, f.to), min(out[n-1].entry, f.entry)
			continue
		}
		out = append(out, f)
	}
	return out
}

// visible returns a text without the characters that nobody sees, and where each
// byte of it stood.
func visible(text string) (bare string, at []int) {
	var b strings.Builder
	for i := 0; i < len(text); {
		n := width(text, i)
		if r, _ := utf8.DecodeRuneInString(text[i:]); !isUnseen(text[i:i+n], r) {
			b.WriteString(text[i : i+n])
			for j := range n {
				at = append(at, i+j)
			}
		}
		i += n
	}
	return b.String(), at
}

// width is how many bytes the character at i has from there on. A lone surrogate
// has three.
func width(text string, i int) int {
	if r, n := utf8.DecodeRuneInString(text[i:]); r != utf8.RuneError || n > 1 {
		return n
	}
	if isSurrogate(text, i) {
		return 3
	}
	return 1
}

// isSurrogate says whether the three bytes of a lone surrogate start at i.
func isSurrogate(text string, i int) bool {
	return i+2 < len(text) && text[i] == 0xED && text[i+1] >= 0xA0 && text[i+1] <= 0xBF && text[i+2]&0xC0 == 0x80
}
