package provenance

import (
	"bytes"
	"sort"
)

// segment holds the images of some leaves one after the other, each followed by
// a NUL, which no image contains. Its gram filters rule most searches out.
type segment struct {
	fold, bare           []byte
	foldGrams, bareGrams grams
	leaves               []leaf
}

// segmentSize is the length of the folded image after which a new segment
// starts. A leaf is never split.
const segmentSize = 256 << 10

// grams is a set of hashed four-byte windows: no false absence.
type grams [1 << 12]uint64

func gramSlot(a, b, c, d byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16 | uint32(d)<<24) * 0x9E3779B1 >> 14
}

// add notes the windows of text.
func (g *grams) add(text []byte) {
	for i := 0; i+3 < len(text); i++ {
		h := gramSlot(text[i], text[i+1], text[i+2], text[i+3])
		g[h>>6] |= 1 << (h & 63)
	}
}

// may says whether text can be in what was added.
func (g *grams) may(text string) bool {
	step := 1 + len(text)/256
	for i := 0; i+3 < len(text); i += step {
		h := gramSlot(text[i], text[i+1], text[i+2], text[i+3])
		if g[h>>6]&(1<<(h&63)) == 0 {
			return false
		}
	}
	return true
}

// put appends a leaf to the last segment.
func (x *plain) put(l leaf) {
	n := len(x.segments)
	if n == 0 || len(x.segments[n-1].fold) >= segmentSize {
		x.segments = append(x.segments, &segment{})
		n++
	}
	s := x.segments[n-1]
	l.fold, l.bare = len(s.fold), len(s.bare)
	s.fold, l.aligned = appendFold(s.fold, l.raw)
	s.bare = appendAlnum(s.bare, s.fold[l.fold:])
	s.foldGrams.add(s.fold[l.fold:])
	s.bareGrams.add(s.bare[l.bare:])
	s.fold, s.bare = append(s.fold, 0), append(s.bare, 0)
	s.leaves = append(s.leaves, l)
}

// image returns one of the images and its filter.
func (s *segment) image(i image) ([]byte, *grams) {
	if i == imageBare {
		return s.bare, &s.bareGrams
	}
	return s.fold, &s.foldGrams
}

// start returns where a leaf starts in an image.
func (l *leaf) start(i image) int {
	if i == imageBare {
		return l.bare
	}
	return l.fold
}

// find calls visit for every place of a form, in order, with the number of the
// leaf and the offset in its image. visit returns whether it wants to see more
// of the same leaf; going is false when nothing more is wanted at all.
func (s *segment) find(i image, text string, visit func(leaf, offset int) (more, going bool)) {
	in, filter := s.image(i)
	if text == "" || !filter.may(text) {
		return
	}
	needle := []byte(text)
	for at := 0; at < len(in); {
		hit := bytes.Index(in[at:], needle)
		if hit < 0 {
			return
		}
		hit += at
		n := sort.Search(len(s.leaves), func(n int) bool { return s.leaves[n].start(i) > hit }) - 1
		more, going := visit(n, hit-s.leaves[n].start(i))
		switch {
		case !going:
			return
		case more:
			at = hit + 1
		case n+1 < len(s.leaves):
			at = s.leaves[n+1].start(i)
		default:
			return
		}
	}
}
