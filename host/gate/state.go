// Package gate is the deterministic core: a fold over events.
//
//	outputs := gate.Step(state, event)
//
// Everything that can matter to a decision is an event, and Step answers with
// events of its own: verdicts, edits, asks and labels. It does no I/O but one
// read, of text that an event carries by reference, through the reader in
// [Options]. It starts no goroutine and takes no lock; a state belongs to one
// caller at a time. The same events give the same answers, byte for byte.
package gate

import (
	"strconv"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/provenance"
)

// Options is what a state is made of.
type Options struct {
	// Specs is the ordered table of contracts. Without any, every call is denied.
	Specs []contract.Spec
	// Text holds the text that events carry by reference. Without it such text
	// counts as gone.
	Text abi.TextReader
	// Loaded is a policy that is known to be good. An event that brings exactly
	// this one is spared the decoding.
	Loaded *policy.Policy
	// Plugin returns the plugin that an entry of `plugins:` binds. Without it every
	// such entry denies.
	Plugin func(contract.PluginRef) (contract.Plugin, error)
	// NewIndex makes the provenance index of a session; nil is provenance.New.
	NewIndex func(provenance.Options) provenance.Index
}

// State is what the events so far add up to. The zero value is not usable; see
// [New].
type State struct {
	opts Options
	now  time.Time
	// clock is the time of the last event of this process, which no event of the
	// past can be later than.
	clock time.Time
	// file is the start of every call id: six hex digits of the ledger file.
	file string
	// folding says that events of the past are applied, not judged.
	folding bool
	// recalled is what plugins said of the event that comes next, in the run that is
	// replayed, as far as they would not say it again.
	recalled map[string][]abi.Verdict
	// recording is what the index is taking in.
	recording unrecorded

	policy   *policy.Policy
	digest   string // of the policy
	settings policy.Settings
	bad      error // why the last policy event did not load

	servers  map[string]*server
	foreign  map[string]*server // of other processes of the group
	bindings map[string]*binding
	sources  map[string]provenance.Source // what the policy says of outputs, as far as it was asked
	counters map[string]*counter
	files    labelled // what files have, which outlive a session
	hidden   hidden   // items of lists, by plugins
	// launched is what was measured of servers before they were started.
	launched map[string]abi.Value
	// broken says which files of the group can not be read to their end, and why.
	broken map[string]string

	session session
}

// session is the part of the state that ends with the session.
type session struct {
	id        string
	open      bool
	last      time.Time // of the last event that counts as activity
	principal abi.Principal
	known     bool // whose session it is: a process of this server said so
	place     abi.Place
	protected []string
	labels    []string
	// capabilities are what allowed calls have shown, sorted.
	capabilities []string
	calls        int64
	denied       int64
	tools        map[string]int64
	left         map[string]allowance // of tools, see lower
	ended        map[string]*entry    // calls of other processes whose results came last, by file
	recent       []abi.Recent
	index        provenance.Index
	unrecorded   []unrecorded      // what the index has yet to take in, in order
	backlog      int64             // bytes of text in what was kept while joining
	unread       bool              // the index failed on an event
	entries      map[string]*entry // calls without an answer, by id
	asked        []*entry          // oldest first
	sent         []string          // keys of allowed calls, oldest first
	waiting      []string          // keys of the asked calls of other processes, oldest first
	questions    int64             // that people were asked, here and in other processes
	approved     []abi.Approved
	releases     []release // calls that people let go, oldest first
	standing     []standing
	flows        flows
	returning    []returning // calls that were answered, whose results have rules, oldest first
	looser       []string    // what starts of the session let, beyond the policy before them
	heard        abi.Event   // what a server said last
	joined       bool        // this process is part of the session: nothing that others write ends it
}

// unrecorded is an event that the index has yet to take in.
type unrecorded struct {
	event  abi.Event
	peer   bool   // another process wrote it: it taints, and vouches for nothing
	writer string // the file that it was read from, if that was before this process joined
}

// entry is one call of the session that may still matter.
type entry struct {
	key         string // in entries and counters; the id, for a call of this process
	peer        bool   // another process judges it
	call        abi.Call
	binding     *binding
	pinned      bool
	outcome     abi.Outcome
	decided     bool
	fingerprint string // of a pending ask
	ask         *abi.AskEvent
	held        bool // somebody waits for the answer to the ask
	unweighed   bool // its arguments are gone: it may have charged anything
}

// New returns the state before any event.
func New(o Options) *State {
	if o.NewIndex == nil {
		o.NewIndex = provenance.New
	}
	s := &State{
		opts: o, file: "000000", servers: map[string]*server{}, foreign: map[string]*server{}, bindings: map[string]*binding{},
		counters: map[string]*counter{}, sources: map[string]provenance.Source{}, broken: map[string]string{}, hidden: hidden{},
	}
	s.reset()
	return s
}

// reset starts a new session. Pins and budgets over a stretch of time outlive
// it.
func (s *State) reset() {
	keep := s.session
	if len(keep.labels) > 0 || keep.flows.crowded {
		s.rebind()
	}
	s.session = session{place: keep.place, protected: keep.protected, tools: map[string]int64{}, left: map[string]allowance{}, ended: map[string]*entry{}, entries: map[string]*entry{}}
	s.session.index = s.opts.NewIndex(provenance.Options{
		Text: s.opts.Text, Source: s.source, Writer: func() string { return s.recording.writer }, Labels: s.dataLabels,
		Markers: s.markers,
	})
	for scope, c := range s.counters {
		if !c.lasts() {
			delete(s.counters, scope)
		}
	}
}

// Digests says that the ledger keeps no text: neither arguments nor results.
func (s *State) Digests() bool { return s.settings.Digests }

// maxUnrecorded is how many events may wait for the index to take them in.
// While a process joins its group, as many may as hold maxJoining bytes of text,
// or are maxJoiningEvents: it can relay before all of the past is indexed, and
// the first call that needs the index waits for it.
const (
	maxUnrecorded    = 64
	maxJoining       = 16 << 20
	maxJoiningEvents = 1 << 15
)

// record has the provenance index take in an event, at the latest before it is
// asked again: nothing else looks at it, so a call need not wait until its own
// text is indexed.
func (s *State) record(e abi.Event) { s.keep(unrecorded{event: e}, s.file) }

// keep is record for an event that a file of the group holds. Of what happened
// before this process joined, the order is known within a file only: each was
// read in one piece.
func (s *State) keep(u unrecorded, file string) {
	s.said(u.event)
	if s.folding && !s.session.joined {
		u.writer = file
	}
	s.session.unrecorded = append(s.session.unrecorded, u)
	if s.folding && !s.session.joined {
		s.session.backlog += size(u.event)
		for s.session.backlog > maxJoining || len(s.session.unrecorded) > maxJoiningEvents {
			s.Settle()
		}
		return
	}
	// What joining has left shrinks with every event.
	for n := 0; len(s.session.unrecorded) > maxUnrecorded && n < 2; n++ {
		s.Settle()
	}
}

// size is about how many bytes of text an event holds.
func size(e abi.Event) int64 {
	switch {
	case e.Call != nil:
		return e.Call.Bytes
	case e.Result != nil:
		return e.Result.Bytes
	case e.Refused != nil:
		return e.Refused.Size
	}
	return 1 << 10
}

// Settle does one piece of what earlier Steps have put off, and says whether
// there was one. It changes no answer: who calls it while nobody waits has the
// next Step find less to do.
func (s *State) Settle() bool {
	if len(s.session.unrecorded) == 0 {
		return false
	}
	u := s.session.unrecorded[0]
	s.session.unrecorded[0] = unrecorded{} // its text must not stay in memory
	s.session.unrecorded = s.session.unrecorded[1:]
	s.session.backlog = max(0, s.session.backlog-size(u.event))
	s.recording = u
	defer func() {
		s.recording = unrecorded{}
		if p := recover(); p != nil {
			s.session.unread = true // what it held is not known: nothing more is allowed
		}
	}()
	s.session.index.Record(u.event)
	return true
}

// settleAll leaves nothing to do.
func (s *State) settleAll() {
	for s.Settle() {
	}
}

// Freeze completes an event before it is judged and kept: the id and digest of
// a call, and the kind that was left out.
func (s *State) Freeze(e abi.Event) abi.Event {
	if c := e.Call; c == nil || c.Seq == e.Seq && c.Kind != "" && c.ID != "" && c.Digest != "" && c.Bytes != 0 {
		return e
	}
	c := *e.Call
	c.Seq = e.Seq
	if c.Kind == "" {
		c.Kind = abi.KindTool
	}
	if c.ID == "" {
		c.ID = s.file + "-" + strconv.FormatUint(e.Seq, 10)
	}
	if c.Digest == "" || c.Bytes == 0 {
		values, _ := c.Values()
		data := values.Append(nil)
		if c.Digest == "" {
			c.Digest = abi.DigestBytes(data)
		}
		if c.Bytes == 0 {
			c.Bytes = int64(len(data))
		}
	}
	e.Call = &c
	return e
}

// source tells the provenance index what the policy says of an output. What
// another process wrote down vouches for nothing, since any process of the user
// can write where it does.
func (s *State) source(serverName, tool string) provenance.Source {
	src := s.vouched(serverName, tool)
	if s.recording.peer {
		src.Trusted = src.Trusted && !src.WholeField && len(src.Fields) == 0
		src.WholeField, src.Fields = false, nil
	}
	return src
}

func (s *State) vouched(serverName, tool string) provenance.Source {
	if s.policy == nil {
		return provenance.Source{}
	}
	key := serverName + "\x00" + tool
	if src, ok := s.sources[key]; ok {
		return src
	}
	if len(s.sources) >= maxBindings {
		clear(s.sources)
	}
	src := s.policy.SourceOf(serverName, s.definition(serverName, tool))
	s.sources[key] = provenance.Source{Trusted: src.Trusted, WholeField: src.WholeField, Fields: src.Fields, Text: src.Text}
	return s.sources[key]
}
