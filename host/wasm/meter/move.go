package meter

import "github.com/callgate/callgate/host/wasm/binary"

// pieceBytes is how much memory.fill and memory.copy move before the host gets
// its turn, a tenth of a millisecond or less where it was touched before. An
// engine can not be stopped within an instruction: with it Go's collector, and every
// other session, waits.
const pieceBytes = 1 << 20

// The locals of a mover: its parameters.
const moveTo, moveFrom, moveLength = 0, 1, 2

// moveBody moves what was charged already, in pieces. What is out of bounds is
// left to the instruction itself, which traps before it moves anything:
//
//	(param $to i32) (param $from i32) (param $length i32)   ;; of fill: $from is the byte
//	block
//	  br_if 0 (i32.le_u $length piece)
//	  br_if 0 (i64.gt_u (i64.add $to $length) memory)
//	  …                                                     ;; pieces, of fill from the first
//	end
//	(memory.fill $to $from $length)
func (m *module) moveBody(op binary.Op) buffer {
	b := buffer{0}
	if !m.info.Memory || m.opts.Plain {
		b.op(binary.OpEnd) // nothing calls it
		return b
	}
	b.op(binary.OpBlock, noType)
	b.at(binary.OpLocalGet, moveLength)
	b.number(binary.OpI32Const, pieceBytes)
	b.op(binary.OpI32LeU)
	b.at(binary.OpBrIf, 0)
	m.inMemory(&b, moveTo)
	if op == binary.OpMemoryFill {
		m.pieces(&b, op, false)
	} else {
		m.inMemory(&b, moveFrom)
		b.at(binary.OpLocalGet, moveTo)
		b.at(binary.OpLocalGet, moveFrom)
		b.op(binary.OpI32LeU)
		b.when()
		m.pieces(&b, op, false)
		b.op(binary.OpElse)
		m.pieces(&b, op, true)
		b.op(binary.OpEnd)
	}
	b.op(binary.OpEnd)
	b.at(binary.OpLocalGet, moveTo)
	b.at(binary.OpLocalGet, moveFrom)
	b.at(binary.OpLocalGet, moveLength)
	b.whole(op)
	b.op(binary.OpEnd)
	return b
}

// inMemory leaves the block if the length reaches out of memory, which really has
// its largest size from the start.
func (m *module) inMemory(b *buffer, from uint32) {
	b.at(binary.OpLocalGet, from)
	b.op(binary.OpI64ExtendI32U)
	b.at(binary.OpLocalGet, moveLength)
	b.op(binary.OpI64ExtendI32U, binary.OpI64Add)
	b.number(binary.OpI64Const, int64(m.info.MaxPages)<<16)
	b.op(binary.OpI64GtU)
	b.at(binary.OpBrIf, 0)
}

// pieces moves all but the last piece: from the first on, or, where what is moved
// lies before where it goes and the two may overlap, from the last back. After
// each the host is asked whether to go on.
//
//	loop
//	  (memory.copy $to $from piece), and both on; or the length back, and (memory.copy (i32.add $to $length) …)
//	  if (i64.le_s (call $refuel (i64.const 0)) (i64.const 0)) unreachable
//	  br_if 0 (i32.gt_u $length piece)
//	end
func (m *module) pieces(b *buffer, op binary.Op, back bool) {
	b.op(binary.OpLoop, noType)
	if back {
		b.advance(moveLength, binary.OpI32Sub)
		b.piece(op, true)
	} else {
		b.piece(op, false)
		b.advance(moveTo, binary.OpI32Add)
		if op == binary.OpMemoryCopy {
			b.advance(moveFrom, binary.OpI32Add)
		}
		b.advance(moveLength, binary.OpI32Sub)
	}
	b.ask(m)
	b.at(binary.OpLocalGet, moveLength)
	b.number(binary.OpI32Const, pieceBytes)
	b.op(binary.OpI32GtU)
	b.at(binary.OpBrIf, 0)
	b.op(binary.OpEnd)
}

// advance moves a local by a piece.
func (b *buffer) advance(local uint32, op binary.Op) {
	b.at(binary.OpLocalGet, local)
	b.number(binary.OpI32Const, pieceBytes)
	b.op(op)
	b.at(binary.OpLocalSet, local)
}

// piece moves a piece, the one at the length if what is moved goes back.
func (b *buffer) piece(op binary.Op, back bool) {
	for _, local := range []uint32{moveTo, moveFrom} {
		b.at(binary.OpLocalGet, local)
		if back {
			b.at(binary.OpLocalGet, moveLength)
			b.op(binary.OpI32Add)
		}
	}
	b.number(binary.OpI32Const, pieceBytes)
	b.whole(op)
}

// whole writes the instruction, of the one memory.
func (b *buffer) whole(op binary.Op) {
	*b = append(*b, byte(op>>8))
	b.u32(uint32(op & 0xff))
	*b = append(*b, 0)
	if op == binary.OpMemoryCopy {
		*b = append(*b, 0)
	}
}
