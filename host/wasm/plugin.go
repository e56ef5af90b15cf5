package wasm

import (
	"runtime"
	"sync"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/scan"
)

// Plugin is a module that is ready to evaluate. It is safe for use by several
// goroutines; evaluations run in parallel, up to a limit, and know nothing of
// each other.
type Plugin struct {
	host   *Host
	name   string
	code   *code
	image  *image
	fuel   uint64
	mutate []uint64 // the mutable globals, in the order of meter.Info
	memory int      // bytes
	start  [32]byte // what random bytes come from before there is a snapshot
	began  Answer

	slots chan struct{} // instances that are at work, or may be

	mu     sync.Mutex
	idle   []*instance
	users  int // evaluations, and one for the plugin being open
	closed bool
	gone   chan struct{}
}

func newPlugin(h *Host, src *Source, c *code) *Plugin {
	n := h.limits.Instances
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return &Plugin{
		host: h, name: src.Name, code: c, fuel: h.limits.fuelOf(src.Manifest), memory: int(c.info.MaxPages) << 16,
		start: seed(bare(src.Module), src.settings().Append(nil)), slots: make(chan struct{}, n), users: 1, gone: make(chan struct{}),
	}
}

// bare is what random bytes at the start come from: the module as it was built,
// whatever a later version of the meter makes of it, and whatever its manifest
// says.
func bare(module []byte) []byte {
	if without, err := scan.Strip(module); err == nil {
		return without
	}
	return module // the scan has admitted it, so that it can be walked
}

// Began tells what the start function, _initialize and configure used and logged.
func (p *Plugin) Began() Answer { return p.began }

// Evaluate asks the plugin about a snapshot: what of it the plugin may see, as
// abi.Snapshot.View makes it. It always answers; what can go wrong has a class.
func (p *Plugin) Evaluate(snapshot abi.Value) Answer {
	if !p.enter() {
		return Answer{Class: abi.FailHost, Detail: "the plugin is closed"}
	}
	defer p.leave()
	return p.evaluate(snapshot)
}

func (p *Plugin) evaluate(snapshot abi.Value) Answer {
	p.slots <- struct{}{}
	defer func() { <-p.slots }()
	i, err := p.take()
	if err != nil {
		return Answer{Class: abi.FailHost, Detail: err.Error()}
	}
	a, err := i.evaluate(snapshot, p) // an error is of what comes after the answer
	if err != nil || a.Class != "" {
		i.close()
		return a
	}
	p.mu.Lock()
	p.idle = append(p.idle, i)
	p.mu.Unlock()
	return a
}

// take returns an instance in the state that every evaluation starts from.
func (p *Plugin) take() (*instance, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		i := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return i, nil
	}
	p.mu.Unlock()
	i, err := p.instantiate()
	if err != nil {
		return nil, err
	}
	if err := i.adopt(p); err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

// enter and leave count who is using the plugin.
func (p *Plugin) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.users++
	return true
}

func (p *Plugin) leave() {
	p.mu.Lock()
	p.users--
	last := p.users == 0
	p.mu.Unlock()
	if last {
		p.free()
	}
}

// Close lets the plugin go once the evaluations that are under way have ended.
// It does not wait for them. It may be called twice.
func (p *Plugin) Close() {
	p.mu.Lock()
	was := p.closed
	p.closed = true
	p.mu.Unlock()
	if !was {
		p.leave()
	}
}

// Gone is closed when the last evaluation after Close has ended, and everything
// was given back.
func (p *Plugin) Gone() <-chan struct{} { return p.gone }

// free gives everything back. Nobody uses the plugin any more.
func (p *Plugin) free() {
	for _, i := range p.idle {
		i.close()
	}
	p.idle = nil
	p.code.close()
	if p.image != nil {
		_ = p.image.close() // of a file in memory
	}
	p.host.forget(p)
	close(p.gone)
}
