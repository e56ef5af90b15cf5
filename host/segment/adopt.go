package segment

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Adopt takes in the segments of earlier ledgers of the same server whose
// processes have ended, by their ids, oldest first: they count, what a crash has
// left half done is cleared away, and what is raw is compressed from now on.
func (s *Store) Adopt(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	order := map[string]int{}
	for i, id := range ids {
		if len(id) >= idLen {
			order[id[:idLen]] = i
		}
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("segments: %w", err)
	}
	all := map[string]*found{}
	for _, e := range entries {
		if err := s.look(e, order, all); err != nil {
			return fmt.Errorf("segments: %w", err)
		}
	}
	list := slices.SortedFunc(maps.Values(all), func(a, b *found) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.n, b.n))
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	var prior []sized
	for _, f := range list {
		prior = append(prior, f.sized)
		s.total += f.bytes
		if f.raw {
			s.queue = append(s.queue, f.name)
		}
	}
	s.sizes = append(prior, s.sizes...) // they are older than any of its own
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
func (s *Store) look(e os.DirEntry, ended map[string]int, all map[string]*found) error {
	name, suffix, _ := strings.Cut(e.Name(), ".")
	suffix = "." + suffix
	id, number, _ := strings.Cut(name, "-")
	order, ok := ended[id]
	if !ok || !names.MatchString(name) || !e.Type().IsRegular() {
		return nil
	}
	if owner, ok := strings.CutSuffix(strings.TrimPrefix(suffix, rawSuffix+"."), tmpSuffix); ok {
		if _, ok := ended[owner]; !ok {
			return nil // its process may be at it
		}
		if err := os.Remove(path(s.dir, name, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
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
		f.n, _ = strconv.Atoi(number) // a name has digits there
		all[name] = f
	}
	f.bytes += info.Size()
	f.raw = f.raw || suffix == rawSuffix
	return nil
}
