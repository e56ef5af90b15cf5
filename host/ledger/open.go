package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/callgate/callgate/abi"
)

// Options says which ledger to open. No field but Since and those after it
// may be left out.
type Options struct {
	Dir    string    // group directory; created with mode 0700
	Server string    // server name; its earlier files in Dir are continued
	Now    time.Time // goes into the file name, later than the newest file's
	ID     string    // 32 lower-case hex digits, random
	Since  time.Time // earlier files whose last write is older are not opened; see Open

	// Sync makes durable what the lines refer to and does not lie in them. It runs
	// whenever the lines are made durable; an error of it poisons the ledger. Nil:
	// there is nothing.
	Sync func() error

	// Event is handed every event of the earlier files while they are verified,
	// oldest file first, so that resuming reads every byte once; the next ones
	// are read and parsed meanwhile. A later break fails Open: what was made of
	// the events must be thrown away then. An error of Event fails Open, and so
	// does a line that is no event. Nil: the lines are only verified.
	Event func(f File, e abi.Event) error
}

// Prior is one earlier file of the same server. Its lines were verified when
// the ledger was opened.
type Prior struct {
	Path     string
	ID       string    // first 12 hex digits
	Modified time.Time // last write, before anything was cut off
	Lines    int       // complete lines, all verified
	Last     string    // hash of the last of them; empty without lines
	Offset   int64     // bytes of the complete lines, from the file's start
	Cut      int64     // bytes of a torn last line that were cut off
	Alive    bool      // another process holds it: it may grow, and nothing was cut off

	lastAt int64 // where the last complete line begins
}

// Open creates this process's ledger file, mode 0600, and verifies the earlier
// files of the same server in the group, which it returns oldest first. The new
// file's first line will name the last line of the newest file that has one.
//
// Files last written before o.Since are left alone, except the newest with a
// line and those after it. A torn last line of a dead process is cut off. Any
// other break, in a file or between two, refuses with a *Break.
//
// Between two files the rule is: the first prev of a file is the hash of a line
// of an earlier file, or the first prev of one (two processes started from the
// same line). The oldest file read that has lines may name one that is gone or
// was left alone.
func Open(o Options) (*Ledger, []Prior, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	dir := filepath.Clean(o.Dir)
	if err := ensureDir(dir); err != nil {
		return nil, nil, fmt.Errorf("ledger directory: %w", err)
	}
	all, err := Group(dir)
	if err != nil {
		return nil, nil, err
	}
	files := ofServer(all, o.Server)
	recent, left, err := since(files, o.Since)
	if err != nil {
		return nil, nil, err
	}
	priors, err := o.verifyPriors(recent, left)
	if err != nil {
		return nil, nil, err
	}
	prev, err := continued(priors)
	if err != nil {
		return nil, nil, err
	}
	at, err := nextTime(o.Now, files)
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, fileName(at, o.Server, o.ID))
	f, err := createFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("ledger: create: %w", err)
	}
	l := newLedger(osFile{f}, o.ID, path, prev)
	l.beside = o.Sync
	return l, priors, nil
}

// check refuses options that no file can be made of.
func (o Options) check() error {
	switch {
	case o.Dir == "":
		return errors.New("ledger: Options.Dir is empty; want the group directory")
	case o.Now.IsZero():
		return errors.New("ledger: Options.Now is zero; want the time of the start")
	case !isLowerHex(o.ID, 32):
		return fmt.Errorf("ledger: Options.ID is %q; want 32 random lower-case hex digits", o.ID)
	}
	return checkServer(o.Server)
}

// since parts files into those written at or after limit, with the newest that
// has a line and those after it in any case, and those to leave alone.
func since(files []File, limit time.Time) (recent, left []File, err error) {
	head := false
	for _, f := range slices.Backward(files) {
		if head && f.Modified.Before(limit) {
			left = append(left, f)
			continue
		}
		recent = append(recent, f)
		if !head {
			p, err := peek(f.Path)
			if err != nil {
				return nil, nil, err
			}
			head = p.line
		}
	}
	slices.Reverse(recent)
	return recent, left, nil
}

// continued returns the hash that the new file continues after. It makes the
// line with that hash durable: its process may have been killed before it did,
// and a line that is named must not be lost while the one that names it stays.
func continued(priors []Prior) (string, error) {
	for _, p := range slices.Backward(priors) {
		if p.Lines == 0 {
			continue
		}
		f, err := openRegular(p.Path, os.O_RDWR)
		if err != nil {
			return "", fmt.Errorf("ledger: %w", err)
		}
		defer f.Close()
		if err := datasync(f); err != nil {
			return "", fmt.Errorf("ledger file %q: sync: %w", p.Path, err)
		}
		return p.Last, nil
	}
	return zeroHash, nil
}

// nextTime returns now, or the first instant after the newest file where the
// clock was set back: the order of names is the order of the chain.
func nextTime(now time.Time, files []File) (time.Time, error) {
	at := now.UTC()
	if n := len(files); n > 0 && !at.After(files[n-1].Time) {
		at = files[n-1].Time.Add(1)
	}
	if y := at.Year(); y < 0 || y > 9999 {
		return at, fmt.Errorf("ledger: the new file's time would be in the year %d; want at most 9999: set the clock, or move the files with later times away", y)
	}
	return at, nil
}

// verifyPriors verifies files of one server, oldest first.
func (o Options) verifyPriors(files, left []File) ([]Prior, error) {
	c, err := newChain(files)
	if err != nil {
		return nil, err
	}
	c.left = left
	var priors []Prior
	for _, f := range files {
		p, first, err := o.verifyPrior(f, c)
		if err != nil {
			return nil, err
		}
		if err := c.join(f.Path, first); err != nil {
			return nil, err
		}
		priors = append(priors, p)
	}
	return priors, nil
}

// verifyPrior verifies one file and cuts off its torn last line if no process
// holds it. It also returns the prev of the first line.
func (o Options) verifyPrior(file File, c *chain) (Prior, string, error) {
	p := Prior{Path: file.Path, ID: file.ID, Modified: file.Modified}
	f, err := openRegular(file.Path, os.O_RDWR)
	if err != nil {
		return p, "", fmt.Errorf("ledger: %w", err)
	}
	defer f.Close()
	free, err := tryLock(f)
	if err != nil {
		return p, "", fmt.Errorf("ledger file %q: lock: %w", file.Path, err)
	}
	p.Alive = !free
	if free {
		defer unlock(f)
	}
	s := newScanner(file.Path, f)
	if err := o.handOut(s, file, c); err != nil {
		return p, "", err
	}
	p.Lines, p.Last, p.Offset, p.lastAt = s.lines, s.last, s.good, s.lastAt
	if free && s.torn > 0 {
		p.Cut = s.torn
		if err := cut(f, s.good, file.Modified); err != nil {
			return p, "", fmt.Errorf("ledger file %q: cut off a torn last line at byte %d: %w", file.Path, s.good, err)
		}
	}
	return p, s.first, nil
}

// handOut verifies a file and hands out its events, if o wants them.
func (o Options) handOut(s *scanner, file File, c *chain) error {
	if o.Event != nil {
		return s.events(c.saw, func(e abi.Event, _ extent) error { return o.Event(file, e) })
	}
	return s.all(func(_ []byte, hash string) error { c.saw(hash); return nil })
}

// cut shortens f to size bytes. It keeps the time of the last write, which
// tells how long a session has been idle.
func cut(f *os.File, size int64, modified time.Time) error {
	if err := f.Truncate(size); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Chtimes(f.Name(), time.Time{}, modified)
}
