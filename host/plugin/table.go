package plugin

import (
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm"
)

// floorModule abstains and does nothing else. floor/guest.wat is its source.
//
//go:embed floor/floor.wasm
var floorModule []byte

// Costs is what one plugin costs beside others: means of the questions that it
// answers, all its samples and cases.
type Costs struct {
	Name, Lang string
	Bytes      int // of the module's file
	Questions  int
	StartFuel  uint64
	Fuel       uint64
	Time       time.Duration // of the shortest batches
	Floor      time.Duration // of a plugin that only abstains: the shortest that the run saw
}

// Ratio is how many times the floor an evaluation takes. Unlike the time, it says
// about the same on another machine.
func (c *Costs) Ratio() float64 { return float64(c.Time) / float64(max(c.Floor, 1)) }

// Table measures plugins one after the other, and the floor between them. Each
// question takes about as long as stated.
func Table(o wasm.Options, targets []*Target, settings abi.Value, each time.Duration) ([]Costs, error) {
	least := &Module{Path: "floor.wasm", Data: floorModule}
	least.Manifest, least.Digest, least.Why = abi.ReadModule(floorModule)
	if least.Why != nil {
		return nil, least.Why
	}
	table := make([]Costs, len(targets))
	var floor time.Duration
	for i, t := range targets {
		m, err := Bench(o, t, nil, settings, each)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Module.Path, err)
		}
		under, err := Bench(o, &Target{Module: least}, nil, abi.Value{}, each)
		if err != nil {
			return nil, err
		}
		if took := meanOf(under.Rows).Time; i == 0 || took < floor {
			floor = took
		}
		c := &table[i]
		if *c = meanOf(m.Rows); c.Questions == 0 {
			return nil, fmt.Errorf("%s: it answers no sample and no case; look at them with callgate plugin bench", t.Module.Path)
		}
		c.Name, c.Lang, c.Bytes = t.Module.Manifest.Name, t.Module.Manifest.Build.Lang, len(t.Module.Data)
		c.StartFuel = m.StartFuel
	}
	for i := range table {
		table[i].Floor = floor
	}
	return table, nil
}

// meanOf leaves out what ends in a failure: that costs what the failure does.
func meanOf(rows []Row) (c Costs) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Class != "" })
	if len(rows) == 0 {
		return c
	}
	for i := range rows {
		c.Fuel += rows[i].Fuel
		c.Time += rows[i].Best
	}
	c.Questions = len(rows)
	c.Fuel /= uint64(len(rows))
	c.Time /= time.Duration(len(rows))
	return c
}
