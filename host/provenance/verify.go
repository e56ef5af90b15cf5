package provenance

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"
)

// folded is one block folded again from the text.
type folded struct {
	bare  []byte // images of its pieces, each followed by a NUL
	words []byte // its short words, each between NULs; nil where nobody asked for them
	marks []mark // where a record begins
	gone  []uint32
}

// mark says where a record begins in a folded block.
type mark struct {
	bare, words int
	record      uint32
}

// keptFolds is how many folded blocks are kept for the next question.
const keptFolds = 64

// runeLen returns the length of the first code point of s.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// refold folds a block again, with what it reaches into, and with its short words
// if they are wanted.
func (x *index) refold(k int, words bool) *folded {
	if f, ok := x.folds.get(k); ok && (f.words != nil || !words) {
		return f
	}
	from, to := x.blocks[k], place{record: uint32(len(x.records))}
	if k+1 < len(x.blocks) {
		to = x.blocks[k+1]
	}
	f := &folded{bare: make([]byte, 0, x.tune.block+2*chunkSize)}
	if words {
		f.words = []byte{0}
	}
	for n := from.record; n <= to.record && int(n) < len(x.records); n++ {
		start := place{record: n}
		if n == from.record {
			start = from
		}
		if n == to.record && !start.before(to) {
			break
		}
		f.marks = append(f.marks, mark{len(f.bare), len(f.words), n})
		if !x.refoldRecord(f, start, to) {
			f.gone = append(f.gone, n)
		}
	}
	if k+1 < len(x.blocks) {
		x.folds.put(k, f, 1)
	}
	return f
}

// refoldRecord folds what a block holds of one record, and says whether its text
// is there.
func (x *index) refoldRecord(f *folded, from, to place) bool {
	r := &x.records[from.record]
	if r.evicted {
		return false
	}
	src := resident(r.text)
	if r.ref.Digest != "" {
		if x.options.Text == nil {
			return false
		}
		src = &source{reader: x.options.Text, ref: r.ref, end: int(r.ref.Length)}
	}
	var word token
	var short []short
	over, reach := false, 0 // behind the end, and for how long
	w := walker{src: src, record: from.record, plain: r.plain, skip: r.viewless, visit: func(c chunk) bool {
		if c.first {
			word = token{}
		}
		if over = over || !c.from.before(to); over {
			if c.first || reach >= overlap {
				return false
			}
		}
		size := len(f.bare)
		if f.words == nil {
			f.bare = appendBare(f.bare, c.text)
		} else {
			f.bare, short = word.fold(f.bare, short[:0], c)
			for _, w := range short {
				f.words = append(append(f.words, w.bytes()...), 0)
			}
		}
		if over {
			reach += len(f.bare) - size
		}
		if c.last {
			f.bare = append(f.bare, 0)
		}
		return true
	}}
	w.walk(from)
	f.bare = append(f.bare, 0)
	return src.err == nil
}

// holds calls found for each record of the block that has the needle.
func (f *folded) holds(n needle, found func(record uint32)) {
	if n.words == nil {
		f.each(f.bare, n.bare[:min(len(n.bare), overlap)], 0, func(m mark) int { return m.bare }, found)
		return
	}
	count := map[uint32]int{}
	for i, word := range n.words {
		word = slices.Concat([]byte{0}, word, []byte{0})
		f.each(f.words, word, 1, func(m mark) int { return m.words }, func(record uint32) {
			if count[record] == i {
				count[record]++
			}
		})
	}
	for _, m := range f.marks {
		if count[m.record] == len(n.words) {
			found(m.record)
		}
	}
}

// each calls found for each record in whose part of an image a text stands. The
// first lead bytes of the text may be another record's.
func (f *folded) each(in, text []byte, lead int, at func(mark) int, found func(record uint32)) {
	for from := 0; from < len(in); {
		i := bytes.Index(in[from:], text)
		if i < 0 {
			return
		}
		i += from + lead
		n := max(0, sort.Search(len(f.marks), func(n int) bool { return at(f.marks[n]) > i })-1)
		found(f.marks[n].record)
		if n+1 >= len(f.marks) {
			return
		}
		from = at(f.marks[n+1]) - lead
	}
}
