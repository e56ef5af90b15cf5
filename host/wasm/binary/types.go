package binary

import "fmt"

// A ValType is the type of a value, as its byte.
type ValType byte

// The value types; core 2.0 without vectors.
const (
	I32       ValType = 0x7f
	I64       ValType = 0x7e
	F32       ValType = 0x7d
	F64       ValType = 0x7c
	V128      ValType = 0x7b // refused everywhere
	FuncRef   ValType = 0x70
	ExternRef ValType = 0x6f
)

// String is the name in the text format.
func (t ValType) String() string {
	switch t {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	case V128:
		return "v128"
	case FuncRef:
		return "funcref"
	case ExternRef:
		return "externref"
	}
	return fmt.Sprintf("type 0x%02x", byte(t))
}

// IsRef says that the type is of references.
func (t ValType) IsRef() bool { return t == FuncRef || t == ExternRef }

// A Kind is what an import or export is.
type Kind byte

// The kinds of imports and exports.
const (
	KindFunc   Kind = 0
	KindTable  Kind = 1
	KindMemory Kind = 2
	KindGlobal Kind = 3
	KindTag    Kind = 4
)

// String is the name in the text format.
func (k Kind) String() string {
	switch k {
	case KindFunc:
		return "func"
	case KindTable:
		return "table"
	case KindMemory:
		return "memory"
	case KindGlobal:
		return "global"
	case KindTag:
		return "tag"
	}
	return fmt.Sprintf("kind 0x%02x", byte(k))
}

// ValType reads a value type.
func (r *Reader) ValType() ValType {
	at := r.Offset()
	t := ValType(r.Byte())
	switch t {
	case I32, I64, F32, F64, FuncRef, ExternRef:
		return t
	}
	r.noType(at, t, "value")
	return t
}

// RefType reads a type of references.
func (r *Reader) RefType() ValType {
	at := r.Offset()
	t := ValType(r.Byte())
	if !t.IsRef() {
		r.noType(at, t, "reference")
	}
	return t
}

func (r *Reader) noType(at int, t ValType, want string) {
	if !r.OK() {
		return
	}
	r.Fail(at, fmt.Sprintf("0x%02x is not a %s type", byte(t), want))
	r.err.Feature = typeFeature(t)
}

// typeFeature is the proposal that has a type we do not.
func typeFeature(t ValType) string {
	switch {
	case t == V128:
		return "SIMD"
	case t == 0x69 || t == 0x74:
		return "exceptions"
	case t >= 0x63 && t <= 0x75:
		return "garbage collection"
	}
	return ""
}

// Limits are the bounds of a memory, in pages, or of a table, in entries.
type Limits struct {
	Min, Max uint32
	HasMax   bool
}

// Limits reads bounds. Shared and 64-bit ones are errors with a feature.
func (r *Reader) Limits() (l Limits) {
	at := r.Offset()
	flags := r.Byte()
	if flags > 1 && r.OK() {
		feature := ""
		switch {
		case flags < 4:
			feature = "threads"
		case flags < 8:
			feature = "memory64"
		case flags < 16:
			feature = "custom page sizes"
		}
		r.Fail(at, fmt.Sprintf("limits have the flags 0x%02x", flags))
		r.err.Feature = feature
		return l
	}
	l.Min = r.U32()
	if l.HasMax = flags == 1; l.HasMax {
		l.Max = r.U32()
	}
	return l
}

// A Global is the type of a global.
type Global struct {
	Type    ValType
	Mutable bool
}

// Global reads the type of a global.
func (r *Reader) Global() (g Global) {
	g.Type = r.ValType()
	at := r.Offset()
	m := r.Byte()
	if m > 1 {
		r.Fail(at, fmt.Sprintf("the global's mutability is 0x%02x", m))
	}
	g.Mutable = m == 1
	return g
}

// A Table is the type of a table.
type Table struct {
	Type ValType
	Limits
}

// Table reads the type of a table.
func (r *Reader) Table() Table {
	const filled = 0x40 // of a table with an expression for its entries
	if at := r.Offset(); r.Left() > 0 && r.b[r.pos] == filled {
		r.Fail(at, "a table is filled by an expression")
		r.err.Feature = "typed function references"
	}
	t := r.RefType()
	return Table{t, r.Limits()}
}

// An Import is an entry of the import section.
type Import struct {
	Module, Name []byte
	Kind         Kind
	Type         uint32 // func: index of its type
	Table        Table
	Memory       Limits
	Global       Global
}

// What the proposal of compact imports has in the place of a kind.
const (
	manyOfType   Kind = 0x7e
	manyOfModule Kind = 0x7f
)

// Import reads an entry of the import section.
func (r *Reader) Import() (i Import) {
	i.Module, i.Name = r.Name(), r.Name()
	at := r.Offset()
	i.Kind = Kind(r.Byte())
	switch i.Kind {
	case KindFunc:
		i.Type = r.U32()
	case KindTable:
		i.Table = r.Table()
	case KindMemory:
		i.Memory = r.Limits()
	case KindGlobal:
		i.Global = r.Global()
	case KindTag:
		r.Byte()
		i.Type = r.U32()
	default:
		r.Fail(at, fmt.Sprintf("an import has the kind 0x%02x", byte(i.Kind)))
		if i.Kind == manyOfModule || i.Kind == manyOfType {
			r.err.Feature = "compact imports"
		}
	}
	return i
}

// An Export is an entry of the export section.
type Export struct {
	Name  []byte
	Kind  Kind
	Index uint32
}

// Export reads an entry of the export section.
func (r *Reader) Export() (e Export) {
	e.Name = r.Name()
	at := r.Offset()
	e.Kind = Kind(r.Byte())
	if e.Kind > KindTag {
		r.Fail(at, fmt.Sprintf("an export has the kind 0x%02x", byte(e.Kind)))
	}
	e.Index = r.U32()
	return e
}
