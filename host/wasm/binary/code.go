package binary

import (
	"fmt"
	"strings"
)

// An Op is an opcode: its byte, or 0xfc00 with the number after the prefix.
type Op uint16

var nothing op

func (o Op) look() *op {
	switch {
	case o < 256:
		return &ops[o]
	case o>>8 == prefix && int(o&0xff) < len(prefixed):
		return &prefixed[o&0xff]
	}
	return &nothing
}

// String is the name in the text format.
func (o Op) String() string {
	if n := o.look().name; n != "" {
		return n
	}
	return fmt.Sprintf("opcode 0x%02x", uint16(o))
}

// Stack is the effect of an instruction that takes and gives a fixed row of
// numbers: "ii>i", where i is i32, I i64, f f32, F f64. It is empty for others.
func (o Op) Stack() string { return o.look().stack }

// HasFloat says that the instruction takes or gives a float.
func (o Op) HasFloat() bool {
	if o < 256 {
		return floats[o]
	}
	// Of those with a prefix, the conversions.
	return o>>8 == prefix && o <= OpI64TruncSatF64U
}

var floats = func() (has [256]bool) {
	for i, o := range ops {
		has[i] = strings.Contains(o.name, "f32") || strings.Contains(o.name, "f64")
	}
	return has
}()

// form is the form of an instruction's immediates.
type form byte

const (
	unknown form = iota
	none
	block   // block type
	index   // one index
	two     // two indices
	targets // vector of labels and one more
	types   // vector of types
	memarg  // alignment and offset
	s32
	s64
	four
	eight
	reftype
)

// NoBlockType is the block type of a block without parameters and results.
const NoBlockType = -64

// An Instr is one instruction. Offsets are into the bytes given to NewCode.
type Instr struct {
	Op       Op
	Start    int // of the opcode
	Imm, End int // immediates are [Imm, End); the next instruction is at End
	Depth    int // of open blocks around it; the function's body is 1

	// A and B are the first and second index; call_indirect: type, table; a
	// load or store: log2 of the alignment, offset; memory.init and table.init:
	// segment, memory or table; br_table: A is its labels without the default.
	A, B uint32

	// Int is the value of i32.const and i64.const. For block, loop and if it is
	// the index of a type, NoBlockType, or a negative number: see Type.
	Int int64

	// Type is the type that select and ref.null name, and the result of a block
	// whose Int is negative and not NoBlockType.
	Type ValType
}

// Code walks the instructions of an expression.
type Code struct {
	r    Reader
	open []byte // the blocks that are open inside the body: 'i' if, 'b' others
	done bool   // the end of the body is read
	more bool   // the expression may end before the bytes do
}

// NewCode walks an expression, which begins base bytes into the module and
// must end where code ends.
func NewCode(code []byte, base int) *Code {
	c := &Code{}
	c.Reset(code, base)
	return c
}

// Reset starts over with another expression and keeps what is allocated.
func (c *Code) Reset(code []byte, base int) {
	c.r = NewReader(code, base)
	c.open = c.open[:0]
	c.done, c.more = false, false
}

// Err is the first error, or nil.
func (c *Code) Err() error { return c.r.Err() }

// Reader reads the immediates of an instruction once more.
func (c *Code) Reader(in *Instr) Reader {
	return NewReader(c.r.b[in.Imm:in.End], c.r.base+in.Imm)
}

// Offset is the place of an instruction in the module.
func (c *Code) Offset(in *Instr) int { return c.r.base + in.Start }

// Next reads an instruction, and returns false after the last or an error. The
// last is the end that closes the function's body; it has depth 1.
func (c *Code) Next(in *Instr) bool {
	if !c.r.OK() || c.done {
		return false
	}
	if c.r.Left() == 0 {
		c.r.Fail(c.r.Offset(), "the code ends before the end of its blocks")
		return false
	}
	*in = Instr{Start: c.r.pos, Depth: len(c.open) + 1}
	in.Op = Op(c.r.Byte())
	var o op
	if in.Op == prefix {
		if sub := c.r.U32(); int64(sub) < int64(len(prefixed)) {
			o, in.Op = prefixed[sub], prefix<<8|Op(sub)
		} else if sub <= 0xff {
			in.Op = prefix<<8 | Op(sub)
		}
	} else {
		o = ops[in.Op]
	}
	in.Imm = c.r.pos
	c.immediates(in, o.imm)
	if c.r.OK() {
		c.nest(in)
	}
	in.End = c.r.pos
	return c.r.OK()
}

func (c *Code) immediates(in *Instr, f form) {
	r := &c.r
	switch f {
	case none:
	case index:
		in.A = r.U32()
	case memarg:
		c.memoryArgument(in)
	case two:
		in.A, in.B = r.U32(), r.U32()
	case block:
		c.blockType(in)
	case targets:
		in.A = r.Count(1)
		for range in.A {
			r.U32()
		}
		r.U32()
	case types:
		c.selectTypes(in)
	case s32:
		in.Int = int64(r.S32())
	case s64:
		in.Int = r.S64()
	case four:
		r.Bytes(4)
	case eight:
		r.Bytes(8)
	case reftype:
		in.Type = r.RefType()
	default:
		c.foreign(in)
	}
}

// memoryArgument reads an alignment and an offset. An alignment with the bit 6
// names a memory as well.
func (c *Code) memoryArgument(in *Instr) {
	const named = 1 << 6
	at := c.r.Offset()
	if in.A = c.r.U32(); in.A >= named && in.A < 2*named && c.r.OK() {
		c.r.Fail(at, "a load or a store names its memory")
		c.r.err.Feature = "multi-memory"
		return
	}
	in.B = c.r.U32()
}

func (c *Code) blockType(in *Instr) {
	at := c.r.Offset()
	in.Int = c.r.S33()
	if in.Int >= 0 || !c.r.OK() {
		return
	}
	// What is negative is a byte and no number: it can not be padded.
	if c.r.pos-in.Imm > 1 {
		c.r.Fail(at, "the block type is longer than one byte")
		return
	}
	if in.Int != NoBlockType {
		one := NewReader(c.r.b[in.Imm:c.r.pos], at)
		in.Type = one.ValType()
		c.r.adopt(one.err)
	}
}

func (c *Code) selectTypes(in *Instr) {
	at := c.r.Offset()
	if n := c.r.U32(); n != 1 && c.r.OK() {
		c.r.Fail(at, fmt.Sprintf("select has %d types", n))
		return
	}
	in.Type = c.r.ValType()
}

// nest follows blocks.
func (c *Code) nest(in *Instr) {
	last := len(c.open) - 1
	switch in.Op {
	case OpBlock, OpLoop:
		c.open = append(c.open, 'b')
	case OpIf:
		c.open = append(c.open, 'i')
	case OpElse:
		if last < 0 || c.open[last] != 'i' {
			c.r.Fail(c.Offset(in), "else without an if")
			return
		}
		c.open[last] = 'b'
	case OpEnd:
		if last >= 0 {
			c.open = c.open[:last]
			return
		}
		if c.done = true; !c.more && c.r.Left() > 0 {
			c.r.Fail(c.r.Offset(), fmt.Sprintf("%d bytes after the end of the code", c.r.Left()))
		}
	}
}

// foreign ends at an opcode that is not of core 2.0 without vectors.
func (c *Code) foreign(in *Instr) {
	if !c.r.OK() {
		return
	}
	c.r.Fail(c.Offset(in), fmt.Sprintf("opcode 0x%02x is not known", uint16(in.Op)))
	c.r.err.Feature = opFeature(in.Op)
}

// opFeature is the proposal that has an opcode we do not.
func opFeature(o Op) string {
	switch o {
	case 0xfd:
		return "SIMD"
	case 0xfe:
		return "threads"
	case 0x12, 0x13, 0x15:
		return "tail calls"
	case 0x06, 0x07, 0x08, 0x09, 0x0a, 0x18, 0x19, 0x1f:
		return "exceptions"
	case 0x14, 0xd4, 0xd5, 0xd6:
		return "typed function references"
	case 0xfb, 0xd3:
		return "garbage collection"
	case 0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5:
		return "stack switching"
	case 0xfc13, 0xfc14, 0xfc15, 0xfc16:
		return "wide arithmetic"
	}
	return ""
}

// Expr reads an expression that ends somewhere in the bytes, its end included.
func (r *Reader) Expr() []byte {
	var c Code
	c.Reset(r.b[r.pos:], r.Offset())
	c.more = true
	var in Instr
	for c.Next(&in) {
	}
	if r.adopt(c.r.err); !r.OK() {
		return nil
	}
	return r.Bytes(uint32(c.r.pos))
}

// A Body is the body of a function.
type Body struct {
	Decl   []byte // the vector of groups of locals, its count included
	Groups uint32
	Locals uint64 // declared, parameters not counted
	Code   []byte
	Offset int // of Code, from the start of the module
}

// Body reads an entry of the code section. Its code is not looked at.
func (r *Reader) Body() (b Body) {
	n := r.U32()
	at := r.Offset()
	one := NewReader(r.Bytes(n), at)
	b.Groups = one.Count(2)
	for range b.Groups {
		b.Locals += uint64(one.U32())
		one.ValType()
	}
	if r.adopt(one.err); !r.OK() {
		return Body{}
	}
	b.Decl = one.b[:one.pos]
	b.Code, b.Offset = one.b[one.pos:], one.Offset()
	return b
}
