package wasm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// goGuest builds testdata/goguest once.
var goGuest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "goguest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, "./testdata/goguest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	return os.ReadFile(out)
})

// goPlugins are the guest in both engines; compiling it takes long.
var goPlugins = map[bool]func() (*Plugin, error){
	false: sync.OnceValues(func() (*Plugin, error) { return newGoPlugin(false) }),
	true:  sync.OnceValues(func() (*Plugin, error) { return newGoPlugin(true) }),
}

func newGoPlugin(interpreter bool) (*Plugin, error) {
	module, err := goGuest()
	if err != nil {
		return nil, err
	}
	h, err := New(Options{Interpreter: interpreter, Limits: Limits{EvaluateWall: time.Hour, StartWall: time.Hour}})
	if err != nil {
		return nil, err
	}
	return h.Load(context.Background(), Source{Name: "go", Module: module})
}

func loadGo(t testing.TB, interpreter bool) *Plugin {
	t.Helper()
	p, err := goPlugins[interpreter]()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bodies are inputs of the Go guest.
func bodies(t testing.TB) (views []abi.Value) {
	t.Helper()
	for i, body := range []string{"", "password: hunter2", "log", strings.Repeat("many words ", 20), "Passphrase=— 🔑", "panic"} {
		views = append(views, parse(t, fmt.Sprintf(`{"time":"2026-11-29T18:00:%02dZ","call":{"arguments":{"body":%q}}}`, i, body)))
	}
	return views
}

// TestAGoGuestIsTheSameEachTime tries a guest that would differ by chance, map
// order, the clock and a counter, on inputs in any order.
func TestAGoGuestIsTheSameEachTime(t *testing.T) {
	views := bodies(t)
	first := make([]string, len(views))
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			p := loadGo(t, e.interpreter)
			order := rand.New(rand.NewPCG(1, 2))
			for n := range rounds {
				i := order.IntN(len(views) - 1)
				if n%(rounds/5) == 7 {
					i = len(views) - 1 // the instance is discarded
				}
				got := short(p.Evaluate(views[i]))
				if first[i] == "" {
					first[i] = got
				}
				if got != first[i] {
					t.Fatalf("evaluation %d of body %d: %s; first: %s", n, i, got, first[i])
				}
			}
		})
	}
	for i, f := range first {
		if f == "" {
			t.Errorf("body %d was never evaluated", i)
		}
		for j := range i {
			if first[j] == f {
				t.Errorf("bodies %d and %d have the same answer, %s", i, j, f)
			}
		}
	}
}

// TestAGoGuestSaysWhatItWasTold holds that the guest does all it should, or the
// test above would show nothing.
func TestAGoGuestSaysWhatItWasTold(t *testing.T) {
	p := loadGo(t, false)
	views := bodies(t)
	a := p.Evaluate(views[1])
	for _, want := range []string{"call 1,", "2 words", `found ["password: hunter2" "word" "hunter2"]`, "now 2026-11-29 18:00:01 +0000 UTC", "chance "} {
		if !strings.Contains(string(a.Output), want) {
			t.Errorf("%q is not in %q", want, a.Output)
		}
	}
	if a := p.Evaluate(views[2]); len(a.Log) != 1 || a.Log[0] != (Line{abi.LogWarn, "a line of log"}) {
		t.Errorf("the log is %v", a.Log)
	}
	a = p.Evaluate(views[5])
	if a.Class != abi.FailTrap || !strings.Contains(fmt.Sprint(a.Log), "as it was told") {
		t.Errorf("a panic: %s, log %v; want class trap, and the log", short(a), a.Log)
	}
}
