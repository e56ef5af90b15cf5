package segment

import (
	"errors"
	"io/fs"
	"os"
	"slices"
)

// Over returns the oldest closed segments that must go for the others to have no
// more bytes than they may. The live one never does.
func (s *Store) Over() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.total + s.size
	if s.o.Most <= 0 || left <= s.o.Most {
		return nil
	}
	var out []string
	for _, c := range s.sizes {
		if left <= s.o.Most {
			break
		}
		out = append(out, c.name)
		left -= c.bytes
	}
	return out
}

// Remove deletes a closed segment, of this process or one that it adopted. One
// that is gone is no error, and one that can not be deleted stays in [Store.Over].
func (s *Store) Remove(name string) error {
	s.mu.Lock()
	i := s.at(name)
	if i >= 0 {
		s.sizes[i].going = true
		s.queue = slices.DeleteFunc(s.queue, func(q string) bool { return q == name })
	}
	s.mu.Unlock()
	if i < 0 {
		return nil
	}
	if err := s.remove(name, rawSuffix, s2Suffix); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.at(name); i >= 0 {
		s.total -= s.sizes[i].bytes
		s.sizes = slices.Delete(s.sizes, i, i+1)
	}
	return nil
}

// at returns the index of a closed segment, -1 if it is none.
func (s *Store) at(name string) int {
	return slices.IndexFunc(s.sizes, func(c sized) bool { return c.name == name })
}

// remove deletes forms of a segment, and lets go of them first, since some
// systems do not delete what is open.
func (s *Store) remove(name string, suffixes ...string) error {
	s.Reader.mu.Lock()
	defer s.Reader.mu.Unlock()
	s.forget(name)
	var errs []error
	for _, suffix := range suffixes {
		if err := os.Remove(path(s.dir, name, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// work starts the goroutine that compresses, unless it runs or has nothing to
// do. It is called with mu held.
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
	if s.closed || len(s.queue) == 0 {
		s.working = nil
		s.mu.Unlock()
		return false
	}
	name := s.queue[0]
	s.queue = s.queue[1:]
	s.mu.Unlock()
	size, err := pack(s.dir, name, s.o.ID, s.stopped)
	s.mu.Lock()
	i := s.at(name)
	kept := i >= 0 && !s.sizes[i].going
	if kept && err == nil {
		s.total += size - s.sizes[i].bytes
		s.sizes[i].bytes = size
	}
	s.mu.Unlock()
	// A file that can not be deleted is read as well as the other, and counts with
	// the next process.
	switch {
	case !kept:
		_ = s.remove(name, rawSuffix, s2Suffix) // it went meanwhile
	case err == nil:
		_ = s.remove(name, rawSuffix)
	}
	return true
}

func (s *Store) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
