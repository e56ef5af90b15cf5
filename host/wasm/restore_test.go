package wasm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	w "github.com/callgate/callgate/host/wasm/wasmtest"
)

// endings are code that ends a guest, by the length of /e in its snapshot.
var endings = []struct {
	code  string
	class abi.FailureClass
}{
	{"\x42" + string(w.S(16<<32)) + "\x0f", abi.FailProtocol}, // no bytes
	{"\x42" + string(w.S(16<<32|5)) + "\x0f", ""},
	{"\x00", abi.FailTrap},
	{"\x41\x01\x41\x00\x6d\x1a", abi.FailTrap},             // divides by zero
	{"\x41\x7f\x28\x02\x00\x1a", abi.FailTrap},             // loads beyond memory
	{"\x41\x7f\x41\x01\x36\x02\x00", abi.FailTrap},         // stores there
	{"\x41\x7f\x41\x01\x41\x02\xfc\x0b\x00", abi.FailTrap}, // fills what is beyond
	{"\x43\x00\x00\xc0\x7f\xa8\x1a", abi.FailTrap},         // the integer of no number
	{"\x41\x07\x11\x00\x00", abi.FailTrap},                 // calls what is not in the table
	{"\x03\x40\x0c\x00\x0b", abi.FailFuel},
	{"\x10\x03", abi.FailDepth},
	{"\x42\x7f\x0f", abi.FailProtocol}, // an answer outside of memory
	{"\x42\x00\x0f", abi.FailProtocol},
	{"\x41\x7e\x41\x08\x41\x00\x41\x00\x10\x00\x1a", abi.FailTrap}, // a path outside of memory
}

// spoils is code that writes wherever a guest can.
func spoils(r *rand.Rand, most int) string {
	konst := func(n int64) string { return "\x41" + string(w.S(n)) }
	code := ""
	for range 1 + r.IntN(most) {
		at := konst(r.Int64N(5*65536) / 4 * 4)
		switch r.IntN(6) {
		case 0:
			code += at + konst(int64(int32(r.Uint32()))) + "\x36\x02\x00"
		case 1:
			code += at + konst(int64(r.IntN(256))) + konst(r.Int64N(3*65536)) + "\xfc\x0b\x00"
		case 2:
			code += at + konst(r.Int64N(65536)) + konst(r.Int64N(2*65536)) + "\xfc\x0a\x00\x00"
		case 3:
			code += konst(r.Int64N(4)) + "\x40\x00\x1a"
		case 4:
			code += konst(int64(int32(r.Uint32()))) + "\x24\x00\x42" + string(w.S(int64(r.Uint64()))) + "\x24\x01"
		case 5: // numbers that are none, of every kind
			code += "\x43" + string([]byte{byte(r.Uint32()), 1, 0xc0 | byte(r.Uint32()), 0x7f | byte(r.Uint32())}) + "\x24\x02" +
				"\x44" + string([]byte{byte(r.Uint32()), 0, 0, 0, 0, 0, byte(r.Uint32()), byte(r.Uint32())}) + "\x24\x03"
		}
	}
	return code
}

// spoiler is a guest that spoils its state as it starts, and in each evaluation
// before it ends as its snapshot says.
func spoiler(r *rand.Rand) []byte {
	m := w.Plugin()
	get := m.AddType("iiii", "I")
	m.AddImport(abi.HostModule, abi.HostGet, get)
	m.Memories = [][]byte{{0, 8}}
	m.Tables = [][]byte{{0x70, 0, 8}}
	m.Globals = [][]byte{
		[]byte("\x7f\x01\x41\x07\x0b"), []byte("\x7e\x01\x42\x07\x0b"),
		[]byte("\x7d\x01\x43\x00\x00\x80\x3f\x0b"), []byte("\x7c\x01\x44\x00\x00\x00\x00\x00\x00\xf0\x3f\x0b"),
	}
	m.Data = [][]byte{w.Cat([]byte("\x00\x41\x00\x0b"), w.Sized([]byte("/e\x00\x00\x00{\"a\":1}")))}
	code := spoils(r, 20)
	// The path may be spoilt: it is written anew.
	code += "\x41\x00\x41" + string(w.S('/'|'e'<<8)) + "\x36\x02\x00" + strings.Repeat("\x02\x40", len(endings)) +
		"\x41\x00\x41\x02\x41\x00\x41\x00\x10\x00\xa7\x0e" + string(w.U(len(endings)-1))
	for i := range endings {
		code += string(w.U(i))
	}
	for _, e := range endings {
		code += "\x0b" + e.code
	}
	m.Bodies[1] = w.Body(code + "\x00\x0b")
	m.Add(w.Void, w.Body("\x10\x03\x0b")) // without an end
	m.Start = w.U(m.Add(w.Void, w.Body(spoils(r, 10)+"\x0b")))
	return m.Bytes()
}

// state is all that an instance keeps, compared by its bytes.
func state(i *instance) (memory []byte, rest string) {
	for _, g := range i.globals {
		rest += fmt.Sprintf("%x ", g.Get())
	}
	return i.memory.bytes, rest + fmt.Sprint(i.mod.Memory().Size(), i.pages.Get(), i.run.view.Exists(), i.run.last.known)
}

// TestNothingOfAnEvaluationStays whatever the guest did and however it ended: all
// bytes, globals and sizes of the next instance are those of one that was only
// started, in both engines and with each reset, and so is what it answers.
func TestNothingOfAnEvaluationStays(t *testing.T) {
	const guests = 1 + rounds/200
	first := map[string]string{}
	ended := map[abi.FailureClass]int{}
	ways(t, func(t *testing.T, o Options) {
		o.Limits = Limits{Instances: 1, EvaluateFuel: 400_000}
		h := newHost(t, o)
		for n := range guests {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			src := Source{Name: "spoiler", Module: spoiler(r), Manifest: &abi.Manifest{ABI: "1.0", MemoryMiB: 1}}
			p := load(t, h, src)
			fresh, err := p.started(&src)
			if err != nil {
				t.Fatal(err)
			}
			defer fresh.close()
			memory, rest := state(fresh)
			for range 3 * len(endings) {
				e := r.IntN(len(endings))
				view := abi.ObjectValue(abi.Member{Name: "e", Value: abi.StringValue(strings.Repeat("e", e))})
				a := p.Evaluate(view)
				ended[a.Class]++
				if a.Class != endings[e].class {
					t.Fatalf("guest %d, ending %d: %s; want class %q", n, e, short(a), endings[e].class)
				}
				key := fmt.Sprint(n, " ", e)
				if was, ok := first[key]; ok && was != whole(a) {
					t.Errorf("guest %d, ending %d: %s; before, or another way: %s", n, e, whole(a), was)
				}
				first[key] = whole(a)
				i, err := p.take()
				if err != nil {
					t.Fatal(err)
				}
				if nowMemory, nowRest := state(i); nowRest != rest || string(nowMemory) != string(memory) {
					t.Fatalf("guest %d, ending %d: globals and sizes %s, the same memory %t; fresh %s", n, e, nowRest, string(nowMemory) == string(memory), rest)
				}
				p.idle = append(p.idle, i)
			}
			p.Close()
		}
	})
	for _, class := range []abi.FailureClass{"", abi.FailTrap, abi.FailFuel, abi.FailDepth, abi.FailProtocol} {
		if ended[class] == 0 {
			t.Errorf("no guest ended in class %q", class)
		}
	}
}
