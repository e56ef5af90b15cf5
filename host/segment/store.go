package segment

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/callgate/callgate/abi"
)

// Options says where a store keeps its segments.
type Options struct {
	Dir string // the group's directory
	ID  string // of the ledger, at least 12 lower-case hex digits
	// Most is how many bytes all segments of the server may have on the disk
	// before [Store.Over] names some; 0: no limit.
	Most int64
	// Segment is the size at which the next one begins, in bytes; 0: 16 MiB, or
	// less where Most would be only a few of these.
	Segment int64
}

const (
	idLen          = 12
	defaultSegment = 16 << 20
	leastSegment   = 256 << 10
	shares         = 8       // of Most, that a segment may have one of
	piece          = 1 << 20 // about what one write has at most, in bytes
)

// Store keeps the text of one process, and reads that of all in the directory.
// The zero value keeps nothing. It is safe for concurrent use.
type Store struct {
	*Reader
	o      Options
	create func(path string) (file, error)

	mu     sync.Mutex
	live   file // nil before the first text
	name   string
	n      int
	size   int64
	poison error   // first failure; nothing is accepted after it
	sizes  []sized // closed segments, oldest first
	total  int64   // of their sizes
	dirty  []file  // written since the last sync; all but the live one are to be closed
	fresh  bool    // the directory has a new name
	closed bool
	buf    []byte

	syncing sync.Mutex // one sync at a time; taken before mu

	queue   []string      // to compress
	working chan struct{} // closed when nothing compresses any more; nil if nothing does
}

// sized is a closed segment.
type sized struct {
	name  string
	bytes int64 // on the disk
	going bool  // it is being removed
}

// Open returns the store of a process. The first segment appears with the first
// text.
func Open(o Options) (*Store, error) {
	if len(o.ID) < idLen || !names.MatchString(segmentName(o.ID[:idLen], 1)) {
		return nil, fmt.Errorf("segments of ledger %q: want at least %d lower-case hex digits", o.ID, idLen)
	}
	o.ID = o.ID[:idLen]
	if o.Segment == 0 {
		o.Segment = defaultSegment
		if o.Most > 0 {
			o.Segment = min(o.Segment, max(o.Most/shares, leastSegment))
		}
	}
	return &Store{Reader: NewReader(o.Dir), o: o, create: create}, nil
}

// Put writes a text and returns where it is. It is not durable yet. After an
// error nothing more is accepted.
func (s *Store) Put(text []byte) (abi.Text, error) {
	if s == nil || s.create == nil {
		return abi.Text{}, errors.New("segments are not open; want a store from Open")
	}
	digest := abi.DigestBytes(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.poison != nil:
		return abi.Text{}, s.poison
	case s.closed:
		return abi.Text{}, fmt.Errorf("segments of ledger %q: %w", s.o.ID, os.ErrClosed)
	}
	if err := s.room(framed(len(text))); err != nil {
		return abi.Text{}, s.fail(err)
	}
	t := abi.Text{Digest: digest, Segment: s.name, Offset: s.size, Length: int64(len(text))}
	if err := s.write(text); err != nil {
		return abi.Text{}, s.fail(err)
	}
	return t, nil
}

// write writes a text as frames into the live segment.
func (s *Store) write(text []byte) error {
	s.soil()
	for {
		part := text[:min(len(text), piece/frameBytes*frameBytes)]
		s.buf = appendFrames(s.buf[:0], part)
		n, err := s.live.Write(s.buf)
		s.size += int64(n)
		if err == nil && n < len(s.buf) {
			err = errors.New("the file took no more")
		}
		if err != nil {
			return fmt.Errorf("write of %d bytes stopped after %d: %w", len(s.buf), n, err)
		}
		if text = text[len(part):]; len(text) == 0 {
			return nil
		}
	}
}

// soil has the next sync include the live segment.
func (s *Store) soil() {
	if len(s.dirty) == 0 || s.dirty[len(s.dirty)-1] != s.live {
		s.dirty = append(s.dirty, s.live)
	}
}

// room begins the next segment if a text does not fit into the live one. A text
// that is larger than any has one for itself.
func (s *Store) room(n int64) error {
	if s.live != nil {
		if s.size+n <= s.o.Segment || s.size == headLen {
			return nil
		}
		s.soil() // the next sync closes it
		s.sizes = append(s.sizes, sized{name: s.name, bytes: s.size})
		s.total += s.size
		if s.n > 1 { // the newest closed one is still read often
			s.queue = append(s.queue, segmentName(s.o.ID, s.n-1))
		}
	}
	name := segmentName(s.o.ID, s.n+1)
	f, err := s.create(path(s.dir, name, rawSuffix))
	if err != nil {
		return err
	}
	s.live, s.name, s.fresh = f, name, true
	s.n++
	s.work()
	written, err := f.Write([]byte(rawMagic))
	if err == nil && written < len(rawMagic) {
		err = errors.New("the file took no header")
	}
	s.size = int64(written)
	return err
}

// fail has nothing accepted any more, and returns why.
func (s *Store) fail(err error) error {
	if s.poison == nil {
		s.poison = fmt.Errorf("segments of ledger %q accept no more text: %w: mend the cause and restart", s.o.ID, err)
	}
	return s.poison
}

// Sync makes durable what was put before. It costs nothing if that is so.
func (s *Store) Sync() error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.mu.Lock()
	if s.poison != nil || len(s.dirty) == 0 {
		defer s.mu.Unlock()
		return s.poison
	}
	files, fresh, live := s.dirty, s.fresh, s.live
	s.dirty, s.fresh = nil, false
	s.mu.Unlock()
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Sync())
		if f != live {
			errs = append(errs, f.Close())
		}
	}
	if fresh {
		errs = append(errs, syncDir(s.dir))
	}
	err := errors.Join(errs...)
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fail(err)
}

// Close makes durable what is not yet, and ends compressing: what is left to
// compress, the next process will. A second Close does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		defer s.mu.Unlock()
		return s.poison
	}
	s.closed = true
	working := s.working
	s.mu.Unlock()
	if working != nil {
		<-working
	}
	errs := []error{s.Sync()}
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != nil && !slices.Contains(s.dirty, s.live) {
		s.dirty = append(s.dirty, s.live)
	}
	for _, f := range s.dirty { // more than the live one only after a failure
		errs = append(errs, f.Close())
	}
	s.dirty = nil
	return errors.Join(append(errs, s.Reader.Close())...)
}
