package wasm

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/scan"
	w "github.com/callgate/callgate/host/wasm/wasmtest"
)

// changed is the smallest plugin, with something added.
func changed(change func(m *w.Module)) []byte {
	m := w.Plugin()
	change(m)
	return m.Bytes()
}

// function is the smallest plugin with one function more, of locals and code.
func function(locals uint32, code string) []byte {
	return changed(func(m *w.Module) { m.Add(w.Void, w.Body(code+"\x0b", w.Group(locals, 'i'))) })
}

// around is n blocks, each in the other.
func around(n int, block string) string {
	return strings.Repeat(block, n) + strings.Repeat("\x0b", n)
}

// more adds n elements that are alike.
func more(to *[][]byte, n int, element []byte) {
	for range n {
		*to = append(*to, element)
	}
}

const loop, block, nothingIf = "\x03\x40", "\x02\x40", "\x41\x00\x04\x40\x0b"

// bombs are modules that are small, or as large as may be, and would take who
// compiles them minutes, or gigabytes. Many are valid.
func bombs() map[string][]byte {
	targets := func(n int) string {
		return "\x41\x00\x0e" + string(w.U(n)) + strings.Repeat("\x00", n+1)
	}
	many := func(n int, body []byte) func(m *w.Module) {
		return func(m *w.Module) {
			for range n {
				m.Add(w.Void, body)
			}
		}
	}
	return map[string][]byte{
		"br_table_bomb":       function(0, targets(10_000)),
		"br_tables_bomb":      changed(many(40, w.Body(targets(8_000)+"\x0b"))),
		"nesting_bomb":        function(0, around(200_000, block)),
		"locals_bomb":         function(50_000, ""),
		"locals_of_all_bomb":  changed(many(201, w.Body("\x0b", w.Group(10_000, 'i')))),
		"funcs_bomb":          changed(many(70_000, w.Body("\x0b"))),
		"nested_loops_bomb":   function(400, around(400, loop)),
		"deep_loops_bomb":     function(5, around(4_000, loop)),
		"loops_locals_bomb":   function(1_000, strings.Repeat(loop+"\x0b", 1_000)),
		"loops_bomb":          function(0, strings.Repeat(loop+"\x0b", 25_000)),
		"ifs_bomb":            function(0, strings.Repeat(nothingIf, 100_000)),
		"ifs_locals_bomb":     function(1_000, strings.Repeat(nothingIf, 10_000)),
		"branches_bomb":       function(0, strings.Repeat("\x41\x00\x0d\x00", 1_000_000)),
		"fills_bomb":          function(0, strings.Repeat("\x41\x00\x41\x00\x41\x00\xfc\x0b\x00", 20_000)),
		"copies_bomb":         function(0, strings.Repeat("\x41\x00\x41\x00\x41\x00\xfc\x0a\x00\x00", 20_000)),
		"many_functions_bomb": changed(many(40, w.Body(strings.Repeat(nothingIf, 2_000)+"\x0b"))),
		"body_bomb":           function(0, strings.Repeat("\x01", scan.MaxBodyBytes)),
		"stack_bomb":          function(0, strings.Repeat("\x41\x00", 100_000)+"\x00"),
		"results_bomb": changed(func(m *w.Module) {
			f := m.Add(m.AddType("", strings.Repeat("i", scan.MaxTypeValues)), w.Body("\x00\x0b"))
			m.Add(w.Void, w.Body(strings.Repeat("\x10"+string(w.U(f))+"\x00", 1_000_000)+"\x0b"))
		}),
		"types_bomb":   changed(func(m *w.Module) { more(&m.Types, 10_000, w.Type("", "")) }),
		"globals_bomb": changed(func(m *w.Module) { more(&m.Globals, 2_000, []byte("\x7f\x01\x41\x00\x0b")) }),
		"data_bomb":    changed(func(m *w.Module) { more(&m.Data, 100_001, []byte("\x01\x00")) }),
		"custom_bomb":  changed(func(m *w.Module) { m.Tail = bytes.Repeat(w.Custom("x"), 1_000) }),
		"names_bomb":   changed(func(m *w.Module) { m.Tail = w.Custom("name", w.Section(1, []byte("\xff\xff\xff\xff\x0f"))) }),
		"too_long":     changed(func(m *w.Module) { m.Data = [][]byte{w.Cat(w.U(1), w.Sized(make([]byte, scan.MaxModuleBytes)))} }),
		"two_manifests": changed(func(m *w.Module) {
			m.Tail = w.Cat(w.Custom("callgate.manifest", []byte("{}")), w.Custom("callgate.manifest", []byte("{}")))
		}),
		"component_binary": []byte("\x00asm\x0d\x00\x01\x00"),
		"text":             []byte("(module)"),
		"nothing":          nil,
		"elf":              []byte("\x7fELF\x02\x01\x01\x00"),
		"cut":              guestBytes[:len(guestBytes)/2],
		"lying_section":    w.Cat(w.Header, w.Section(10, []byte("\xff\xff\xff\xff\x0f"))),
	}
}

var guestBytes = w.Plugin().Bytes()

// TestBombsAreRefusedBeforeTheyAreCompiled with a reason that has a code.
func TestBombsAreRefusedBeforeTheyAreCompiled(t *testing.T) {
	h := newHost(t, Options{Compiler: []string{"there is no such compiler"}})
	all := bombs()
	for name, module := range all {
		e := fails(t, h, Source{Name: name, Module: module})
		var problems *scan.Problems
		if e.Class != abi.FailLoad || !errors.As(e, &problems) {
			t.Errorf("%s: %v; want that it is refused", name, e)
			continue
		}
		if code := problems.List[0].Code; strings.HasSuffix(name, "_bomb") && name != "names_bomb" && code != scan.CodeLimit {
			t.Errorf("%s: %s: %.200v; want a limit", name, code, e)
		}
	}
	if len(all) < 30 {
		t.Errorf("%d bombs; want 30", len(all))
	}
	// The twins: as large as a module may be, and small.
	h = newHost(t, Options{})
	large := changed(func(m *w.Module) {
		m.Memories = [][]byte{{0, 0x80, 0x02}}
		m.Data = [][]byte{w.Cat([]byte("\x00\x41\x00\x0b"), w.Sized(make([]byte, scan.MaxModuleBytes-1_000)))}
	})
	for name, module := range map[string][]byte{"large": large, "small": guestBytes, "some ifs": function(10, strings.Repeat(nothingIf, 200)), "some loops": function(10, around(20, loop))} {
		if a := load(t, h, Source{Name: name, Module: module}).Evaluate(abi.Value{}); a.Class != abi.FailProtocol || a.Detail != "the answer is 0, which is failure" {
			t.Errorf("%s: %s", name, short(a))
		}
	}
}
