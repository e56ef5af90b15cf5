package plugin

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm"
	"github.com/callgate/callgate/host/wasm/scan"
)

// Inspection is what a module shows without being run.
type Inspection struct {
	Module   *Module
	Report   *scan.Report   // of a broken module as far as it can be read
	Problems []scan.Problem // why it does not load; none: it would be compiled
	More     int            // problems that are not listed
	Fuel     uint64         // of an evaluation
	Pages    uint32         // of memory at most, of 64 KiB
	Views    []View
}

// View is what the plugin would be handed for a [Sample].
type View struct {
	Name string
	Sees abi.Value
}

// Inspect reads a module. Nothing of it is run or compiled.
func Inspect(m *Module, settings abi.Value) *Inspection {
	report, problems := wasm.Inspect(m.Data, m.Manifest)
	in := &Inspection{Module: m, Report: report, Problems: problems.List, More: problems.More, Fuel: wasm.FuelOf(m.Manifest), Pages: wasm.MemoryOf(m.Manifest)}
	if m.Manifest == nil {
		in.addWhy()
		return in
	}
	samples := Samples(m.Manifest)
	for i := range samples {
		in.Views = append(in.Views, View{samples[i].Name, samples[i].View(m.Manifest, settings)})
	}
	return in
}

// addWhy adds that there is no manifest, unless the scan said so.
func (in *Inspection) addWhy() {
	for _, p := range in.Problems {
		switch p.Code {
		case scan.CodeManifest, scan.CodeNotWasm, scan.CodeComponent:
			return
		}
	}
	in.Problems = append(in.Problems, scan.Problem{Code: scan.CodeManifest, Text: in.Module.Why.Error()})
}
