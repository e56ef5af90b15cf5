// Package binary reads WebAssembly modules in their binary form: core 2.0
// without vectors. It bounds every read, trusts no count, and never panics.
// What it says about a module is about form only: whether the parts fit
// together is for package scan.
package binary

import (
	"fmt"
	"unicode/utf8"
)

// An Error is a place where the bytes are not a module.
type Error struct {
	Offset  int    // from the start of the module, bytes
	What    string // a clause: "the number is longer than 5 bytes"
	Feature string // the proposal that would give the bytes a meaning, or ""
}

// Error is the place and the clause.
func (e *Error) Error() string { return fmt.Sprintf("offset 0x%x: %s", e.Offset, e.What) }

// A Reader reads values one after another. After the first error it stays at
// its end and returns zeros, so callers may look at Err once, after a loop
// that ends when it fails.
type Reader struct {
	b    []byte
	pos  int
	base int
	err  *Error
}

// NewReader reads b, which begins base bytes into the module.
func NewReader(b []byte, base int) Reader { return Reader{b: b, base: base} }

// Err is the first error, or nil.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// OK says that nothing has failed.
func (r *Reader) OK() bool { return r.err == nil }

// Left is the number of bytes not read.
func (r *Reader) Left() int { return len(r.b) - r.pos }

// Pos is the number of bytes read.
func (r *Reader) Pos() int { return r.pos }

// Offset is where the next read begins, from the start of the module.
func (r *Reader) Offset() int { return r.base + r.pos }

// Fail ends the reading with an error at an offset of the module.
func (r *Reader) Fail(offset int, what string) {
	if r.err == nil {
		r.err = &Error{Offset: offset, What: what}
	}
	r.pos = len(r.b)
}

// adopt fails with the error of a reader of a part, if there is one.
func (r *Reader) adopt(err *Error) {
	if err != nil && r.err == nil {
		r.err = err
		r.pos = len(r.b)
	}
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if r.pos >= len(r.b) {
		r.Fail(r.Offset(), "the bytes end inside a value")
		return 0
	}
	c := r.b[r.pos]
	r.pos++
	return c
}

// Bytes reads n bytes, without a copy.
func (r *Reader) Bytes(n uint32) []byte {
	if uint64(n) > uint64(r.Left()) {
		r.Fail(r.Offset(), fmt.Sprintf("%d bytes are announced and %d are left", n, r.Left()))
		return nil
	}
	b := r.b[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// Name reads a vector of bytes that must be UTF-8.
func (r *Reader) Name() []byte {
	at := r.Offset()
	b := r.Bytes(r.U32())
	if !utf8.Valid(b) {
		r.Fail(at, "the name is not UTF-8")
		return nil
	}
	return b
}

// U32 reads an unsigned number of at most 32 bits.
func (r *Reader) U32() uint32 {
	// Most numbers are of one byte.
	if r.pos < len(r.b) && r.b[r.pos] < 0x80 {
		r.pos++
		return uint32(r.b[r.pos-1])
	}
	return uint32(r.leb(32, false))
}

// S32 reads a signed number of 32 bits.
func (r *Reader) S32() int32 { return int32(r.leb(32, true)) }

// S33 reads a block type: a type index, or a negative number for what is not.
func (r *Reader) S33() int64 { return r.leb(33, true) }

// S64 reads a signed number of 64 bits.
func (r *Reader) S64() int64 { return r.leb(64, true) }

// Count reads the length of a vector whose elements take at least least bytes
// each. A count that the bytes left can not hold is an error, so what a caller
// allocates by it is in proportion to the input.
func (r *Reader) Count(least uint32) uint32 {
	at := r.Offset()
	n := r.U32()
	if uint64(n)*uint64(least) > uint64(r.Left()) {
		r.Fail(at, fmt.Sprintf("%d entries are announced and %d bytes are left", n, r.Left()))
		return 0
	}
	return n
}

// leb reads a LEB128 number. Padding is well-formed up to ceil(bits/7) bytes;
// the unused bits of the last of these must be zeros, or the sign.
func (r *Reader) leb(bits uint, signed bool) int64 {
	at := r.Offset()
	var v uint64
	for shift := uint(0); shift < bits; shift += 7 {
		c := r.Byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return r.sign(at, v, c, shift, bits, signed)
		}
	}
	if r.err == nil {
		r.Fail(at, fmt.Sprintf("the number is longer than %d bytes", (bits+6)/7))
	}
	return 0
}

// sign checks the last byte c of a number and extends its sign.
func (r *Reader) sign(at int, v uint64, c byte, shift, bits uint, signed bool) int64 {
	if left := bits - shift; left < 7 {
		spare := c & 0x7f >> left // unsigned: all must be zero
		if signed {
			// The sign bit and all above it must be equal.
			spare = c & 0x7f >> (left - 1)
			if spare == 0x7f>>(left-1) {
				spare = 0
			}
		}
		if spare != 0 {
			r.Fail(at, fmt.Sprintf("the number needs more than %d bits", bits))
			return 0
		}
	}
	if width := shift + 7; signed && width < 64 && c&0x40 != 0 {
		v |= ^uint64(0) << width
	}
	return int64(v)
}

// Rest is the bytes that are not read, without a copy. They stay unread.
func (r *Reader) Rest() []byte { return r.b[r.pos:len(r.b):len(r.b)] }
