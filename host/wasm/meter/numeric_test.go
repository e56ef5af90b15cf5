package meter_test

import (
	"math"
	"math/bits"

	wasm "github.com/callgate/callgate/host/wasm/binary"
)

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// two is an instruction on two numbers of a width, sign-extended; op is the
// 32-bit one of the pair.
func two(op wasm.Op, x, y int64, width uint) uint64 {
	ux, uy := uint64(x), uint64(y)
	if width == 32 {
		ux, uy = uint64(uint32(x)), uint64(uint32(y))
	}
	switch op {
	case wasm.OpI32Eq:
		return truth(x == y)
	case wasm.OpI32Ne:
		return truth(x != y)
	case wasm.OpI32LtS:
		return truth(x < y)
	case wasm.OpI32LtU:
		return truth(ux < uy)
	case wasm.OpI32GtS:
		return truth(x > y)
	case wasm.OpI32GtU:
		return truth(ux > uy)
	case wasm.OpI32LeS:
		return truth(x <= y)
	case wasm.OpI32LeU:
		return truth(ux <= uy)
	case wasm.OpI32GeS:
		return truth(x >= y)
	case wasm.OpI32GeU:
		return truth(ux >= uy)
	}
	return arithmetic(op, x, y, ux, uy, width)
}

func arithmetic(op wasm.Op, x, y int64, ux, uy uint64, width uint) uint64 {
	by := uint(uy) % width
	switch op {
	case wasm.OpI32Add:
		return ux + uy
	case wasm.OpI32Sub:
		return ux - uy
	case wasm.OpI32Mul:
		return ux * uy
	case wasm.OpI32And:
		return ux & uy
	case wasm.OpI32Or:
		return ux | uy
	case wasm.OpI32Xor:
		return ux ^ uy
	case wasm.OpI32Shl:
		return ux << by
	case wasm.OpI32ShrS:
		return uint64(x >> by)
	case wasm.OpI32ShrU:
		return ux >> by
	case wasm.OpI32Rotl, wasm.OpI32Rotr:
		if op == wasm.OpI32Rotr {
			by = (width - by) % width
		}
		if width == 32 {
			return uint64(bits.RotateLeft32(uint32(ux), int(by)))
		}
		return bits.RotateLeft64(ux, int(by))
	}
	return division(op, x, y, ux, uy, width)
}

func division(op wasm.Op, x, y int64, ux, uy uint64, width uint) uint64 {
	if uy == 0 {
		panic(trapped("integer divide by zero"))
	}
	least := int64(math.MinInt64)
	if width == 32 {
		least = math.MinInt32
	}
	switch op {
	case wasm.OpI32DivU:
		return ux / uy
	case wasm.OpI32RemU:
		return ux % uy
	case wasm.OpI32RemS:
		if y == -1 {
			return 0
		}
		return uint64(x % y)
	case wasm.OpI32DivS:
		if x == least && y == -1 {
			panic(trapped("integer overflow"))
		}
		return uint64(x / y)
	}
	panic(op.String() + " is not an instruction that naive knows")
}
