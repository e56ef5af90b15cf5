package redact

import (
	"reflect"

	"github.com/callgate/callgate/abi"
)

// Stages returns the edits of a value that its first entries alone would make:
// without the last one that makes any, without the last two, and so on, as far as
// there are edits, and none twice.
func (s *Set) Stages(w Where, v abi.Value, body bool) [][]abi.Edit {
	if !s.Covers(w) {
		return nil
	}
	var out [][]abi.Edit
	last := s.Value(w, v, body).Edits
	for n := len(s.entries) - 1; n > 0 && len(last) > 0; n-- {
		if s.entries[n].where&w == 0 {
			continue
		}
		edits := s.first(n).Value(w, v, body).Edits
		if len(edits) > 0 && !reflect.DeepEqual(edits, last) {
			out = append(out, edits)
		}
		last = edits
	}
	return out
}

// first is the set of the first n entries.
func (s *Set) first(n int) *Set {
	short := *s
	short.entries = s.entries[:n]
	return &short
}
