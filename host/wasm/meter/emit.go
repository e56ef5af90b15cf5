package meter

import (
	"encoding/binary"

	wasm "github.com/callgate/callgate/host/wasm/binary"
)

// buffer is a module, or a part of one, that is being written.
type buffer []byte

// u32 writes an unsigned LEB128 number.
func (b *buffer) u32(v uint32) { *b = binary.AppendUvarint(*b, uint64(v)) }

// s64 writes a signed LEB128 number; i32 constants are written the same way.
func (b *buffer) s64(v int64) {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			*b = append(*b, c)
			return
		}
		*b = append(*b, c|0x80)
	}
}

func (b *buffer) bytes(p []byte) { *b = append(*b, p...) }

func (b *buffer) name(s string) {
	b.u32(uint32(len(s)))
	*b = append(*b, s...)
}

// op writes an instruction of one byte without immediates, or several.
func (b *buffer) op(ops ...wasm.Op) {
	for _, o := range ops {
		*b = append(*b, byte(o))
	}
}

// at writes an instruction of one byte and an index.
func (b *buffer) at(o wasm.Op, index uint32) {
	*b = append(*b, byte(o))
	b.u32(index)
}

// number writes a constant.
func (b *buffer) number(o wasm.Op, v int64) {
	*b = append(*b, byte(o))
	b.s64(v)
}

// noType is the block type of a block without parameters and results.
const noType = 0x40

// when writes an if without results.
func (b *buffer) when() { *b = append(*b, byte(wasm.OpIf), noType) }

// vector writes a count, the elements that were there, and added ones.
func vector(n uint32, old, added []byte) []byte {
	b := make(buffer, 0, 5+len(old)+len(added))
	b.u32(n)
	b.bytes(old)
	b.bytes(added)
	return b
}

// section writes a section.
func (b *buffer) section(id byte, body []byte) {
	*b = append(*b, id)
	b.u32(uint32(len(body)))
	b.bytes(body)
}
