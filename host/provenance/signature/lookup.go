package signature

import (
	"encoding/binary"
	"math/bits"
)

const (
	maxRows  = 64 // rows that are looked at for one value
	atOnce   = 4  // rows between two looks at whether a block is left
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

// appendRows appends the rows of the windows of a value. Windows that follow each
// other are far apart in it: they have nothing in common, so the first few leave
// few blocks, and the rest need not be looked at. The steps are the golden
// section, so that those of a long value are spread over all of it.
func (m *Matrix) appendRows(rows []int, value []byte) []int {
	windows := len(value) - Gram + 1
	if windows <= 0 {
		return rows
	}
	step := windows * 40503 >> 16
	for gcd(step, windows) != 1 {
		step++
	}
	at := 0
	for range min(windows, maxRows) {
		w := uint64(binary.BigEndian.Uint32(value[at:]))<<32 | uint64(value[at+4])<<24
		rows = append(rows, m.row(w))
		if at += step; at >= windows {
			at -= windows
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
	last := m.blocks - 1
	for n := range m.groups {
		var left line
		if !m.groups[n].and(&left, rows) {
			continue
		}
		for i, w := range left {
			for ; w != 0; w &= w - 1 {
				block := n*groupBlocks + i*64 + bits.TrailingZeros64(w)
				if block >= last {
					break
				}
				if !visit(block) {
					return
				}
			}
		}
	}
	if last >= 0 && m.openHas(rows) {
		visit(last)
	}
}

// and leaves the blocks that all rows have, and says whether there are any.
func (g *group) and(left *line, rows []int) bool {
	for i := range left {
		left[i] = ^uint64(0)
	}
	for len(rows) > 0 {
		n := min(atOnce, len(rows))
		if g.stride == lineBytes {
			g.andLines(left, rows[:n])
		} else {
			g.andNarrow(left, rows[:n])
		}
		if *left == (line{}) {
			return false
		}
		rows = rows[n:]
	}
	return true
}

// andLines is one step of and for a whole group.
func (g *group) andLines(left *line, rows []int) {
	for _, r := range rows {
		b := (*[lineBytes]byte)(g.bits[r*lineBytes:])
		for i := range left {
			left[i] &= binary.LittleEndian.Uint64(b[i*8:])
		}
	}
}

// andNarrow is one step of and for the newest group.
func (g *group) andNarrow(left *line, rows []int) {
	for _, r := range rows {
		var b [lineBytes]byte
		copy(b[:], g.bits[r*g.stride:(r+1)*g.stride])
		for i := range left {
			left[i] &= binary.LittleEndian.Uint64(b[i*8:])
		}
	}
}

func (m *Matrix) openHas(rows []int) bool {
	for _, r := range rows {
		if m.open[r>>6]&(1<<(r&63)) == 0 {
			return false
		}
	}
	return true
}
