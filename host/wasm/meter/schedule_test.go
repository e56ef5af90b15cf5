package meter_test

import (
	"testing"

	wasm "github.com/callgate/callgate/host/wasm/binary"
)

// one is a module whose export f has the given code.
func one(params, results []wasm.ValType, locals []group, code ...[]byte) *asm {
	a := &asm{memory: []byte{0, 1}}
	f := a.fn(a.typ(params, results), locals, code...)
	a.export("f", wasm.KindFunc, f)
	return a
}

var drop = ins(wasm.OpDrop)

// TestScheduleChargesWhatItSays pins each cost of the schedule.
func TestScheduleChargesWhatItSays(t *testing.T) {
	div := func(op wasm.Op) []byte { return join(c32(7), c32(2), ins(op), drop) }
	div64 := func(op wasm.Op) []byte { return join(c64(7), c64(2), ins(op), drop) }
	bulk := func(n int32, op []byte) []byte { return join(c32(0), c32(0), c32(n), op) }
	fill, move := ins(wasm.OpMemoryFill, 0), ins(wasm.OpMemoryCopy, 0, 0)
	// loop runs n times: 4 instructions before, 5 a turn.
	loop := join(c32(5), ins(wasm.OpLocalSet, 0), blk(wasm.OpLoop, noBlock,
		ins(wasm.OpLocalGet, 0), c32(1), ins(wasm.OpI32Sub), ins(wasm.OpLocalTee, 0), ins(wasm.OpBrIf, 0)))
	tests := []struct {
		name string
		code []byte
		want uint64
	}{
		{"an empty function", nil, 4},
		{"an instruction", ins(wasm.OpNop), 5},
		{"marks are free", blk(wasm.OpBlock, noBlock, blk(wasm.OpLoop, noBlock)), 4},
		{"i32.div_s", div(wasm.OpI32DivS), 4 + 3 + 8},
		{"i32.div_u", div(wasm.OpI32DivU), 4 + 3 + 8},
		{"i32.rem_s", div(wasm.OpI32RemS), 4 + 3 + 8},
		{"i32.rem_u", div(wasm.OpI32RemU), 4 + 3 + 8},
		{"i32.mul", div(wasm.OpI32Mul), 4 + 4},
		{"i64.div_s", div64(wasm.OpI64DivS), 4 + 3 + 8},
		{"i64.div_u", div64(wasm.OpI64DivU), 4 + 3 + 8},
		{"i64.rem_s", div64(wasm.OpI64RemS), 4 + 3 + 8},
		{"i64.rem_u", div64(wasm.OpI64RemU), 4 + 3 + 8},
		{"a float division", join(ins(wasm.OpF32Const), make([]byte, 4), ins(wasm.OpF32Const), make([]byte, 4), ins(wasm.OpF32Div), drop), 4 + 3 + 8},
		{"a square root", join(ins(wasm.OpF64Const), make([]byte, 8), ins(wasm.OpF64Sqrt), drop), 4 + 2 + 8},
		{"a loop", loop, 4 + 2 + 5*5},
		{"an if that is taken", join(c32(1), blk(wasm.OpIf, noBlock, ins(wasm.OpNop), ins(wasm.OpNop))), 4 + 2 + 2},
		{"an if that is not taken", join(c32(0), blk(wasm.OpIf, noBlock, ins(wasm.OpNop), ins(wasm.OpNop))), 4 + 2},
		{"one of two arms", join(c32(0), blk(wasm.OpIf, noBlock, ins(wasm.OpNop), ins(wasm.OpElse), ins(wasm.OpNop), ins(wasm.OpNop))), 4 + 2 + 2},
		{"code behind a branch is not run", blk(wasm.OpBlock, noBlock, ins(wasm.OpBr, 0), ins(wasm.OpNop), ins(wasm.OpNop)), 4 + 1},
		{"code behind a return is not run", join(ins(wasm.OpReturn), ins(wasm.OpNop)), 4 + 1},
		{"fill of 15 bytes", bulk(15, fill), 4 + 4},
		{"fill of 16 bytes", bulk(16, fill), 4 + 4 + 1},
		{"copy of 65,536 bytes", bulk(65536, move), 4 + 4 + 4096},
		{"memory.size", join(ins(wasm.OpMemorySize, 0), drop), 4 + 2},
		{"growth by nothing", join(c32(0), ins(wasm.OpMemoryGrow, 0), drop), 4 + 3},
		{"growth by two pages", join(c32(2), ins(wasm.OpMemoryGrow, 0), drop), 4 + 3 + 2*4096},
		{"growth that fails", join(c32(-1), ins(wasm.OpMemoryGrow, 0), drop), 4 + 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, _ := rewrite(t, one(nil, nil, []group{{1, i32}}, tt.code).wasm(), limits)
			for _, e := range engines {
				if got, fuel := run(t, e, out, grants{slice: slice, limit: plenty}, "f"); got != "[]" || fuel != tt.want {
					t.Errorf("%s: %s with fuel %d; want [] with %d", e, got, fuel, tt.want)
				}
			}
		})
	}
}
