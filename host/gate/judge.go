package gate

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// judge asks every contract, in table order, about the call as received and,
// if there are edits, as sent; the stricter of the two holds. No contract is
// skipped because another one has denied: every reason is kept. The headline
// is the first verdict in table order among the strictest.
func judge(rows []row, received, sent *abi.Snapshot) abi.Verdict {
	base := abi.Abstain
	var said []abi.Verdict
	for _, r := range rows {
		v := ask(r, received)
		if sent != received {
			v = stricter(v, ask(r, sent))
		}
		base = abi.Stricter(base, v.Outcome)
		if v.Outcome != abi.Abstain || !v.Obligations.Empty() {
			said = append(said, v)
		}
	}
	headline := abi.Verdict{Outcome: abi.Deny, Contract: "coverage", Code: "NOTHING_SAID", Reason: "no contract said anything of the call"}
	found := false
	rest := said[:0:0]
	for _, v := range said {
		if !found && v.Outcome == base && base != abi.Abstain {
			headline, found = v, true
			continue
		}
		rest = append(rest, v)
	}
	headline.Outcome = base.Final()
	headline.Also = rest
	return headline
}

// ask asks one contract. One that panics denies.
func ask(r row, snap *abi.Snapshot) (v abi.Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = abi.Verdict{
				Outcome: abi.Deny, Contract: r.name, Code: "CONTRACT_FAILED", Reason: "the contract failed on this call",
				Mend: "report it: " + r.name + " must not panic",
			}
		}
	}()
	v = r.c.Judge(snap)
	v.Outcome = v.Outcome.Known()
	v.Contract = r.name
	return v
}

// stricter joins the verdicts of one contract on the received and the sent
// call. Obligations of both hold.
func stricter(a, b abi.Verdict) abi.Verdict {
	out, other := a, b
	if b.Outcome < a.Outcome {
		out, other = b, a
	}
	o, p := &out.Obligations, other.Obligations
	o.CallLabels = union(o.CallLabels, p.CallLabels)
	o.SessionLabels = union(o.SessionLabels, p.SessionLabels)
	o.Redact = union(o.Redact, p.Redact)
	o.Hide = union(o.Hide, p.Hide)
	o.Capabilities = union(o.Capabilities, p.Capabilities)
	o.Files = append(slices.Clip(o.Files), p.Files...)
	return out
}

// union returns the sorted union of two lists of names.
func union(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// decision is a verdict with what it was made from.
type decision struct {
	verdict  abi.Verdict
	edits    []abi.Edit
	sent     abi.Value // the values after the edits
	findings []abi.Finding
	firm     bool // enforced whatever the mode
}

// decide builds the snapshots of a call and has it judged. Whatever fails on
// the way is a deny.
func (s *State) decide(n *entry) (d decision) {
	defer func() {
		if p := recover(); p != nil {
			d = decision{verdict: abi.Verdict{
				Outcome: abi.Deny, Contract: "coverage", Code: "GATE_FAILED", Reason: "the gate failed on this call",
				Mend: "report it: nothing in a call may make the gate fail",
			}}
		}
	}()
	if !n.call.Kind.Known() {
		return decision{firm: true, verdict: abi.Verdict{
			Outcome: abi.Deny, Contract: "coverage", Code: "COVERAGE_KIND", Reason: "nobody knows how to judge this kind of call", At: []string{"/call/kind"},
			Mend: "update Callgate, if a newer one wrote the event",
		}}
	}
	b := n.binding
	if b.broken != nil {
		return decision{verdict: abi.Verdict{
			Outcome: abi.Deny, Contract: "coverage", Code: "POLICY_BROKEN", Reason: b.broken.Error(),
			Mend: "run callgate check on the policy",
		}}
	}
	if len(s.broken) > 0 {
		return decision{firm: true, verdict: abi.Verdict{
			Outcome: abi.Deny, Contract: "ledger", Code: "GROUP_BROKEN", Reason: "the ledger file of another process of the group can not be read",
			Mend: "run callgate ledger verify on the group, and move the file that is broken away",
		}}
	}
	received := s.snapshot(n)
	d.sent, _ = n.call.Values()
	sent := received
	d.edits = b.edits(received)
	received.Taint, received.Carried = s.explain(b, received), s.carried(b, received)
	d.findings = received.Taint
	if s.session.unread {
		return decision{verdict: abi.Verdict{
			Outcome: abi.Deny, Contract: "coverage", Code: "GATE_FAILED", Reason: "an earlier output could not be read into provenance",
			Mend: "start the server anew, and report it: no output may make the gate fail",
		}}
	}
	if len(d.edits) > 0 {
		values, err := d.sent.Edited(d.edits)
		if err != nil {
			return decision{verdict: abi.Verdict{
				Outcome: abi.Deny, Contract: "edit", Code: "EDIT_FAILED", Reason: "an edit could not be applied: " + err.Error(),
				Mend: "report it: the contract proposed an edit of an argument that is not there",
			}}
		}
		d.sent, sent = values, s.editedAs(b, received, values)
	}
	d.verdict = s.consult(b.guests, sent, s.withHidden(n, s.judgeStages(b, received, sent)))
	return d
}

// judgeStages judges a call as received, as sent, and as it would be sent if fewer
// rules edited it.
func (s *State) judgeStages(b *binding, received, sent *abi.Snapshot) abi.Verdict {
	v := judgeBoth(b, received, sent)
	if sent == received {
		return v
	}
	whole, _ := received.Call.Values()
	for _, edits := range b.stages(received) {
		values, err := whole.Edited(edits)
		if err != nil {
			continue // the whole list of edits could be applied
		}
		if w := judgeBoth(b, received, s.editedAs(b, received, values)); w.Outcome < v.Outcome {
			v = w
		}
	}
	return v
}

// editedAs is a snapshot of a call with other values.
func (s *State) editedAs(b *binding, received *abi.Snapshot, values abi.Value) *abi.Snapshot {
	edited := *received
	edited.Call.SetValues(values)
	edited.Call.Digest = values.Digest()
	edited.Taint, edited.Carried = s.explain(b, &edited), s.carried(b, &edited)
	return &edited
}

// stages are the edits that fewer rules would make.
func (b *binding) stages(snap *abi.Snapshot) [][]abi.Edit {
	var out [][]abi.Edit
	for _, r := range b.rows {
		if e, ok := r.c.(contract.Stager); ok {
			out = append(out, e.Stages(snap)...)
		}
	}
	return out
}

// explain asks provenance about the values that contracts want explained.
func (s *State) explain(b *binding, snap *abi.Snapshot) []abi.Finding {
	wanted := b.wants(snap)
	if len(wanted) == 0 {
		return nil
	}
	s.settleAll()
	values, _ := snap.Call.Values()
	found := s.session.index.Explain(values, wanted)
	s.markLabels(found)
	return found
}

// snapshot is what contracts see of a call now.
func (s *State) snapshot(n *entry) *abi.Snapshot {
	ss := &s.session
	place := s.placeOf(n.call.Server)
	var definition abi.Definition
	if n.call.Kind.IsTool() {
		definition = s.pinOf(n.call.Server, n.call.Tool)
	}
	return &abi.Snapshot{
		Phase: abi.PhaseCall, Time: s.now, Call: n.call, Definition: definition, Server: s.serverDrift(n.call.Server), Launch: s.launched[n.call.Server],
		Session: abi.Session{
			ID: ss.id, Principal: ss.principal, Labels: s.spelled(ss.labels, ss.flows.crowded), Capabilities: ss.capabilities, Calls: ss.calls, Denied: ss.denied,
			ThisTool: ss.tools[roomFor(ss.tools, nameOf(&n.call))], Recent: ss.recent, Place: place, Protected: ss.protected,
			Approved: s.remembered(), Budgets: s.budgets(n), Flows: s.flows(),
		},
	}
}
