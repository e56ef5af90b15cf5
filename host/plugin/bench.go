package plugin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm"
)

// Measured is what a plugin costs.
type Measured struct {
	Load      time.Duration // scan, meter, compile and start, without a cache
	StartFuel uint64        // of the start and configure
	StartMem  uint32        // pages of 64 KiB when it starts
	Rows      []Row
}

// Row is what one evaluation costs.
type Row struct {
	Name      string
	Bytes     int           // of the snapshot
	Time      time.Duration // median of batches, reset included
	Best      time.Duration // the shortest of them: what other processes took is not in it
	Fuel      uint64
	Delivered uint64 // bytes that get handed out
	Pages     uint32 // of memory at the end
	Class     abi.FailureClass
	Old       *Old // nil: it is compared with nothing
}

// Old is what the plugin used that it is compared with.
type Old struct {
	Fuel  uint64
	Class abi.FailureClass
	Same  bool // it answered the same bytes
}

// Rose says whether the evaluation takes more fuel than it did, or fails now.
func (r *Row) Rose() bool {
	return r.Old != nil && r.Old.Class == "" && (r.Class != "" || r.Fuel > r.Old.Fuel)
}

// Bench measures the samples and the cases of a plugin. Old is the module that it
// is compared with, nil for none; settings are used for all, if there are any.
// Each row takes about as long as stated.
func Bench(o wasm.Options, t *Target, old *Module, settings abi.Value, each time.Duration) (*Measured, error) {
	files, err := t.Cases()
	if err != nil {
		return nil, err
	}
	o.CacheDir = "" // or it would be measured whether there is one
	h, err := wasm.New(o)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	b := bencher{host: h, each: each}
	byOld := map[string]*wasm.Plugin{}
	byNew := map[string]*wasm.Plugin{}
	list := questions(t.Module.Manifest, files, settings, func(settings abi.Value) func(abi.Value) wasm.Answer {
		p, err := b.load(byNew, t.Module, &question{settings: settings})
		if err != nil { // which is met again below
			return nil
		}
		return p.Evaluate
	})
	if len(list) == 0 {
		return nil, fmt.Errorf("nothing to ask it; its phases are %q and its kinds %q", t.Module.Manifest.Phases, t.Module.Manifest.Kinds)
	}
	for i := range list {
		p, err := b.load(byNew, t.Module, &list[i])
		if err != nil && list[i].fails { // a case that wants settings refused
			continue
		}
		if err != nil {
			return nil, err
		}
		before, err := b.load(byOld, old, &list[i])
		if err != nil {
			return nil, fmt.Errorf("the old module: %w", err)
		}
		b.out.Rows = append(b.out.Rows, b.row(p, before, &list[i]))
	}
	return &b.out, nil
}

type bencher struct {
	host *wasm.Host
	each time.Duration
	out  Measured
}

// load loads a module with the settings of a question, once.
func (b *bencher) load(known map[string]*wasm.Plugin, m *Module, q *question) (*wasm.Plugin, error) {
	if m == nil || m.Manifest == nil {
		return nil, nil
	}
	key := q.settings.String()
	if p := known[key]; p != nil {
		return p, nil
	}
	if err := checkSettings(m, q.settings); err != nil {
		return nil, err
	}
	begun := time.Now()
	p, err := b.host.Load(context.Background(), wasm.Source{Name: lastSegment(m.Manifest.Name), Module: m.Data, Manifest: m.Manifest, Settings: q.settings})
	if err != nil {
		return nil, err
	}
	if b.out.Load == 0 {
		began := p.Began()
		b.out.Load, b.out.StartFuel, b.out.StartMem = time.Since(begun), began.Fuel, began.Pages
	}
	known[key] = p
	return p, nil
}

// batches is how many medians are taken of.
const batches = 15

func (b *bencher) row(p, old *wasm.Plugin, q *question) Row {
	a := p.Evaluate(q.view)
	r := Row{Name: q.name, Bytes: len(q.view.Append(nil)), Fuel: a.Fuel, Delivered: a.Delivered, Pages: a.Pages, Class: a.Class}
	if old != nil {
		was := old.Evaluate(q.view)
		r.Old = &Old{Fuel: was.Fuel, Class: was.Class, Same: string(was.Output) == string(a.Output)}
	}
	begun := time.Now()
	p.Evaluate(q.view)
	n := max(1, int(b.each/batches/max(time.Since(begun), 1)))
	times := make([]time.Duration, batches)
	for i := range times {
		begun := time.Now()
		for range n {
			p.Evaluate(q.view)
		}
		times[i] = time.Since(begun) / time.Duration(n)
	}
	slices.Sort(times)
	r.Time, r.Best = times[batches/2], times[0]
	return r
}
