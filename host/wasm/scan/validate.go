package scan

import (
	"bytes"
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

// unknown is a value in code that is never reached: it has any type.
const unknown byte = 0

// A frame is a block that is open.
type frame struct {
	op          binary.Op // block, loop, if, else; the body is a block
	params      []byte
	results     []byte
	height      int  // of the stack below its parameters
	unreachable bool // the rest of the block is not reached
}

// labels are the types that a branch to the block takes.
func (f *frame) labels() []byte {
	if f.op == binary.OpLoop {
		return f.params
	}
	return f.results
}

// A validator checks the types of bodies, as the appendix of the WebAssembly
// specification has it ("Validation Algorithm").
type validator struct {
	s         *scanner
	code      binary.Code
	index     uint32
	locals    uint64 // of this function, with parameters
	allLocals uint64
	types     []byte // of the locals
	stack     []byte
	frames    []frame
	loops     uint64 // open
	headers   uint64 // loops of this function
	blocks    uint64 // of this function
	carried   uint64 // blocks times locals, of the module
	flow      uint64 // of this function
	flows     uint64 // squares of it, of the module
	values    uint64 // of the module
	targets   uint64 // of the module
	told      uint8  // instructions of stateful that were told of
	stop      bool   // this function is done with
	tired     bool   // the module is done with
	at        *binary.Instr
}

// function checks a body, and tells of the first mistake.
func (v *validator) function(index uint32, b binary.Body) {
	f := v.s.types[v.s.funcs[index]]
	v.index, v.told, v.stop = index, 0, false
	v.loops, v.headers, v.blocks, v.flow = 0, 0, 0, 0
	v.stack, v.frames = v.stack[:0], v.frames[:0]
	v.declare(f.params, b.Decl)
	v.code.Reset(b.Code, b.Offset)
	v.frames = append(v.frames, frame{op: binary.OpBlock, results: f.results})
	var in binary.Instr
	v.at = &in
	for !v.stop && v.code.Next(&in) {
		v.note(&in)
		v.instruction(&in)
		if len(v.stack) > 0 && !v.stop {
			v.limit(Stack, uint64(len(v.stack)), &in)
		}
	}
	if err := v.code.Err(); err != nil && !v.stop && !v.s.problems.full() {
		v.s.malformed(err, v.s.function(index))
	}
}

// declare lists the types of the locals.
func (v *validator) declare(params, decl []byte) {
	v.types = append(v.types[:0], params...)
	r := binary.NewReader(decl, 0)
	for range r.U32() {
		n := r.U32()
		t := byte(r.ValType())
		for range n {
			v.types = append(v.types, t)
		}
	}
}

// fail tells of a mistake and ends the function.
func (v *validator) fail(format string, args ...any) {
	if v.stop {
		return
	}
	if v.stop = true; v.s.problems.full() {
		return
	}
	v.s.invalid(v.code.Offset(v.at), v.s.function(v.index), "%s: %s", v.at.Op, fmt.Sprintf(format, args...))
}

func (v *validator) top() *frame { return &v.frames[len(v.frames)-1] }

func (v *validator) push(t byte) { v.stack = append(v.stack, t) }

func (v *validator) pushAll(types []byte) { v.stack = append(v.stack, types...) }

// pop takes any value.
func (v *validator) pop() byte {
	f := v.top()
	if len(v.stack) == f.height {
		if !f.unreachable {
			v.fail("there is no operand")
		}
		return unknown
	}
	t := v.stack[len(v.stack)-1]
	v.stack = v.stack[:len(v.stack)-1]
	return t
}

// want takes a value of a type.
func (v *validator) want(t byte) {
	if got := v.pop(); got != t && got != unknown && t != unknown {
		v.fail("the operand is %s; want %s", binary.ValType(got), binary.ValType(t))
	}
}

func (v *validator) wantAll(types []byte) {
	for i := len(types) - 1; i >= 0 && !v.stop; i-- {
		v.want(types[i])
	}
}

// unreachable drops the block's operands: what follows is never reached.
func (v *validator) unreachable() {
	f := v.top()
	v.stack = v.stack[:f.height]
	f.unreachable = true
}

// charge counts operands of calls, blocks and branches.
func (v *validator) charge(n int) bool {
	v.values += uint64(n)
	return v.moduleLimit(ModuleValues, v.values, v.at)
}

// open begins a block whose parameters are on the stack.
func (v *validator) open(op binary.Op, t funcType) {
	if !v.charge(len(t.params) + len(t.results)) {
		return
	}
	v.wantAll(t.params)
	v.frames = append(v.frames, frame{op: op, params: t.params, results: t.results, height: len(v.stack)})
	v.pushAll(t.params)
	v.blocks++
	weight := uint64(flowOfBlock)
	if op == binary.OpLoop {
		v.loops++
		v.headers++
		weight = flowOfLoop
	}
	if v.weigh(weight) {
		v.blockLimits()
	}
}

// weigh counts what the flow of a function parts and meets at: compilers look at
// each such place from each.
func (v *validator) weigh(n uint64) bool {
	v.flows += n * (2*v.flow + n)
	v.flow += n
	return v.moduleLimit(ModuleFlow, v.flows, v.at)
}

// blockLimits holds the blocks against the limits, up to the first that is
// exceeded: a compiler carries the locals through all of them.
func (v *validator) blockLimits() {
	for _, one := range [...]struct {
		l Limit
		n uint64
	}{
		{Nesting, uint64(len(v.frames) - 1)},
		{LoopDepth, v.loops},
		{LoopDepthLocals, v.loops * v.locals},
		{LoopLocals, v.headers * v.locals},
		{BlockLocals, v.blocks * v.locals},
	} {
		if !v.limit(one.l, one.n, v.at) {
			return
		}
	}
	v.carried += v.locals
	v.moduleLimit(ModuleBlockLocals, v.carried, v.at)
}

// close ends a block, and leaves its results off the stack.
func (v *validator) close() frame {
	f := *v.top()
	if !v.charge(len(f.results)) {
		return f
	}
	v.wantAll(f.results)
	if len(v.stack) != f.height {
		v.fail("%d operands are left at the end of the block", len(v.stack)-f.height)
	}
	v.frames = v.frames[:len(v.frames)-1]
	if f.op == binary.OpLoop {
		v.loops--
	}
	return f
}

// single is the types by their bytes: a slice of one is the type of a block
// with one result.
var single = func() (all [256]byte) {
	for i := range all {
		all[i] = byte(i)
	}
	return all
}()

// blockType is the type of a block.
func (v *validator) blockType(in *binary.Instr) (funcType, bool) {
	switch {
	case in.Int == binary.NoBlockType:
		return funcType{}, true
	case in.Int < 0:
		return funcType{results: single[in.Type : in.Type+1]}, true
	case in.Int >= int64(len(v.s.types)):
		v.fail("type %d of %d", in.Int, len(v.s.types))
		return funcType{}, false
	}
	v.s.features |= multiValue
	return v.s.types[in.Int], true
}

// label finds the block of a branch.
func (v *validator) label(depth uint32) (*frame, bool) {
	if int64(depth) >= int64(len(v.frames)) {
		v.fail("label %d of %d", depth, len(v.frames))
		return nil, false
	}
	return &v.frames[len(v.frames)-1-int(depth)], true
}

func (v *validator) branch(depth uint32) ([]byte, bool) {
	f, ok := v.label(depth)
	if !ok || !v.charge(len(f.labels())) {
		return nil, false
	}
	v.wantAll(f.labels())
	return f.labels(), !v.stop
}

// branchTable checks br_table: each label takes what is on the stack.
func (v *validator) branchTable(in *binary.Instr) {
	v.targets += uint64(in.A)
	if !v.limit(BranchTargets, uint64(in.A), in) || !v.moduleLimit(ModuleTargets, v.targets, in) {
		return
	}
	v.want(byte(binary.I32))
	r := v.code.Reader(in)
	r.U32()
	var last []byte
	first := true
	for range in.A + 1 {
		f, ok := v.label(r.U32())
		if !ok || v.stop {
			return
		}
		types := f.labels()
		switch {
		case first || !bytes.Equal(types, last):
			if !first && len(types) != len(last) {
				v.fail("its labels take %d and %d operands", len(last), len(types))
				return
			}
			v.tryTarget(types)
		}
		first, last = false, types
	}
	v.unreachable()
}

// tryTarget holds the stack against a label and leaves it as it was.
func (v *validator) tryTarget(types []byte) {
	if !v.charge(len(types)) {
		return
	}
	f := v.top()
	for i := range types {
		at := len(v.stack) - 1 - i
		want := types[len(types)-1-i]
		if at < f.height {
			if !f.unreachable {
				v.fail("there is no operand")
			}
			return
		}
		if got := v.stack[at]; got != want && got != unknown {
			v.fail("the operand is %s; want %s", binary.ValType(got), binary.ValType(want))
			return
		}
	}
}
