package segment

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// BenchmarkPut gives the time of a put as a multiple of what copying, summing
// and digesting the same text takes.
func BenchmarkPut(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			text := textOf(size, 1)
			s := mustOpen(b, Options{Dir: b.TempDir(), ID: idOf(1), Most: 256 << 20})
			var least, naive time.Duration
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				begin := time.Now()
				mustPut(b, s, text)
				least += time.Since(begin)
				b.StopTimer()
				begin = time.Now()
				c := append([]byte(nil), text...)
				if crc32.Checksum(c, castagnoli) == 0 || abi.DigestBytes(c) == "" {
					b.Fatal("no sum")
				}
				naive += time.Since(begin)
				for _, name := range s.Over() {
					must(b, s.Remove(name))
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(least)/float64(naive), "x-copy+sums")
		})
	}
}

// BenchmarkReadText reads 16 KiB from anywhere in 64 MiB.
func BenchmarkReadText(b *testing.B) {
	const size, n = 64 << 20, 16 << 10
	for _, form := range []string{"raw", "s2"} {
		b.Run(form, func(b *testing.B) {
			dir := b.TempDir()
			s := mustOpen(b, Options{Dir: dir, ID: idOf(1), Segment: 16 << 20})
			s.working = make(chan struct{}) // it is taken to compress already
			close(s.working)
			var refs []abi.Text
			for i := range size >> 20 {
				refs = append(refs, mustPut(b, s, textOf(1<<20, i)))
			}
			must(b, s.Close())
			s = mustOpen(b, Options{Dir: dir, ID: idOf(2)})
			if form == "s2" {
				must(b, s.Adopt([]string{idOf(1)}))
				idle(s)
				b.Logf("%.2f of the raw size", float64(s.total)/size)
			}
			dst := make([]byte, n)
			rng := rand.New(rand.NewPCG(1, 2))
			b.SetBytes(n)
			b.ReportAllocs()
			for b.Loop() {
				must(b, s.ReadText(refs[rng.IntN(len(refs))], dst, rng.Int64N(1<<20-n)))
			}
		})
	}
}
