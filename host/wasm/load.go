package wasm

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/meter"
	"github.com/callgate/callgate/host/wasm/scan"
)

// Load makes a plugin of a module: scan, meter, compile, start, configure. Every
// error is an [*Error]. The context ends the compiling.
func (h *Host) Load(ctx context.Context, src Source) (*Plugin, error) {
	hardened, info, err := harden(&src)
	if err != nil {
		return nil, &Error{Plugin: src.Name, Class: abi.FailLoad, Detail: err.Error(), cause: err}
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	defer context.AfterFunc(h.going, done)()
	c, err := h.compile(ctx, hardened, info)
	if err != nil {
		return nil, &Error{Plugin: src.Name, Class: abi.FailLoad, Detail: err.Error(), cause: err}
	}
	p := newPlugin(h, &src, c)
	if !h.keep(p) {
		p.Close()
		return nil, &Error{Plugin: src.Name, Class: abi.FailHost, Detail: closedHost}
	}
	if err := p.beginAs(&src); err != nil {
		return nil, err
	}
	return p, nil
}

const closedHost = "the host of plugins is closed"

// beginAs is begin for a plugin that the host may close at any time.
func (p *Plugin) beginAs(src *Source) error {
	if !p.enter() {
		return &Error{Plugin: src.Name, Class: abi.FailHost, Detail: closedHost}
	}
	defer p.leave()
	if err := p.begin(src); err != nil {
		p.Close()
		return p.why(err)
	}
	return nil
}

// harden admits a module, and rewrites it so that it counts.
func harden(src *Source) ([]byte, meter.Info, error) {
	pages := pagesOf(src.Manifest)
	if pages > MaxMemoryPages {
		return nil, meter.Info{}, fmt.Errorf("limits.memory_mib: %d; at most %d", src.Manifest.MemoryMiB, MaxMemoryPages/16)
	}
	if src.Manifest != nil && src.Manifest.Fuel > MaxFuel {
		return nil, meter.Info{}, fmt.Errorf("limits.fuel: %d; at most %d", src.Manifest.Fuel, uint64(MaxFuel))
	}
	limits := scan.Default()
	limits[scan.MemoryPages] = uint64(pages)
	report, err := scan.Module(src.Module, limits)
	if err != nil {
		return nil, meter.Info{}, err
	}
	if p := disagrees(report, src.Manifest); p != nil {
		return nil, meter.Info{}, &scan.Problems{List: []scan.Problem{*p}}
	}
	src.speaks = report.ABI[0]
	hardened, info, err := meter.Rewrite(src.Module, meter.Options{MemoryPages: pages, Depth: CallDepth})
	if err != nil {
		return nil, info, err
	}
	for _, g := range info.Globals {
		if g.Type.IsRef() {
			return nil, info, fmt.Errorf("global %d: a mutable %v, which no other instance can be given; keep references in constants or the table", g.Index, g.Type)
		}
	}
	return hardened, info, nil
}
