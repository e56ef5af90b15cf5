package ledger

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// benchEvents makes events with the next numbers, reusing its buffer.
type benchEvents struct {
	seq  int
	buf  []byte
	body string
}

func newBenchEvents(size int) *benchEvents {
	return &benchEvents{body: `,"time":"2026-11-29T19:53:17Z","call":{"server":"files","tool":"read_text_file","arguments":{"path":"` + strings.Repeat("x", size) + `"}}}`}
}

func (b *benchEvents) next() []byte {
	b.buf = append(b.buf[:0], `{"v":1,"seq":`...)
	b.buf = strconv.AppendInt(b.buf, int64(b.seq), 10)
	b.buf = append(b.buf, b.body...)
	b.seq++
	return b.buf
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{300, 100_000} {
		for _, kind := range []string{"memory", "file"} {
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) {
				l := Memory()
				if kind == "file" {
					l, _ = mustOpen(b, options(b.TempDir(), 0))
				}
				events := newBenchEvents(size)
				b.ReportAllocs()
				b.SetBytes(int64(size))
				for b.Loop() {
					if _, err := l.Append(events.next()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkAppendAndWait(b *testing.B) {
	for _, goroutines := range []int{1, 64} {
		b.Run(strconv.Itoa(goroutines), func(b *testing.B) {
			l, _ := mustOpen(b, options(b.TempDir(), 0))
			events := newBenchEvents(300)
			var mu sync.Mutex // what numbers events must also order their appends
			next := func() (Token, error) {
				mu.Lock()
				defer mu.Unlock()
				return l.Append(events.next())
			}
			b.ReportAllocs()
			b.ResetTimer()
			var wg sync.WaitGroup
			for g := range goroutines {
				wg.Go(func() {
					for i := g; i < b.N; i += goroutines {
						token, err := next()
						if err == nil {
							err = l.Wait(token)
						}
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/max(float64(l.Syncs()), 1), "events/sync")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	l := Memory(MemoryOptions{Keep: true})
	events := newBenchEvents(300)
	for range 1000 {
		if _, err := l.Append(events.next()); err != nil {
			b.Fatal(err)
		}
	}
	data := l.Bytes()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		s := newScanner("x", bytes.NewReader(data))
		if err := s.all(func([]byte, string) error { return nil }); err != nil || s.lines != 1000 {
			b.Fatal(err)
		}
	}
}
