package scan_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/wasm/scan"
	. "github.com/callgate/callgate/host/wasm/wasmtest"
)

// engine is what admitted modules are handed to, with the features of plugins.
// It looks into no custom sections: the meter leaves none but the names, and
// wazero refuses an empty one at the end of a module.
func engine(t testing.TB) wazero.Runtime {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().
		WithDebugInfoEnabled(false).WithCoreFeatures(api.CoreFeaturesV2&^api.CoreFeatureSIMD))
	t.Cleanup(func() {
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return r
}

// agree scans a module and says whether it was admitted; the engine must take
// what is.
func agree(t *testing.T, r wazero.Runtime, module []byte) bool {
	t.Helper()
	report, err := scan.Module(module, scan.Default())
	if (report == nil) == (err == nil) {
		t.Fatalf("the report is %v and the error %v", report, err)
	}
	if err != nil {
		return false
	}
	ctx := context.Background()
	compiled, err := r.CompileModule(ctx, module)
	if err != nil {
		t.Fatalf("admitted, and the engine says: %v\n%x", err, module)
	}
	if got := len(compiled.ImportedFunctions()); got != len(report.Imports) {
		t.Fatalf("%d imports; the engine has %d", len(report.Imports), got)
	}
	if err := compiled.Close(ctx); err != nil {
		t.Fatal(err)
	}
	again, err := scan.Strip(module)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := scan.Manifest(again); m != nil || err != nil {
		t.Fatalf("a stripped module has the manifest %q, %v", m, err)
	}
	return true
}

// corpus is admitted modules that use much of the format.
func corpus() [][]byte {
	full := Plugin()
	binop := full.AddType("iI", "I")
	pair := full.AddType("i", "ii")
	full.AddImport("callgate_v0", "log_enabled", full.AddType("i", "i"))
	full.AddImport("wasi_snapshot_preview1", "proc_exit", full.AddType("i", ""))
	full.Tables = [][]byte{{0x70, 1, 4, 9}, {0x6f, 0, 1}}
	full.Memories = [][]byte{{1, 1, 16}}
	full.Globals = [][]byte{[]byte("\x7f\x01\x41\x80\x08\x0b"), []byte("\x7e\x00\x42\x7f\x0b"), []byte("\x7d\x01\x43abcd\x0b"), []byte("\x70\x00\xd2\x02\x0b"), []byte("\x6f\x00\xd0\x6f\x0b")}
	full.Add(binop, Body("\x20\x01\x20\x00\xac\x7c\x22\x02\x20\x02\x42\x03\x7f\x1a\x0b", Group(2, 'I'), Group(1, 'F')))
	full.Add(pair, Body("\x20\x00\x02\x03\x41\x02\x0b\x0b"))
	full.Add(Void, Body("\x03\x40\x41\x00\x0d\x00\x0b\x02\x7f\x41\x01\x41\x00\x0e\x02\x00\x00\x00\x0b\x04\x7f\x41\x05\x05\x41\x06\x0b\x1a\x0b"))
	full.Add(Void, Body("\x41\x00\x41\x00\x11\x03\x00\x1a\x1a\x41\x00\x28\x02\x04\x3f\x00\x40\x00\x36\x00\x00\x0b"))
	full.Add(Void, Body("\x41\x00\x41\x00\x41\x00\xfc\x0b\x00\x41\x00\x41\x00\x41\x00\xfc\x0a\x00\x00\xd2\x02\xd1\x1a\x41\x00\x25\x01\x1a\xfc\x10\x00\x1a\x0b"))
	full.Add(Void, Body("\x43abcd\xfc\x00\xc0\x1a\x44abcdefgh\x99\x1a\x00\x7c\x1a\x1b\x1a\xd0\x70\xd0\x70\x41\x00\x1c\x01\x70\x1a\x0c\x00\x0b"))
	full.Start = U(2)
	full.Elements = [][]byte{[]byte("\x00\x41\x00\x0b\x02\x00\x01"), []byte("\x01\x00\x01\x02"), []byte("\x03\x00\x01\x02"), []byte("\x06\x00\x41\x01\x0b\x70\x01\xd2\x00\x0b"), []byte("\x07\x6f\x01\xd0\x6f\x0b"), []byte("\x02\x00\x41\x00\x0b\x00\x01\x01")}
	full.DataCount = U(2)
	full.Data = [][]byte{[]byte("\x00\x41\x10\x0b\x03abc"), []byte("\x01\x02de")}
	full.Tail = Cat(Custom("name", Section(0, Name("m")), Section(1, Vec(Cat(U(0), Name("log_enabled")), Cat(U(2), Name("marker")))), Section(2, Vec(Cat(U(4), Vec(Cat(U(0), Name("x")))))), Section(7, []byte("??"))), Custom("callgate.manifest", []byte("{}")), Custom("other", []byte("x")))
	return [][]byte{Plugin().Bytes(), full.Bytes()}
}

func TestTheCorpusIsAdmitted(t *testing.T) {
	r := engine(t)
	for i, module := range corpus() {
		if !agree(t, r, module) {
			_, err := scan.Module(module, scan.Default())
			t.Errorf("module %d: %v", i, err)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, module := range corpus() {
		f.Add(module)
	}
	f.Add([]byte("\x00asm\x0d\x00\x01\x00"))
	r := engine(f)
	f.Fuzz(func(t *testing.T, module []byte) { agree(t, r, module) })
}

// mutate changes a module in a way that leaves sizes as they are, most often,
// so that what is changed is reached.
func mutate(rng *rand.Rand, module []byte) []byte {
	m := slices.Clone(module)
	for range 1 + rng.IntN(3) {
		i := 8 + rng.IntN(len(m)-8)
		switch rng.IntN(6) {
		case 0:
			m[i] = byte(rng.Uint32())
		case 1:
			m[i] ^= 1 << rng.IntN(8)
		case 2:
			m[i] += byte(1 + rng.IntN(2))
		case 3: // a number that is as large as can be
			if len(m)-i > 5 {
				copy(m[i:], "\xff\xff\xff\xff\x0f")
			}
		case 4: // another part of the module
			n := min(rng.IntN(6), len(m)-i)
			j := 8 + rng.IntN(len(m)-8)
			copy(m[i:i+n], m[j:])
		case 5: // an instruction for another
			m[i] = byte(0x45 + rng.IntN(0x80))
		}
	}
	return m
}

// TestWhatIsAdmittedTheEngineTakes mutates modules by a fixed seed: a fuzz
// target alone runs only its seeds in most runs.
func TestWhatIsAdmittedTheEngineTakes(t *testing.T) {
	r := engine(t)
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], 7)
	rng := rand.New(rand.NewChaCha8(seed))
	modules := corpus()
	admitted, refused := 0, 0
	for range 60_000 {
		m := mutate(rng, modules[rng.IntN(len(modules))])
		if agree(t, r, m) {
			admitted++
		} else {
			refused++
		}
	}
	if admitted < 2_000 || refused < 2_000 {
		t.Errorf("%d admitted and %d refused; want many of both", admitted, refused)
	}
}
