package scan_test

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/wasm/scan"
	. "github.com/callgate/callgate/host/wasm/wasmtest"
)

// upTo makes a plugin that has exactly n of a limit.
var upTo = map[scan.Limit]func(m *Module, n int){
	scan.ModuleBytes: func(m *Module, n int) {
		m.Data = [][]byte{Cat(U(1), Sized(nil))}
		// Four bytes of each of the sizes of the segment and the section.
		m.Data = [][]byte{Cat(U(1), Sized(make([]byte, n-len(m.Bytes())-6)))}
	},
	scan.CustomSections: func(m *Module, n int) { m.Tail = Cat(repeat(n, Custom("x"))...) },
	scan.CustomBytes:    func(m *Module, n int) { m.Tail = Section(0, make([]byte, n-5)) },
	scan.ManifestBytes:  func(m *Module, n int) { m.Tail = Custom("callgate.manifest", make([]byte, n)) },
	scan.Types:          func(m *Module, n int) { m.Types = append(m.Types, repeat(n-2, Type("", ""))...) },
	scan.TypeValues: func(m *Module, n int) {
		m.AddType(strings.Repeat("i", n), "")
		m.AddType("", strings.Repeat("i", n))
	},
	scan.Imports: func(m *Module, n int) {
		log := m.AddType("iii", "")
		for range n {
			m.AddImport("callgate_v0", "log", log)
		}
	},
	scan.Functions: func(m *Module, n int) {
		m.Functions = append(m.Functions, repeat(n-2, U(Void))...)
		m.Bodies = append(m.Bodies, repeat(n-2, Body("\x0b"))...)
	},
	scan.Tables:       func(m *Module, n int) { m.Tables = repeat(n, []byte{0x70, 0, 0}) },
	scan.TableMinimum: func(m *Module, n int) { m.Tables = [][]byte{Cat([]byte{0x70, 0}, U(n))} },
	scan.MemoryPages:  func(m *Module, n int) { m.Memories = [][]byte{Cat([]byte{0}, U(n))} },
	scan.Globals:      func(m *Module, n int) { m.Globals = repeat(n, []byte("\x7f\x01\x41\x00\x0b")) },
	scan.Exports: func(m *Module, n int) {
		for i := range n - 3 {
			m.Exports = append(m.Exports, Export(fmt.Sprint("e", i), 0, 0))
		}
	},
	scan.Elements:       func(m *Module, n int) { m.Elements = repeat(n, []byte("\x01\x00\x00")) },
	scan.ElementEntries: func(m *Module, n int) { m.Elements = [][]byte{Cat([]byte{3, 0}, Vec(repeat(n, U(0))...))} },
	scan.DataSegments:   func(m *Module, n int) { m.Data = repeat(n, []byte("\x01\x00")) },
	scan.BodyBytes:      func(m *Module, n int) { m.Add(Void, Body(strings.Repeat("\x01", n-2)+"\x0b")) },
	scan.Locals:         func(m *Module, n int) { m.Add(m.AddType("iI", ""), Body("\x0b", Group(uint32(n-2), 'i'))) },
	scan.ModuleLocals: func(m *Module, n int) {
		for ; n > 0; n -= 10_000 {
			m.Add(Void, Body("\x0b", Group(uint32(min(n, 10_000)), 'i')))
		}
	},
	scan.Nesting: func(m *Module, n int) {
		m.Add(Void, Body(strings.Repeat("\x02\x40", n)+strings.Repeat("\x0b", n+1)))
	},
	scan.Stack: func(m *Module, n int) { m.Add(Void, Body(strings.Repeat("\x41\x00", n)+"\x00\x0b")) },
	scan.BranchTargets: func(m *Module, n int) {
		m.Add(Void, Body("\x41\x00"+branchTable(n)+"\x0b"))
	},
	scan.ModuleTargets: func(m *Module, n int) {
		for ; n > 0; n -= 8_192 {
			m.Add(Void, Body("\x41\x00"+branchTable(min(n, 8_192))+"\x0b"))
		}
	},
	scan.LoopDepth: func(m *Module, n int) {
		m.Add(Void, Body(strings.Repeat("\x03\x40", n)+strings.Repeat("\x0b", n+1)))
	},
	scan.BlockLocals: blocks,
	scan.ModuleBlockLocals: func(m *Module, n int) {
		for ; n > 0; n -= 1_000_000 {
			blocks(m, min(n, 1_000_000))
		}
	},
	scan.ModuleFlow: func(m *Module, n int) {
		for n > 0 {
			blocks := int(math.Sqrt(float64(n)))
			m.Add(Void, Body(strings.Repeat("\x02\x40\x0b", blocks)+"\x0b"))
			n -= blocks * blocks
		}
	},
	scan.LoopDepthLocals: func(m *Module, n int) {
		loops, locals := factors(n)
		m.Add(Void, Body(strings.Repeat("\x03\x40", loops)+strings.Repeat("\x0b", loops+1), Group(uint32(locals), 'i')))
	},
	scan.LoopLocals: func(m *Module, n int) {
		loops, locals := factors(n)
		m.Add(Void, Body(strings.Repeat("\x03\x40\x0b", loops)+"\x0b", Group(uint32(locals), 'i')))
	},
	scan.ModuleValues: func(m *Module, n int) {
		const most = scan.MaxTypeValues
		many := m.Add(m.AddType("", strings.Repeat("i", most)), Body("\x00\x0b"))
		one := m.Add(m.AddType("", "i"), Body("\x00\x0b"))
		n -= most + 2 // which the ends of evaluate and of these two give
		call := func(i int) string { return "\x10" + string(U(i)) + "\x00" }
		m.Add(Void, Body(strings.Repeat(call(many), n/most)+strings.Repeat(call(one), n%most)+"\x0b"))
	},
}

// blocks adds a function with n blocks times locals.
func blocks(m *Module, n int) {
	count, locals := factors(n)
	m.Add(Void, Body(strings.Repeat("\x02\x40\x0b", count)+"\x0b", Group(uint32(locals), 'i')))
}

func branchTable(labels int) string {
	return "\x0e" + string(U(labels)) + strings.Repeat("\x00", labels+1)
}

// factors is n as a product whose second factor is within the limit of locals.
func factors(n int) (loops, locals int) {
	for loops = 1; n%loops != 0 || n/loops > scan.MaxLocals; loops++ {
	}
	return loops, n / loops
}

func TestEachLimitAdmitsWhatItSaysAndNotOneMore(t *testing.T) {
	for i, use := range reportOf(t, Plugin().Bytes()).Used {
		l := scan.Limit(i)
		make, ok := upTo[l]
		if !ok {
			t.Errorf("%s has no case", use.Name)
			continue
		}
		at := changed(func(m *Module) { make(m, int(use.Max)) })
		if got := reportOf(t, at).Used[l]; got.Used != use.Max {
			t.Errorf("%s: at the limit it is %d of %d", use.Name, got.Used, use.Max)
		}
		r, found := problems(t, changed(func(m *Module) { make(m, int(use.Max)+1) }))
		if r != nil || len(found) > 2 {
			t.Errorf("%s: one more gives %v", use.Name, found)
			continue
		}
		for _, p := range found {
			if (p.Code != scan.CodeLimit && p.Code != scan.CodeManifest) || !strings.Contains(p.Text, fmt.Sprintf("at most %d", use.Max)) {
				t.Errorf("%s: one more gives %+v", use.Name, p)
			}
		}
	}
}

func reportOf(t *testing.T, module []byte) *scan.Report {
	t.Helper()
	r, found := problems(t, module)
	if r == nil {
		t.Fatalf("refused: %v", found)
	}
	return r
}

// bombs claim, in few bytes, to be large.
var bombs = map[string][]byte{
	"types":         lie(1),
	"imports":       lie(2),
	"functions":     lie(3),
	"tables":        lie(4),
	"memories":      lie(5),
	"globals":       lie(6),
	"exports":       lie(7),
	"elements":      lie(9),
	"bodies":        lie(10),
	"data":          lie(11),
	"section":       Cat(Header, []byte("\x01\xff\xff\xff\xff\x0f")),
	"name":          Cat(Header, Section(0, []byte("\xff\xff\xff\xff\x0fx"))),
	"parameters":    Cat(Header, Section(1, []byte("\x01\x60\xff\xff\xff\xff\x0f"))),
	"locals":        changed(func(m *Module) { m.Add(Void, Body("\x0b", Group(4_294_967_295, 'i'))) }),
	"groups":        changed(func(m *Module) { m.Add(Void, Sized([]byte("\xff\xff\xff\xff\x0f\x0b"))) }),
	"body":          changed(func(m *Module) { m.Add(Void, []byte("\xff\xff\xff\xff\x0f\x0b")) }),
	"targets":       changed(func(m *Module) { m.Add(Void, Body("\x41\x00\x0e\xff\xff\xff\xff\x0f\x00\x0b")) }),
	"segment":       changed(func(m *Module) { m.Data = [][]byte{[]byte("\x01\xff\xff\xff\xff\x0f")} }),
	"entries":       changed(func(m *Module) { m.Elements = [][]byte{[]byte("\x01\x00\xff\xff\xff\xff\x0f")} }),
	"names":         changed(func(m *Module) { m.Tail = Custom("name", Section(1, []byte("\xff\xff\xff\xff\x0f"))) }),
	"local names":   changed(func(m *Module) { m.Tail = Custom("name", Section(2, []byte("\x01\x00\xff\xff\xff\xff\x0f"))) }),
	"function name": changed(func(m *Module) { m.Tail = Custom("name", Section(1, []byte("\x01\x00\xff\xff\xff\xff\x0f"))) }),
	"data count":    changed(func(m *Module) { m.DataCount = []byte("\xff\xff\xff\xff\x0f") }),
	"table":         changed(func(m *Module) { m.Tables = [][]byte{[]byte("\x70\x00\xff\xff\xff\xff\x0f")} }),
	"memory":        changed(func(m *Module) { m.Memories = [][]byte{[]byte("\x00\xff\xff\xff\xff\x0f")} }),
	// Each call of two bytes gives as many values as may be.
	"results": changed(func(m *Module) {
		f := m.Add(m.AddType("", strings.Repeat("i", scan.MaxTypeValues)), Body("\x00\x0b"))
		m.Add(Void, Body(strings.Repeat("\x10"+string(U(f)), 50_000)+"\x0b"))
	}),
	"groups of locals": changed(func(m *Module) {
		m.Functions = append(m.Functions, repeat(60_000, U(Void))...)
		m.Bodies = append(m.Bodies, repeat(60_000, Body("\x0b", Group(10_000, 'i')))...)
	}),
	"nested blocks":  changed(func(m *Module) { m.Add(Void, Body(strings.Repeat("\x02\x40", 200_000))) }),
	"nested loops":   changed(func(m *Module) { upTo[scan.LoopDepthLocals](m, 400*400) }),
	"loops":          changed(func(m *Module) { upTo[scan.LoopLocals](m, 4_000_000) }),
	"wrong imports":  changed(func(m *Module) { m.Imports = repeat(64, Import(strings.Repeat("m", 60_000), "x", Void)) }),
	"wrong bodies":   changed(func(m *Module) { m.Functions, m.Bodies = repeat(60_000, U(Answer)), repeat(60_000, Body("\x0b")) }),
	"custom section": changed(func(m *Module) { m.Tail = bytes.Repeat(Custom(""), 100_000) }),
}

func lie(section byte) []byte { return Cat(Header, Section(section, []byte("\xff\xff\xff\xff\x0f"))) }

// allocated is the bytes that a call allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAScanAllocatesInProportionToTheModule(t *testing.T) {
	// What a scan takes at all, and for each byte of the module: a type of three
	// bytes takes 48, an export of three a few hundred, of which there are 1,024.
	const fixed, each = 1 << 20, 24
	modules := map[string][]byte{}
	for name, module := range bombs {
		modules[name] = module
		if found := errorsOf(t, module); len(found) == 0 {
			t.Errorf("the bomb %s is admitted", name)
		}
	}
	for l, make := range upTo {
		modules[l.Name()] = changed(func(m *Module) { make(m, int(scan.Default()[l])) })
	}
	for name, module := range modules {
		got := allocated(func() { _, _ = scan.Module(module, scan.Default()) })
		if most := uint64(fixed + each*len(module)); got > most {
			t.Errorf("%s: %d bytes allocated for a module of %d; at most %d", name, got, len(module), most)
		}
	}
}

func errorsOf(t *testing.T, module []byte) []scan.Problem {
	t.Helper()
	_, found := problems(t, module)
	return found
}

// A module that is cut short is refused wherever that is, but between custom
// sections at its end; and so is one with a byte after its end.
func TestEveryCutIsRefused(t *testing.T) {
	full := corpus()[1]
	whole := map[int]bool{}
	for _, c := range reportOf(t, full).Custom {
		whole[c.Start] = true
	}
	for n := range len(full) {
		if found := errorsOf(t, full[:n]); (len(found) == 0) != whole[n] {
			t.Errorf("%d of %d bytes: %v", n, len(full), found)
		}
	}
	if found := errorsOf(t, append(slices.Clone(full), 0)); len(found) == 0 || len(whole) != 3 {
		t.Errorf("a byte after the end is admitted; %d custom sections", len(whole))
	}
}
