package wasm

import (
	"time"

	"github.com/callgate/callgate/abi"
)

// What a plugin may spend. The limits of a module's form are in package scan;
// testdata/limits.json holds all of them, so that none moves unseen.
const (
	// EvaluateFuel is what an evaluation may use: ten times a Go guest that decodes
	// 2 KB with encoding/json, and 10 to 40 ms.
	EvaluateFuel = 25_000_000
	// FuelPerByte is credited for each byte that get delivers, since what a guest
	// has to do grows with what it reads. A Go JSON decoder needs 1,200.
	FuelPerByte = 1_500
	// MaxFuel is the most that a manifest may ask for, and that credits reach: half
	// a second here.
	MaxFuel = abi.MaxFuel
	// StartFuel is for the start function, _initialize and configure together. Go
	// needs 3.3 M of it with two regular expressions.
	StartFuel = 500_000_000
	// FuelSlice is how much a guest uses before the host looks at the clock. Native
	// code can not be stopped in between, and whatever stops the world, as Go's
	// collector does, waits for it with all sessions. It is 40 µs of what guests do,
	// and 6 ms of the worst that one can do with a fuel: pages that were never
	// touched, loads from all over memory, branches to one of thousands of places.
	FuelSlice = 20_000
	// HostCallFuel is charged for a call into the host, and HostBytesPerFuel bytes
	// that it moves or looks at for one more.
	HostCallFuel     = 100
	HostBytesPerFuel = 16
	// CallDepth is far below what the stacks of either engine hold. Go needs 64.
	CallDepth = 1_000
	// MemoryPages is the memory of a plugin that does not ask: 16 MiB. A Go guest
	// with encoding/json starts with 3.3.
	MemoryPages = 256
	// MaxMemoryPages is the most that a manifest may ask for: 256 MiB.
	MaxMemoryPages = 4096
	// MaxDelivered is what get hands out in one evaluation. The largest frame that
	// the proxy relays is larger: a plugin that reads all of it is denied.
	MaxDelivered = 4 << 20
	// MaxLookedAt is what get makes ready in one evaluation to say how long it is:
	// four times the largest frame, and half a second where values are small.
	MaxLookedAt = 64 << 20
	// MaxLogBytes and MaxLogLines are what an evaluation logs; the rest is cut.
	MaxLogBytes = 64 << 10
	MaxLogLines = 256
	// EvaluateWall and StartWall stop a guest by the clock, where a machine is so
	// slow that fuel does not.
	EvaluateWall = 10 * time.Second
	StartWall    = 30 * time.Second
	// CompileCPU is what the process that compiles may use of processors: half a
	// minute of two. Go guests need 1 to 4 seconds, and the worst that is admitted
	// half of it.
	CompileCPU = time.Minute
	// CompileWall is how long it may take, on a machine that has little time for it.
	CompileWall = 5 * time.Minute
	// CompileQuick is below what a module is compiled again in the host, rather
	// than read from a file of native code.
	CompileQuick = 250 * time.Millisecond
)

// Limits are the limits of a host. A zero one is the constant of that name; tests
// set others.
type Limits struct {
	EvaluateFuel, StartFuel, FuelSlice   uint64
	MaxDelivered                         uint64
	EvaluateWall, StartWall, CompileWall time.Duration
	CompileCPU, CompileQuick             time.Duration
	Instances                            int // of one plugin at once; 0: one for each processor
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		to *uint64
		is uint64
	}{
		{&l.EvaluateFuel, EvaluateFuel}, {&l.StartFuel, StartFuel}, {&l.FuelSlice, FuelSlice}, {&l.MaxDelivered, MaxDelivered},
	} {
		if *d.to == 0 {
			*d.to = d.is
		}
	}
	for _, d := range []struct {
		to *time.Duration
		is time.Duration
	}{{&l.EvaluateWall, EvaluateWall}, {&l.StartWall, StartWall}, {&l.CompileWall, CompileWall}, {&l.CompileCPU, CompileCPU}, {&l.CompileQuick, CompileQuick}} {
		if *d.to == 0 {
			*d.to = d.is
		}
	}
	return l
}

// fuelOf is what an evaluation of the plugin starts with.
func (l Limits) fuelOf(m *abi.Manifest) uint64 {
	if m != nil && m.Fuel != 0 {
		return m.Fuel
	}
	return l.EvaluateFuel
}

// pagesOf is the memory of the plugin.
func pagesOf(m *abi.Manifest) uint32 {
	const perMiB = 16
	if m != nil && m.MemoryMiB != 0 {
		return m.MemoryMiB * perMiB
	}
	return MemoryPages
}
