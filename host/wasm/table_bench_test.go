package wasm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/meter"
)

// The table of speeds: each row is compiled several times, since where code lies
// alone makes it up to twice as slow, and its ratio to the floor, or to another
// way, is the median over the compilations. README.md has the numbers.
const compilations = 5

// timed is how long a call of f takes, in nanoseconds: the least of five runs of
// at least 10 ms.
func timed(f func()) float64 {
	n := 1
	for ; n < 1<<20; n *= 2 {
		start := time.Now()
		for range n {
			f()
		}
		if time.Since(start) > 10*time.Millisecond {
			break
		}
	}
	least := 0.0
	for run := range 5 {
		start := time.Now()
		for range n {
			f()
		}
		if took := float64(time.Since(start).Nanoseconds()) / float64(n); run == 0 || took < least {
			least = took
		}
	}
	return least
}

// floor is F.
func floor(b *testing.B) float64 {
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
	return timed(func() {
		mod.Memory().Write(4096, in)
		if f.CallWithStack(ctx, stack[:]) != nil {
			b.Fatal("the floor fails")
		}
		got, _ := mod.Memory().Read(4096, 2048)
		copy(out, got)
	})
}

// benchGuest is a guest of the table by its name.
func benchGuest(b *testing.B, name string) Source {
	src := Source{Name: name, Settings: parse(b, `{"rounds":1}`)}
	if name == "gohundred" {
		name, src.Settings = "gogets", parse(b, `{"rounds":51}`)
	}
	switch name {
	case "abstain":
		src.Module = guest(b, name)
		return src
	case "gogets", "gojson":
		src.Module = goBench(b, name)
		return src
	}
	module, err := os.ReadFile(filepath.Join("testdata", "bench", name+".wasm"))
	if err != nil {
		b.Fatal(err)
	}
	src.Module = module
	return src
}

var goBuilt sync.Map

// goBench builds a guest in Go, once.
func goBench(b *testing.B, name string) []byte {
	if module, ok := goBuilt.Load(name); ok {
		return module.([]byte)
	}
	dir := b.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "bench", name+".go.txt"))
	if err != nil {
		b.Fatal(err)
	}
	for file, data := range map[string][]byte{"main.go": text, "go.mod": []byte("module bench\n\ngo 1.26\n")} {
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", "guest.wasm", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	module, err := os.ReadFile(filepath.Join(dir, "guest.wasm"))
	if err != nil {
		b.Fatal(err)
	}
	goBuilt.Store(name, module)
	return module
}

// unmetered is the plugin without fuel: what a guest takes by itself.
func unmetered(b *testing.B, h *Host, src Source) *Plugin {
	hardened, info, err := meter.Rewrite(src.Module, meter.Options{MemoryPages: MemoryPages, Depth: CallDepth, Plain: true})
	if err != nil {
		b.Fatal(err)
	}
	c, err := h.load(hardened, info, "")
	if err != nil {
		b.Fatal(err)
	}
	p := newPlugin(h, &src, c)
	if !h.keep(p) {
		b.Fatal("closed")
	}
	if err := p.begin(&src); err != nil {
		b.Fatal(err)
	}
	return p
}

// speeds are the ways to time a guest that the table knows; each loads it anew.
var speeds = map[string]func(b *testing.B, h *Host, src Source, view abi.Value) float64{
	"evaluate": func(b *testing.B, h *Host, src Source, view abi.Value) float64 {
		p := load(b, h, src)
		defer p.Close()
		return timed(func() { mustAnswer(b, p.Evaluate(view)) })
	},
	"bare": func(b *testing.B, h *Host, src Source, view abi.Value) float64 {
		p := unmetered(b, h, src)
		defer p.Close()
		return timed(func() { mustAnswer(b, p.Evaluate(view)) })
	},
	"crossing": func(b *testing.B, h *Host, src Source, view abi.Value) float64 {
		p := load(b, h, src)
		defer p.Close()
		i := p.idle[0]
		i.run.begin(view, MaxFuel, time.Hour, nil)
		i.run.granted = MaxFuel
		i.run.fuel.Set(MaxFuel)
		return timed(func() {
			packed, err := i.call(i.evaluator)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := i.result(packed); err != nil {
				b.Fatal(err)
			}
		})
	},
	"reset": func(b *testing.B, h *Host, src Source, view abi.Value) float64 {
		p := load(b, h, src)
		defer p.Close()
		i := p.idle[0]
		var all []float64
		for range 300 {
			i.run.begin(view, p.fuel, time.Hour, func() [32]byte { return [32]byte{} })
			if _, err := i.call(i.evaluator); err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			if err := i.restore(p); err != nil {
				b.Fatal(err)
			}
			all = append(all, float64(time.Since(start).Nanoseconds()))
		}
		return median(all)
	},
	"fresh": func(b *testing.B, h *Host, src Source, view abi.Value) float64 {
		p := load(b, h, src)
		defer p.Close()
		return timed(func() {
			i, err := p.started(&src)
			if err != nil {
				b.Fatal(err)
			}
			i.run.begin(view, p.fuel, time.Hour, func() [32]byte { return [32]byte{} })
			if _, err := i.call(i.evaluator); err != nil {
				b.Fatal(err)
			}
			i.close()
		})
	},
}

func mustAnswer(b *testing.B, a Answer) {
	if a.Class != "" {
		b.Fatal(short(a))
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// rows are the rows of ABI.md's last table. A row is a way to time a guest by the
// floor, by another guest, or by another way.
var rows = []struct {
	name, guest, how string
	by               string // "F", or a way: how many times slower that is, or this
	less             string // a guest that is taken off first
	each             float64
	target           string
}{
	{"crossing, trivial guest", "abstain", "crossing", "F", "", 1, "≤ 1.5 F"},
	{"one get, C", "hundred", "evaluate", "F", "abstain", 100, "≤ 2 F"},
	{"one get, Go", "gohundred", "evaluate", "F", "gogets", 100, "≤ 3 F"},
	{"reset, C", "scanner", "reset", "F", "", 1, "≤ 45 F"},
	{"reset, Rust", "serde", "reset", "F", "", 1, "≤ 45 F"},
	{"reset, Go", "gogets", "reset", "F", "", 1, "≤ 220 F"},
	{"evaluation, two gets, C", "gets", "evaluate", "F", "", 1, "≤ 100 F"},
	{"evaluation, two gets, Go", "gogets", "evaluate", "F", "", 1, "≤ 300 F"},
	{"evaluation, hand scanner, C", "scanner", "evaluate", "F", "", 1, "≤ 250 F"},
	{"evaluation, hand scanner, AssemblyScript", "scanner.as", "evaluate", "F", "", 1, "≤ 250 F"},
	{"evaluation, Rust serde", "serde", "evaluate", "F", "", 1, "≤ 600 F"},
	{"evaluation, Go encoding/json", "gojson", "evaluate", "F", "", 1, "≤ 7,500 F"},
	{"fresh instance by reset, C", "gets", "fresh", "evaluate", "", 1, "≥ 3"},
	{"fresh instance by reset, Go", "gogets", "fresh", "evaluate", "", 1, "≥ 10"},
	{"with fuel by without, Go", "gojson", "evaluate", "bare", "", 1, "≤ 1.5"},
	{"with fuel by without, Rust", "serde", "evaluate", "bare", "", 1, "≤ 1.5"},
	{"with fuel by without, C", "scanner", "evaluate", "bare", "", 1, "≤ 2.5"},
	{"with fuel by without, AssemblyScript", "scanner.as", "evaluate", "bare", "", 1, "≤ 2.5"},
}

// BenchmarkTable prints the table; -benchtime says nothing to it.
func BenchmarkTable(b *testing.B) {
	view := snapshot2K(b)
	h := newHost(b, Options{})
	fmt.Printf("| what | target | here | ns |\n|---|---|---|---|\n")
	for _, row := range rows {
		src := benchGuest(b, row.guest)
		var ratios, took []float64
		for range compilations {
			ns := speeds[row.how](b, h, src, view)
			if row.less != "" {
				ns -= speeds[row.how](b, h, benchGuest(b, row.less), view)
			}
			ns /= row.each
			by := 0.0
			if row.by == "F" {
				by = floor(b)
			} else {
				by = speeds[row.by](b, h, src, view)
			}
			ratios, took = append(ratios, ns/by), append(took, ns)
		}
		unit := ""
		if row.by == "F" {
			unit = " F"
		}
		fmt.Printf("| %s | %s | %.2f%s | %.0f |\n", row.name, row.target, median(ratios), unit, median(took))
	}
}
