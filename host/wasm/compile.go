package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/meter"
)

// code is a compiled module in a runtime of its own.
type code struct {
	hardened []byte
	info     meter.Info
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	module   wazero.CompiledModule
}

func (c *code) close() {
	ctx := context.Background()
	if c.runtime != nil {
		_ = c.runtime.Close(ctx) // fails for nothing that has no files
	}
	if c.cache != nil {
		_ = c.cache.Close(ctx) // only forgets
	}
}

// config is the same wherever a module is compiled: native code is found by it.
func config(interpreter bool) wazero.RuntimeConfig {
	c := wazero.NewRuntimeConfig()
	if interpreter {
		c = wazero.NewRuntimeConfigInterpreter()
	}
	return c.WithCoreFeatures(Features).WithMemoryLimitPages(MaxMemoryPages).WithDebugInfoEnabled(false)
}

// compile compiles in a child that is stopped when it takes too long, and loads
// what came of it.
func (h *Host) compile(ctx context.Context, hardened []byte, info meter.Info) (*code, error) {
	if h.opts.Compiler == nil {
		return h.load(hardened, info, "")
	}
	select {
	case h.compiling <- struct{}{}:
		defer func() { <-h.compiling }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	e, err := h.entry(ctx, hardened, true)
	if err != nil {
		return nil, err
	}
	defer e.leave()
	c, err := h.load(hardened, info, e.code)
	if err == nil {
		e.publish()
	}
	if err == nil || e.from == "" {
		return c, err
	}
	// A file that can not be read: once more, with one that nobody else sees. That
	// one goes, unless somebody is writing it anew right now.
	_ = os.RemoveAll(e.from)
	again, err := h.entry(ctx, hardened, false)
	if err != nil {
		return nil, err
	}
	defer again.leave()
	return h.load(hardened, info, again.code)
}

// load compiles a module here, or loads its native code from a directory.
func (h *Host) load(hardened []byte, info meter.Info, dir string) (c *code, err error) {
	c = &code{hardened: hardened, info: info}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("compile: %v", r)
		}
		if err != nil {
			c.close()
		}
	}()
	cfg := config(h.opts.Interpreter)
	if dir != "" {
		if c.cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return c, err
		}
		cfg = cfg.WithCompilationCache(c.cache)
	}
	ctx := context.Background()
	c.runtime = wazero.NewRuntimeWithConfig(ctx, cfg)
	if c.module, err = c.runtime.CompileModule(ctx, hardened); err != nil {
		return c, fmt.Errorf("compile: %s", firstLine(err))
	}
	return c, c.link(ctx)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return printable(line[:min(len(line), maxText)])
}

// link makes the host functions that the module imports, and no others.
func (c *code) link(ctx context.Context) error {
	builders := map[string]wazero.HostModuleBuilder{}
	var order, unknown, seen []string
	for _, f := range c.module.ImportedFunctions() {
		module, name, _ := f.Import()
		call := hostFunc(module, name)
		if call == nil {
			unknown = append(unknown, module+"."+name+" (func)")
			continue
		}
		if slices.Contains(seen, module+"."+name) {
			continue
		}
		seen = append(seen, module+"."+name)
		if builders[module] == nil {
			builders[module] = c.runtime.NewHostModuleBuilder(module)
			order = append(order, module)
		}
		builders[module].NewFunctionBuilder().WithGoModuleFunction(call, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	if unknown != nil {
		return errors.New("nobody provides the imports " + strings.Join(unknown, ", "))
	}
	for _, module := range order {
		if _, err := builders[module].Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// hostFunc finds a function that guests can import; the scan has seen to its
// type.
func hostFunc(module, name string) api.GoModuleFunction {
	switch module + "." + name {
	case abi.HostModule + "." + abi.HostGet:
		return api.GoModuleFunc(get)
	case abi.HostModule + "." + abi.HostLog:
		return api.GoModuleFunc(logLine)
	case abi.HostModule + "." + abi.HostLogEnabled:
		return api.GoModuleFunc(logEnabled)
	case meter.Module + "." + meter.Refuel:
		return api.GoModuleFunc(refuel)
	}
	if module == abi.WASIModule {
		return wasi(name)
	}
	return nil
}

// refuel answers the import that the pass adds.
func refuel(ctx context.Context, mod api.Module, stack []uint64) {
	stack[0] = runOf(ctx, mod).grant(int64(stack[0]))
}
