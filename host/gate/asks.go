package gate

import (
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/redact"
)

// question writes down what a person is asked about a call.
func (s *State) question(n *entry, d decision) *abi.AskEvent {
	q := &abi.AskEvent{
		Call: n.call.ID, Server: n.call.Server, Tool: n.call.Target(), Fingerprint: n.fingerprint,
		Shared: s.open(n.fingerprint) != nil, Risk: n.binding.risk.String(),
	}
	if !n.call.Kind.IsTool() {
		q.Kind = n.call.Kind
	}
	strong := n.binding.risk >= contract.RiskHigh
	for _, v := range asking(d.verdict) {
		items := asked(v, n.call.Kind.Base(), d.findings)
		if len(items) == 0 {
			items = []abi.AskItem{{Contract: v.Contract, Code: v.Code, Reason: v.Reason, Once: v.Override}}
		}
		q.Items = append(q.Items, items...)
		strong = strong || v.Override
		if v.Contract == "pin" {
			s.shown(n, q)
		}
	}
	if strong {
		if q.Channels = s.settings.Channels; len(q.Channels) == 0 {
			q.Channels = []string{"none"} // an empty list would let everybody answer
		}
	}
	return q
}

// asking lists the verdicts that ask, the headline first.
func asking(headline abi.Verdict) []abi.Verdict {
	out := []abi.Verdict{headline}
	for _, v := range headline.Also {
		if v.Outcome == abi.Ask && !v.Observed {
			out = append(out, v)
		}
	}
	return out
}

// asked lists the findings that a verdict points at, one item each. They are
// about the values of the call, which stand at base.
func asked(v abi.Verdict, base string, findings []abi.Finding) []abi.AskItem {
	var items []abi.AskItem
	for i := range findings {
		for _, at := range v.At {
			if at == base+findings[i].At {
				items = append(items, abi.AskItem{Contract: v.Contract, Code: v.Code, Reason: v.Reason, Once: v.Override, Finding: &findings[i]})
				break
			}
		}
	}
	return items
}

// fingerprint binds an ask to what the frozen call does, its evidence, the
// policy and the pin: an answer holds for nothing else. Identical calls have the
// same, so that one question serves them.
func (s *State) fingerprint(n *entry, d decision) string {
	if of := s.ofServer(n, d); of != "" {
		return of
	}
	var pin abi.Definition
	if n.call.Kind.IsTool() {
		pin = s.pinOf(n.call.Server, n.call.Tool)
	}
	members := []abi.Value{
		abi.StringValue(string(n.call.Kind)), abi.StringValue(n.call.Server), abi.StringValue(n.call.Target()), abi.StringValue(n.call.Digest), abi.StringValue(n.call.Task.Digest()),
		abi.StringValue(d.sent.Digest()), abi.StringValue(s.digest), abi.StringValue(pin.Pin), abi.StringValue(pin.Listed.Digest()),
	}
	if is := s.serverDrift(n.call.Server).Is; is.Exists() {
		members = append(members, abi.StringValue(is.Digest()))
	}
	for _, v := range asking(d.verdict) {
		members = append(members, abi.StringValue(v.Contract), abi.StringValue(v.Code), abi.StringValue(strings.Join(v.At, " ")))
	}
	for _, f := range append(slices.Clip(d.findings), s.shownToPlugins(n, d)...) {
		members = append(members, abi.StringValue(f.At), abi.StringValue(f.Identity), abi.StringValue(f.Origin.String()), abi.StringValue(string(class(f))))
	}
	return abi.ArrayValue(members...).Digest()
}

// shownToPlugins is the evidence that those plugins saw which ask.
func (s *State) shownToPlugins(n *entry, d decision) []abi.Finding {
	for _, v := range asking(d.verdict) {
		saw := func(g guest) bool { return g.Name == v.Contract && g.err == nil && g.plugin.Manifest().Sees("taint") }
		if v.Plugin != nil && slices.ContainsFunc(n.binding.guests, saw) {
			snap := s.snapshot(n)
			snap.Call.SetValues(d.sent)
			return s.explainAll(snap)
		}
	}
	return nil
}

// class is the grade of the strongest evidence of a finding.
func class(f abi.Finding) abi.Position {
	if len(f.Evidence) == 0 {
		return abi.Unproven
	}
	return f.Evidence[0].Position
}

// await keeps an asked call until it is answered. Only so many stay open, at
// first those that are waited for, then the newest: an unanswered one is a deny
// that costs memory.
func (s *State) await(n *entry) {
	if n.held = true; n.ask == nil { // another process asks, or asked
		s.awaitElsewhere(n)
		return
	}
	s.supersede(n)
	s.session.asked = append(s.session.asked, n)
	for len(s.session.asked) > maxAsked {
		i := max(0, slices.IndexFunc(s.session.asked, func(old *entry) bool { return !old.held }))
		s.withdraw(s.session.asked[i])
		s.session.asked = slices.Delete(s.session.asked, i, i+1)
	}
}

// awaitElsewhere keeps a call that another process asks for, as long as that
// process does: what it allows in the end counts. Each file has its own room, so
// that none can crowd out the calls of another.
func (s *State) awaitElsewhere(n *entry) {
	kept := s.session.waiting[:0]
	at, count := -1, 0 // the one to let go of, and how many the file has
	for _, key := range append(s.session.waiting, n.key) {
		old := s.session.entries[key]
		if old == nil || old.outcome != abi.Ask {
			continue
		}
		if old.file() == n.file() {
			if count++; at < 0 || !old.held && s.session.entries[kept[at]].held {
				at = len(kept)
			}
		}
		kept = append(kept, key)
	}
	s.session.waiting = kept
	if count > maxAsked {
		s.forget(s.session.entries[kept[at]])
		s.session.waiting = slices.Delete(kept, at, at+1)
	}
}

// file is what the ids of all calls of a file have in common.
func (n *entry) file() string {
	mark := "-"
	if n.peer {
		mark = ":"
	}
	name, _, _ := strings.Cut(n.key, mark)
	return name
}

// supersede forgets a call that nobody waits for where an identical one is
// asked: a question is kept open by the calls that wait, or by the last one.
func (s *State) supersede(n *entry) {
	for _, old := range s.session.asked {
		if old.ask != nil && !old.held && old.fingerprint == n.fingerprint {
			s.withdraw(old)
		}
	}
	s.session.asked = slices.DeleteFunc(s.session.asked, func(old *entry) bool { return old.ask == nil })
}

// withdraw ends a question that nobody may answer any more.
func (s *State) withdraw(n *entry) {
	n.ask = nil
	if n.outcome == abi.Ask {
		s.forget(n)
	}
}

// open returns the oldest call that waits for an answer to a question, nil if
// the question is not open.
func (s *State) open(fingerprint string) *entry {
	for _, n := range s.session.asked {
		if n.ask != nil && n.fingerprint == fingerprint {
			return n
		}
	}
	return nil
}

// counted counts a question that a person was asked, wherever in the group.
func (s *State) counted(q *abi.AskEvent) {
	if !q.Shared {
		s.session.questions++
	}
}

// lapse takes in that a call waits for its answer no longer.
func (s *State) lapse(l *abi.LapsedEvent) { s.unheld(s.session.entries[l.Call], l.Cancelled) }

func (s *State) unheld(n *entry, cancelled bool) {
	if n == nil || n.outcome != abi.Ask {
		return
	}
	n.held = false
	others := slices.ContainsFunc(s.session.asked, func(o *entry) bool { return o.ask != nil && o.held && o.fingerprint == n.fingerprint })
	if cancelled || n.ask != nil && others {
		s.withdraw(n)
	}
}

// Question returns what a person is asked about a call, with its arguments, or
// what another kind of call has in their place, values and all: for the one who
// answers, not for the ledger.
func (s *State) Question(call string) (q abi.AskEvent, arguments abi.Value, ok bool) {
	n := s.session.entries[call]
	if n == nil || n.ask == nil {
		return q, arguments, false
	}
	arguments, _ = n.call.Values()
	q, arguments = s.veiledAsk(redact.Prompts, *n.ask, arguments)
	return q, arguments, true
}

// remembered returns the destinations that people vouched for and still do.
func (s *State) remembered() []abi.Approved {
	if s.risen() {
		return nil
	}
	past := func(until time.Time) bool { return !until.IsZero() && !s.now.Before(until) }
	if slices.ContainsFunc(s.session.approved, func(a abi.Approved) bool { return past(a.Until) }) {
		// Snapshots share the list, so it is not written to.
		s.session.approved = slices.DeleteFunc(slices.Clone(s.session.approved), func(a abi.Approved) bool { return past(a.Until) })
	}
	return s.session.approved
}

// evicted says whether a verdict rests on text that is gone.
func evicted(v abi.Verdict) bool {
	for _, e := range v.Witness {
		if e.Position == abi.Evicted {
			return true
		}
	}
	return slices.ContainsFunc(v.Also, evicted)
}

// strip takes values out of a verdict where the ledger keeps digests only.
func (s *State) strip(v *abi.Verdict) {
	if v.List != nil {
		s.veiledHidden(v)
	}
	if s.hides(redact.Ledger) {
		*v = s.veiled(*v)
	}
	if !s.Digests() {
		return
	}
	v.Plugin = withoutWords(v.Plugin)
	v.Witness, v.Obligations.Capabilities = withoutSnippets(v.Witness), withoutHosts(v.Obligations.Capabilities)
	also := make([]abi.Verdict, len(v.Also))
	for i := range v.Also {
		also[i] = v.Also[i]
		also[i].Witness, also[i].Plugin = withoutSnippets(also[i].Witness), withoutWords(also[i].Plugin)
		also[i].Obligations.Capabilities = withoutHosts(also[i].Obligations.Capabilities)
	}
	if len(also) > 0 {
		v.Also = also
	}
}

func withoutSnippets(evidence []abi.Evidence) []abi.Evidence {
	out := make([]abi.Evidence, len(evidence))
	for i, e := range evidence {
		e.Snippet = ""
		out[i] = e
	}
	return out
}

// withoutValues takes values out of the items of an ask.
func withoutValues(items []abi.AskItem) []abi.AskItem {
	out := make([]abi.AskItem, len(items))
	for i, item := range items {
		if item.Finding != nil {
			f := *item.Finding
			f.Value, f.Identity = "", abi.DigestBytes([]byte(f.Identity))
			f.Evidence = withoutSnippets(f.Evidence)
			item.Finding = &f
		}
		out[i] = item
	}
	return out
}
