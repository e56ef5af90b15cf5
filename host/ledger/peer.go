package ledger

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/callgate/callgate/abi"
)

// watching says what a Poll does to learn whether a file has changed.
type watching uint8

const (
	gone   watching = iota // nothing: it is not there
	quiet                  // nothing: its process has ended and all of it was read
	path                   // looks at its path
	handle                 // looks at the open file
)

// maxOpen bounds the files that a Tail keeps open; the others are looked at by
// their paths. More processes than that do not run in a group.
const maxOpen = 64

// extent is how much of a file was read.
type extent struct {
	lines  int
	last   string // hash of the last line
	lastAt int64  // where that line begins
	offset int64  // where the next line begins
}

func (p Prior) read() extent {
	return extent{lines: p.Lines, last: p.Last, lastAt: p.lastAt, offset: p.Offset}
}

// peer is one file of another process.
type peer struct {
	file  File
	read  extent
	watch watching
	f     *descriptor // nil unless watch is handle
	seen  stamp       // of what was read last; zero: it must be looked at
	err   error       // why it is not read any further

	listed   bool // the directory has it
	fresh    bool // it was never looked at
	idle     bool // it was last written before Since, and left alone
	dead     bool // its process has ended
	replaced bool // another file took its place while its process was alive
	lost     bool // it was broken and is gone, which Poll has not told yet
}

func (p *peer) progress() Progress {
	return Progress{File: p.file, Lines: uint64(p.read.lines), Last: p.read.last, Err: p.err}
}

// look reads what is new in a file and says whether there is progress to tell.
func (t *Tail) look(p *peer, read func(p *peer) error) bool {
	if p.lost {
		p.lost, p.err = false, nil
		return true
	}
	at, err := p.stamp()
	if err == nil && at == p.seen {
		t.settle(p)
		return false
	}
	wasOpen := p.f != nil
	if err == nil {
		err = t.openPeer(p, at)
	}
	if errors.Is(err, fs.ErrNotExist) {
		t.vanish(p)
		return p.lost && t.look(p, read)
	}
	before := p.read.lines
	if err == nil {
		err = t.advance(p, wasOpen, read)
	}
	changed := p.read.lines != before || (err == nil) != (p.err == nil) || err != nil && err.Error() != p.err.Error()
	p.err = err
	t.settle(p)
	return changed
}

func (p *peer) stamp() (stamp, error) {
	if p.f != nil {
		return p.f.stamp()
	}
	return stampAt(p.file.Path)
}

// openPeer opens the file of a peer, unless it is open, which looked like at a
// moment ago. First it looks whether its process lives, then how long the file
// is: what a dead process has written is all there by then.
func (t *Tail) openPeer(p *peer, at stamp) error {
	p.note(at)
	if kind := at.kind(); kind != 0 {
		return notRegular(p.file.Path, kind)
	}
	if p.f != nil {
		return nil
	}
	p.seen = stamp{} // an error may pass without a change of the file
	f, err := openRegular(p.file.Path, os.O_RDONLY)
	if err != nil {
		return err
	}
	p.f, p.watch = newDescriptor(f), handle
	t.open++
	free, err := probe(p.f)
	if err != nil {
		return err
	}
	// A process that has just made its file has not locked it yet, so only one
	// with something in it, or an old one, is taken for a dead process's.
	p.dead = free && (at.size > 0 || t.old(at))
	now, err := p.f.stamp()
	if err != nil {
		return err
	}
	p.note(now)
	return nil
}

// note keeps how a file looks.
func (p *peer) note(at stamp) {
	p.seen = at
	p.file.Size, p.file.Modified = at.size, time.Unix(0, at.mtime)
}

// old says whether a file was last written before what this tail reads.
func (t *Tail) old(at stamp) bool { return time.Unix(0, at.mtime).Before(t.since) }

// advance reads a file that has changed since it was looked at.
func (t *Tail) advance(p *peer, wasOpen bool, read func(p *peer) error) error {
	if p.fresh {
		p.fresh = false
		if p.idle = t.old(p.seen); p.idle {
			return nil
		}
	}
	p.idle = false
	if !wasOpen || p.seen.size <= p.read.offset {
		if err := p.recheck(); err != nil {
			return err
		}
	}
	return read(p)
}

// recheck finds out whether what was read of a file is still there. A line
// names the hash of the line before it, so the last one stands for them all.
func (p *peer) recheck() error {
	r := p.read
	broken := func(line int, at int64, found, want string) error {
		return &Break{Path: p.file.Path, Line: line, Offset: at, Found: found, Want: want, Mend: startWithout}
	}
	want := "the " + strconv.Itoa(r.lines) + " lines that were read from it before"
	told := p.err != nil
	if p.replaced && !told {
		return broken(1, 0, "another file in place of one that a process is still writing", want+", in the file that it writes; or start the processes of the group again")
	}
	p.replaced = false
	if p.seen.size < r.offset {
		return broken(r.lines, p.seen.size, "the end of the file", want)
	}
	if r.lines == 0 {
		return nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(p.f, r.lastAt, r.offset-1-r.lastAt)); err != nil {
		return fmt.Errorf("ledger file %q: read after byte %d: %w", p.file.Path, r.lastAt, err)
	}
	var end [1]byte
	if _, err := p.f.ReadAt(end[:], r.offset-1); err != nil {
		return fmt.Errorf("ledger file %q: read after byte %d: %w", p.file.Path, r.offset-1, err)
	}
	if hash := hex.EncodeToString(h.Sum(nil)); hash != r.last || end[0] != '\n' {
		return broken(r.lines, r.lastAt, "another line than was read there before", "the line with the hash "+r.last)
	}
	return nil
}

// readOn hands out the complete lines up to the size that the file had when it
// was looked at.
func (t *Tail) readOn(p *peer, each func(f File, line []byte) error) error {
	s := t.more(p)
	for {
		line, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(p.file, line); err != nil {
			return s.refused(err)
		}
		p.read = s.read()
	}
}

// eventsOn is readOn for events. Where much is new, it is parsed ahead of each.
func (t *Tail) eventsOn(p *peer, each func(f File, e abi.Event) error) error {
	if p.seen.size-p.read.offset < batchBytes {
		return t.readOn(p, func(f File, line []byte) error {
			e, err := abi.ParseEvent(line)
			if err != nil {
				return err
			}
			return each(f, e)
		})
	}
	return t.more(p).events(func(string) {}, func(e abi.Event, to extent) error {
		if err := each(p.file, e); err != nil {
			return err
		}
		p.read = to
		return nil
	})
}

// more returns the scanner of what is new in a file.
func (t *Tail) more(p *peer) *scanner {
	t.scan.resume(p.file.Path, io.NewSectionReader(p.f, p.read.offset, p.seen.size-p.read.offset), p.read)
	return t.scan
}

// resume makes a scanner go on after what was read of a file.
func (s *scanner) resume(path string, r io.Reader, from extent) {
	const keep = 1 << 20 // one large line must not hold its memory for ever
	if cap(s.long) > keep {
		s.long = nil
	}
	s.path, s.first, s.last, s.lines = path, "", from.last, from.lines
	s.good, s.lastAt, s.torn = from.offset, from.lastAt, 0
	if s.r == nil {
		s.r = bufio.NewReaderSize(r, 64<<10)
	}
	s.r.Reset(r)
}

// settle decides how a file is watched after it was looked at.
func (t *Tail) settle(p *peer) {
	switch {
	case p.err != nil:
		t.shut(p)
		// A mend in the instant of the last change would leave the stamp as it is.
		if !p.replaced && t.now().Sub(time.Unix(0, p.seen.mtime)) <= granularity {
			p.seen = stamp{}
		}
	case p.dead:
		t.shut(p)
		p.watch = quiet
	case p.read.lines == 0 && !p.idle || t.open > maxOpen:
		t.shut(p)
	}
}
