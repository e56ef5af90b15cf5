package scan

import (
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

// Subsections of the name section.
const (
	namesModule    = 0
	namesFunctions = 1
	namesLocals    = 2
)

// findNames looks for the name section ahead of the others: it comes last, and
// messages about the code name functions.
func (s *scanner) findNames() {
	secs := binary.NewSections(s.module)
	for sec, ok := secs.Next(); ok; sec, ok = secs.Next() {
		if sec.ID != binary.SectionCustom {
			continue
		}
		r := sec.Reader()
		if name := r.Name(); string(name) == nameSection && r.OK() {
			s.names = binary.Section{Offset: r.Offset(), Body: r.Rest()}
			return
		}
	}
}

// function is a function for messages: function 7 (main.run).
func (s *scanner) function(index uint32) string {
	var name []byte
	s.eachName(func(i uint32, n []byte) bool {
		if i == index {
			name = n
		}
		return name == nil
	})
	if name == nil {
		return fmt.Sprintf("function %d", index)
	}
	return fmt.Sprintf("function %d (%s)", index, show(name))
}

// eachName goes over the names of functions until each returns false.
func (s *scanner) eachName(each func(uint32, []byte) bool) {
	r := s.names.Reader()
	for r.OK() && r.Left() > 0 {
		id := r.Byte()
		n := r.U32()
		at := r.Offset()
		sub := binary.NewReader(r.Bytes(n), at)
		if id != namesFunctions {
			continue
		}
		for range sub.Count(2) {
			if i, name := sub.U32(), sub.Name(); !sub.OK() || !each(i, name) {
				return
			}
		}
	}
}

// nameSection checks the form of the names: engines read them.
func (s *scanner) nameSection(sec binary.Section, offset int, body []byte) {
	if s.report.HasName {
		s.problems.add(CodeMalformed, sec.Start, "offset 0x%x: a second name section", sec.Start)
		return
	}
	s.report.HasName = true
	r := binary.NewReader(body, offset)
	last := -1
	for r.OK() && r.Left() > 0 {
		start := r.Offset()
		id := int(r.Byte())
		n := r.U32()
		at := r.Offset()
		sub := binary.NewReader(r.Bytes(n), at)
		if !r.OK() {
			break
		}
		if id <= last {
			r.Fail(start, fmt.Sprintf("subsection %d is out of order", id))
			break
		}
		last = id
		readNames(&sub, id)
		if sub.OK() && id <= namesLocals && sub.Left() > 0 {
			sub.Fail(sub.Offset(), fmt.Sprintf("%d bytes are left at the end of subsection %d", sub.Left(), id))
		}
		if err := sub.Err(); err != nil {
			s.malformed(err, "name section")
			return
		}
	}
	if err := r.Err(); err != nil {
		s.malformed(err, "name section")
	}
}

func readNames(r *binary.Reader, id int) {
	switch id {
	case namesModule:
		r.Name()
	case namesFunctions:
		for range r.Count(2) {
			r.U32()
			r.Name()
		}
	case namesLocals:
		for range r.Count(2) {
			r.U32()
			for range r.Count(2) {
				r.U32()
				r.Name()
			}
		}
	}
}
