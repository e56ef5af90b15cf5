package wasm

import (
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/scan"
)

// Inspect says what [Host.Load] would say of a module before it compiles it, and
// what could be read of the module all the same. Nothing is compiled or run.
func Inspect(module []byte, m *abi.Manifest) (*scan.Report, *scan.Problems) {
	limits := scan.Default()
	limits[scan.MemoryPages] = uint64(min(pagesOf(m), MaxMemoryPages))
	report, problems := scan.Look(module, limits)
	if len(problems.List) > 0 {
		return report, problems
	}
	if p := disagrees(report, m); p != nil {
		problems.List = append(problems.List, *p)
		return report, problems
	}
	if _, _, err := harden(&Source{Module: module, Manifest: m}); err != nil {
		problems.List = append(problems.List, scan.Problem{Code: scan.CodeState, Text: err.Error()})
	}
	return report, problems
}

// disagrees says that a module is built for another version of the ABI than its
// manifest states: one of them is of another plugin, and the two versions may not
// mean the same.
func disagrees(report *scan.Report, m *abi.Manifest) *scan.Problem {
	if m == nil || len(report.ABI) != 1 || report.ABI[0] == m.Speaks() {
		return nil
	}
	return &scan.Problem{Code: scan.CodeABI, Text: fmt.Sprintf("the module is built for ABI %s, and its manifest says %q: state in plugin.json what the SDK is for, and build it again", report.ABI[0], m.Speaks())}
}

// FuelOf is what an evaluation of a plugin starts with, and MemoryOf its pages of
// 64 KiB.
func FuelOf(m *abi.Manifest) uint64 { return Limits{}.withDefaults().fuelOf(m) }

// MemoryOf is the most memory of a plugin, in pages of 64 KiB.
func MemoryOf(m *abi.Manifest) uint32 { return pagesOf(m) }
