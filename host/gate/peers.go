package gate

import (
	"strings"

	"github.com/callgate/callgate/abi"
)

// Peer is another process of the group, by its ledger file.
type Peer struct {
	File   string // id of the file, at least 6 digits of it
	Server string // the operator's name for the server that it wraps
}

// Tail moves the state by one event of another process's ledger file. Any
// process of the user can write such a file, so only what tightens is taken
// from it: results and other text of servers taint, labels and denials add up,
// and calls count towards the budgets that servers share. It grants nothing,
// vouches for nothing, pins nothing, and does not end the session of a process
// that has joined it.
func Tail(s *State, from Peer, e abi.Event) {
	now := s.now
	s.folding = true
	defer func() { s.folding, s.now = false, now }()
	if !e.Time.IsZero() {
		s.now = e.Time.UTC()
	}
	if e.Text != nil && !from.holds(e.Text.Segment) {
		gone := *e.Text
		gone.Segment, gone.Offset = "", -1 // it lies, or lay, in that process's memory
		e.Text = &gone
	}
	switch {
	case e.Session != nil:
		s.peerOpens(e.Session)
	case e.Tools != nil:
		s.peerLists(from, e)
	case e.Call != nil:
		s.peerCalls(from, e)
	case e.Result != nil:
		s.peerAnswered(from, e)
	case e.Verdict != nil:
		n := from.entry(s, e.Verdict.ID)
		s.settle(n, e.Verdict)
		if done := s.session.ended[from.File]; n == nil && done != nil && done.call.ID == e.Verdict.ID {
			s.lower(done, e.Verdict) // it is about the result
		}
		s.foldList(from.Server, e)
	case e.Label != nil:
		s.addLabels(from.entry(s, e.Label.Call), e.Label)
	case e.Ask != nil:
		s.counted(e.Ask)
	case e.Lapsed != nil:
		s.unheld(from.entry(s, e.Lapsed.Call), e.Lapsed.Cancelled)
	case e.Server != nil:
		said := *e.Server
		said.Server, e.Server = from.Server, &said
		s.keep(unrecorded{event: e, peer: true}, from.File)
	case e.Frame != nil:
		f := *e.Frame
		f.Server, e.Frame = from.Server, &f
		s.keep(unrecorded{event: e, peer: true}, from.File)
	case e.Refused != nil:
		s.peerRefused(from, e)
	case e.Evicted != nil && from.holds(e.Evicted.Segment):
		s.keep(unrecorded{event: e, peer: true}, from.File)
	}
}

// holds says whether a segment belongs to the file: whatever a file says, it says
// nothing of another one's text. Names of segments begin with 12 digits of the
// file that they belong to.
func (p Peer) holds(segment string) bool {
	return len(p.File) >= 12 && strings.HasPrefix(segment, p.File[:12]+"-")
}

// key names a call of another process among the calls of this state. Ids of
// calls hold no colon, so it is no call of ours.
func (p Peer) key(id string) string { return p.File + ":" + id }

// owns says whether an id can be that of a call in the file: they begin with
// its digits. Whatever else a file says, it says nothing of our calls.
func (p Peer) owns(s *State, id string) bool {
	return len(p.File) >= 6 && strings.HasPrefix(id, p.File[:6]+"-") && s.file != p.File[:6]
}

// entry returns a call of the file that has no answer yet, or nil. One of our own
// server was folded if it was written before this process joined, and what
// became of it is told now.
func (p Peer) entry(s *State, id string) *entry {
	if n := s.session.entries[p.key(id)]; n != nil || !p.owns(s, id) {
		return n
	}
	return s.session.entries[id]
}

// peerOpens takes in that another process was started: after the idle window,
// that was a new session, unless this process is part of one. For whom it was
// started is not known for sure, and whether it wanted a new one does not count.
func (s *State) peerOpens(o *abi.SessionEvent) {
	if s.session.joined || s.session.open && s.fresh() {
		return
	}
	s.reset()
	s.session.open, s.session.id, s.session.last = true, o.ID, s.now
}

// peerLists takes in tool definitions of another process: they say what its
// calls count towards.
func (s *State) peerLists(from Peer, e abi.Event) {
	t := *e.Tools
	t.Server = from.Server
	e.Tools = &t
	if t.Source == "" || t.Source == abi.ToolsListed {
		s.keep(unrecorded{event: e, peer: true}, from.File)
	}
	s.ungrade()
	srv := s.foreign[from.Server]
	if srv == nil {
		srv = newServer()
		s.foreign[from.Server] = srv
	}
	for _, d := range t.Definitions() {
		name := d.Get("name").Str()
		if _, known := srv.pins[name]; !known && pinnable(name) {
			srv.pins[name] = pinned(d, s.now)
		}
	}
}

// peerCalls takes in a call of another process. What its client said vouches
// for nothing here, so its arguments stay out of provenance; what its server
// asked of the client taints.
func (s *State) peerCalls(from Peer, e abi.Event) {
	c := *e.Call
	c.Server = from.Server
	n := &entry{key: from.key(c.ID), peer: true, call: c}
	n.binding = &binding{}
	if s.policy != nil && c.Kind.IsTool() {
		var known pin
		if srv := s.foreign[from.Server]; srv != nil {
			known, n.pinned = srv.pins[c.Tool]
		}
		if !n.pinned {
			known.definition = abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue(c.Tool)})
		}
		n.binding = s.peerBinding(from.Server, c.Tool, known)
	}
	if e.Text != nil {
		n.unweighed = s.restore(&n.call, e.Text)
		c = n.call
	}
	s.session.entries[n.key] = n
	s.active()
	s.attempt(n)
	owned := from.owns(s, c.ID)
	switch {
	case c.Kind.FromServer(): // its params are text of the server
		if !owned {
			c.ID = ""
		}
	case !owned:
		return
	default:
		c.SetValues(abi.Value{})
		e.Text = nil
	}
	e.Call = &c
	s.keep(unrecorded{event: e, peer: true}, from.File)
}

// peerBinding returns the budgets that a call of another process is charged to.
func (s *State) peerBinding(serverName, tool string, of pin) *binding {
	key := "\x00" + serverName + "\x00" + tool + "\x00" + of.digest
	if b := s.bindings[key]; b != nil {
		return b
	}
	if len(s.bindings) >= maxBindings {
		s.bindings = map[string]*binding{}
	}
	b := &binding{budgets: s.policy.Budgets(serverName, of.definition)}
	if floor := s.policy.Floor(); floor != nil {
		b.budgets = append(b.budgets, floor.Budgets(serverName, of.definition)...)
	}
	s.bindings[key] = b
	return b
}

// peerAnswered takes in the result of a call of another process.
func (s *State) peerAnswered(from Peer, e abi.Event) {
	r := *e.Result
	r.Server = from.Server
	e.Result = &r
	s.active()
	if n := from.entry(s, r.Call); n != nil && n.decided && n.outcome == abi.Allow {
		s.finish(n, r.Failed())
		s.session.ended[from.File] = n
	}
	if !from.owns(s, r.Call) {
		r.Call = ""
	}
	s.keep(unrecorded{event: e, peer: true}, from.File)
}

// peerRefused takes in a frame that another process did not relay.
func (s *State) peerRefused(from Peer, e abi.Event) {
	r := *e.Refused
	r.Server = from.Server
	e.Refused = &r
	if r.Call != "" {
		s.release(from.entry(s, r.Call))
		return
	}
	if r.From != "client" {
		s.keep(unrecorded{event: e, peer: true}, from.File)
	}
	s.session.denied++
}
