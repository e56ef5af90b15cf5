package provenance

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
)

// query is the search for one destination.
type query struct {
	x           *index
	entity      Entity
	forms       []form
	distinctive bool
	places      int
	found       []found
	best        map[class]int     // pieces of evidence by class
	raw         map[stringAt]bool // leaves in which the value stands undecoded
	seen        map[hit]bool      // what was found already, by another form
	verified    int               // blocks that were folded again
	graded      int               // records that were read
	parsed      int               // bytes of the records that were graded
	cut         bool              // there was more to look at than the budget allows
	quiet       bool              // records that do not taint are looked at too
	lost        []uint32          // records that may hold it and whose text is gone
}

// hit is a class of evidence in one leaf.
type hit struct {
	record  uint32
	pointer string
	inner   string
	view    string
	at      int
	class   class
}

// found is one piece of evidence and the number of its record.
type found struct {
	record   int
	evidence abi.Evidence
}

// class is what policies can tell evidence apart by.
type class struct {
	position abi.Position
	label    abi.Origin
	kind     string
}

func classOf(e abi.Evidence) class { return class{e.Position, e.Label, e.Kind} }

// stringAt names a string of a record.
type stringAt struct {
	record  uint32
	pointer string
	inner   string
}

// keepPerClass bounds the evidence that is collected of one class; there are
// more places, but no more that a policy could tell apart.
const keepPerClass = 2 * maxEvidence

// grade looks for forms in one record.
func (q *query) grade(in *reading, forms []form) {
	for _, f := range forms {
		f.few = len(appendAlnum(nil, []byte(f.text))) < gram
		last := -1
		var starts, ends cursor
		in.find(f.image, f.text, func(n, offset int) (more, going bool) {
			q.x.spent.places++
			if q.places++; q.places > maxPlaces || q.x.spent.places > maxPlacing*maxPlaces {
				q.cut = true
				return false, false
			}
			l := &in.leaves[n]
			if n != last {
				last = n
				starts = cursor{raw: l.raw, bare: f.image == imageBare}
				ends = starts
			}
			from, to := offset, offset+len(f.text)
			if !l.aligned || f.image == imageBare {
				from = starts.start(offset)
				to = ends.end(offset + len(f.text))
			}
			return !q.match(f, l, from, to), true
		})
	}
}

// match grades one place, bytes from-to of a leaf, and says whether the leaf
// has nothing stronger to offer.
func (q *query) match(f form, l *leaf, from, to int) bool {
	if f.raw != "" && !exactEncoding(f, l.raw, from, to) {
		return false
	}
	at := stringAt{l.record, l.pointer, l.inner}
	if (l.decoded || f.part) && q.raw[at] {
		return true
	}
	e := abi.Evidence{Position: q.position(f, l, from, to), View: l.view, Label: abi.OriginTainted}
	// A word of few letters inside of another one says nothing.
	if e.Position == "" || e.Position == abi.Glued && f.few {
		return false
	}
	if f.view != "" {
		e.View = f.view
	}
	r := &q.x.records[l.record]
	if e.Position == abi.Field {
		q.source(&e, r, l)
	}
	if !l.decoded && f.view == "" && !f.part && e.Position != abi.Glued {
		q.raw[at] = true
	}
	q.note(l, e, from, to)
	return e.Position != abi.Glued
}

// note keeps a piece of evidence, unless there is enough of its class.
func (q *query) note(l *leaf, e abi.Evidence, from, to int) {
	c, r := classOf(e), &q.x.records[l.record]
	if h := (hit{l.record, l.pointer, l.inner, l.view, l.at, c}); !q.seen[h] && q.best[c] < keepPerClass {
		q.seen[h] = true
		q.best[c]++
		e.Seq, e.Call, e.Server, e.Tool, e.Pointer = r.seq, r.call, r.server, r.tool, l.pointer
		locate(&e, l, from, to)
		q.found = append(q.found, found{record: int(l.record), evidence: e})
	}
}

// source applies what the policy says of a field.
func (q *query) source(e *abi.Evidence, r *record, l *leaf) {
	if !l.vouches || r.mute || r.echoes(l) || r.joins(l) {
		return
	}
	kind := fieldKind(r.source.Fields, l.inner)
	if kind == "" && r.source.WholeField {
		kind = FieldTrusted
	}
	switch kind {
	case FieldTrusted:
		if same, ok := leafEntity(l); ok && same.Spoiled == "" && q.entity.Spoiled == "" && same.key() == q.entity.key() {
			e.Label = abi.OriginTrusted
		}
	case FieldAddressing:
		e.Kind = FieldAddressing
	}
}

// joins says whether a leaf is made of what the call sent, in another spelling, or
// as the name and the host of an address in two places.
func (r *record) joins(l *leaf) bool {
	if len(r.said) == 0 {
		return false
	}
	text := Fold(strings.TrimSpace(l.raw))
	for _, s := range r.said {
		if _, plain := decodeText(s); plain != s && strings.Contains(Fold(plain), text) {
			return true
		}
	}
	e, ok := leafEntity(l)
	if !ok || e.Kind != KindMail || !r.names(Fold(unicodeHost(e.host))) && !r.names(e.host) {
		return false
	}
	parts := strings.FieldsFunc(Fold(e.local), func(c rune) bool { return strings.ContainsRune(".-_+", c) })
	return !slices.ContainsFunc(parts, func(part string) bool { return !r.names(part) })
}

// names says whether the call sent a word.
func (r *record) names(word string) bool {
	return slices.ContainsFunc(r.said, func(s string) bool { return holdsWord(s, word) })
}

// fieldKind returns what the policy calls the field at a pointer. Several
// patterns: the strictest.
func fieldKind(patterns map[string]string, inner string) string {
	kind := ""
	for pattern, k := range patterns {
		if !MatchPointer(pattern, inner) {
			continue
		}
		switch {
		case k == FieldUntrusted:
			return k
		case k == FieldAddressing, kind == "":
			kind = k
		}
	}
	return kind
}

// MatchPointer says whether a pointer fits a pattern, in which a segment * is
// any one segment.
func MatchPointer(pattern, pointer string) bool {
	p, ok := abi.Tokens(pattern)
	t, fine := abi.Tokens(pointer)
	if !ok || !fine || len(p) != len(t) {
		return false
	}
	for i := range p {
		if p[i] != "*" && p[i] != t[i] {
			return false
		}
	}
	return true
}

// position grades a place, "" if it is none.
func (q *query) position(f form, l *leaf, from, to int) abi.Position {
	kind := q.entity.Kind
	if f.part {
		if !bounded(l.raw, from, to, KindHost, true) {
			return ""
		}
		return abi.Part
	}
	if f.view != "" {
		return abi.Encoded
	}
	if !bounded(l.raw, from, to, kind, false) {
		return abi.Glued
	}
	switch {
	case l.field && q.whole(l):
		return abi.Field
	case !q.distinctive:
		return abi.Weak
	case l.decoded:
		return abi.Encoded
	}
	return abi.Prose
}

// whole says whether a field holds the value and nothing else.
func (q *query) whole(l *leaf) bool {
	if len(l.raw) > 4096 {
		return false
	}
	entities, _ := Canonicalise(l.raw)
	if len(entities) > 1 && !l.names {
		return false
	}
	for _, e := range entities {
		if e.embedded {
			continue // a sentence about it, whatever the field is called
		}
		spelled := e.spellings()
		if e.Kind == KindMail && !l.names {
			// A sentence that ends in an address is no address.
			alone, _ := cutPrefixFold(strings.Trim(l.raw, " \t\r\n<>"), "mailto:")
			if !slices.Contains(spelled, Fold(alone)) {
				continue
			}
		}
		if slices.Contains(spelled, q.forms[0].text) || q.forms[0].text == Fold(strings.TrimSpace(l.raw)) {
			return true
		}
	}
	return false
}

// leafEntity reads a field that is one destination.
func leafEntity(l *leaf) (Entity, bool) {
	entities, cut := Canonicalise(l.raw)
	return entities[0], len(entities) == 1 && !cut
}

// exactEncoding says whether an encoded form stands in the text as it is; the
// search itself does not see case.
func exactEncoding(f form, raw string, from, to int) bool {
	return raw[from:to] == f.raw
}

// locate fills in the bytes of the match and the text around it.
func locate(e *abi.Evidence, l *leaf, from, to int) {
	if l.decoded {
		// Offsets in a decoded text are no offsets of the message.
		e.Snippet = snippet(l.raw, from, to)
		return
	}
	e.Offset, e.Length = int64(l.at+from), int64(to-from)
	if l.span > 0 {
		e.Offset, e.Length = int64(l.at), int64(l.span)
	}
	e.Snippet = snippet(l.raw, from, to)
}

// maxSnippet is the length of a snippet in bytes.
const maxSnippet = 96

// snippet cuts the match out with what fits around it, at code point borders.
func snippet(s string, from, to int) string {
	to = min(to, from+maxSnippet)
	room := (maxSnippet - (to - from)) / 2
	from, to = max(0, from-room), min(len(s), to+room)
	for from < to && !utf8.RuneStart(s[from]) {
		from++
	}
	for to > from && to < len(s) && !utf8.RuneStart(s[to]) {
		to--
	}
	return strings.ToValidUTF8(s[from:to], "\uFFFD")
}

// holdsWord says whether a word stands in a text, and is no part of a longer one.
func holdsWord(s, word string) bool {
	for at := 0; at < len(s); at++ {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return false
		}
		at += i
		if before, _ := utf8.DecodeLastRuneInString(s[:at]); at > 0 && letterOrNumber(before) {
			continue
		}
		if after, _ := utf8.DecodeRuneInString(s[at+len(word):]); at+len(word) == len(s) || !letterOrNumber(after) {
			return true
		}
	}
	return false
}

func letterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// wholeToken says whether bytes from-to of s are not part of a longer word, in
// the strict reading that trust needs.
func wholeToken(s string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(s[to:])
	joins := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r) || strings.ContainsRune("_-@/\\+&%", r)
	}
	if from > 0 && (joins(before) || before == '.') || to < len(s) && joins(after) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(s[min(len(s), to+1):])
	return !(to < len(s) && after == '.' && joins(next))
}
