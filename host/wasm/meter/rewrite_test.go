package meter_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	wasm "github.com/callgate/callgate/host/wasm/binary"
	"github.com/callgate/callgate/host/wasm/meter"
	"github.com/tetratelabs/wazero/api"
)

// number is a function that gives a constant.
func number(a *asm, t uint32, v int64) uint32 { return a.fn(t, nil, c64(v)) }

// everyIndex is a module that names functions in each place where a module
// can: call, ref.func, segments of each kind, a global, an export, start.
func everyIndex() *asm {
	a := &asm{memory: []byte{0, 1}}
	t := a.typ(nil, []wasm.ValType{i64})
	nothing := a.typ(nil, nil)
	a.importFunc("env", "host", a.typ([]wasm.ValType{i32}, []wasm.ValType{i32}))
	one, two, three := number(a, t, 1), number(a, t, 2), number(a, t, 3)
	table := []byte{byte(wasm.FuncRef), 0, 10}
	a.tables = [][]byte{table, table}
	end, zero := ins(wasm.OpEnd), c32(0)
	ref := func(f uint32) []byte { return join(ins(wasm.OpRefFunc, f), end) }
	kind, typ := []byte{0}, []byte{byte(wasm.FuncRef)}
	a.global(wasm.FuncRef, false, ins(wasm.OpRefFunc, two))
	ran := a.global(i64, true, c64(0))
	a.elems = [][]byte{
		join(u(0), zero, end, u(2), u(one), u(two)),         // table 0 at 0
		join(u(1), kind, u(1), u(one)),                      // passive
		join(u(2), u(1), zero, end, kind, u(1), u(three)),   // table 1 at 0
		join(u(3), kind, u(1), u(three)),                    // declarative
		join(u(4), c32(2), end, u(2), ref(three), ref(two)), // table 0 at 2
		join(u(5), typ, u(1), ref(one)),
		join(u(6), u(1), c32(1), end, typ, u(1), ref(two)), // table 1 at 1
		join(u(7), typ, u(1), ref(two)),
	}
	// f adds what each place gives, each at a digit of its own.
	ways := [][]byte{
		ins(wasm.OpCall, one),
		join(c32(0), ins(wasm.OpCallIndirect, t, 0)),
		join(c32(1), ins(wasm.OpCallIndirect, t, 0)),
		join(c32(2), ins(wasm.OpCallIndirect, t, 0)),
		join(c32(3), ins(wasm.OpCallIndirect, t, 0)),
		join(c32(0), ins(wasm.OpCallIndirect, t, 1)),
		join(c32(1), ins(wasm.OpCallIndirect, t, 1)),
		ins(wasm.OpGlobalGet, ran),
		join(ins(wasm.OpRefFunc, three), ins(wasm.OpRefIsNull), ins(wasm.OpI64ExtendI32U)),
	}
	code := c64(0)
	for _, w := range ways {
		code = join(code, c64(10), ins(wasm.OpI64Mul), w, ins(wasm.OpI64Add))
	}
	a.export("f", wasm.KindFunc, a.fn(t, nil, code))
	a.export("three", wasm.KindFunc, three)
	a.export("host", wasm.KindFunc, 0)
	a.start = int(a.fn(nothing, nil, c64(7), ins(wasm.OpGlobalSet, ran))) + 1
	return a
}

func TestFunctionsAreFoundWhereverTheyAreNamed(t *testing.T) {
	const want = "[112323270]" // by the ways of everyIndex
	module := everyIndex().wasm()
	out, info := rewrite(t, module, limits)
	for _, e := range engines {
		m, err := start(e, out, grants{slice: slice, limit: plenty}, genHost)
		if err != nil {
			t.Fatal(err)
		}
		defer m.close()
		if got := m.call("f"); got != want {
			t.Errorf("%s: f gives %s; want %s", e, got, want)
		}
		if got := m.call("three"); got != "[3]" {
			t.Errorf("%s: three gives %s", e, got)
		}
		if got := m.call("host", 21); got != "[42]" {
			t.Errorf("%s: host gives %s", e, got)
		}
	}
	if len(info.Globals) != 1 || info.Globals[0] != (meter.Global{Export: "callgate_m1_g1", Index: 1, Type: i64}) {
		t.Errorf("globals %+v; want the mutable one", info.Globals)
	}
	plain, _ := rewrite(t, module, meter.Options{MemoryPages: 1, Plain: true})
	m, err := start("compiler", plain, grants{}, genHost)
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	if got := m.call("f"); got != want || m.asked != 0 {
		t.Errorf("plain: %s, asked %d times; want %s, 0", got, m.asked, want)
	}
}

// TestExportsAndMemoryAreWhatTheHostNeeds looks at a module from the outside.
func TestExportsAndMemoryAreWhatTheHostNeeds(t *testing.T) {
	tests := []struct {
		name               string
		memory             []byte
		pages, real, grown uint32
	}{
		{"no maximum", []byte{0, 2}, 2, 64, 64},
		{"a small maximum", []byte{1, 2, 5}, 2, 5, 5},
		{"a maximum above the limit", []byte{1, 2, 100}, 2, 64, 64},
		{"no room", []byte{1, 3, 3}, 3, 3, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := one([]wasm.ValType{i32}, []wasm.ValType{i32}, nil, ins(wasm.OpLocalGet, 0), ins(wasm.OpMemoryGrow, 0))
			a.memory = tt.memory
			a.export("size", wasm.KindFunc, a.fn(a.typ(nil, []wasm.ValType{i32}), nil, ins(wasm.OpMemorySize, 0)))
			a.export("memory", wasm.KindMemory, 0)
			out, info := rewrite(t, a.wasm(), limits)
			if !info.Memory || info.Pages != tt.pages || info.MaxPages != tt.real || info.Schedule != "m1" {
				t.Errorf("info %+v", info)
			}
			for _, e := range engines {
				m, err := start(e, out, grants{slice: slice, limit: plenty})
				if err != nil {
					t.Fatal(err)
				}
				defer m.close()
				steps := []struct{ call, want string }{
					{m.call("size"), str(tt.pages)},
					{m.call("f", 0), str(tt.pages)},
					{m.call("f", uint64(tt.grown-tt.pages+1)), str(^uint32(0))},
					{m.call("f", 1<<32-1), str(^uint32(0))},
					{m.call("f", uint64(tt.grown-tt.pages)), str(tt.pages)},
					{m.call("size"), str(tt.grown)},
					{m.call("f", 1), str(^uint32(0))},
				}
				for i, s := range steps {
					if s.call != s.want {
						t.Errorf("%s: step %d: %s; want %s", e, i, s.call, s.want)
					}
				}
				if got := m.mod.Memory().Size() >> 16; got != tt.real {
					t.Errorf("%s: %d pages in truth; want %d", e, got, tt.real)
				}
				if g := m.mod.ExportedGlobal(meter.ExportPages); g.Type() != api.ValueTypeI32 || uint32(g.Get()) != tt.grown {
					t.Errorf("%s: %s is %v; want %d", e, meter.ExportPages, g, tt.grown)
				}
			}
		})
	}
}

// sections lists the sections of a module, custom ones by name.
func sections(t *testing.T, b []byte) (ids []string) {
	t.Helper()
	s := wasm.NewSections(b)
	for {
		sec, ok := s.Next()
		if !ok {
			break
		}
		id := wasm.SectionName(sec.ID)
		if sec.ID == wasm.SectionCustom {
			r := sec.Reader()
			id = string(r.Name())
		}
		ids = append(ids, id)
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return ids
}

func TestEmptyModuleGetsWhatIsAdded(t *testing.T) {
	out, _ := rewrite(t, wasm.Header, limits)
	want := []string{"type", "import", "function", "global", "export", "code"}
	if got := sections(t, out); !slices.Equal(got, want) {
		t.Errorf("sections %q; want %q", got, want)
	}
	for _, e := range engines {
		m, err := start(e, out, grants{})
		if err != nil {
			t.Errorf("%s: %v", e, err)
		}
		m.close()
	}
}

func TestNamesAreKeptAndOtherCustomSectionsAreNot(t *testing.T) {
	named := func(parts ...[]byte) *asm {
		a := everyIndex()
		a.custom = [][]byte{join(name("producers"), []byte("x")), join(name("name"), join(parts...)), join(name(".debug_info"), []byte("y"))}
		return a
	}
	part := func(id byte, body []byte) []byte { return join([]byte{id}, u(uint32(len(body))), body) }
	entry := func(i uint32, s string) []byte { return join(u(i), name(s)) }
	mod := part(0, name("mod"))
	funcs := part(1, vec([][]byte{entry(0, "hosts"), entry(1, "uno"), entry(3, "tres")}))
	locals := part(2, vec([][]byte{join(u(1), vec([][]byte{entry(0, "x")}))}))
	types := part(4, vec([][]byte{entry(0, "t")}))
	want := []byte(join(name("name"), mod,
		part(1, vec([][]byte{entry(0, "hosts"), entry(2, "uno"), entry(4, "tres")})),
		part(2, vec([][]byte{join(u(2), vec([][]byte{entry(0, "x")}))}))))
	tests := []struct {
		name  string
		parts [][]byte
		kept  bool
	}{
		{"module, functions, locals", [][]byte{mod, funcs, locals}, true},
		{"and of other things", [][]byte{mod, funcs, locals, types}, true},
		{"out of order", [][]byte{funcs, mod, locals}, false},
		{"twice", [][]byte{mod, mod, funcs, locals}, false},
		{"a count that lies", [][]byte{mod, part(1, u(1<<20))}, false},
		{"bytes left over", [][]byte{part(0, join(name("mod"), []byte{0}))}, false},
		{"a size that lies", [][]byte{{0, 100}}, false},
		{"not UTF-8", [][]byte{part(0, name("\xff"))}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, _ := rewrite(t, named(tt.parts...).wasm(), limits)
			got := sections(t, out)
			if kept := got[len(got)-1] == "name"; kept != tt.kept || slices.Contains(got, "producers") || slices.Contains(got, ".debug_info") {
				t.Errorf("sections %q; want name %t and no other custom one", got, tt.kept)
			}
			if tt.kept && !bytes.HasSuffix(out, want) {
				t.Errorf("names %q; want %q", out[max(0, len(out)-len(want)):], want)
			}
			m, err := start("compiler", out, grants{slice: slice, limit: plenty}, genHost)
			if err != nil {
				t.Error(err)
			}
			m.close()
		})
	}
}

// TestTracesNameFunctions: a trap is told by the names that the author gave.
func TestTracesNameFunctions(t *testing.T) {
	a := one(nil, nil, nil, ins(wasm.OpUnreachable))
	a.custom = [][]byte{join(name("name"), []byte{1, 9, 1, 0, 6}, []byte("doomed"))}
	out, _ := rewrite(t, a.wasm(), limits)
	m, err := start("compiler", out, grants{slice: slice, limit: plenty})
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	if _, err := m.mod.ExportedFunction("f").Call(t.Context()); err == nil || !strings.Contains(err.Error(), ".doomed(") {
		t.Errorf("%v; want the name of the function", err)
	}
}

func TestSameModuleGivesSameBytes(t *testing.T) {
	for seed := range uint64(20) {
		b := generate(seed).wasm()
		before := bytes.Clone(b)
		first, _ := rewrite(t, b, limits)
		second, _ := rewrite(t, b, limits)
		if !bytes.Equal(first, second) || !bytes.Equal(b, before) {
			t.Fatalf("seed %d: two runs differ, or the module was written to", seed)
		}
	}
}
