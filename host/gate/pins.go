package gate

import (
	"slices"
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
	dirty                    bool // pins were added since they were last kept
}

type pin struct {
	definition abi.Value
	digest     string
}

func newServer() *server {
	return &server{
		pins: map[string]pin{}, listed: map[string]pin{}, twice: map[string]bool{}, called: map[string]bool{},
		first: map[string]bool{}, current: map[string]pin{},
	}
}

// unlist forgets what a session saw; the pins stay.
func (v *server) unlist() {
	v.listed, v.twice, v.current, v.first = map[string]pin{}, map[string]bool{}, map[string]pin{}, map[string]bool{}
	v.started, v.complete = false, false
}

func pinned(definition abi.Value) pin { return pin{definition, abi.PinDigest(definition)} }

// list takes in a page of tool definitions. Text of servers enters provenance,
// since a description can carry an address as well as a result can.
func (s *State) list(e abi.Event) {
	t := e.Tools
	srv := s.servers[t.Server]
	if srv == nil {
		srv = newServer()
		s.servers[t.Server] = srv
	}
	s.unbind(t.Server)
	switch t.Source {
	case abi.ToolsStored:
		srv.whole = true
		for _, d := range t.List {
			srv.pins[d.Get("name").Str()] = pinned(d)
		}
		return
	case abi.ToolsCalled:
		for _, d := range t.List {
			name := d.Get("name").Str()
			srv.pins[name] = pinned(d)
			srv.called[name] = true
		}
		return
	}
	s.record(e)
	srv.page(t)
}

// page takes in one page of a listing.
func (v *server) page(t *abi.ToolsEvent) {
	firstListing := !v.whole && (!v.started || t.Paged && v.first[t.Cursor])
	if !t.Paged {
		v.current, v.twice = map[string]pin{}, map[string]bool{}
	}
	v.started = true
	for _, d := range t.List {
		name, p := d.Get("name").Str(), pinned(d)
		if was, again := v.current[name]; again && was.digest != p.digest {
			v.twice[name] = true
		}
		v.current[name], v.listed[name] = p, p
		if _, known := v.pins[name]; !known && firstListing && pinnable(name) {
			v.pins[name] = p
			v.dirty = true
		}
	}
	if t.More {
		if firstListing {
			v.first[t.Next] = true
		}
		return
	}
	v.complete, v.whole = true, true
	v.listed = v.current
	v.current = map[string]pin{}
}

// pinnable says whether a tool name can be pinned: printable ASCII.
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
	case isPinned && isListed && (p.digest != l.digest || srv.twice[tool]):
		d.State, d.Changed = abi.PinChanged, abi.ChangedMembers(p.definition, l.definition)
	case isPinned:
		d.State = abi.PinOK
	case isListed:
		d.State = abi.PinLate
	default:
		d.State = abi.PinUnlisted
	}
	return d
}

// Pins returns the pinned definitions of a server, sorted by name, and whether
// any was added since the last call.
func (s *State) Pins(serverName string) ([]abi.Value, bool) {
	srv := s.servers[serverName]
	if srv == nil {
		return nil, false
	}
	names := make([]string, 0, len(srv.pins))
	for name := range srv.pins {
		names = append(names, name)
	}
	slices.Sort(names)
	out := make([]abi.Value, len(names))
	for i, name := range names {
		out[i] = srv.pins[name].definition
	}
	dirty := srv.dirty
	srv.dirty = false
	return out, dirty
}
