package meter

import (
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

// The pass adds functions, globals and types behind those of the module. An
// index that is one too high, which no validation would let pass in the module
// as it came, would name one of them in the result: a guest could set its own
// counter. So indices are compared with what the module has.

// count is the number of functions that the module has.
func (m *module) count() uint64 { return uint64(m.imported) + uint64(m.defined) }

// within checks the index of an instruction that may stand in a constant
// expression too.
func (m *module) within(in *binary.Instr) error {
	switch in.Op {
	case binary.OpGlobalGet, binary.OpGlobalSet:
		return below("global", int64(in.A), uint64(m.globals))
	case binary.OpCall, binary.OpRefFunc:
		return below("function", int64(in.A), m.count())
	}
	return nil
}

// within checks the index of the instruction.
func (f *function) within() error {
	types := uint64(f.m.types)
	switch f.in.Op {
	case binary.OpCallIndirect:
		return below("type", int64(f.in.A), types)
	case binary.OpBlock, binary.OpLoop, binary.OpIf:
		return below("type", f.in.Int, types)
	case binary.OpMemorySize, binary.OpMemoryGrow:
		if !f.m.info.Memory || f.text[f.in.Imm] != 0 {
			return fmt.Errorf("%s of a memory that is not there", f.in.Op)
		}
	}
	return f.m.within(&f.in)
}

func below(what string, index int64, n uint64) error {
	if index >= 0 && uint64(index) >= n {
		return fmt.Errorf("%s %d of %d", what, index, n)
	}
	return nil
}
