package gate

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/provenance"
)

// question writes down what a person is asked about a call.
func (s *State) question(n *entry, d decision) *abi.AskEvent {
	q := &abi.AskEvent{Call: n.call.ID, Server: n.call.Server, Tool: n.call.Tool, Fingerprint: n.fingerprint}
	for _, v := range asking(d.verdict) {
		items := asked(v, d.findings)
		if len(items) == 0 {
			items = []abi.AskItem{{Contract: v.Contract, Code: v.Code, Reason: v.Reason}}
		}
		q.Items = append(q.Items, items...)
		if v.Contract == "pin" {
			q.Definition = s.pinOf(n.call.Server, n.call.Tool).Listed
		}
	}
	return q
}

// asking lists the verdicts that ask, the headline first.
func asking(headline abi.Verdict) []abi.Verdict {
	out := []abi.Verdict{headline}
	for _, v := range headline.Also {
		if v.Outcome == abi.Ask {
			out = append(out, v)
		}
	}
	return out
}

// asked lists the findings that a verdict points at, one item each.
func asked(v abi.Verdict, findings []abi.Finding) []abi.AskItem {
	var items []abi.AskItem
	for i := range findings {
		for _, at := range v.At {
			if at == "/call/arguments"+findings[i].At {
				items = append(items, abi.AskItem{Contract: v.Contract, Code: v.Code, Reason: v.Reason, Finding: &findings[i]})
				break
			}
		}
	}
	return items
}

// fingerprint binds an ask to the frozen call, its evidence, the policy and
// the pin: an answer holds for nothing else.
func (s *State) fingerprint(n *entry, d decision) string {
	pin := s.pinOf(n.call.Server, n.call.Tool)
	members := []abi.Value{
		abi.StringValue(n.call.ID), abi.StringValue(n.call.Server), abi.StringValue(n.call.Tool), abi.StringValue(n.call.Digest),
		abi.StringValue(d.sent.Digest()), abi.StringValue(s.digest), abi.StringValue(pin.Pin), abi.StringValue(pin.Listed.Digest()),
	}
	for _, v := range asking(d.verdict) {
		members = append(members, abi.StringValue(v.Contract), abi.StringValue(v.Code), abi.StringValue(strings.Join(v.At, " ")))
	}
	for _, f := range d.findings {
		members = append(members, abi.StringValue(f.At), abi.StringValue(f.Identity), abi.StringValue(f.Origin.String()), abi.StringValue(string(class(f))))
	}
	return abi.ArrayValue(members...).Digest()
}

// class is the grade of the strongest evidence of a finding.
func class(f abi.Finding) abi.Position {
	if len(f.Evidence) == 0 {
		return abi.Unproven
	}
	return f.Evidence[0].Position
}

// approve takes in a person's answer. The call is judged again, and goes out
// only if it is still the same ask; an answer never turns a deny into an allow.
func (s *State) approve(e abi.Event) []abi.Event {
	a := e.Approval
	n := s.session.entries[a.Call]
	if n == nil || n.ask == nil {
		return nil
	}
	q := n.ask
	n.ask = nil
	n.binding = s.bind(n.call.Server, n.call.Tool)
	if !a.Yes {
		return s.decided(e, n, decision{verdict: abi.Verdict{
			Outcome: abi.Deny, Contract: "approval", Code: "DECLINED", Reason: "a person declined the call",
			Mend: "do not repeat the call",
		}})
	}
	d := s.decide(n)
	if d.verdict.Outcome != abi.Ask {
		return s.decided(e, n, d)
	}
	if s.fingerprint(n, d) != n.fingerprint {
		d.verdict = abi.Verdict{
			Outcome: abi.Deny, Contract: "approval", Code: "APPROVAL_STALE", Also: []abi.Verdict{d.verdict},
			Reason: "evidence, policy or tool changed after the question was shown", Mend: "call again and answer the new question",
		}
		return s.decided(e, n, d)
	}
	s.grant(n, q)
	asks := asking(d.verdict)
	asks[0].Also = nil
	d.verdict = abi.Verdict{
		Outcome: abi.Allow, Contract: "approval", Code: "APPROVED", Reason: fmt.Sprintf("approved by %s", a.By), Also: asks,
	}
	return s.decided(e, n, d)
}

// grant remembers what an approval vouches for beyond the call itself: the
// pin of a new tool, and destinations for the rest of the session.
func (s *State) grant(n *entry, q *abi.AskEvent) {
	if q.Definition.Exists() {
		if srv := s.servers[n.call.Server]; srv != nil {
			srv.pins[n.call.Tool] = pinned(q.Definition)
			srv.dirty = true
			s.unbind(n.call.Server)
			n.binding = s.bind(n.call.Server, n.call.Tool)
		}
	}
	pin := s.pinOf(n.call.Server, n.call.Tool).Pin
	for _, item := range q.Items {
		if item.Contract != "sink" || item.Finding == nil {
			continue
		}
		f := item.Finding
		s.session.approved = append(s.session.approved, abi.Approved{
			Server: n.call.Server, Tool: n.call.Tool, Pin: pin, At: provenance.Generic(f.At), Identity: f.Identity, Position: class(*f),
		})
	}
}

// evicted says whether a verdict rests on text that is gone.
func evicted(v abi.Verdict) bool {
	for _, e := range v.Witness {
		if e.Position == abi.Evicted {
			return true
		}
	}
	for _, other := range v.Also {
		if evicted(other) {
			return true
		}
	}
	return false
}

// strip takes values out of a verdict where the ledger keeps digests only.
func (s *State) strip(v *abi.Verdict) {
	if !s.Digests() {
		return
	}
	v.Witness = withoutSnippets(v.Witness)
	also := make([]abi.Verdict, len(v.Also))
	for i := range v.Also {
		also[i] = v.Also[i]
		also[i].Witness = withoutSnippets(also[i].Witness)
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
