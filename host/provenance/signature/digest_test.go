package signature

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// addInPieces adds a text in pieces that share four bytes.
func addInPieces(m *Matrix, r *rand.Rand, k int, text []byte) {
	for from := 0; ; {
		to := from + 1 + r.IntN(12)
		if to >= len(text) {
			m.Add(k, text[from:])
			return
		}
		m.Add(k, text[from:to])
		from = max(from, to-Gram+1)
	}
}

func TestTheDigestIsOfWhatIsHeldHoweverItCame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, two := New(128), New(128)
		n := rapid.SampledFrom([]int{1, 2, 8, 9, 40, 200, 520}).Draw(t, "blocks")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var late [][]byte
		for k := range n {
			text, word := letters(r, r.IntN(50)), letters(r, 1+r.IntN(4))
			one.Add(k, text)
			one.AddToken(k, word)
			two.Add(k, nil)
			late = append(late, word)
			addInPieces(two, r, k, text)
			if r.IntN(4) == 0 { // looking changes nothing
				digest(two)
				candidates(two, text)
			}
		}
		for _, k := range r.Perm(n) {
			two.AddToken(k, late[k])
		}
		if digest(one) != digest(two) {
			t.Fatalf("two digests of the same %d blocks", n)
		}
		one.Add(n-1, []byte("unlike"))
		if candidates(two, []byte("unlike")); len(candidates(two, []byte("unlike"))) == 0 && digest(one) == digest(two) {
			t.Fatal("the same digest with another text")
		}
	})
}

func TestEveryBitChangesTheDigest(t *testing.T) {
	build := func() *Matrix {
		m := New(64)
		for k := range 530 {
			m.AddToken(k, []byte{byte(k), byte(k >> 8)})
		}
		return m
	}
	seen := map[string]string{digest(build()): "nothing"}
	note := func(name string, m *Matrix) {
		d := digest(m)
		if as, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, as)
		}
		seen[d] = name
	}
	changed := 0
	for _, g := range []int{0, 1} {
		for at := 0; at < len(build().groups[g].bits); at += 37 {
			m := build()
			m.groups[g].bits[at] ^= 1 << (at % 8)
			note("a bit of a group", m)
			changed++
		}
	}
	for at := range build().open {
		m := build()
		m.open[at] ^= 1
		note("a bit of the column that is kept apart", m)
		changed++
	}
	if changed == 0 {
		t.Fatal("no bits")
	}
	m := build()
	m.Add(530, nil)
	note("a block with nothing in it", m)
	note("an empty matrix", New(64))
	note("an empty matrix of more rows", New(128))
}

func TestAMatrixIsAsLargeAsItsText(t *testing.T) {
	const column = defaultRows // bytes: eight blocks
	m := New(0)
	cases := 0
	for k := range 1040 {
		m.Add(k, nil)
		if got, most := m.Bytes(), int64(column+2*(k/8+1)*column); got > most {
			t.Fatalf("%d blocks take %d bytes, want at most %d", k+1, got, most)
		}
		cases++
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
	one := New(0)
	one.Add(0, []byte("some text"))
	if got := one.Bytes(); got != column {
		t.Errorf("one block takes %d bytes, want %d", got, column)
	}
	for _, c := range []struct{ rows, want int }{{0, 1 << 15}, {-1, 1 << 15}, {1, 64}, {64, 64}, {65, 128}, {1 << 12, 1 << 12}} {
		if got := New(c.rows).rows; got != c.want {
			t.Errorf("%d rows were asked for: %d, want %d", c.rows, got, c.want)
		}
	}
}

// density is the part of the rows that have the bit of the last block.
func density(m *Matrix) float64 {
	n := 0
	for _, b := range m.open {
		if b>>((m.blocks-1)%stripe)&1 != 0 {
			n++
		}
	}
	return float64(n) / float64(m.rows)
}

// chosen is a text that somebody wrote who knows the hash: of the letters that
// may come next, one that takes another row.
func chosen(m *Matrix, n int) []byte {
	taken := make([]bool, m.rows)
	text := []byte("aaaa")
	for len(text) < n {
		next := byte('a')
		for c := byte('0'); c <= 'z'; c++ {
			if !taken[m.row(window(append(text[len(text)-4:len(text):len(text)], c)))] {
				next = c
				break
			}
		}
		text = append(text, next)
		taken[m.row(window(text[len(text)-Gram:]))] = true
	}
	return text
}

func TestNoTextFillsABlock(t *testing.T) {
	const size = blockText + 256
	r := rand.New(rand.NewPCG(6, 6))
	random := func(alphabet string) []byte {
		out := make([]byte, size)
		for i := range out {
			out[i] = alphabet[r.IntN(len(alphabet))]
		}
		return out
	}
	value := []byte("mallorysaccount@rogue")
	cases := []struct {
		name        string
		text        []byte
		words       int // of three letters, besides
		least, most float64
	}{
		{"one letter", bytes.Repeat([]byte("a"), size), 0, 0, 0.001},
		{"prose", prose(r, size), 0, 0.10, 0.40},
		{"hex", random("0123456789abcdef"), 0, 0.38, 0.41},
		{"letters and digits", random("abcdefghijklmnopqrstuvwxyz0123456789"), 0, 0.38, 0.41},
		{"a text that was chosen", chosen(New(0), size), 0, 0.48, 0.51},
		{"short words", random("abcdefghijklmnopqrstuvwxyz0123456789"), size / 3, 0.40, 0.56},
		{"a chosen text, and short words", chosen(New(0), size), size / 3, 0.50, 0.64},
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		m := New(0)
		for k := range 64 {
			m.Add(k, c.text)
			for range c.words {
				m.AddToken(k, letters(r, 3))
			}
		}
		if got := density(m); got < c.least || got > c.most {
			t.Errorf("%s: %.3f of the rows, want %.2f to %.2f", c.name, got, c.least, c.most)
		}
		if got := candidates(m, value); len(got) > 0 {
			t.Errorf("%s: %q is found in %d", c.name, value, got)
		}
		if got := candidates(m, c.text[100:121]); len(got) != 64 {
			t.Errorf("%s: %q is found in %d blocks, want 64", c.name, c.text[100:121], len(got))
		}
	}
}

func TestLookupsMakeNoGarbageAndMayRunAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	m := New(1 << 10)
	for k := range 600 {
		m.Add(k, letters(r, 100))
	}
	value, words := letters(r, 30), [][]byte{[]byte("bob")}
	visit := func(int) bool { return true }
	if n := testing.AllocsPerRun(100, func() { m.Candidates(value, visit); m.Words(words, visit) }); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
	want := candidates(m, []byte("eta"))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if got := candidates(m, []byte("eta")); !slices.Equal(got, want) || digest(m) == "" {
				t.Errorf("found in %d blocks, want %d", len(got), len(want))
			}
		})
	}
	all.Wait()
}

// FuzzMatrix does what bytes say, and compares with the rows of each block.
func FuzzMatrix(f *testing.F) {
	f.Add([]byte("\x01alice@corp\x02bob\x00\x09mallory"), []byte("alice@corp"))
	f.Add(bytes.Repeat([]byte("\x01some words "), 40), []byte("words "))
	f.Add([]byte("\x07\xff\xff\x03abcd"), []byte("\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, script, value []byte) {
		s := newSets(64)
		for k := 0; len(script) > 0; {
			do := int(script[0])
			text := script[1:min(len(script), 2+do>>4)]
			script = script[1+len(text):]
			switch do % 4 {
			case 0:
				k += do >> 4 * 5
			case 1:
				k++
			}
			if at := max(0, k-do%3*9); do%8 == 2 {
				s.addToken(at, text)
			} else {
				s.add(at, text)
			}
		}
		if got, want := candidates(s.m, value), s.having(s.m.appendRows(nil, value)); !slices.Equal(got, want) {
			t.Fatalf("%q is found in %d, want %d", value, got, want)
		}
		word := value[:min(len(value), 4)]
		rows := s.m.tokenRows(word)
		if got, want := wordCandidates(s.m, word), s.having(rows[:]); !slices.Equal(got, want) {
			t.Fatalf("the word %q is found in %d, want %d", word, got, want)
		}
	})
}
