package scan

import (
	"strings"

	"github.com/callgate/callgate/host/wasm/binary"
)

// An Entry is an import or an export.
type Entry struct {
	Module string // "" for exports
	Name   string
	Kind   binary.Kind
	Type   string // "func (i32, i32) -> i64", "memory 1..2", …
}

// A Custom is a custom section. Body is the bytes after its name, without a
// copy; the section is at [Start, End) of the module.
type Custom struct {
	Name       string
	Start, End int
	Body       []byte
}

// A Report is what a scan learns of a module. Nothing of it was run.
type Report struct {
	Imports, Exports []Entry
	ABI              []string // versions of the markers, as "1.0", in their order; one of a module without problems
	Features         []string // "bulk-memory", "sign-ext", … that are used, sorted
	Custom           []Custom
	Manifest         []byte // body of the manifest's section; nil without one
	Memory           binary.Limits
	Start            int // index of the start function, or -1
	Functions        int // with imports
	Floats           int // instructions that take or give floats
	HasName          bool
	Configure        bool // callgate_configure is there
	Initialize       bool // _initialize is there
	Used             []Use
}

// funcType is a type; its parts are of the module's bytes.
type funcType struct{ params, results []byte }

// maxTypes bounds the types that a message lists.
const maxTypes = 12

func listTypes(types []byte) string {
	var names []string
	for i, t := range types {
		if i == maxTypes {
			names = append(names, "…")
			break
		}
		names = append(names, binary.ValType(t).String())
	}
	return strings.Join(names, ", ")
}

// String is the type for messages: func (i32, i32) -> i64.
func (f funcType) String() string {
	s := "func (" + listTypes(f.params) + ")"
	switch len(f.results) {
	case 0:
		return s
	case 1:
		return s + " -> " + listTypes(f.results)
	}
	return s + " -> (" + listTypes(f.results) + ")"
}

// is compares a type with letters: i for i32, I for i64, f and F for floats.
func (f funcType) is(params, results string) bool {
	return sameTypes(f.params, params) && sameTypes(f.results, results)
}

func sameTypes(types []byte, letters string) bool {
	if len(types) != len(letters) {
		return false
	}
	for i := range letters {
		if types[i] != letter(letters[i]) {
			return false
		}
	}
	return true
}

// letter is the type that a letter stands for.
func letter(c byte) byte {
	switch c {
	case 'i':
		return byte(binary.I32)
	case 'I':
		return byte(binary.I64)
	case 'f':
		return byte(binary.F32)
	case 'F':
		return byte(binary.F64)
	}
	return 0
}

// spell is letters as a type, for messages.
func spell(params, results string) string {
	f := funcType{[]byte(params), []byte(results)}
	for _, part := range [][]byte{f.params, f.results} {
		for i, c := range part {
			part[i] = letter(c)
		}
	}
	return f.String()
}
