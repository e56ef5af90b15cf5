package provenance

import (
	"slices"
	"strings"
)

// leastToken is the length from which a word of letters and digits is an entity
// of its own, in bytes.
const leastToken = 16

// scanEntities calls emit with the keys of every entity that a text names, and
// says whether there was more than it looks at.
func scanEntities(s string, emit func(key uint64)) (cut bool) {
	return eachEntity(s, func(e Entity) {
		emit(keyHash(e))
		a, ok := e.alias()
		if !ok || e.Kind == KindURL && strings.HasSuffix(e.Value, strings.TrimSuffix(a.Identity, "/")) {
			return // with another scheme it is found as it stands
		}
		emit(keyHash(a))
	})
}

// eachEntity calls named with every entity that a text names, some more than
// once: what [extract] finds, and every word, or piece of a word, that [strong]
// reads, without the punctuation around it. It says whether there was more than
// it looks at. Its work is proportional to the length of the text.
func eachEntity(s string, named func(Entity)) (cut bool) {
	c := scan{s: s, named: named, work: workFor(s)}
	c.take = c.address
	c.words()
	return c.cut
}

// scan is the search for the entities of one text.
type scan struct {
	s     string
	named func(Entity)
	work  int  // bytes that may still be looked at in search of addresses
	cut   bool // there was more
	deep  bool // the text is a part of one that is searched

	take func(Entity, int) bool
	word int      // start of the word that is read
	read [][2]int // addresses that were found in it
	next int      // of these, the first that pieces may still lie in
}

// words finds the words that may name something. Most do not, so what is looked
// for is a byte that only entities have; the word is what stands around it.
func (c *scan) words() {
	s := c.s
	for i := 0; i < len(s); {
		if classes[s[i]]&classHot == 0 {
			i++
			continue
		}
		from, of := i, uint16(0)
		for from > 0 && classes[s[from-1]]&classBlank == 0 {
			from--
			of |= classes[s[from]]
		}
		for i < len(s) && classes[s[i]]&classBlank == 0 {
			of |= classes[s[i]]
			i++
		}
		if i-from > 1 {
			c.oneWord(from, i, of)
		}
	}
}

// oneWord reads a word whose bytes are of the given classes.
func (c *scan) oneWord(from, to int, of uint16) {
	a, b := trim(c.s, from, to, closes)
	all := of
	if a != from || b != to {
		if of = classesOf(c.s[a:b]); of&classHot == 0 && all&(classColon|classAt|classSlash|classHash) == 0 {
			return // most words at the end of a sentence
		}
	}
	c.word, c.read, c.next = from, c.read[:0], 0
	word := c.s[from:to]
	if all&classAt != 0 || all&classSlash != 0 && strings.Contains(word, "//") {
		if addresses(word, &c.work, c.take) {
			c.cut = true
		}
	}
	if !c.found(a, b) {
		if of&classOdd == 0 {
			c.piece(a, b, of)
		} else {
			c.pieces(a, b, of)
		}
	}
	if b != to {
		if e, z := balanced(c.s, from, to); z != b && !c.found(e, z) {
			c.entity(e, z, all)
		}
		if strings.HasPrefix(c.s[b:to], "::") {
			c.entity(a, b+2, all) // a network of IPv6 addresses
		}
	}
	if all&classWide != 0 && !c.deep {
		c.foreign(word)
	}
}

// pieces reads a word with odd characters in it, as a whole and in pieces.
func (c *scan) pieces(from, to int, of uint16) {
	if of&(classAt|classColon|classSlash|classBack|classPercent|classHash) != 0 || c.s[from] == '+' || c.s[from] == '0' {
		c.entity(from, to, of)
	}
	for i := from; i < to; {
		if classes[c.s[i]]&classOdd != 0 {
			i++
			continue
		}
		start, all := i, uint16(0)
		for i < to && classes[c.s[i]]&classOdd == 0 {
			all |= classes[c.s[i]]
			i++
		}
		if p, z := trim(c.s, start, i, closes); all&classHot != 0 && !c.within(p, z) {
			c.piece(p, z, all)
		}
	}
}

// piece reads a piece of a word.
func (c *scan) piece(from, to int, of uint16) {
	if to-from < 2 {
		return
	}
	if of&classFigure != 0 {
		eachNumber(c.s, from, c.named)
	}
	if c.entity(from, to, of) || of&classColon == 0 {
		return
	}
	// A name and its value, or a host and its port.
	for from < to {
		end := to
		if i := strings.IndexByte(c.s[from:to], ':'); i >= 0 {
			end = from + i
		}
		if end-from > 1 && !c.within(from, end) {
			c.piece(from, end, of&^classColon)
		}
		from = end + 1
	}
}

// entity reads one entity, and says whether it is one.
func (c *scan) entity(from, to int, of uint16) bool {
	if to-from < 2 {
		return false
	}
	w := c.s[from:to]
	if of&(classLetter|classDot) == 0 {
		of &^= classStop // sentences, and no host
	}
	e, ok := readWord(w, of)
	if !ok && isToken(w) {
		e, ok = text(w), true
	}
	if ok {
		c.named(e)
	}
	return ok
}

// foreign reads a word with characters beyond ASCII once more: without those
// that are not seen, and in parts where it is written without blanks.
func (c *scan) foreign(word string) {
	part := func(s string) {
		d := scan{s: s, named: c.named, work: c.work, deep: true}
		d.take = d.address
		d.words()
		c.work, c.cut = d.work, c.cut || d.cut
	}
	if clean := strip(word); clean != word {
		part(clean)
	}
	apart(word, part)
}

// address takes in an address that was found in the word.
func (c *scan) address(e Entity, from int) bool {
	from += c.word
	to := from + len(e.Value)
	c.named(e)
	if e.Kind == KindMail && strings.ContainsAny(e.Value, `/\`) {
		return true // alone it may be a path
	}
	c.read = append(c.read, [2]int{from, to})
	if to < len(c.s) && c.s[to] == ')' && strings.Count(e.Value, "(") > strings.Count(e.Value, ")") {
		c.entity(from, to+1, ^classBlank) // it was opened in it
	}
	return true
}

// found says whether a part of the word is an address that was found.
func (c *scan) found(from, to int) bool {
	return slices.Contains(c.read, [2]int{from, to})
}

// within says whether a piece of the word lies in an address that was found.
// Pieces are asked for in order.
func (c *scan) within(from, to int) bool {
	for c.next < len(c.read) && c.read[c.next][1] < to {
		c.next++
	}
	return c.next < len(c.read) && c.read[c.next][0] <= from
}
