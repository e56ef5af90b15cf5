package wasm

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestPluginsAreClosedUnderWay while four sessions ask: each answer is whole, or
// says that the plugin is closed, and old plugins go.
func TestPluginsAreClosedUnderWay(t *testing.T) {
	h := newHost(t, Options{})
	source := Source{Name: "configure", Module: guest(t, "configure"), Settings: abi.ObjectValue(abi.Member{Name: "mode", Value: abi.StringValue("a")})}
	for range 20 {
		p := load(t, h, source)
		var asked, wg sync.WaitGroup
		asked.Add(4)
		for range 4 {
			wg.Go(func() {
				a := p.Evaluate(abi.Value{})
				if asked.Done(); string(a.Output) != "a" {
					t.Errorf("before it is closed: %s; want an answer", short(a))
				}
				for string(a.Output) == "a" {
					a = p.Evaluate(abi.Value{})
				}
				if a.Class != abi.FailHost || a.Detail != "the plugin is closed" {
					t.Errorf("%s; want an answer, or a closed plugin", short(a))
				}
			})
		}
		asked.Wait()
		p.Close()
		p.Close()
		<-p.Gone()
		wg.Wait()
	}
	if len(h.plugins) != 0 {
		t.Errorf("%d plugins are left", len(h.plugins))
	}
}

// TestAnEvaluationOutlivesTheClose that comes while it runs.
func TestAnEvaluationOutlivesTheClose(t *testing.T) {
	h := newHost(t, Options{})
	p := load(t, h, Source{Name: "acts", Module: guest(t, "acts")})
	if !p.enter() {
		t.Fatal("closed")
	}
	p.Close()
	select {
	case <-p.Gone():
		t.Fatal("gone under an evaluation")
	default:
	}
	if a := p.evaluate(act('a')); a.Class != "" {
		t.Errorf("%s", short(a))
	}
	p.leave()
	<-p.Gone()
}

// TestAClosedHostLoadsNothing and closing it closes its plugins.
func TestAClosedHostLoadsNothing(t *testing.T) {
	h, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := load(t, h, Source{Name: "abstain", Module: guest(t, "abstain")})
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	<-p.Gone()
	if e := fails(t, h, Source{Name: "abstain", Module: guest(t, "abstain")}); e.Class != abi.FailHost {
		t.Errorf("%v; want class host", e)
	}
}

// TestAHostThatIsClosedWhileItLoads waits for what it has begun.
func TestAHostThatIsClosedWhileItLoads(t *testing.T) {
	for range 20 {
		h, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			p, err := h.Load(context.Background(), Source{Name: "counter", Module: guest(t, "counter")})
			if err == nil {
				p.Evaluate(abi.Value{})
			}
			done <- err
		}()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		var e *Error
		if err := <-done; err != nil && (!errors.As(err, &e) || e.Class != abi.FailHost) {
			t.Errorf("%v; want class host", err)
		}
		if len(h.plugins) != 0 {
			t.Errorf("%d plugins are left", len(h.plugins))
		}
	}
}

// mappings is how many mappings this process has; 0 where nobody says.
func mappings() int {
	b, _ := os.ReadFile("/proc/self/maps")
	return strings.Count(string(b), "\n")
}

// TestNothingIsLeftBehind of plugins that were closed, and of instances that were
// discarded: neither mappings nor open files.
func TestNothingIsLeftBehind(t *testing.T) {
	h := newHost(t, Options{Limits: Limits{EvaluateFuel: 200_000}})
	once := func(letters string) {
		p := load(t, h, Source{Name: "acts", Module: guest(t, "acts")})
		for _, c := range []byte(letters) {
			p.Evaluate(act(c))
		}
		p.Close()
		<-p.Gone()
	}
	count := func() (maps, files int) {
		for range 3 { // the engine lets code go when it is collected
			runtime.GC()
		}
		names, _ := os.ReadDir("/proc/self/fd")
		return mappings(), len(names)
	}
	once("abcdw")
	maps, files := count()
	for range 50 {
		once("abcdw")
	}
	fails(t, h, Source{Name: "start", Module: guest(t, "start_loop")})
	nowMaps, nowFiles := count()
	if nowMaps > maps+20 || nowFiles > files+2 {
		t.Errorf("%d mappings and %d files; before: %d and %d", nowMaps, nowFiles, maps, files)
	}
}

// TestAHostThatStopsEndsGuests that have begun, and lets those pass that are quick.
func TestAHostThatStopsEndsGuests(t *testing.T) {
	for _, e := range engines {
		h := newHost(t, Options{Interpreter: e.interpreter, Limits: Limits{EvaluateFuel: 1 << 62}})
		loops := load(t, h, Source{Name: "loop", Module: hostile(t, "loop_forever")})
		quick := load(t, h, Source{Name: "configure", Module: guest(t, "configure"), Settings: parse(t, `{"mode":"a"}`)})
		answers := make(chan Answer)
		go func() { answers <- loops.Evaluate(abi.Value{}) }()
		for len(loops.slots) == 0 {
			runtime.Gosched()
		}
		h.Stop()
		h.Stop()
		for _, a := range []Answer{<-answers, loops.Evaluate(abi.Value{})} {
			if a.Class != abi.FailWatchdog {
				t.Errorf("%s: %s; want class watchdog", e.name, short(a))
			}
		}
		if a := quick.Evaluate(abi.Value{}); string(a.Output) != "a" {
			t.Errorf("%s: a quick one: %s", e.name, short(a))
		}
	}
}

// TestAHostThatStopsCompilesNothing more; until then it does.
func TestAHostThatStopsCompilesNothing(t *testing.T) {
	h := newHost(t, Options{Compiler: compiler})
	good := parse(t, `{"mode":"a"}`)
	load(t, h, Source{Name: "configure", Module: guest(t, "configure"), Settings: good})
	h.Stop()
	var e *Error
	if _, err := h.Load(context.Background(), Source{Name: "configure", Module: guest(t, "configure"), Settings: good}); !errors.As(err, &e) || e.Class != abi.FailLoad {
		t.Errorf("got %v; want class load", err)
	}
}
