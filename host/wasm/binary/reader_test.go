package binary

import (
	"fmt"
	"strings"
	"testing"
)

func TestNumbersAreReadWithinTheirBits(t *testing.T) {
	u32 := func(r *Reader) int64 { return int64(r.U32()) }
	s32 := func(r *Reader) int64 { return int64(r.S32()) }
	s33 := func(r *Reader) int64 { return r.S33() }
	s64 := func(r *Reader) int64 { return r.S64() }
	cases := []struct {
		name string
		read func(*Reader) int64
		in   string
		want int64
		err  string
	}{
		{"one byte", u32, "\x7f", 127, ""},
		{"two bytes", u32, "\x80\x01", 128, ""},
		{"largest", u32, "\xff\xff\xff\xff\x0f", 1<<32 - 1, ""},
		{"padded", u32, "\x80\x80\x80\x80\x00", 0, ""},
		{"33 bits", u32, "\xff\xff\xff\xff\x1f", 0, "more than 32 bits"},
		{"six bytes", u32, "\x80\x80\x80\x80\x80\x00", 0, "longer than 5 bytes"},
		{"cut", u32, "\x80", 0, "end inside"},
		{"empty", u32, "", 0, "end inside"},
		{"minus one", s32, "\x7f", -1, ""},
		{"minus 128", s32, "\x80\x7f", -128, ""},
		{"64", s32, "\xc0\x00", 64, ""},
		{"smallest of 32", s32, "\x80\x80\x80\x80\x78", -1 << 31, ""},
		{"largest of 32", s32, "\xff\xff\xff\xff\x07", 1<<31 - 1, ""},
		{"32 with a bit too many", s32, "\xff\xff\xff\xff\x0f", 0, "more than 32 bits"},
		{"32 with a sign too few", s32, "\x80\x80\x80\x80\x70", 0, "more than 32 bits"},
		{"padded minus one", s32, "\xff\xff\xff\xff\x7f", -1, ""},
		{"smallest of 33", s33, "\x80\x80\x80\x80\x70", -1 << 32, ""},
		{"largest of 33", s33, "\xff\xff\xff\xff\x0f", 1<<32 - 1, ""},
		{"33 with a bit too many", s33, "\xff\xff\xff\xff\x1f", 0, "more than 33 bits"},
		{"smallest of 64", s64, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", -1 << 63, ""},
		{"largest of 64", s64, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 1<<63 - 1, ""},
		{"64 with a bit too many", s64, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 0, "more than 64 bits"},
		{"eleven bytes", s64, strings.Repeat("\x80", 10) + "\x00", 0, "longer than 10 bytes"},
	}
	for _, c := range cases {
		r := NewReader([]byte(c.in), 16)
		got := c.read(&r)
		switch {
		case c.err == "" && (r.Err() != nil || got != c.want || r.Left() != 0):
			t.Errorf("%s: got %d, %v, %d left; want %d", c.name, got, r.Err(), r.Left(), c.want)
		case c.err != "" && (r.Err() == nil || !strings.Contains(r.Err().Error(), c.err)):
			t.Errorf("%s: got %d, %v; want an error with %q", c.name, got, r.Err(), c.err)
		}
	}
}

func TestCountsAreHeldToTheBytesThatAreLeft(t *testing.T) {
	for _, c := range []struct {
		in    string
		least uint32
		want  uint32
		ok    bool
	}{
		{"\x02ab", 1, 2, true},
		{"\x03ab", 1, 0, false},
		{"\x01ab", 2, 1, true},
		{"\x02abc", 2, 0, false},
		{"\xff\xff\xff\xff\x0f", 1, 0, false},
		{"\xff\xff\xff\xff\x0fab", 0xffffffff, 0, false},
	} {
		r := NewReader([]byte(c.in), 0)
		if got := r.Count(c.least); got != c.want || r.OK() != c.ok {
			t.Errorf("%q at least %d: got %d, %v; want %d, %v", c.in, c.least, got, r.Err(), c.want, c.ok)
		}
	}
}

func TestSectionsAreWalkedToTheEnd(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"none", string(Header), ""},
		{"two", string(Header) + "\x01\x01\x00\x00\x02\x01x", "type 8 10 1;custom 11 13 2;"},
		{"component", string(ComponentHeader), "offset 0x0: not a WebAssembly module of version 1"},
		{"cut header", "\x00asm", "offset 0x0: not a WebAssembly module of version 1"},
		{"no size", string(Header) + "\x01", "offset 0x9: the bytes end inside a value"},
		{"size that lies", string(Header) + "\x01\x05\x00", "offset 0xa: 5 bytes are announced and 1 are left"},
	} {
		var got strings.Builder
		secs := NewSections([]byte(c.in))
		for s, ok := secs.Next(); ok; s, ok = secs.Next() {
			fmt.Fprintf(&got, "%s %d %d %d;", SectionName(s.ID), s.Start, s.Offset, len(s.Body))
		}
		if err := secs.Err(); err != nil {
			got.WriteString(err.Error())
		}
		if got.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got.String(), c.want)
		}
	}
}
