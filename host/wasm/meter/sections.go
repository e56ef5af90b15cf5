package meter

import (
	"bytes"
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

// The types that are added, behind those of the module.
const (
	typeRefuel = iota // (i64) -> i64
	typeRefill        // () -> ()
	typeNumber        // (i32) -> i32
	typeFloat         // (f32) -> f32
	typeDouble        // (f64) -> f64
	typeMove          // (i32, i32, i32) -> ()
	addedTypes
)

// addedFuncs is the number of functions that are added, behind those of the
// module: refill, bulk, grow, nan32, nan64, fill, copy.
const addedFuncs = 7

const funcType = 0x60

func (m *module) addedType(i uint32) uint32 { return m.types + i }

func (m *module) typeSection() ([]byte, error) {
	r := m.reader(binary.SectionType)
	n := r.Count(3)
	start := r.Pos()
	m.types = n
	for range n {
		at := r.Offset()
		if form := r.Byte(); form != funcType && r.OK() {
			r.Fail(at, fmt.Sprintf("a type of the form 0x%02x", form))
		}
		for range 2 { // parameters, results
			for range r.Count(1) {
				r.ValType()
			}
		}
	}
	added := []byte{
		funcType, 1, byte(binary.I64), 1, byte(binary.I64),
		funcType, 0, 0,
		funcType, 1, byte(binary.I32), 1, byte(binary.I32),
		funcType, 1, byte(binary.F32), 1, byte(binary.F32),
		funcType, 1, byte(binary.F64), 1, byte(binary.F64),
		funcType, 3, byte(binary.I32), byte(binary.I32), byte(binary.I32), 0,
	}
	return vector(n+addedTypes, m.rest(binary.SectionType, start), added), done(&r)
}

// rest is the body of a section behind a position.
func (m *module) rest(id byte, start int) []byte {
	if m.sections[id] == nil {
		return nil
	}
	return m.sections[id].Body[start:]
}

// done ends the reading of a section.
func done(r *binary.Reader) error {
	if r.OK() && r.Left() > 0 {
		r.Fail(r.Offset(), fmt.Sprintf("%d bytes after the last entry", r.Left()))
	}
	return r.Err()
}

func (m *module) importSection() ([]byte, error) {
	r := m.reader(binary.SectionImport)
	n := r.Count(4)
	start := r.Pos()
	for range n {
		switch i := r.Import(); {
		case !r.OK():
		case string(i.Module) == Module:
			return nil, fmt.Errorf("%q is reserved for the host", Module)
		case i.Kind == binary.KindFunc:
			if i.Type >= m.types {
				return nil, fmt.Errorf("type %d of %d", i.Type, m.types)
			}
			m.imported++
		case i.Kind == binary.KindGlobal:
			m.globals++
		case i.Kind == binary.KindMemory:
			return nil, fmt.Errorf("the memory is imported; want one of the module's own")
		}
	}
	var added buffer
	added.name(Module)
	added.name(Refuel)
	added.op(binary.Op(binary.KindFunc))
	added.u32(m.addedType(typeRefuel))
	return vector(n+1, m.rest(binary.SectionImport, start), added), done(&r)
}

func (m *module) functionSection() ([]byte, error) {
	r := m.reader(binary.SectionFunction)
	n := r.Count(1)
	start := r.Pos()
	m.defined = n
	for range n {
		at := r.Offset()
		if t := r.U32(); t >= m.types && r.OK() {
			r.Fail(at, fmt.Sprintf("type %d of %d", t, m.types))
		}
	}
	var added buffer
	for _, t := range [addedFuncs]uint32{typeRefill, typeNumber, typeNumber, typeFloat, typeDouble, typeMove, typeMove} {
		added.u32(m.addedType(t))
	}
	m.refill = m.imported + 1 + n
	m.bulk, m.grow, m.nan32, m.nan64 = m.refill+1, m.refill+2, m.refill+3, m.refill+4
	m.fill, m.copy = m.refill+5, m.refill+6
	return vector(n+addedFuncs, m.rest(binary.SectionFunction, start), added), done(&r)
}

func (m *module) memorySection() ([]byte, error) {
	r := m.reader(binary.SectionMemory)
	n := r.Count(2)
	if n > 1 {
		return nil, fmt.Errorf("%d memories; want at most one", n)
	}
	if n == 0 {
		return []byte{0}, done(&r)
	}
	l := r.Limits()
	if r.OK() && l.HasMax && (l.Max < l.Min || l.Max > MaxPages) {
		return nil, fmt.Errorf("the memory has %d pages at first and at most %d of %d", l.Min, l.Max, MaxPages)
	}
	if r.OK() && l.Min > m.opts.MemoryPages {
		return nil, fmt.Errorf("the memory has %d pages at first; the limit is %d", l.Min, m.opts.MemoryPages)
	}
	m.info.Memory, m.info.Pages = true, l.Min
	m.info.MaxPages = m.opts.MemoryPages
	if l.HasMax {
		m.info.MaxPages = min(l.Max, m.info.MaxPages)
	}
	b := buffer{1, 1}
	b.u32(m.info.MaxPages)
	b.u32(m.info.MaxPages)
	return b, done(&r)
}

func (m *module) globalSection() ([]byte, error) {
	r := m.reader(binary.SectionGlobal)
	n := r.Count(3)
	var old buffer
	for range n {
		start := r.Offset()
		g := r.Global()
		expr := r.Expr()
		if !r.OK() {
			return nil, r.Err()
		}
		if g.Mutable {
			m.info.Globals = append(m.info.Globals, Global{exportName(m.globals), m.globals, g.Type})
		}
		m.globals++
		old.bytes([]byte{byte(g.Type), flag(g.Mutable)})
		if err := m.constant(&old, expr, start); err != nil {
			return nil, err
		}
	}
	m.fuel, m.depth, m.pages = m.globals, m.globals+1, m.globals+2
	var added buffer
	added.bytes([]byte{byte(binary.I64), 1})
	added.number(binary.OpI64Const, 0)
	added.op(binary.OpEnd)
	for _, v := range []uint32{0, m.info.Pages} {
		added.bytes([]byte{byte(binary.I32), 1})
		added.number(binary.OpI32Const, int64(v))
		added.op(binary.OpEnd)
	}
	return vector(n+3, old, added), done(&r)
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// constant writes a constant expression with its functions numbered anew.
func (m *module) constant(out *buffer, expr []byte, base int) error {
	c := binary.NewCode(expr, base)
	var in binary.Instr
	for c.Next(&in) {
		if err := m.within(&in); err != nil {
			return fmt.Errorf("offset 0x%x: %w", c.Offset(&in), err)
		}
		if in.Op == binary.OpRefFunc {
			m.indirect = m.indirect || in.A < m.imported
			out.at(in.Op, m.shifted(in.A))
			continue
		}
		out.bytes(expr[in.Start:in.End])
	}
	return c.Err()
}

func (m *module) exportSection() ([]byte, error) {
	r := m.reader(binary.SectionExport)
	n := r.Count(3)
	var old, added buffer
	for range n {
		e := r.Export()
		if bytes.HasPrefix(e.Name, []byte(Prefix)) {
			return nil, fmt.Errorf("%q has the prefix %q, which is reserved for the host", e.Name, Prefix)
		}
		if e.Kind == binary.KindFunc && uint64(e.Index) >= m.count() || e.Kind == binary.KindGlobal && e.Index >= m.globals {
			return nil, fmt.Errorf("%q: %s %d is not there", e.Name, e.Kind, e.Index)
		}
		if e.Kind == binary.KindFunc {
			e.Index = m.shifted(e.Index)
		}
		old.export(string(e.Name), e.Kind, e.Index)
	}
	added.export(ExportFuel, binary.KindGlobal, m.fuel)
	added.export(ExportDepth, binary.KindGlobal, m.depth)
	added.export(ExportPages, binary.KindGlobal, m.pages)
	for _, g := range m.info.Globals {
		added.export(g.Export, binary.KindGlobal, g.Index)
	}
	return vector(n+3+uint32(len(m.info.Globals)), old, added), done(&r)
}

func (b *buffer) export(name string, kind binary.Kind, index uint32) {
	b.name(name)
	*b = append(*b, byte(kind))
	b.u32(index)
}

func (m *module) startSection() ([]byte, error) {
	r := m.reader(binary.SectionStart)
	f := r.U32()
	if r.OK() && uint64(f) >= m.count() {
		return nil, fmt.Errorf("function %d of %d", f, m.count())
	}
	var b buffer
	b.u32(m.shifted(f))
	return b, done(&r)
}
