package meter_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/callgate/callgate/host/wasm/meter"
)

// built is the guest of a source file, built by the Go toolchain. It has no
// name that ends in .go, since it is no part of this module.
func built(t testing.TB, source string) []byte {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, b := range map[string][]byte{"main.go": text, "go.mod": []byte("module guest\n\ngo 1.26\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", "guest.wasm", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	b, err := os.ReadFile(filepath.Join(dir, "guest.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wasi(m *machine) {
	wasi_snapshot_preview1.MustInstantiate(context.Background(), m.runtime)
}

// works runs a guest: its start, then work with each number.
func works(t *testing.T, engine string, module []byte, slice uint64) (results []string, fuels []uint64) {
	t.Helper()
	m, err := startWith(engine, module, grants{slice: slice, limit: plenty}, wasi)
	defer m.close()
	if err != nil {
		t.Fatal(err)
	}
	metered := m.mod.ExportedGlobal(meter.ExportFuel) != nil
	if m.mod.ExportedFunction("_initialize") != nil {
		if got := m.call("_initialize"); got != "[]" {
			t.Fatal(got)
		}
	}
	for _, n := range []uint64{1, 20, 3, 20} {
		results = append(results, m.call("work", n))
		if metered {
			fuels = append(fuels, m.fuel())
		}
	}
	return results, fuels
}

// TestGuestsOfToolchainsMeanTheSame compares guests as they came with what the
// pass makes of them, and engines and slices with each other.
func TestGuestsOfToolchainsMeanTheSame(t *testing.T) {
	scanner, err := os.ReadFile("testdata/scanner.wasm")
	if err != nil {
		t.Fatal(err)
	}
	for name, module := range map[string][]byte{"c": scanner, "go": built(t, "testdata/gojson.go.txt")} {
		t.Run(name, func(t *testing.T) {
			want, _ := works(t, "compiler", module, 0)
			out, info := rewrite(t, module, meter.Options{MemoryPages: 256, Depth: 1000})
			first, fuels := works(t, "compiler", out, slice)
			again, others := works(t, "interpreter", out, 5000)
			for i := range want {
				if want[i] != first[i] || want[i] != again[i] || fuels[i] != others[i] {
					t.Errorf("call %d: %s as it came, %s with fuel %d, %s with %d in the interpreter", i, want[i], first[i], fuels[i], again[i], others[i])
				}
			}
			if len(want) != 4 || want[0] == want[1] || want[0][0] != '[' || info.Regions < 50 || fuels[0] < 1000 {
				t.Errorf("results %s, fuel %d, %+v", want, fuels, info)
			}
			t.Logf("results %s, fuel %d, %d bytes to %d", want, fuels, len(module), len(out))
		})
	}
}

// TestFuelOfTheScheduleStays pins what a guest costs: receipts that were written
// under m1 are replayed, so a change here is a new schedule.
func TestFuelOfTheScheduleStays(t *testing.T) {
	scanner, err := os.ReadFile("testdata/scanner.wasm")
	if err != nil {
		t.Fatal(err)
	}
	out, info := rewrite(t, scanner, limits)
	_, fuels := works(t, "compiler", out, slice)
	if want := []uint64{5076, 92916, 106704, 194544}; info.Schedule != "m1" || !slices.Equal(fuels, want) {
		t.Errorf("schedule %s, fuel %d; want m1, %d", info.Schedule, fuels, want)
	}
}

// BenchmarkMetered and BenchmarkPlain are the guest in C with fuel and without;
// their ratio is what fuel costs.
func BenchmarkMetered(b *testing.B) { benchmark(b, false) }

// BenchmarkPlain is the twin of BenchmarkMetered.
func BenchmarkPlain(b *testing.B) { benchmark(b, true) }

func benchmark(b *testing.B, plain bool) {
	module, err := os.ReadFile("testdata/scanner.wasm")
	if err != nil {
		b.Fatal(err)
	}
	out, _ := rewrite(b, module, meter.Options{MemoryPages: 16, Depth: 1000, Plain: plain})
	m, err := start("compiler", out, grants{slice: slice, limit: 1 << 62})
	if err != nil {
		b.Fatal(err)
	}
	defer m.close()
	work := m.mod.ExportedFunction("work")
	stack := []uint64{20}
	for b.Loop() {
		stack[0] = 20
		if err := work.CallWithStack(b.Context(), stack); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRewrite is the pass itself.
func BenchmarkRewrite(b *testing.B) {
	module := built(b, "testdata/gojson.go.txt")
	b.SetBytes(int64(len(module)))
	for b.Loop() {
		rewrite(b, module, limits)
	}
}
