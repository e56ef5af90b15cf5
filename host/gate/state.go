// Package gate is the deterministic core: a fold over events.
//
//	outputs := gate.Step(state, event)
//
// Everything that can matter to a decision is an event, and Step answers with
// events of its own: verdicts, edits, asks and labels. It does no I/O but one
// read, of text that an event carries by reference, through the io.ReaderAt in
// [Options]. It starts no goroutine and takes no lock; a state belongs to one
// caller at a time. The same events give the same answers, byte for byte.
package gate

import (
	"io"
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
	Text io.ReaderAt
	// Loaded is a policy that is known to be good. An event that brings exactly
	// this one is spared the decoding.
	Loaded *policy.Policy
	// NewIndex makes the provenance index of a session; nil is provenance.New.
	NewIndex func(provenance.Options) provenance.Index
}

// State is what the events so far add up to. The zero value is not usable; see
// [New].
type State struct {
	opts Options
	now  time.Time
	// file is the start of every call id: six hex digits of the ledger file.
	file string
	// folding says that events of the past are applied, not judged.
	folding bool

	policy   *policy.Policy
	digest   string // of the policy
	settings policy.Settings
	bad      error // why the last policy event did not load

	servers  map[string]*server
	bindings map[string]*binding
	sources  map[string]provenance.Source // what the policy says of outputs, as far as it was asked
	counters map[string]*counter

	session session
}

// session is the part of the state that ends with the session.
type session struct {
	id         string
	open       bool
	last       time.Time // of the last event that counts as activity
	principal  abi.Principal
	place      abi.Place
	protected  []string
	labels     []string
	calls      int64
	denied     int64
	tools      map[string]int64
	recent     []abi.Recent
	index      provenance.Index
	unrecorded []abi.Event       // what the index has yet to take in, in order
	unread     bool              // the index failed on an event
	entries    map[string]*entry // calls without an answer, by id
	asked      []*entry          // oldest first
	sent       []string          // ids of allowed calls, oldest first
	approved   []abi.Approved
}

// entry is one call of the session that may still matter.
type entry struct {
	call        abi.Call
	binding     *binding
	pinned      bool
	outcome     abi.Outcome
	decided     bool
	fingerprint string // of a pending ask
	ask         *abi.AskEvent
	labels      []string
}

// New returns the state before any event.
func New(o Options) *State {
	if o.NewIndex == nil {
		o.NewIndex = provenance.New
	}
	s := &State{opts: o, file: "000000", servers: map[string]*server{}, bindings: map[string]*binding{}, counters: map[string]*counter{}, sources: map[string]provenance.Source{}}
	s.settings = policy.Settings{}
	s.reset()
	return s
}

// reset starts a new session. Pins and budgets over a stretch of time outlive
// it.
func (s *State) reset() {
	keep := s.session
	s.session = session{place: keep.place, protected: keep.protected, tools: map[string]int64{}, entries: map[string]*entry{}}
	s.session.index = s.opts.NewIndex(provenance.Options{Text: s.opts.Text, Source: s.source})
	for scope, c := range s.counters {
		if c.window == 0 {
			delete(s.counters, scope)
		}
	}
}

// Digests says that the ledger keeps no text: neither arguments nor results.
func (s *State) Digests() bool { return s.settings.Digests }

// maxUnrecorded is how many events may wait for the index to take them in.
const maxUnrecorded = 64

// record has the provenance index take in an event, at the latest before it is
// asked again: nothing else looks at it, so a call need not wait until its own
// text is indexed.
func (s *State) record(e abi.Event) {
	s.session.unrecorded = append(s.session.unrecorded, e)
	for len(s.session.unrecorded) > maxUnrecorded {
		s.Settle()
	}
}

// Settle does one piece of what earlier Steps have put off, and says whether
// there was one. It changes no answer: who calls it while nobody waits has the
// next Step find less to do.
func (s *State) Settle() bool {
	if len(s.session.unrecorded) == 0 {
		return false
	}
	e := s.session.unrecorded[0]
	s.session.unrecorded[0] = abi.Event{} // its text must not stay in memory
	s.session.unrecorded = s.session.unrecorded[1:]
	defer func() {
		if p := recover(); p != nil {
			s.session.unread = true // what it held is not known: nothing more is allowed
		}
	}()
	s.session.index.Record(e)
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
	if e.Call == nil {
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
	if c.Digest == "" {
		c.Digest = c.Arguments.Digest()
	}
	if c.Bytes == 0 {
		c.Bytes = int64(len(c.Arguments.Append(nil)))
	}
	e.Call = &c
	return e
}

// source tells the provenance index what the policy says of an output.
func (s *State) source(serverName, tool string) provenance.Source {
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
	src := s.policy.Source(serverName, tool)
	s.sources[key] = provenance.Source{Trusted: src.Trusted, WholeField: src.WholeField, Fields: src.Fields, Text: src.Text}
	return s.sources[key]
}
