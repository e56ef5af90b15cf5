package meter_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	wasm "github.com/callgate/callgate/host/wasm/binary"
	"github.com/callgate/callgate/host/wasm/meter"
	"github.com/callgate/callgate/host/wasm/scan"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// TestIndicesOfWhatIsAddedAreOutOfReach: an index one above what the module has
// names something that the pass adds. None may reach it.
func TestIndicesOfWhatIsAddedAreOutOfReach(t *testing.T) {
	// The twin of each has the highest index that the module has.
	base := func(change func(a *asm, add uint32)) func(uint32) []byte {
		return func(add uint32) []byte {
			a := &asm{memory: []byte{0, 1}, tables: [][]byte{{byte(wasm.FuncRef), 0, 1}}}
			a.typ(nil, nil)
			a.global(i64, true, c64(0))
			a.fn(0, nil)
			change(a, add)
			return a.wasm()
		}
	}
	body := func(code func(add uint32) []byte) func(uint32) []byte {
		return base(func(a *asm, add uint32) { a.fn(0, nil, code(add)) })
	}
	end := ins(wasm.OpEnd)
	tests := []struct {
		name string
		make func(add uint32) []byte
		want string
	}{
		{"setting the counter", body(func(n uint32) []byte { return join(c64(1<<60), ins(wasm.OpGlobalSet, n)) }), "global 1 of 1"},
		{"reading the counter", body(func(n uint32) []byte { return join(ins(wasm.OpGlobalGet, n), drop) }), "global 1 of 1"},
		{"calling refill", body(func(n uint32) []byte { return ins(wasm.OpCall, n+1) }), "function 2 of 2"},
		{"a reference to refill", body(func(n uint32) []byte { return join(ins(wasm.OpRefFunc, n+1), drop) }), "function 2 of 2"},
		{"an added type of a block", body(func(n uint32) []byte { return blk(wasm.OpBlock, byte(n)) }), "type 1 of 1"},
		{"an added type of an indirect call", body(func(n uint32) []byte { return join(c32(0), ins(wasm.OpCallIndirect, n, 0)) }), "type 1 of 1"},
		{"a label", body(func(n uint32) []byte { return ins(wasm.OpBr, n) }), "label 1 of 1"},
		{"a label of a table", body(func(n uint32) []byte { return join(c32(0), ins(wasm.OpBrTable, 1, 0, n)) }), "label 1 of 1"},
		{"another memory", body(func(n uint32) []byte { return join(ins(wasm.OpMemorySize, n), drop) }), "not there"},
		{"an added type of a function", base(func(a *asm, n uint32) { a.fn(n, nil) }), "type 1 of 1"},
		{"an added type of an import", base(func(a *asm, n uint32) { a.importFunc("env", "x", n) }), "type 1 of 1"},
		{"an exported counter", base(func(a *asm, n uint32) { a.export("c", wasm.KindGlobal, n) }), "global 1 is not there"},
		{"an exported refill", base(func(a *asm, n uint32) { a.export("r", wasm.KindFunc, n) }), "func 1 is not there"},
		{"refill as start", base(func(a *asm, n uint32) { a.start = int(n) + 1 }), "function 1 of 1"},
		{"refill in a table", base(func(a *asm, n uint32) { a.elems = [][]byte{join(u(0), c32(0), end, u(1), u(n))} }), "function 1 of 1"},
		{"refill in an expression", base(func(a *asm, n uint32) {
			a.elems = [][]byte{join(u(4), c32(0), end, u(1), ins(wasm.OpRefFunc, n), end)}
		}), "function 1 of 1"},
		{"refill in a global", base(func(a *asm, n uint32) { a.global(wasm.FuncRef, false, ins(wasm.OpRefFunc, n)) }), "function 1 of 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rewrite(t, tt.make(0), limits)
			if _, _, err := meter.Rewrite(tt.make(1), limits); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v; want %q", err, tt.want)
			}
		})
	}
}

// TestWhatIsRefused lists the other errors of the pass, each beside a module
// that passes.
func TestWhatIsRefused(t *testing.T) {
	memory := func(m ...byte) []byte { a := one(nil, nil, nil); a.memory = m; return a.wasm() }
	exported := func(s string) []byte { a := one(nil, nil, nil); a.export(s, wasm.KindFunc, 0); return a.wasm() }
	imported := func(module string) []byte {
		a := &asm{}
		a.importFunc(module, "refuel", a.typ(nil, nil))
		return a.wasm()
	}
	after := func(b []byte, more ...byte) []byte { return append(append([]byte(nil), b...), more...) }
	empty := memory(0, 1)
	tests := []struct {
		name      string
		good, bad []byte
		want      string
	}{
		{"a first size above the limit", memory(0, 64), memory(0, 65), "the limit is 64"},
		{"a maximum below the first size", memory(1, 2, 2), memory(1, 2, 1), "2 pages at first and at most 1"},
		{"a maximum above all memory", memory(1, 1, 0x80, 0x80, 4), memory(1, 1, 0x81, 0x80, 4), "at most 65537"},
		{"a reserved export", exported("callgate_m0_fuel"), exported("callgate_m1_fuel"), "reserved"},
		{"a reserved module", imported("callgate_m2"), imported("callgate_m1"), "reserved"},
		{"a section twice", empty, after(empty, wasm.SectionCode, 1, 0), "code section where none may be"},
		{"a section too early", after(empty, wasm.SectionData, 1, 0), after(empty, wasm.SectionStart, 1, 0), "start section"},
		{"a section of tags", empty, after(empty, wasm.SectionTag, 1, 0), "tag section"},
		{"a custom section without a name", after(empty, 0, 1, 0), after(empty, 0, 1, 9), "offset"},
		{"bytes at the end", empty, after(empty, 11), "offset"},
		{"no module", empty, []byte("\x00asm\x0d\x00\x01\x00"), "not a WebAssembly module"},
		{"nothing", empty, nil, "not a WebAssembly module"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rewrite(t, tt.good, limits)
			if _, _, err := meter.Rewrite(tt.bad, limits); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "meter: ") {
				t.Errorf("%v; want %q", err, tt.want)
			}
		})
	}
	for _, o := range []meter.Options{{MemoryPages: 64}, {MemoryPages: 65537, Depth: 1}} {
		if _, _, err := meter.Rewrite(empty, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	rewrite(t, empty, meter.Options{MemoryPages: 65536, Depth: 1})
}

// validator is an engine that takes what plugins may use.
func validator(t testing.TB) wazero.Runtime {
	features := api.CoreFeaturesV2.SetEnabled(api.CoreFeatureSIMD, false)
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(features))
	t.Cleanup(func() { r.Close(t.Context()) })
	return r
}

func takes(t testing.TB, r wazero.Runtime, b []byte) error {
	c, err := r.CompileModule(t.Context(), b)
	if err == nil {
		c.Close(t.Context())
	}
	return err
}

// lawful checks what the pass owes for any bytes: no panic; what is valid stays
// valid; what scan admits passes.
func lawful(t testing.TB, r wazero.Runtime, b []byte) (rewritten bool) {
	t.Helper()
	_, refused := scan.Module(b, scan.Default())
	out, _, err := meter.Rewrite(b, meter.Options{MemoryPages: 256, Depth: 100})
	if err != nil {
		if refused == nil {
			t.Errorf("scan admits what the pass refuses: %v", err)
		}
		return false
	}
	if before := takes(t, r, b); before == nil || refused == nil {
		if after := takes(t, r, out); after != nil {
			t.Errorf("before: %v; after the pass: %v", before, after)
		}
		return true
	}
	return false
}

// corpus is modules to start from: generated ones, and guests.
func corpus(t testing.TB) (all [][]byte) {
	t.Helper()
	for seed := range uint64(12) {
		all = append(all, generate(seed).wasm())
	}
	all = append(all, everyIndex().wasm(), wasm.Header)
	guests, err := filepath.Glob("../testdata/guest/*.wasm")
	if err != nil || len(guests) == 0 {
		t.Fatalf("%d guests, %v", len(guests), err)
	}
	for _, g := range guests {
		b, err := os.ReadFile(g)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

func TestChangedModulesDoNoHarm(t *testing.T) {
	r := validator(t)
	rng := rand.New(rand.NewPCG(1, 2))
	valid := 0
	for _, b := range corpus(t) {
		if !lawful(t, r, b) {
			t.Fatal("a module of the corpus does not pass")
		}
		for range 600 {
			c := append([]byte(nil), b...)
			for range 1 + rng.IntN(3) {
				i := rng.IntN(len(c))
				switch rng.IntN(4) {
				case 0:
					c[i] = byte(rng.Uint32())
				case 1:
					c[i] += byte(1 - 2*rng.IntN(2))
				case 2:
					c = append(c[:i], c[min(len(c), i+1+rng.IntN(3)):]...)
				default:
					c = c[:i]
				}
				if len(c) == 0 {
					break
				}
			}
			if lawful(t, r, c) {
				valid++
			}
		}
	}
	if valid < 500 {
		t.Errorf("%d changed modules are valid; want 500", valid)
	}
}

func FuzzRewrite(f *testing.F) {
	for _, b := range corpus(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { lawful(t, validator(t), b) })
}
