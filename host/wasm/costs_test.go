package wasm

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/scan"
	w "github.com/callgate/callgate/host/wasm/wasmtest"
)

// costs are calls of the host, and what ABI.md, section Fuel, says that each takes
// beside the instructions around it. The memory has /a at 0 and two buffers for
// fd_write at 16, of 15 and of 16 bytes.
var costs = []struct {
	call string
	args []int64
	fuel uint64
}{
	{"get", []int64{0, 2, 64, 64}, 100 + (2+30)/16},
	{"get", []int64{0, 2, 64, 0}, 100 + (2+30)/16}, // as much where nothing is written
	{"get", []int64{0, 1, 64, 64}, 100},            // the member "", which is absent
	{"get", []int64{1, 1, 64, 64}, 100},            // no pointer
	{"get", []int64{0, 0, 64, 64}, 100 + 38/16},    // the whole snapshot
	{"log", []int64{1, 64, 15}, 100},
	{"log", []int64{1, 64, 160}, 100 + 10},
	{"log_enabled", []int64{1}, 100},
	{"sched_yield", nil, 100},
	{"fd_read", []int64{0, 0, 0, 0}, 100},
	{"clock_time_get", []int64{0, 0, 64}, 100},
	{"random_get", []int64{64, 15}, 100},
	{"random_get", []int64{64, 16}, 100 + 101},
	{"random_get", []int64{64, 320}, 100 + 120},
	{"fd_write", []int64{1, 16, 1, 8}, 100},             // a buffer of 15 bytes, in a list of 8
	{"fd_write", []int64{1, 16, 2, 8}, 100 + 101 + 101}, // the list, and the second buffer
	{"poll_oneoff", []int64{64, 1024, 1, 8}, 100 + 105},
}

// calling is a plugin that calls one function of the host, and answers 0; own is
// the fuel of its instructions.
func calling(t *testing.T, name string, args []int64) (module []byte, own uint64) {
	t.Helper()
	for _, f := range append(scan.Host[:len(scan.Host):len(scan.Host)], scan.WASI...) {
		if f.Name != name {
			continue
		}
		code, own := "", uint64(4+1+1) // entry, call, the answer
		for i, a := range args {
			code += map[byte]string{'i': "\x41", 'I': "\x42"}[f.Params[i]] + string(w.S(a))
			own++
		}
		code += "\x10\x00"
		if f.Results != "" {
			code += "\x1a"
			own++
		}
		memory := append([]byte("/a"), make([]byte, 30)...)
		for i, size := range []uint32{15, 16} {
			binary.LittleEndian.PutUint32(memory[16+8*i:], 64)
			binary.LittleEndian.PutUint32(memory[20+8*i:], size)
		}
		return changed(func(m *w.Module) {
			m.AddImport(f.Module, name, m.AddType(f.Params, f.Results))
			m.Bodies[1] = w.Body(code + "\x42\x00\x0b")
			m.Data = [][]byte{w.Cat([]byte("\x00\x41\x00\x0b"), w.Sized(memory))}
		}), own
	}
	t.Fatalf("the host has no %s", name)
	return nil, 0
}

func TestACallOfTheHostCostsWhatThePageSays(t *testing.T) {
	view := abi.ObjectValue(abi.Member{Name: "a", Value: abi.StringValue(strings.Repeat("a", 30))})
	for _, e := range engines {
		h := newHost(t, Options{Interpreter: e.interpreter})
		for _, c := range costs {
			module, own := calling(t, c.call, c.args)
			a := load(t, h, Source{Name: c.call, Module: module}).Evaluate(view)
			if a.Class != abi.FailProtocol || a.Fuel != own+c.fuel {
				t.Errorf("%s: %s%v: %s; want %d fuel for the call", e.name, c.call, c.args, short(a), c.fuel)
			}
		}
	}
}
