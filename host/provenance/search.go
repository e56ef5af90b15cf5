package provenance

import (
	"slices"
)

// needle is the image of a form. One that is too short for windows is looked for
// by its words, each of which stands alone: inside of longer ones they mean
// nothing.
type needle struct {
	bare  []byte
	words [][]byte
}

// search finds the records that hold a form of the value, and grades them in
// order of age.
func (q *query) search() {
	x := q.x
	var records []uint32
	if x.tune.all {
		for n := range x.records {
			records = append(records, uint32(n))
		}
	} else {
		records = q.candidates()
	}
	graded := 0
	for _, n := range records {
		if graded == x.tune.grade || q.parsed > maxParsed {
			q.cut = true
			return
		}
		graded++
		in := x.read(n)
		if in == nil {
			q.lost = append(q.lost, n)
			continue
		}
		q.parsed += len(in.fold)
		q.grade(in)
	}
}

// candidates returns the records that the exact map names, and those that hold
// the image of a form, oldest first.
func (q *query) candidates() []uint32 {
	x := q.x
	found := map[uint32]bool{}
	for _, key := range append(q.entity.aliasKeys(), keyHash(q.entity)) {
		more := x.exact.find(key, func(n uint32) bool {
			found[n] = true
			return true
		})
		q.cut = q.cut || more
	}
	for _, needle := range q.needles() {
		q.hold(needle, found)
	}
	out := make([]uint32, 0, len(found))
	for n := range found {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// needles returns the images of all forms, each once.
func (q *query) needles() []needle {
	var out []needle
	for _, f := range q.forms {
		n := needleOf(f.text)
		if len(n.bare) == 0 || slices.ContainsFunc(out, func(o needle) bool { return string(o.bare) == string(n.bare) }) {
			continue
		}
		out = append(out, n)
	}
	return out
}

func needleOf(folded string) needle {
	n := needle{bare: appendAlnum(nil, []byte(folded))}
	if len(n.bare) < gram {
		var t token
		_, words := t.fold(nil, nil, chunk{text: folded, last: true})
		for _, w := range words {
			n.words = append(n.words, w.bytes())
		}
	}
	return n
}

// hold adds the records that hold a needle.
func (q *query) hold(n needle, found map[uint32]bool) {
	x := q.x
	look := func(k int) bool {
		if q.covered(k, found) {
			return true
		}
		if q.verified == x.tune.budget {
			q.cut = true
			return false
		}
		q.verified++
		f := x.refold(k)
		f.holds(n, func(n uint32) { found[n] = true })
		for _, n := range f.gone {
			if !slices.Contains(q.lost, n) {
				q.lost = append(q.lost, n)
			}
		}
		return true
	}
	if n.words != nil {
		x.matrix.Words(n.words, look)
	} else {
		x.matrix.Candidates(n.bare[:min(len(n.bare), overlap)], look)
	}
}

// covered says whether a block holds nothing but a record that was found.
func (q *query) covered(k int, found map[uint32]bool) bool {
	x := q.x
	n := x.blocks[k].record
	last := uint32(len(x.records) - 1)
	if k+1 < len(x.blocks) {
		last = x.blocks[k+1].record
	}
	return n == last && found[n]
}
