package signature

import (
	"encoding/binary"
	"math/bits"
)

const (
	maxRows  = 64 // rows that are looked at for one value
	atLeast  = 4  // rows that are looked at before a look whether a block is left
	lineSize = groupBlocks / 64
)

// line is one row of a group.
type line [lineSize]uint64

// Candidates calls visit for every block that may hold a value of at least
// [Gram] bytes, in ascending order, until it returns false. It leaves no block
// out that was given all windows of the value. Of shorter values it knows
// nothing, and calls visit for every block.
func (m *Matrix) Candidates(value []byte, visit func(block int) bool) {
	var room [maxRows]int
	m.visit(m.appendRows(room[:0], value), visit)
}

// Words is [Matrix.Candidates] for words of one to four bytes, all of which
// stand in the block.
func (m *Matrix) Words(words [][]byte, visit func(block int) bool) {
	var room [maxRows]int
	rows := room[:0]
	for _, word := range words {
		if len(rows) == maxRows {
			break
		}
		of := m.tokenRows(word)
		rows = append(rows, of[:]...)
	}
	m.visit(rows, visit)
}

// appendRows appends the rows of the windows of a value: of a long one, of so
// many at equal distances. Rows that follow each other are of windows far apart,
// by the golden section: they have nothing in common, so the first few leave few
// blocks, and the rest need not be looked at.
func (m *Matrix) appendRows(rows []int, value []byte) []int {
	windows := len(value) - Gram + 1
	if windows <= 0 {
		return rows
	}
	n := min(windows, maxRows)
	step := n * 40503 >> 16
	for gcd(step, n) != 1 {
		step++
	}
	i := 0
	for range n {
		at := i * windows / n
		w := uint64(binary.BigEndian.Uint32(value[at:]))<<32 | uint64(value[at+4])<<24
		rows = append(rows, m.row(w))
		if i += step; i >= n {
			i -= n
		}
	}
	return rows
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// visit calls visit for every block that all rows have.
func (m *Matrix) visit(rows []int, visit func(block int) bool) {
	if m.blocks == 0 {
		return
	}
	first := m.firstOpen()
	for n := range m.groups {
		var left line
		if !m.groups[n].and(&left, rows) {
			continue
		}
		for i, w := range left {
			for ; w != 0; w &= w - 1 {
				block := n*groupBlocks + i*64 + bits.TrailingZeros64(w)
				if block >= first {
					break
				}
				if !visit(block) {
					return
				}
			}
		}
	}
	left := byte(1<<(m.blocks-first) - 1)
	for _, r := range rows {
		if left &= m.open[r]; left == 0 {
			return
		}
	}
	for ; left != 0; left &= left - 1 {
		if !visit(first + bits.TrailingZeros8(left)) {
			return
		}
	}
}

// and leaves the blocks that all rows have, and says whether there are any.
func (g *group) and(left *line, rows []int) bool {
	if len(rows) == 0 {
		for i := range left {
			left[i] = ^uint64(0)
		}
		return true
	}
	if g.stride == lineBytes {
		return g.andLines(left, rows)
	}
	return g.andNarrow(left, rows)
}

// andLines is and for a whole group. It is where a question spends its time,
// waiting for memory, so the line is kept in registers.
func (g *group) andLines(left *line, rows []int) bool {
	b := (*[lineBytes]byte)(g.bits[rows[0]*lineBytes:])
	l0, l1, l2, l3 := word(b, 0), word(b, 1), word(b, 2), word(b, 3)
	l4, l5, l6, l7 := word(b, 4), word(b, 5), word(b, 6), word(b, 7)
	for i, r := range rows[1:] {
		b := (*[lineBytes]byte)(g.bits[r*lineBytes:])
		l0, l1, l2, l3 = l0&word(b, 0), l1&word(b, 1), l2&word(b, 2), l3&word(b, 3)
		l4, l5, l6, l7 = l4&word(b, 4), l5&word(b, 5), l6&word(b, 6), l7&word(b, 7)
		if i >= atLeast && l0|l1|l2|l3|l4|l5|l6|l7 == 0 {
			return false
		}
	}
	*left = line{l0, l1, l2, l3, l4, l5, l6, l7}
	return *left != line{}
}

func word(b *[lineBytes]byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i : 8*i+8]) }

// andNarrow is and for the newest group.
func (g *group) andNarrow(left *line, rows []int) bool {
	clear(left[:])
	for n, r := range rows {
		var b [lineBytes]byte
		copy(b[:], g.bits[r*g.stride:(r+1)*g.stride])
		for i := range left {
			w := word(&b, i)
			if n > 0 {
				w &= left[i]
			}
			left[i] = w
		}
		if *left == (line{}) {
			return false
		}
	}
	return true
}
