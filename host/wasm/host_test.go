package wasm

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

const (
	besiegeVerb  = "besiege-for-test"
	replacedVerb = "replaced-for-test"
)

// TestMain lets the test be the process that compiles, and one that is under
// siege.
func TestMain(m *testing.M) {
	const verb = "compile-for-test"
	if len(os.Args) > 1 && os.Args[1] == verb {
		os.Exit(CompileMain(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) > 2 && os.Args[1] == besiegeVerb {
		os.Exit(besiegeMain(os.Args[2:]))
	}
	if len(os.Args) > 3 && os.Args[1] == replacedVerb {
		os.Exit(replacedMain(os.Args[2], os.Args[3], verb))
	}
	compiler = []string{os.Args[0], verb}
	os.Exit(m.Run())
}

// compiler is the command of Options.Compiler for tests.
var compiler []string

func guest(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "guest", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newHost(t testing.TB, o Options) *Host {
	t.Helper()
	for _, wall := range []*time.Duration{&o.Limits.EvaluateWall, &o.Limits.StartWall, &o.Limits.CompileWall, &o.Limits.CompileCPU} {
		if *wall == 0 { // no machine is too slow for a test
			*wall = 10 * time.Minute
		}
	}
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func load(t testing.TB, h *Host, src Source) *Plugin {
	t.Helper()
	p, err := h.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parse(t testing.TB, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// engines are both ways to run a guest, which must not differ.
var engines = []struct {
	name        string
	interpreter bool
}{{"compiler", false}, {"interpreter", true}}

// resets are all ways to put memory back that work here, which must not differ.
func resets() (all []reset) {
	for _, how := range []reset{resetScan, resetPagemap, resetCopy} {
		file, got := openPageMap(how)
		if file != nil {
			_ = file.Close()
		}
		if got == how {
			all = append(all, how)
		}
	}
	return all
}

var resetNames = [...]string{"best", "scan", "pagemap", "copy"}

// ways runs a test in both engines and with each reset.
func ways(t *testing.T, f func(t *testing.T, o Options)) {
	t.Helper()
	ran := 0
	for _, e := range engines {
		for _, how := range resets() {
			t.Run(e.name+"/"+resetNames[how], func(t *testing.T) {
				f(t, Options{Interpreter: e.interpreter, reset: how})
			})
			ran++
		}
	}
	if ran < 2 {
		t.Fatalf("%d ways to run a guest; want both engines at least", ran)
	}
}
