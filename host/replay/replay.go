// Package replay feeds events to the gate that nobody is waiting for: events
// written by hand, the cases of a policy, and whole ledgers. It has no
// upstream: nothing it does can reach a server.
package replay

import (
	"errors"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/facts"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
)

// Options says what judges the events.
type Options struct {
	Policy *policy.Policy
	Specs  []contract.Spec
	Plugin func(contract.PluginRef) (contract.Plugin, error) // that an entry of plugins: binds; nil: they deny
	Place  abi.Place
	// Keep says that Policy holds whatever policy events the input has.
	Keep bool
	// Tools are lists that are seen before the first event, by server.
	Tools map[string][]abi.Value
	// Text reads the text that events carry by reference; nil: it is gone.
	Text abi.TextReader
	// Approve answers every ask with yes.
	Approve bool
	// Prior gives the events of another ledger file that follow the ones it gave
	// before, as far as a `read` event says that the file was read: see [Files].
	// Nil, or an error, means that they are unknown.
	Prior func(read abi.ReadEvent, each func(abi.Event) error) error
}

// Player feeds one stream of events to a fresh state.
type Player struct {
	o     Options
	state *gate.State
	talks map[string]*proxy.Conversation
	last  string // id of the last call
	of    abi.Call
	asked string                     // id of the last call that a person is asked about, "" once answered
	world func([]abi.Need) abi.Value // what calls without facts see; nil: nothing
	raws  int                        // calls read from frames, so that each has an id of its own
	// Gap says that the input rests on text or files that are not there.
	Gap bool
}

// New returns a player before the first event.
func New(o Options) *Player {
	p := &Player{o: o, state: gate.New(gate.Options{Specs: o.Specs, Plugin: o.Plugin, Loaded: o.Policy, Text: o.Text}), talks: map[string]*proxy.Conversation{}}
	// A process joins its session only after it has read what was before.
	gate.Fold(p.state, abi.Event{Session: &abi.SessionEvent{ID: "s-eval", New: true, Place: o.Place}})
	gate.Step(p.state, abi.Event{Policy: &abi.PolicyEvent{Digest: o.Policy.Digest(), Policy: o.Policy.Value()}})
	for _, server := range sortedKeys(o.Tools) {
		gate.Step(p.state, abi.Event{Tools: &abi.ToolsEvent{Server: server, List: o.Tools[server]}})
	}
	return p
}

// Known says whether a tool of a server has been listed or pinned.
func (p *Player) Known(server, tool string) bool { return p.state.Known(server, tool) }

// Asked says whether a person may still answer the question about the last call
// that asked one.
func (p *Player) Asked() bool {
	_, _, open := p.state.Question(p.asked)
	return open
}

// Recall says what an earlier run answered to the event that is fed next.
func (p *Player) Recall(recorded []abi.Event) { p.state.Recall(recorded) }

// IsAnswer says whether a line of a ledger is an answer of the gate.
func IsAnswer(v abi.Value) bool {
	return v.Get("v").Exists() && slices.ContainsFunc([]string{"verdict", "edit", "ask", "label"}, func(name string) bool { return v.Get(name).Exists() })
}

// Feed feeds one event, or one of the short forms, at an index of the input,
// and returns what the gate answers. The answers of an earlier run are not
// fed; they are returned as recorded.
func (p *Player) Feed(v abi.Value, index uint64) (out []abi.Event, recorded *abi.Event, err error) {
	if v.Kind() != abi.Object {
		return nil, nil, errors.New("want an event: a JSON object")
	}
	if raw := v.Get("raw"); raw.Exists() && !v.Get("v").Exists() {
		out, err = p.raw(v, index)
		return out, nil, err
	}
	events, err := p.events(v, index)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range events {
		if isAnswer(e) {
			return nil, &e, nil
		}
		out = append(out, p.step(e)...)
	}
	return out, nil, nil
}

func isAnswer(e abi.Event) bool {
	return e.Verdict != nil || e.Edit != nil || e.Ask != nil || e.Label != nil
}

// step feeds one event, and the approval of what it asked if all is approved.
func (p *Player) step(e abi.Event) []abi.Event {
	switch {
	case e.Read != nil:
		p.prior(e.Read)
		return gate.Step(p.state, e)
	case e.Policy != nil && p.o.Keep:
		return nil
	case e.User != nil && e.Text != nil:
		p.Gap = true // what the user said is not kept, and may have vouched for anything since
	case e.Facts != nil && e.Facts.Facts.Get("links").Exists():
		p.world = facts.World(e.Facts.Facts.Get("links"))
	case e.Call != nil:
		e = p.informed(p.state.Freeze(e))
		p.last, p.of = e.Call.ID, *e.Call
	}
	out := gate.Step(p.state, e)
	// An answer that the ask does not accept leaves it open.
	if !p.Asked() {
		p.asked = ""
	}
	for _, a := range out {
		if a.Ask == nil {
			continue
		}
		p.asked = a.Ask.Call
		if p.o.Approve {
			p.asked = ""
			yes := abi.Event{Seq: e.Seq, Time: e.Time, Cause: e.Seq, Caused: true, Approval: &abi.ApprovalEvent{Call: a.Ask.Call, Yes: true, By: "eval"}}
			out = append(out, yes)
			return append(out, gate.Step(p.state, yes)...)
		}
	}
	return out
}

// informed gives a call that brings no facts those of the world that the input
// has described.
func (p *Player) informed(e abi.Event) abi.Event {
	if p.world == nil || e.Call.Facts.Exists() {
		return e
	}
	if needs := p.state.Needs(e.Call); len(needs) > 0 {
		c := *e.Call
		c.Facts = p.world(needs)
		e.Call = &c
	}
	return e
}

// prior folds what had been read of another ledger file.
func (p *Player) prior(r *abi.ReadEvent) {
	if r.Lines == 0 {
		return // nothing of it was read
	}
	if p.o.Prior == nil {
		p.Gap = true
		return
	}
	err := p.o.Prior(*r, func(e abi.Event) error {
		if r.Past {
			gate.Fold(p.state, e)
		} else {
			gate.Tail(p.state, gate.Peer{File: r.File, Server: r.Server}, e)
		}
		return nil
	})
	if err != nil {
		p.Gap = true
	}
}

// events reads one value of the input.
func (p *Player) events(v abi.Value, index uint64) ([]abi.Event, error) {
	if v.Get("v").Exists() {
		e, err := abi.EventFrom(v)
		if err != nil {
			return nil, err
		}
		e.Seq = index
		p.Gap = p.Gap || e.Redacted // it was judged by more than is kept
		return []abi.Event{p.restored(e)}, nil
	}
	events, err := p.short(v)
	for i := range events {
		events[i].Seq = index
	}
	return events, err
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
