package gate

import (
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
)

// server is what is known of the tools of one server.
type server struct {
	pins   map[string]pin
	listed map[string]pin  // as last listed in this session
	twice  map[string]bool // listed twice, differently, in one list
	called map[string]bool // pinned from the calls themselves
	// started says that a first page was seen in this process, complete that a
	// listing reached its end; whole that some process saw a complete list.
	started, complete, whole bool
	first                    map[string]bool // cursors that continue the first listing
	current                  map[string]pin
	// reading says that a listing has begun and not reached its end, mixed that
	// another one had begun before it did: the pages can not be told apart.
	reading, mixed bool
	bytes          int64             // of what was listed
	identity       pin               // of the server itself; without a digest: none
	said           pin               // what it says of itself in this session, in the same form
	declined       string            // digest of what of that a person did not want
	graded         map[string]graded // by tool; that of the server itself under ""
	dirty          bool              // pins were added since they were last kept
}

type pin struct {
	definition abi.Value
	digest     string
	at         time.Time
	size       int64 // of the definition, in bytes
}

func newServer() *server {
	return &server{
		pins: map[string]pin{}, listed: map[string]pin{}, twice: map[string]bool{}, called: map[string]bool{},
		first: map[string]bool{}, current: map[string]pin{}, graded: map[string]graded{},
	}
}

// unlist forgets what a session saw; the pins stay.
func (v *server) unlist() {
	v.listed, v.twice, v.current, v.first = map[string]pin{}, map[string]bool{}, map[string]pin{}, map[string]bool{}
	v.started, v.complete, v.reading, v.mixed, v.bytes = false, false, false, false, 0
	v.said, v.declined = pin{}, ""
}

// of returns what is known of a server, so that more can be added.
func (s *State) of(name string) *server {
	srv := s.servers[name]
	if srv == nil {
		srv = newServer()
		s.servers[name] = srv
	}
	return srv
}

func pinned(definition abi.Value, at time.Time) pin {
	return pin{definition, abi.PinDigest(definition), at, int64(len(definition.Append(nil)))}
}

// list takes in a page of tool definitions. Text of servers enters provenance,
// since a description can carry an address as well as a result can.
func (s *State) list(e abi.Event) {
	t := e.Tools
	srv := s.of(t.Server)
	s.unbind(t.Server)
	s.ungrade()
	switch t.Source {
	case abi.ToolsStored:
		srv.stored(t.List)
		// A process that only asked the server what it is has seen no list.
		srv.whole = srv.whole || len(srv.pins) > 0 || len(t.List) == 0
		return
	case abi.ToolsAccepted:
		srv.stored(t.List)
		srv.dirty = true
		return
	case abi.ToolsCalled:
		for _, d := range t.List {
			name := d.Get("name").Str()
			srv.pins[name] = pinned(d, s.now)
			srv.called[name] = true
		}
		return
	}
	s.record(e)
	srv.page(t, s.now)
}

// stored takes in pins that were kept in an earlier session, or accepted.
func (v *server) stored(list []abi.Value) {
	for _, value := range list {
		p := abi.PinFrom(value)
		if p.Identity.Exists() {
			v.identity = pin{definition: p.Identity, digest: p.Identity.Digest(), at: p.At}
			continue
		}
		v.pins[p.Definition.Get("name").Str()] = pinned(p.Definition, p.At)
	}
}

// announce takes in what a server says of itself: it is pinned at first sight.
func (s *State) announce(e abi.Event) {
	srv := s.of(e.Server.Server)
	said, known := abi.IdentityBeside(srv.identity.definition, e.Server.Result)
	srv.said = pin{definition: said, digest: said.Digest(), at: s.now}
	if digest := known.Digest(); digest != srv.identity.digest {
		srv.identity, srv.dirty = pin{definition: known, digest: digest, at: s.now}, true
	}
	s.record(e)
}

// page takes in one page of a listing. Clients read pages again, and several may
// read at once: a page that no listing in progress waits for adds to what is
// listed, and ends nothing.
func (v *server) page(t *abi.ToolsEvent, now time.Time) {
	begins := !t.Paged || t.Cursor == "" && !v.reading
	cursor := abi.DigestBytes([]byte(t.Cursor)) // a cursor can be long
	firstListing := !v.whole && (begins && !v.started || t.Paged && v.first[cursor])
	if begins {
		v.mixed = v.reading
		v.current, v.twice = map[string]pin{}, map[string]bool{}
		v.started, v.reading = true, true
	}
	current := v.current
	if !v.reading {
		current = map[string]pin{}
	}
	for _, d := range t.List {
		v.definition(current, pinned(d, now), firstListing)
	}
	if t.More {
		if firstListing && len(v.first) < maxPages {
			v.first[abi.DigestBytes([]byte(t.Next))] = true
		}
		return
	}
	if !v.reading {
		return
	}
	v.dirty = v.dirty || !v.whole // that nothing was listed is kept as well
	v.complete, v.whole = true, true
	if !v.mixed {
		v.listed, v.bytes = current, 0
		for _, p := range current {
			v.bytes += p.size
		}
	}
	v.current, v.reading, v.mixed = map[string]pin{}, false, false
}

// definition takes in a definition of a listing. Of a tool that there is no room
// for, the client may have seen another than the gate knows: if it is pinned, it
// counts as listed twice.
func (v *server) definition(current map[string]pin, p pin, firstListing bool) {
	name := p.definition.Get("name").Str()
	_, isPinned := v.pins[name]
	listed, again := v.listed[name]
	if !again && len(v.listed) >= maxTools || listed.digest != p.digest && v.bytes+p.size > maxToolBytes {
		if isPinned || again {
			v.twice[name] = true
		}
		return
	}
	if was, again := current[name]; again && was.digest != p.digest {
		v.twice[name] = true
	}
	if listed.digest != p.digest {
		v.bytes += p.size
	}
	current[name], v.listed[name] = p, p
	if !isPinned && firstListing && pinnable(name) {
		v.pins[name] = p
		v.dirty = true
	}
}

// Pinnable says whether a tool of that name can be pinned: its name is printable
// ASCII, so that none can imitate another.
func Pinnable(name string) bool { return pinnable(name) }

func pinnable(name string) bool {
	for i := 0; i < len(name); i++ {
		if name[i] <= ' ' || name[i] > '~' {
			return false
		}
	}
	return name != "" && utf8.ValidString(name)
}

// pinOf says how a tool stands to its pin.
func (s *State) pinOf(serverName, tool string) abi.Definition {
	if !pinnable(tool) {
		return abi.Definition{State: abi.PinUnfit}
	}
	srv := s.servers[serverName]
	if srv == nil {
		return abi.Definition{State: abi.PinUnlisted}
	}
	p, isPinned := srv.pins[tool]
	l, isListed := srv.listed[tool]
	d := abi.Definition{Listed: l.definition, Pin: p.digest, Schema: p.definition.Get("inputSchema"), Annotations: p.definition.Get("annotations")}
	if !isPinned {
		d.Schema, d.Annotations = l.definition.Get("inputSchema"), l.definition.Get("annotations")
	}
	switch {
	case srv.complete && !isListed && !srv.called[tool]:
		d.State = abi.PinUnknown
	case isPinned && (isListed && p.digest != l.digest || srv.twice[tool]):
		g := s.drift(serverName, tool, p, l)
		d.State, d.Changed = abi.PinChanged, abi.ChangedMembers(p.definition, l.definition)
		d.Drift, d.Why, d.Twice = g.drift, g.why, srv.twice[tool]
	case isPinned:
		d.State = abi.PinOK
	case isListed:
		d.State = abi.PinLate
	default:
		d.State = abi.PinUnlisted
	}
	return d
}

// Pins returns what is pinned of a server ([abi.Pin.Value]), itself first and
// then its tools by name, and whether any was added since the last call.
func (s *State) Pins(serverName string) ([]abi.Value, bool) {
	srv := s.servers[serverName]
	if srv == nil {
		return nil, false
	}
	out := make([]abi.Value, 0, len(srv.pins)+1)
	if srv.identity.digest != "" {
		out = append(out, abi.Pin{Identity: srv.identity.definition, At: srv.identity.at}.Value())
	}
	for _, name := range slices.Sorted(maps.Keys(srv.pins)) {
		p := srv.pins[name]
		out = append(out, abi.Pin{Definition: p.definition, At: p.at}.Value())
	}
	dirty := srv.dirty
	srv.dirty = false
	return out, dirty
}
