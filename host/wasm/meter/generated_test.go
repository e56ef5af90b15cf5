package meter_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	wasm "github.com/callgate/callgate/host/wasm/binary"
	"github.com/callgate/callgate/host/wasm/meter"
	"github.com/tetratelabs/wazero/api"
)

// genLimits let a generated module grow to what it declares.
var genLimits = meter.Options{MemoryPages: genPages, Depth: 1000}

// double is the host function of generated modules.
func double(v uint64) uint64 { return uint64(uint32(v) * 2) }

var genHost = host{"env", "host", []api.ValueType{api.ValueTypeI32}, []api.ValueType{api.ValueTypeI32},
	func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = double(stack[0]) }}

// outcome is what a run of a module showed.
type outcome struct {
	result string
	fuel   uint64
	state  string // memory and globals
}

// naively runs the model; ok is false when the module runs for too long.
func naively(a *asm) (o outcome, ok bool) {
	n := &naive{a: a, mem: make([]byte, 1<<16), maxPages: genPages, table: tableOf, limit: 300_000, code: map[uint32]*decoded{},
		host: func(args []uint64) uint64 { return double(args[0]) }}
	for _, g := range a.globals {
		n.globals = append(n.globals, initial(g))
	}
	defer func() {
		if t, is := recover().(trapped); is {
			o, ok = outcome{result: string(t), fuel: n.fuel}, t != "limit"
		}
	}()
	result := n.call(1, nil)
	return outcome{fmt.Sprint(result), n.fuel, digest(n.place(0, 0, genPages<<16), n.globals[:2])}, true
}

// initial is the value that a global of a generated module begins with.
func initial(g []byte) uint64 {
	c := wasm.NewCode(g[2:], 0)
	var in wasm.Instr
	c.Next(&in)
	if in.Op == wasm.OpI32Const {
		return uint64(uint32(in.Int))
	}
	return uint64(in.Int)
}

func digest(mem []byte, globals []uint64) string {
	return fmt.Sprintf("%x %x", sha256.Sum256(mem), globals)
}

// really runs the module in an engine.
func really(t *testing.T, engine string, module []byte, metered bool, slice uint64) outcome {
	t.Helper()
	m, err := start(engine, module, grants{slice: slice, limit: plenty}, genHost)
	defer m.close()
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{result: m.call("f")}
	if metered {
		o.fuel = m.fuel()
	}
	if !metered || strings.HasPrefix(o.result, "wasm error") {
		return o
	}
	mem, _ := m.mod.Memory().Read(0, m.mod.Memory().Size())
	var globals []uint64
	for i := range 2 {
		globals = append(globals, m.mod.ExportedGlobal(fmt.Sprintf("%sg%d", meter.Prefix, i)).Get())
	}
	o.state = digest(mem, globals)
	if d := m.depth(); d != 0 {
		t.Errorf("depth %d after a call that returned", d)
	}
	return o
}

// TestGeneratedModulesMeanTheSameAndCostWhatTheModelSays compares the pass with
// the naive model, in both engines and with slices of three sizes.
func TestGeneratedModulesMeanTheSameAndCostWhatTheModelSays(t *testing.T) {
	var returned, trapped, long, fuel int
	for seed := range uint64(600) {
		a := generate(seed)
		want, ok := naively(a)
		if !ok {
			long++
			continue
		}
		out, _ := rewrite(t, a.wasm(), genLimits)
		plain, _ := rewrite(t, a.wasm(), meter.Options{MemoryPages: genPages, Plain: true})
		if seed%8 == 0 {
			compareOutcome(t, seed, "plain", really(t, "compiler", plain, false, slice), outcome{result: want.result})
		}
		first := really(t, "compiler", out, true, slice)
		compareOutcome(t, seed, "compiler", first, want)
		for _, s := range []uint64{1000, slice} {
			if got := really(t, "interpreter", out, true, s); got != first {
				t.Errorf("seed %d: %+v in the interpreter with slices of %d, %+v in the compiler", seed, got, s, first)
			}
		}
		if want.fuel < 20_000 {
			if got := really(t, "interpreter", out, true, 1); got != first {
				t.Errorf("seed %d: %+v with slices of 1, %+v of %d", seed, got, first, slice)
			}
		}
		if want.state != "" {
			returned++
		} else {
			trapped++
		}
		fuel += int(want.fuel)
		if t.Failed() {
			break
		}
	}
	t.Logf("%d returned, %d trapped, %d too long, fuel %d", returned, trapped, long, fuel)
	if returned < 200 || trapped < 20 || long > 200 {
		t.Errorf("%d modules returned, %d trapped, %d ran for too long; want a better mix", returned, trapped, long)
	}
}

// compareOutcome compares a run with the model. A region is charged where it
// begins, so a trap inside one costs more than the instructions before it.
func compareOutcome(t *testing.T, seed uint64, what string, got, want outcome) {
	t.Helper()
	if want.state == "" && strings.Contains(got.result, want.result) && got.fuel >= want.fuel {
		return
	}
	if what == "plain" && got.result == want.result {
		return
	}
	if got != want {
		t.Errorf("seed %d: %s: %+v; want %+v", seed, what, got, want)
	}
}
