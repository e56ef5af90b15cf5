package proxy

import (
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/wire"
)

// maxListed is how many bytes of lists are kept for one client of one server, to know
// what they would be under another policy, and maxPages how many pages of one list.
const (
	maxListed = 8 << 20
	maxPages  = 256
)

// listsShown are what a client was last shown of the lists of a server, by kind.
type listsShown struct {
	mu     sync.Mutex
	kinds  map[string]*listShown
	parted bool // nobody is told any more what they have become
}

// listShown are the pages of one list, by cursor.
type listShown struct {
	pages map[string]listPage
	some  bool // of the pages are not kept
}

// listPage is one page: as the server sent it, and the digest of what was shown.
type listPage struct {
	m       Message
	sum     [sha256.Size]byte
	changes uint64 // how many policies had come when it was shown, or last looked at
	sent    bool   // it is not on its way any more
}

// keep notes a page that is about to be shown. The first page begins a list anew.
func (s *listsShown) keep(k *Keeper, kind, cursor string, p listPage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parted {
		return
	}
	list := s.kinds[kind]
	if list == nil || cursor == "" {
		k.listed.Add(-list.size())
		list = &listShown{pages: map[string]listPage{}}
		if s.kinds == nil {
			s.kinds = map[string]*listShown{}
		}
		s.kinds[kind] = list
	}
	if old, again := list.pages[cursor]; again {
		k.listed.Add(-int64(len(old.m.Frame.Raw)))
		delete(list.pages, cursor)
	}
	size := int64(len(p.m.Frame.Raw))
	if len(list.pages) >= maxPages || k.listed.Add(size) > maxListed {
		if len(list.pages) < maxPages {
			k.listed.Add(-size)
		}
		list.some = true
		return
	}
	list.pages[cursor] = p
}

// size is how many bytes of pages are kept.
func (l *listShown) size() (n int64) {
	if l == nil {
		return 0
	}
	for _, p := range l.pages {
		n += int64(len(p.m.Frame.Raw))
	}
	return n
}

// forget lets go of all of it.
func (s *listsShown) forget(k *Keeper) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.kinds {
		k.listed.Add(-list.size())
	}
	s.kinds, s.parted = nil, true
}

// lose notes that a page was not shown after all: what the client has is not known.
func (s *listsShown) lose(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list := s.kinds[kind]; list != nil {
		list.some = true
	}
}

// look returns the pages of a list, in order, and notes that they are being looked at;
// false: not all that was shown is known. Those that are on their way are not among
// them: who sends them looks at them behind that, so that the client is not told first.
func (s *listsShown) look(kind string, changes uint64) ([]listPage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.kinds[kind]
	if list == nil || list.some || len(list.pages) == 0 {
		return nil, false
	}
	var out []listPage
	for _, cursor := range slices.Sorted(maps.Keys(list.pages)) {
		p := list.pages[cursor]
		if !p.sent {
			continue
		}
		p.changes = changes
		list.pages[cursor] = p
		out = append(out, p)
	}
	return out, true
}

// overtaken notes that a page has gone, and returns it if another policy has come
// meanwhile, once.
func (s *listsShown) overtaken(kind, cursor string, count *atomic.Uint64) (listPage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.kinds[kind]
	if list == nil {
		return listPage{}, false
	}
	p, ok := list.pages[cursor]
	if !ok {
		return listPage{}, false
	}
	changes := count.Load() // with mu: who looks has counted before
	was := p.changes
	p.sent, p.changes = true, changes
	list.pages[cursor] = p
	return p, was != changes
}

// lists notes what the client is about to be shown of a list.
func (r *relay) lists(m Message, shown []byte) {
	if kind := m.listKind(); kind != "" && m.Frame.Kind == wire.Response {
		r.seen.keep(r.Keeper, kind, m.cursor, listPage{m: Message{Frame: m.Frame, Event: m.Event}, sum: sha256.Sum256(shown), changes: m.changes})
	}
}

// differs says whether a list is shown otherwise now than the client has seen it. What
// was not seen here, or is not known any more, differs if lists are shown in other ways,
// and so does what plugins were never asked about.
func (r *relay) differs(kind string, before, after gate.Way, changes uint64) bool {
	pages, known := r.seen.look(kind, changes)
	if !known {
		return before != after
	}
	return len(pages) > 0 && unasked(kind, before, after) || slices.ContainsFunc(pages, func(p listPage) bool { return r.listedNow(kind, p, after) != p.sum })
}

// unasked says whether plugins judge lists of a kind that have not judged the last one.
// Of tools they are asked again when a policy comes.
func unasked(kind string, before, after gate.Way) bool {
	return kind != abi.ListTools && after.Plugins != "" && after.Plugins != before.Plugins
}

// stale says whether a page that was shown just now is of a policy that is not in force
// any more, and is not what it would be.
func (r *relay) stale(kind, cursor string) bool {
	p, ok := r.seen.overtaken(kind, cursor, &r.changes)
	if !ok {
		return false
	}
	way := r.o.Engine.Ways(r.o.Server)[kind]
	return unasked(kind, gate.Way{}, way) || r.listedNow(kind, p, way) != p.sum
}

// listedNow is the digest of a page as it would be shown under the policy in force;
// zero: it would not be.
func (r *relay) listedNow(kind string, p listPage, way gate.Way) (sum [sha256.Size]byte) {
	m := p.m
	if way.Plugins != "" {
		m.list = &abi.ListOf{Server: r.o.Server, Kind: kind}
	}
	var value abi.Value
	if m.Event.Frame != nil {
		value = m.Event.Frame.Frame
	}
	edits, ok := r.o.Engine.ListEdits(kind, value)
	if !ok {
		return sum
	}
	raw, err := spliced(m.Frame.Raw, body(m.Frame), edits)
	if err == nil {
		raw, err = r.hide(m, raw)
	}
	if err != nil {
		return sum
	}
	return sha256.Sum256(raw)
}
