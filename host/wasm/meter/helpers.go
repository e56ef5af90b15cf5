package meter

import "github.com/callgate/callgate/host/wasm/binary"

// helpers writes the two functions that are added.
func (m *module) helpers(out *buffer) {
	for _, body := range []buffer{m.refillBody(), m.growBody()} {
		out.u32(uint32(len(body)))
		out.bytes(body)
	}
}

// refillBody asks for fuel until the counter is not negative:
//
//	(local $grant i64)
//	loop
//	  if (i64.le_s (local.tee $grant (call $refuel (counter))) (i64.const 0)) unreachable
//	  counter += $grant
//	  br_if 0 (i64.lt_s (counter) (i64.const 0))
//	end
func (m *module) refillBody() buffer {
	const grant = 0
	b := buffer{1, 1, byte(binary.I64)}
	b.op(binary.OpLoop, noType)
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
	b.at(binary.OpGlobalGet, m.fuel)
	b.number(binary.OpI64Const, 0)
	b.op(binary.OpI64LtS)
	b.at(binary.OpBrIf, 0)
	b.op(binary.OpEnd, binary.OpEnd)
	return b
}

// growBody is memory.grow over the pages that the module sees:
//
//	(param $more i32) (result i32)
//	if (i32.gt_u (local.get $more) (i32.sub (i32.const max) (pages))) return -1
//	counter -= $more * costPage; look
//	(pages)
//	pages += $more
//
// Pages never exceed the maximum, so the difference does not wrap.
func (m *module) growBody() buffer {
	const more = 0
	b := buffer{0}
	b.at(binary.OpLocalGet, more)
	b.number(binary.OpI32Const, int64(m.maxPages))
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
		b.look(m)
	}
	b.at(binary.OpGlobalGet, m.pages)
	b.at(binary.OpGlobalGet, m.pages)
	b.at(binary.OpLocalGet, more)
	b.op(binary.OpI32Add)
	b.at(binary.OpGlobalSet, m.pages)
	b.op(binary.OpEnd)
	return b
}
