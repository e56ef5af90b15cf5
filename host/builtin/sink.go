package builtin

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
)

// sink judges where data goes: each destination of a call by who vouches for
// it, and by how its text came into the session.
type sink struct {
	rules      contract.Sink
	declared   bool // the tool has a sink; otherwise only undeclared arguments are judged
	undeclared contract.Undeclared
	rule       string // of undeclared
	base       string // pointer that the judged values stand at
	trusted    []sinkEntry
	on         map[abi.Position]abi.Outcome
}

// NewSink makes the sink contract of a tool with a sink, or of one whose
// undeclared arguments are restricted; and that of resources, whose URIs are
// destinations. Other kinds of calls have none.
func NewSink(r *contract.Rules) (contract.Contract, error) {
	switch {
	case r.Kind == abi.KindResource:
		return resourceSink{}, nil
	case !r.Kind.IsTool():
		return nil, nil
	}
	restricted := r.Undeclared == contract.UndeclaredDeny || r.Undeclared == contract.UndeclaredSink
	if r.Sink == nil && !restricted {
		return nil, nil
	}
	s := &sink{undeclared: r.Undeclared, rule: r.UndeclaredAt, on: contract.DefaultOn(), base: r.Kind.Base()}
	if r.Sink == nil {
		s.rules.Payload, s.rules.Rule = abi.Ask, r.UndeclaredAt
		return s, nil
	}
	s.rules, s.declared = *r.Sink, true
	for position, outcome := range r.Sink.On {
		s.on[position] = outcome.Known()
	}
	for _, text := range r.Sink.Trusted {
		entry, err := newSinkEntry(text)
		if err != nil {
			return nil, err
		}
		s.trusted = append(s.trusted, entry)
	}
	return s, nil
}

// Wanted implements [contract.Explainer]: the destinations first, then the
// content that may carry them.
func (s *sink) Wanted(snap *abi.Snapshot) []abi.Wanted {
	if snap.Phase != abi.PhaseCall {
		return nil
	}
	plan := s.plan(snap)
	out := make([]abi.Wanted, 0, len(plan.destinations)+len(plan.content))
	for _, list := range [][]sinkScalar{plan.destinations, plan.content} {
		for _, d := range list {
			out = append(out, abi.Wanted{At: d.at, Key: d.key, Trusted: s.rules.Trusted})
		}
	}
	return out
}

// Judge implements [contract.Contract].
func (s *sink) Judge(snap *abi.Snapshot) abi.Verdict {
	if snap.Phase != abi.PhaseCall {
		return contract.Abstain
	}
	plan := s.plan(snap)
	findings := map[sinkScalar][]*abi.Finding{}
	for i := range snap.Taint {
		f := &snap.Taint[i]
		at := sinkScalar{at: f.At, key: f.Key}
		findings[at] = append(findings[at], f)
	}
	var all []objection
	for _, at := range plan.refused {
		all = append(all, objection{outcome: abi.Deny, code: "SINK_UNDECLARED", at: at, reason: s.label(at) + " is no argument of the pinned schema"})
	}
	for _, d := range plan.destinations {
		if len(findings[d]) == 0 {
			all = append(all, s.unexplained(d))
		}
		for _, f := range s.judged(snap, d, findings[d]) {
			all = append(all, s.destination(snap, d, f))
		}
	}
	for _, c := range plan.content {
		if len(findings[c]) == 0 {
			all = append(all, s.unexplained(c))
		}
		for _, f := range findings[c] {
			all = append(all, s.payload(snap, c, f))
		}
	}
	if plan.nowhere {
		all = append(all, objection{outcome: abi.Ask, code: "SINK_EMPTY", reason: "the call names no destination"})
	}
	return s.verdict(all)
}

// objection is what is held against one scalar of the call.
type objection struct {
	outcome abi.Outcome
	code    string
	at      sinkScalar
	reason  string
	witness []abi.Evidence
	// override says that this asks where it would deny without `override: once`.
	override bool
}

// unexplained refuses a scalar that provenance did not look up.
func (s *sink) unexplained(at sinkScalar) objection {
	return objection{outcome: abi.Deny, code: "SINK_UNEXPLAINED", at: at, reason: s.label(at) + " was not looked up"}
}

// destination classes one destination.
func (s *sink) destination(snap *abi.Snapshot, d sinkScalar, f *abi.Finding) objection {
	o := objection{outcome: abi.Abstain, at: d}
	if fatalSpoil(f) {
		return objection{outcome: abi.Deny, code: "SINK_SPOILED", at: d, reason: s.label(d) + " holds " + f.Spoiled, witness: f.Evidence}
	}
	if f.Spoiled == "" && (s.trusts(f) || f.Origin >= abi.OriginClient) {
		return o
	}
	if len(f.Evidence) == 0 {
		o.outcome, o.code = s.on[abi.Unproven], "SINK_UNPROVEN"
		o.reason = s.label(d) + ": nothing vouches for it"
	} else {
		o = s.weigh(o, f)
	}
	o = s.near(o, f)
	// A remembered yes answers an ask. An override holds for its call alone.
	if o.outcome == abi.Ask && !o.override && f.Spoiled == "" && approved(snap, f) {
		return objection{outcome: abi.Abstain, at: d}
	}
	return o
}

// fatalSpoil says whether a value is refused for its characters alone. Other
// oddities only keep it from being trusted. User information imitates a host in
// the URLs that people read; connection strings and ssh have it as a matter of
// course.
func fatalSpoil(f *abi.Finding) bool {
	switch f.Spoiled {
	case provenance.SpoiledControl, provenance.SpoiledInvisible:
		return true
	case provenance.SpoiledUserinfo:
		scheme, _, _ := strings.Cut(f.Identity, "//")
		switch scheme {
		case "", "http:", "https:", "ws:", "wss:":
			return true
		}
	}
	return false
}

// weigh takes the strictest outcome over all evidence, so that more evidence
// never loosens. Of several that ask, one that would deny is told.
func (s *sink) weigh(o objection, f *abi.Finding) objection {
	var worst *abi.Evidence
	unsure := !slices.ContainsFunc(f.Evidence, func(e abi.Evidence) bool { return e.Position != abi.Evicted && e.Position != abi.Saturated })
	for i := range f.Evidence {
		e := &f.Evidence[i]
		outcome, override := s.grade(e)
		if alone, said := s.rules.Alone[e.Position]; said && unsure && alone.Known() < outcome {
			outcome, override = s.overridable(e, alone.Known())
		}
		if worst == nil || outcome < o.outcome || outcome == o.outcome && override && !o.override {
			worst, o.outcome, o.override = e, outcome, override
		}
	}
	o.witness = f.Evidence
	switch worst.Position {
	case abi.Lookalike:
		o.code, o.reason = "SINK_LOOKALIKE", s.label(o.at)+" imitates a trusted destination"
	case abi.Saturated:
		o.code, o.reason = "SINK_SATURATED", s.label(o.at)+" stands in too many places to look at"
	case abi.Evicted:
		o.code, o.reason = "SINK_EVICTED", s.label(o.at)+" may come from "+from(*worst)+", whose text is gone"
		if worst.View == provenance.ViewOpaque {
			o.reason = s.label(o.at) + " may come from " + from(*worst) + ", which holds more encoded text than is decoded"
		}
	default:
		o.code, o.reason = "SINK_TAINTED", s.label(o.at)+" "+masked(*worst).String()
	}
	if o.override {
		o.code, o.reason = "SINK_OVERRIDE", o.reason+", which a person may override for this call"
	}
	return o
}

// grade returns the outcome of one piece of evidence, and whether it asks only
// because the policy lets a person override a deny.
func (s *sink) grade(e *abi.Evidence) (outcome abi.Outcome, override bool) {
	outcome, ok := s.on[e.Position]
	if !ok {
		return abi.Deny, false
	}
	switch {
	case e.Kind == provenance.FieldAddressing && e.Position == abi.Field:
		return abi.Ask, false
	case s.rules.Strict && e.Position != abi.Part && e.Position != abi.Saturated && e.Position != abi.Evicted:
		outcome = abi.Deny
	}
	return s.overridable(e, outcome)
}

// overridable is an outcome of a piece of evidence, or the ask that stands in for
// it where a person may override a deny.
func (s *sink) overridable(e *abi.Evidence, outcome abi.Outcome) (abi.Outcome, bool) {
	if s.rules.Once && outcome == abi.Deny && e.Position != abi.Lookalike {
		return abi.Ask, true
	}
	return outcome, false
}

// payload judges an address or a URL inside content.
func (s *sink) payload(snap *abi.Snapshot, c sinkScalar, f *abi.Finding) objection {
	o := objection{outcome: abi.Abstain, at: c}
	cut := slices.ContainsFunc(f.Evidence, func(e abi.Evidence) bool { return e.View == provenance.ViewCut })
	if cut {
		return objection{outcome: s.rules.Payload.Known(), code: "SINK_PAYLOAD", at: c, reason: s.label(c) + " holds more addresses than are looked at", witness: f.Evidence}
	}
	if f.Kind != provenance.KindMail && f.Kind != provenance.KindURL && !linkedHost(f) {
		return o
	}
	yes := s.rules.Payload.Known() == abi.Ask && approved(snap, f)
	if f.Spoiled == "" && (s.trusts(f) || f.Origin >= abi.OriginClient || yes) {
		return o
	}
	for _, e := range f.Evidence {
		if outcome := s.carries(f, &e); outcome < abi.Allow {
			o.outcome, o.code, o.witness = outcome, "SINK_PAYLOAD", f.Evidence
			o.reason = "an address inside " + s.label(c) + " " + masked(e).String()
			return o
		}
	}
	return o
}

// linkedHost says whether content is a host that readers make a link of.
func linkedHost(f *abi.Finding) bool {
	return f.Kind == provenance.KindHost && strings.HasPrefix(f.Identity, "www.")
}

// carries returns what a piece of evidence makes of an address inside content. A
// URL carries whatever is written into it, so its host alone counts; of a mail
// address it does not. What is gone may have been anything: it asks at most,
// however hard it is on destinations.
func (s *sink) carries(f *abi.Finding, e *abi.Evidence) abi.Outcome {
	switch e.Position {
	case abi.Prose, abi.Encoded, abi.Field, abi.Lookalike, abi.Saturated:
		return s.rules.Payload.Known()
	case abi.Part, abi.Glued:
		if f.Kind != provenance.KindMail {
			return s.rules.Payload.Known()
		}
	case abi.Evicted:
		return max(abi.Ask, s.rules.Payload.Known(), s.on[abi.Evicted])
	}
	return abi.Allow
}

// approved says whether a person vouched for the destination at this place of
// this tool, on evidence that was no weaker than what is known now. That the
// tool itself confirms what it was sent is nothing new.
func approved(snap *abi.Snapshot, f *abi.Finding) bool {
	best := len(abi.Positions) - 1
	for _, e := range f.Evidence {
		if e.Position != abi.Echo || e.Server != snap.Call.Server || e.Tool != snap.Call.Target() {
			best = min(best, slices.Index(abi.Positions, e.Position))
		}
	}
	at := provenance.Generic(f.At)
	for _, a := range snap.Session.Approved {
		shown := slices.Index(abi.Positions, a.Position)
		same := a.Server == snap.Call.Server && a.Tool == snap.Call.Target() && a.Pin == snap.Definition.Pin
		if snap.Call.Kind.IsTool() {
			same = same && a.Kind.IsTool() && a.Pin != ""
		} else {
			same = same && a.Kind == snap.Call.Kind
		}
		if same && a.At == at && a.Identity == f.Identity && shown >= 0 && best >= shown {
			return true
		}
	}
	return false
}

// verdict joins the objections: the strictest outcome, with every place that
// has it.
func (s *sink) verdict(all []objection) abi.Verdict {
	v := abi.Verdict{Outcome: abi.Abstain, Contract: "sink", Rule: s.rules.Rule}
	for _, o := range all {
		v.Outcome = abi.Stricter(v.Outcome, o.outcome)
	}
	if v.Outcome >= abi.Allow {
		return contract.Abstain
	}
	var reasons []string
	for _, o := range all {
		if o.outcome != v.Outcome {
			continue
		}
		v.Override = v.Override || o.override
		if v.Code == "" || slices.Index(sinkCodes, o.code) < slices.Index(sinkCodes, v.Code) {
			v.Code = o.code
		}
		if at := s.base + o.at.at; !slices.Contains(v.At, at) {
			v.At = append(v.At, at)
		}
		if !slices.Contains(reasons, o.reason) {
			reasons = append(reasons, o.reason)
		}
		v.Witness = append(v.Witness, o.witness...)
	}
	v.Witness = v.Witness[:min(len(v.Witness), 16)]
	v.Reason = strings.Join(reasons[:min(len(reasons), 4)], "; ")
	if more := len(reasons) - 4; more > 0 {
		v.Reason += "; and more"
	}
	v.Mend = sinkMend(v.Code, v.Outcome)
	if v.Code == "SINK_UNDECLARED" {
		v.Rule = s.rule
	}
	return v
}

// sinkCodes are the codes of this contract, the most telling first.
var sinkCodes = []string{
	"SINK_UNDECLARED", "SINK_UNEXPLAINED", "SINK_SPOILED", "SINK_OVERRIDE", "SINK_LOOKALIKE", "SINK_TAINTED", "SINK_PAYLOAD", "SINK_SATURATED",
	"SINK_EVICTED", "SINK_UNPROVEN", "SINK_EMPTY",
}
