package meter

import "github.com/callgate/callgate/host/wasm/binary"

// helpers writes the functions that are added.
func (m *module) helpers(out *buffer) {
	for _, body := range [addedFuncs]buffer{m.refillBody(), m.bulkBody(), m.growBody(), nanBody(canonical32, binary.OpF32Eq), nanBody(canonical64, binary.OpF64Eq), m.moveBody(binary.OpMemoryFill), m.moveBody(binary.OpMemoryCopy)} {
		out.u32(uint32(len(body)))
		out.bytes(body)
	}
}

// refillBody asks for fuel while the counter is below zero:
//
//	(local $grant i64)
//	block
//	  loop
//	    br_if 1 (i64.ge_s (counter) (i64.const 0))
//	    if (i64.le_s (local.tee $grant (call $refuel (counter))) (i64.const 0)) unreachable
//	    counter += $grant
//	    br 0
//	  end
//	end
func (m *module) refillBody() buffer {
	const grant = 0
	b := buffer{1, 1, byte(binary.I64)}
	b.op(binary.OpBlock, noType, binary.OpLoop, noType)
	b.at(binary.OpGlobalGet, m.fuel)
	b.number(binary.OpI64Const, 0)
	b.op(binary.OpI64GeS)
	b.at(binary.OpBrIf, 1)
	b.at(binary.OpGlobalGet, m.fuel)
	b.at(binary.OpCall, m.imported)
	b.at(binary.OpLocalTee, grant)
	b.number(binary.OpI64Const, 0)
	b.op(binary.OpI64LeS)
	b.when()
	b.op(binary.OpUnreachable, binary.OpEnd)
	b.at(binary.OpGlobalGet, m.fuel)
	b.at(binary.OpLocalGet, grant)
	b.op(binary.OpI64Add)
	b.at(binary.OpGlobalSet, m.fuel)
	b.at(binary.OpBr, 0)
	b.op(binary.OpEnd, binary.OpEnd, binary.OpEnd)
	return b
}

// bulkBody charges for a length before the instruction that takes it, since
// one of them can move the whole memory:
//
//	(param $len i32) (result i32)
//	counter -= $len >> bulkShift; call $refill; $len
func (m *module) bulkBody() buffer {
	const length = 0
	b := buffer{0}
	b.at(binary.OpGlobalGet, m.fuel)
	b.at(binary.OpLocalGet, length)
	b.op(binary.OpI64ExtendI32U)
	b.number(binary.OpI64Const, bulkShift)
	b.op(binary.OpI64ShrU, binary.OpI64Sub)
	b.at(binary.OpGlobalSet, m.fuel)
	b.at(binary.OpCall, m.refill)
	b.at(binary.OpLocalGet, length)
	b.op(binary.OpEnd)
	return b
}

// growBody is memory.grow over the pages that the module sees:
//
//	(param $more i32) (result i32)
//	if (i32.gt_u (local.get $more) (i32.sub (i32.const max) (pages))) return -1
//	counter -= $more * costPage; call $refill
//	(pages)
//	pages += $more
//
// Pages never exceed the maximum, so the difference does not wrap.
func (m *module) growBody() buffer {
	const more = 0
	b := buffer{0}
	b.at(binary.OpLocalGet, more)
	b.number(binary.OpI32Const, int64(m.info.MaxPages))
	b.at(binary.OpGlobalGet, m.pages)
	b.op(binary.OpI32Sub, binary.OpI32GtU)
	b.when()
	b.number(binary.OpI32Const, -1)
	b.op(binary.OpReturn, binary.OpEnd)
	if !m.opts.Plain {
		b.at(binary.OpGlobalGet, m.fuel)
		b.at(binary.OpLocalGet, more)
		b.op(binary.OpI64ExtendI32U)
		b.number(binary.OpI64Const, costPage)
		b.op(binary.OpI64Mul, binary.OpI64Sub)
		b.at(binary.OpGlobalSet, m.fuel)
		b.at(binary.OpCall, m.refill)
	}
	b.at(binary.OpGlobalGet, m.pages)
	b.at(binary.OpGlobalGet, m.pages)
	b.at(binary.OpLocalGet, more)
	b.op(binary.OpI32Add)
	b.at(binary.OpGlobalSet, m.pages)
	b.op(binary.OpEnd)
	return b
}

// The canonical NaNs: constants, as instructions.
var (
	canonical32 = []byte{byte(binary.OpF32Const), 0, 0, 0xc0, 0x7f}
	canonical64 = []byte{byte(binary.OpF64Const), 0, 0, 0, 0, 0, 0, 0xf8, 0x7f}
)

// nanBody makes one NaN of all of them:
//
//	(param $x) (result)
//	(select (local.get $x) (canonical) (eq (local.get $x) (local.get $x)))
func nanBody(canonical []byte, eq binary.Op) buffer {
	const x = 0
	b := buffer{0}
	b.at(binary.OpLocalGet, x)
	b.bytes(canonical)
	b.at(binary.OpLocalGet, x)
	b.at(binary.OpLocalGet, x)
	b.op(eq, binary.OpSelect, binary.OpEnd)
	return b
}
