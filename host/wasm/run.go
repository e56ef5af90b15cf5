package wasm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/meter"
)

// run is one call into a guest, as the host functions see it: what it may read,
// what it has used, and why it was stopped. An instance has one, and makes it
// new for each call.
type run struct {
	limits *Limits
	ending <-chan struct{} // closed: nothing goes on
	mem    api.Memory
	fuel   api.MutableGlobal
	depth  api.Global

	view      abi.Value // what get looks in; absent: everything is
	seedOf    func() [32]byte
	random    *rand.ChaCha8
	now       uint64 // nanoseconds; 0: not looked up yet
	budget    uint64 // of fuel, credits included
	ceiling   uint64 // of the budget
	granted   uint64
	delivered uint64
	looked    uint64 // bytes of values that get made, delivered or not
	wall      time.Duration
	deadline  time.Time
	turned    time.Time // when other goroutines had their turn
	log       logBuffer

	class  abi.FailureClass
	detail string

	last    lookup // the answer to the last get, which a guest often asks for twice
	named   bool   // longest is known
	longest int    // see longestName
}

// callCtx is the context that a guest runs under; host functions find the run in
// it without a search.
type callCtx struct {
	context.Context
	run *run
}

func runOf(ctx context.Context, mod api.Module) *run {
	r := ctx.(*callCtx).run
	if r.mem == nil { // the start function of a module that is being instantiated
		r.bind(mod)
	}
	return r
}

func (r *run) bind(mod api.Module) {
	r.mem = mod.Memory()
	r.fuel, _ = mod.ExportedGlobal(meter.ExportFuel).(api.MutableGlobal)
	r.depth = mod.ExportedGlobal(meter.ExportDepth)
}

// startClock is what the clocks say before there is a snapshot, and where the
// snapshot has no time: 2001-09-09T01:46:40Z. The Go runtime takes zero for a
// defect.
const startClock = 1_000_000_000_000_000_000

// begin makes the run new.
func (r *run) begin(view abi.Value, fuel uint64, wall time.Duration, seedOf func() [32]byte) {
	r.view, r.seedOf, r.random, r.now = view, seedOf, nil, 0
	r.budget, r.ceiling, r.granted = fuel, max(fuel, MaxFuel), 0
	r.delivered, r.looked = 0, 0
	r.turned = time.Now()
	r.wall, r.deadline = wall, r.turned.Add(wall)
	r.log = logBuffer{}
	r.class, r.detail = "", ""
	r.last.known, r.named = false, false
	if r.fuel != nil { // else the counter is zero, and the guest asks at once
		r.granted = min(r.limits.FuelSlice, fuel)
		r.fuel.Set(r.granted)
	}
}

// again lets the run go on with another export, with the fuel that is left.
func (r *run) again(view abi.Value) { r.view, r.last.known, r.named = view, false, false }

// used is the fuel that the run has used.
func (r *run) used() uint64 {
	return uint64(int64(r.granted) - int64(r.fuel.Get()))
}

// grant hands out more fuel to a counter that is below zero: a slice, or as much
// as it takes to get it above. A counter that is not asks only whether to go on.
// It is the one place where a guest is stopped that is out of fuel, or of time.
func (r *run) grant(counter int64) uint64 {
	select {
	case <-r.ending:
		r.fail(abi.FailWatchdog, "stopped, as the process ends")
		return 0
	default:
	}
	if r.turn().After(r.deadline) {
		r.fail(abi.FailWatchdog, "stopped by the clock after %v", r.wall)
		return 0
	}
	if counter >= 0 {
		return 1
	}
	more := min(r.budget-r.granted, max(r.limits.FuelSlice, uint64(-counter)))
	r.granted += more
	if counter+int64(more) < 0 {
		r.granted -= more
		r.fail(abi.FailFuel, "used %d of %d fuel", int64(r.granted)-counter, r.budget)
		return 0
	}
	return more
}

// turn lets whoever waits for a processor have this one, every turnAfter, and says
// what time it is.
func (r *run) turn() time.Time {
	now := time.Now()
	if now.Sub(r.turned) >= turnAfter {
		runtime.Gosched()
		now = time.Now()
		r.turned = now
	}
	return now
}

// charge takes fuel for work of the host.
func (r *run) charge(bytes uint64) {
	counter := int64(r.fuel.Get()) - int64(HostCallFuel+bytes/HostBytesPerFuel)
	if counter < 0 {
		more := r.grant(counter)
		r.fuel.Set(uint64(counter + int64(more)))
		if more == 0 {
			panic(errStop)
		}
		return
	}
	r.fuel.Set(uint64(counter))
}

// credit adds fuel for what was delivered.
func (r *run) credit(bytes uint64) {
	r.budget = min(r.budget+bytes*FuelPerByte, r.ceiling)
}

// turnAfter is how long a guest keeps its processor while others wait for one.
const turnAfter = time.Millisecond

// errStop unwinds a guest whose run says why.
var errStop = errors.New("stopped by the host")

// fail keeps the first reason.
func (r *run) fail(class abi.FailureClass, format string, args ...any) {
	if r.class == "" {
		r.class, r.detail = class, fmt.Sprintf(format, args...)
	}
}

// stop ends the guest.
func (r *run) stop(class abi.FailureClass, format string, args ...any) {
	r.fail(class, format, args...)
	panic(errStop)
}

// read returns the guest's bytes, which the guest may change later. What is not
// in memory traps.
func (r *run) read(what string, at, size uint64) []byte {
	b, ok := r.mem.Read(uint32(at), uint32(size))
	if !ok {
		r.stop(abi.FailTrap, "%s: %d bytes at %d are outside of memory", what, uint32(size), uint32(at))
	}
	return b
}

// ended takes the error of a guest that did not return, and gives the trace that
// goes with it.
func (r *run) ended(err error, depth bool) (trace string) {
	text, rest, _ := strings.Cut(err.Error(), "\n")
	if _, of, found := strings.Cut(text, "wasm error: "); found { // before it: which start function
		text = of
	}
	var defect runtime.Error
	switch {
	case r.class != "":
	case errors.As(err, &defect):
		r.fail(abi.FailHost, "%s", text)
	case depth || text == "stack overflow":
		r.fail(abi.FailDepth, "calls nest deeper than %d, where a long function counts as several", CallDepth)
	default:
		r.fail(abi.FailTrap, "%s", text)
	}
	if rest, _, _ = strings.Cut(rest, "\n\n"); len(rest) > maxTrace {
		rest = rest[:maxTrace]
	}
	return printable(rest)
}

// maxText and maxTrace bound text of guests in errors: bytes.
const (
	maxText  = 1024
	maxTrace = 4096
)

// printable is text of a guest's, for people.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// fill writes the run's random bytes.
func (r *run) fill(b []byte) {
	if r.random == nil {
		r.random = rand.NewChaCha8(r.seedOf())
	}
	_, _ = r.random.Read(b) // fails never
}

// seed turns what a run depends on into the key of its random bytes.
func seed(parts ...[]byte) [32]byte {
	h := sha256.New()
	h.Write([]byte("callgate random\x00"))
	for _, p := range parts {
		sum := sha256.Sum256(p)
		h.Write(sum[:])
	}
	return [32]byte(h.Sum(nil))
}

// clock is what every clock says.
func (r *run) clock() uint64 {
	if r.now == 0 {
		r.now = startClock
		t, err := time.Parse(time.RFC3339Nano, r.view.Get("time").Str())
		if err == nil && t.Year() > 1970 && t.Year() < 2262 {
			r.now = uint64(t.UnixNano())
		}
	}
	return r.now
}
