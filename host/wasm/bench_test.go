package wasm

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/abi"
)

// BenchmarkFloor is F of ABI.md: write 2 KB, call an empty export, copy 2 KB out,
// with nothing of ours in the way.
func BenchmarkFloor(b *testing.B) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config(false))
	defer r.Close(ctx)
	mod, err := r.Instantiate(ctx, guest(b, "abstain"))
	if err != nil {
		b.Fatal(err)
	}
	in, out := make([]byte, 2048), make([]byte, 2048)
	f := mod.ExportedFunction(abi.MarkerExport)
	var stack [1]uint64
	for b.Loop() {
		mod.Memory().Write(4096, in)
		if err := f.CallWithStack(ctx, stack[:]); err != nil {
			b.Fatal(err)
		}
		got, _ := mod.Memory().Read(4096, 2048)
		copy(out, got)
	}
}

// snapshot2K is a snapshot of about 2 KB.
func snapshot2K(b *testing.B) abi.Value {
	b.Helper()
	recent := ""
	for range 20 {
		recent += `{"id":"77b2e0-16","outcome":"allow","server":"web","tool":"fetch_page"},`
	}
	return parse(b, `{"abi":"1.0","phase":"call","time":"2026-11-29T18:00:00Z","settings":{},"ask":"/call/arguments/to",
		"call":{"seq":17,"id":"a41f09-17","kind":"tool","server":"mail","tool":"send_email","arguments":{"to":"a@b.example"}},
		"session":{"id":"s-1","recent":[`+recent[:len(recent)-1]+`]}}`)
}

// BenchmarkEvaluate is a whole evaluation: fuel and reset included.
func BenchmarkEvaluate(b *testing.B) {
	for _, name := range []string{"abstain", "get", "counter"} {
		for _, how := range resets() {
			b.Run(name+"/"+resetNames[how], func(b *testing.B) {
				p := load(b, newHost(b, Options{reset: how}), Source{Name: name, Module: guest(b, name)})
				view := snapshot2K(b)
				b.ReportAllocs()
				for b.Loop() {
					if a := p.Evaluate(view); a.Class != "" {
						b.Fatal(a.Detail)
					}
				}
			})
		}
	}
}

// BenchmarkParallel is evaluations of as many sessions as there are processors.
func BenchmarkParallel(b *testing.B) {
	p := load(b, newHost(b, Options{}), Source{Name: "get", Module: guest(b, "get")})
	view := snapshot2K(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if a := p.Evaluate(view); a.Class != "" {
				b.Fatal(a.Detail)
			}
		}
	})
}

// BenchmarkBeside is an evaluation while guests of other sessions are busy on every
// processor: how long it takes, and at worst, from when it could begin.
func BenchmarkBeside(b *testing.B) {
	for _, busy := range []struct {
		name string
		src  Source
		ask  abi.Value
	}{
		{"loops", Source{Name: "acts", Module: guest(b, "acts")}, act('c')},
		{"moves", Source{Name: "fills", Module: fillsOf(256 << 20), Manifest: &abi.Manifest{ABI: "1.0", Fuel: MaxFuel, MemoryMiB: 256}}, abi.Value{}},
	} {
		b.Run(busy.name, func(b *testing.B) {
			h := newHost(b, Options{})
			other := load(b, h, busy.src)
			stop := make(chan struct{})
			var wg sync.WaitGroup
			for range runtime.GOMAXPROCS(0) {
				wg.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
							other.Evaluate(busy.ask)
						}
					}
				})
			}
			beside(b, load(b, h, Source{Name: "get", Module: guest(b, "get")}))
			close(stop)
			wg.Wait()
		})
	}
}

// beside measures from when a session's timer is due, since what it waits for is
// a processor.
func beside(b *testing.B, p *Plugin) {
	view := snapshot2K(b)
	worst, all := time.Duration(0), time.Duration(0)
	for b.Loop() {
		due := time.Now().Add(time.Millisecond)
		time.Sleep(time.Millisecond) // sessions come in from elsewhere
		if a := p.Evaluate(view); a.Class != "" {
			b.Fatal(a.Detail)
		}
		took := time.Since(due)
		worst, all = max(worst, took), all+took
	}
	b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
	b.ReportMetric(float64(all.Microseconds())/1000/float64(b.N), "mean-ms")
}

// BenchmarkGet is one get of a guest without a parser, its share of the
// evaluation included.
func BenchmarkGet(b *testing.B) {
	const each = 2000
	p := load(b, newHost(b, Options{}), Source{Name: "gets", Module: guest(b, "gets")})
	view := snapshot2K(b)
	b.ReportAllocs()
	for b.Loop() {
		if a := p.Evaluate(view); a.Class != "" {
			b.Fatal(a.Detail)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/each, "ns/get")
}

// BenchmarkLoad is a Go guest that is loaded from a cache with its code in it.
func BenchmarkLoad(b *testing.B) {
	module, err := goGuest()
	if err != nil {
		b.Fatal(err)
	}
	h := newHost(b, Options{CacheDir: b.TempDir() + "/cache", Compiler: compiler})
	src := Source{Name: "go", Module: module}
	start := time.Now()
	load(b, h, src).Close()
	first := time.Since(start)
	for b.Loop() {
		load(b, h, src).Close()
	}
	b.ReportMetric(float64(first.Milliseconds()), "first-ms")
}
