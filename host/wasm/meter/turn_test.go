package meter_test

import (
	"bytes"
	"testing"

	wasm "github.com/callgate/callgate/host/wasm/binary"
)

// TestLongCodeGivesTurns whichever way it is come by, and at no price; short code
// gives none.
func TestLongCodeGivesTurns(t *testing.T) {
	nops := func(n int) []byte { return bytes.Repeat(ins(wasm.OpNop), n) }
	times := func(n int, code ...[]byte) []byte { return bytes.Repeat(join(code...), n) }
	on := c32(1) // a condition
	left := blk(wasm.OpBlock, noBlock, on, ins(wasm.OpBrIf, 0), nops(200))
	tabled := blk(wasm.OpBlock, noBlock, on, ins(wasm.OpBrTable), u(1), u(0), u(0))
	// deep calls itself as often as its parameter says, and goes on behind each call.
	deep := func(behind int) *asm {
		a := &asm{memory: []byte{0, 1}}
		down := join(ins(wasm.OpLocalGet, 0), blk(wasm.OpIf, noBlock, ins(wasm.OpLocalGet, 0), c32(1), ins(wasm.OpI32Sub), ins(wasm.OpCall, 0)))
		a.fn(a.typ([]wasm.ValType{i32}, nil), nil, down, nops(behind))
		a.export("f", wasm.KindFunc, a.fn(a.typ(nil, nil), nil, c32(100), ins(wasm.OpCall, 0)))
		return a
	}
	plain := func(code ...[]byte) *asm { return one(nil, nil, nil, code...) }
	for _, c := range []struct {
		name        string
		a           *asm
		least, most int
		fuel        uint64
	}{
		{"a little", plain(nops(4000)), 0, 0, 4 + 4000},
		{"much", plain(nops(41_000)), 10, 10, 4 + 41_000},
		{"in blocks", plain(times(41, blk(wasm.OpBlock, noBlock, nops(1000)))), 10, 10, 4 + 41_000},
		{"in arms that are taken", plain(times(41, on, blk(wasm.OpIf, noBlock, nops(998), ins(wasm.OpElse), nops(1)))), 10, 41, 4 + 41*1000},
		{"in arms that are not", plain(times(41, c32(0), blk(wasm.OpIf, noBlock, nops(1), ins(wasm.OpElse), nops(998)))), 9, 41, 4 + 41*1000},
		{"past each place by a branch", plain(times(10, nops(4000), left)), 9, 12, 4 + 10*4002},
		{"past each place by a table", plain(times(10, nops(4000), tabled)), 9, 12, 4 + 10*4002},
		{"past each place by an if", plain(times(10, nops(4000), c32(0), blk(wasm.OpIf, noBlock, nops(200)))), 9, 12, 4 + 10*4002},
		{"behind calls", deep(1000), 100, 110, 6 + 101*1006 + 100*4},
		{"not much behind calls", deep(200), 0, 0, 6 + 101*206 + 100*4},
		{"a loop", plain(times(10, blk(wasm.OpLoop, noBlock, nops(1000)))), 0, 0, 4 + 10_000},
	} {
		out, _ := rewrite(t, c.a.wasm(), limits)
		for _, e := range engines {
			m, err := start(e, out, grants{slice: slice, limit: plenty})
			if err != nil {
				t.Fatal(err)
			}
			if got := m.call("f"); got != "[]" || m.turns < c.least || m.turns > c.most || m.fuel() != c.fuel {
				t.Errorf("%s: %s: %s, %d turns, %d fuel; want [], %d to %d, %d", c.name, e, got, m.turns, m.fuel(), c.least, c.most, c.fuel)
			}
			turns := m.turns
			m.close()
			if turns == 0 {
				continue
			}
			// Each turn may be the last.
			if m, err = start(e, out, grants{slice: slice, limit: plenty, last: turns}); err != nil {
				t.Fatal(err)
			}
			if got := m.call("f"); got != "wasm error: unreachable" || m.turns != turns {
				t.Errorf("%s: %s: %s after %d turns; want that %d is the last", c.name, e, got, m.turns, turns)
			}
			m.close()
		}
	}
}
