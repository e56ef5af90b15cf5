package meter_test

import (
	"encoding/binary"

	wasm "github.com/callgate/callgate/host/wasm/binary"
)

// asm assembles a module for a test.
type asm struct {
	types   [][]byte
	imports [][]byte // functions only
	funcs   []fn
	tables  [][]byte
	memory  []byte // limits
	globals [][]byte
	exports [][]byte
	start   int // function + 1; 0: none
	elems   [][]byte
	datas   [][]byte
	custom  [][]byte // name and content

	importTypes []uint32
}

// fn is a function: its type, groups of locals, code with its end.
type fn struct {
	typ    uint32
	locals []group
	code   []byte
}

type group struct {
	n uint32
	t wasm.ValType
}

// Shorthands for types in tables of tests.
const (
	i32 = wasm.I32
	i64 = wasm.I64
)

func u(v uint32) []byte { return binary.AppendUvarint(nil, uint64(v)) }

func sv(v int64) []byte {
	var b []byte
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func join(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// ins is an instruction: ops of one byte, or 0xfc and a number, and indices.
func ins(op wasm.Op, indices ...uint32) []byte {
	b := []byte{byte(op)}
	if op > 255 {
		b = append([]byte{0xfc}, byte(op))
	}
	for _, i := range indices {
		b = append(b, u(i)...)
	}
	return b
}

func c32(v int32) []byte { return append(ins(wasm.OpI32Const), sv(int64(v))...) }
func c64(v int64) []byte { return append(ins(wasm.OpI64Const), sv(v)...) }

// blk is a block, loop or if of a block type; noBlock has none.
func blk(op wasm.Op, t byte, parts ...[]byte) []byte {
	return join(ins(op), []byte{t}, join(parts...), ins(wasm.OpEnd))
}

const noBlock = 0x40

func name(s string) []byte { return append(u(uint32(len(s))), s...) }

func vec(items [][]byte) []byte { return append(u(uint32(len(items))), join(items...)...) }

// typ adds a type and returns its index.
func (a *asm) typ(params, results []wasm.ValType) uint32 {
	b := []byte{0x60}
	for _, v := range [][]wasm.ValType{params, results} {
		b = append(b, u(uint32(len(v)))...)
		for _, t := range v {
			b = append(b, byte(t))
		}
	}
	a.types = append(a.types, b)
	return uint32(len(a.types) - 1)
}

func (a *asm) importFunc(module, field string, typ uint32) {
	a.imports = append(a.imports, join(name(module), name(field), []byte{0}, u(typ)))
	a.importTypes = append(a.importTypes, typ)
}

// typeOf is the type of a function.
func (a *asm) typeOf(f uint32) uint32 {
	if f < uint32(len(a.importTypes)) {
		return a.importTypes[f]
	}
	return a.funcs[f-uint32(len(a.importTypes))].typ
}

// fn adds a function and returns its index; imports come first.
func (a *asm) fn(typ uint32, locals []group, code ...[]byte) uint32 {
	a.funcs = append(a.funcs, fn{typ, locals, join(join(code...), ins(wasm.OpEnd))})
	return uint32(len(a.imports) + len(a.funcs) - 1)
}

func (a *asm) export(s string, kind wasm.Kind, index uint32) {
	a.exports = append(a.exports, join(name(s), []byte{byte(kind)}, u(index)))
}

func (a *asm) global(t wasm.ValType, mutable bool, init []byte) uint32 {
	m := byte(0)
	if mutable {
		m = 1
	}
	a.globals = append(a.globals, join([]byte{byte(t), m}, init, ins(wasm.OpEnd)))
	return uint32(len(a.globals) - 1)
}

func (f fn) body() []byte {
	decl := u(uint32(len(f.locals)))
	for _, g := range f.locals {
		decl = append(append(decl, u(g.n)...), byte(g.t))
	}
	return append(u(uint32(len(decl)+len(f.code))), join(decl, f.code)...)
}

// wasm is the module.
func (a *asm) wasm() []byte {
	out := append([]byte(nil), wasm.Header...)
	section := func(id byte, body []byte) { out = append(out, join([]byte{id}, u(uint32(len(body))), body)...) }
	list := func(id byte, items [][]byte) {
		if len(items) > 0 {
			section(id, vec(items))
		}
	}
	var typs, bodies [][]byte
	for _, f := range a.funcs {
		typs, bodies = append(typs, u(f.typ)), append(bodies, f.body())
	}
	list(wasm.SectionType, a.types)
	list(wasm.SectionImport, a.imports)
	list(wasm.SectionFunction, typs)
	list(wasm.SectionTable, a.tables)
	if a.memory != nil {
		list(wasm.SectionMemory, [][]byte{a.memory})
	}
	list(wasm.SectionGlobal, a.globals)
	list(wasm.SectionExport, a.exports)
	if a.start > 0 {
		section(wasm.SectionStart, u(uint32(a.start-1)))
	}
	list(wasm.SectionElement, a.elems)
	list(wasm.SectionCode, bodies)
	list(wasm.SectionData, a.datas)
	for _, c := range a.custom {
		section(wasm.SectionCustom, c)
	}
	return out
}
