package binary

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// listing is the text of an expression: opcodes with what is decoded of them.
func listing(code string) string {
	var out []string
	c := NewCode([]byte(code), 100)
	var in Instr
	for c.Next(&in) {
		line := fmt.Sprintf("%d %s", in.Depth, in.Op)
		if in.A != 0 || in.B != 0 {
			line += fmt.Sprintf(" %d %d", in.A, in.B)
		}
		if in.Int != 0 {
			line += fmt.Sprintf(" #%d", in.Int)
		}
		if in.Type != 0 {
			line += " " + in.Type.String()
		}
		out = append(out, line)
	}
	if err := c.Err(); err != nil {
		out = append(out, err.Error())
	}
	return strings.Join(out, "; ")
}

func TestInstructionsAreReadWithTheirImmediates(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"\x0b", "1 end"},
		{"\x02\x40\x0b\x0b", "1 block #-64; 2 end; 1 end"},
		{"\x03\x7f\x0b\x0b", "1 loop #-1 i32; 2 end; 1 end"},
		{"\x03\x05\x0b\x0b", "1 loop #5; 2 end; 1 end"},
		{"\x04\x40\x01\x05\x01\x0b\x0b", "1 if #-64; 2 nop; 2 else; 2 nop; 2 end; 1 end"},
		{"\x0e\x02\x00\x01\x00\x0b", "1 br_table 2 0; 1 end"},
		{"\x11\x03\x01\x0b", "1 call_indirect 3 1; 1 end"},
		{"\x1c\x01\x70\x0b", "1 select t funcref; 1 end"},
		{"\x28\x02\x80\x01\x0b", "1 i32.load 2 128; 1 end"},
		{"\x41\x7f\x42\x7e\x0b", "1 i32.const #-1; 1 i64.const #-2; 1 end"},
		{"\x43abcd\x44abcdefgh\x0b", "1 f32.const; 1 f64.const; 1 end"},
		{"\xd0\x6f\x0b", "1 ref.null externref; 1 end"},
		{"\xfc\x0a\x00\x00\xfc\x8b\x00\x00\x0b", "1 memory.copy; 1 memory.fill; 1 end"},
		{"\x02\x40\x05\x0b\x0b", "1 block #-64; offset 0x66: else without an if"},
		{"\x04\x40\x05\x05\x0b\x0b", "1 if #-64; 2 else; offset 0x67: else without an if"},
		{"", "offset 0x64: the code ends before the end of its blocks"},
		{"\x02\x40\x0b", "1 block #-64; 2 end; offset 0x67: the code ends before the end of its blocks"},
		{"\x0b\x01", "offset 0x65: 1 bytes after the end of the code"},
		{"\x02\xc0\x7f\x0b\x0b", "offset 0x65: the block type is longer than one byte"},
		{"\x02\x7b\x0b\x0b", "offset 0x65: 0x7b is not a value type"},
		{"\x0e\xff\xff\xff\xff\x0f\x00", "offset 0x65: 4294967295 entries are announced and 1 bytes are left"},
		{"\x1c\x02\x70\x70\x0b", "offset 0x65: select has 2 types"},
		{"\xfd\x00\x0b", "offset 0x64: opcode 0xfd is not known"},
		{"\xfc\x12\x0b", "offset 0x64: opcode 0xfc12 is not known"},
		{"\xfc\xff\xff\xff\xff\x0f\x0b", "offset 0x64: opcode 0xfc is not known"},
		{"\x44abc", "offset 0x65: 8 bytes are announced and 3 are left"},
	} {
		if got := listing(c.code); got != c.want {
			t.Errorf("%x: got %q, want %q", c.code, got, c.want)
		}
	}
}

func TestForeignOpcodesNameTheirProposal(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"\xfd\x00\x0b", "SIMD"}, {"\xfe\x00\x0b", "threads"}, {"\x12\x00\x0b", "tail calls"},
		{"\x08\x00\x0b", "exceptions"}, {"\x14\x00\x0b", "typed function references"},
		{"\xfb\x00\x0b", "garbage collection"}, {"\x27\x0b", ""}, {"\x02\x7b\x0b\x0b", "SIMD"},
	} {
		code := NewCode([]byte(c.code), 0)
		var in Instr
		for code.Next(&in) {
		}
		err, ok := code.Err().(*Error)
		if !ok || err.Feature != c.want {
			t.Errorf("%x: got %+v, want the feature %q", c.code, err, c.want)
		}
	}
}

func TestEveryOpcodeHasAFormAndOneName(t *testing.T) {
	names := map[string]bool{}
	count := 0
	for _, o := range slices.Concat(ops[:], prefixed[:]) {
		if (o.name == "") != (o.imm == unknown) {
			t.Errorf("%+v has a name or a form, and not the other", o)
		}
		if o.name == "" {
			continue
		}
		count++
		if names[o.name] {
			t.Errorf("%s is there twice", o.name)
		}
		names[o.name] = true
		if in, out, ok := strings.Cut(o.stack, ">"); o.stack != "" && (!ok || len(in) > 3 || len(out) > 1 || strings.Trim(in+out, "iIfF") != "") {
			t.Errorf("%s has the stack effect %q", o.name, o.stack)
		}
	}
	// 2.0 without vectors: 172 of 1.0, 5 extensions of signs, 18 with a prefix,
	// 6 of reference types.
	if want := 172 + 5 + 18 + 6; count != want {
		t.Errorf("%d opcodes, want %d", count, want)
	}
	for o, want := range map[Op]string{OpI32Add: "i32.add", OpTableFill: "table.fill", OpSelectT: "select t", OpI64Extend32S: "i64.extend32_s", 0x27: "opcode 0x27", 0xfc44: "opcode 0xfc44"} {
		if o.String() != want {
			t.Errorf("opcode %x is %q, want %q", uint16(o), o, want)
		}
	}
}

func TestExpressionsAndBodiesAreCutOut(t *testing.T) {
	r := NewReader([]byte("\x41\x01\x0b\x41\x02\x0brest"), 0)
	if first, second := r.Expr(), r.Expr(); string(first) != "\x41\x01\x0b" || string(second) != "\x41\x02\x0b" || r.Left() != 4 {
		t.Errorf("got %x, %x, %d left, %v", first, second, r.Left(), r.Err())
	}
	r = NewReader([]byte("\x07\x02\x03\x7f\x80\x01\x7e\x0brest"), 50)
	b := r.Body()
	if string(b.Decl) != "\x02\x03\x7f\x80\x01\x7e" || b.Groups != 2 || b.Locals != 131 || string(b.Code) != "\x0b" || b.Offset != 57 || r.Err() != nil {
		t.Errorf("got %+v, %v", b, r.Err())
	}
	r = NewReader([]byte("\x07\x02\x03\x7f\x80\x01\x7b\x0b"), 50)
	if r.Body(); r.Err() == nil || r.Err().Error() != "offset 0x38: 0x7b is not a value type" {
		t.Errorf("got %v", r.Err())
	}
	expr := []byte("\x41\x01\x0b")
	if n := testing.AllocsPerRun(100, func() { r := NewReader(expr, 0); r.Expr() }); n != 0 {
		t.Errorf("an expression takes %v allocations", n)
	}
}

func TestAnInstructionAllocatesNothing(t *testing.T) {
	code := []byte(strings.Repeat("\x02\x40\x41\x05\x1a\x0b\x41\x00\x0e\x02\x00\x00\x00", 1000) + "\x0b")
	c := NewCode(code, 0)
	var in Instr
	if n := testing.AllocsPerRun(20, func() {
		c.Reset(code, 0)
		for c.Next(&in) {
		}
	}); n != 0 || c.Err() != nil {
		t.Errorf("%v allocations, %v", n, c.Err())
	}
}

func FuzzCode(f *testing.F) {
	f.Add("\x02\x40\x0e\x02\x00\x01\x00\x0b\x0b")
	f.Add("\x0e\xff\xff\xff\xff\x0f\x00")
	f.Fuzz(func(t *testing.T, code string) {
		c := NewCode([]byte(code), 0)
		var in Instr
		at := 0
		for c.Next(&in) {
			if in.Start != at || in.Imm <= in.Start || in.End < in.Imm || in.Op.String() == "" {
				t.Fatalf("instruction %+v after %d", in, at)
			}
			at = in.End
		}
		if c.Err() == nil && at != len(code) {
			t.Fatalf("ended at %d of %d without an error", at, len(code))
		}
		r := NewReader([]byte(code), 0)
		if b := r.Body(); r.Err() == nil && len(b.Code)+len(b.Decl) > len(code) {
			t.Fatalf("body %+v", b)
		}
	})
}
