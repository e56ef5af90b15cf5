package wasm

import (
	"encoding/binary"
	"fmt"
	"sync"
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestNoStatePasses from one evaluation to the next, nor from one instance to
// another, wherever a guest keeps it.
func TestNoStatePasses(t *testing.T) {
	var first string
	ways(t, func(t *testing.T, o Options) {
		o.Limits.Instances = 1
		p := load(t, newHost(t, o), Source{Name: "counter", Module: guest(t, "counter")})
		for n := range rounds {
			if n%(rounds/4) == 7 { // the next instance is a new one
				p.idle[0].close()
				p.idle = nil
			}
			a := p.Evaluate(abi.Value{})
			if first == "" {
				first = short(a)
			}
			if short(a) != first {
				t.Fatalf("evaluation %d: %s; first: %s", n, short(a), first)
			}
			// Once each by start, _initialize and evaluate; memory grown by one;
			// what was beyond it is zero.
			var got [5]uint32
			for i := range got {
				got[i] = binary.LittleEndian.Uint32(a.Output[4*i:])
			}
			if want := [5]uint32{3, 3, 3, 2, 4}; got != want || a.Pages != 3 {
				t.Fatalf("evaluation %d answers %d, %d pages; want %d, 3 pages", n, got, a.Pages, want)
			}
		}
	})
	if first == "" {
		t.Error("nothing was evaluated")
	}
}

// TestSessionsDoNotDisturbEachOther evaluates in parallel, two plugins at once,
// among evaluations that end badly.
func TestSessionsDoNotDisturbEachOther(t *testing.T) {
	h := newHost(t, Options{Limits: Limits{Instances: 3, EvaluateFuel: 2_000_000}})
	counter := load(t, h, Source{Name: "counter", Module: guest(t, "counter")})
	all := load(t, h, Source{Name: "acts", Module: guest(t, "acts")})
	want := map[byte]string{}
	const letters = "abdfhopswxz"
	for _, c := range []byte(letters) {
		want[c] = short(all.Evaluate(act(c)))
	}
	count := short(counter.Evaluate(abi.Value{}))
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			for n := range 100 {
				c := letters[(n*7+g)%len(letters)]
				if got := short(all.Evaluate(act(c))); got != want[c] {
					t.Errorf("%c: %s; alone: %s", c, got, want[c])
				}
				if got := short(counter.Evaluate(abi.Value{})); got != count {
					t.Errorf("counter: %s; alone: %s", got, count)
				}
			}
		})
	}
	wg.Wait()
	all.Evaluate(act('a')) // leaves one, if all others were discarded
	if n := len(all.idle); n == 0 || n > 3 {
		t.Errorf("%d instances are idle; want 1 to 3", n)
	}
}

// TestMemoryIsPutBack tries the ways to put memory back on memories that nobody
// wrote a guest for.
func TestMemoryIsPutBack(t *testing.T) {
	const size = 1 << 22
	from := make([]byte, size)
	for i := 0; i < size; i += 3 * unit {
		from[i+i%unit] = byte(i / unit)
	}
	for _, how := range resets() {
		t.Run(resetNames[how], func(t *testing.T) {
			file, _ := openPageMap(how)
			if file != nil {
				defer file.Close()
			}
			img, err := newImage(from, how)
			if err != nil {
				t.Fatal(err)
			}
			defer img.close()
			m, err := newMemory(size, how, pageMap{file: file})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Free()
			m.bytes[7] = 7
			if err := m.adopt(img); err != nil {
				t.Fatal(err)
			}
			for step, spoil := range spoilers {
				if string(m.bytes) != string(from) {
					t.Fatalf("step %d starts from other memory", step)
				}
				spoil(m.bytes)
				if err := m.restore(); err != nil {
					t.Fatal(err)
				}
			}
			if string(m.bytes) != string(from) {
				t.Error("the last step ends with other memory")
			}
		})
	}
}

// spoilers write to memory in their ways.
var spoilers = []func([]byte){
	func([]byte) {},
	func(b []byte) { b[0] = 255 },
	func(b []byte) { b[len(b)-1] = 1 },
	func(b []byte) { clear(b) },
	func(b []byte) {
		for i := range b { // more than is copied back
			b[i] = byte(i)
		}
	},
	func(b []byte) {
		for i := unit; i < len(b); i += 2 * unit { // more places than one look finds
			b[i]++
		}
	},
	func(b []byte) { copy(b[100:3*unit], b[unit:]) },
	func(b []byte) {
		for i := 0; i < len(b); i += 5 * unit { // what is written may be what was there
			b[i] = b[i] + 0
		}
	},
}

// TestImagesHoldWhatIsNotZero and the first and last bytes.
func TestImagesHoldWhatIsNotZero(t *testing.T) {
	for _, filled := range [][]int{nil, {0}, {15*unit + 4095}, {0, unit, 15 * unit}, {3*unit - 1, 3 * unit}} {
		for _, how := range resets() {
			from, units := make([]byte, 16*unit), map[int]bool{}
			for _, at := range filled {
				from[at], units[at/unit] = 1, true
			}
			img, err := newImage(from, how)
			if err != nil {
				t.Fatal(err)
			}
			m := &memory{bytes: make([]byte, len(from)), img: img, how: resetCopy}
			m.compare()
			if string(m.bytes) != string(from) || img.size() != len(units)*unit {
				t.Errorf("%s, %v: the image has %d bytes; want %d, and the same memory", resetNames[how], filled, img.size(), len(units)*unit)
			}
			if err := img.close(); err != nil {
				t.Error(fmt.Errorf("%v: %w", filled, err))
			}
		}
	}
}
