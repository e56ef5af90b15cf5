package gate

import (
	"slices"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
)

// server is what is known of the tools of one server.
type server struct {
	pins    map[string]pin
	listed  map[string]abi.Value // as last listed in this process
	changed map[string][]string  // members that differ from the pin
	called  map[string]bool      // pinned from the calls themselves
	stored  bool                 // pins were kept from an earlier session
	// started says that a first page was seen in this process, complete that a
	// listing reached its end; whole that some process saw a complete list.
	started, complete, whole bool
	first                    map[string]bool // cursors that continue the first listing
	current                  map[string]abi.Value
	dirty                    bool // pins were added since they were last kept
}

type pin struct {
	definition abi.Value
	digest     string
}

func newServer() *server {
	return &server{
		pins: map[string]pin{}, listed: map[string]abi.Value{}, changed: map[string][]string{}, called: map[string]bool{},
		first: map[string]bool{}, current: map[string]abi.Value{},
	}
}

// unlist forgets what a process saw; its pins stay.
func (v *server) unlist() {
	v.listed, v.changed, v.current = map[string]abi.Value{}, map[string][]string{}, map[string]abi.Value{}
	v.first = map[string]bool{}
	v.started, v.complete = false, false
}

func (v *server) pin(name string, definition abi.Value) {
	v.pins[name] = pin{definition, abi.PinDigest(definition)}
	delete(v.changed, name)
}

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
		srv.stored, srv.whole = true, true
		for _, d := range t.List {
			srv.pin(d.Get("name").Str(), d)
		}
		return
	case abi.ToolsCalled:
		for _, d := range t.List {
			name := d.Get("name").Str()
			srv.pin(name, d)
			srv.called[name] = true
		}
		return
	}
	s.session.index.Record(e)
	srv.page(t)
}

// page takes in one page of a listing.
func (v *server) page(t *abi.ToolsEvent) {
	firstListing := !v.whole && (!v.started || t.Paged && v.first[t.Cursor])
	if !t.Paged {
		v.current = map[string]abi.Value{}
	}
	v.started = true
	for _, d := range t.List {
		name := d.Get("name").Str()
		v.current[name] = d
		v.listed[name] = d
		p, pinned := v.pins[name]
		switch {
		case pinned && p.digest != abi.PinDigest(d):
			v.changed[name] = abi.ChangedMembers(p.definition, d)
		case pinned:
			delete(v.changed, name)
		case firstListing && pinnable(name):
			v.pin(name, d)
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
	v.current = map[string]abi.Value{}
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
	p, pinned := srv.pins[tool]
	listed, isListed := srv.listed[tool]
	d := abi.Definition{Listed: listed, Pin: p.digest, Schema: p.definition.Get("inputSchema"), Annotations: p.definition.Get("annotations")}
	if !pinned {
		d.Pin, d.Schema, d.Annotations = "", listed.Get("inputSchema"), listed.Get("annotations")
	}
	switch {
	case srv.complete && !isListed && !srv.called[tool]:
		d.State = abi.PinUnknown
	case pinned && srv.changed[tool] != nil:
		d.State, d.Changed = abi.PinChanged, srv.changed[tool]
	case pinned:
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
