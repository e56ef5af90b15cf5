package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callgate/callgate/abi"
)

// Options says where a store keeps its segments.
type Options struct {
	Dir string // the group's directory
	ID  string // of the ledger, at least 12 lower-case hex digits
	// Most is how many bytes all segments of the server may have before
	// [Store.Over] names some; 0: no limit.
	Most int64
	// Segment is the size at which the next one begins, in bytes; 0: 16 MiB.
	Segment int64
}

const (
	defaultSegment = 16 << 20
	idLen          = 12
)

// Store keeps the text of one process, and reads that of all in the directory.
// It is safe for concurrent use.
type Store struct {
	*Reader
	o Options

	mu     sync.Mutex
	live   *os.File
	name   string
	n      int
	size   int64
	poison error
	sizes  []sized    // closed segments, oldest first
	dirty  []*os.File // written since the last sync; all but the live one are to be closed
	fresh  bool       // the directory has a new name
	closed bool
	buf    []byte

	syncing sync.Mutex // one sync at a time

	queue    []string // to compress
	working  chan struct{}
	stopping bool
}

// sized is a closed segment and its bytes on the disk.
type sized struct {
	name  string
	bytes int64
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
	}
	return &Store{Reader: NewReader(o.Dir), o: o}, nil
}

// Adopt takes in the segments of earlier ledgers of the same server whose
// processes have ended, by their ids, oldest first: they count, what a crash has
// left half done is cleared away, and what is raw is compressed from now on.
func (s *Store) Adopt(ids []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("segments: %w", err)
	}
	all := map[string]*found{}
	for _, e := range entries {
		if err := s.look(e, ids, all); err != nil {
			return err
		}
	}
	list := slices.SortedFunc(maps.Values(all), func(a, b *found) int {
		if a.order != b.order {
			return a.order - b.order
		}
		return a.n - b.n
	})
	for _, f := range list {
		s.sizes = append(s.sizes, f.sized)
		if f.raw {
			s.queue = append(s.queue, f.name)
		}
	}
	s.work()
	return nil
}

// found is a segment of an earlier process.
type found struct {
	sized
	order, n int
	raw      bool
}

// look takes in one name of the directory.
func (s *Store) look(e os.DirEntry, ids []string, all map[string]*found) error {
	name, suffix, ok := strings.Cut(e.Name(), ".")
	suffix = "." + suffix
	id, number, _ := strings.Cut(name, "-")
	order := slices.IndexFunc(ids, func(p string) bool { return len(p) >= idLen && p[:idLen] == id })
	if !ok || order < 0 || !names.MatchString(name) || !e.Type().IsRegular() {
		return nil
	}
	if suffix == tmpSuffix {
		if err := os.Remove(path(s.dir, name, tmpSuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("segments: %w", err)
		}
		return nil
	}
	info, err := e.Info()
	if err != nil || suffix != rawSuffix && suffix != s2Suffix {
		return nil // it has just gone, or is none
	}
	f := all[name]
	if f == nil {
		f = &found{sized: sized{name: name}, order: order}
		f.n, _ = strconv.Atoi(number)
		all[name] = f
	}
	f.bytes += info.Size()
	f.raw = f.raw || suffix == rawSuffix
	return nil
}

// Put writes a text and returns where it is. It is not durable yet. After an
// error nothing more is accepted.
func (s *Store) Put(text []byte) (abi.Text, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.poison != nil:
		return abi.Text{}, s.poison
	case s.closed:
		return abi.Text{}, fmt.Errorf("segments of %q: %w", s.dir, os.ErrClosed)
	}
	if err := s.room(framed(len(text))); err != nil {
		s.poison = fmt.Errorf("segments of %q accept no more text: %w: mend the cause and restart", s.dir, err)
		return abi.Text{}, s.poison
	}
	s.buf = appendFrames(s.buf[:0], text)
	n, err := s.live.Write(s.buf)
	if err == nil && n < len(s.buf) {
		err = fmt.Errorf("write of %d bytes stopped after %d", len(s.buf), n)
	}
	if cap(s.buf) > 1<<20 {
		s.buf = nil // one large text must not hold its memory for ever
	}
	if err != nil {
		s.poison = fmt.Errorf("segment %q accepts no more text: %w: mend the cause and restart", s.name, err)
		return abi.Text{}, s.poison
	}
	t := abi.Text{Digest: abi.DigestBytes(text), Segment: s.name, Offset: s.size, Length: int64(len(text))}
	s.size += int64(n)
	if len(s.dirty) == 0 || s.dirty[len(s.dirty)-1] != s.live {
		s.dirty = append(s.dirty, s.live)
	}
	return t, nil
}

// room begins the next segment if a text does not fit into the live one.
func (s *Store) room(n int64) error {
	if s.live != nil && s.size+n <= s.o.Segment {
		return nil
	}
	if s.live != nil && s.size == int64(len(rawMagic)) {
		return nil // larger than any: it has a segment of its own
	}
	if s.live != nil {
		s.sizes = append(s.sizes, sized{s.name, s.size})
		if len(s.dirty) == 0 || s.dirty[len(s.dirty)-1] != s.live {
			s.dirty = append(s.dirty, s.live)
		}
		if hot := segmentName(s.o.ID, s.n-1); s.n > 1 {
			s.queue = append(s.queue, hot)
		}
	}
	name := segmentName(s.o.ID, s.n+1)
	f, err := os.OpenFile(path(s.dir, name, rawSuffix), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(rawMagic); err != nil {
		return errors.Join(err, f.Close())
	}
	s.live, s.name, s.size, s.fresh = f, name, int64(len(rawMagic)), true
	s.n++
	s.work()
	return nil
}

// Sync makes durable what was put before. It costs nothing if that is so.
func (s *Store) Sync() error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	s.mu.Lock()
	files, fresh, live, poison := s.dirty, s.fresh, s.live, s.poison
	s.dirty, s.fresh = nil, false
	s.mu.Unlock()
	if poison != nil {
		return poison
	}
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
	if err != nil {
		s.mu.Lock()
		if s.poison == nil {
			s.poison = fmt.Errorf("segments of %q accept no more text: %w: mend the cause and restart", s.dir, err)
		}
		err = s.poison
		s.mu.Unlock()
	}
	return err
}

// Over returns the oldest closed segments that must go for the others to have no
// more bytes than they may.
func (s *Store) Over() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.o.Most == 0 {
		return nil
	}
	total := s.size
	for _, c := range s.sizes {
		total += c.bytes
	}
	var out []string
	for _, c := range s.sizes {
		if total <= s.o.Most {
			break
		}
		out = append(out, c.name)
		total -= c.bytes
	}
	return out
}

// Remove deletes a closed segment. One that is gone is no error.
func (s *Store) Remove(name string) error {
	s.mu.Lock()
	i := slices.IndexFunc(s.sizes, func(c sized) bool { return c.name == name })
	if i >= 0 {
		s.sizes = slices.Delete(s.sizes, i, i+1)
	}
	s.queue = slices.DeleteFunc(s.queue, func(q string) bool { return q == name })
	s.mu.Unlock()
	if i < 0 {
		return nil
	}
	s.Reader.mu.Lock()
	defer s.Reader.mu.Unlock()
	s.forget(name)
	var errs []error
	for _, suffix := range []string{rawSuffix, s2Suffix} {
		if err := os.Remove(path(s.dir, name, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// work starts the goroutine that compresses, unless it runs or has nothing to do.
func (s *Store) work() {
	if s.working != nil || len(s.queue) == 0 || s.closed {
		return
	}
	done := make(chan struct{})
	s.working = done
	go func() {
		defer close(done)
		for s.next() {
		}
	}()
}

// next compresses one segment and says whether there was one. Where that fails
// the raw file stays, which is as good.
func (s *Store) next() bool {
	s.mu.Lock()
	if s.stopping || len(s.queue) == 0 {
		s.working = nil
		s.mu.Unlock()
		return false
	}
	name := s.queue[0]
	s.queue = s.queue[1:]
	s.mu.Unlock()
	size, err := compress(s.dir, name, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.stopping
	})
	if err != nil {
		return true
	}
	s.mu.Lock()
	i := slices.IndexFunc(s.sizes, func(c sized) bool { return c.name == name })
	if i >= 0 {
		s.sizes[i].bytes = size
	}
	s.mu.Unlock()
	suffix := rawSuffix
	if i < 0 {
		suffix = s2Suffix // it was evicted meanwhile
	}
	if err := os.Remove(path(s.dir, name, suffix)); err == nil {
		s.Reader.mu.Lock()
		s.forget(name)
		s.Reader.mu.Unlock()
	}
	return true
}

// Close makes durable what is not yet, and ends compressing.
func (s *Store) Close() error {
	s.mu.Lock()
	s.stopping = true
	working := s.working
	s.mu.Unlock()
	if working != nil {
		<-working
	}
	err := s.Sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return err
	}
	s.closed = true
	if s.live != nil {
		err = errors.Join(err, s.live.Close())
	}
	return errors.Join(err, s.Reader.Close())
}
