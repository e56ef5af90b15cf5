package provenance

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
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
	var named map[uint32]bool // nil: all may be
	if x.tune.all {
		for n := range x.records {
			records = append(records, uint32(n))
		}
	} else {
		records, named = q.candidates()
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
		before := len(q.found)
		q.grade(in)
		whole := slices.ContainsFunc(q.found[before:], func(f found) bool { return f.evidence.Position != abi.Part })
		if !whole && (named == nil || named[n]) {
			q.canonical(in)
		}
	}
}

// candidates returns the records that the exact map names and those that hold
// the image of a form, oldest first, and which of them the map names.
func (q *query) candidates() ([]uint32, map[uint32]bool) {
	x := q.x
	found, named := map[uint32]bool{}, map[uint32]bool{}
	for _, key := range q.entity.keys() {
		more := x.exact.find(key, func(n uint32) { found[n], named[n] = true, true })
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
	return out, named
}

// canonical looks for the entity in the spellings that no form has: what is read
// as the same entity as the value is the value.
func (q *query) canonical(in *reading) {
	keys := q.entity.keys()
	for i := range in.leaves {
		l := &in.leaves[i]
		eachEntity(l.raw, func(e Entity) {
			if !slices.ContainsFunc(e.keys(), func(k uint64) bool { return slices.Contains(keys, k) }) {
				return
			}
			from := max(0, strings.Index(l.raw, e.Value))
			position := abi.Prose
			switch {
			case l.decoded:
				position = abi.Encoded
			case l.field && strings.TrimSpace(l.raw) == e.Value:
				position = abi.Field
			case !q.distinctive:
				position = abi.Weak
			}
			q.note(l, abi.Evidence{Position: position, View: l.view, Label: abi.OriginTainted}, from, from+len(e.Value))
		})
	}
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
		f := x.refold(k, n.words != nil)
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
