package meter_test

import (
	"encoding/binary"
	"math/bits"

	wasm "github.com/callgate/callgate/host/wasm/binary"
)

// naive runs a module as the specification words it, one instruction after
// another, and counts each as it runs it. It shares nothing with the pass but
// the reader of instructions.
type naive struct {
	a        *asm
	mem      []byte
	maxPages uint32
	globals  []uint64
	table    []uint32 // functions
	host     func([]uint64) uint64
	fuel     uint64
	limit    uint64 // gives up above it
	code     map[uint32]*decoded
}

// trapped is what a panic carries.
type trapped string

// decoded is a body: its instructions, and for each that opens a block where
// its else and end are.
type decoded struct {
	ins      []wasm.Instr
	imm      [][]uint32 // labels of br_table
	els, end map[int]int
	over     map[int]int // of an else, where the end is
}

func (n *naive) decode(f uint32) *decoded {
	if d := n.code[f]; d != nil {
		return d
	}
	d := &decoded{els: map[int]int{}, end: map[int]int{}, over: map[int]int{}}
	c := wasm.NewCode(n.a.funcs[f].code, 0)
	var in wasm.Instr
	open := []int{-1}
	for c.Next(&in) {
		var labels []uint32
		switch in.Op {
		case wasm.OpBlock, wasm.OpLoop, wasm.OpIf:
			open = append(open, len(d.ins))
		case wasm.OpElse:
			d.els[open[len(open)-1]] = len(d.ins)
		case wasm.OpEnd:
			last := open[len(open)-1]
			d.end[last] = len(d.ins)
			if els, ok := d.els[last]; ok {
				d.over[els] = len(d.ins)
			}
			open = open[:len(open)-1]
		case wasm.OpBrTable:
			r := c.Reader(&in)
			for range r.U32() + 1 {
				labels = append(labels, r.U32())
			}
		}
		d.ins, d.imm = append(d.ins, in), append(d.imm, labels)
	}
	if c.Err() != nil {
		panic(c.Err())
	}
	n.code[f] = d
	return d
}

// label is where a branch goes: the instruction after it, and what it keeps.
type label struct{ next, height, arity int }

// activation is a function that runs.
type activation struct {
	n      *naive
	d      *decoded
	locals []uint64
	stack  []uint64
	labels []label
	pc     int
}

// signature is the number of parameters and results of a type.
func (a *asm) signature(t uint32) (params, results int) {
	r := wasm.NewReader(a.types[t], 0)
	r.Byte()
	params = int(r.U32())
	r.Bytes(uint32(params))
	return params, int(r.U32())
}

// call runs a function; those that are imported come first.
func (n *naive) call(f uint32, args []uint64) []uint64 {
	if f < uint32(len(n.a.imports)) {
		return []uint64{n.host(args)}
	}
	f -= uint32(len(n.a.imports))
	fn := n.a.funcs[f]
	_, results := n.a.signature(fn.typ)
	act := &activation{n: n, d: n.decode(f), locals: append([]uint64(nil), args...)}
	for _, g := range fn.locals {
		act.locals = append(act.locals, make([]uint64, g.n)...)
	}
	n.fuel += 4
	act.labels = []label{{len(act.d.ins), 0, results}}
	for act.pc < len(act.d.ins) {
		act.step()
	}
	return act.stack[len(act.stack)-results:]
}

func (a *activation) push(v uint64) { a.stack = append(a.stack, v) }

func (a *activation) pop() uint64 {
	v := a.stack[len(a.stack)-1]
	a.stack = a.stack[:len(a.stack)-1]
	return v
}

func (a *activation) take(n int) []uint64 {
	v := append([]uint64(nil), a.stack[len(a.stack)-n:]...)
	a.stack = a.stack[:len(a.stack)-n]
	return v
}

func (a *activation) branch(to uint32) {
	i := len(a.labels) - 1 - int(to)
	l := a.labels[i]
	kept := a.take(l.arity)
	a.stack = append(a.stack[:l.height], kept...)
	a.labels = a.labels[:i]
	a.pc = l.next
}

// blockArity is the number of parameters and results of a block.
func (a *activation) blockArity(in *wasm.Instr) (params, results int) {
	switch {
	case in.Int == wasm.NoBlockType:
		return 0, 0
	case in.Int < 0:
		return 0, 1
	}
	return a.n.a.signature(uint32(in.Int))
}

// naiveCost is the schedule, written down a second time.
func naiveCost(op wasm.Op) uint64 {
	switch op {
	case wasm.OpBlock, wasm.OpLoop, wasm.OpElse, wasm.OpEnd:
		return 0
	case wasm.OpF32Sqrt, wasm.OpF64Sqrt, wasm.OpF32Div, wasm.OpF64Div:
		return 8
	}
	if op >= wasm.OpI32DivS && op <= wasm.OpI32RemU || op >= wasm.OpI64DivS && op <= wasm.OpI64RemU {
		return 8
	}
	return 1
}

func (a *activation) step() {
	at, in := a.pc, &a.d.ins[a.pc]
	a.n.fuel += naiveCost(in.Op)
	if a.n.fuel > a.n.limit {
		panic(trapped("limit"))
	}
	a.pc++
	switch in.Op {
	case wasm.OpUnreachable:
		panic(trapped("unreachable"))
	case wasm.OpBlock, wasm.OpLoop, wasm.OpIf:
		a.enter(at, in)
	case wasm.OpElse: // the end of the first arm
		a.labels = a.labels[:len(a.labels)-1]
		a.pc = a.d.over[at] + 1
	case wasm.OpEnd:
		a.labels = a.labels[:len(a.labels)-1]
	case wasm.OpBr:
		a.branch(in.A)
	case wasm.OpBrIf:
		if uint32(a.pop()) != 0 {
			a.branch(in.A)
		}
	case wasm.OpBrTable:
		labels := a.d.imm[at]
		a.branch(labels[min(uint64(uint32(a.pop())), uint64(len(labels)-1))])
	case wasm.OpReturn:
		a.branch(uint32(len(a.labels) - 1))
	case wasm.OpCall:
		a.invoke(in.A)
	case wasm.OpCallIndirect:
		a.indirect(in.A)
	default:
		a.plain(in)
	}
}

func (a *activation) enter(at int, in *wasm.Instr) {
	taken := true
	if in.Op == wasm.OpIf {
		taken = uint32(a.pop()) != 0
	}
	params, results := a.blockArity(in)
	l := label{a.d.end[at] + 1, len(a.stack) - params, results}
	if in.Op == wasm.OpLoop {
		// Branching to it enters it again, and pushes its label again.
		l.next, l.arity = at, params
	}
	els, hasElse := a.d.els[at]
	switch {
	case taken:
	case hasElse:
		a.pc = els + 1
	default:
		a.pc = l.next
		return
	}
	a.labels = append(a.labels, l)
}

func (a *activation) invoke(f uint32) {
	params, _ := a.n.a.signature(a.n.a.typeOf(f))
	a.stack = append(a.stack, a.n.call(f, a.take(params))...)
}

func (a *activation) indirect(t uint32) {
	i := uint32(a.pop())
	if i >= uint32(len(a.n.table)) {
		panic(trapped("invalid table access"))
	}
	f := a.n.table[i]
	if a.n.a.typeOf(f) != t {
		panic(trapped("indirect call type mismatch"))
	}
	a.invoke(f)
}

// plain runs what neither branches nor calls.
func (a *activation) plain(in *wasm.Instr) {
	n := a.n
	switch in.Op {
	case wasm.OpNop:
	case wasm.OpDrop:
		a.pop()
	case wasm.OpSelect, wasm.OpSelectT:
		c, y, x := uint32(a.pop()), a.pop(), a.pop()
		if c == 0 {
			x = y
		}
		a.push(x)
	case wasm.OpLocalGet:
		a.push(a.locals[in.A])
	case wasm.OpLocalSet:
		a.locals[in.A] = a.pop()
	case wasm.OpLocalTee:
		a.locals[in.A] = a.stack[len(a.stack)-1]
	case wasm.OpGlobalGet:
		a.push(n.globals[in.A])
	case wasm.OpGlobalSet:
		n.globals[in.A] = a.pop()
	case wasm.OpI32Const:
		a.push(uint64(uint32(in.Int)))
	case wasm.OpI64Const:
		a.push(uint64(in.Int))
	case wasm.OpI32Load, wasm.OpI64Load, wasm.OpI32Load8U:
		a.push(get(n.place(uint32(a.pop()), uint64(in.B), width(in.Op))))
	case wasm.OpI32Store, wasm.OpI64Store, wasm.OpI32Store8:
		v := a.pop()
		put(n.place(uint32(a.pop()), uint64(in.B), width(in.Op)), v)
	case wasm.OpMemorySize:
		a.push(uint64(len(n.mem) >> 16))
	case wasm.OpMemoryGrow:
		a.push(uint64(n.grow(uint32(a.pop()))))
	case wasm.OpMemoryFill:
		k, v, d := uint32(a.pop()), byte(a.pop()), uint32(a.pop())
		n.fuel += uint64(k) >> 4
		for i, b := 0, n.place(d, 0, int(k)); i < len(b); i++ {
			b[i] = v
		}
	case wasm.OpMemoryCopy:
		k, s, d := uint32(a.pop()), uint32(a.pop()), uint32(a.pop())
		n.fuel += uint64(k) >> 4
		copy(n.place(d, 0, int(k)), n.place(s, 0, int(k)))
	default:
		a.numeric(in.Op)
	}
}

func width(op wasm.Op) int {
	switch op {
	case wasm.OpI64Load, wasm.OpI64Store:
		return 8
	case wasm.OpI32Load8U, wasm.OpI32Store8:
		return 1
	}
	return 4
}

// place is a range of memory. The memory is the largest there may be: an access
// beyond the size that the guest sees does not trap.
func (n *naive) place(at uint32, offset uint64, size int) []byte {
	from := uint64(at) + offset
	if from+uint64(size) > uint64(n.maxPages)<<16 {
		panic(trapped("out of bounds memory access"))
	}
	if full := int(n.maxPages) << 16; cap(n.mem) < full {
		n.mem = append(make([]byte, 0, full), n.mem...)
	}
	return n.mem[:cap(n.mem)][from : from+uint64(size)]
}

func get(b []byte) uint64 {
	var full [8]byte
	copy(full[:], b)
	return binary.LittleEndian.Uint64(full[:])
}

func put(b []byte, v uint64) {
	var full [8]byte
	binary.LittleEndian.PutUint64(full[:], v)
	copy(b, full[:])
}

func (n *naive) grow(more uint32) uint32 {
	old := uint32(len(n.mem) >> 16)
	if uint64(old)+uint64(more) > uint64(n.maxPages) {
		return ^uint32(0)
	}
	n.fuel += 4096 * uint64(more)
	n.place(0, 0, 0) // gives it its capacity
	n.mem = n.mem[:(old+more)<<16]
	return old
}

// numeric runs an instruction on one or two numbers.
func (a *activation) numeric(op wasm.Op) {
	y := a.pop()
	switch op {
	case wasm.OpI32Eqz:
		a.push(truth(uint32(y) == 0))
		return
	case wasm.OpI64Eqz:
		a.push(truth(y == 0))
		return
	case wasm.OpI32WrapI64, wasm.OpI64ExtendI32U:
		a.push(uint64(uint32(y)))
		return
	case wasm.OpI64ExtendI32S:
		a.push(uint64(int64(int32(y))))
		return
	case wasm.OpI32Popcnt:
		a.push(uint64(bits.OnesCount32(uint32(y))))
		return
	}
	x := a.pop()
	if op >= wasm.OpI32Eq && op <= wasm.OpI32GeU || op >= wasm.OpI32Add && op <= wasm.OpI32Rotr {
		a.push(uint64(uint32(two(op, int64(int32(x)), int64(int32(y)), 32))))
		return
	}
	// The 64-bit ones lie in the same order.
	switch {
	case op >= wasm.OpI64Eq && op <= wasm.OpI64GeU:
		op = op - wasm.OpI64Eq + wasm.OpI32Eq
	default:
		op = op - wasm.OpI64Add + wasm.OpI32Add
	}
	a.push(two(op, int64(x), int64(y), 64))
}
