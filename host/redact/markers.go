package redact

import (
	"slices"
	"strings"
)

// Markers lists what stands in place of redacted text, longest first: those
// replacements that no data could be taken for, in brackets or other signs and
// without an address.
func (s *Set) Markers() []string {
	if s == nil {
		return nil
	}
	return s.markers
}

func markersOf(entries []entry) []string {
	var list []string
	for i := range entries {
		text := entries[i].With
		if n := len(text); n < 4 || alnum(text[0]) || alnum(text[n-1]) || strings.ContainsAny(text, "@/\\") || strings.Contains(text, "www.") {
			continue
		}
		list = append(list, text)
	}
	slices.SortFunc(list, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(list)
}

// alnum says whether a byte is part of a word, as all bytes of other scripts are.
func alnum(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
