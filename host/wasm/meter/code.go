package meter

import (
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

func (m *module) codeSection() ([]byte, error) {
	r := m.reader(binary.SectionCode)
	n := r.Count(1)
	if r.OK() && n != m.defined {
		return nil, fmt.Errorf("%d bodies for %d functions", n, m.defined)
	}
	out := make(buffer, 0, r.Left()+r.Left()/2+256)
	out.u32(n + addedFuncs)
	f := &function{m: m}
	for i := range n {
		body := r.Body()
		if !r.OK() {
			break
		}
		if err := f.rewrite(body); err != nil {
			return nil, fmt.Errorf("function %d: %w", m.imported+i, err)
		}
		f.write(&out, body)
	}
	m.info.Regions = f.regions
	m.helpers(&out)
	return out, done(&r)
}

// function is a function on its way through the pass. It is used again for
// the next one, so that it allocates little.
type function struct {
	m    *module
	code binary.Code
	in   binary.Instr
	text []byte // the body as it came

	out     buffer
	scratch buffer
	open    []frame
	regions int // of all functions

	live   bool  // the next instruction can be reached
	region int   // where the region begins in out
	charge int64 // of the region so far
	check  bool  // the region begins at a place where fuel is looked at
	since  int   // instructions since a place where the host may have had its turn
}

// frame is an open block.
type frame struct {
	kind    binary.Op
	target  bool // its end is reached by a branch or from another arm
	hasElse bool
	entry   int // since at the if
	since   int // the most of the branches to its end
}

// rewrite makes out from a body.
func (f *function) rewrite(body binary.Body) error {
	f.text = body.Code
	f.out, f.open = f.out[:0], append(f.open[:0], frame{kind: binary.OpBlock})
	f.live = true
	if !f.m.opts.Plain {
		f.guard()
	}
	f.begin(true)
	f.charge = costEntry
	f.code.Reset(body.Code, body.Offset)
	for f.code.Next(&f.in) {
		if f.live {
			if err := f.instruction(); err != nil {
				return err
			}
			continue
		}
		f.skip()
	}
	return f.code.Err()
}

// write appends the body to the code section.
func (f *function) write(out *buffer, body binary.Body) {
	out.u32(uint32(len(body.Decl) + len(f.out)))
	out.bytes(body.Decl)
	out.bytes(f.out)
}

// begin begins a region at the end of what is written.
func (f *function) begin(check bool) {
	if check {
		f.since = 0
	}
	f.live, f.region, f.charge, f.check = true, len(f.out), 0, check
}

// flush ends the region: its charge is written where it begins.
func (f *function) flush() {
	if f.m.opts.Plain || f.charge == 0 && !f.check {
		return
	}
	f.scratch = f.scratch[:0]
	if f.charge > 0 {
		f.regions++
		f.scratch.at(binary.OpGlobalGet, f.m.fuel)
		f.scratch.number(binary.OpI64Const, f.charge)
		f.scratch.op(binary.OpI64Sub)
		f.scratch.at(binary.OpGlobalSet, f.m.fuel)
	}
	if f.check {
		f.scratch.look(f.m)
	}
	f.out = append(f.out, f.scratch...)
	copy(f.out[f.region+len(f.scratch):], f.out[f.region:])
	copy(f.out[f.region:], f.scratch)
}

// look writes: if the counter is below zero, fill it. Where the branch saves
// nothing that counts, the function is called without it: an engine may take
// time by the square of the branches that a function has one after another.
func (b *buffer) look(m *module) {
	b.at(binary.OpGlobalGet, m.fuel)
	b.number(binary.OpI64Const, 0)
	b.op(binary.OpI64LtS)
	b.when()
	b.at(binary.OpCall, m.refill)
	b.op(binary.OpEnd)
}

// guard writes: if as many functions as may be are on the stack, stop. It is
// in the callee, since an indirect call may be one of a host function, which
// takes no depth.
func (f *function) guard() {
	f.out.at(binary.OpGlobalGet, f.m.depth)
	f.out.number(binary.OpI32Const, int64(int32(f.m.opts.Depth)))
	f.out.op(binary.OpI32GeU)
	f.out.when()
	f.out.number(binary.OpI32Const, DepthExceeded)
	f.out.at(binary.OpGlobalSet, f.m.depth)
	f.out.op(binary.OpUnreachable, binary.OpEnd)
}

// skip passes over code that can not be reached, up to the end of its block.
func (f *function) skip() {
	switch f.in.Op {
	case binary.OpElse:
		if f.in.Depth == len(f.open) {
			f.arm()
		}
	case binary.OpEnd:
		if f.in.Depth == len(f.open) {
			f.end()
		}
	}
}

// instruction writes an instruction that can be reached.
func (f *function) instruction() error {
	if err := f.within(); err != nil {
		return fmt.Errorf("offset 0x%x: %w", f.code.Offset(&f.in), err)
	}
	f.charge += cost(f.in.Op)
	f.turn()
	switch f.in.Op {
	case binary.OpBlock, binary.OpLoop, binary.OpIf:
		f.block()
	case binary.OpElse:
		f.arm()
	case binary.OpEnd:
		f.end()
	case binary.OpBr, binary.OpBrIf, binary.OpBrTable, binary.OpReturn, binary.OpUnreachable:
		return f.branch()
	case binary.OpCall, binary.OpCallIndirect:
		f.call()
	case binary.OpRefFunc:
		f.out.at(f.in.Op, f.m.shifted(f.in.A))
	case binary.OpMemorySize:
		f.out.at(binary.OpGlobalGet, f.m.pages)
	case binary.OpMemoryGrow:
		f.out.at(binary.OpCall, f.m.grow)
	default:
		if isBulk(f.in.Op) && !f.m.opts.Plain {
			f.out.at(binary.OpCall, f.m.bulk)
			if f.move() {
				return nil
			}
		}
		f.copy()
		switch makesNaN(f.in.Op) {
		case binary.F32:
			f.out.at(binary.OpCall, f.m.nan32)
		case binary.F64:
			f.out.at(binary.OpCall, f.m.nan64)
		}
	}
	return nil
}

// move writes an instruction that may move the whole memory as a call of what
// moves a piece at a time. Where there is no memory the instruction stays, as
// invalid as it is.
func (f *function) move() bool {
	m := f.m
	switch {
	case m.info.Memory && f.in.Op == binary.OpMemoryFill:
		f.out.at(binary.OpCall, m.fill)
	case m.info.Memory && f.in.Op == binary.OpMemoryCopy:
		f.out.at(binary.OpCall, m.copy)
	default:
		return false
	}
	return true
}

// copy writes the instruction as it came.
func (f *function) copy() { f.out.bytes(f.text[f.in.Start:f.in.End]) }

func (f *function) block() {
	f.open = append(f.open, frame{kind: f.in.Op, entry: f.since})
	switch f.in.Op {
	case binary.OpBlock:
		f.copy() // nothing branches to its begin: the region goes on
	case binary.OpLoop:
		f.flush()
		f.copy()
		f.begin(true)
	default:
		f.flush()
		f.copy()
		f.begin(false)
	}
}

// arm is the else of an if, reached or not from the first arm.
func (f *function) arm() {
	last := &f.open[len(f.open)-1]
	last.hasElse = true
	if f.live {
		last.target = true
		last.since = max(last.since, f.since)
		f.flush()
	}
	f.since = last.entry
	f.copy()
	f.begin(false)
}

// end closes a block. The region goes on behind it when nothing else arrives
// there.
func (f *function) end() {
	last := f.open[len(f.open)-1]
	f.open = f.open[:len(f.open)-1]
	skips := last.kind == binary.OpIf && !last.hasElse
	if f.live && !last.target && !skips && len(f.open) > 0 {
		f.copy()
		return
	}
	if f.live {
		f.flush()
	}
	f.meet(last, skips)
	f.copy()
	f.begin(false)
}

// branch writes an instruction that goes elsewhere.
func (f *function) branch() error {
	switch f.in.Op {
	case binary.OpBr, binary.OpBrIf:
		if err := f.target(f.in.A); err != nil {
			return err
		}
	case binary.OpBrTable:
		r := f.code.Reader(&f.in)
		for range r.U32() + 1 {
			if err := f.target(r.U32()); err != nil {
				return err
			}
		}
	}
	f.flush()
	f.copy()
	f.begin(false)
	f.live = f.in.Op == binary.OpBrIf
	return nil
}

// target notes that a label is branched to.
func (f *function) target(label uint32) error {
	if uint64(label) >= uint64(len(f.open)) {
		return fmt.Errorf("offset 0x%x: label %d of %d", f.code.Offset(&f.in), label, len(f.open))
	}
	to := &f.open[len(f.open)-1-int(label)]
	if to.kind != binary.OpLoop {
		to.target = true
		to.since = max(to.since, f.since)
	}
	return nil
}

// call writes a call. One that may reach a host function is followed by a look
// at the counter, from which the host takes its charge.
func (f *function) call() {
	m, direct := f.m, f.in.Op == binary.OpCall
	host := direct && f.in.A < m.imported
	if !host && !m.opts.Plain {
		f.deeper(binary.OpI32Add)
	}
	if direct {
		f.out.at(binary.OpCall, m.shifted(f.in.A))
	} else {
		f.copy()
	}
	if m.opts.Plain {
		return
	}
	f.since = max(f.since, turnEvery-turnAfterCall)
	if !host {
		f.deeper(binary.OpI32Sub)
	}
	if host || !direct && m.indirect {
		f.out.at(binary.OpCall, m.refill)
	}
}

// deeper counts the function as one that is on the stack, or no more.
func (f *function) deeper(op binary.Op) {
	f.out.at(binary.OpGlobalGet, f.m.depth)
	f.out.number(binary.OpI32Const, 1+int64(len(f.text))>>frameShift)
	f.out.op(op)
	f.out.at(binary.OpGlobalSet, f.m.depth)
}
