package redact

import (
	"cmp"
	mathbits "math/bits"
	"slices"
)

// finder finds literals in text in one pass, the letters of ASCII in either case.
// The literals stand in 64 buckets, and a table says of each byte in which of them
// it is the first, second or third of a literal. Three bytes that start none, which
// is nearly all of them, cost a look into the table each, and no branch.
type finder struct {
	fits    [256][3]uint64
	buckets [64][]needle
	ends    [3]uint64 // as fits, for what is behind the end of the text
}

type needle struct {
	text  string // in lower case
	owner int
}

// newFinder makes a finder of the literals of each owner, none of which is empty.
func newFinder(literals [][]string) *finder {
	f := &finder{}
	var short, long []needle
	for owner, list := range literals {
		for _, text := range list {
			if len(text) < len(f.fits[0]) {
				short = append(short, needle{text, owner})
			} else {
				long = append(long, needle{text, owner})
			}
		}
	}
	for _, n := range short {
		f.put(len(n.text)-1, n) // a bucket for each length
	}
	// Those that start alike stand together, so that few bytes fit many buckets.
	slices.SortStableFunc(long, func(a, b needle) int { return cmp.Compare(a.text, b.text) })
	for i, n := range long {
		f.put(2+i*(len(f.buckets)-2)/len(long), n)
	}
	return f
}

func (f *finder) put(bucket int, n needle) {
	f.buckets[bucket] = append(f.buckets[bucket], n)
	for at := range f.ends {
		if at >= len(n.text) {
			for c := range f.fits {
				f.fits[c][at] |= 1 << bucket
			}
			f.ends[at] |= 1 << bucket
			continue
		}
		for _, c := range cases(n.text[at]) {
			f.fits[c][at] |= 1 << bucket
		}
	}
}

// cases are the bytes that a byte of a literal stands for.
func cases(c byte) []byte {
	if 'a' <= c && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

// find calls heard with whom each literal in a text belongs to, and where it
// ends.
func (f *finder) find(text string, heard func(owner, end int)) {
	var one, two uint64 // the buckets that the last byte fits, and the last two
	for i := 0; i < len(text); i++ {
		fits := &f.fits[text[i]]
		if hit := two & fits[2]; hit != 0 {
			f.at(text, i-2, hit, heard)
		}
		one, two = fits[0], one&fits[1]
	}
	for i := len(text); i < len(text)+2; i++ {
		if hit := two & f.ends[2]; hit != 0 {
			f.at(text, i-2, hit, heard)
		}
		one, two = 0, one&f.ends[1]
	}
}

// at hears of the literals in some of the buckets that stand at a place.
func (f *finder) at(text string, i int, in uint64, heard func(owner, end int)) {
	for ; in != 0; in &= in - 1 {
		for _, n := range f.buckets[mathbits.TrailingZeros64(in)] {
			if starts(text[i:], n.text) {
				heard(n.owner, i+len(n.text))
			}
		}
	}
}

// starts says whether a text starts with a literal.
func starts(text, literal string) bool {
	if len(text) < len(literal) {
		return false
	}
	for i := 0; i < len(literal); i++ {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != literal[i] {
			return false
		}
	}
	return true
}
