package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/wasm/scan"
	. "github.com/callgate/callgate/host/wasm/wasmtest"
)

// A refusal is a module that is refused for one reason, beside a twin that
// differs in this and is admitted.
type refusal struct {
	name      string
	bad, twin func(m *Module)
	code      scan.Code
	want      string // in the text
}

func importing(module, name, params, results string) func(*Module) {
	return func(m *Module) { m.AddImport(module, name, m.AddType(params, results)) }
}

func foreign(kind, desc string) func(*Module) {
	return func(m *Module) { m.Imports = [][]byte{ImportOf("env", "x", kind, []byte(desc))} }
}

func exporting(name string, kind byte, index int) func(*Module) {
	return func(m *Module) { m.Exports = append(m.Exports, Export(name, kind, index)) }
}

// instead puts an export in the place of one of Plugin's: 0 memory, 1 marker,
// 2 evaluate.
func instead(place int, name string, kind byte, index int) func(*Module) {
	return func(m *Module) { m.Exports[place] = Export(name, kind, index) }
}

func running(code string) func(*Module) {
	return func(m *Module) { m.Add(Void, Body(code+"\x0b")) }
}

func none(*Module) {}

func both(changes ...func(*Module)) func(*Module) {
	return func(m *Module) {
		for _, change := range changes {
			change(m)
		}
	}
}

var importRefusals = []refusal{
	{"unknown module", importing("env", "abort", "ii", "I"), importing("callgate_v0", "log", "iii", ""), scan.CodeImport, "import env.abort (func (i32, i32) -> i64): nothing provides it"},
	{"unknown function of ours", importing("callgate_v0", "set", "", ""), importing("callgate_v0", "get", "iiii", "I"), scan.CodeImport, "import callgate_v0.set (func ()): the host has no such function"},
	{"wrong type of ours", importing("callgate_v0", "get", "iiii", "i"), importing("callgate_v0", "log_enabled", "i", "i"), scan.CodeImport, "import callgate_v0.get (func (i32, i32, i32, i32) -> i32): it has the type func (i32, i32, i32, i32) -> i64"},
	{"wrong type of log", importing("callgate_v0", "log", "iii", "i"), importing("callgate_v0", "log", "iii", ""), scan.CodeImport, "it has the type func (i32, i32, i32)"},
	{"wrong type of log_enabled", importing("callgate_v0", "log_enabled", "I", "i"), importing("callgate_v0", "log_enabled", "i", "i"), scan.CodeImport, "it has the type func (i32) -> i32"},
	{"unknown function of WASI", importing("wasi_snapshot_preview1", "fd_fly", "", ""), importing("wasi_snapshot_preview1", "fd_seek", "iIii", "i"), scan.CodeImport, "import wasi_snapshot_preview1.fd_fly (func ()): WASI preview 1 has no such function"},
	{"wrong type of WASI", importing("wasi_snapshot_preview1", "fd_seek", "iiii", "i"), importing("wasi_snapshot_preview1", "proc_exit", "i", ""), scan.CodeImport, "it has the type func (i32, i64, i32, i32) -> i32"},
	{"another WASI", importing("wasi_unstable", "fd_write", "iiii", "i"), importing("wasi_snapshot_preview1", "fd_write", "iiii", "i"), scan.CodeImport, "import wasi_unstable.fd_write"},
	{"the meter's module", importing("callgate_m1", "refuel", "I", "I"), none, scan.CodeReserved, "import callgate_m1.refuel (func (i64) -> i64): the module callgate_m1 belongs to the host"},
	{"the meter's prefix", importing("callgate_m1_x", "y", "", ""), none, scan.CodeReserved, "import callgate_m1_x.y"},
	{"hostile name", importing("a b\n", strings.Repeat("é", 50), "", ""), none, scan.CodeImport, `import "a b\n"."ééé`},
	{"memory", both(foreign("\x02", "\x00\x01"), func(m *Module) { m.Memories = nil }), none, scan.CodeImport, "import env.x (memory): only functions can be imported"},
	{"table", foreign("\x01", "\x70\x00\x01"), func(m *Module) { m.Tables = [][]byte{[]byte("\x70\x00\x01")} }, scan.CodeImport, "import env.x (table of funcref): only functions can be imported"},
	{"global", foreign("\x03", "\x7f\x00"), func(m *Module) { m.Globals = [][]byte{[]byte("\x7f\x00\x41\x00\x0b")} }, scan.CodeImport, "import env.x (global i32): only functions can be imported"},
	{"tag", foreign("\x04", "\x00\x00"), none, scan.CodeImport, "import env.x (tag): only functions can be imported"},
}

var exportRefusals = []refusal{
	{"no memory", instead(0, "mem", 2, 0), none, scan.CodeExport, "there is no export memory (memory)"},
	{"memory is a function", instead(0, "memory", 0, 0), none, scan.CodeExport, "export memory (func): want a memory"},
	{"no marker", instead(1, "abi", 0, 0), none, scan.CodeABI, "there is no export callgate_abi_1_0 (func ())"},
	{"marker of a later major", instead(1, "callgate_abi_2_0", 0, 0), instead(1, "callgate_abi_0_1", 0, 0), scan.CodeABI, "the module is built for ABI 2.0; this host speaks 1.0 and 0.1: rebuild it"},
	{"marker of a later minor", instead(1, "callgate_abi_1_1", 0, 0), none, scan.CodeABI, "the module is built for ABI 1.1; this host speaks 1.0 and 0.1: rebuild it"},
	{"marker of no version", instead(1, "callgate_abi_1.0", 0, 0), none, scan.CodeABI, "the module is built for ABI callgate_abi_1.0; this host speaks 1.0 and 0.1"},
	{"marker without a minor", instead(1, "callgate_abi_1", 0, 0), none, scan.CodeABI, "the module is built for ABI 1; this host speaks 1.0 and 0.1"},
	{"both markers", exporting("callgate_abi_0_1", 0, 0), none, scan.CodeABI, "the module has the markers of 2 versions of the ABI, 1.0,0.1: keep one; this host speaks 1.0 and 0.1"},
	{"a later marker beside", exporting("callgate_abi_1_1", 0, 0), none, scan.CodeABI, "the module has the markers of 2 versions of the ABI, 1.0,1.1: keep one"},
	{"marker with a result", instead(1, "callgate_abi_1_0", 0, 1), none, scan.CodeExport, "export callgate_abi_1_0 (func () -> i64): a marker is func ()"},
	{"marker is a memory", instead(1, "callgate_abi_1_0", 2, 0), none, scan.CodeExport, "export callgate_abi_1_0 (memory): a marker is func ()"},
	{"earlier marker is a memory", instead(1, "callgate_abi_0_1", 2, 0), none, scan.CodeExport, "export callgate_abi_0_1 (memory): a marker is func ()"},
	{"no evaluate", instead(2, "evaluate", 0, 1), none, scan.CodeExport, "there is no export callgate_evaluate (func () -> i64)"},
	{"evaluate without a result", instead(2, "callgate_evaluate", 0, 0), none, scan.CodeExport, "export callgate_evaluate (func ()): want func () -> i64"},
	{"configure without a result", exporting("callgate_configure", 0, 0), exporting("callgate_configure", 0, 1), scan.CodeExport, "export callgate_configure (func ()): want func () -> i64"},
	{"initialize with a result", exporting("_initialize", 0, 1), exporting("_initialize", 0, 0), scan.CodeExport, "export _initialize (func () -> i64): want func ()"},
	{"misspelt", exporting("callgate_configur", 0, 1), exporting("configure", 0, 1), scan.CodeExport, "export callgate_configur (func () -> i64): the ABI has no such export"},
	{"command", exporting("_start", 0, 0), exporting("start", 0, 0), scan.CodeCommand, "go build -buildmode=c-shared"},
	{"the meter's name", exporting("callgate_m1", 0, 0), exporting("callgate", 0, 0), scan.CodeReserved, "export callgate_m1 (func ()): names of callgate_m1 belong to the host"},
	{"the meter's prefix", exporting("callgate_m1_fuel", 2, 0), exporting("fuel", 2, 0), scan.CodeReserved, "export callgate_m1_fuel (memory)"},
	{"twice", exporting("memory", 2, 0), exporting("memory2", 2, 0), scan.CodeInvalid, "memory is there twice"},
	{"of nothing", exporting("x", 0, 2), exporting("x", 0, 1), scan.CodeInvalid, "x is func 2 of 2"},
	{"of a tag", exporting("x", 4, 0), none, scan.CodeInvalid, "x is tag 0 of 0"},
}

// Tables 0 of functions and 1 of externs, an element and a data segment.
func stateful(code string) func(*Module) {
	return both(running(code), func(m *Module) {
		m.Tables = [][]byte{[]byte("\x70\x00\x02"), []byte("\x6f\x00\x02")}
		m.Elements = [][]byte{[]byte("\x01\x00\x01\x00")}
		m.DataCount = U(1)
		m.Data = [][]byte{[]byte("\x01\x02ab")}
		m.Tail = Custom("name", Section(1, Vec(Cat(U(2), Name("guest.run")))))
	})
}

const (
	three = "\x41\x00\x41\x00\x41\x00"
	null  = "\xd0\x70"
)

var stateRefusals = []refusal{
	{"table.set", stateful("\x41\x00" + null + "\x26\x00"), stateful("\x41\x00\x25\x00\x1a"), scan.CodeState, "table.set in function 2 (guest.run)"},
	{"table.grow", stateful(null + "\x41\x00\xfc\x0f\x00\x1a"), stateful("\xfc\x10\x00\x1a"), scan.CodeState, "table.grow in function 2 (guest.run)"},
	{"table.fill", stateful("\x41\x00" + null + "\x41\x00\xfc\x11\x00"), stateful(three + "\xfc\x0b\x00"), scan.CodeState, "table.fill in function 2 (guest.run)"},
	{"table.copy", stateful(three + "\xfc\x0e\x00\x00"), stateful(three + "\xfc\x0a\x00\x00"), scan.CodeState, "table.copy in function 2 (guest.run)"},
	{"table.init", stateful(three + "\xfc\x0c\x00\x00"), stateful(""), scan.CodeState, "table.init in function 2 (guest.run)"},
	{"elem.drop", stateful("\xfc\x0d\x00"), stateful(""), scan.CodeState, "elem.drop in function 2 (guest.run)"},
	{"data.drop", stateful("\xfc\x09\x00"), stateful(""), scan.CodeState, "data.drop in function 2 (guest.run)"},
	{"memory.init", stateful(three + "\xfc\x08\x00\x00"), stateful(""), scan.CodeState, "memory.init in function 2 (guest.run)"},
	{"in code that is never reached", stateful("\x00\xfc\x09\x00"), stateful("\x00"), scan.CodeState, "data.drop in function 2 (guest.run)"},
	{"mutable reference", func(m *Module) { m.Globals = [][]byte{[]byte("\x70\x01\xd0\x70\x0b")} }, func(m *Module) { m.Globals = [][]byte{[]byte("\x70\x00\xd0\x70\x0b")} }, scan.CodeState, "global 0: a mutable funcref"},
}

var featureRefusals = []refusal{
	{"SIMD", running("\xfd\x0c0123456789abcdef\x1a"), running("\x41\x00\x1a"), scan.CodeFeature, "SIMD"},
	{"SIMD local", func(m *Module) { m.Add(Void, Body("\x0b", Group(1, 'v'))) }, func(m *Module) { m.Add(Void, Body("\x0b", Group(1, 'F'))) }, scan.CodeFeature, "SIMD"},
	{"SIMD type", func(m *Module) { m.AddType("v", "") }, func(m *Module) { m.AddType("x", "p") }, scan.CodeFeature, "type 2"},
	{"threads", running("\xfe\x03\x00"), none, scan.CodeFeature, "threads"},
	{"shared memory", func(m *Module) { m.Memories = [][]byte{{3, 1, 2}} }, func(m *Module) { m.Memories = [][]byte{{1, 1, 2}} }, scan.CodeFeature, "threads"},
	{"memory64", func(m *Module) { m.Memories = [][]byte{{4, 1}} }, none, scan.CodeFeature, "memory64"},
	{"multi-memory", func(m *Module) { m.Memories = [][]byte{{0, 1}, {0, 1}} }, none, scan.CodeFeature, "multi-memory"},
	{"multi-memory load", running("\x41\x00\x28\x42\x00\x00\x1a"), running("\x41\x00\x28\x02\x00\x1a"), scan.CodeFeature, "names its memory, which is of multi-memory"},
	{"multi-memory store", running("\x41\x00\x41\x00\x36\x40\x00\x00"), running("\x41\x00\x41\x00\x36\x00\x00"), scan.CodeFeature, "names its memory, which is of multi-memory"},
	{"custom page sizes", func(m *Module) { m.Memories = [][]byte{{8, 1, 0}} }, none, scan.CodeFeature, "custom page sizes"},
	{"filled table", func(m *Module) { m.Tables = [][]byte{[]byte("\x40\x00\x70\x00\x01\xd0\x70\x0b")} }, func(m *Module) { m.Tables = [][]byte{[]byte("\x70\x00\x01")} }, scan.CodeFeature, "filled by an expression, which is of typed function references"},
	{"wide arithmetic", running("\x42\x00\x42\x00\xfc\x15\x1a\x1a"), running("\x42\x00\x42\x00\x1a\x1a"), scan.CodeFeature, "opcode 0xfc15 is not known, which is of wide arithmetic"},
	{"stack switching", running("\xe2\x00"), none, scan.CodeFeature, "stack switching"},
	{"global by a global", func(m *Module) { m.Globals = [][]byte{[]byte("\x7f\x00\x41\x01\x0b"), []byte("\x7f\x00\x23\x00\x0b")} }, func(m *Module) { m.Globals = [][]byte{[]byte("\x7f\x00\x41\x01\x0b"), []byte("\x7f\x00\x41\x01\x0b")} }, scan.CodeFeature, "global.get 0, of the module's own, in a constant expression, which is of garbage collection"},
	{"global by a later one", func(m *Module) { m.Globals = [][]byte{[]byte("\x7f\x00\x23\x01\x0b"), []byte("\x7f\x00\x41\x01\x0b")} }, none, scan.CodeInvalid, "global.get 1 in a constant expression: it must be imported and constant"},
	{"global by one that changes", func(m *Module) { m.Globals = [][]byte{[]byte("\x7f\x01\x41\x01\x0b"), []byte("\x7f\x00\x23\x00\x0b")} }, none, scan.CodeInvalid, "global.get 0 in a constant expression: it must be imported and constant"},
	{"compact imports", func(m *Module) {
		m.Imports = [][]byte{Cat(Name("callgate_v0"), Name(""), []byte("\x7f"), Vec(Cat(Name("log_enabled"), []byte("\x00\x00"))))}
	}, none, scan.CodeFeature, "an import has the kind 0x7f, which is of compact imports"},
	{"compact imports of one type", func(m *Module) {
		m.Imports = [][]byte{Cat(Name("callgate_v0"), Name(""), []byte("\x7e\x00\x00"), Vec(Name("log_enabled")))}
	}, none, scan.CodeFeature, "an import has the kind 0x7e, which is of compact imports"},
	{"import of no kind", func(m *Module) { m.Imports = [][]byte{Cat(Name("a"), Name("b"), []byte("\x7d\x00"))} }, none, scan.CodeMalformed, "an import has the kind 0x7d"},
	{"tail call", running("\x12\x00"), running("\x10\x00"), scan.CodeFeature, "tail calls"},
	{"exception", running("\x06\x40\x0b"), running("\x02\x40\x0b"), scan.CodeFeature, "exceptions"},
	{"struct type", func(m *Module) { m.Types = append(m.Types, []byte{0x5f, 0, 0}) }, none, scan.CodeFeature, "garbage collection"},
	{"extended constant", func(m *Module) { m.Globals = [][]byte{[]byte("\x7f\x00\x41\x01\x41\x01\x6a\x0b")} }, func(m *Module) { m.Globals = [][]byte{[]byte("\x7f\x00\x41\x02\x0b")} }, scan.CodeFeature, "extended-const"},
}

var otherRefusals = []refusal{
	{"start is imported", both(importing("wasi_snapshot_preview1", "sched_yield", "", "i"), func(m *Module) { m.Start = U(0) }), both(importing("wasi_snapshot_preview1", "sched_yield", "", "i"), func(m *Module) { m.Start = U(1) }), scan.CodeStart, "start section: function 0 is imported"},
	{"start has a result", func(m *Module) { m.Start = U(1) }, func(m *Module) { m.Start = U(0) }, scan.CodeInvalid, "function 1 is func () -> i64; want func ()"},
	{"start is not there", func(m *Module) { m.Start = U(2) }, func(m *Module) { m.Start = U(0) }, scan.CodeInvalid, "function 2 of 2"},
	{"two manifests", func(m *Module) { m.Tail = Cat(repeat(2, Custom("callgate.manifest", []byte("{}")))...) }, func(m *Module) { m.Tail = Custom("callgate.manifest", []byte("{}")) }, scan.CodeManifest, "a second section callgate.manifest"},
	{"two names", func(m *Module) { m.Tail = Cat(repeat(2, Custom("name"))...) }, func(m *Module) { m.Tail = Custom("name") }, scan.CodeMalformed, "a second name section"},
	{"names out of order", func(m *Module) { m.Tail = Custom("name", Section(2, U(0)), Section(1, U(0))) }, func(m *Module) { m.Tail = Custom("name", Section(1, U(0)), Section(2, U(0))) }, scan.CodeMalformed, "subsection 1 is out of order"},
	{"names with more bytes", func(m *Module) { m.Tail = Custom("name", Section(1, U(0), U(0))) }, func(m *Module) { m.Tail = Custom("name", Section(1, U(0))) }, scan.CodeMalformed, "1 bytes are left"},
	{"name that is no text", func(m *Module) { m.Tail = Custom("\xff") }, func(m *Module) { m.Tail = Custom("ÿ") }, scan.CodeMalformed, "custom section, offset 0x5c: the name is not UTF-8"},
	{"a second section", func(m *Module) { m.Tail = Cat(Section(11, U(0)), Section(11, U(0))) }, func(m *Module) { m.Tail = Section(11, U(0)) }, scan.CodeMalformed, "a second data section"},
	{"section out of order", func(m *Module) { m.Tail = Cat(Section(11, U(0)), Section(4, U(0))) }, func(m *Module) { m.Tail = Section(11, U(0)) }, scan.CodeMalformed, "the table section is out of order"},
	{"unknown section", func(m *Module) { m.Tail = Section(14) }, func(m *Module) { m.Tail = Section(11, U(0)) }, scan.CodeMalformed, "there is no section 14"},
	{"bytes after a section's end", func(m *Module) { m.Tail = Section(11, U(0), U(0)) }, func(m *Module) { m.Tail = Section(11, U(0)) }, scan.CodeMalformed, "data section: 1 bytes are left at its end"},
	{"number too long", func(m *Module) { m.Tail = Section(11, []byte("\x80\x80\x80\x80\x80\x00")) }, func(m *Module) { m.Tail = Section(11, []byte("\x80\x80\x80\x80\x00")) }, scan.CodeMalformed, "longer than 5 bytes"},
	{"data count", func(m *Module) { m.DataCount = U(1) }, func(m *Module) { m.DataCount = U(0) }, scan.CodeMalformed, "1 data segments are announced and 0 are there"},
	{"fewer bodies", func(m *Module) { m.Functions = append(m.Functions, U(Void)) }, running(""), scan.CodeMalformed, "3 functions are declared and 2 have code"},
	{"more bodies", func(m *Module) { m.Bodies = append(m.Bodies, Body("\x0b")) }, running(""), scan.CodeMalformed, "2 functions are declared and 3 have code"},
	{"wrong type", running("\x41\x00\x42\x00\x6a\x1a"), running("\x41\x00\x41\x00\x6a\x1a"), scan.CodeInvalid, "function 2, offset 0x61: i32.add: the operand is i64; want i32"},
	{"maximum below minimum", func(m *Module) { m.Memories = [][]byte{{1, 2, 1}} }, func(m *Module) { m.Memories = [][]byte{{1, 2, 2}} }, scan.CodeInvalid, "a memory of at least 2 and at most 1 pages"},
}

func TestEachRefusalHasAReasonAndATwin(t *testing.T) {
	count := 0
	for group, list := range map[string][]refusal{"import": importRefusals, "export": exportRefusals, "state": stateRefusals, "feature": featureRefusals, "other": otherRefusals} {
		for _, c := range list {
			count++
			if r, found := problems(t, changed(c.twin)); r == nil {
				t.Errorf("%s %s: the twin is refused: %v", group, c.name, found)
			}
			_, found := problems(t, changed(c.bad))
			if len(found) != 1 || found[0].Code != c.code || !strings.Contains(found[0].Text, c.want) {
				t.Errorf("%s %s: got %+v; want one of %s with %q", group, c.name, found, c.code, c.want)
			}
		}
	}
	if count < 60 {
		t.Errorf("%d cases", count)
	}
}

func TestFilesThatAreNoModules(t *testing.T) {
	for _, c := range []struct {
		in   string
		code scan.Code
		want string
	}{
		{"\x00asm\x0d\x00\x01\x00", scan.CodeComponent, "this is a component, not a core module; build a reactor core module: go build"},
		{"\x00asm\x02\x00\x00\x00", scan.CodeNotWasm, "version 02000000"},
		{"(module)", scan.CodeNotWasm, "wat2wasm"},
		{"\x7fELF", scan.CodeNotWasm, "not a WebAssembly module"},
		{"", scan.CodeNotWasm, "not a WebAssembly module"},
		{"\x00asm", scan.CodeNotWasm, "not a WebAssembly module"},
		{"\x00asm\x01\x00\x00\x00" + string(Section(13, []byte("\x01\x00\x00"))), scan.CodeFeature, "the module: has a tag section, which is of exceptions"},
		{"\x00asm\x01\x00\x00\x00", scan.CodeABI, "no export callgate_abi_1_0"},
	} {
		_, found := problems(t, []byte(c.in))
		if len(found) == 0 || found[0].Code != c.code || !strings.Contains(found[0].Text, c.want) {
			t.Errorf("%q: got %+v; want %s with %q", c.in, found, c.code, c.want)
		}
	}
}

func TestAllProblemsAreListed(t *testing.T) {
	bad := changed(both(
		importing("env", "a", "", ""), importing("env", "b", "i", ""),
		exporting("_start", 0, 2), exporting("callgate_m1_fuel", 2, 0),
		running("\xfc\x09\x00"), running("\x6a\x1a"), running("\xfd\x00"),
	))
	_, found := problems(t, bad)
	var got []string
	for _, p := range found {
		got = append(got, string(p.Code))
	}
	want := "import import state invalid invalid feature command reserved"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s: %v", got, want, found)
	}
	many := changed(func(m *Module) {
		for i := range 60 {
			m.AddImport("env", fmt.Sprint("f", i), Void)
		}
	})
	_, err := scan.Module(many, scan.Default())
	if p, ok := err.(*scan.Problems); !ok || len(p.List) != 50 || p.More != 10 || !strings.HasSuffix(p.Error(), "env.f49 (func ()): nothing provides it; a plugin has callgate_v0 and wasi_snapshot_preview1; and 10 more") {
		t.Errorf("got %v", err)
	}
}
