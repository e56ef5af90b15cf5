package ledger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Report is what a reader of one whole ledger file found.
type Report struct {
	Path, ID, Server string // ID: first 12 hex digits; both empty for a file whose name is not a ledger's
	Lines            int    // complete lines, all in order
	First            string // prev of the first line: the last hash of the server's previous file; empty without lines
	Last             string // hash of the last line; empty without lines
	Torn             int64  // bytes of a torn last line; not counted in Lines
	Alive            bool   // a process holds the file, so a torn line may be one it is writing
}

// Verify reads a whole ledger file and checks prev, seq and JSON of every line.
// The error is a *Break when the file is not what its writer wrote.
func Verify(path string) (Report, error) {
	return verify(path, func([]byte, string) error { return nil })
}

// Read hands every complete line of a ledger file to each, in order, without
// its LF, checked as Verify checks it. A line holds only during the call. Read
// stops at the first error of each and returns it. A torn last line is left out.
func Read(path string, each func(line []byte) error) error {
	_, err := verify(path, func(line []byte, _ string) error { return each(line) })
	return err
}

// VerifyGroup verifies all files of a group directory, oldest first, and that
// each file continues an earlier one of its server, unless it is the oldest.
func VerifyGroup(dir string) ([]Report, error) {
	if err := checkDir(dir); err != nil {
		return nil, err
	}
	files, err := Group(dir)
	if err != nil {
		return nil, err
	}
	chains := map[string]*chain{}
	var reports []Report
	for _, f := range files {
		c := chains[f.Server]
		if c == nil {
			if c, err = newChain(ofServer(files, f.Server)); err != nil {
				return reports, err
			}
			chains[f.Server] = c
		}
		report, err := verify(f.Path, func(_ []byte, hash string) error { c.saw(hash); return nil })
		if err != nil {
			return reports, err
		}
		reports = append(reports, report)
		if err := c.join(f.Path, report.First); err != nil {
			return reports, err
		}
	}
	return reports, nil
}

// verify reads a file and hands each line and its hash to each.
func verify(path string, each func(line []byte, hash string) error) (Report, error) {
	report := Report{Path: path}
	if f, ok := parseName(filepath.Base(path)); ok {
		report.ID, report.Server = f.ID, f.Server
	}
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return report, err
	}
	defer f.Close()
	if report.Alive, err = held(f); err != nil {
		return report, err
	}
	s := newScanner(path, f)
	err = s.all(each)
	report.Lines, report.First, report.Last, report.Torn = s.lines, s.first, s.last, s.torn
	return report, err
}

// held reports whether a process holds the lock of f, without keeping it.
func held(f *os.File) (bool, error) {
	free, err := tryLock(f)
	if err != nil {
		return false, fmt.Errorf("ledger file %q: lock: %w", f.Name(), err)
	}
	if free {
		err = unlock(f)
	}
	return !free, err
}

// all reads to the end of the complete lines.
func (s *scanner) all(each func(line []byte, hash string) error) error {
	for {
		line, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(line, s.last); err != nil {
			return err
		}
	}
}
