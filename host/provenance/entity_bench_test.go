package provenance

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkScanEntities reads mixed text, and compares with copying it.
func BenchmarkScanEntities(b *testing.B) {
	mixed := strings.Join(corpus(4<<20, 7), "\n")
	for _, kind := range []struct{ name, text string }{
		{"mixed", mixed},
		{"addresses", strings.Repeat("bob.smith@partner.example, https://partner.example/a/b?c=1 ", 1<<14)},
		{"logs", strings.Repeat("2026-11-03T10:00:00.123Z INFO [worker-7] GET /api/v1/items/81923?full=true 200 12.5ms peer=10.1.2.3:51234 id=8f14e45fceea167a\n", 1<<13)},
		{"code", strings.Repeat("\tfor (int i = 0; i < n; ++i) { sum += a[i] * b.c(i); } // see foo.h: x->y::z\n", 1<<14)},
		{"han", strings.Repeat("你好，世界。今天天气很好。我们去公园吧 ", 1<<14)},
		{"cyrillic", strings.Repeat("Съешь же ещё этих мягких французских булок, да выпей чаю. ", 1<<13)},
	} {
		b.Run(kind.name, func(b *testing.B) {
			buf := make([]byte, len(kind.text))
			copied := median(15, func(int) { copy(buf, kind.text) })
			n := 0
			b.SetBytes(int64(len(kind.text)))
			for b.Loop() {
				scanEntities(kind.text, func(uint64) { n++ })
			}
			mine := median(9, func(int) { scanEntities(kind.text, func(uint64) { n++ }) })
			b.ReportMetric(float64(mine)/float64(copied), "x-copy")
			b.ReportMetric(float64(len(kind.text))/1e6/mine.Seconds(), "MB/s-median")
		})
	}
}

// BenchmarkEntityMap adds keys, and looks for keys that are there and that are
// not.
func BenchmarkEntityMap(b *testing.B) {
	for _, n := range []int{1 << 12, 1 << 20} {
		var m entityMap
		key := func(i int) uint64 { return keyHash(Entity{Kind: KindText}) + uint64(i)*0x9E3779B97F4A7C15 }
		b.Run(fmt.Sprintf("add/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if i%n == 0 {
					m = entityMap{}
				}
				m.add(key(i%n), uint32(i%n))
			}
		})
		m = entityMap{}
		for i := range n {
			m.add(key(i), uint32(i))
		}
		b.Run(fmt.Sprintf("find/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				m.find(key(i % (2 * n)))
			}
		})
	}
}
