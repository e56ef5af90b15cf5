package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/provenance"
)

// lateLife is how long a yes that came too late waits for the identical call,
// unless `approve: {for: …}` says otherwise.
const lateLife = 10 * time.Minute

// maxStanding is how many answers are remembered for identical calls.
const maxStanding = 64

// standing is a yes that holds for calls to come which are identical: in their
// arguments, in the evidence, under the same policy and pin.
type standing struct {
	fingerprint string
	by          string
	until       time.Time // zero: as long as the session
	once        bool      // the first such call uses it up
	question    *abi.AskEvent
}

// answeredBefore answers an ask that a person has answered already, and denies
// one too many.
func (s *State) answeredBefore(n *entry, d decision) decision {
	if d.verdict.Outcome != abi.Ask || s.settings.Mode == policy.ModeObserve {
		return d
	}
	fingerprint := s.fingerprint(n, d)
	if given, ok := s.take(fingerprint); ok {
		s.grant(n, given.question)
		return s.released(n, d, given.by)
	}
	if by, ok := s.continues(n, d); ok {
		return s.released(n, d, by)
	}
	if s.session.questions >= s.settings.MaxAsks && s.open(fingerprint) == nil {
		d.verdict = abi.Verdict{
			Outcome: abi.Deny, Contract: "approval", Code: "TOO_MANY_ASKS", Rule: s.settings.MaxAsksAt, Also: asking(d.verdict),
			Reason: fmt.Sprintf("people were asked %d times in this session, and no more is allowed", s.session.questions),
			Mend:   "say in the policy what needs no question, or raise settings.max_asks",
		}
		d.verdict.Also[0].Also = nil
	}
	return d
}

// take returns the standing answer for a call, and uses it up if it is for one.
func (s *State) take(fingerprint string) (standing, bool) {
	for i, given := range s.session.standing {
		if given.fingerprint != fingerprint || !given.until.IsZero() && !s.now.Before(given.until) {
			continue
		}
		if given.once {
			s.session.standing = slices.Delete(s.session.standing, i, i+1)
		}
		return given, true
	}
	return standing{}, false
}

// stand keeps an answer for identical calls. The oldest make room.
func (s *State) stand(given standing) {
	s.session.standing = append(s.session.standing, given)
	s.session.standing = s.session.standing[max(0, len(s.session.standing)-maxStanding):]
}

// approved turns an ask into an allow. What else was said stays: obligations hold
// of a call that a person let go as of any other.
func approved(d decision, by string) decision {
	asks := asking(d.verdict)
	for _, v := range d.verdict.Also {
		if v.Observed || v.Outcome != abi.Ask && (!v.Obligations.Empty() || v.Plugin != nil) {
			asks = append(asks, v)
		}
	}
	asks[0].Also = nil
	d.verdict = abi.Verdict{Outcome: abi.Allow, Contract: "approval", Code: "APPROVED", Reason: "approved by " + by, Also: asks}
	return d
}

// mayAnswer says whether a question accepts an answer from a channel. Replays
// and tests answer for a person.
func mayAnswer(q *abi.AskEvent, by string) bool {
	return q.Channels == nil || by == "eval" || by == "test" || slices.Contains(q.Channels, by)
}

// approve takes in a person's answer. Every call that waits for it is judged
// again, and one goes out only if it is still the same ask; an answer never
// turns a deny into an allow.
func (s *State) approve(e abi.Event) []abi.Event {
	a := e.Approval
	n := s.session.entries[a.Call]
	if n == nil || n.ask == nil || !mayAnswer(n.ask, a.By) {
		return nil
	}
	q, fingerprint := n.ask, n.fingerprint
	var held, gone []*entry
	for _, o := range s.session.asked {
		switch {
		case o.ask == nil || o.fingerprint != fingerprint:
		case o.held:
			held = append(held, o)
		default:
			gone = append(gone, o)
		}
	}
	var out []abi.Event
	used := false
	for _, o := range held {
		d := s.answer(o, a, used)
		used = used || d.verdict.Code == "APPROVED"
		out = append(out, s.decided(e, o, d)...)
	}
	switch {
	case !a.Yes:
		s.declined(q)
	case len(held) == 0:
		s.late(n, q, a)
	}
	for _, o := range gone {
		s.withdraw(o)
	}
	for i := range out {
		out[i].Seq = e.Seq + 1 + uint64(i)
	}
	return out
}

// answer judges a call again that waited for an answer.
func (s *State) answer(n *entry, a *abi.ApprovalEvent, used bool) decision {
	q := n.ask
	n.ask = nil
	n.binding = s.bound(&n.call)
	if !a.Yes {
		return decision{verdict: abi.Verdict{
			Outcome: abi.Deny, Contract: "approval", Code: "DECLINED", Reason: "a person declined the call",
			Mend: "do not repeat the call",
		}}
	}
	d := s.decide(n)
	if d.verdict.Outcome != abi.Ask {
		return d
	}
	fingerprint := s.fingerprint(n, d)
	if given, ok := s.take(fingerprint); ok {
		return s.released(n, d, given.by)
	}
	switch {
	case used:
		d.verdict = abi.Verdict{
			Outcome: abi.Deny, Contract: "approval", Code: "APPROVAL_USED", Also: []abi.Verdict{d.verdict},
			Reason: "approval already used: it released the first of several identical calls", Mend: "call again and answer the new question",
		}
		return d
	case fingerprint != n.fingerprint:
		d.verdict = abi.Verdict{
			Outcome: abi.Deny, Contract: "approval", Code: "APPROVAL_STALE", Also: []abi.Verdict{d.verdict},
			Reason: "evidence, policy or tool changed after the question was shown", Mend: "call again and answer the new question",
		}
		return d
	}
	s.grant(n, q)
	if how := n.binding.approve; how.Scope == contract.ScopeArgs && !once(q) {
		s.stand(standing{fingerprint: fingerprint, by: a.By, until: s.until(how), question: q})
	}
	return s.released(n, d, a.By)
}

// late keeps a yes that no call waits for: it serves the identical retry, once.
func (s *State) late(n *entry, q *abi.AskEvent, a *abi.ApprovalEvent) {
	n.binding = s.bound(&n.call)
	d := s.decide(n)
	if d.verdict.Outcome != abi.Ask || s.fingerprint(n, d) != n.fingerprint {
		return
	}
	how := n.binding.approve
	given := standing{fingerprint: n.fingerprint, by: a.By, until: s.until(how), question: q}
	if given.once = how.Scope != contract.ScopeArgs || once(q); given.once && given.until.IsZero() {
		given.until = s.now.Add(lateLife)
	}
	s.stand(given)
}

// once says whether a yes to a question is never remembered.
func once(q *abi.AskEvent) bool {
	return slices.ContainsFunc(q.Items, func(item abi.AskItem) bool { return item.Once })
}

// until is how long an answer is remembered; zero: as long as the session.
func (s *State) until(how contract.Approve) time.Time {
	if how.For == 0 {
		return time.Time{}
	}
	return s.now.Add(how.For)
}

// grant remembers what an approval vouches for beyond the call itself: the pin
// of a tool or server, and destinations for the rest of the session.
func (s *State) grant(n *entry, q *abi.AskEvent) {
	s.accepted(n, q)
	how := n.binding.approve
	if how.Scope == contract.ScopeCall || how.Scope == contract.ScopeArgs {
		return
	}
	pin := ""
	if n.call.Kind.IsTool() {
		pin = s.pinOf(n.call.Server, n.call.Tool).Pin
	}
	for _, item := range q.Items {
		if item.Contract != "sink" || item.Finding == nil || item.Once {
			continue
		}
		f := item.Finding
		s.session.approved = append(s.session.approved, abi.Approved{
			Kind: n.call.Kind, Server: n.call.Server, Tool: n.call.Target(), Pin: pin, At: provenance.Generic(f.At), Identity: f.Identity, Position: class(*f),
			Until: s.until(how),
		})
	}
}

// Stands says whether an answer waits for a call with a fingerprint.
func (s *State) Stands(fingerprint string) bool {
	return slices.ContainsFunc(s.session.standing, func(given standing) bool { return given.fingerprint == fingerprint })
}
