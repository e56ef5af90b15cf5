package wasm

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/abi"
)

// besiege loads every hostile guest and asks those that load, without a word.
func besiege(h *Host, names []string, read func(string) ([]byte, error)) error {
	for _, name := range names {
		b, err := read(name)
		if err != nil {
			return err
		}
		p, err := h.Load(context.Background(), Source{Name: name, Module: b})
		if err != nil {
			continue // refused, which is well
		}
		p.Evaluate(abi.ObjectValue())
		p.Close()
	}
	return nil
}

// besiegeMain is the process that a test looks at from outside.
func besiegeMain(args []string) int {
	h, err := New(Options{Limits: hostileLimits(), Interpreter: args[0] == engineInterpreter})
	if err != nil {
		return 3
	}
	if err := besiege(h, args[1:], func(name string) ([]byte, error) { return os.ReadFile("testdata/hostile/" + name + ".wasm") }); err != nil {
		return 4
	}
	if h.Close() != nil {
		return 5
	}
	return 0
}

// TestNoGuestReachesTheStreamsOfTheProcess since one of them is the protocol, nor
// ends the process.
func TestNoGuestReachesTheStreamsOfTheProcess(t *testing.T) {
	names, _ := hostileNames(t)
	for _, engine := range []string{engineCompiler, engineInterpreter}[:enginesUnderSiege] {
		cmd := exec.Command(os.Args[0], append([]string{besiegeVerb, engine}, names...)...)
		out, err := cmd.CombinedOutput()
		if err != nil || len(out) != 0 {
			t.Errorf("%s: %v, and it wrote %.300q", engine, err, out)
		}
	}
}

// TestManyHostileGuestsAtOnce answer as each does alone, in plugins that are
// loaded, asked and closed at the same time, while others get their answers.
func TestManyHostileGuestsAtOnce(t *testing.T) {
	names, want := hostileNames(t)
	h := newHost(t, Options{Limits: hostileLimits()})
	good := load(t, h, Source{Name: "good", Module: guest(t, "acts")})
	before := whole(good.Evaluate(act('a')))
	var wg sync.WaitGroup
	var next, answers atomic.Int64
	for range 4 {
		wg.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(names); n = int(next.Add(1)) - 1 {
				if is, full := becomes(t, h, names[n]); is != want[names[n]] {
					t.Errorf("%s: %q, %.200s; alone %q", names[n], is, full, want[names[n]])
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for working := true; working || answers.Load() == 0; {
		select {
		case <-done:
			working = false
		default:
		}
		if after := whole(good.Evaluate(act('a'))); after != before {
			t.Fatalf("a good guest answers %s; before %s", after, before)
		}
		answers.Add(1)
	}
}

// TestOthersAreAnsweredWhileAGuestIsAtWork and the collector, which has to stop
// every goroutine for a moment, can.
func TestOthersAreAnsweredWhileAGuestIsAtWork(t *testing.T) {
	const want = 200
	h := newHost(t, Options{})
	busy := map[string]*Plugin{}
	for _, name := range []string{"loop_forever", "bulk_fill", "exponential_calls", "memory_grow"} {
		busy[name] = load(t, h, Source{Name: name, Module: hostile(t, name), Manifest: &abi.Manifest{ABI: hostileABI, Fuel: MaxFuel}})
	}
	good := load(t, h, Source{Name: "good", Module: guest(t, "acts")})
	before := whole(good.Evaluate(act('a')))
	for name, p := range busy {
		var atWork, stop atomic.Bool
		var ended atomic.Int64
		var wg sync.WaitGroup
		wg.Go(func() {
			for !stop.Load() {
				atWork.Store(true)
				if a := p.Evaluate(abi.Value{}); a.Class != abi.FailFuel {
					t.Errorf("%s: %s", name, short(a))
				}
				ended.Add(1)
			}
		})
		for !atWork.Load() {
			runtime.Gosched()
		}
		for n := range want {
			if after := whole(good.Evaluate(act('a'))); after != before {
				t.Errorf("%s: a good guest answers %s; before %s", name, after, before)
			}
			if n%50 == 0 {
				runtime.GC()
			}
		}
		if ended.Load() > want/2 {
			t.Errorf("%s: it ended %d times meanwhile; it was not at work", name, ended.Load())
		}
		stop.Store(true)
		wg.Wait()
	}
}

// resident is the memory of this process, in bytes; 0 where nobody says.
func resident() int {
	statm, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(statm))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}

// TestHostileGuestsLeaveNothingBehind once their plugins are closed: no mappings,
// no open files, no memory.
func TestHostileGuestsLeaveNothingBehind(t *testing.T) {
	names, _ := hostileNames(t)
	slow := []string{"get_long_path", "get_flood", "get_probe_flood"} // long in the race detector
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(slow, n) })
	h := newHost(t, Options{Limits: hostileLimits()})
	round := func() (maps, files, bytes int) {
		if err := besiege(h, names, func(name string) ([]byte, error) { return hostile(t, name), nil }); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			debug.FreeOSMemory()
		}
		open, _ := os.ReadDir("/proc/self/fd")
		return mappings(), len(open), resident()
	}
	round() // what is made once
	maps, files, bytes := round()
	for range 2 {
		round()
	}
	nowMaps, nowFiles, nowBytes := round()
	if nowMaps > maps+40 || nowFiles > files+2 || nowBytes > bytes+32<<20 {
		t.Errorf("%d mappings, %d files, %d bytes; before: %d, %d, %d", nowMaps, nowFiles, nowBytes, maps, files, bytes)
	}
}
