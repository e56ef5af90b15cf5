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
	lineBytes   = groupBlocks / 8 // of a row of a whole group
	tokenRows   = 4               // rows of a short word
)

// Matrix is the index, made by [New]. Any number may look things up at once, but
// nobody while something is added.
type Matrix struct {
	rows   int
	shift  uint
	groups []group
	blocks int
	// The rows of the last block are collected apart, one bit each, where they fit
	// into the nearest cache, and are written to its column when the next begins.
	open []uint64
}

// group is 512 blocks, or so many of them as there were.
type group struct {
	stride int // bytes of a row: 0, or 1 to lineBytes
	bits   []byte
}

// New returns an empty matrix. The number of rows is rounded up to a power of
// two from 64 on; 0 means 2^15, which fits blocks of 16 KiB: of whatever text, at most
// 1-1/e^(1/2), that is 0.39, of the rows have the bit of a block for windows.
func New(rows int) *Matrix {
	if rows <= 0 {
		rows = defaultRows
	}
	log := bits.Len(uint(max(rows, 64) - 1))
	return &Matrix{rows: 1 << log, shift: uint(64 - log), open: make([]uint64, 1<<log/64)}
}

// Blocks returns how many blocks there are: one more than the highest number.
func (m *Matrix) Blocks() int { return m.blocks }

// Bytes returns how much memory the matrix holds.
func (m *Matrix) Bytes() int64 {
	n := int64(len(m.open)) * 8
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
	m.begin(block)
	if len(text) < Gram {
		return
	}
	var w uint64
	for _, b := range text[:Gram-1] {
		w = w<<8 | uint64(b)<<(64-8*Gram)
	}
	if block != m.blocks-1 {
		for _, b := range text[Gram-1:] {
			w = w<<8 | uint64(b)<<(64-8*Gram)
			m.set(block, m.row(w))
		}
		return
	}
	open, shift := m.open, m.shift
	for _, b := range text[Gram-1:] {
		w = w<<8 | uint64(b)<<(64-8*Gram)
		r := w * spread >> (shift & 63)
		open[r>>6] |= 1 << (r & 63)
	}
}

// AddToken notes a word of one to four bytes, too short for windows, that stands
// in a block.
func (m *Matrix) AddToken(block int, word []byte) {
	m.begin(block)
	for _, r := range m.tokenRows(word) {
		if block == m.blocks-1 {
			m.open[r>>6] |= 1 << (r & 63)
		} else {
			m.set(block, r)
		}
	}
}

// tokenRows are the rows of a word. They have nothing to do with each other, nor
// with the row of a window of the same bytes.
func (m *Matrix) tokenRows(word []byte) (rows [tokenRows]int) {
	h := uint64(len(word)) + 1
	for _, b := range word {
		h = h<<8 + h>>56 + uint64(b)
	}
	for i := range rows {
		// The finaliser of SplitMix64 (Steele et al., OOPSLA 2014).
		h += spread
		z := (h ^ h>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		rows[i] = int((z ^ z>>31) & uint64(m.rows-1))
	}
	return rows
}

// begin makes a block the last one, if it is new.
func (m *Matrix) begin(block int) {
	if block < m.blocks {
		return
	}
	m.settle()
	m.blocks = block + 1
	for len(m.groups) <= block/groupBlocks {
		m.groups = append(m.groups, group{})
	}
}

// settle writes the last block into its column.
func (m *Matrix) settle() {
	if m.blocks == 0 {
		return
	}
	g, at, bit := m.column(m.blocks - 1)
	for i, word := range m.open {
		for ; word != 0; word &= word - 1 {
			row := i<<6 | bits.TrailingZeros64(word)
			g.bits[row*g.stride+at] |= bit
		}
	}
	clear(m.open)
}

// set writes one bit of a block before the last.
func (m *Matrix) set(block, row int) {
	g, at, bit := m.column(block)
	g.bits[row*g.stride+at] |= bit
}

// column returns the group of a block, wide enough for it, and where in a row
// its bit is.
func (m *Matrix) column(block int) (g *group, at int, bit byte) {
	g, at, bit = &m.groups[block/groupBlocks], block%groupBlocks/8, 1<<(block%8)
	stride := max(1, g.stride)
	for stride <= at {
		stride *= 2
	}
	if stride != g.stride {
		wide := make([]byte, m.rows*stride)
		if g.stride > 0 {
			for r := range m.rows {
				copy(wide[r*stride:], g.bits[r*g.stride:(r+1)*g.stride])
			}
		}
		*g = group{stride, wide}
	}
	return g, at, bit
}

// Digest writes what the matrix holds: the numbers of rows and of blocks, then
// each group, row by row, with the lowest block in the lowest bit of the first
// byte. It is the same however texts were cut on their way in. Errors are those
// of the writer, a hash in the first place, and are not looked at.
func (m *Matrix) Digest(to io.Writer) {
	buf := binary.BigEndian.AppendUint64(nil, uint64(m.rows))
	to.Write(binary.BigEndian.AppendUint64(buf, uint64(m.blocks)))
	var page [64 * lineBytes]byte
	for i := range m.groups {
		g := &m.groups[i]
		for from := 0; from < m.rows; from += 64 {
			clear(page[:])
			for r := range 64 {
				copy(page[r*lineBytes:], g.bits[(from+r)*g.stride:(from+r+1)*g.stride])
			}
			if i == len(m.groups)-1 {
				m.digestOpen(page[:], from/64)
			}
			to.Write(page[:])
		}
	}
}

// digestOpen adds the last block to 64 rows.
func (m *Matrix) digestOpen(page []byte, word int) {
	last := (m.blocks - 1) % groupBlocks
	for w := m.open[word]; w != 0; w &= w - 1 {
		page[bits.TrailingZeros64(w)*lineBytes+last/8] |= 1 << (last % 8)
	}
}
