package provenance

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// needle is the image of some forms. One that is too short for windows is looked
// for by its words, each of which stands alone: inside of longer ones they mean
// nothing.
type needle struct {
	bare  []byte
	words [][]byte
	forms []form
}

// maxParts is how many records give evidence of a part of the value: they say all
// the same, and of one's own domain there are many.
const maxParts = 4

// search finds the records that hold a form of the value, and grades them in
// order of age. Those that hold a part of it come after.
func (q *query) search() {
	whole, parts := needlesOf(q.forms)
	if q.x.tune.all {
		q.everywhere(whole, parts)
		return
	}
	held, named := map[uint32]uint64{}, map[uint32]bool{}
	for _, key := range q.entity.keys() {
		records, more := q.x.exact.find(key)
		for _, n := range records {
			held[n], named[n] = 0, true
		}
		q.cut = q.cut || more
	}
	for i, n := range whole {
		bit := uint64(1) << (i & 63)
		q.hold(n, func(k int) bool { return q.covered(k, held, bit) }, func(n uint32) bool {
			held[n] |= bit
			return true
		})
	}
	for _, n := range slices.Sorted(maps.Keys(held)) {
		var forms []form
		for i, needle := range whole {
			if held[n]&(1<<(i&63)) != 0 {
				forms = append(forms, needle.forms...)
			}
		}
		q.examine(n, forms, named[n])
	}
	for _, n := range parts {
		last := uint32(math.MaxUint32)
		q.hold(n, func(int) bool { return false }, func(record uint32) bool {
			if record != last { // the next block may begin in the same
				last = record
				q.examine(record, n.forms, false)
			}
			return q.partial() < maxParts
		})
	}
}

// everywhere is search without signatures: what these must not miss.
func (q *query) everywhere(whole, parts []needle) {
	var forms []form
	for _, n := range whole {
		forms = append(forms, n.forms...)
	}
	for n := range q.x.records {
		q.examine(uint32(n), forms, true)
	}
	for _, part := range parts {
		for n := range q.x.records {
			if q.partial() < maxParts {
				q.examine(uint32(n), part.forms, false)
			}
		}
	}
}

// partial returns how much evidence of a part there is.
func (q *query) partial() int { return q.best[class{position: abi.Part, label: abi.OriginTainted}] }

// examine grades one record. Where it names the entity and no form stands in it,
// it is spelled in another way.
func (q *query) examine(n uint32, forms []form, named bool) {
	if q.x.records[n].quiet && !q.quiet {
		return
	}
	if !q.quiet && q.graded == q.x.tune.grade || q.parsed > maxParsed || q.x.spent.parsed > maxParsing*maxParsed {
		q.cut = true
		return
	}
	q.graded++
	in := q.x.read(n)
	if in == nil {
		q.gone(n)
		return
	}
	q.parsed += len(in.fold)
	q.x.spent.read(n, len(in.fold))
	before := len(q.found)
	q.grade(in, forms)
	if named && len(q.found) == before {
		q.canonical(in)
	}
}

// gone notes that a record may hold the value and that its text is gone.
func (q *query) gone(n uint32) {
	if !slices.Contains(q.lost, n) && (q.quiet || !q.x.records[n].quiet) {
		q.lost = append(q.lost, n)
	}
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

// needlesOf returns the images of forms, each once, and apart those of forms that
// are a part of the value.
func needlesOf(forms []form) (whole, parts []needle) {
	for _, f := range forms {
		list := &whole
		if f.part {
			list = &parts
		}
		n := needleOf(f.text)
		if len(n.bare) == 0 {
			continue
		}
		i := slices.IndexFunc(*list, func(o needle) bool { return string(o.bare) == string(n.bare) })
		if i < 0 {
			i = len(*list)
			*list = append(*list, n)
		}
		(*list)[i].forms = append((*list)[i].forms, f)
	}
	return whole, parts
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

// hold calls found for the records that hold a needle, oldest first, until it
// returns false. Blocks that skip says yes to are not looked at.
func (q *query) hold(n needle, skip func(block int) bool, found func(record uint32) bool) {
	x := q.x
	look := func(k int) bool {
		if skip(k) {
			return true
		}
		if q.verified == x.tune.budget || x.spent.verified == maxFolding*x.tune.budget {
			q.cut = true
			return false
		}
		q.verified++
		x.spent.verified++
		f := x.refold(k, n.words != nil)
		going := true
		f.holds(n, func(n uint32) { going = going && found(n) })
		for _, n := range f.gone {
			q.gone(n)
		}
		return going
	}
	if n.words != nil {
		x.matrix.Words(n.words, look)
	} else {
		x.matrix.Candidates(n.bare[:min(len(n.bare), overlap)], look)
	}
}

// covered says whether a block holds nothing but a record that is known to hold
// a needle.
func (q *query) covered(k int, held map[uint32]uint64, bit uint64) bool {
	x := q.x
	n := x.blocks[k].record
	last := uint32(len(x.records) - 1)
	if k+1 < len(x.blocks) {
		last = x.blocks[k+1].record
	}
	return n == last && held[n]&bit != 0
}
