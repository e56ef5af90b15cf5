package gate

import (
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
)

// Step moves the state by one event and returns the gate's answers, in order.
// Answers of an earlier run (verdict, edit, ask, label) change nothing: Step
// makes its own.
func Step(s *State, e abi.Event) []abi.Event {
	s.folding = false
	if !e.Time.IsZero() {
		s.clock = e.Time.UTC()
	}
	return s.step(s.Freeze(e))
}

// Fold moves the state by one event of this server's own past, without judging
// it again: the recorded verdicts count. What could loosen (approvals and what
// the user said) is left out, and so is what that process had read of others,
// whose files are read anew. The policy in force stays: it says what the past
// counts towards.
func Fold(s *State, e abi.Event) {
	s.folding = true
	defer func() { s.folding = false }()
	switch {
	case e.Verdict != nil:
		s.settle(s.session.entries[e.Verdict.ID], e.Verdict)
		if n := s.past(e.Verdict.ID); n != nil {
			s.lower(n, e.Verdict)
		}
		s.foldList("", e)
	case e.Label != nil:
		s.addLabels(s.session.entries[e.Label.Call], e.Label)
	case e.Ask != nil:
		s.counted(e.Ask)
	case e.Edit != nil:
		s.refold(e)
	case e.Approval != nil, e.User != nil, e.Read != nil, e.Policy != nil, e.Tools != nil && e.Tools.Source == abi.ToolsAccepted:
	default:
		s.step(e)
	}
}

func (s *State) step(e abi.Event) []abi.Event {
	if !e.Time.IsZero() {
		s.now = e.Time.UTC()
	}
	switch {
	case e.Session != nil:
		s.openSession(e.Session)
	case e.Policy != nil:
		return s.reload(e)
	case e.Server != nil:
		s.announce(e)
	case e.Tools != nil:
		s.list(e)
		s.hear(e)
		return s.judgeTools(e)
	case e.Call != nil:
		return s.called(e)
	case e.Result != nil:
		s.hear(e)
		return s.answered(e)
	case e.User != nil:
		if s.settings.UserContext {
			s.record(e)
		}
	case e.Facts != nil:
		s.useFacts(e.Facts.Facts)
	case e.Approval != nil:
		return s.approve(e)
	case e.Lapsed != nil:
		s.lapse(e.Lapsed)
	case e.Read != nil:
		s.read(e.Read)
	case e.Frame != nil:
		s.hear(e)
		return s.relayed(e, nil)
	case e.Evicted != nil:
		s.record(e)
	case e.Refused != nil:
		return s.refused(e)
	case e.Reload != nil && e.Reload.State == abi.ReloadRestarted:
		s.loosened(e.Reload.Why)
	}
	return nil
}

// openSession starts a process's part of a session: the same one if the last
// activity is inside the idle window and the principal is the same.
func (s *State) openSession(o *abi.SessionEvent) {
	same := !s.session.known || samePrincipal(s.session.principal, o.Principal)
	resume := s.session.open && !o.New && same && s.fresh()
	if !resume {
		s.reset()
		if srv := s.servers[o.Server]; srv != nil {
			srv.unlist()
		}
		s.session.id = o.ID
		s.session.last = s.now
	}
	s.session.open = true
	s.session.principal, s.session.known = o.Principal, true
	if o.Place != (abi.Place{}) {
		s.session.place = o.Place
	}
	if o.Protected != nil {
		s.session.protected = o.Protected
	}
	if len(o.File) >= 6 {
		s.file = o.File[:6]
	}
	s.session.joined = !s.folding
}

// fresh says whether the last activity lies inside the idle window. A process
// whose clock was ahead did not start later than now.
func (s *State) fresh() bool {
	now := s.now
	if s.folding && !s.clock.IsZero() && now.After(s.clock) {
		now = s.clock
	}
	idle := s.settings.SessionIdle
	if idle == 0 {
		idle = policy.DefaultSessionIdle
	}
	return !s.session.last.IsZero() && now.Sub(s.session.last) <= idle
}

// active notes activity in the session. Files of a group are read one after
// the other, so times can go back.
func (s *State) active() {
	if s.now.After(s.session.last) {
		s.session.last = s.now
	}
}

// read notes how far a file of the group was read. While one can not be read,
// what it says is not known, and nothing is allowed.
func (s *State) read(r *abi.ReadEvent) {
	if r.Broken == "" {
		delete(s.broken, r.File)
		return
	}
	s.broken[r.File] = r.Broken
}

func samePrincipal(a, b abi.Principal) bool {
	if a.Identity != b.Identity || a.Subject != b.Subject || a.Issuer != b.Issuer || len(a.Actors) != len(b.Actors) {
		return false
	}
	for i := range a.Actors {
		if a.Actors[i] != b.Actors[i] {
			return false
		}
	}
	return true
}

// usePolicy puts a policy into force. One that does not load denies everything
// that follows.
func (s *State) usePolicy(p *abi.PolicyEvent) {
	known := s.opts.Loaded
	same := known != nil && known.Value().Equal(p.Policy)
	if !same || s.policy != known {
		s.settleAll() // the policy says how an output is read, and this was read under the old one
	}
	if same {
		s.policy, s.bad = known, nil
	} else {
		s.policy, s.bad = policy.Decode(p.Policy)
	}
	s.bindings = map[string]*binding{}
	clear(s.sources)
	s.digest, s.settings = p.Digest, policy.Settings{}
	if s.bad == nil {
		s.digest, s.settings = s.policy.Digest(), s.policy.Settings()
	}
}

func (s *State) useFacts(v abi.Value) {
	if home := v.Get("home"); home.IsString() {
		s.session.place.Home = home.Str()
	}
	if dir := v.Get("cwd"); dir.IsString() {
		s.session.place.Dir = dir.Str()
	}
	s.launches(v.Get("attest"))
	s.protect(v.Get("protected"))
}

// refused records a frame that was not relayed. A call that its batch took
// back is no longer counted as one that went out.
func (s *State) refused(e abi.Event) []abi.Event {
	r := e.Refused
	if r.Call != "" {
		s.release(s.session.entries[r.Call])
		return nil
	}
	if r.From == "server" {
		s.record(e)
	}
	s.session.denied++
	v := abi.Verdict{
		ID: s.answerID(e.Seq), Outcome: abi.Deny, Contract: "wire", Code: r.Code, Reason: r.Reason,
		Mend: "send one unambiguous JSON-RPC 2.0 message a line",
	}
	switch {
	case r.From == "server":
		v.Mend = "tell the server's author: its frame is kept in the ledger"
	case !strings.HasPrefix(r.Code, "FRAME_"):
		v.Mend = "make the call anew, as the reason says"
	}
	if r.Pointer != "" {
		v.At = []string{r.Pointer}
	}
	return answers(e, abi.Event{Verdict: &v})
}

// answers gives the gate's events their place after the event they answer.
func answers(cause abi.Event, out ...abi.Event) []abi.Event {
	for i := range out {
		out[i].Seq = cause.Seq + 1 + uint64(i)
		out[i].Time = cause.Time
		out[i].Cause, out[i].Caused = cause.Seq, true
	}
	return out
}
