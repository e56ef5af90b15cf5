package main

import (
	"strings"
	"testing"
)

// However output is cut into pieces, what is printed is the same, and nothing of it
// acts on a terminal.
func TestOutputOfOthersIsEscapedWhereverItIsCut(t *testing.T) {
	text := "plain\n\x1b[2J\x07 \u202e ä€😀 \xff\r\nend \u009b"
	want := "plain\n{U+001B}[2J{U+0007} {U+202E} ä€😀 {U+FFFD}\nend {U+009B}"
	for size := 1; size <= len(text); size++ {
		var out strings.Builder
		e := &escaping{to: &out}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if wrote, err := e.Write([]byte(rest[:n])); err != nil || wrote != n {
				t.Fatalf("%d, error %v; want %d", wrote, err, n)
			}
			rest = rest[n:]
		}
		if err := e.flush(); err != nil || out.String() != want {
			t.Errorf("pieces of %d: %q, error %v; want %q", size, out.String(), err, want)
		}
	}
}

func TestALineWithoutEndIsNotKept(t *testing.T) {
	for _, char := range []string{"x", "ä", "€", "😀", "\x1b", "\xff"} {
		var out strings.Builder
		e := &escaping{to: &out}
		one := strings.Repeat(char, 1000)
		for range 100 {
			if _, err := e.Write([]byte(one)); err != nil {
				t.Fatal(err)
			}
			if len(e.rest) > maxEscaped {
				t.Fatalf("%q: %d bytes are kept", char, len(e.rest))
			}
		}
		if err := e.flush(); err != nil || out.String() != printable(strings.Repeat(char, 100_000)) {
			t.Errorf("%q: %d bytes, error %v; want all of it, escaped", char, out.Len(), err)
		}
	}
}
