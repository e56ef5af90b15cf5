// Package wasmtest writes WebAssembly modules for tests: well-formed ones from
// parts, and, since each part is bytes, ones that lie.
package wasmtest

import "slices"

// U is an unsigned number as LEB128.
func U[T ~uint8 | ~uint32 | ~uint64 | ~int](n T) []byte {
	var out []byte
	v := uint64(n)
	for v >= 0x80 {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v))
}

// S is a signed number as LEB128.
func S(n int64) []byte {
	var out []byte
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(out, c)
		}
		out = append(out, c|0x80)
	}
}

// Cat is parts, one after another.
func Cat(parts ...[]byte) []byte { return slices.Concat(parts...) }

// Sized is bytes with their length before them: a name, a body, a section.
func Sized(parts ...[]byte) []byte {
	b := Cat(parts...)
	return append(U(len(b)), b...)
}

// Name is a name.
func Name(s string) []byte { return Sized([]byte(s)) }

// Vec is a vector: the number of its elements and the elements.
func Vec(elements ...[]byte) []byte { return append(U(len(elements)), Cat(elements...)...) }

// Section is a section with its number and size.
func Section(id byte, body ...[]byte) []byte { return append([]byte{id}, Sized(body...)...) }

// Custom is a custom section.
func Custom(name string, body ...[]byte) []byte { return Section(0, Name(name), Cat(body...)) }

// Header is magic and version.
var Header = []byte("\x00asm\x01\x00\x00\x00")

// types are the value types by their letters.
var types = map[rune]byte{'i': 0x7f, 'I': 0x7e, 'f': 0x7d, 'F': 0x7c, 'v': 0x7b, 'p': 0x70, 'x': 0x6f}

// Types is a vector of value types: i i32, I i64, f f32, F f64, v v128,
// p funcref, x externref.
func Types(letters string) []byte {
	out := U(len(letters))
	for _, c := range letters {
		out = append(out, types[c])
	}
	return out
}

// Type is a function type.
func Type(params, results string) []byte {
	return Cat([]byte{0x60}, Types(params), Types(results))
}

// Body is a function's body with groups of locals, as Group makes them. Code
// ends with 0x0b.
func Body(code string, groups ...[]byte) []byte { return Sized(Vec(groups...), []byte(code)) }

// Group is n locals of a type.
func Group(n uint32, letter rune) []byte { return append(U(n), types[letter]) }

// Import is an import of a function.
func Import(module, name string, typ int) []byte { return ImportOf(module, name, "\x00", U(typ)) }

// ImportOf is an import of any kind; desc is what follows the kind.
func ImportOf(module, name, kind string, desc []byte) []byte {
	return Cat(Name(module), Name(name), []byte(kind), desc)
}

// Export is an export: kind 0 function, 1 table, 2 memory, 3 global.
func Export(name string, kind byte, index int) []byte {
	return Cat(Name(name), []byte{kind}, U(index))
}

// A Module is the parts of a module, each element encoded. Sections without
// elements are left out.
type Module struct {
	Types, Imports, Functions, Tables, Memories, Globals, Exports [][]byte

	Start     []byte
	Elements  [][]byte
	DataCount []byte
	Bodies    [][]byte
	Data      [][]byte
	Tail      []byte // whole sections after the others
}

// Bytes is the module.
func (m *Module) Bytes() []byte {
	out := slices.Clone(Header)
	vec := func(id byte, elements [][]byte) {
		if len(elements) > 0 {
			out = append(out, Section(id, Vec(elements...))...)
		}
	}
	raw := func(id byte, body []byte) {
		if body != nil {
			out = append(out, Section(id, body)...)
		}
	}
	vec(1, m.Types)
	vec(2, m.Imports)
	vec(3, m.Functions)
	vec(4, m.Tables)
	vec(5, m.Memories)
	vec(6, m.Globals)
	vec(7, m.Exports)
	raw(8, m.Start)
	vec(9, m.Elements)
	raw(12, m.DataCount)
	vec(10, m.Bodies)
	vec(11, m.Data)
	return append(out, m.Tail...)
}

// Types of Plugin, by index.
const (
	Void   = 0 // func ()
	Answer = 1 // func () -> i64
)

// Plugin is the smallest module that loads: its memory has one page, and its
// evaluate gives 0.
func Plugin() *Module {
	return &Module{
		Types:     [][]byte{Type("", ""), Type("", "I")},
		Functions: [][]byte{U(Void), U(Answer)},
		Memories:  [][]byte{{0, 1}},
		Exports: [][]byte{
			Export("memory", 2, 0), Export("callgate_abi_1_0", 0, 0), Export("callgate_evaluate", 0, 1),
		},
		Bodies: [][]byte{Body("\x0b"), Body("\x42\x00\x0b")},
	}
}

// Add adds a function of a type and its body, and returns its index; imports
// come before all.
func (m *Module) Add(typ int, body []byte) int {
	m.Functions = append(m.Functions, U(typ))
	m.Bodies = append(m.Bodies, body)
	return len(m.Imports) + len(m.Functions) - 1
}

// AddType adds a type and returns its index.
func (m *Module) AddType(params, results string) int {
	m.Types = append(m.Types, Type(params, results))
	return len(m.Types) - 1
}

// AddImport adds an import of a function. The functions of Plugin, and those
// that were added before, have moved up by one.
func (m *Module) AddImport(module, name string, typ int) {
	m.Imports = append(m.Imports, Import(module, name, typ))
	for i, e := range m.Exports {
		// The last byte is the index while there are few functions.
		if e[len(e)-2] == 0 && len(m.Functions) < 100 {
			m.Exports[i] = append(slices.Clone(e[:len(e)-1]), e[len(e)-1]+1)
		}
	}
}
