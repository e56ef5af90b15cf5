package meter_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	wasm "github.com/callgate/callgate/host/wasm/binary"
	"github.com/callgate/callgate/host/wasm/meter"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// command is a line of a core specification test, as wast2json writes it.
type command struct {
	Type     string
	Line     int
	Name     string
	Filename string
	As       string
	Text     string
	Action   struct {
		Type, Module, Field string
		Args                []value
	}
	Expected []value
}

type value struct {
	Type  string
	Value any
}

// bits is a value as the engine takes it; ok is false for a NaN of any bits and
// for a function that only a guest can make.
func (v value) bits() (n uint64, ok bool) {
	s, is := v.Value.(string)
	switch {
	case !is:
		return 0, false
	case s == "null":
		return 0, true
	case strings.HasPrefix(s, "nan") || v.Type == "funcref":
		return 0, false
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		// In the engine, null is the reference 0.
		return n + truth(v.Type == "externref"), true
	}
	i, err := strconv.ParseInt(s, 10, 64)
	if strings.HasSuffix(v.Type, "32") {
		return uint64(uint32(i)), err == nil
	}
	return uint64(i), err == nil
}

// specDir is the folder of the specification tests that come with the engine's
// module: core 2.0.
func specDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test", "spectest")
}

// left are the tests that are left out: of what the pass changes on purpose,
// the size of the memory, and of modules that share one, which no plugin can.
var left = []string{"memory_grow", "memory_size", "memory_trap", "linking"}

// script is one file of the specification, run in one engine.
type script struct {
	t       *testing.T
	engine  string
	dir     string
	runtime wazero.Runtime
	grants  grants
	modules map[string]api.Module
	last    api.Module
	tally   *tally
}

// tally counts what a run of the specification did.
type tally struct{ modules, imported, calls, traps, invalid, depth int }

// TestCoreSpecification runs the specification's tests on what the pass makes
// of their modules.
func TestCoreSpecification(t *testing.T) {
	dir := specDir(t)
	files, err := filepath.Glob(filepath.Join(dir, "v2", "testdata", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sums []tally
	for _, e := range engines {
		var sum tally
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), ".json")
			if strings.HasPrefix(name, "simd") || slices.Contains(left, name) {
				continue
			}
			t.Run(e+"/"+name, func(t *testing.T) { runScript(t, e, dir, f, &sum) })
		}
		sums = append(sums, sum)
		t.Logf("%s: %+v", e, sum)
	}
	if !same(sums) || sums[0].modules < 500 || sums[0].calls < 15_000 || sums[0].traps < 1000 || sums[0].invalid < 500 || sums[0].depth < 5 {
		t.Errorf("ran %+v; want the whole specification, and the same in each engine", sums)
	}
}

func runScript(t *testing.T, engine, dir, file string, sum *tally) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Commands []command }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s := &script{t: t, engine: engine, dir: filepath.Dir(file), modules: map[string]api.Module{}, tally: sum}
	s.grants = grants{slice: 100, limit: plenty}
	s.runtime = wazero.NewRuntimeWithConfig(ctx, config(engine))
	defer s.runtime.Close(ctx)
	i64 := []api.ValueType{api.ValueTypeI64}
	if _, err := s.runtime.NewHostModuleBuilder(meter.Module).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(s.grants.refuel), i64, i64).Export(meter.Refuel).Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	spectest, err := os.ReadFile(filepath.Join(dir, "testdata", "spectest.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.runtime.InstantiateWithConfig(ctx, spectest, wazero.NewModuleConfig()); err != nil {
		t.Fatal(err)
	}
	for i, c := range all.Commands {
		as := ""
		if i+1 < len(all.Commands) && all.Commands[i+1].Type == "register" {
			as = all.Commands[i+1].As
		}
		s.command(c, as)
	}
}

// rewritten is a module of the script after the pass; ok is false for one with
// a memory of another module, which no plugin can have.
func (s *script) rewritten(c command) (out []byte, ok bool, err error) {
	b, err := os.ReadFile(filepath.Join(s.dir, c.Filename))
	if err != nil {
		s.t.Fatal(err)
	}
	// The memory may not be larger than the module says, or accesses beyond it
	// would not trap.
	pages := uint32(0)
	for secs := wasm.NewSections(b); ; {
		sec, more := secs.Next()
		if !more {
			break
		}
		if r := sec.Reader(); sec.ID == wasm.SectionMemory && r.U32() == 1 {
			pages = r.Limits().Min
		}
	}
	out, _, err = meter.Rewrite(b, meter.Options{MemoryPages: pages, Depth: 700})
	return out, err == nil || !strings.Contains(err.Error(), "the memory is imported"), err
}

func (s *script) command(c command, as string) {
	ctx := context.Background()
	switch c.Type {
	case "module":
		out, ok, err := s.rewritten(c)
		s.last = nil
		if !ok {
			s.tally.imported++
			return
		}
		if err != nil {
			s.t.Errorf("line %d: %v", c.Line, err)
			return
		}
		mod, err := s.runtime.InstantiateWithConfig(ctx, out, wazero.NewModuleConfig().WithName(as).WithStartFunctions())
		if err != nil {
			// What it imports may be of a module that was left out.
			if strings.Contains(err.Error(), "not instantiated") {
				s.tally.imported++
				return
			}
			s.t.Errorf("line %d: %v", c.Line, err)
			return
		}
		s.tally.modules++
		s.last = mod
		s.modules[c.Name] = mod
	case "assert_return", "action", "assert_trap", "assert_exhaustion":
		s.act(c)
	case "assert_invalid", "assert_malformed":
		s.refused(c)
	}
}
