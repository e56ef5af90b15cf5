package meter_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/wasm/meter"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The engines that a module must mean the same in.
var engines = []string{"compiler", "interpreter"}

func config(engine string) wazero.RuntimeConfig {
	if engine == "interpreter" {
		return wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2)
	}
	return wazero.NewRuntimeConfigCompiler().WithCoreFeatures(api.CoreFeaturesV2)
}

// grants is the host's side of refuel.
type grants struct {
	slice, limit uint64
	granted      uint64
	asked        int
	turns        int // given within an instruction
	last         int // the turn that stops the module; 0: none does
}

func (g *grants) refuel(_ context.Context, _ api.Module, stack []uint64) {
	if int64(stack[0]) >= 0 { // whether to go on
		g.turns++
		stack[0] = 1
		if g.turns == g.last {
			stack[0] = 0
		}
		return
	}
	g.asked++
	n := min(g.slice, g.limit-g.granted)
	g.granted += n
	stack[0] = n
}

// machine is a module in an engine.
type machine struct {
	grants
	runtime wazero.Runtime
	mod     api.Module
}

const (
	slice  = 1_000_000
	plenty = 1 << 40
)

// host is a function that a guest may import.
type host struct {
	module, name    string
	params, results []api.ValueType
	do              api.GoModuleFunc
}

// start instantiates a module. What it exports as host functions is up to the
// caller; refuel is always there.
func start(engine string, wasm []byte, g grants, hosts ...host) (*machine, error) {
	return startWith(engine, wasm, g, func(*machine) {}, hosts...)
}

func startWith(engine string, wasm []byte, g grants, before func(*machine), hosts ...host) (*machine, error) {
	ctx := context.Background()
	m := &machine{grants: g, runtime: wazero.NewRuntimeWithConfig(ctx, config(engine))}
	before(m)
	i64 := []api.ValueType{api.ValueTypeI64}
	hosts = append(hosts, host{meter.Module, meter.Refuel, i64, i64, m.refuel})
	builders := map[string]wazero.HostModuleBuilder{}
	for _, h := range hosts {
		if builders[h.module] == nil {
			builders[h.module] = m.runtime.NewHostModuleBuilder(h.module)
		}
		builders[h.module].NewFunctionBuilder().WithGoModuleFunction(h.do, h.params, h.results).Export(h.name)
	}
	for _, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return m, err
		}
	}
	mod, err := m.runtime.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	m.mod = mod
	return m, err
}

func (m *machine) close() { m.runtime.Close(context.Background()) }

// fuel is what has been used.
func (m *machine) fuel() uint64 {
	if m.mod == nil {
		return m.granted
	}
	return m.granted - m.mod.ExportedGlobal(meter.ExportFuel).Get()
}

// call calls an export and says what came of it, so that two runs can be
// compared: results, or the kind of error.
func (m *machine) call(name string, args ...uint64) string {
	res, err := m.mod.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		return kind(err)
	}
	return fmt.Sprint(res)
}

// kind is the first line of an error, without addresses.
func kind(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSuffix(line, " (recovered by wazero)")
}

func (m *machine) depth() int32 {
	return int32(m.mod.ExportedGlobal(meter.ExportDepth).Get())
}

// rewrite is meter.Rewrite of a module that must pass.
func rewrite(t testing.TB, wasm []byte, o meter.Options) ([]byte, meter.Info) {
	t.Helper()
	out, info, err := meter.Rewrite(wasm, o)
	if err != nil {
		t.Fatal(err)
	}
	return out, info
}

// limits are those of most tests.
var limits = meter.Options{MemoryPages: 64, Depth: 1000}

// run starts a module, calls an export and returns what came of it and how
// much fuel went.
func run(t testing.TB, engine string, wasm []byte, g grants, name string, args ...uint64) (string, uint64) {
	t.Helper()
	m, err := start(engine, wasm, g)
	defer m.close()
	if err != nil {
		t.Fatalf("%s: %v", engine, err)
	}
	got := m.call(name, args...)
	return got, m.fuel()
}

// same says whether all values of a row are equal.
func same[T comparable](row []T) bool {
	return !slices.ContainsFunc(row, func(v T) bool { return v != row[0] })
}

// str is a result as call gives it.
func str(v uint32) string { return fmt.Sprint([]uint64{uint64(v)}) }
