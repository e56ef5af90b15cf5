// Package signature is a bit-sliced signature index over the 5-byte windows of
// folded text (COBS, arXiv 1905.09624): one row for each hash of a window, one
// bit in it for each block of text. A value can stand in those blocks only whose
// bit is set in the rows of all of its windows.
//
// The matrix only grows, and is never made again from the text. Rows of 512
// blocks lie together, one cache line each; the newest of these groups begins
// narrow, so that little text costs little memory.
package signature

import (
	"encoding/binary"
	"io"
	"math/bits"
	"slices"
)

// Gram is the length of the windows, in bytes.
const Gram = 5

const (
	defaultRows = 1 << 15
	groupBlocks = 512
	maxRows     = 48 // rows that are looked at for one value
	tokenRows   = 4  // rows of a short word
)

// Matrix is the index. It is not safe for concurrent use.
type Matrix struct {
	rows   int
	shift  uint
	groups []group
	blocks int
	// The last block is collected apart, where it fits into the nearest cache.
	open    []uint64
	pending int // block that open is of, -1: none
	rowBuf  []uint32
}

// group holds up to 512 blocks: words of 64 blocks, so many for each row.
type group struct {
	width int // words of a row
	bits  []uint64
}

// New returns an empty matrix of so many rows, a power of two; 0 means 2^15.
func New(rows int) *Matrix {
	if rows == 0 {
		rows = defaultRows
	}
	return &Matrix{rows: rows, shift: uint(64 - bits.Len(uint(rows-1))), pending: -1, open: make([]uint64, (rows+63)/64)}
}

// Blocks returns how many blocks there are.
func (m *Matrix) Blocks() int { return m.blocks }

// Bytes returns how much memory the matrix holds.
func (m *Matrix) Bytes() int64 {
	n := int64(len(m.open)) * 8
	for _, g := range m.groups {
		n += int64(len(g.bits)) * 8
	}
	return n
}

func (m *Matrix) row(gram uint64) uint32 {
	return uint32(gram * 0x9E3779B97F4A7C15 >> m.shift)
}

// Add notes the windows of text that stands in a block. Blocks come in ascending
// order; what comes later for one before the last is taken too.
func (m *Matrix) Add(block int, text []byte) {
	m.begin(block)
	if len(text) < Gram {
		return
	}
	var g uint64
	for _, b := range text[:Gram-1] {
		g = g<<8 | uint64(b)
	}
	if block != m.pending {
		for _, b := range text[Gram-1:] {
			g = (g<<8 | uint64(b)) & (1<<(8*Gram) - 1)
			m.set(block, m.row(g))
		}
		return
	}
	open, shift := m.open, m.shift
	for _, b := range text[Gram-1:] {
		g = (g<<8 | uint64(b)) & (1<<(8*Gram) - 1)
		r := g * 0x9E3779B97F4A7C15 >> shift
		open[r>>6] |= 1 << (r & 63)
	}
}

// AddToken notes a word of one to four bytes that stands in a block.
func (m *Matrix) AddToken(block int, word []byte) {
	m.begin(block)
	for i := range tokenRows {
		r := m.row(tokenGram(word, i))
		if block == m.pending {
			m.open[r>>6] |= 1 << (r & 63)
		} else {
			m.set(block, r)
		}
	}
}

// tokenGram is a number for one row of a word, which no window has.
func tokenGram(word []byte, i int) uint64 {
	g := uint64(1)<<56 | uint64(i)<<48 | uint64(len(word))<<40
	for _, b := range word {
		g = (g&^(1<<40-1) | g<<8&(1<<40-1)) | uint64(b)
	}
	g ^= g >> 29
	return g * 0xBF58476D1CE4E5B9
}

// begin makes a block the last one, if it is new.
func (m *Matrix) begin(block int) {
	if block < m.blocks {
		return
	}
	m.settle()
	m.blocks, m.pending = block+1, block
	for len(m.groups) <= block/groupBlocks {
		m.groups = append(m.groups, group{})
	}
}

// settle writes the last block into its rows.
func (m *Matrix) settle() {
	if m.pending < 0 {
		return
	}
	g, col := m.column(m.pending)
	for i, word := range m.open {
		for ; word != 0; word &= word - 1 {
			row := i<<6 | bits.TrailingZeros64(word)
			g.bits[row*g.width+col>>6] |= 1 << (col & 63)
		}
	}
	clear(m.open)
	m.pending = -1
}

func (m *Matrix) set(block int, row uint32) {
	g, col := m.column(block)
	g.bits[int(row)*g.width+col>>6] |= 1 << (col & 63)
}

// column returns the group of a block, wide enough, and its column there.
func (m *Matrix) column(block int) (*group, int) {
	g, col := &m.groups[block/groupBlocks], block%groupBlocks
	for g.width*64 <= col {
		wide := group{width: max(1, 2*g.width)}
		wide.bits = make([]uint64, m.rows*wide.width)
		for r := range m.rows {
			copy(wide.bits[r*wide.width:], g.bits[r*g.width:(r+1)*g.width])
		}
		*g = wide
	}
	return g, col
}

// Candidates calls visit for every block that may hold a value of at least five
// bytes, in ascending order, until it returns false.
func (m *Matrix) Candidates(value []byte, visit func(block int) bool) {
	if len(value) >= Gram {
		m.rowBuf = m.rowsOf(m.rowBuf[:0], value)
		m.visit(m.rowBuf, visit)
	}
}

// Words is [Matrix.Candidates] for short words, all of which stand in the block.
func (m *Matrix) Words(words [][]byte, visit func(block int) bool) {
	rows := m.rowBuf[:0]
	for _, word := range words {
		for i := range tokenRows {
			rows = append(rows, m.row(tokenGram(word, i)))
		}
	}
	if m.rowBuf = rows; len(rows) > 0 {
		m.visit(rows, visit)
	}
}

// visit calls visit for every block that all rows have.
func (m *Matrix) visit(rows []uint32, visit func(block int) bool) {
	var sum [groupBlocks / 64]uint64
	for n := range m.groups {
		g := &m.groups[n]
		if g.width == 0 {
			continue
		}
		and := sum[:g.width]
		copy(and, g.bits[int(rows[0])*g.width:])
		for _, r := range rows[1:] {
			any := uint64(0)
			for i, w := range g.bits[int(r)*g.width : int(r+1)*g.width] {
				and[i] &= w
				any |= and[i]
			}
			if any == 0 {
				break
			}
		}
		for i, w := range and {
			for ; w != 0; w &= w - 1 {
				if block := n*groupBlocks + i*64 + bits.TrailingZeros64(w); block != m.pending && !visit(block) {
					return
				}
			}
		}
	}
	if m.pending >= 0 && m.openHas(rows) {
		visit(m.pending)
	}
}

func (m *Matrix) openHas(rows []uint32) bool {
	for _, r := range rows {
		if m.open[r>>6]&(1<<(r&63)) == 0 {
			return false
		}
	}
	return true
}

// rowsOf appends rows that a value sets, spread over it, each once.
func (m *Matrix) rowsOf(rows []uint32, value []byte) []uint32 {
	grams := len(value) - Gram + 1
	at := func(i int) uint32 {
		var b [8]byte
		copy(b[8-Gram:], value[i:i+Gram])
		return m.row(binary.BigEndian.Uint64(b[:]))
	}
	// Windows far apart first: the fewer they share, the sooner they rule out.
	for step := grams; step > 0 && len(rows) < maxRows; step /= 2 {
		for i := step / 2; i < grams && len(rows) < maxRows; i += step {
			if r := at(i); !slices.Contains(rows, r) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// Digest writes what the matrix holds, whatever its width and whatever was
// added at once.
func (m *Matrix) Digest(to io.Writer) {
	m.settle()
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(m.blocks))
	to.Write(b[:])
	for i := range m.groups {
		g := &m.groups[i]
		for r := range m.rows {
			for w := range groupBlocks / 64 {
				v := uint64(0)
				if w < g.width {
					v = g.bits[r*g.width+w]
				}
				binary.BigEndian.PutUint64(b[:], v)
				to.Write(b[:])
			}
		}
	}
}
