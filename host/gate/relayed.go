package gate

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/redact"
)

// Reads says whether the policy wants to know what servers say: then an event of
// theirs has to carry its text, and not only a reference.
func (s *State) Reads() bool {
	return s.policy != nil && (s.policy.Redact().Covers(redact.FromServer) || s.policy.HasResults() || s.policy.HasPlugins())
}

// HasPlugins says whether the policy in force asks plugins, which may take longer
// than all contracts together.
func (s *State) HasPlugins() bool { return s.policy != nil && s.policy.HasPlugins() }

// said is what an event of a server holds, and where that is.
type said struct {
	value abi.Value
	of    string // of an edit: result, error or frame
	where redact.Where
}

// saidIn returns what a result or a frame says; false: it is gone.
func (s *State) saidIn(e abi.Event) (said, bool) {
	var t said
	switch {
	case e.Result != nil:
		t = said{e.Result.Value, "result", redact.Results}
		if e.Result.Error.Exists() || e.Text != nil && e.Text.Error {
			t = said{e.Result.Error, "error", redact.Errors}
		}
	case strings.HasPrefix(e.Frame.Method, "notifications/"):
		t = said{e.Frame.Frame, "frame", redact.Notifications}
	case e.Frame.Request:
		t = said{e.Frame.Frame, "frame", redact.Requests}
	default:
		t = said{e.Frame.Frame, "frame", redact.Results}
	}
	if t.value.Exists() || e.Text == nil {
		return t, true
	}
	var missing bool
	t.value, missing = s.fetch(e.Text)
	return t, !missing
}

// relayed takes in what a server says: it is redacted, and a result is held
// against the rules of its tool. What the client does not see stays known to
// provenance, and what it sees in its place is known too.
func (s *State) relayed(e abi.Event, n *entry) []abi.Event {
	s.record(bare(e))
	if s.folding || !s.Reads() {
		return nil
	}
	if n == nil && e.Result != nil {
		n = s.past(e.Result.Call)
	}
	t, ok := s.saidIn(e)
	var v abi.Verdict
	var edits []abi.Edit
	edited := t.value
	if !ok {
		v = abi.Verdict{
			Outcome: abi.Deny, Contract: "results", Code: "TEXT_GONE", Missing: true, Reason: "what the server said is not kept in this ledger",
			Mend: "replay it where settings.ledger was full",
		}
	} else {
		v, edits = s.redacted(t)
		var err error
		if edited, err = t.value.Edited(edits); err != nil {
			v = cannot("REDACT_FAILED", "", "an edit could not be applied", "report it: a text was found where there is none")
		}
		v = first(v, s.judgeResult(e, n, t, edited))
		v, edited, edits = s.consultResult(e, n, v, t, edited, edits)
		if p, ok := pageIn(e, t.value, edited); ok && v.Outcome == abi.Abstain {
			v = s.judgeList(e, p)
		}
		if w := s.fitsSchema(n, t, edited); len(edits) > 0 && w.Outcome != abi.Abstain {
			w.Also = append(w.Also, v.Also...)
			v.Also = nil
			v = first(v, w)
		}
	}
	if v.Outcome == abi.Abstain && len(edits)+len(v.Also) == 0 {
		return nil
	}
	return s.answerTo(e, n, v, abi.EditEvent{Of: t.of, Edits: edits}, edited)
}

// answerTo gives the gate's answers to what a server said.
func (s *State) answerTo(e abi.Event, n *entry, v abi.Verdict, edit abi.EditEvent, edited abi.Value) []abi.Event {
	observe := s.settings.Mode == policy.ModeObserve
	id := ""
	if e.Result != nil {
		id = e.Result.Call
	}
	edit.Call = id
	if id == "" {
		id = s.answerID(e.Seq)
	}
	var out []abi.Event
	passes := v.Outcome == abi.Abstain
	if passes && len(v.Also) > 0 {
		v.Outcome, v.Contract = abi.Allow, "plugin" // what plugins said of it is kept
	}
	if v.Outcome != abi.Abstain {
		v.ID, v.Observed = id, observe && !passes
		if n != nil {
			s.lower(n, &v)
		}
		if label := s.labelled(id, n, &v); label != nil {
			out = append(out, abi.Event{Label: label})
		}
		s.strip(&v)
		out = slices.Insert(out, 0, abi.Event{Verdict: &v})
	}
	if len(edit.Edits) > 0 && !observe && passes {
		edit.Digest = edited.Digest()
		out = append(out, abi.Event{Edit: &edit})
		s.record(withValue(e, edited))
	}
	return answers(e, out...)
}

// first is the first of two verdicts that says something.
func first(a, b abi.Verdict) abi.Verdict {
	if a.Outcome != abi.Abstain {
		if b.Outcome != abi.Abstain {
			a.Also = append(a.Also, b)
		}
		return a
	}
	return b
}

func cannot(code, rule, reason, mend string) abi.Verdict {
	return abi.Verdict{Outcome: abi.Deny, Contract: "redact", Code: code, Rule: rule, Reason: reason, Mend: mend}
}

// redacted finds what has to be redacted of what a server said.
func (s *State) redacted(t said) (abi.Verdict, []abi.Edit) {
	f := s.policy.Redact().Value(t.where, t.value, t.of != "error")
	switch {
	case f.Key != "":
		v := cannot("REDACT_FAILED", f.FailedRule, "the name of a member holds what has to be redacted, and a name can not be", "ask for something else, or name the text under except:")
		v.At = []string{"/" + t.of + f.Key[:strings.LastIndexByte(f.Key, '/')]}
		return v, nil
	case f.Stuck != "":
		v := cannot("REDACT_FAILED", f.FailedRule, "there is always more to redact in a value: what is put in makes another match", "correct the entry's pattern, or what stands under with:")
		v.At = []string{"/" + t.of + f.Stuck}
		return v, nil
	}
	return abi.Verdict{Outcome: abi.Abstain}, f.Edits
}

// judgeResult holds a result against the rules of its tool, as received and as it
// would be relayed.
func (s *State) judgeResult(e abi.Event, n *entry, t said, edited abi.Value) abi.Verdict {
	v := abi.Verdict{Outcome: abi.Abstain}
	if e.Result == nil || t.of != "result" || !s.policy.HasResults() {
		return v
	}
	if n == nil {
		if s.policy.ResultsOf(e.Result.Server) {
			v = abi.Verdict{
				Outcome: abi.Deny, Contract: "results", Code: "RESULTS_UNKNOWN", Reason: "nobody knows which call the result answers, and results of the server have rules",
				Mend: "make the call again",
			}
		}
		return v
	}
	snap := s.snapshot(n)
	snap.Phase = abi.PhaseResult
	rows := n.binding.returned
	if now := s.bound(&n.call); now != n.binding { // another policy has come since the call went out
		rows = slices.Concat(rows, now.returned)
	}
	for _, r := range rows {
		for _, value := range []abi.Value{t.value, edited} {
			snap.Result = value
			if w := ask(r, snap); w.Outcome != abi.Abstain {
				w.Outcome = abi.Deny // it is there already: nobody is asked
				v = first(v, w)
				break
			}
		}
	}
	return v
}

// maxReturning is how many calls are remembered beyond their first answer: of
// tasks, the result proper comes later.
const maxReturning = 1024

// returning is a call whose tool has rules about results.
type returning struct {
	id   string
	call abi.Call
}

// remembersResult keeps a finished call whose results have rules.
func (s *State) remembersResult(n *entry) {
	if n.binding == nil || len(n.binding.returned) == 0 && !has(n.binding.guests, abi.PhaseResult, n.call.Kind) {
		return
	}
	s.session.returning = append(s.session.returning, returning{n.call.ID, n.call})
	s.session.returning = s.session.returning[max(0, len(s.session.returning)-maxReturning):]
}

// past returns a call that was answered before, nil if it is not known.
func (s *State) past(id string) *entry {
	i := slices.IndexFunc(s.session.returning, func(r returning) bool { return r.id == id })
	if id == "" || i < 0 {
		return nil
	}
	n := &entry{key: id, call: s.session.returning[i].call}
	n.binding = s.bound(&n.call)
	return n
}

// hear keeps what a server said in the past, for the edits of it that follow.
func (s *State) hear(e abi.Event) {
	if s.folding {
		s.session.heard = e
	}
}

// refold edits again what an earlier process edited, when its past is folded.
func (s *State) refold(e abi.Event) {
	cause := s.session.heard
	if e.Edit.Of == "" || !e.Caused || cause.Seq != e.Cause || cause.Result == nil && cause.Frame == nil {
		return
	}
	t, ok := s.saidIn(cause)
	if !ok {
		return
	}
	if edited, err := t.value.Edited(e.Edit.Edits); err == nil {
		s.record(withValue(cause, edited))
	}
}

// bare is an event without the text that it carries by reference too.
func bare(e abi.Event) abi.Event {
	switch {
	case e.Text == nil:
	case e.Result != nil:
		r := *e.Result
		r.Value, r.Error = abi.Value{}, abi.Value{}
		r.Broken = e.Result.Failed()
		e.Result = &r
	case e.Frame != nil:
		f := *e.Frame
		f.Frame = abi.Value{}
		e.Frame = &f
	}
	return e
}

// withValue is an event of a server that says something else.
func withValue(e abi.Event, v abi.Value) abi.Event {
	switch {
	case e.Result != nil:
		r := *e.Result
		if r.Error.Exists() || e.Text != nil && e.Text.Error {
			r.Error = v
		} else {
			r.Value = v
		}
		e.Result = &r
	case e.Frame != nil:
		f := *e.Frame
		f.Frame = v
		e.Frame = &f
	}
	e.Text = nil
	return e
}

// ofPhase are the contracts that are asked in a phase.
func ofPhase(specs []contract.Spec, phase abi.Phase) []contract.Spec {
	return slices.DeleteFunc(slices.Clone(specs), func(spec contract.Spec) bool {
		return spec.Phase != phase && !(spec.Phase == "" && phase == abi.PhaseCall)
	})
}
