package binary

import (
	"bytes"
	"fmt"
)

// The sections, by their numbers in the binary format.
const (
	SectionCustom    byte = 0
	SectionType      byte = 1
	SectionImport    byte = 2
	SectionFunction  byte = 3
	SectionTable     byte = 4
	SectionMemory    byte = 5
	SectionGlobal    byte = 6
	SectionExport    byte = 7
	SectionStart     byte = 8
	SectionElement   byte = 9
	SectionCode      byte = 10
	SectionData      byte = 11
	SectionDataCount byte = 12
	SectionTag       byte = 13
)

var sectionNames = [...]string{"custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code", "data", "data count", "tag"}

// SectionName is the name of a section, for messages.
func SectionName(id byte) string {
	if int(id) < len(sectionNames) {
		return sectionNames[id]
	}
	return fmt.Sprintf("unknown (%d)", id)
}

// Header is what each core module begins with: magic and version 1.
var Header = []byte("\x00asm\x01\x00\x00\x00")

// ComponentHeader is what each component begins with: it has layer 1 where a
// core module has the upper half of its version.
var ComponentHeader = []byte("\x00asm\x0d\x00\x01\x00")

// A Section is one section of a module.
type Section struct {
	ID     byte
	Start  int // of the section's number, from the start of the module
	Offset int // of Body
	Body   []byte
}

// End is the offset of the first byte after the section.
func (s Section) End() int { return s.Offset + len(s.Body) }

// Reader reads the body.
func (s Section) Reader() Reader { return NewReader(s.Body, s.Offset) }

// Sections walks the sections of a module. Their order is not checked.
type Sections struct{ r Reader }

// NewSections looks at the header and stands before the first section.
func NewSections(module []byte) Sections {
	s := Sections{NewReader(module, 0)}
	if !bytes.HasPrefix(module, Header) {
		s.r.Fail(0, "not a WebAssembly module of version 1")
		return s
	}
	s.r.pos = len(Header)
	return s
}

// Next returns the next section, and false after the last one or an error.
func (s *Sections) Next() (Section, bool) {
	if !s.r.OK() || s.r.Left() == 0 {
		return Section{}, false
	}
	sec := Section{Start: s.r.Offset(), ID: s.r.Byte()}
	n := s.r.U32()
	sec.Offset = s.r.Offset()
	sec.Body = s.r.Bytes(n)
	return sec, s.r.OK()
}

// Err is the first error, or nil.
func (s *Sections) Err() error { return s.r.Err() }
