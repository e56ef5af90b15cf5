package proxy

import (
	"errors"
	"slices"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/wire"
)

// parkLife is how long a client may take to come back with an answer, and
// maxRounds how often it is asked if it comes without one.
const (
	parkLife  = 10 * time.Minute
	maxRounds = 2
)

// Codes of a call that came back with a request state.
const (
	// CodeState: the state is not one that this call was answered with.
	CodeState = "REQUEST_STATE"
	// CodeDeclined: the person said no, or nothing.
	CodeDeclined = "DECLINED"
)

// takesQuestion says whether a request may be answered with a question (MCP
// 2026-07-28, "input required results"), and its client takes one.
func takesQuestion(f wire.Frame) bool {
	if !f.Modern || f.Kind != wire.Request {
		return false
	}
	switch f.Method {
	case "tools/call":
		return f.Call.Task.IsZero() && formsDeclared(f)
	case "prompts/get", "resources/read":
		return formsDeclared(f)
	}
	return false
}

// park answers a call with its question. It is called with mu held.
func (r *relay) park(q *question, w *waiting) []byte {
	answer := r.questionFor(w.m, w.verdict.ID, 0, approval.Prompt(q.shown))
	if answer != nil {
		w.parked = true
		w.timer = time.AfterFunc(parkLife, func() { r.expire(q, w) })
	}
	return answer
}

// questionFor is the answer to a call that asks, nil if it can not be sealed.
func (r *relay) questionFor(m Message, call string, round int, prompt string) []byte {
	b, err := r.bind(m.Frame)
	if err != nil {
		return nil
	}
	t := ticket{bound: b, kind: questionTicket, call: call, round: round}
	if t.state, t.answers, err = serversPart(m.Frame, m.came()); err != nil {
		return nil
	}
	return inputRequired(m.Frame.ID, r.seals.seal(t, parkLife), prompt)
}

// came is the ticket that a call came with.
func (m Message) came() ticket {
	if m.ticket == nil {
		return ticket{}
	}
	return *m.ticket
}

// bind says what a request state for a call holds for.
func (r *relay) bind(f wire.Frame) (bound, error) {
	return boundTo(r.o.Server, r.o.Engine.PolicyDigest(), f)
}

func boundTo(server, policy string, f wire.Frame) (bound, error) {
	digest, err := callDigest(f)
	// The sealer is the client's own, so there is no other principal.
	return bound{server: server, method: f.Method, target: f.Target, digest: digest, policy: policy}, err
}

// unpark lets go of the calls of a question whose clients were answered: a yes
// that comes another way serves the call when it is made again. It is called with
// mu held.
func (k *Keeper) unpark(q *question) {
	q.waiting = slices.DeleteFunc(q.waiting, func(w *waiting) bool {
		if !w.parked {
			return false
		}
		w.timer.Stop()
		k.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: w.verdict.ID}})
		return true
	})
}

// returns handles a call that comes back with a request state of ours. It says
// whether nothing is left to be done.
func (r *relay) returns(m *Message) bool {
	if m.Frame.RequestState.IsZero() || m.Frame.Kind != wire.Request || m.Event.Call == nil {
		return false
	}
	t, err := r.seals.open(stateIn(m.Frame))
	if errors.Is(err, errNotOurs) {
		return false
	}
	if err == nil {
		var b bound
		if b, err = r.bind(m.Frame); err == nil && b != t.bound {
			err = errors.New("the request state belongs to another call, or another policy; make the call again without it")
		}
	}
	if err == nil {
		err = r.seals.spend(t)
	}
	if err != nil {
		r.turnAway(*m, CodeState, err.Error())
		return true
	}
	m.ticket = &t
	if t.kind == continuationTicket {
		m.Event.Call.Continues = t.call
		return false
	}
	yes, answered := approvalIn(m.Frame, t)
	return r.settled(m, t, yes, answered)
}

// settled acts on what a client brings back to our question.
func (r *relay) settled(m *Message, t ticket, yes, answered bool) bool {
	r.asks.mu.Lock()
	q, w := r.parked(t.call)
	if w != nil && !answered && t.round < maxRounds {
		answer := r.questionFor(*m, t.call, t.round+1, approval.Prompt(q.shown))
		r.asks.mu.Unlock()
		r.reply(*m, answer)
		return true
	}
	if w == nil {
		r.asks.mu.Unlock()
		if yes || !answered {
			return false // it may have been answered another way; else it asks anew
		}
		r.turnAway(*m, CodeDeclined, "a person declined the call")
		return true
	}
	w.timer.Stop()
	w.r, w.m, w.parked = r, *m, false
	w.timer = time.AfterFunc(parkLife, func() { r.expire(q, w) }) // it is answered below
	id := q.id
	r.asks.mu.Unlock()
	r.talk.Called(*m, t.call)
	if _, err := r.asks.desk.Answer(id, approval.Answer{Yes: yes, By: abi.ChannelElicitation}); err != nil {
		r.o.Note("an answer to a question did not count: %v", err)
	}
	return true
}

// parked returns the call that waits for its client to come back, and its
// question. It is called with mu held.
func (k *Keeper) parked(call string) (*question, *waiting) {
	for _, q := range k.asks.open {
		for _, w := range q.waiting {
			if w.parked && w.verdict.ID == call {
				return q, w
			}
		}
	}
	return nil, nil
}

// turnAway refuses a call before it is judged.
func (r *relay) turnAway(m Message, code, reason string) {
	v := &abi.Verdict{Contract: "approval", Code: code, Reason: reason}
	rec, _ := r.record(abi.Event{Refused: &abi.RefusedEvent{
		Server: r.o.Server, From: "client", Code: code, Reason: reason, Tool: m.Event.Call.Tool,
		Bytes: m.Frame.Raw[:min(len(m.Frame.Raw), maxRecorded)], Size: int64(len(m.Frame.Raw)),
	}})
	if kept := rec.Verdict(); kept != nil {
		v.ID = kept.ID
	}
	r.reply(m, r.voice().apply(m, v))
}

// outgoing is a call as the server is to see it: without what was ours of an
// exchange of questions.
func (r *relay) outgoing(m Message, sent []byte) ([]byte, error) {
	if m.ticket == nil {
		return sent, nil
	}
	f := wire.Classify(sent, wire.FromClient, wire.Options{})
	if f.Kind != wire.Request {
		return nil, errors.New("the call can not be read any more")
	}
	return withoutOurs(f, *m.ticket)
}

// approve notes that a person approved a call, so that its next round needs no
// question.
func (c *Conversation) approve(m Message, v *abi.Verdict, policy string) {
	if m.open == nil || v.Contract != "approval" || !m.Frame.Modern {
		return
	}
	b, err := boundTo(c.Server, policy, m.Frame)
	if err != nil {
		return // then the next round asks
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m.open.approved = &b
}

// wrapped is a server's question about a call that a person has approved, with
// a state of ours around the server's, by which the next round is known.
func (r *relay) wrapped(m Message, raw []byte) ([]byte, error) {
	if m.open == nil || m.open.approved == nil || m.Frame.ResultType != "input_required" {
		return raw, nil
	}
	f := wire.Classify(raw, wire.FromServer, wire.Options{})
	if f.Kind != wire.Response {
		return nil, errors.New("the result can not be read any more")
	}
	t := ticket{bound: *m.open.approved, kind: continuationTicket, call: m.open.call, state: stateOf(f)}
	return wrapState(f, r.seals.seal(t, parkLife))
}
