package wasm

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/scan"
	w "github.com/callgate/callgate/host/wasm/wasmtest"
)

// fails loads what must not load.
func fails(t *testing.T, h *Host, src Source) *Error {
	t.Helper()
	p, err := h.Load(context.Background(), src)
	var e *Error
	if err == nil {
		p.Close()
	}
	if !errors.As(err, &e) {
		t.Fatalf("%s: error %v; want an *Error", src.Name, err)
	}
	return e
}

// TestConfigureSaysWhetherSettingsWillDo and anything else it does is an error.
func TestConfigureSaysWhetherSettingsWillDo(t *testing.T) {
	ways(t, func(t *testing.T, o Options) {
		o.Limits.StartFuel = 200_000
		h := newHost(t, o)
		p := load(t, h, Source{Name: "configure", Module: guest(t, "configure"), Settings: parse(t, `{"mode":"a"}`)})
		if a := p.Evaluate(abi.Value{}); string(a.Output) != "a" || p.Began().Fuel == 0 {
			t.Errorf("%s; want what it was configured with", short(a))
		}
		for _, c := range []struct {
			mode string
			why  abi.FailureClass
			text string
		}{
			{"b", "", `plugin "configure": configure: settings at "/settings/mode": it says "no such mode"`},
			{"c", abi.FailTrap, `plugin "configure": configure: trap: unreachable`},
			{"d", abi.FailFuel, `plugin "configure": configure: out_of_fuel: used 201501 of 201500 fuel`},
			{"e", abi.FailProtocol, "what is not JSON"},
			{"f", abi.FailProtocol, `neither {"ok":true} nor`},
			{"g", "", `plugin "configure": configure: settings: it says "no mode"`},
		} {
			e := fails(t, h, Source{Name: "configure", Module: guest(t, "configure"), Settings: parse(t, `{"mode":"`+c.mode+`"}`)})
			if e.Class != abi.FailConfigure || e.Why != c.why || !strings.Contains(e.Error(), c.text) {
				t.Errorf("%s: %v, why %q; want %q, %q", c.mode, e, e.Why, c.text, c.why)
			}
		}
		e := fails(t, h, Source{Name: "start", Module: guest(t, "start_loop")})
		if e.Class != abi.FailConfigure || e.Why != abi.FailFuel {
			t.Errorf("a start function without an end: %v", e)
		}
	})
}

// TestModulesThatAreNotAdmittedDoNotLoad and say all that is wrong.
func TestModulesThatAreNotAdmittedDoNotLoad(t *testing.T) {
	h := newHost(t, Options{})
	e := fails(t, h, Source{Name: "none", Module: []byte("\x00asm\x01\x00\x00\x00")})
	var problems *scan.Problems
	if e.Class != abi.FailLoad || !errors.As(e, &problems) || len(problems.List) < 2 {
		t.Errorf("an empty module: %v", e)
	}
	for _, c := range []struct {
		manifest abi.Manifest
		text     string // "": it loads
	}{
		{abi.Manifest{Fuel: MaxFuel, MemoryMiB: 256}, ""},
		{abi.Manifest{Fuel: MaxFuel + 1}, "limits.fuel: 500000001; at most 500000000"},
		{abi.Manifest{MemoryMiB: 257}, "limits.memory_mib: 257; at most 256"},
	} {
		src := Source{Name: "abstain", Module: guest(t, "abstain"), Manifest: &c.manifest}
		if c.text == "" {
			if a := load(t, h, src).Evaluate(abi.Value{}); a.Class != "" {
				t.Errorf("%s", short(a))
			}
		} else if e := fails(t, h, src); e.Class != abi.FailLoad || e.Detail != c.text {
			t.Errorf("%v; want %q", e, c.text)
		}
	}
}

// TestFuelDoesNotDependOnItsSlices nor does the place where it runs out.
func TestFuelDoesNotDependOnItsSlices(t *testing.T) {
	letters := "abcdefrsuvw"
	first := map[byte]string{}
	for _, slice := range []uint64{1, 17, 1000, FuelSlice, MaxFuel} {
		for _, e := range engines {
			fuel := uint64(100_000)
			h := newHost(t, Options{Interpreter: e.interpreter, Limits: Limits{FuelSlice: slice, EvaluateFuel: fuel}})
			p := load(t, h, Source{Name: "acts", Module: guest(t, "acts")})
			for _, c := range []byte(letters) {
				got := short(p.Evaluate(act(c)))
				if first[c] == "" {
					first[c] = got
				}
				if got != first[c] {
					t.Errorf("%c, slices of %d, %s: %s; first: %s", c, slice, e.name, got, first[c])
				}
			}
		}
	}
	if len(first) != len(letters) {
		t.Errorf("%d letters; want %d", len(first), len(letters))
	}
}

// TestFuelIsCreditedForWhatIsRead up to the most that there is.
func TestFuelIsCreditedForWhatIsRead(t *testing.T) {
	limits := Limits{}.withDefaults()
	for _, c := range []struct{ fuel, bytes, want uint64 }{
		{EvaluateFuel, 1, EvaluateFuel + 1500}, {EvaluateFuel, MaxDelivered, MaxFuel}, {MaxFuel, 1, MaxFuel}, {100, 2, 3100},
	} {
		r := run{limits: &limits}
		r.begin(abi.Value{}, c.fuel, time.Second, nil)
		if r.credit(c.bytes); r.budget != c.want {
			t.Errorf("%d fuel and %d bytes: %d; want %d", c.fuel, c.bytes, r.budget, c.want)
		}
	}
}

// TestTheClockStopsAGuestLast where fuel did not.
func TestTheClockStopsAGuestLast(t *testing.T) {
	for _, e := range engines {
		h := newHost(t, Options{Interpreter: e.interpreter, Limits: Limits{EvaluateWall: time.Nanosecond, FuelSlice: 10_000}})
		p := load(t, h, Source{Name: "acts", Module: guest(t, "acts")})
		if a := p.Evaluate(act('c')); a.Class != abi.FailWatchdog || a.Detail != "stopped by the clock after 1ns" {
			t.Errorf("%s: %s; want class watchdog", e.name, short(a))
		}
		if a := p.Evaluate(act('a')); a.Class != "" {
			t.Errorf("%s: %s; want an answer, from what does not take a slice", e.name, short(a))
		}
		h = newHost(t, Options{Interpreter: e.interpreter, Limits: Limits{StartWall: time.Nanosecond, FuelSlice: 10_000}})
		if e := fails(t, h, Source{Name: "start", Module: guest(t, "start_loop")}); e.Class != abi.FailConfigure || e.Why != abi.FailWatchdog {
			t.Errorf("a start function: %v", e)
		}
	}
}

// fillsOf is a plugin that fills its memory of 256 MiB from the first byte on, and
// answers 0.
func fillsOf(size int32) []byte {
	n := make([]byte, 0, 5)
	for ; size >= 0x40; size >>= 7 {
		n = append(n, byte(size)|0x80)
	}
	n = append(n, byte(size))
	return changed(func(m *w.Module) {
		m.Memories = [][]byte{{0, 0x80, 0x20}}
		m.Bodies[1] = w.Body("\x41\x00\x41\x01\x41" + string(n) + "\xfc\x0b\x00\x42\x00\x0b")
	})
}

// TestAHostGetsItsTurnWithinAnInstruction that takes long, whatever fuel there is.
func TestAHostGetsItsTurnWithinAnInstruction(t *testing.T) {
	for _, e := range engines {
		h := newHost(t, Options{Interpreter: e.interpreter, Limits: Limits{EvaluateWall: time.Nanosecond, FuelSlice: MaxFuel, EvaluateFuel: MaxFuel}})
		for size, want := range map[int32]abi.FailureClass{1 << 20: abi.FailProtocol, 1<<20 + 1: abi.FailWatchdog, 256 << 20: abi.FailWatchdog} {
			p := load(t, h, Source{Name: "fills", Module: fillsOf(size), Manifest: &abi.Manifest{ABI: "1.0", MemoryMiB: 256}})
			if a := p.Evaluate(abi.Value{}); a.Class != want {
				t.Errorf("%s: %d bytes: %s; want class %s", e.name, size, short(a), want)
			}
		}
		// The twins: with time it ends, with as much fuel as it takes and no more.
		for size, fuel := range map[int32]uint64{16 << 20: 1<<20 + 9, 256 << 20: 16<<20 + 9} {
			for less, want := range map[uint64]abi.FailureClass{0: abi.FailProtocol, 1: abi.FailFuel} {
				h = newHost(t, Options{Interpreter: e.interpreter, Limits: Limits{EvaluateFuel: fuel - less}})
				p := load(t, h, Source{Name: "fills", Module: fillsOf(size), Manifest: &abi.Manifest{ABI: "1.0", MemoryMiB: 256}})
				if a := p.Evaluate(abi.Value{}); a.Class != want {
					t.Errorf("%s: %d bytes with %d fuel: %s; want class %s", e.name, size, fuel-less, short(a), want)
				}
			}
		}
	}
}

// TestADefectOfTheHostIsNotATrap of the guest's.
func TestADefectOfTheHostIsNotATrap(t *testing.T) {
	h := newHost(t, Options{})
	p := load(t, h, Source{Name: "acts", Module: guest(t, "acts")})
	p.idle[0].run.mem = struct{ api.Memory }{}
	a := p.Evaluate(act('u'))
	if a.Class != abi.FailHost || strings.Contains(a.Detail+a.Trace, ".go:") {
		t.Errorf("%s, trace %q; want class host, and no paths of ours", short(a), a.Trace)
	}
	if a := p.Evaluate(act('u')); a.Class != abi.FailLimit {
		t.Errorf("afterwards: %s; want class limit", short(a))
	}
}

// TestGuestsAreBuiltFromTheirSource each has one, and it is what was built.
func TestGuestsAreBuiltFromTheirSource(t *testing.T) {
	sources, err := filepath.Glob("testdata/guest/*.wat")
	if err != nil || len(sources) == 0 {
		t.Fatalf("%d sources, error %v", len(sources), err)
	}
	if _, err := exec.LookPath("wat2wasm"); err != nil {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatal("no wat2wasm; install wabt")
		}
		t.Skip("no wat2wasm of wabt: what is built from the sources is not known")
	}
	dir := t.TempDir()
	if out, err := exec.Command("sh", "testdata/guest/build.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, s := range sources {
		name := strings.TrimSuffix(filepath.Base(s), ".wat")
		built, err := os.ReadFile(filepath.Join(dir, name+".wasm"))
		if err != nil || string(built) != string(guest(t, name)) {
			t.Errorf("%s: not what is built from its source; run testdata/guest/build.sh", name)
		}
	}
}
