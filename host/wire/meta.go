package wire

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// OwnMetaPrefix begins the _meta names that only this host may write. A server that writes one would be speaking in the host's voice.
const OwnMetaPrefix = "dev.callgate/"

// StripOwnMeta removes, from every object at any depth that is a member named _meta (in any case: a client may fold it), each member whose unescaped name
// begins with OwnMetaPrefix. Each goes with one comma; all other bytes stay. It returns raw itself and false when there is nothing to remove.
// A text that is not one strict JSON value is an error, and must not be relayed.
func StripOwnMeta(raw []byte) ([]byte, bool, error) {
	if !mayHoldOwnMeta(raw) {
		return raw, false, nil
	}
	if !utf8.Valid(raw) {
		return nil, false, errors.New("strip own _meta: text is not valid UTF-8; refuse the frame")
	}
	s := stripper{raw: raw}
	s.c.start(raw)
	err := s.value(false)
	if err == nil {
		err = s.c.strictEnd()
	}
	if err != nil {
		return nil, false, fmt.Errorf("strip own _meta: %w", err)
	}
	if len(s.edits) == 0 {
		return raw, false, nil
	}
	out, err := Splice(raw, s.edits)
	return out, err == nil, err
}

// hasOwnMeta reports whether StripOwnMeta would remove something from a frame that is known to parse.
func hasOwnMeta(raw []byte) bool {
	if !mayHoldOwnMeta(raw) {
		return false
	}
	s := stripper{raw: raw}
	s.c.start(raw)
	// An error here cannot happen on such a frame; if it does, the caller is told to strip, and StripOwnMeta reports it.
	return s.value(false) != nil || len(s.edits) > 0
}

// mayHoldOwnMeta reports whether a text has the prefix, or an escape that could hide a letter of it.
func mayHoldOwnMeta(raw []byte) bool {
	if bytes.Contains(raw, []byte(OwnMetaPrefix)) {
		return true
	}
	for rest := raw; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 >= len(rest) {
			return false
		}
		rest = rest[i+1:]
		// All of the prefix lies in U+002E to U+0076; a solidus also has a short escape.
		if rest[0] == '/' || len(rest) >= 4 && string(rest[:3]) == "u00" && rest[3] >= '2' && rest[3] <= '7' {
			return true
		}
		rest = rest[1:]
	}
}

// stripper collects the edits of one text.
type stripper struct {
	c     Classifier
	raw   []byte
	edits []Edit
}

// value reads one value. isMeta says that it is the value of a member named _meta.
func (s *stripper) value(isMeta bool) error {
	switch s.c.dec.PeekKind() {
	case '{':
		return s.object(isMeta)
	case '[':
		if _, err := s.c.dec.ReadToken(); err != nil {
			return err
		}
		for s.c.dec.PeekKind() != ']' {
			if err := s.value(false); err != nil {
				return err
			}
		}
		_, err := s.c.dec.ReadToken()
		return err
	}
	return s.c.dec.SkipValue()
}

func (s *stripper) object(isMeta bool) error {
	if _, err := s.c.dec.ReadToken(); err != nil {
		return err
	}
	var members []listed
	for s.c.dec.PeekKind() != '}' {
		lexeme, err := s.c.dec.ReadValue()
		if err != nil {
			return err
		}
		name := s.c.unquote(lexeme)
		m := listed{Span: Span{Start: s.c.offset() - len(lexeme)}}
		if m.drop = isMeta && bytes.HasPrefix(name, []byte(OwnMetaPrefix)); m.drop {
			err = s.c.dec.SkipValue()
		} else {
			err = s.value(bytes.EqualFold(name, []byte("_meta")))
		}
		if err != nil {
			return err
		}
		if m.End = s.c.offset(); isMeta {
			members = append(members, m)
		}
	}
	s.edits = append(s.edits, relist(s.raw, Span{}, members, nil)...)
	_, err := s.c.dec.ReadToken()
	return err
}
