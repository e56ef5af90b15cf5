package scan

import "github.com/callgate/callgate/host/wasm/binary"

const (
	i32 = byte(binary.I32)
	ref = byte(binary.FuncRef)
)

// instruction checks the types of one instruction.
func (v *validator) instruction(in *binary.Instr) {
	if in.Op >= binary.OpI32Load && in.Op <= binary.OpI64Store32 {
		v.access(in)
	}
	if effect := in.Op.Stack(); effect != "" {
		v.indices(in)
		v.apply(effect)
		return
	}
	switch {
	case in.Op <= binary.OpCallIndirect:
		v.control(in)
	case in.Op >= binary.OpLocalGet && in.Op <= binary.OpLocalTee:
		v.local(in)
	case in.Op == binary.OpGlobalGet || in.Op == binary.OpGlobalSet:
		v.global(in)
	default:
		v.other(in)
	}
}

// apply takes and gives numbers, as "ii>i" says.
func (v *validator) apply(effect string) {
	cut := 0
	for cut < len(effect) && effect[cut] != '>' {
		cut++
	}
	for i := cut - 1; i >= 0; i-- {
		v.want(letter(effect[i]))
	}
	if cut+1 < len(effect) {
		v.push(letter(effect[cut+1]))
	}
}

// widths is log2 of the bytes that loads and stores move, from i32.load on.
const widths = "\x02\x03\x02\x03\x00\x00\x01\x01\x00\x00\x01\x01\x02\x02\x02\x03\x02\x03\x00\x01\x00\x01\x02"

// access checks a load or a store.
func (v *validator) access(in *binary.Instr) {
	v.memory()
	if in.A > uint32(widths[in.Op-binary.OpI32Load]) {
		v.fail("the alignment 2^%d is larger than the access", in.A)
	}
}

func (v *validator) memory() {
	if len(v.s.memories) == 0 {
		v.fail("there is no memory")
	}
}

// indices checks what instructions with a fixed effect refer to.
func (v *validator) indices(in *binary.Instr) {
	switch in.Op {
	case binary.OpMemorySize, binary.OpMemoryGrow:
		v.zeros(in, 1)
	case binary.OpMemoryFill:
		v.zeros(in, 1)
		v.weigh(flowOfBulk)
	case binary.OpMemoryCopy:
		v.zeros(in, 2)
		v.weigh(flowOfBulk)
	case binary.OpMemoryInit:
		v.dataSegment(in.A)
		v.memory()
		if in.B != 0 {
			v.fail("memory %d of one", in.B)
		}
	case binary.OpTableInit:
		v.sameEntries(v.table(in.B), v.elementSegment(in.A))
	case binary.OpTableCopy:
		v.sameEntries(v.table(in.A), v.table(in.B))
	case binary.OpTableSize:
		v.table(in.A)
	}
}

// zeros wants a memory, and zero bytes where the index of one would be.
func (v *validator) zeros(in *binary.Instr, n int) {
	v.memory()
	if in.A != 0 || in.B != 0 || in.End-in.Imm != n {
		v.fail("it is for a memory other than the first")
	}
}

func (v *validator) dataSegment(index uint32) {
	if v.s.count < 0 {
		v.fail("there is no data count section")
	} else if int64(index) >= int64(v.s.count) {
		v.fail("data segment %d of %d", index, v.s.count)
	}
}

// elementSegment is the type of a segment's entries.
func (v *validator) elementSegment(index uint32) byte {
	if int64(index) >= int64(len(v.s.elements)) {
		v.fail("element segment %d of %d", index, len(v.s.elements))
		return unknown
	}
	return v.s.elements[index]
}

func (v *validator) sameEntries(to, from byte) {
	if to != from {
		v.fail("entries of %s for a table of %s", binary.ValType(from), binary.ValType(to))
	}
}

// table is the type of a table's entries.
func (v *validator) table(index uint32) byte {
	if int64(index) >= int64(len(v.s.tables)) {
		v.fail("table %d of %d", index, len(v.s.tables))
		return unknown
	}
	return byte(v.s.tables[index].Type)
}

func (v *validator) control(in *binary.Instr) {
	switch in.Op {
	case binary.OpUnreachable:
		v.unreachable()
	case binary.OpNop:
	case binary.OpBlock, binary.OpLoop, binary.OpIf:
		if in.Op == binary.OpIf {
			v.want(i32)
		}
		if t, ok := v.blockType(in); ok && !v.stop {
			v.open(in.Op, t)
		}
	case binary.OpElse:
		f := v.close()
		if v.stop {
			return
		}
		v.frames = append(v.frames, frame{op: binary.OpElse, params: f.params, results: f.results, height: f.height})
		v.pushAll(f.params)
	case binary.OpEnd:
		v.end()
	case binary.OpBr:
		if _, ok := v.branch(in.A); ok {
			v.unreachable()
		}
	case binary.OpBrIf:
		v.want(i32)
		v.weigh(flowOfBlock)
		if types, ok := v.branch(in.A); ok {
			v.pushAll(types)
		}
	case binary.OpBrTable:
		v.branchTable(in)
	case binary.OpReturn:
		if _, ok := v.branch(uint32(len(v.frames) - 1)); ok {
			v.unreachable()
		}
	case binary.OpCall, binary.OpCallIndirect:
		v.call(in)
	}
}

func (v *validator) end() {
	f := v.close()
	if v.stop {
		return
	}
	if f.op == binary.OpIf && string(f.params) != string(f.results) {
		v.fail("an if without an else gives what it takes")
		return
	}
	v.pushAll(f.results)
}

func (v *validator) call(in *binary.Instr) {
	index := in.A
	if in.Op == binary.OpCall {
		if int64(index) >= int64(len(v.s.funcs)) {
			v.fail("function %d of %d", index, len(v.s.funcs))
			return
		}
		index = v.s.funcs[index]
	} else {
		if t := v.table(in.B); t != ref {
			v.fail("table %d is not of functions", in.B)
		}
		if int64(index) >= int64(len(v.s.types)) {
			v.fail("type %d of %d", index, len(v.s.types))
		}
		v.want(i32)
	}
	if v.stop {
		return
	}
	t := v.s.types[index]
	if v.charge(len(t.params) + len(t.results)) {
		v.wantAll(t.params)
		v.pushAll(t.results)
	}
}

func (v *validator) local(in *binary.Instr) {
	if int64(in.A) >= int64(len(v.types)) {
		v.fail("local %d of %d", in.A, len(v.types))
		return
	}
	t := v.types[in.A]
	if in.Op != binary.OpLocalGet {
		v.want(t)
	}
	if in.Op != binary.OpLocalSet {
		v.push(t)
	}
}

func (v *validator) global(in *binary.Instr) {
	if int64(in.A) >= int64(len(v.s.globals)) {
		v.fail("global %d of %d", in.A, len(v.s.globals))
		return
	}
	g := v.s.globals[in.A]
	if in.Op == binary.OpGlobalGet {
		v.push(byte(g.Type))
		return
	}
	if !g.Mutable {
		v.fail("global %d is constant", in.A)
	}
	v.want(byte(g.Type))
}

func (v *validator) other(in *binary.Instr) {
	switch in.Op {
	case binary.OpDrop:
		v.pop()
	case binary.OpSelect:
		v.choose()
	case binary.OpSelectT:
		v.want(i32)
		v.want(byte(in.Type))
		v.want(byte(in.Type))
		v.push(byte(in.Type))
	case binary.OpTableGet:
		v.want(i32)
		v.push(v.table(in.A))
	case binary.OpTableSet:
		v.want(v.table(in.A))
		v.want(i32)
	case binary.OpTableGrow:
		v.want(i32)
		v.want(v.table(in.A))
		v.push(i32)
	case binary.OpTableFill:
		v.want(i32)
		v.want(v.table(in.A))
		v.want(i32)
	case binary.OpRefNull:
		v.push(byte(in.Type))
	case binary.OpRefIsNull:
		if t := v.pop(); t != unknown && !binary.ValType(t).IsRef() {
			v.fail("the operand is %s; want a reference", binary.ValType(t))
		}
		v.push(i32)
	case binary.OpRefFunc:
		v.refFunc(in)
	case binary.OpDataDrop:
		v.dataSegment(in.A)
	case binary.OpElemDrop:
		v.elementSegment(in.A)
	default:
		v.fail("it has no rule")
	}
}

func (v *validator) refFunc(in *binary.Instr) {
	switch {
	case int64(in.A) >= int64(len(v.s.funcs)):
		v.fail("function %d of %d", in.A, len(v.s.funcs))
	case !v.s.isDeclared(in.A):
		v.fail("function %d is in no element segment, global or export", in.A)
	}
	v.push(ref)
}

// choose checks a select that names no type: it is for numbers.
func (v *validator) choose() {
	v.want(i32)
	a, b := v.pop(), v.pop()
	switch {
	case binary.ValType(a).IsRef() || binary.ValType(b).IsRef():
		v.fail("a select of references names their type")
	case a != b && a != unknown && b != unknown:
		v.fail("the operands are %s and %s", binary.ValType(b), binary.ValType(a))
	}
	if a == unknown {
		a = b
	}
	v.push(a)
}
