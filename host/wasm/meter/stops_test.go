package meter_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	wasm "github.com/callgate/callgate/host/wasm/binary"
	"github.com/callgate/callgate/host/wasm/meter"
	"github.com/tetratelabs/wazero/api"
)

const (
	unreachable = "wasm error: unreachable"
	noFuel      = "out of fuel"
	tooDeep     = "too deep"
)

// ending runs the export f until it ends and says how: what it returned, or
// who stopped it.
func ending(t *testing.T, engine string, module []byte, g grants, hosts ...host) (string, *machine) {
	t.Helper()
	m, err := start(engine, module, g, hosts...)
	t.Cleanup(m.close)
	if err != nil {
		return startEnding(m, err), m
	}
	got := m.call("f")
	if got == unreachable {
		switch {
		case m.depth() == meter.DepthExceeded:
			return tooDeep, m
		case m.granted == m.limit && int64(m.mod.ExportedGlobal(meter.ExportFuel).Get()) < 0:
			return noFuel, m
		}
	}
	return got, m
}

// startEnding is how a module ended that did not start.
func startEnding(m *machine, err error) string {
	if strings.Contains(err.Error(), unreachable) && m.granted == m.limit {
		return noFuel
	}
	return kind(err)
}

// endless are modules that would run for ever, or nearly: each way to spend
// time that a guest has.
func endless() map[string]*asm {
	forever := blk(wasm.OpLoop, noBlock, ins(wasm.OpBr, 0))
	mods := map[string]*asm{
		"an empty loop":  one(nil, nil, nil, forever),
		"a nested loop":  one(nil, nil, nil, blk(wasm.OpLoop, noBlock, blk(wasm.OpLoop, noBlock, ins(wasm.OpBr, 1)))),
		"br_if":          one(nil, nil, nil, blk(wasm.OpLoop, noBlock, c32(1), ins(wasm.OpBrIf, 0))),
		"br_table":       one(nil, nil, nil, blk(wasm.OpLoop, noBlock, c32(9), ins(wasm.OpBrTable, 1, 0, 0))),
		"in a dead arm":  one(nil, nil, nil, c32(0), blk(wasm.OpIf, noBlock, ins(wasm.OpUnreachable), ins(wasm.OpElse), forever)),
		"multi-value":    multiLoop(),
		"a chain":        chain(44),
		"bulk fill":      bulky(ins(wasm.OpMemoryFill, 0)),
		"bulk copy":      bulky(ins(wasm.OpMemoryCopy, 0, 0)),
		"growth":         one(nil, nil, nil, blk(wasm.OpLoop, noBlock, c32(1), ins(wasm.OpMemoryGrow, 0), drop, ins(wasm.OpBr, 0))),
		"host calls":     hostCalls(false),
		"indirect calls": hostCalls(true),
		"in start":       inStart(forever),
	}
	return mods
}

// multiLoop is a loop with a parameter.
func multiLoop() *asm {
	a := &asm{}
	t := a.typ([]wasm.ValType{i32}, []wasm.ValType{i32})
	f := a.fn(a.typ(nil, nil), nil, c32(1), ins(wasm.OpLoop), u(t), c32(1), ins(wasm.OpI32Add), ins(wasm.OpBr, 0), ins(wasm.OpEnd), drop)
	a.export("f", wasm.KindFunc, f)
	return a
}

// chain is functions that each call the next one twice: no loop, no recursion.
func chain(n int) *asm {
	a := &asm{}
	t := a.typ(nil, nil)
	for i := range n {
		next := ins(wasm.OpCall, uint32(i+1))
		a.fn(t, nil, next, next)
	}
	a.fn(t, nil)
	a.export("f", wasm.KindFunc, 0)
	return a
}

// bulky is a straight line of instructions that each move 1 MiB.
func bulky(op []byte) *asm {
	var b []byte
	for range 500 {
		b = join(b, c32(0), c32(0), c32(1<<20), op)
	}
	a := one(nil, nil, nil, b)
	a.memory = []byte{0, 16}
	return a
}

// hostCalls is a straight line of calls of a host function that is dear.
func hostCalls(indirect bool) *asm {
	a := &asm{}
	t := a.typ(nil, nil)
	a.importFunc("env", "dear", t)
	op := ins(wasm.OpCall, 0)
	if indirect {
		a.tables = [][]byte{{0x70, 0, 1}}
		a.elems = [][]byte{join(u(0), c32(0), ins(wasm.OpEnd), u(1), u(0))}
		op = join(c32(0), ins(wasm.OpCallIndirect, t, 0))
	}
	var b []byte
	for range 500 {
		b = join(b, op)
	}
	a.export("f", wasm.KindFunc, a.fn(t, nil, b))
	return a
}

func inStart(code []byte) *asm {
	a := one(nil, nil, nil)
	a.start = int(a.fn(0, nil, code)) + 1
	return a
}

// dear is a host function that takes fuel from the counter.
func dear(calls *int) host {
	return host{"env", "dear", nil, nil, func(_ context.Context, mod api.Module, _ []uint64) {
		*calls++
		c := mod.ExportedGlobal(meter.ExportFuel).(api.MutableGlobal)
		c.Set(c.Get() - 10_000)
	}}
}

// TestWhatNeverEndsIsStoppedAtTheSamePlace runs out of fuel in each way, in
// both engines and with slices of three sizes.
func TestWhatNeverEndsIsStoppedAtTheSamePlace(t *testing.T) {
	for name, a := range endless() {
		t.Run(name, func(t *testing.T) {
			out, _ := rewrite(t, a.wasm(), limits)
			var fuels []uint64
			var hosts []int
			for _, e := range engines {
				for _, s := range []uint64{1, 1000, slice} {
					calls := 0
					got, m := ending(t, e, out, grants{slice: s, limit: 50_000}, dear(&calls))
					if got != noFuel {
						t.Fatalf("%s, slices of %d: %s; want %s", e, s, got, noFuel)
					}
					fuels, hosts = append(fuels, m.fuel()), append(hosts, calls)
				}
			}
			if !same(fuels) || !same(hosts) {
				t.Errorf("stopped after fuel %d and %d host calls; want one number each", fuels, hosts)
			}
			if hosts[0] > 6 {
				t.Errorf("%d calls of the host at 10,000 each; want at most 6", hosts[0])
			}
		})
	}
}

// TestLimitIsExact shows that what a module takes lets it pass, whatever the
// slice, and that with less it ends in the same way everywhere.
func TestLimitIsExact(t *testing.T) {
	tried := 0
	for seed := range uint64(60) {
		a := generate(1000 + seed)
		want, ok := naively(a)
		if !ok || want.state == "" {
			continue
		}
		tried++
		out, _ := rewrite(t, a.wasm(), genLimits)
		for _, s := range []uint64{7, slice} {
			if got, m := ending(t, "compiler", out, grants{slice: s, limit: want.fuel}, genHost); got != want.result || m.fuel() != want.fuel {
				t.Errorf("seed %d, slices of %d, fuel %d: %s after %d; want %s", seed, s, want.fuel, got, m.fuel(), want.result)
			}
		}
		limit := rand.New(rand.NewPCG(seed, 1)).Uint64N(want.fuel)
		var ends []string
		var fuels []uint64
		for _, e := range engines {
			for _, s := range []uint64{3, 1000, slice} {
				got, m := ending(t, e, out, grants{slice: s, limit: limit}, genHost)
				ends, fuels = append(ends, got), append(fuels, m.fuel())
			}
		}
		if !same(ends) || !same(fuels) {
			t.Errorf("seed %d, fuel %d of %d: %s after %d; want one end", seed, limit, want.fuel, ends, fuels)
		}
		// What is not looked at any more is the last region.
		if ends[0] != noFuel && (ends[0] != want.result || fuels[0] <= limit) {
			t.Errorf("seed %d, fuel %d of %d: %s after %d", seed, limit, want.fuel, ends[0], fuels[0])
		}
	}
	if tried < 30 {
		t.Fatalf("tried %d modules; want 30", tried)
	}
}

// recursion calls itself n times and returns; with wide it has much code.
func recursion(n int32, pad int, indirect bool) *asm {
	a := &asm{memory: []byte{0, 1}}
	t := a.typ([]wasm.ValType{i32}, nil)
	call := ins(wasm.OpCall, 0)
	if indirect {
		a.tables = [][]byte{{0x70, 0, 1}}
		a.elems = [][]byte{join(u(0), c32(0), ins(wasm.OpEnd), u(1), u(0))}
		call = join(c32(0), ins(wasm.OpCallIndirect, t, 0))
	}
	body := join(ins(wasm.OpLocalGet, 0), blk(wasm.OpIf, noBlock, ins(wasm.OpLocalGet, 0), c32(1), ins(wasm.OpI32Sub), call))
	// Values that live across the call, so that each frame holds them.
	var before, after []byte
	for i := range pad {
		before = join(before, c32(int32(i%100)), ins(wasm.OpI64Load, 0, uint32(i%100)))
		after = join(after, ins(wasm.OpI64Xor))
	}
	if pad > 0 {
		body = join(before, body, after[1:], drop)
	}
	a.fn(t, nil, body)
	a.export("f", wasm.KindFunc, a.fn(a.typ(nil, nil), nil, c32(n), call))
	return a
}

// TestDepthOfCallsIsCounted pins the number of functions that may be on the
// stack: f, and the one that calls itself.
func TestDepthOfCallsIsCounted(t *testing.T) {
	const wide = 8000 // 4 units, as its code is about 100 KiB
	tests := []struct {
		name string
		a    *asm
		want string
	}{
		{"as many as there may be", recursion(998, 0, false), "[]"},
		{"one more", recursion(999, 0, false), tooDeep},
		{"indirect, as many", recursion(998, 0, true), "[]"},
		{"indirect, one more", recursion(999, 0, true), tooDeep},
		{"no end", recursion(-1, 0, false), tooDeep},
		{"wide, few", recursion(100, wide, false), "[]"},
		{"wide, many", recursion(998, wide, false), tooDeep},
		{"wide, no end", recursion(-1, wide, true), tooDeep},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, _ := rewrite(t, tt.a.wasm(), limits)
			var fuels []uint64
			for _, e := range engines {
				got, m := ending(t, e, out, grants{slice: slice, limit: plenty})
				if got != tt.want {
					t.Errorf("%s: %s; want %s", e, got, tt.want)
				}
				fuels = append(fuels, m.fuel())
			}
			if !same(fuels) {
				t.Errorf("fuel %d; want one number", fuels)
			}
		})
	}
}

// TestGuardTellsItsTrapFromOthers: a trap at the greatest depth is not the
// guard's.
func TestGuardTellsItsTrapFromOthers(t *testing.T) {
	a := &asm{}
	typ := a.typ(nil, nil)
	a.export("f", wasm.KindFunc, a.fn(typ, nil, ins(wasm.OpUnreachable)))
	out, _ := rewrite(t, a.wasm(), meter.Options{Depth: 1})
	for _, e := range engines {
		if got, m := ending(t, e, out, grants{slice: slice, limit: plenty}); got != unreachable || m.depth() != 0 {
			t.Errorf("%s: %s at depth %d; want %s at 0", e, got, m.depth(), unreachable)
		}
	}
}

// TestNegativeGrantStops: a host that takes fuel away where it is asked for
// some does not make the guest ask for ever.
func TestNegativeGrantStops(t *testing.T) {
	out, _ := rewrite(t, one(nil, nil, nil, ins(wasm.OpNop)).wasm(), limits)
	for _, e := range engines {
		if got, m := ending(t, e, out, grants{slice: 1 << 63, limit: 1<<64 - 1}); got != unreachable || m.asked != 1 {
			t.Errorf("%s: %s after asking %d times; want %s after 1", e, got, m.asked, unreachable)
		}
	}
}
