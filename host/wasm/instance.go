package wasm

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/meter"
)

// instance is one guest: its memory, its globals, and the run it is in. One
// goroutine at a time has it.
type instance struct {
	mod       api.Module
	memory    *memory
	globals   []api.MutableGlobal
	pages     api.Global
	evaluator api.Function
	calls     int
	stack     [1]uint64
	run       run
	ctx       callCtx
}

// instantiate makes an instance as the module itself says, its start function
// included.
func (p *Plugin) instantiate() (i *instance, err error) {
	m, err := newMemory(p.memory, p.host.reset, pageMap{file: p.host.pageMap})
	if err != nil {
		return nil, err
	}
	i = &instance{memory: m}
	i.run.limits, i.run.ending = &p.host.limits, p.host.going.Done()
	i.run.begin(abi.Value{}, p.host.limits.StartFuel, p.host.limits.StartWall, func() [32]byte { return p.start })
	allocator := experimental.MemoryAllocatorFunc(func(uint64, uint64) experimental.LinearMemory { return m })
	i.ctx = callCtx{experimental.WithMemoryAllocator(context.Background(), allocator), &i.run}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("instantiate: %v", r)
		}
		if err != nil {
			i.close()
		}
	}()
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	i.mod, err = p.code.runtime.InstantiateModule(&i.ctx, p.code.module, config)
	if err != nil {
		return i, i.failed(err)
	}
	i.run.bind(i.mod)
	return i, i.find(p.code.info)
}

// find looks up what the pass exported.
func (i *instance) find(info meter.Info) error {
	i.pages = i.mod.ExportedGlobal(meter.ExportPages)
	i.evaluator = i.mod.ExportedFunction(abi.EvaluateExport)
	if i.run.depth == nil || i.pages == nil || i.run.fuel == nil || i.run.mem == nil || i.evaluator == nil {
		return errors.New("the module lost its exports in the meter")
	}
	names := []string{meter.ExportDepth, meter.ExportPages}
	for _, g := range info.Globals {
		names = append(names, g.Export)
	}
	for _, name := range names {
		g, ok := i.mod.ExportedGlobal(name).(api.MutableGlobal)
		if !ok {
			return fmt.Errorf("the global %s is not there to be restored", name)
		}
		i.globals = append(i.globals, g)
	}
	return nil
}

// guestError is a guest that did not return.
type guestError struct {
	class         abi.FailureClass
	detail, trace string
}

func (e *guestError) Error() string { return string(e.class) + ": " + e.detail }

// failed says what an error of the engine means.
func (i *instance) failed(err error) *guestError {
	deep := i.run.depth != nil && int32(i.run.depth.Get()) == meter.DepthExceeded
	trace := i.run.ended(err, deep)
	return &guestError{i.run.class, i.run.detail, trace}
}

// call runs an export without parameters; the result is its only one, if any.
func (i *instance) call(f api.Function) (uint64, error) {
	i.stack[0] = 0
	if err := f.CallWithStack(&i.ctx, i.stack[:]); err != nil {
		return 0, i.failed(err)
	}
	if used := i.run.used(); used > i.run.budget { // since the last look at it
		i.run.fail(abi.FailFuel, "used %d of %d fuel", used, i.run.budget)
		return 0, &guestError{i.run.class, i.run.detail, ""}
	}
	return i.stack[0], nil
}

// result copies what a packed result points at.
func (i *instance) result(packed uint64) ([]byte, error) {
	ptr, size := abi.UnpackRange(packed)
	problem := ""
	switch {
	case packed == 0:
		problem = "the answer is 0, which is failure"
	case size == 0:
		problem = "the answer has no bytes"
	case size > abi.MaxVerdictBytes:
		problem = fmt.Sprintf("the answer has %d bytes; at most %d", size, abi.MaxVerdictBytes)
	}
	b, ok := i.run.mem.Read(ptr, size)
	if !ok && problem == "" {
		problem = fmt.Sprintf("the answer, %d bytes at %d, is outside of memory", size, ptr)
	}
	if problem != "" {
		i.run.fail(abi.FailProtocol, "%s", problem)
		return nil, &guestError{i.run.class, i.run.detail, ""}
	}
	return append([]byte(nil), b...), nil
}

// answer is what the run came to.
func (i *instance) answer(output []byte, err error) Answer {
	r := &i.run
	a := Answer{Output: output, Fuel: r.used(), Delivered: r.delivered, Class: r.class, Detail: r.detail, Log: r.log.end()}
	a.LogCut, a.Pages = r.log.cut, uint32(i.pages.Get())
	var guest *guestError
	if errors.As(err, &guest) {
		a.Trace = guest.trace
	} else if err != nil {
		a.Class, a.Detail = abi.FailHost, err.Error()
	}
	return a
}

// callsPerStack is how many evaluations share a stack. It grows with what calls
// need, up to 400 MB, and shrinks when there is a new one only.
const callsPerStack = 128

// evaluate asks the guest about a snapshot, and puts everything back. An error is
// of the latter: the answer holds, and the instance is of no use any more.
func (i *instance) evaluate(snapshot abi.Value, p *Plugin) (Answer, error) {
	i.run.begin(snapshot, p.fuel, p.host.limits.EvaluateWall, func() [32]byte { return seed(snapshot.Append(nil)) })
	if i.calls++; i.calls%callsPerStack == 0 {
		i.evaluator = i.mod.ExportedFunction(abi.EvaluateExport)
	}
	packed, err := i.call(i.evaluator)
	var output []byte
	if err == nil {
		output, err = i.result(packed)
	}
	a := i.answer(output, err)
	if a.Class != "" {
		return a, nil
	}
	return a, i.restore(p)
}

// restore puts memory and globals back.
func (i *instance) restore(p *Plugin) error {
	i.run.view, i.run.seedOf = abi.Value{}, nil
	i.run.last.forget()
	for n, g := range i.globals {
		g.Set(p.mutate[n])
	}
	return i.memory.restore()
}

// adopt gives a new instance the state that every evaluation starts from.
func (i *instance) adopt(p *Plugin) error {
	for n, g := range i.globals {
		g.Set(p.mutate[n])
	}
	return i.memory.adopt(p.image)
}

func (i *instance) close() {
	if i.mod != nil {
		_ = i.mod.Close(context.Background()) // fails for nothing that has no files
	}
	i.memory.Free()
}
