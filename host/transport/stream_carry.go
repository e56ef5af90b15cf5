package transport

import (
	"maps"
	"net/http"
)

// Carry adds headers to a response that has not begun yet.
func (s *Stream) Carry(h http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished || s.events || s.replied || len(h) == 0 {
		return
	}
	header := maps.Clone(s.o.Header)
	if header == nil {
		header = http.Header{}
	}
	maps.Copy(header, h)
	s.o.Header = header
}
