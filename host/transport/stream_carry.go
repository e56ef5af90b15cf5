package transport

import (
	"maps"
	"net/http"
	"strings"
)

// Begin has the event stream, if the response becomes one, begin with an event
// that has an id and no data: a client whose connection breaks before there is
// another has an id to come back with (MCP 2025-11-25, "sending messages to the
// server"). It does nothing on a stream that has begun.
func (s *Stream) Begin(id string) error {
	if id == "" || strings.ContainsAny(id, "\x00\r\n") {
		return ErrEventID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first = []byte("id: " + id + "\ndata:\n\n")
	return nil
}

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
