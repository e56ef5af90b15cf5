package builtin

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

// TestGlobsThatMatchOnePathMeet draws globs and paths: what both match is never
// missed.
func TestGlobsThatMatchOnePathMeet(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "b", "secret", "*", "s*", "**", "?", "[a-b]", "{a,secret}", "se[c]ret", "[id]"})
	name := rapid.SampledFrom([]string{"a", "b", "secret", "i"})
	path := func(t *rapid.T, of *rapid.Generator[string], label string) string {
		return "/" + strings.Join(rapid.SliceOfN(of, 0, 4).Draw(t, label), "/")
	}
	met := 0
	rapid.Check(t, func(t *rapid.T) {
		a, b, p := path(t, part, "a"), path(t, part, "b"), path(t, name, "path")
		if doublestar.MatchUnvalidated(a, p) && doublestar.MatchUnvalidated(b, p) {
			met++
			if !meets(a, b) {
				t.Fatalf("%q and %q both match %q", a, b, p)
			}
		}
	})
	if met == 0 {
		t.Fatal("no two globs met")
	}
	for _, pair := range [][2]string{{"/a/*", "/b/*"}, {"/**/secret/**", "/app/[id]/page.tsx"}, {"/a", "/?b"}, {"/a/b", "/*"}} {
		if meets(pair[0], pair[1]) {
			t.Errorf("%q and %q match nothing together", pair[0], pair[1])
		}
	}
}
