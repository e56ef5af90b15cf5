package scan

import (
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

// constant reads a constant expression that gives a value of type want. False:
// the bytes after it are not known.
func (s *scanner) constant(r *binary.Reader, where string, want binary.ValType) bool {
	at := r.Offset()
	expr := r.Expr()
	if !r.OK() {
		return false
	}
	c := binary.NewCode(expr, at)
	var in binary.Instr
	values := 0
	got := binary.ValType(0)
	for c.Next(&in) && in.Op != binary.OpEnd {
		t, ok := s.constantType(&in, at, where)
		if !ok {
			return true
		}
		got = t
		values++
	}
	switch {
	case values != 1:
		s.invalid(at, where, "the constant expression gives %d values; want one", values)
	case got != want:
		s.invalid(at, where, "the constant expression gives %s; want %s", got, want)
	}
	return true
}

// constantType is the type that an instruction of a constant expression gives.
func (s *scanner) constantType(in *binary.Instr, at int, where string) (binary.ValType, bool) {
	switch in.Op {
	case binary.OpI32Const:
		return binary.I32, true
	case binary.OpI64Const:
		return binary.I64, true
	case binary.OpF32Const:
		return binary.F32, true
	case binary.OpF64Const:
		return binary.F64, true
	case binary.OpRefNull:
		s.features |= referenceTypes
		return in.Type, true
	case binary.OpRefFunc:
		s.features |= referenceTypes
		return binary.FuncRef, s.declare(in.A, at, where)
	case binary.OpGlobalGet:
		if int(in.A) < s.foreign && !s.globals[in.A].Mutable {
			return s.globals[in.A].Type, true
		}
		if int64(in.A) < int64(len(s.globals)) && !s.globals[in.A].Mutable {
			s.feature(at, where, fmt.Sprintf("global.get %d, of the module's own, in a constant expression", in.A), "garbage collection")
			return 0, false
		}
		s.invalid(at, where, "global.get %d in a constant expression: it must be imported and constant", in.A)
		return 0, false
	case binary.OpI32Add, binary.OpI32Sub, binary.OpI32Mul, binary.OpI64Add, binary.OpI64Sub, binary.OpI64Mul:
		s.feature(at, where, in.Op.String()+" in a constant expression", "extended-const")
		return 0, false
	}
	s.invalid(at, where, "%s in a constant expression", in.Op)
	return 0, false
}

// declare notes that a function may be named by ref.func.
func (s *scanner) declare(index uint32, at int, where string) bool {
	if int64(index) >= int64(len(s.funcs)) {
		s.invalid(at, where, "function %d of %d", index, len(s.funcs))
		return false
	}
	if s.declared == nil {
		s.declared = make([]uint64, len(s.funcs)/64+1)
	}
	s.declared[index/64] |= 1 << (index % 64)
	return true
}

func (s *scanner) isDeclared(index uint32) bool {
	return int(index/64) < len(s.declared) && s.declared[index/64]>>(index%64)&1 == 1
}

func (s *scanner) elementSection(r *binary.Reader) bool {
	at := r.Offset()
	n := r.Count(2)
	if !s.use(Elements, uint64(n), at, "element section") {
		return false
	}
	entries := uint64(0)
	for i := range n {
		if !s.element(r, fmt.Sprintf("element segment %d", i), &entries) || !r.OK() {
			return false
		}
	}
	return true
}

// element reads a segment. Its flags: bit 0 no offset, bit 1 a table index or,
// without an offset, declared only; bit 2 expressions instead of indices.
func (s *scanner) element(r *binary.Reader, where string, entries *uint64) bool {
	at := r.Offset()
	flags := r.U32()
	if flags > 7 {
		r.Fail(at, fmt.Sprintf("the flags of an element segment are 0x%x", flags))
		return false
	}
	active, explicit, exprs := flags&1 == 0, flags&2 != 0, flags&4 != 0
	target := uint32(0)
	if active {
		if explicit {
			target = r.U32()
		}
		if !s.constant(r, where, binary.I32) {
			return false
		}
	}
	kind := binary.FuncRef
	if flags&3 != 0 {
		kind = s.elementKind(r, exprs)
	}
	if !r.OK() {
		return false
	}
	s.elements = append(s.elements, byte(kind))
	if active && int64(target) >= int64(len(s.tables)) {
		s.invalid(at, where, "table %d of %d", target, len(s.tables))
	} else if active && s.tables[target].Type != kind {
		s.invalid(at, where, "entries of %s for a table of %s", kind, s.tables[target].Type)
	}
	return s.entries(r, where, kind, exprs, entries)
}

func (s *scanner) elementKind(r *binary.Reader, exprs bool) binary.ValType {
	if exprs {
		return r.RefType()
	}
	at := r.Offset()
	if k := r.Byte(); k != 0 {
		r.Fail(at, fmt.Sprintf("the kind of an element segment is 0x%02x", k))
	}
	return binary.FuncRef
}

func (s *scanner) entries(r *binary.Reader, where string, kind binary.ValType, exprs bool, entries *uint64) bool {
	at := r.Offset()
	n := r.Count(1)
	if *entries += uint64(n); !s.use(ElementEntries, *entries, at, where) {
		return false
	}
	for range n {
		if exprs {
			if !s.constant(r, where, kind) {
				return false
			}
			continue
		}
		at := r.Offset()
		if i := r.U32(); !r.OK() || !s.declare(i, at, where) {
			return false
		}
	}
	return true
}

func (s *scanner) dataSection(r *binary.Reader) bool {
	at := r.Offset()
	n := r.Count(2)
	if !s.use(DataSegments, uint64(n), at, "data section") {
		return false
	}
	for range n {
		if !s.segment(r) {
			return false
		}
	}
	s.data = int(n)
	return true
}

func (s *scanner) segment(r *binary.Reader) bool {
	at := r.Offset()
	flags := r.U32()
	if flags > 2 {
		r.Fail(at, fmt.Sprintf("the flags of a data segment are 0x%x", flags))
		return false
	}
	if flags != 1 {
		memory := uint32(0)
		if flags == 2 {
			memory = r.U32()
		}
		if int64(memory) >= int64(len(s.memories)) && r.OK() {
			s.invalid(at, "data section", "memory %d of %d", memory, len(s.memories))
			return false
		}
		if !s.constant(r, "data section", binary.I32) {
			return false
		}
	} else {
		s.features |= bulkMemory
	}
	r.Bytes(r.U32())
	return r.OK()
}
