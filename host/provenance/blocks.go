package provenance

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"unicode/utf8"

	"github.com/callgate/callgate/host/provenance/fold"
	"github.com/callgate/callgate/host/provenance/signature"
)

// overlap is how many folded bytes of the next block a block's signature and its
// folding reach into: what begins in a block and is no longer lies inside.
const overlap = 256

// gram is the length of the windows that signatures are made of.
const gram = 5

// fill is the state of the block that is being filled.
type fill struct {
	size  int    // of the block so far
	piece []byte // end of the image of the piece, for the windows that go over two chunks
	owed  int    // bytes of the piece that the block before still reaches into
	token token  // the word that the last chunk ended in
	buf   []byte
	words []short
	noted [256]noted // words that the last blocks were noted to hold
}

// enter takes the text of a record into the index.
func (x *index) enter(n uint32, text string) {
	add := func(key uint64) { x.exact.add(key, n) }
	w := walker{
		src: resident(text), record: n, viewless: true, plain: x.records[n].plain,
		visit: func(c chunk) bool {
			x.feed(c)
			if c.from.view > 0 && c.first {
				x.cut(n, scanEntities(c.text, add))
			}
			return true
		},
		window: func(text string) { x.cut(n, scanEntities(text, add)) },
	}
	w.walk(place{record: n})
	x.cut(n, w.cut)
	x.records[n].viewless = w.viewless
}

// cut notes that something of a record was not looked at.
func (x *index) cut(n uint32, cut bool) {
	if cut && (len(x.opaque) == 0 || x.opaque[len(x.opaque)-1] != n) {
		x.opaque = append(x.opaque, n)
	}
}

// feed adds a chunk to the block that is being filled, or to a new one. The
// border is a matter of the chunks alone, so that it can be found again.
func (x *index) feed(c chunk) {
	f := &x.fill
	if c.first {
		f.piece, f.owed, f.token = f.piece[:0], 0, token{}
	}
	inside := false
	if len(x.blocks) == 0 || f.size >= x.tune.block && f.owed == 0 {
		if inside = !c.first; inside {
			f.owed = overlap
		}
		x.blocks, f.size = append(x.blocks, c.from), 0
	}
	k := len(x.blocks) - 1
	f.buf = append(f.buf[:0], f.piece...)
	carried := len(f.buf)
	f.words = f.words[:0]
	f.buf, f.words = f.token.fold(f.buf, f.words, c)
	if n := min(f.owed, len(f.buf)-carried); n > 0 {
		x.matrix.Add(k-1, f.buf[:carried+n])
		f.owed -= n
	}
	x.matrix.Add(k, f.buf)
	f.piece = append(f.piece[:0], f.buf[max(0, len(f.buf)-gram+1):]...)
	for _, w := range f.words {
		f.note(x.matrix, k, w)
		if inside {
			x.matrix.AddToken(k-1, w.bytes()) // it may have begun there
		}
	}
	// What has no image must not make a block long.
	f.size += max(len(f.buf)-carried, len(c.text)/4) + 1
}

// note notes a word, unless it was noted for the block a moment ago.
func (f *fill) note(m *signature.Matrix, k int, w short) {
	slot := &f.noted[uint32(w)*0x9E3779B1>>24]
	if *slot == (noted{k, w}) {
		return
	}
	*slot = noted{k, w}
	m.AddToken(k, w.bytes())
}

type noted struct {
	block int
	word  short
}

// short is a word of at most four folded bytes, the first in the lowest place.
// It is too short for windows, and is looked up whole.
type short uint32

func (w short) bytes() []byte {
	var b [gram - 1]byte
	binary.LittleEndian.PutUint32(b[:], uint32(w))
	n := len(b)
	for n > 0 && b[n-1] == 0 {
		n--
	}
	return b[:n]
}

// token is the word that is being read.
type token struct {
	word short
	n    uint // folded bytes of it
	wide bool // of letters beyond ASCII, which part words of ASCII letters
}

// fold appends the image of a chunk, and the short words that end in it. A word
// that begins in one chunk and ends in the next is told with the next.
func (t *token) fold(dst []byte, words []short, c chunk) ([]byte, []short) {
	s := c.text
	dst = slices.Grow(dst, len(s)+utf8.UTFMax)
	for i := 0; i < len(s); {
		// Letters and digits in a row, which most of any text is.
		out, k := dst[len(dst):cap(dst)], 0
		for i < len(s) && k < len(out) {
			b := bareASCII[s[i]]
			if b == 0 {
				break
			}
			out[k] = b
			i, k = i+1, k+1
		}
		if k > 0 {
			words = t.take(out[:k], words)
			dst = dst[:len(dst)+k]
			continue
		}
		size := 1
		if s[i] >= utf8.RuneSelf {
			size = runeLen(s[i:])
			before := len(dst)
			dst = appendBare(dst, s[i:i+size])
			image := dst[before:]
			words = t.take(image, words)
			dst = slices.Grow(dst, len(s)-i)
			i += size
			if len(image) > 0 || silent(s[i-size:i]) {
				continue
			}
		} else {
			i++
		}
		words = t.end(words)
	}
	if c.last {
		words = t.end(words)
	}
	return dst, words
}

// take adds a part of the image to the word.
func (t *token) take(image []byte, words []short) []short {
	if len(image) == 0 {
		return words
	}
	if wide := image[0] >= utf8.RuneSelf; wide != t.wide {
		words = t.end(words)
		t.wide = wide
	}
	switch {
	case t.n == 0 && len(image) >= gram, t.n >= gram: // it is long
	default:
		for i, b := range image[:min(len(image), gram)] {
			if at := t.n + uint(i); at < gram-1 {
				t.word |= short(b) << (8 * at)
			}
		}
	}
	t.n += uint(len(image))
	return words
}

// end ends the word, and tells of a short one.
func (t *token) end(words []short) []short {
	if t.n > 0 && t.n < gram {
		words = append(words, t.word)
	}
	t.word, t.n, t.wide = 0, 0, false
	return words
}

// silent says whether a code point without letters in its image parts no word.
func silent(s string) bool {
	var room [64]byte
	image, _ := appendFold(room[:0], s)
	return len(image) == 0
}

// bareASCII is the image of the ASCII letters and digits, 0 for the rest.
// Nothing changes it.
var bareASCII = func() (t [256]byte) {
	for c := range utf8.RuneSelf {
		if isWord(byte(c)) {
			t[c] = foldASCII(byte(c))
		}
	}
	return t
}()

// Digest identifies what was recorded: equal digests answer every question
// equally. It does not depend on how the events were batched.
func (x *index) Digest() string {
	h := sha256.New()
	h.Write([]byte(fold.Version)) // another table is another index of the same text
	var b []byte
	for i := range x.records {
		r := &x.records[i]
		b = b[:0]
		for _, s := range []string{r.server, r.tool, r.call, r.writer, r.prefix} {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
		h.Write(append(b, boolByte(r.evicted), boolByte(r.mute), boolByte(r.plain)))
	}
	for _, p := range x.blocks {
		b = b[:0]
		for _, n := range []uint32{p.record, p.unit, p.at, p.view, p.pos} {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		h.Write(b)
	}
	x.matrix.Digest(h)
	x.exact.digest(h)
	return hex.EncodeToString(h.Sum(nil))
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}
