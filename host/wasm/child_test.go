package wasm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/abi"
	w "github.com/callgate/callgate/host/wasm/wasmtest"
)

// byScript compiles by a script of the shell, in which "$0" "$@" is the compiler.
func byScript(script string) []string {
	return append([]string{"/bin/sh", "-c", script}, compiler...)
}

// TestAChildThatFailsAtAnyPointLeavesNothing and the plugin does not load. Code that
// is not there would be compiled here, where nothing stops that.
func TestAChildThatFailsAtAnyPointLeavesNothing(t *testing.T) {
	t.Setenv("CALLGATE_SECRET", "x")
	for _, c := range []struct{ what, script, want string }{ // want "": it loads
		{"it is as it should be", `exec "$0" "$@"`, ""},
		{"it inherits nothing", `[ -z "$CALLGATE_SECRET" ] && exec "$0" "$@"`, ""},
		{"it is killed at the start", `kill -9 $$`, "signal: killed"},
		{"it is killed in the middle", `head -c 10 >/dev/null; kill -9 $$`, "signal: killed"},
		{"it is killed at the end", `"$0" "$@"; kill -9 $$`, "signal: killed"},
		{"it fails at the end", `"$0" "$@"; exit 7`, "exit status 7"},
		{"it stops to read", `exec 0<&-; exit 0`, "want a number of microseconds"},
		{"it says too much", `"$0" "$@"; yes | head -c 1000000`, "want a number of microseconds"},
		{"it complains too much", `cat >/dev/null; yes | head -c 1000000 >&2; exit 1`, "the process that compiles: y"},
		{"it has no memory", `ulimit -v 40000; exec "$0" "$@"`, "the process that compiles: "},
		{"it leaves no code", `cat >/dev/null; echo 9999999`, "0 files in 1 folders, and no code; if callgate was replaced"},
		{"it is of another version", `"$0" "$@"; mv "$2"/wazero-* "$2"/wazero-v0.0.0`, "1 files in 2 folders, and no code; if callgate was replaced"},
		{"it leaves more", `"$0" "$@"; echo >"$2"/more`, "2 files in 1 folders"},
		{"it removes its directory", `"$0" "$@"; rm -r "$2"`, "0 files in 1 folders"},
	} {
		dir := filepath.Join(t.TempDir(), "cache")
		h := newHost(t, Options{CacheDir: dir, Compiler: byScript(c.script), Limits: Limits{CompileQuick: 1}})
		src := Source{Name: "acts", Module: guest(t, "acts")}
		if c.want == "" {
			if a := load(t, h, src).Evaluate(act('a')); a.Class != "" || len(cached(t, dir)) != 1 {
				t.Errorf("%s: %s, and the cache has %v", c.what, short(a), cached(t, dir))
			}
			continue
		}
		if e := fails(t, h, src); e.Class != abi.FailLoad || !strings.Contains(e.Detail, c.want) {
			t.Errorf("%s: %v; want %q", c.what, e, c.want)
		}
		if left := cached(t, dir); len(left) != 0 {
			t.Errorf("%s: the cache has %v", c.what, left)
		}
	}
}

// TestCompilingIsBoundByWhatItUses of processors, and not by how long it waits for
// one.
func TestCompilingIsBoundByWhatItUses(t *testing.T) {
	src := Source{Name: "acts", Module: guest(t, "acts")}
	for _, c := range []struct {
		script string
		limits Limits
		want   string
	}{
		{`exec "$0" "$@"`, Limits{}, ""},
		{`exec "$0" "$@"`, Limits{CompileCPU: 1}, "compiling took more than 1ns of processors, and was stopped"},
		{`kill -9 $$`, Limits{CompileCPU: 1}, "compiling took more than 1ns of processors, and was stopped"},
		{`while :; do :; done`, Limits{CompileWall: 1}, "compiling took longer than 1ns, and was stopped"},
	} {
		h := newHost(t, Options{Compiler: byScript(c.script), Limits: c.limits})
		if c.want == "" {
			load(t, h, src)
		} else if e := fails(t, h, src); e.Class != abi.FailLoad || e.Detail != c.want {
			t.Errorf("%s: %v; want %q", c.script, e, c.want)
		}
	}
	was := processorTime()
	for processorTime() <= was {
		_ = abi.DigestBytes(src.Module) // at work
	}
}

// TestFewChildrenAreAtWorkAtOnce however many modules are loaded.
func TestFewChildrenAreAtWorkAtOnce(t *testing.T) {
	const loads = 12
	at, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	h := newHost(t, Options{Compiler: byScript(fmt.Sprintf(`touch %[1]q/$$; ls %[1]q | wc -l >>%[2]q; "$0" "$@"; is=$?; rm %[1]q/$$; exit $is`, at, log))})
	var wg sync.WaitGroup
	for n := range loads {
		module := changed(func(m *w.Module) { m.Tail = w.Custom("n", []byte{byte(n)}) })
		wg.Go(func() {
			p, err := h.Load(context.Background(), Source{Name: "one", Module: module})
			if err != nil {
				t.Error(err)
				return
			}
			p.Close()
		})
	}
	wg.Wait()
	counts := strings.Fields(string(read(t, log)))
	for _, n := range counts {
		var is int
		if _, err := fmt.Sscan(n, &is); err != nil || is < 1 || is > cap(h.compiling) {
			t.Errorf("%s children at once; want at most %d", n, cap(h.compiling))
		}
	}
	if len(counts) != loads {
		t.Errorf("%d children; want %d", len(counts), loads)
	}
}

// TestCodeIsLoadedThoughItIsEvicted once it was found, and what is no code of ours
// is not.
func TestCodeIsLoadedThoughItIsEvicted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	o := Options{CacheDir: dir, Compiler: compiler, Limits: Limits{CompileQuick: 1}}
	src := Source{Name: "acts", Module: guest(t, "acts")}
	load(t, newHost(t, o), src)
	o.Compiler = byScript("exit 1")
	h := newHost(t, o)
	hardened, info, err := harden(&src)
	if err != nil {
		t.Fatal(err)
	}
	e, err := h.entry(context.Background(), hardened, true)
	if err != nil {
		t.Fatal(err)
	}
	defer e.leave()
	if err := os.RemoveAll(e.from); err != nil {
		t.Fatal(err)
	}
	stat := func() os.FileInfo {
		code, err := theCode(e.code)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(code)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	was := stat()
	c, err := h.load(hardened, info, e.code)
	if err != nil {
		t.Fatal(err)
	}
	c.close()
	if now := stat(); !os.SameFile(was, now) {
		t.Error("it was compiled in the host")
	}
	if e := fails(t, h, src); !strings.Contains(e.Detail, "exit status 1") {
		t.Errorf("%v; want that it is not in the cache", e)
	}
}
