package scan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/wasm/binary"
)

// The exports that have a meaning.
const (
	ExportMemory     = "memory"
	ExportEvaluate   = "callgate_evaluate"
	ExportConfigure  = "callgate_configure"
	ExportInitialize = "_initialize"
	exportCommand    = "_start"

	// MarkerPrefix begins the marker's name; the version follows, as 1_0.
	MarkerPrefix = "callgate_abi_"
	// Version is the version of the ABI that the host speaks.
	Version = "1.0"

	ours = "callgate_"
	// ReservedPrefix begins the names of what the metering pass exports.
	ReservedPrefix = "callgate_m1_"
)

// Versions are the versions of the ABI whose modules the host takes, newest first.
var Versions = []string{Version, "0.1"}

// Marker is the export that says that a module is built for [Version].
var Marker = markerOf(Version)

func markerOf(version string) string {
	return MarkerPrefix + strings.ReplaceAll(version, ".", "_")
}

// wanted are the functions among the exports, beside the marker.
var wanted = []struct {
	name, results string
	required      bool
}{
	{ExportEvaluate, "I", true},
	{ExportConfigure, "I", false},
	{ExportInitialize, "", false},
}

// Called are the names of the functions that the host calls, if a module exports
// them.
func Called() []string {
	var names []string
	for _, w := range wanted {
		names = append(names, w.name)
	}
	return names
}

// reserved says that a name is of the metering pass.
func reserved(name []byte) bool {
	return string(name) == MeterModule || bytes.HasPrefix(name, []byte(ReservedPrefix))
}

// exported is where an export points to.
type exported struct {
	kind   binary.Kind
	index  uint32
	offset int
}

func (s *scanner) exportSection(r *binary.Reader) bool {
	at := r.Offset()
	n := r.Count(3)
	if !s.use(Exports, uint64(n), at, "export section") {
		return false
	}
	for range n {
		at := r.Offset()
		e := r.Export()
		if !r.OK() {
			return false
		}
		if _, ok := s.exports[string(e.Name)]; ok {
			s.invalid(at, "export section", "%s is there twice", show(e.Name))
			continue
		}
		if entry, ok := s.oneExport(at, e); ok {
			s.exports[entry.Name] = exported{e.Kind, e.Index, at}
			s.report.Exports = append(s.report.Exports, entry)
		}
	}
	return true
}

// oneExport looks up what an export points to.
func (s *scanner) oneExport(at int, e binary.Export) (Entry, bool) {
	have := map[binary.Kind]int{
		binary.KindFunc: len(s.funcs), binary.KindTable: len(s.tables),
		binary.KindMemory: len(s.memories), binary.KindGlobal: len(s.globals),
	}[e.Kind]
	if int64(e.Index) >= int64(have) {
		s.invalid(at, "export section", "%s is %s %d of %d", show(e.Name), e.Kind, e.Index, have)
		return Entry{}, false
	}
	entry := Entry{Name: string(e.Name), Kind: e.Kind}
	switch e.Kind {
	case binary.KindFunc:
		s.declare(e.Index, at, "export section")
		t, _ := s.typeOf(e.Index)
		entry.Type = t.String()
	case binary.KindTable:
		entry.Type = "table of " + s.tables[e.Index].Type.String()
	case binary.KindMemory:
		entry.Type = "memory"
	case binary.KindGlobal:
		entry.Type = "global " + s.globals[e.Index].Type.String()
		if s.globals[e.Index].Mutable {
			entry.Type = "mutable " + entry.Type
			s.features |= mutableGlobals
		}
	}
	return entry, true
}

// contract holds the exports against the ABI.
func (s *scanner) contract() {
	if e, ok := s.exports[exportCommand]; ok {
		s.problems.add(CodeCommand, e.offset, "this is a command: it exports _start; %s", reactor)
	}
	s.markers()
	for _, w := range wanted {
		s.wantFunc(w.name, w.results, w.required)
	}
	s.wantMemory()
	for _, e := range s.report.Exports {
		s.ourName(e)
	}
	_, s.report.Configure = s.exports[ExportConfigure]
	_, s.report.Initialize = s.exports[ExportInitialize]
}

// markers reads the version that the module is built for. With two of them nobody
// could say in which to speak to it.
func (s *scanner) markers() {
	known := false
	for _, e := range s.report.Exports {
		version, ok := strings.CutPrefix(e.Name, MarkerPrefix)
		if !ok {
			continue
		}
		if version = strings.ReplaceAll(version, "_", "."); markerOf(version) != e.Name {
			version = e.Name // callgate_abi_1.0 is a marker of no version
		}
		s.report.ABI = append(s.report.ABI, version)
		known = slices.Contains(Versions, version)
		if e.Type != "func ()" {
			s.problems.add(CodeExport, s.exports[e.Name].offset, "export %s (%s): a marker is func ()", show([]byte(e.Name)), e.Type)
		}
	}
	built, speaks := show([]byte(strings.Join(s.report.ABI, ","))), strings.Join(Versions, " and ")
	switch {
	case len(s.report.ABI) == 1 && known:
	case len(s.report.ABI) == 1:
		s.problems.add(CodeABI, 0, "the module is built for ABI %s; this host speaks %s: rebuild it with an SDK of one of them, or take a newer callgate", built, speaks)
	case len(s.report.ABI) > 1:
		s.problems.add(CodeABI, 0, "the module has the markers of %d versions of the ABI, %s: keep one; this host speaks %s", len(s.report.ABI), built, speaks)
	default:
		s.problems.add(CodeABI, 0, "there is no export %s (func ()): the module is no plugin, or lacks the marker of the ABI", Marker)
	}
}

func (s *scanner) wantFunc(name, results string, required bool) {
	e, ok := s.exports[name]
	if !ok {
		if required {
			s.problems.add(CodeExport, 0, "there is no export %s (%s)", name, spell("", results))
		}
		return
	}
	got := e.kind.String()
	if e.kind == binary.KindFunc {
		t := s.types[s.funcs[e.index]]
		if t.is("", results) {
			return
		}
		got = t.String()
	}
	s.problems.add(CodeExport, e.offset, "export %s (%s): want %s", name, got, spell("", results))
}

func (s *scanner) wantMemory() {
	e, ok := s.exports[ExportMemory]
	switch {
	case !ok:
		s.problems.add(CodeExport, 0, "there is no export memory (memory): export the memory under this name")
	case e.kind != binary.KindMemory:
		s.problems.add(CodeExport, e.offset, "export memory (%s): want a memory", e.kind)
	}
}

// ourName refuses names that begin as ours do and mean nothing: a misspelt
// callgate_configure would be passed over.
func (s *scanner) ourName(e Entry) {
	at := s.exports[e.Name].offset
	where := fmt.Sprintf("export %s (%s)", show([]byte(e.Name)), e.Type)
	switch {
	case reserved([]byte(e.Name)):
		s.problems.add(CodeReserved, at, "%s: names of %s belong to the host", where, MeterModule)
	case strings.HasPrefix(e.Name, MarkerPrefix):
		// [scanner.markers] has judged it.
	case e.Name == ExportEvaluate || e.Name == ExportConfigure:
	case strings.HasPrefix(e.Name, ours):
		s.problems.add(CodeExport, at, "%s: the ABI has no such export; it has %s, %s and %s", where, Marker, ExportEvaluate, ExportConfigure)
	}
}
