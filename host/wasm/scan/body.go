package scan

import (
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

func (s *scanner) codeSection(r *binary.Reader) bool {
	at := r.Offset()
	n := r.Count(3)
	if !s.use(Functions, uint64(n), at, "code section") {
		return false
	}
	if s.broken || int(n) != len(s.funcs)-s.imported {
		// Without the types there is nothing to hold the code against.
		s.code = int(n)
		s.skipBodies(r, n)
		return true
	}
	v := &validator{s: s}
	for i := range n {
		index := uint32(s.imported) + i
		at := r.Offset()
		body := r.Body()
		if !r.OK() {
			return false
		}
		if s.body(v, at, index, body) {
			v.function(index, body)
		}
		if v.tired {
			return false
		}
	}
	s.code = int(n)
	return true
}

func (s *scanner) skipBodies(r *binary.Reader, n uint32) {
	for range n {
		if r.Body(); !r.OK() {
			return
		}
	}
}

// body holds what a body announces against the limits, before it is read.
func (s *scanner) body(v *validator, at int, index uint32, b binary.Body) bool {
	size := uint64(len(b.Decl) + len(b.Code))
	v.locals = b.Locals + uint64(len(s.types[s.funcs[index]].params))
	v.allLocals += v.locals
	// The name is looked up only for what is told.
	if size > s.lim[BodyBytes] || v.locals > s.lim[Locals] {
		if s.problems.full() {
			return false
		}
		name := s.function(index)
		s.use(BodyBytes, size, at, name)
		s.use(Locals, v.locals, at, name)
		return false
	}
	s.used[BodyBytes] = max(s.used[BodyBytes], size)
	s.used[Locals] = max(s.used[Locals], v.locals)
	if v.allLocals > s.lim[ModuleLocals] {
		v.tired = true
	}
	return s.use(ModuleLocals, v.allLocals, at, "the module")
}

// featureSet is what a module uses of core 2.0 beyond 1.0.
type featureSet uint

const (
	mutableGlobals featureSet = 1 << iota
	signExtension
	saturating
	multiValue
	bulkMemory
	referenceTypes
)

// list is the names, sorted.
func (f featureSet) list() []string {
	var names []string
	for _, one := range []struct {
		bit  featureSet
		name string
	}{
		{bulkMemory, "bulk-memory"},
		{multiValue, "multi-value"},
		{mutableGlobals, "mutable-globals"},
		{saturating, "nontrapping-fptoint"},
		{referenceTypes, "reference-types"},
		{signExtension, "sign-ext"},
	} {
		if f&one.bit != 0 {
			names = append(names, one.name)
		}
	}
	return names
}

// featureOf is the feature that an instruction is of.
func featureOf(op binary.Op) featureSet {
	switch {
	case op >= binary.OpI32Extend8S && op <= binary.OpI64Extend32S:
		return signExtension
	case op >= binary.OpI32TruncSatF32S && op <= binary.OpI64TruncSatF64U:
		return saturating
	case op >= binary.OpMemoryInit && op <= binary.OpTableCopy:
		return bulkMemory
	}
	switch op {
	case binary.OpTableGet, binary.OpTableSet, binary.OpTableGrow, binary.OpTableSize, binary.OpTableFill,
		binary.OpRefNull, binary.OpRefIsNull, binary.OpRefFunc, binary.OpSelectT:
		return referenceTypes
	}
	return 0
}

// stateful has a bit for each instruction whose effect a restore of memory and
// globals does not undo; 0 for others.
func stateful(op binary.Op) uint8 {
	switch op {
	case binary.OpTableSet:
		return 1
	case binary.OpTableGrow:
		return 2
	case binary.OpTableFill:
		return 4
	case binary.OpTableCopy:
		return 8
	case binary.OpTableInit:
		return 16
	case binary.OpElemDrop:
		return 32
	case binary.OpDataDrop:
		return 64
	case binary.OpMemoryInit:
		return 128
	}
	return 0
}

// note takes in what an instruction says of the module, besides its types.
func (v *validator) note(in *binary.Instr) {
	v.s.features |= featureOf(in.Op)
	if in.Op.HasFloat() {
		v.s.report.Floats++
	}
	if bit := stateful(in.Op); bit != 0 && v.told&bit == 0 {
		if v.told |= bit; v.s.problems.full() {
			return
		}
		v.s.problems.add(CodeState, v.code.Offset(in), "%s in %s, offset 0x%x: it changes state that a restore can not reach; build without it",
			in.Op, v.s.function(v.index), v.code.Offset(in))
	}
}

// limit is use for what is counted within a function.
func (v *validator) limit(l Limit, n uint64, in *binary.Instr) bool {
	if n <= v.s.lim[l] {
		v.s.used[l] = max(v.s.used[l], n)
		return true
	}
	if v.stop = true; v.s.problems.full() {
		return false
	}
	at := v.code.Offset(in)
	return v.s.use(l, n, at, fmt.Sprintf("%s, offset 0x%x", v.s.function(v.index), at))
}

// moduleLimit is limit for what is counted over all functions: there is no use
// in going on.
func (v *validator) moduleLimit(l Limit, n uint64, in *binary.Instr) bool {
	ok := v.limit(l, n, in)
	v.tired = v.tired || !ok
	return ok
}
