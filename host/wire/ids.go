package wire

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxScannedIDs bounds what one refused frame can make us answer.
	maxScannedIDs = 1024
	// maxScannedText is the longest name or id the scan keeps, in bytes of its lexeme.
	maxScannedText = 512
)

// scanned are the ids of a refused frame, by what the object around each looked like.
type scanned struct {
	requests  []ID // a method, no result or error
	responses []ID // a result or an error, no method
	unclear   []ID
}

// idScanner finds the top-level ids of a text that need not be JSON, so that whoever waits on them can be answered. It is no parser: nothing is decided by
// what it finds but whom a refusal is told. It takes its text in pieces, in constant memory.
type idScanner struct {
	out   scanned
	count int

	started bool
	base    int // nesting of the frames: 0, or 1 in an array
	depth   int

	inString, escaped, over bool
	state                   scanState
	text                    []byte // the lexeme at hand

	ids                []ID // of the object at hand
	sawMethod, sawDone bool
}

type scanState uint8

const (
	scanIdle   scanState = iota
	scanName             // a string has ended, a colon would make it a name
	scanValue            // behind "id":
	scanNumber           // within a number behind "id":
)

// scanIDs finds the ids in a whole text.
func scanIDs(raw []byte) scanned {
	var s idScanner
	s.feed(raw)
	return s.finish()
}

func (s *idScanner) feed(b []byte) {
	for _, c := range b {
		if s.inString {
			s.stringByte(c)
			continue
		}
		if s.state == scanNumber {
			if c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E' {
				s.keep(c)
				continue
			}
			s.emit()
		}
		s.byte(c)
	}
}

// atFrame reports whether the scan is directly in a frame's object, where names are envelope names.
func (s *idScanner) atFrame() bool { return s.depth == s.base+1 }

func (s *idScanner) byte(c byte) {
	switch c {
	case ' ', '\t', '\r', '\n':
	case '"':
		s.inString, s.over = true, false
		s.text = append(s.text[:0], c)
	case '{', '[':
		if !s.started && c == '[' {
			s.base = 1
		}
		s.started = true
		s.depth++
		s.state = scanIdle
	case '}', ']':
		s.depth = max(s.depth-1, 0)
		s.state = scanIdle
		if s.depth <= s.base {
			s.flush()
		}
	case ':':
		s.colon()
	default:
		if s.state == scanValue && (c == '-' || c >= '0' && c <= '9') {
			s.state, s.over = scanNumber, false
			s.text = append(s.text[:0], c)
			return
		}
		s.state = scanIdle
	}
}

func (s *idScanner) stringByte(c byte) {
	s.keep(c)
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inString = false
		if s.state == scanValue && s.atFrame() {
			s.emit()
			return
		}
		s.state = scanName
	}
}

func (s *idScanner) keep(c byte) {
	if len(s.text) >= maxScannedText {
		s.over = true
		return
	}
	s.text = append(s.text, c)
}

func (s *idScanner) colon() {
	wasName := s.state == scanName
	s.state = scanIdle
	if !wasName || s.over || !s.atFrame() {
		return
	}
	name, err := jsontext.AppendUnquote(nil, s.text)
	if err != nil {
		return
	}
	switch string(name) {
	case "id":
		s.state = scanValue
	case "method":
		s.sawMethod = true
	case "result", "error":
		s.sawDone = true
	}
}

// emit takes the lexeme at hand as an id, if it can be written into an answer.
func (s *idScanner) emit() {
	s.state = scanIdle
	if s.over || s.count >= maxScannedIDs || !validID(s.text) {
		return
	}
	s.count++
	s.ids = append(s.ids, ID{Raw: string(s.text)})
}

func (s *idScanner) flush() {
	s.out.add(s.ids, s.sawMethod, s.sawDone)
	s.ids, s.sawMethod, s.sawDone = nil, false, false
}

func (s *idScanner) finish() scanned {
	if s.state == scanNumber {
		s.emit()
	}
	s.flush()
	return s.out
}

// add files the ids of one object by the members beside them.
func (s *scanned) add(ids []ID, hasMethod, hasOutcome bool) {
	switch {
	case hasMethod && !hasOutcome:
		s.requests = append(s.requests, ids...)
	case hasOutcome && !hasMethod:
		s.responses = append(s.responses, ids...)
	default:
		s.unclear = append(s.unclear, ids...)
	}
}

// address writes the ids into the problem of a frame of the given side: a client's responses carry ids of the server, a server's requests its own.
func (s scanned) address(p *Problem, side Side) {
	if side == FromServer {
		p.IDs = distinct(s.responses, s.unclear)
		p.ServerIDs = distinct(s.requests)
		return
	}
	p.IDs = distinct(s.requests, s.unclear)
	p.Drop = len(p.IDs) == 0 && len(s.responses) > 0
}

func distinct(lists ...[]ID) []ID {
	var out []ID
	seen := map[string]bool{}
	for _, list := range lists {
		for _, id := range list {
			if key := id.Key(); !seen[key] {
				seen[key] = true
				out = append(out, id)
			}
		}
	}
	return out
}

// validID reports whether a lexeme is a JSON string or number, and so can be echoed in an answer.
func validID(lexeme []byte) bool {
	if len(lexeme) == 0 || lexeme[0] != '"' && lexeme[0] != '-' && (lexeme[0] < '0' || lexeme[0] > '9') {
		return false
	}
	return utf8.Valid(lexeme) && jsontext.Value(lexeme).IsValid(jsontext.AllowInvalidUTF8(true))
}
