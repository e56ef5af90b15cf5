package signature

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

const blockText = 16 << 10

// prose is folded text with the repetitions of a language: words of a list of
// 4,000, few of which are common.
func prose(r *rand.Rand, n int) []byte {
	words := make([][]byte, 4000)
	for i := range words {
		words[i] = letters(r, 2+r.IntN(9))
	}
	out := make([]byte, 0, n+16)
	for len(out) < n {
		at := r.Float64()
		out = append(out, words[int(at*at*at*4000)]...)
	}
	return out[:n]
}

func letters(r *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = "etaoinshrdlucmfwypvbgkjqxz0123456789"[min(r.IntN(36), r.IntN(36))]
	}
	return out
}

// hundredMB is a matrix of 6400 blocks, and the text of some.
func hundredMB() (*Matrix, []byte) {
	r := rand.New(rand.NewPCG(1, 1))
	text := prose(r, 8<<20)
	m := New(0)
	for k := range 6400 {
		// The same words in other blocks: each block from another place.
		at := k * 7919 % (len(text) - blockText)
		m.Add(k, text[at:at+blockText])
	}
	return m, text
}

// floor is what it costs to copy and sum up the text once.
func floor(text []byte) time.Duration {
	dst := make([]byte, blockText)
	best := time.Hour
	for range 5 {
		start := time.Now()
		sum := uint64(0)
		for at := 0; at+blockText <= len(text); at += blockText {
			copy(dst, text[at:])
			for i := 0; i < len(dst); i += 8 {
				sum += binary.LittleEndian.Uint64(dst[i:])
			}
		}
		if d := time.Since(start); d < best && sum != 0 {
			best = d
		}
	}
	return best
}

// BenchmarkAdd fills groups to their whole width.
func BenchmarkAdd(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const size = groupBlocks * blockText
	for _, c := range []struct {
		name string
		text []byte
	}{{"prose", prose(r, size)}, {"noise", letters(r, size)}} {
		b.Run(c.name, func(b *testing.B) {
			low := floor(c.text)
			b.SetBytes(size)
			for b.Loop() {
				m := New(0)
				for k := range groupBlocks {
					m.Add(k, c.text[k*blockText:(k+1)*blockText])
				}
			}
			b.ReportMetric(float64(low)*float64(b.N)/float64(b.Elapsed()), "x-copy")
		})
	}
}

// BenchmarkAddToken adds short words to a block.
func BenchmarkAddToken(b *testing.B) {
	m := New(0)
	word := []byte("abcd")
	for b.Loop() {
		word[0]++
		m.AddToken(0, word)
	}
}

// BenchmarkCandidates looks for values in 100 MB: such as nobody said, and such
// as stand in some blocks.
func BenchmarkCandidates(b *testing.B) {
	m, text := hundredMB()
	r := rand.New(rand.NewPCG(2, 2))
	kinds := []string{"mail", "12", "24", "48", "200", "hit"}
	values := map[string][][]byte{}
	for range 256 {
		values["mail"] = append(values["mail"], fmt.Appendf(nil, "nobodyknows%dnowhere%dexample", r.IntN(1e5), r.IntN(100)))
		for _, n := range []int{12, 24, 48, 200} {
			one, two := r.IntN(len(text)-n), r.IntN(len(text)-n)
			v := append(append([]byte(nil), text[one:one+n/2]...), text[two:two+n/2]...)
			values[fmt.Sprint(n)] = append(values[fmt.Sprint(n)], v)
		}
		at := r.IntN(len(text) - 24)
		values["hit"] = append(values["hit"], text[at:at+24])
	}
	for _, kind := range kinds {
		b.Run(kind, func(b *testing.B) {
			found, i := 0, 0
			for b.Loop() {
				m.Candidates(values[kind][i%256], func(int) bool { found++; return true })
				i++
			}
			b.ReportMetric(float64(found)/float64(b.N), "blocks")
		})
	}
}

// BenchmarkDigest goes over the matrix of 100 MB.
func BenchmarkDigest(b *testing.B) {
	m, _ := hundredMB()
	b.SetBytes(m.Bytes())
	for b.Loop() {
		m.Digest(discard{})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
