package ledger

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Break says where a ledger file stops being what its writer wrote.
type Break struct {
	Path   string // the file
	Line   int    // 1-based
	Offset int64  // of the line's first byte, from the file's start
	Found  string // what is there, hostile bytes quoted
	Want   string // what an intact file has there
	Mend   string // what a person can do about it
}

// Error names all of it in one line.
func (b *Break) Error() string {
	return fmt.Sprintf("ledger file %q is broken at line %d, byte %d: %s; want %s; %s", b.Path, b.Line, b.Offset, b.Found, b.Want, b.Mend)
}

// scanner reads a ledger file line by line and checks every line against the
// one before it.
type scanner struct {
	path  string
	r     *bufio.Reader
	check checker
	long  []byte // a line longer than r's buffer
	trust bool   // whoever is handed the lines refuses what is not strict JSON

	first string // prev of the first line; empty before it is read
	last  string // hash of the last good line; first when there is none
	lines int    // good lines so far
	good  int64  // bytes of the good lines, LF included

	lastAt int64 // where the last good line begins
	torn   int64 // bytes after the last LF, known at io.EOF
}

func newScanner(path string, r io.Reader) *scanner {
	return &scanner{path: path, r: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next good line without its LF; it holds until the next
// call. At the end of the complete lines it returns io.EOF; what follows the
// last LF is then counted in torn, and is a *Break if no torn write explains it.
func (s *scanner) next() ([]byte, error) {
	line, err := s.readLine()
	if err != nil {
		return nil, err
	}
	if err := s.judge(line); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(line)
	var digits [hashLen]byte
	hex.Encode(digits[:], sum[:])
	s.last = string(digits[:])
	s.lines++
	s.lastAt = s.good
	s.good += int64(len(line)) + 1
	return line, nil
}

// readLine returns the bytes up to the next LF.
func (s *scanner) readLine() ([]byte, error) {
	s.long = s.long[:0]
	for {
		part, err := s.r.ReadSlice('\n')
		if len(s.long)+len(part) > maxLine {
			return nil, s.broken(fmt.Sprintf("a line of more than %d bytes", maxLine), "a shorter one")
		}
		if err == nil && len(s.long) == 0 {
			return part[:len(part)-1], nil
		}
		s.long = append(s.long, part...)
		switch {
		case err == nil:
			return s.long[:len(s.long)-1], nil
		case err == io.EOF:
			return nil, s.end(s.long)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("ledger file %q: read after byte %d: %w", s.path, s.good, err)
		}
	}
}

// end judges what follows the last LF.
func (s *scanner) end(tail []byte) error {
	if len(tail) == 0 {
		return io.EOF
	}
	prev := s.last
	if s.lines == 0 {
		prev = startOf(tail)
	}
	if !tornFrom(tail, prev) {
		return s.broken("bytes without LF that no torn write leaves: "+quoted(tail), "the beginning of a line that names "+strconv.Quote(prev)+" as prev")
	}
	s.torn = int64(len(tail))
	return io.EOF
}

// startOf returns the prev that a torn first line has or could have had.
func startOf(tail []byte) string {
	body := bytes.TrimPrefix(bytes.TrimRight(tail, "\x00"), []byte(linePrefix))
	body = body[:min(len(body), hashLen)]
	if prev := string(body) + zeroHash[len(body):]; isHash(prev) {
		return prev
	}
	return zeroHash
}

// judge checks one line's prev, JSON and seq.
func (s *scanner) judge(line []byte) error {
	prev, ok := s.splitHead(line)
	if !ok {
		return s.broken(quoted(line[:min(len(line), headLen)]), "a line that begins with "+strconv.Quote(linePrefix)+" and 64 hex digits")
	}
	if s.lines == 0 {
		s.first = string(prev)
		s.last = s.first
	} else if string(prev) != s.last {
		return s.broken("prev "+quoted(prev), strconv.Quote(s.last)+", the hash of the line before, so this line or that one was changed, added or removed")
	}
	if s.trust && plainSeq(line, s.lines) {
		return nil
	}
	seq, err := s.check.object(line)
	if err != nil {
		return s.broken(err.Error(), "one strict JSON object")
	}
	if want := strconv.Itoa(s.lines); string(seq) != want {
		return s.broken("seq "+orMissing(seq), want)
	}
	return nil
}

// splitHead is the function of that name, which need not look at a prev that is
// the wanted one.
func (s *scanner) splitHead(line []byte) (prev []byte, ok bool) {
	if s.lines > 0 && len(line) > headLen && string(line[len(linePrefix):headLen-2]) == s.last &&
		string(line[:len(linePrefix)]) == linePrefix && string(line[headLen-2:headLen]) == `",` {
		return line[len(linePrefix) : headLen-2], true
	}
	return splitHead(line)
}

// plainSeq says whether a line goes on after its head as every event does that
// package abi writes, with seq as its seq, and ends with a brace. In strict
// JSON, which has no name twice, no other seq can follow.
func plainSeq(line []byte, seq int) bool {
	const version = `"v":1,"seq":`
	rest, ok := bytes.CutPrefix(line[headLen:], []byte(version))
	if !ok || line[len(line)-1] != '}' {
		return false
	}
	var digits [20]byte
	rest, ok = bytes.CutPrefix(rest, strconv.AppendInt(digits[:0], int64(seq), 10))
	return ok && len(rest) > 0 && (rest[0] == ',' || rest[0] == '}' && len(rest) == 1)
}

// refused is the error of a reader for the last good line.
func (s *scanner) refused(err error) error { return s.refusedAt(s.lines, err) }

func (s *scanner) refusedAt(line int, err error) error {
	return fmt.Errorf("ledger file %q: line %d: %w", s.path, line, err)
}

// broken is the error for the line after the last good one.
func (s *scanner) broken(found, want string) error {
	return &Break{Path: s.path, Line: s.lines + 1, Offset: s.good, Found: found, Want: want, Mend: startWithout}
}

// startWithout tells a person how to start again without a broken file.
const startWithout = "move it and the older files of its server to another directory to start without them"
