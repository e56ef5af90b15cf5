package scan

import (
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

func (s *scanner) typeSection(r *binary.Reader) bool {
	at := r.Offset()
	n := r.Count(3)
	if !s.use(Types, uint64(n), at, "type section") {
		return false
	}
	s.types = make([]funcType, 0, n)
	for i := range n {
		where := fmt.Sprintf("type %d", i)
		at := r.Offset()
		if form := r.Byte(); form != 0x60 && r.OK() {
			s.feature(at, fmt.Sprintf("%s, offset 0x%x", where, at), fmt.Sprintf("it has the form 0x%02x", form), "garbage collection")
			return false
		}
		var f funcType
		var ok [2]bool
		f.params, ok[0] = s.valueTypes(r, where)
		f.results, ok[1] = s.valueTypes(r, where)
		if !ok[0] || !ok[1] {
			return false
		}
		if len(f.results) > 1 {
			s.features |= multiValue
		}
		s.types = append(s.types, f)
	}
	return true
}

// valueTypes reads a vector of types, without a copy.
func (s *scanner) valueTypes(r *binary.Reader, where string) ([]byte, bool) {
	at := r.Offset()
	n := r.Count(1)
	if !r.OK() || !s.use(TypeValues, uint64(n), at, where) {
		return nil, false
	}
	types := r.Bytes(n)
	check := binary.NewReader(types, r.Offset()-len(types))
	for check.OK() && check.Left() > 0 {
		check.ValType()
	}
	if err := check.Err(); err != nil {
		s.malformed(err, where)
		return nil, false
	}
	return types, true
}

func (s *scanner) importSection(r *binary.Reader) bool {
	at := r.Offset()
	n := r.Count(4)
	if !s.use(Imports, uint64(n), at, "import section") {
		return false
	}
	for range n {
		at := r.Offset()
		i := r.Import()
		if !r.OK() || !s.oneImport(at, i) {
			return false
		}
	}
	return true
}

// oneImport takes an import into its index space, and judges it.
func (s *scanner) oneImport(at int, i binary.Import) bool {
	e := Entry{Module: string(i.Module), Name: string(i.Name), Kind: i.Kind, Type: i.Kind.String()}
	switch i.Kind {
	case binary.KindFunc:
		if t, ok := s.typeAt(i.Type); ok {
			e.Type = t.String()
		} else if !s.blind {
			s.invalid(at, "import section", "%s.%s has type %d of %d", show(i.Module), show(i.Name), i.Type, len(s.types))
			return false
		}
		s.funcs = append(s.funcs, i.Type)
		s.imported++
	case binary.KindTable:
		s.tables = append(s.tables, i.Table)
		e.Type = "table of " + i.Table.Type.String()
	case binary.KindMemory:
		if s.memories = append(s.memories, i.Memory); len(s.memories) > 1 {
			s.feature(at, "import section", fmt.Sprintf("memory %d", len(s.memories)), "multi-memory")
		}
	case binary.KindGlobal:
		s.globals = append(s.globals, i.Global)
		s.foreign++
		e.Type = "global " + i.Global.Type.String()
	}
	s.report.Imports = append(s.report.Imports, e)
	s.judgeImport(at, i, e)
	return true
}

// typeAt is a type by its index.
func (s *scanner) typeAt(index uint32) (funcType, bool) {
	if int64(index) >= int64(len(s.types)) {
		return funcType{}, false
	}
	return s.types[index], true
}

// typeOf is the type of a function.
func (s *scanner) typeOf(function uint32) (funcType, bool) {
	if int64(function) >= int64(len(s.funcs)) {
		return funcType{}, false
	}
	return s.typeAt(s.funcs[function])
}

// judgeImport refuses what the host does not provide.
func (s *scanner) judgeImport(at int, i binary.Import, e Entry) {
	name := show(i.Module) + "." + show(i.Name)
	if string(i.Module) == MeterModule || reserved(i.Module) {
		s.problems.add(CodeReserved, at, "import %s (%s): the module %s belongs to the host", name, e.Type, MeterModule)
		return
	}
	f, ok := provided(i.Module, i.Name)
	switch {
	case i.Kind != binary.KindFunc:
		s.problems.add(CodeImport, at, "import %s (%s): only functions can be imported; define it in the module", name, e.Type)
	case !ok && string(i.Module) == HostModule:
		s.problems.add(CodeImport, at, "import %s (%s): the host has no such function; it has get, log and log_enabled", name, e.Type)
	case !ok && string(i.Module) == WASIModule:
		s.problems.add(CodeImport, at, "import %s (%s): WASI preview 1 has no such function", name, e.Type)
	case !ok:
		s.problems.add(CodeImport, at, "import %s (%s): nothing provides it; a plugin has %s and %s", name, e.Type, HostModule, WASIModule)
	case s.blind: // by a type section that is told of
	case !s.types[i.Type].is(f.Params, f.Results):
		s.problems.add(CodeImport, at, "import %s (%s): it has the type %s", name, e.Type, spell(f.Params, f.Results))
	}
}

func (s *scanner) functionSection(r *binary.Reader) bool {
	at := r.Offset()
	n := r.Count(1)
	if !s.use(Functions, uint64(n), at, "function section") {
		return false
	}
	s.funcs = append(make([]uint32, 0, len(s.funcs)+int(n)), s.funcs...)
	for range n {
		at := r.Offset()
		t := r.U32()
		if !r.OK() {
			return false
		}
		if int(t) >= len(s.types) {
			s.invalid(at, "function section", "function %d has type %d of %d", len(s.funcs), t, len(s.types))
			return false
		}
		s.funcs = append(s.funcs, t)
	}
	return true
}

func (s *scanner) tableSection(r *binary.Reader) bool {
	at := r.Offset()
	n := r.Count(3)
	if !s.use(Tables, uint64(n), at, "table section") {
		return false
	}
	for range n {
		at := r.Offset()
		t := r.Table()
		if !r.OK() {
			return false
		}
		if t.HasMax && t.Max < t.Min {
			s.invalid(at, "table section", "a table of at least %d and at most %d entries", t.Min, t.Max)
		}
		s.use(TableMinimum, uint64(t.Min), at, "table section")
		s.tables = append(s.tables, t)
	}
	if len(s.tables) > 1 {
		s.features |= referenceTypes
	}
	return true
}

// pageMax is the pages of 4 GiB.
const pageMax = 65_536

func (s *scanner) memorySection(r *binary.Reader) bool {
	at := r.Offset()
	n := r.Count(2)
	if all := uint64(n) + uint64(len(s.memories)); all > 1 && r.OK() {
		s.feature(at, "memory section", fmt.Sprintf("there are %d memories", all), "multi-memory")
		return false
	}
	for range n {
		m := r.Limits()
		if !r.OK() {
			return false
		}
		if m.Min > pageMax || m.HasMax && (m.Max < m.Min || m.Max > pageMax) {
			s.invalid(at, "memory section", "a memory of at least %d and at most %d pages", m.Min, m.Max)
		} else {
			s.use(MemoryPages, uint64(m.Min), at, "memory section")
		}
		s.memories = append(s.memories, m)
		s.report.Memory = m
	}
	return true
}

func (s *scanner) globalSection(r *binary.Reader) bool {
	at := r.Offset()
	n := r.Count(4)
	if !s.use(Globals, uint64(n), at, "global section") {
		return false
	}
	for i := range n {
		where := fmt.Sprintf("global %d", int(i)+s.foreign)
		at := r.Offset()
		g := r.Global()
		if !r.OK() {
			return false
		}
		if g.Mutable && g.Type.IsRef() {
			s.problems.add(CodeState, at, "%s: a mutable %s holds state that a restore can not reach; hold an index of a table instead", where, g.Type)
		}
		if !s.constant(r, where, g.Type) {
			return false
		}
		s.globals = append(s.globals, g)
	}
	return true
}

func (s *scanner) startSection(r *binary.Reader) bool {
	at := r.Offset()
	i := r.U32()
	switch {
	case !r.OK():
		return false
	case int(i) >= len(s.funcs):
		s.invalid(at, "start section", "function %d of %d", i, len(s.funcs))
		return true
	case int(i) < s.imported:
		s.problems.add(CodeStart, at, "start section: %s is imported; start with a function of the module", s.function(i))
		return true
	}
	if t, ok := s.typeOf(i); ok && !t.is("", "") {
		s.invalid(at, "start section", "%s is %s; want func ()", s.function(i), t)
	}
	s.report.Start = int(i)
	return true
}
