package meter_test

import (
	"bytes"
	"fmt"
	"testing"

	wasm "github.com/callgate/callgate/host/wasm/binary"
)

const mib = 1 << 20

// mover is a module that moves what it is told to, in 4 MiB of memory.
func mover(op []byte) *asm {
	a := one([]wasm.ValType{i32, i32, i32}, nil, nil, ins(wasm.OpLocalGet, 0), ins(wasm.OpLocalGet, 1), ins(wasm.OpLocalGet, 2), op)
	a.memory = []byte{0, 64}
	return a
}

var fillOp, copyOp = ins(wasm.OpMemoryFill, 0), ins(wasm.OpMemoryCopy, 0, 0)

// moves are to, from or the byte, and length.
var moves = []struct {
	name             string
	op               []byte
	to, from, length uint32
	traps            bool
}{
	{"fill nothing", fillOp, 5, 1, 0, false},
	{"fill a piece", fillOp, 3, 0x1ff, mib, false},
	{"fill a byte more", fillOp, 3, 7, mib + 1, false},
	{"fill two pieces", fillOp, 0, 7, 2 * mib, false},
	{"fill all", fillOp, 0, 9, 4 * mib, false},
	{"fill to the end", fillOp, 17, 9, 4*mib - 17, false},
	{"fill a byte beyond", fillOp, 18, 9, 4*mib - 17, true},
	{"fill what wraps", fillOp, 0xffffffff, 9, 2 * mib, true},
	{"fill all there could be", fillOp, 0, 9, 0xffffffff, true},
	{"copy nothing", copyOp, 5, 1, 0, false},
	{"copy a piece", copyOp, 3 * mib, 0, mib, false},
	{"copy a byte on", copyOp, 1, 0, 4*mib - 1, false},
	{"copy a byte back", copyOp, 0, 1, 4*mib - 1, false},
	{"copy in place", copyOp, 5, 5, 3*mib + 1, false},
	{"copy half a piece on", copyOp, mib/2 + 3, 3, 3*mib + 100, false},
	{"copy half a piece back", copyOp, 3, mib/2 + 3, 3*mib + 100, false},
	{"copy a piece on", copyOp, mib, 0, 3 * mib, false},
	{"copy apart", copyOp, 2 * mib, 0, 2 * mib, false},
	{"copy to a byte beyond", copyOp, 2, 0, 4*mib - 1, true},
	{"copy from a byte beyond", copyOp, 0, 2, 4*mib - 1, true},
	{"copy to what wraps", copyOp, 0xffffff00, 0, 2 * mib, true},
	{"copy from what wraps", copyOp, 0, 0xffffff00, 2 * mib, true},
}

// TestMovesAreWholeAndGiveTurns holds that a move in pieces is the move that it
// was, at the same price, and that the host gets its turn after each MiB.
func TestMovesAreWholeAndGiveTurns(t *testing.T) {
	before := make([]byte, 4*mib)
	for i := range before {
		before[i] = byte(i ^ i>>8 ^ i>>16*37)
	}
	traps := 0
	for _, tt := range moves {
		out, _ := rewrite(t, mover(tt.op).wasm(), limits)
		want, turns, says := bytes.Clone(before), 0, "[]"
		switch to, n := int(tt.to), int(tt.length); {
		case tt.traps:
			traps++
			says = "wasm error: out of bounds memory access"
		case bytes.Equal(tt.op, fillOp):
			copy(want[to:], bytes.Repeat([]byte{byte(tt.from)}, n))
			turns = max(n-1, 0) / mib
		default:
			copy(want[to:to+n], want[tt.from:])
			turns = max(n-1, 0) / mib
		}
		for _, e := range engines {
			m, err := start(e, out, grants{slice: slice, limit: plenty})
			if err != nil {
				t.Fatalf("%s: %s: %v", tt.name, e, err)
			}
			m.mod.Memory().Write(0, before)
			got := m.call("f", uint64(tt.to), uint64(tt.from), uint64(tt.length))
			after, _ := m.mod.Memory().Read(0, 4*mib)
			if got != says || m.turns != turns || m.fuel() != uint64(8+tt.length>>4) {
				t.Errorf("%s: %s: %s, %d turns, fuel %d; want %s, %d, %d", tt.name, e, got, m.turns, m.fuel(), says, turns, 8+tt.length>>4)
			}
			if !bytes.Equal(after, want) {
				t.Errorf("%s: %s: the memory is another", tt.name, e)
			}
			m.close()
		}
	}
	if traps == 0 || traps == len(moves) {
		t.Errorf("%d of %d moves trap", traps, len(moves))
	}
}

// TestAHostStopsAModuleWithinAMove at the turn that it says, and not before.
func TestAHostStopsAModuleWithinAMove(t *testing.T) {
	for _, op := range [][]byte{fillOp, copyOp} {
		out, _ := rewrite(t, mover(op).wasm(), limits)
		for _, e := range engines {
			for last, want := range []string{"3 []", "1 wasm error: unreachable", "2 wasm error: unreachable", "3 wasm error: unreachable", "3 []"} {
				m, err := start(e, out, grants{slice: slice, limit: plenty, last: last})
				if err != nil {
					t.Fatal(err)
				}
				says := m.call("f", 0, 0, 4*mib)
				if got := fmt.Sprint(m.turns, " ", says); got != want {
					t.Errorf("%s: stopped at turn %d: %s; want %s", e, last, got, want)
				}
				m.close()
			}
		}
	}
}
