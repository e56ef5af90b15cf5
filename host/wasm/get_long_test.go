package wasm

import (
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// A path can be as long as a guest's memory. One that leads nowhere is not copied,
// nor read to its end; one that does is found, however long, and remembered.
func TestLongPathsAreNotCopied(t *testing.T) {
	limits := Limits{}.withDefaults()
	name := strings.Repeat("a~/b", longPath)
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	tildes := strings.Repeat("~", 2*longPath)
	view := abi.ObjectValue(
		abi.Member{Name: name, Value: abi.ArrayValue(abi.StringValue("found"))},
		abi.Member{Name: "list", Value: abi.ArrayValue(abi.ObjectValue(abi.Member{Name: tildes, Value: abi.StringValue("too")}))},
		abi.Member{Name: "short", Value: abi.IntValue(1)},
	)
	r := run{limits: &limits, view: view}
	const size = 8 << 20
	fill := func(prefix, with string) []byte {
		return append(append(make([]byte, 0, size), prefix...), strings.Repeat(with, (size-len(prefix))/len(with))...)
	}
	for what, path := range map[string][]byte{
		"a token": fill("/", "a"), "an escaped token": fill("/", "~0"), "a token of an array": fill("/list/1", "1"),
		"no pointer": fill("a", "a"), "many tokens": fill("/", "/"), "below a number": fill("/short/", "1"), "bad escapes": fill("/", "~"),
		"a name, and more": fill("/"+escaped+"/0/", "a"), "a name that goes on": fill("/"+escaped, "a"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.look(path)
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 1<<20 || cap(r.last.path) > 1<<20 {
			t.Errorf("%s: %d bytes made, a path of %d kept", what, made, cap(r.last.path))
		}
		if r.last.kind != abi.Absent || len(r.last.bytes) != 0 || r.looked != 0 {
			t.Errorf("%s: it leads to %v, %q", what, r.last.kind, r.last.bytes)
		}
	}
	looked := uint64(0)
	for pointer, want := range map[string]string{
		"/" + escaped + "/0": "found", "/list/0/" + strings.ReplaceAll(tildes, "~", "~0"): "too", "/short": "1",
	} {
		looked += uint64(len(want))
		for range 2 {
			if r.look([]byte(pointer)); string(r.last.bytes) != want || r.looked != looked {
				t.Errorf("%.20q: %q, looked at %d; want %q, %d", pointer, r.last.bytes, r.looked, want, looked)
			}
		}
	}
}

// Where a token ends is found at every length about the longest name there is.
func TestTokensAsLongAsTheLongestNameAreFound(t *testing.T) {
	asked := 0
	for _, longest := range []int{0, 1, longPath/2 - 1, longPath / 2, longPath/2 + 1, longPath, 3 * longPath} {
		for _, letter := range []string{"a", "~", "/"} {
			name := strings.Repeat(letter, longest)
			token := strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			view := abi.ObjectValue(abi.Member{Name: name, Value: abi.ObjectValue(abi.Member{Name: name, Value: abi.StringValue("here")})})
			for _, pointer := range []string{
				"/" + token + "/" + token, "/" + token + "a/" + token, "/" + token + "/" + token + "/", "/" + token + "~0/" + token,
				"/" + token + "/" + token + "~0", "/" + token, "//" + token, "/" + token + strings.Repeat("/", 2*longPath),
			} {
				r := run{view: view}
				if got, want := r.at([]byte(pointer)), view.At(pointer); got.Kind() != want.Kind() || string(got.Bytes(nil)) != string(want.Bytes(nil)) {
					t.Errorf("a name of %d %q, %.30q of %d bytes: %v; want %v", longest, letter, pointer, len(pointer), got.Kind(), want.Kind())
				}
				asked++
			}
		}
	}
	if asked != 7*3*8 {
		t.Errorf("%d pointers; want %d", asked, 7*3*8)
	}
}

// A long text is written in pieces, which nobody can tell.
func TestLongTextIsLoggedAsInOnePiece(t *testing.T) {
	seen := 0
	for _, text := range []string{
		"", "\n", strings.Repeat("a", MaxLogBytes), strings.Repeat("a", MaxLogBytes) + "\n", strings.Repeat("a", MaxLogBytes+1), strings.Repeat("a", 3*MaxLogBytes) + "\nb",
		strings.Repeat("a\n", MaxLogBytes), strings.Repeat("\n", MaxLogLines), strings.Repeat("\n", MaxLogLines+1), strings.Repeat("\n", MaxLogLines) + strings.Repeat("b", MaxLogBytes),
		strings.Repeat("\n", MaxLogBytes-1) + "b\nc", strings.Repeat("long line\u00e9\n", MaxLogBytes/4), strings.Repeat("b", MaxLogBytes-1) + "\u00e9\n",
	} {
		var one, pieces logBuffer
		one.piece(1, []byte(text))
		pieces.write(1, []byte(text))
		a, b := one.end(), pieces.end()
		if len(a) != len(b) || one.cut != pieces.cut || one.bytes != pieces.bytes {
			t.Errorf("%.20q of %d bytes: %d lines, %d bytes, cut %t; in one piece %d, %d, %t", text, len(text), len(b), pieces.bytes, pieces.cut, len(a), one.bytes, one.cut)
			continue
		}
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("%.20q of %d bytes: line %d differs", text, len(text), i)
			}
		}
		seen++
	}
	if seen != 13 {
		t.Errorf("%d texts; want 13", seen)
	}
}
