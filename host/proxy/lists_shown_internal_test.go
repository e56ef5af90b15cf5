package proxy

import (
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// Whoever holds a list against a new policy while a page of it is on its way leaves that
// to who sends it: else the client would be told first, and shown the old list then.
func TestAPageThatIsOnItsWayIsLookedAtBehind(t *testing.T) {
	page := func(changes uint64) listPage {
		return listPage{m: Message{Frame: wire.Frame{Raw: []byte("{}")}}, changes: changes}
	}
	steps := []struct {
		name  string
		do    func(k *Keeper, s *listsShown) (pages int, known bool)
		pages int
		known bool
	}{
		{"nothing was shown", func(*Keeper, *listsShown) (int, bool) { return 0, false }, 0, false},
		{"on its way", func(k *Keeper, s *listsShown) (int, bool) {
			s.keep(k, abi.ListTools, "", page(0))
			return looked(k, s)
		}, 0, true},
		{"gone, behind another policy", func(k *Keeper, s *listsShown) (int, bool) {
			_, stale := s.overtaken(abi.ListTools, "", &k.changes)
			n, _ := looked(k, s)
			return n, stale
		}, 1, true},
		{"gone before", func(k *Keeper, s *listsShown) (int, bool) {
			_, stale := s.overtaken(abi.ListTools, "", &k.changes)
			n, _ := looked(k, s)
			return n, stale
		}, 1, false},
		{"the next page is on its way", func(k *Keeper, s *listsShown) (int, bool) {
			s.keep(k, abi.ListTools, "c", page(k.changes.Load()))
			return looked(k, s)
		}, 1, true},
		{"it was not shown", func(k *Keeper, s *listsShown) (int, bool) {
			s.lose(abi.ListTools)
			return looked(k, s)
		}, 0, false},
		{"begun anew", func(k *Keeper, s *listsShown) (int, bool) {
			s.keep(k, abi.ListTools, "", page(k.changes.Load()))
			_, stale := s.overtaken(abi.ListTools, "", &k.changes)
			n, known := looked(k, s)
			return n, known && !stale
		}, 1, true},
	}
	k, s := &Keeper{}, &listsShown{}
	for _, c := range steps {
		if pages, known := c.do(k, s); pages != c.pages || known != c.known {
			t.Errorf("%s: %d, %v; want %d, %v", c.name, pages, known, c.pages, c.known)
		}
	}
	if len(steps) == 0 {
		t.Fatal("no steps")
	}
}

// looked is how many pages a reload looks at.
func looked(k *Keeper, s *listsShown) (int, bool) {
	pages, known := s.look(abi.ListTools, k.changes.Add(1))
	return len(pages), known
}

// An answer that comes when its client has parted takes no room from others.
func TestWhatComesForAClientThatHasPartedIsNotKept(t *testing.T) {
	k, s := &Keeper{}, &listsShown{}
	keep := func() int64 {
		s.keep(k, abi.ListTools, "", listPage{m: Message{Frame: wire.Frame{Raw: []byte("{}")}}})
		return k.listed.Load()
	}
	if n := keep(); n != 2 {
		t.Errorf("%d bytes are kept; want 2", n)
	}
	s.forget(k)
	if n := keep(); n != 0 {
		t.Errorf("%d bytes are kept of a client that has parted", n)
	}
	var count atomic.Uint64
	if _, stale := s.overtaken(abi.ListTools, "", &count); stale {
		t.Error("it is looked at")
	}
}
