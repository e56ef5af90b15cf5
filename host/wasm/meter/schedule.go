package meter

import "github.com/callgate/callgate/host/wasm/binary"

// Schedule is the version of the costs and of what the pass adds. Fuel is
// compared and replayed, so a change of either is a new version.
const Schedule = "m1"

const (
	costInstruction = 1
	costDivision    = 8    // division and square root take many cycles
	costEntry       = 4    // the frame, the depth guard, the look at the counter
	costPage        = 4096 // 64 KiB at 16 bytes a unit
	bulkShift       = 4    // 16 bytes a unit, about what a copy moves in a cycle

	// frameShift makes a function with much code count as more than one on the
	// stack, one more for each 32 KiB. An engine's frame may hold a value for
	// every few bytes of code, so that counting functions alone would let 1,000
	// of them take gigabytes, and leave it to the engine which one is too many.
	frameShift = 15
)

// Names of what the pass adds.
const (
	Module      = "callgate_m1"
	Refuel      = "refuel"
	Prefix      = "callgate_m1_"
	ExportFuel  = Prefix + "fuel"
	ExportDepth = Prefix + "depth"
	ExportPages = Prefix + "pages"
	globalStem  = Prefix + "g"
)

// DepthExceeded is the value of callgate_m1_depth after the depth guard has
// stopped the module, and at no other time.
const DepthExceeded = -1

// MaxPages is the most pages that a memory of 32-bit addresses has.
const MaxPages = 65536

// cost is the charge of an instruction, without what its operands add.
func cost(op binary.Op) int64 {
	switch op {
	case binary.OpBlock, binary.OpLoop, binary.OpElse, binary.OpEnd:
		return 0
	case binary.OpI32DivS, binary.OpI32DivU, binary.OpI32RemS, binary.OpI32RemU,
		binary.OpI64DivS, binary.OpI64DivU, binary.OpI64RemS, binary.OpI64RemU,
		binary.OpF32Div, binary.OpF64Div, binary.OpF32Sqrt, binary.OpF64Sqrt:
		return costDivision
	}
	return costInstruction
}

// makesNaN is the type of the result of an instruction whose NaN may have other
// bits on another machine or engine, 0 for any other instruction.
func makesNaN(op binary.Op) binary.ValType {
	switch {
	case op >= binary.OpF32Ceil && op < binary.OpF32Copysign, op == binary.OpF32DemoteF64:
		return binary.F32
	case op >= binary.OpF64Ceil && op < binary.OpF64Copysign, op == binary.OpF64PromoteF32:
		return binary.F64
	}
	return 0
}

// isBulk says that the work of an instruction grows with its last operand, an
// i32.
func isBulk(op binary.Op) bool {
	switch op {
	case binary.OpMemoryInit, binary.OpMemoryCopy, binary.OpMemoryFill,
		binary.OpTableInit, binary.OpTableCopy, binary.OpTableFill, binary.OpTableGrow:
		return true
	}
	return false
}
