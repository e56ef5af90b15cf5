// Package signature is a bit-sliced signature index over the 5-byte windows of
// folded text (COBS, arXiv 1905.09624): one row for each hash of a window, one
// bit in it for each block of text. A value can stand in those blocks only whose
// bit is set in the rows of all of its windows.
//
// The matrix only grows, and is never made again from the text. Rows of 512
// blocks lie together, one cache line each; the newest of these groups begins
// eight blocks wide and doubles, so that little text costs little memory.
package signature

import (
	"encoding/binary"
	"io"
	"math/bits"
)

// Gram is the length of the windows, in bytes.
const Gram = 5

const (
	defaultRows = 1 << 15
	groupBlocks = 512
	stripe      = 8                    // blocks in a column of bytes
	lineBytes   = groupBlocks / stripe // bytes of a row of a whole group
	tokenRows   = 4                    // rows of a short word
)

// Matrix is the index, made by [New]. Any number may look things up at once, but
// nobody while something is added.
type Matrix struct {
	rows   int
	shift  uint
	groups []group
	blocks int
	// The column of the last blocks, up to eight from a multiple of eight on: one
	// byte for each row, one bit for each block. It is kept apart, where it fits
	// into the nearest cache, until a ninth begins.
	open []byte
}

// group is 512 blocks, or so many of them as there were.
type group struct {
	stride int // bytes of a row: 0, or 1 to lineBytes
	bits   []byte
}

// New returns an empty matrix. The number of rows is rounded up to a power of
// two from 64 on; 0 means 2^15, which fits blocks of 16 KiB: the windows of one
// set the bit of at most half of the rows, when somebody chose them to, and of
// 0.39, which is 1-e^(-1/2), when they are random.
func New(rows int) *Matrix {
	if rows <= 0 {
		rows = defaultRows
	}
	log := bits.Len(uint(max(rows, 64) - 1))
	return &Matrix{rows: 1 << log, shift: uint(64 - log), open: make([]byte, 1<<log)}
}

// Blocks returns how many blocks there are: one more than the highest number.
func (m *Matrix) Blocks() int { return m.blocks }

// Bytes returns how much memory the matrix holds.
func (m *Matrix) Bytes() int64 {
	n := int64(len(m.open))
	for _, g := range m.groups {
		n += int64(len(g.bits))
	}
	return n
}

// spread takes a number to its hash, the highest bits of which are the best.
const spread = 0x9E3779B97F4A7C15

// row is the row of a window, which fills the upper five bytes of a number.
func (m *Matrix) row(window uint64) int { return int(window * spread >> m.shift) }

// Add notes the windows of text that stands in a block; windows that go over two
// texts are the caller's to repeat. Blocks are numbered from 0 and come in
// ascending order; what comes late for one before the last is taken too, slower.
func (m *Matrix) Add(block int, text []byte) {
	open := m.begin(block)
	if len(text) < Gram {
		return
	}
	var w uint64
	for _, b := range text[:Gram-1] {
		w = w<<8 | uint64(b)<<(64-8*Gram)
	}
	if !open {
		for _, b := range text[Gram-1:] {
			w = w<<8 | uint64(b)<<(64-8*Gram)
			m.set(block, m.row(w))
		}
		return
	}
	column, bit, shift := m.open, byte(1)<<(block%stripe), m.shift&63
	for _, b := range text[Gram-1:] {
		w = w<<8 | uint64(b)<<(64-8*Gram)
		column[w*spread>>shift] |= bit
	}
}

// AddToken notes a word of one to four bytes, too short for windows, that stands
// in a block. All words share a quarter of the rows with the windows: each takes
// four rows, and many would leave none that still tell blocks apart.
func (m *Matrix) AddToken(block int, word []byte) {
	open := m.begin(block)
	for _, r := range m.tokenRows(word) {
		if open {
			m.open[r] |= 1 << (block % stripe)
		} else {
			m.set(block, r)
		}
	}
}

// tokenRows are the rows of a word, which have nothing to do with each other.
func (m *Matrix) tokenRows(word []byte) (rows [tokenRows]int) {
	h := uint64(1)
	for _, b := range word {
		h = h<<8 + h>>56 + uint64(b)
	}
	for i := range rows {
		// The finaliser of SplitMix64 (Steele et al., OOPSLA 2014).
		h += spread
		z := (h ^ h>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		rows[i] = int((z ^ z>>31) & uint64(m.rows/4-1))
	}
	return rows
}

// firstOpen is the first of the blocks whose column is kept apart.
func (m *Matrix) firstOpen() int { return max(0, m.blocks-1) &^ (stripe - 1) }

// begin makes a block the last one, if it is new, and says whether its column is
// the one that is kept apart.
func (m *Matrix) begin(block int) (open bool) {
	if block < m.blocks {
		return block >= m.firstOpen()
	}
	if m.blocks > 0 && block/stripe != m.firstOpen()/stripe {
		m.settle()
	}
	m.blocks = block + 1
	for len(m.groups) <= block/groupBlocks {
		m.groups = append(m.groups, group{})
	}
	return true
}

// settle writes the column that is kept apart to its place.
func (m *Matrix) settle() {
	g, at := m.column(m.firstOpen())
	for r, b := range m.open {
		g.bits[r*g.stride+at] = b
	}
	clear(m.open)
}

// set writes one bit of a block whose column is in its place.
func (m *Matrix) set(block, row int) {
	g, at := m.column(block)
	g.bits[row*g.stride+at] |= 1 << (block % stripe)
}

// column returns the group of a block, wide enough for it, and which byte of its
// rows is the block's.
func (m *Matrix) column(block int) (g *group, at int) {
	g, at = &m.groups[block/groupBlocks], block%groupBlocks/stripe
	stride := max(1, g.stride)
	for stride <= at {
		stride *= 2
	}
	if stride != g.stride {
		wide := make([]byte, m.rows*stride)
		for r := 0; r < m.rows && g.stride > 0; r++ {
			copy(wide[r*stride:], g.bits[r*g.stride:(r+1)*g.stride])
		}
		*g = group{stride, wide}
	}
	return g, at
}

// Digest writes what the matrix holds: the numbers of rows and of blocks, then
// each group, row by row, with the lowest block in the lowest bit of the first
// byte. It is the same however texts were cut on their way in. Errors are those
// of the writer, a hash in the first place, and are not looked at.
func (m *Matrix) Digest(to io.Writer) {
	buf := binary.BigEndian.AppendUint64(nil, uint64(m.rows))
	to.Write(binary.BigEndian.AppendUint64(buf, uint64(m.blocks)))
	last := m.firstOpen() % groupBlocks / stripe
	var page [64 * lineBytes]byte
	for i := range m.groups {
		g := &m.groups[i]
		for from := 0; from < m.rows; from += 64 {
			clear(page[:])
			for r := range 64 {
				copy(page[r*lineBytes:], g.bits[(from+r)*g.stride:(from+r+1)*g.stride])
				if i == len(m.groups)-1 {
					page[r*lineBytes+last] = m.open[from+r]
				}
			}
			to.Write(page[:])
		}
	}
}
