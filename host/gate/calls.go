package gate

import (
	"fmt"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/redact"
)

// maxRecent is how many earlier calls a snapshot shows.
const maxRecent = 64

// maxAsked is how many questions can be open in a session.
const maxAsked = 64

// maxSent is how many allowed calls can be without a result.
const maxSent = 32768

// called takes in a call and, unless the past is being folded, has it judged.
func (s *State) called(e abi.Event) []abi.Event {
	n := &entry{key: e.Call.ID, call: *e.Call}
	missing := false
	if e.Text != nil {
		missing = s.restore(&n.call, e.Text)
		n.unweighed = missing
	}
	missing = missing || e.Redacted && !s.folding
	n.binding = s.bound(&n.call)
	s.session.entries[n.key] = n
	s.active()
	if n.call.Kind.IsTool() {
		state := s.pinOf(n.call.Server, n.call.Tool).State
		n.pinned = state == abi.PinOK || state == abi.PinChanged
	}
	defer s.record(e)
	if s.folding {
		s.attempt(n)
		return nil
	}
	d := s.decide(n)
	s.attempt(n)
	d = s.answeredBefore(n, d)
	if missing {
		d = decision{verdict: abi.Verdict{
			Outcome: abi.Deny, Contract: "coverage", Code: "TEXT_GONE", Missing: true,
			Reason: "the arguments are not kept in this ledger",
			Mend:   "replay it where settings.ledger was full, or make the call again",
		}}
	}
	return s.decided(e, n, d)
}

// restore puts the values back into a call that carries them by reference. It
// reports those that are gone, or are not the call's.
func (s *State) restore(c *abi.Call, t *abi.Text) (missing bool) {
	v, missing := s.fetch(t)
	if missing {
		return true
	}
	c.SetValues(v)
	v, _ = c.Values()
	return v.Digest() != t.Digest
}

// attempt charges a call of a pinned tool to the budgets that count attempts,
// whatever becomes of it.
func (s *State) attempt(n *entry) {
	if n.pinned {
		s.charge(n, contract.CountAttempts)
	}
}

// fetch reads text that an event carries by reference.
func (s *State) fetch(t *abi.Text) (abi.Value, bool) {
	data, err := t.Read(s.opts.Text)
	if err != nil {
		return abi.Value{}, true
	}
	v, err := abi.Parse(data)
	return v, err != nil
}

// decided turns a decision into events and applies it to the state.
func (s *State) decided(e abi.Event, n *entry, d decision) []abi.Event {
	v := d.verdict
	v.ID = n.call.ID
	v.Risk = n.binding.risk.String()
	v.Missing = v.Missing || evicted(v)
	v.Observed = s.settings.Mode == policy.ModeObserve && v.Outcome != abi.Allow && !d.firm
	shown := showsOf(&v)
	s.strip(&v)
	var out []abi.Event
	if len(d.edits) > 0 && v.Enforced() != abi.Deny && s.settings.Mode != policy.ModeObserve {
		out = append(out, abi.Event{Edit: &abi.EditEvent{Call: n.call.ID, Edits: d.edits, Digest: d.sent.Digest()}})
	}
	out = append(out, abi.Event{Verdict: &v})
	if v.Enforced() == abi.Ask {
		n.fingerprint = s.fingerprint(n, d)
		n.ask, n.held = s.question(n, d), true
		s.counted(n.ask)
		values, _ := n.call.Values()
		shown, _ := s.veiledAsk(redact.Ledger, *n.ask, values)
		if s.Digests() {
			shown.Items = withoutValues(shown.Items)
		}
		out = append(out, abi.Event{Ask: &shown})
	}
	if label := s.settle(n, &v); label != nil {
		out = append(out, abi.Event{Label: label})
	}
	if receipt := s.show(n, shown); receipt != nil {
		out = append(out, abi.Event{Receipt: receipt})
	}
	return answers(e, out...)
}

// settle applies a verdict to the state: counts, budgets, and the labels that
// an allowed call gives, which enter the state now so that a pipelined call
// cannot overtake them.
func (s *State) settle(n *entry, v *abi.Verdict) *abi.LabelEvent {
	if n == nil || s.session.entries[n.key] != n {
		return nil
	}
	defer s.lower(n, v)
	again := n.decided
	n.decided, n.outcome = true, v.Enforced()
	if !again {
		s.session.calls++
		if n.pinned || !n.call.Kind.IsTool() {
			s.session.tools[roomFor(s.session.tools, nameOf(&n.call))]++
		}
	}
	s.remember(n, again)
	switch n.outcome {
	case abi.Allow:
	case abi.Ask:
		if !again {
			s.await(n)
		}
		return nil
	default:
		s.session.denied++
		s.forget(n)
		return nil
	}
	s.charge(n, contract.CountCommits, contract.CountSuccesses)
	s.spend(n)
	s.done(n)
	label := s.label(n, v)
	if n.call.Kind.FromServer() {
		s.forget(n) // the client answers it, and that is no output of a server
	} else {
		s.expect(n)
	}
	return label
}

// What is counted by name. Names of tools that nobody listed, and of methods, are
// whatever a client writes, so that neither they nor their number may fill memory.
const (
	maxNamed     = 8192
	maxNameBytes = 256 // of a target; a longer one is counted by its digest
)

// roomFor is the name under which a map counts something: its own, or where there is
// no more room that of all the others, "".
func roomFor[V any](counts map[string]V, name string) string {
	if _, known := counts[name]; known || len(counts) < maxNamed {
		return name
	}
	return ""
}

// nameOf names what a call calls, for counting.
func nameOf(c *abi.Call) string {
	target := c.Target()
	if len(target) > maxNameBytes {
		target = abi.DigestBytes([]byte(target))
	}
	name := c.Server + "/" + target
	if !c.Kind.IsTool() {
		name += "\x00" + string(c.Kind)
	}
	return name
}

// remember keeps a call in the list of recent ones.
func (s *State) remember(n *entry, again bool) {
	if again {
		for i := range s.session.recent {
			if s.session.recent[i].ID == n.call.ID {
				s.session.recent = slices.Clone(s.session.recent)
				s.session.recent[i].Outcome = n.outcome
			}
		}
		return
	}
	// Snapshots share the list: what they see of it is never written again.
	recent := append(s.session.recent, abi.Recent{ID: n.call.ID, Server: n.call.Server, Tool: n.call.Target(), Outcome: n.outcome})
	s.session.recent = recent[max(0, len(recent)-maxRecent):]
}

// label collects the labels that an allowed call gives.
func (s *State) label(n *entry, v *abi.Verdict) *abi.LabelEvent {
	l := abi.LabelEvent{Call: n.call.ID, Session: v.Obligations.SessionLabels, Data: v.Obligations.CallLabels, Files: v.Obligations.Files}
	for _, other := range v.Also {
		if other.Observed {
			continue
		}
		l.Session = union(l.Session, other.Obligations.SessionLabels)
		l.Data = union(l.Data, other.Obligations.CallLabels)
		l.Files = append(l.Files, other.Obligations.Files...)
	}
	if len(l.Session)+len(l.Data)+len(l.Files) == 0 {
		return nil
	}
	s.addLabels(n, &l)
	return &l
}

// answered takes in the result of a call.
func (s *State) answered(e abi.Event) []abi.Event {
	r := e.Result
	n := s.session.entries[r.Call]
	s.active()
	if n != nil && n.decided && n.outcome == abi.Allow {
		s.finish(n, r.Failed())
	}
	if limit := s.settings.MaxResultBytes; limit > 0 && r.Bytes > limit {
		id := r.Call
		if id == "" {
			id = s.answerID(e.Seq) // of a call that is not known for sure
		}
		v := abi.Verdict{
			ID: id, Outcome: abi.Deny, Contract: "result", Code: "RESULT_SIZE", Rule: s.settings.MaxResultBytesAt,
			Reason: fmt.Sprintf("the result has %d bytes; at most %d are let through", r.Bytes, limit),
			Mend:   "ask for less at once, or raise settings.max_result_bytes",
		}
		if v.Observed = s.settings.Mode == policy.ModeObserve; v.Observed {
			return append(answers(e, abi.Event{Verdict: &v}), s.relayed(e, n)...) // the client sees it
		}
		return answers(e, abi.Event{Verdict: &v})
	}
	return s.relayed(e, n)
}

// finish settles the budgets of a call whose result has come.
func (s *State) finish(n *entry, failed bool) {
	s.remembersResult(n)
	s.eachCounter(n, contract.CountSuccesses, func(c *counter) {
		if failed {
			c.remove(n.key)
			return
		}
		c.settle(n.key)
	})
	s.eachCounter(n, contract.CountCommits, func(c *counter) { c.settle(n.key) })
	s.failed(n, failed)
	s.forget(n)
}

// forget drops a call that can no longer matter; its attempt is final.
func (s *State) forget(n *entry) {
	s.eachCounter(n, contract.CountAttempts, func(c *counter) { c.settle(n.key) })
	delete(s.session.entries, n.key)
}

// expect keeps an allowed call until its result comes. Of more than a server
// can be working on, the oldest are taken for answered with success.
func (s *State) expect(n *entry) {
	n.call.SetValues(abi.Value{}) // what it was judged by is in the verdict
	s.session.sent = append(s.session.sent, n.key)
	for len(s.session.sent) > maxSent {
		if old := s.session.entries[s.session.sent[0]]; old != nil && old.outcome == abi.Allow {
			s.finish(old, false)
		}
		s.session.sent = s.session.sent[1:]
	}
}

// release takes back an allowed call that never went out: what it committed is
// given back, its attempt is not.
func (s *State) release(n *entry) {
	if n == nil || n.outcome != abi.Allow {
		return
	}
	n.outcome = abi.Deny
	defer s.forget(n)
	s.eachCounter(n, contract.CountCommits, func(c *counter) { c.remove(n.key) })
	s.eachCounter(n, contract.CountSuccesses, func(c *counter) { c.remove(n.key) })
}

// answerID is the id of a verdict on something that is no call.
func (s *State) answerID(seq uint64) string { return fmt.Sprintf("%s-%d", s.file, seq) }

// CallOf returns the server and tool of a call that has no answer yet; of
// another kind of call its method, see [abi.Call.Target].
func (s *State) CallOf(id string) (server, tool string, ok bool) {
	n := s.session.entries[id]
	if n == nil {
		return "", "", false
	}
	return n.call.Server, n.call.Target(), true
}

// Known says whether a tool has a pin or was listed.
func (s *State) Known(serverName, tool string) bool {
	d := s.pinOf(serverName, tool)
	return d.State == abi.PinOK || d.Listed.Exists()
}

// Counts says whether a call of a tool is charged to any budget, so that a
// decision on it must not happen beside one in another process.
func (s *State) Counts(serverName, tool string) bool {
	return len(s.bind(abi.KindTool, serverName, tool).budgets) > 0
}
