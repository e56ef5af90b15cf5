package meter

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/callgate/callgate/host/wasm/binary"
)

// Options say what a module may do.
type Options struct {
	MemoryPages uint32 // most pages of memory, of 64 KiB
	Depth       uint32 // most functions of the module on the stack at a time

	// Plain leaves out fuel and the depth guard and does all else, for
	// measuring what they cost. A module rewritten so is not safe to run.
	Plain bool
}

// Info tells the host what was added.
type Info struct {
	Schedule string
	Globals  []Global // the module's own mutable globals, by index
	Pages    uint32   // of memory as the module sees it at first
	MaxPages uint32   // of memory really, and the most that it can grow to see
	Regions  int      // charges in the code
	Memory   bool     // the module has a memory
}

// A Global is a mutable global that was exported.
type Global struct {
	Export string
	Index  uint32 // in the module as it came
	Type   binary.ValType
}

// Rewrite returns a module that counts. The module must be one that package
// scan admits; of others some are errors and some come out as invalid as they
// went in, but none makes Rewrite panic. The result is the same for the same
// arguments.
func Rewrite(b []byte, o Options) (out []byte, info Info, err error) {
	switch {
	case o.MemoryPages > MaxPages:
		return nil, info, fmt.Errorf("meter: %d pages of memory; want at most %d", o.MemoryPages, MaxPages)
	case o.Depth == 0 && !o.Plain:
		return nil, info, fmt.Errorf("meter: no depth of calls; want Options.Depth of 1 or more")
	}
	m := &module{opts: o, info: Info{Schedule: Schedule}}
	if err := m.split(b); err != nil {
		return nil, info, err
	}
	out, err = m.assemble(len(b))
	if err != nil {
		return nil, info, err
	}
	return out, m.info, nil
}

// module is a module on its way through the pass.
type module struct {
	opts Options
	info Info

	sections [binary.SectionTag]*binary.Section // by number, without custom ones
	names    *binary.Section

	types    uint32
	imported uint32 // functions; those behind them move up by one
	defined  uint32 // functions
	globals  uint32 // imported and defined
	indirect bool   // call_indirect may reach an imported function

	refill, bulk, grow uint32 // functions
	nan32, nan64       uint32 // functions
	fill, copy         uint32 // functions
	fuel, depth, pages uint32 // globals
}

// split finds the sections.
func (m *module) split(b []byte) error {
	s := binary.NewSections(b)
	for last := -1; ; {
		sec, ok := s.Next()
		if !ok {
			return wrap(s.Err())
		}
		if sec.ID == binary.SectionCustom {
			r := sec.Reader()
			if name := r.Name(); string(name) == "name" && m.names == nil {
				m.names = &binary.Section{Offset: r.Offset(), Body: r.Bytes(uint32(r.Left()))}
			}
			if !r.OK() {
				return wrap(r.Err())
			}
			continue
		}
		place := slices.IndexFunc(order[:], func(o part) bool { return o.id == sec.ID })
		if place <= last {
			return fmt.Errorf("meter: offset 0x%x: a %s section where none may be", sec.Start, binary.SectionName(sec.ID))
		}
		last = place
		m.sections[sec.ID] = &sec
	}
}

// wrap says where an error comes from, if it is one.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("meter: %w", err)
}

// reader reads a section; one that is missing reads as an empty vector.
func (m *module) reader(id byte) binary.Reader {
	if m.sections[id] == nil {
		return binary.NewReader([]byte{0}, 0)
	}
	return m.sections[id].Reader()
}

// part is a section: what rewrites it, nil for a copy, and whether it is there
// in any case.
type part struct {
	id      byte
	rewrite func(*module) ([]byte, error)
	always  bool
}

// order is the order of sections in a module; what the pass adds to is made
// when it is missing.
var order = [...]part{
	{binary.SectionType, (*module).typeSection, true},
	{binary.SectionImport, (*module).importSection, true},
	{binary.SectionFunction, (*module).functionSection, true},
	{binary.SectionTable, nil, false},
	{binary.SectionMemory, (*module).memorySection, false},
	{binary.SectionGlobal, (*module).globalSection, true},
	{binary.SectionExport, (*module).exportSection, true},
	{binary.SectionStart, (*module).startSection, false},
	{binary.SectionElement, (*module).elementSection, false},
	{binary.SectionDataCount, nil, false},
	{binary.SectionCode, (*module).codeSection, true},
	{binary.SectionData, nil, false},
}

// assemble rewrites section after section; each knows what those before it
// have found.
func (m *module) assemble(size int) ([]byte, error) {
	out := make(buffer, 0, size+size/2+512)
	out.bytes(binary.Header)
	for _, s := range order {
		sec := m.sections[s.id]
		if sec == nil && !s.always {
			continue
		}
		if s.rewrite == nil {
			out.section(s.id, sec.Body)
			continue
		}
		body, err := s.rewrite(m)
		if err != nil {
			return nil, fmt.Errorf("meter: %s section: %w", binary.SectionName(s.id), err)
		}
		out.section(s.id, body)
	}
	if body := m.nameSection(); body != nil {
		out.section(binary.SectionCustom, body)
	}
	return out, nil
}

// shifted is the index of a function after the import has moved it.
func (m *module) shifted(index uint32) uint32 {
	if index >= m.imported {
		return index + 1
	}
	return index
}

// exportName is what a mutable global is exported as.
func exportName(index uint32) string {
	return globalStem + strconv.FormatUint(uint64(index), 10)
}
