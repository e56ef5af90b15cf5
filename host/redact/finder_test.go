package redact

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTheFinderHearsEveryLiteral holds it against a search for each literal, in texts
// of their pieces, the shortest ones at the end too.
func TestTheFinderHearsEveryLiteral(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	alphabet := []string{"a", "b", "A", "B", "k", "_", "\x00", "é", "\u212a", "\xff"}
	draw := func(n int) string {
		s := ""
		for range n {
			s += alphabet[random.IntN(len(alphabet))]
		}
		return s
	}
	heard := 0
	for range 2000 {
		literals := make([][]string, 1+random.IntN(90))
		for i := range literals {
			literals[i] = []string{lower(draw(1 + random.IntN(5)))}
		}
		f, text := newFinder(literals), draw(random.IntN(12))
		var got, want [][2]int
		f.find(text, func(owner, end int) { got = append(got, [2]int{owner, end}) })
		for owner, list := range literals {
			for i := range len(text) {
				if len(text)-i >= len(list[0]) && starts(text[i:], list[0]) {
					want = append(want, [2]int{owner, i + len(list[0])})
				}
			}
		}
		order := func(a, b [2]int) int { return (a[0]-b[0])*1000 + a[1] - b[1] }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %q: got %v, want %v", literals, text, got, want)
		}
		heard += len(want)
	}
	if heard < 1000 {
		t.Errorf("%d literals were heard", heard)
	}
}
