package ledger

import (
	"os"
	"testing"
)

// BenchmarkPollQuietPeers is what tailing five processes that do nothing adds
// to a call. "floor" is the same number of bare system calls.
func BenchmarkPollQuietPeers(b *testing.B) {
	const peers = 5
	dir := b.TempDir()
	own, _ := mustOpen(b, options(dir, 0))
	var files []*descriptor
	for n := range peers {
		l, _ := mustOpen(b, options(dir, n+1))
		fill(b, l, 3)
		files = append(files, newDescriptor(l.file.(osFile).File))
	}
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := stampAt(dir); err != nil {
				b.Fatal(err)
			}
			for _, f := range files {
				if _, err := f.stamp(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("poll", func(b *testing.B) {
		if err := os.Chtimes(dir, begin, begin); err != nil { // long settled
			b.Fatal(err)
		}
		tail := NewTail(TailOptions{Dir: dir, Self: own.Path()})
		defer tail.Close()
		seen := 0
		poll := func() {
			if _, err := tail.Poll(func(File, []byte) error { seen++; return nil }); err != nil {
				b.Fatal(err)
			}
		}
		poll()
		poll()
		b.ReportAllocs()
		for b.Loop() {
			poll()
		}
		if seen != 3*peers || tail.open != peers || !tail.settled {
			b.Fatalf("%d lines, %d files open, settled %v", seen, tail.open, tail.settled)
		}
	})
}
