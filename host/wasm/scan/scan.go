// Package scan says whether a WebAssembly module may be loaded as a plugin, and
// why not. It reads the module once, runs nothing of it, and lists everything
// that is wrong. What it admits is a valid module within the limits, which
// imports only what the host provides; what it allocates is in proportion to
// the module, whatever the counts in it claim.
package scan

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

// reactor says how to build what is wanted.
const reactor = "build a reactor core module: go build -buildmode=c-shared with GOOS=wasip1 GOARCH=wasm; clang -mexec-model=reactor, or -nostdlib -Wl,--no-entry; rustc --crate-type cdylib with --target wasm32-unknown-unknown"

// A scanner is the state of one scan.
type scanner struct {
	module   []byte
	lim      Limits
	used     [limitCount]uint64
	problems Problems
	report   Report
	features featureSet

	// broken says that a section before the code was not read to its end, blind
	// that one up to the exports was not: what refers to them is not judged.
	// unread is the same of the code and data.
	broken, blind, unread bool

	types    []funcType
	funcs    []uint32 // the type of each function, imports first
	imported int      // functions
	tables   []binary.Table
	memories []binary.Limits
	globals  []binary.Global
	foreign  int // globals that are imported

	exports  map[string]exported
	elements []byte   // the type of each segment's entries
	declared []uint64 // bits: functions that ref.func may name
	code     int      // bodies
	data     int      // segments
	count    int      // of the data count section, or -1
	names    binary.Section
}

// Module scans a module. The report is nil if there is an error, and the error
// is *Problems.
func Module(module []byte, lim Limits) (*Report, error) {
	report, problems := Look(module, lim)
	if len(problems.List) > 0 {
		return nil, problems
	}
	return report, nil
}

// Look is [Module] for people: it tells what could be read of a module that does
// not load as well. Problems without a List are none.
func Look(module []byte, lim Limits) (*Report, *Problems) {
	s := &scanner{module: module, lim: lim, count: -1, exports: map[string]exported{}}
	s.report.Start = -1
	if s.header() && s.use(ModuleBytes, uint64(len(module)), 0, "the module") {
		s.findNames()
		s.sections()
		s.finish()
	}
	s.report.Features = s.features.list()
	for l, row := range table {
		s.report.Used = append(s.report.Used, Use{row.name, s.used[l], lim[l]})
	}
	return &s.report, &s.problems
}

// header looks at the first eight bytes.
func (s *scanner) header() bool {
	switch {
	case bytes.HasPrefix(s.module, binary.Header):
		return true
	case len(s.module) >= 8 && bytes.HasPrefix(s.module, binary.Header[:4]) && s.module[6] == 1 && s.module[7] == 0:
		s.problems.add(CodeComponent, 0, "this is a component, not a core module; %s", reactor)
	case bytes.HasPrefix(s.module, binary.Header[:4]) && len(s.module) >= 8:
		s.problems.add(CodeNotWasm, 4, "this is WebAssembly of version %x; want version 1", s.module[4:8])
	case bytes.HasPrefix(s.module, []byte("(module")):
		s.problems.add(CodeNotWasm, 0, "this is WebAssembly text; translate it with wat2wasm")
	default:
		s.problems.add(CodeNotWasm, 0, "this is not a WebAssembly module: it does not begin with 00 61 73 6d 01 00 00 00")
	}
	return false
}

// order is the place of each section among the others.
var order = [...]byte{
	binary.SectionType: 1, binary.SectionImport: 2, binary.SectionFunction: 3, binary.SectionTable: 4,
	binary.SectionMemory: 5, binary.SectionTag: 6, binary.SectionGlobal: 7, binary.SectionExport: 8,
	binary.SectionStart: 9, binary.SectionElement: 10, binary.SectionDataCount: 11, binary.SectionCode: 12,
	binary.SectionData: 13,
}

// sections walks over the module.
func (s *scanner) sections() {
	secs := binary.NewSections(s.module)
	last := byte(0)
	for sec, ok := secs.Next(); ok; sec, ok = secs.Next() {
		name := binary.SectionName(sec.ID)
		switch {
		case sec.ID == binary.SectionCustom:
			s.custom(sec)
			continue
		case int(sec.ID) >= len(order):
			s.problems.add(CodeMalformed, sec.Start, "offset 0x%x: there is no section %d", sec.Start, sec.ID)
			s.lose(0)
			continue
		case order[sec.ID] == last:
			s.problems.add(CodeMalformed, sec.Start, "offset 0x%x: a second %s section", sec.Start, name)
			s.lose(0)
			continue
		case order[sec.ID] < last:
			s.problems.add(CodeMalformed, sec.Start, "offset 0x%x: the %s section is out of order", sec.Start, name)
			s.lose(0)
			continue
		}
		last = order[sec.ID]
		s.section(sec)
	}
	if err := secs.Err(); err != nil {
		s.malformed(err, "the module")
		s.lose(0)
	}
}

// section reads one section to its end.
func (s *scanner) section(sec binary.Section) {
	name := binary.SectionName(sec.ID) + " section"
	r := sec.Reader()
	whole := s.read(sec.ID, &r)
	switch {
	case !r.OK():
		s.malformed(r.Err(), name)
		whole = false
	case whole && r.Left() > 0:
		s.problems.add(CodeMalformed, r.Offset(), "%s: %d bytes are left at its end", name, r.Left())
		whole = false
	}
	if !whole {
		s.lose(order[sec.ID])
	}
}

// lose notes that a section at this place in the order is not known.
func (s *scanner) lose(place byte) {
	s.broken = s.broken || place < order[binary.SectionCode]
	s.blind = s.blind || place <= order[binary.SectionExport]
	s.unread = true
}

// read hands a section to its reader. False: it was left before its end.
func (s *scanner) read(id byte, r *binary.Reader) bool {
	switch id {
	case binary.SectionType:
		return s.typeSection(r)
	case binary.SectionImport:
		return s.importSection(r)
	case binary.SectionFunction:
		return s.functionSection(r)
	case binary.SectionTable:
		return s.tableSection(r)
	case binary.SectionMemory:
		return s.memorySection(r)
	case binary.SectionGlobal:
		return s.globalSection(r)
	case binary.SectionExport:
		return s.exportSection(r)
	case binary.SectionStart:
		return s.startSection(r)
	case binary.SectionElement:
		return s.elementSection(r)
	case binary.SectionDataCount:
		s.count = int(r.U32())
		return true
	case binary.SectionCode:
		return s.codeSection(r)
	case binary.SectionData:
		return s.dataSection(r)
	}
	s.feature(r.Offset(), "the module", "has a "+binary.SectionName(id)+" section", "exceptions")
	return false
}

// malformed tells of bytes that can not be read.
func (s *scanner) malformed(err error, where string) {
	var e *binary.Error
	if !errors.As(err, &e) {
		s.problems.add(CodeMalformed, 0, "%s: %v", where, err)
		return
	}
	if e.Feature != "" {
		s.feature(e.Offset, fmt.Sprintf("%s, offset 0x%x", where, e.Offset), e.What, e.Feature)
		return
	}
	s.problems.add(CodeMalformed, e.Offset, "%s, %v", where, e)
}

// invalid tells of parts that do not fit together. Once a section is lost,
// that others refer to what was in it is no news.
func (s *scanner) invalid(offset int, where, format string, args ...any) {
	if s.blind || s.problems.full() {
		return
	}
	s.problems.add(CodeInvalid, offset, "%s, offset 0x%x: %s", where, offset, fmt.Sprintf(format, args...))
}

// mends says how to do without a feature.
var mends = map[string]string{
	"SIMD":       "build without simd128",
	"threads":    "build for one thread, without atomics and shared memory",
	"memory64":   "build for wasm32",
	"tail calls": "build without tail-call",
	"exceptions": "build without exceptions, with panic=abort",
}

func (s *scanner) feature(offset int, where, what, feature string) {
	mend, ok := mends[feature]
	if !ok {
		mend = "build for WebAssembly 2.0"
	}
	s.problems.add(CodeFeature, offset, "%s: %s, which is of %s; plugins have core 2.0 without SIMD: %s", where, what, feature, mend)
}

// finish looks at what only the whole module shows.
func (s *scanner) finish() {
	s.report.Functions = len(s.funcs)
	if !s.blind {
		s.contract()
	}
	if s.unread {
		return
	}
	if defined := len(s.funcs) - s.imported; defined != s.code {
		s.problems.add(CodeMalformed, 0, "the module: %d functions are declared and %d have code", defined, s.code)
	}
	if s.count >= 0 && s.count != s.data {
		s.problems.add(CodeMalformed, 0, "the module: %d data segments are announced and %d are there", s.count, s.data)
	}
}
