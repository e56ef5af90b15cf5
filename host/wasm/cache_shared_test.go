package wasm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestHostsShareACache and write to it, read from it, prune it and find spoilt
// entries in it at the same time.
func TestHostsShareACache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	guests := []string{"counter", "abstain", "acts", "get"}
	want := map[string]string{}
	plain := newHost(t, Options{})
	for _, name := range guests {
		want[name] = whole(load(t, plain, Source{Name: name, Module: guest(t, name)}).Evaluate(act('a')))
	}
	var wg sync.WaitGroup
	for n := range 4 {
		h := newHost(t, Options{CacheDir: dir, Compiler: compiler, Limits: Limits{CompileQuick: 1}})
		wg.Go(func() {
			for i := range 2 * len(guests) {
				name := guests[(i+n)%len(guests)]
				p, err := h.Load(context.Background(), Source{Name: name, Module: guest(t, name)})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if got := whole(p.Evaluate(act('a'))); got != want[name] {
					t.Errorf("%s: %s; without a cache %s", name, got, want[name])
				}
				p.Close()
				if n == 0 { // and somebody spoils it
					spoilt, _ := filepath.Glob(filepath.Join(dir, "[0-9a-f]*", "*", "*"))
					for _, f := range spoilt {
						_ = os.Truncate(f, 10) // it may be gone
					}
				}
			}
		})
	}
	wg.Wait()
	for name := range cached(t, dir) {
		if strings.HasPrefix(name, freshPrefix) {
			t.Errorf("%s is left of a child", name)
		}
	}
}

// TestADiskThatIsFullIsSaid and leaves nothing that somebody would believe; the
// child is not allowed to write more than a few bytes.
func TestADiskThatIsFullIsSaid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	src := Source{Name: "acts", Module: guest(t, "acts")}
	script := append([]string{"/bin/sh", "-c", `ulimit -f 1; exec "$0" "$@"`}, compiler...)
	h := newHost(t, Options{CacheDir: dir, Compiler: script, Limits: Limits{CompileQuick: 1}})
	if e := fails(t, h, src); e.Class != abi.FailLoad || !strings.Contains(e.Detail, "the process that compiles: ") {
		t.Errorf("%v; want class load", e)
	}
	if left := cached(t, dir); len(left) != 0 {
		t.Errorf("the cache has %v", left)
	}
	h = newHost(t, Options{CacheDir: dir, Compiler: compiler, Limits: Limits{CompileQuick: 1}})
	if a := load(t, h, src).Evaluate(act('a')); a.Class != "" {
		t.Errorf("with room again: %s", short(a))
	}
}

// TestAChildThatIsMissingIsSaid and tried again.
func TestAChildThatIsMissingIsSaid(t *testing.T) {
	o := Options{Compiler: []string{filepath.Join(t.TempDir(), "callgate"), "compile"}}
	e := fails(t, newHost(t, o), Source{Name: "acts", Module: guest(t, "acts")})
	if e.Class != abi.FailLoad || !strings.Contains(e.Detail, "no such file") && !strings.Contains(e.Detail, "cannot find") {
		t.Errorf("%v; want class load, and that it is not there", e)
	}
}
