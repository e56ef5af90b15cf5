package signature

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sets is the matrix without any of its layout: the rows of each block.
type sets struct {
	m    *Matrix // for its hashes, and to be compared with
	rows []map[int]bool
}

func newSets(rows int) *sets { return &sets{m: New(rows)} }

func (s *sets) block(k int) map[int]bool {
	for len(s.rows) <= k {
		s.rows = append(s.rows, map[int]bool{})
	}
	return s.rows[k]
}

func (s *sets) add(k int, text []byte) {
	s.m.Add(k, text)
	set := s.block(k)
	for i := 0; i+Gram <= len(text); i++ {
		set[s.m.row(window(text[i:]))] = true
	}
}

func (s *sets) addToken(k int, word []byte) {
	s.m.AddToken(k, word)
	for _, r := range s.m.tokenRows(word) {
		s.block(k)[r] = true
	}
}

func window(text []byte) uint64 {
	var b [8]byte
	copy(b[:Gram], text)
	return binary.BigEndian.Uint64(b[:])
}

// having are the blocks that have all rows.
func (s *sets) having(rows []int) []int {
	found := []int{}
	for k, set := range s.rows {
		if !slices.ContainsFunc(rows, func(r int) bool { return !set[r] }) {
			found = append(found, k)
		}
	}
	return found
}

func candidates(m *Matrix, value []byte) []int {
	found := []int{}
	m.Candidates(value, func(k int) bool { found = append(found, k); return true })
	return found
}

func wordCandidates(m *Matrix, words ...[]byte) []int {
	found := []int{}
	m.Words(words, func(k int) bool { found = append(found, k); return true })
	return found
}

func digest(m *Matrix) string {
	h := sha256.New()
	m.Digest(h)
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestABlockIsFoundByWhatStandsInIt(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		s := newSets(rapid.SampledFrom([]int{1, 64, 256, 4096}).Draw(t, "rows"))
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		// Borders of widths, and of groups.
		n := rapid.SampledFrom([]int{1, 7, 8, 9, 16, 17, 33, 64, 65, 129, 257, 512, 513, 520, 1024, 1030}).Draw(t, "blocks")
		texts := make([][]byte, n)
		for k := range texts {
			texts[k] = letters(r, r.IntN(40))
			s.add(k, texts[k])
		}
		if got := s.m.Blocks(); got != n {
			t.Fatalf("%d blocks, want %d", got, n)
		}
		for range 40 {
			k := r.IntN(n)
			for at := 0; at+Gram <= len(texts[k]); at++ {
				value := texts[k][at : at+Gram+r.IntN(len(texts[k])-at-Gram+1)]
				if found := candidates(s.m, value); !slices.Contains(found, k) {
					t.Fatalf("%q of block %d of %d is not found; found %d", value, k, n, found)
				}
				compared++
			}
		}
	})
	if compared == 0 {
		t.Fatal("nothing was looked for")
	}
}

// step is one thing that is done to a matrix.
func step(s *sets, r *rand.Rand) {
	k := max(0, len(s.rows)-1)
	switch r.IntN(8) {
	case 0, 1, 2:
		k++
	case 3:
		k -= r.IntN(k + 1) // late
	case 4:
		k += r.IntN(40) // with blocks left out
	}
	if r.IntN(3) == 0 {
		s.addToken(k, letters(r, 1+r.IntN(4)))
	} else {
		s.add(k, letters(r, r.IntN(30)))
	}
}

func TestTheMatrixHoldsTheRowsOfEachBlock(t *testing.T) {
	compared, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := newSets(rapid.SampledFrom([]int{64, 128, 1024}).Draw(t, "rows"))
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			step(s, r)
			if r.IntN(8) > 0 {
				continue
			}
			value, words := letters(r, Gram+r.IntN(4)), [][]byte{letters(r, 1+r.IntN(2)), letters(r, 1)}
			want := s.having(s.m.appendRows(nil, value))
			if got := candidates(s.m, value); !slices.Equal(got, want) {
				t.Fatalf("%q is found in %d, want %d", value, got, want)
			}
			found += len(want)
			one, two := s.m.tokenRows(words[0]), s.m.tokenRows(words[1])
			want = s.having(append(one[:], two[:]...))
			if got := wordCandidates(s.m, words...); !slices.Equal(got, want) {
				t.Fatalf("%q are found in %d, want %d", words, got, want)
			}
			found += len(want)
			compared++
		}
	})
	if compared == 0 || found == 0 {
		t.Fatalf("%d comparisons that found %d blocks; want some", compared, found)
	}
}

func TestWhatNoBlockHoldsIsRarelyFound(t *testing.T) {
	text := prose(rand.New(rand.NewPCG(4, 4)), 1<<20)
	m := New(0)
	for k := range len(text) / blockText {
		m.Add(k, text[k*blockText:(k+1)*blockText])
	}
	blocks := m.Blocks()
	cases := []struct {
		value string
		most  int
	}{
		{"nobodyhasthis@addressatall", 0},
		{"{}[]<>!", blocks / 8}, // three windows
		{string(text[:24]), blocks},
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		if got := len(candidates(m, []byte(c.value))); got > c.most {
			t.Errorf("%q is found in %d of %d blocks, want at most %d", c.value, got, blocks, c.most)
		}
	}
	if got := candidates(m, text[:24]); !slices.Contains(got, 0) {
		t.Errorf("%q is found in %d, want in block 0 too", text[:24], got)
	}
}

func TestAShortWordStandsAlone(t *testing.T) {
	m := New(0)
	m.AddToken(0, []byte("bob"))
	m.AddToken(1, []byte("bob"))
	m.AddToken(1, []byte("7"))
	m.Add(2, []byte("bobbob7"))
	m.AddToken(3, []byte("bobs"))
	m.AddToken(600, []byte("bob"))
	cases := []struct {
		name  string
		words []string
		want  []int
	}{
		{"a word", []string{"bob"}, []int{0, 1, 600}},
		{"its beginning", []string{"bo"}, []int{}},
		{"two words", []string{"7", "bob"}, []int{1}},
		{"the same word twice", []string{"bob", "bob"}, []int{0, 1, 600}},
		{"a longer word", []string{"bobs"}, []int{3}},
		{"its letters in another order", []string{"sbob"}, []int{}},
		{"a word with a NUL", []string{"bob\x00"}, []int{}},
		{"a word that nobody said", []string{"eve"}, []int{}},
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		var words [][]byte
		for _, w := range c.words {
			words = append(words, []byte(w))
		}
		if got := wordCandidates(m, words...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q found in %d, want %d", c.name, c.words, got, c.want)
		}
	}
}

// What the matrix knows nothing of may stand anywhere.
func TestAValueWithoutWindowsMayStandInEveryBlock(t *testing.T) {
	m := New(0)
	for k := range 600 {
		m.Add(k, fmt.Appendf(nil, "block%d", k))
	}
	for _, c := range []struct {
		value string
		want  int
	}{{"", 600}, {"bloc", 600}, {"block", 600}, {"block5", 111}, {"block599", 1}, {"block600", 0}} {
		if got := candidates(m, []byte(c.value)); len(got) != c.want {
			t.Errorf("%q is found in %d blocks, want %d: %d", c.value, len(got), c.want, got)
		}
	}
	if got := wordCandidates(m); len(got) != 600 {
		t.Errorf("no words are found in %d blocks, want 600", len(got))
	}
}

func TestALongValueIsLookedUpEverywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	text := letters(r, 4000)
	m := New(0)
	m.Add(0, []byte("short"))
	m.Add(1, text)
	m.Add(2, text[:2000])
	cases := 0
	for _, n := range []int{5, 6, 12, 68, 69, 200, 256, 2001, 4000} {
		cases++
		if got := candidates(m, text[:n]); n <= 2000 && !slices.Equal(got, []int{1, 2}) || n > 2100 && !slices.Equal(got, []int{1}) {
			t.Errorf("%d bytes are found in %d", n, got)
		}
		// Wherever ten bytes in it are others, the block is ruled out.
		for at := 0; n >= 69 && n <= 256 && at+10 <= n; at++ {
			other := bytes.Clone(text[:n])
			copy(other[at:], "!!!!!!!!!!")
			if got := candidates(m, other); len(got) > 0 {
				t.Errorf("%d bytes with others at %d are found in %d", n, at, got)
			}
		}
	}
	if got := candidates(m, append(bytes.Clone(text), text...)); !slices.Equal(got, []int{1}) && len(got) > 0 {
		t.Errorf("a value longer than every block is found in %d", got)
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

func TestALookupStopsWhenItIsTold(t *testing.T) {
	m := New(64)
	for k := range 1100 {
		m.Add(k, []byte("everywhere"))
	}
	for _, n := range []int{1, 2, 8, 500, 513, 1098, 1100} {
		var got []int
		m.Candidates([]byte("everywhere"), func(k int) bool {
			got = append(got, k)
			return len(got) < n
		})
		if len(got) != n || got[n-1] != n-1 {
			t.Errorf("stopped after %d: visited %d blocks, to %d", n, len(got), got[len(got)-1])
		}
	}
}

func TestNothingIsInAnEmptyMatrix(t *testing.T) {
	for _, m := range []*Matrix{{}, New(0)} {
		if got := append(candidates(m, []byte("alice@corp")), candidates(m, nil)...); len(got) > 0 {
			t.Errorf("an empty matrix finds %d", got)
		}
	}
	m := New(0)
	m.Add(0, []byte("alice@corp"))
	if got := candidates(m, []byte("alice@corp")); !slices.Equal(got, []int{0}) {
		t.Errorf("found in %d, want in the only block", got)
	}
}
