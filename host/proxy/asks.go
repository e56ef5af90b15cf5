package proxy

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/wire"
)

// maxQuestions is how many calls can have an open question, as many as the gate
// keeps.
const maxQuestions = 64

// maxOffers is how often people are shown one question that nobody answers. It
// can be answered from a terminal for longer.
const maxOffers = 3

// Asking says how people are asked.
type Asking struct {
	Group   string
	Policy  string        // name of the policy
	Timeout time.Duration // how long a call waits for its answer; 0: not at all
	Webhook *approval.Webhook
	// Listen serves the desk to the user's terminals until it is closed. child
	// lists the processes whose descendants must not answer; context takes what
	// the user says. Nil: nobody can answer from a terminal.
	Listen  func(desk *approval.Desk, child func() []int, context func(text string) error) (io.Closer, error)
	Context bool // what the user says is taken
}

// asks are the questions of a relay, with the calls that wait for answers.
type asks struct {
	desk *approval.Desk

	// mu is held from a verdict until it is acted on, so that an answer can not
	// come between a question and the call that waits for it.
	mu   sync.Mutex
	open []*question // oldest first
}

// question is one open question.
type question struct {
	id          string // on the desk
	fingerprint string
	shown       approval.Question
	call        string // of the last call that asked it, for when none waits
	waiting     []*waiting
	elicited    wire.ID            // our request to the client, the zero ID without one
	stop        context.CancelFunc // ends the webhook's part
	offers      int                // how often it was put to people
}

// waiting is a call that waits for an answer.
type waiting struct {
	m       Message
	verdict *abi.Verdict
	timer   *time.Timer
}

// out is what is to be sent once the lock is free.
type out struct {
	p        *stdio
	toClient [][]byte
	calls    []func()
}

// answer adds the answer to a call, if there is one.
func (o *out) answer(b []byte) {
	if b != nil {
		o.toClient = append(o.toClient, b)
	}
}

func (o *out) send() {
	for _, b := range o.toClient {
		o.p.toClient.send(frame{bytes: b})
	}
	for _, call := range o.calls {
		call()
	}
}

// judge has the gate judge a call. It returns the frame that answers it, or
// the frame to send once the token is durable. If neither, the call waits for a
// person. A call that can not wait, as it came in a batch, is answered at once,
// and its question stays open for the next identical one.
func (p *stdio) judge(m Message, wait bool) (answer, sent []byte, token ledger.Token) {
	p.asks.mu.Lock()
	r, err := p.o.Engine.Step(*m.Event)
	verdict := r.Verdict()
	if err != nil || verdict == nil {
		p.asks.mu.Unlock()
		p.note("%v", err)
		return p.o.Voice.apply(m, unkept("")), nil, 0
	}
	p.talk.Called(m, verdict.ID)
	if verdict.Enforced() == abi.Ask {
		o := out{p: p}
		held := p.ask(&o, m, verdict, wait)
		p.asks.mu.Unlock()
		o.send()
		if held {
			return nil, nil, 0
		}
		return p.o.Voice.apply(m, verdict), nil, 0
	}
	p.asks.mu.Unlock()
	return p.acted(m, verdict, r)
}

// acted is what becomes of a call that got its verdict.
func (p *stdio) acted(m Message, verdict *abi.Verdict, r Recorded) (answer, sent []byte, token ledger.Token) {
	if answer := p.o.Voice.apply(m, verdict); answer != nil {
		return answer, nil, 0
	}
	sent, err := edited(m.Frame, verdict.ID, r.Answers)
	if err != nil {
		p.record(abi.Event{Refused: &abi.RefusedEvent{Server: p.o.Server, From: "client", Code: "EDIT_FAILED", Call: verdict.ID}})
		failed := abi.Verdict{ID: verdict.ID, Contract: "edit", Code: "EDIT_FAILED", Reason: "an edit could not be applied to the frame"}
		return p.o.Voice.apply(m, &failed), nil, 0
	}
	return nil, sent, r.Token
}

// ask has a call wait for an answer, and says whether it does. It is called
// with mu held.
func (p *stdio) ask(o *out, m Message, verdict *abi.Verdict, wait bool) (held bool) {
	asked, arguments, ok := p.o.Engine.Question(verdict.ID)
	if !ok {
		return false
	}
	wait = wait && p.o.Asking.Timeout > 0
	q := p.question(asked.Fingerprint)
	if q == nil {
		shown := p.asks.desk.Open(approval.Question{
			Group: p.o.Asking.Group, Policy: p.o.Asking.Policy, Ask: asked, Arguments: arguments, Asked: time.Now(), Held: wait, Waiting: 1,
		})
		q = &question{id: shown.ID, fingerprint: asked.Fingerprint, shown: shown, stop: func() {}}
		p.asks.open = append(p.asks.open, q)
	}
	q.call = verdict.ID
	if !wait {
		p.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: verdict.ID}})
		p.update(q)
		p.crowd(o)
		return false
	}
	if len(q.waiting) == 0 {
		p.offer(o, q)
	}
	w := &waiting{m: m, verdict: verdict}
	w.timer = time.AfterFunc(p.o.Asking.Timeout, func() { p.expire(q, w) })
	q.waiting = append(q.waiting, w)
	p.update(q)
	p.crowd(o)
	return true
}

// offer puts a question to the channels that have to be told of it.
func (p *stdio) offer(o *out, q *question) {
	shown := q.shown
	p.note("a call of %q waits for an answer: callgate pending lists it", p.o.Server)
	if q.offers++; q.offers > maxOffers {
		return
	}
	may := func(channel string) bool {
		return shown.Ask.Channels == nil || slices.Contains(shown.Ask.Channels, channel)
	}
	if may(abi.ChannelElicitation) && p.talk.Elicits() {
		q.elicited = p.talk.NewRequest()
		o.toClient = append(o.toClient, elicitation(q.elicited, approval.Prompt(shown)))
	}
	if hook := p.o.Asking.Webhook; hook != nil && may(abi.ChannelWebhook) {
		ctx, stop := context.WithTimeout(context.Background(), p.o.Asking.Timeout)
		q.stop = stop
		go func() {
			defer stop()
			answer, err := hook.Ask(ctx, shown)
			if err == nil {
				_, err = p.asks.desk.Answer(shown.ID, answer)
			}
			if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
				p.note("the webhook did not answer: %v", err)
			}
		}()
	}
}

// question returns the open question with a fingerprint, or nil.
func (p *stdio) question(fingerprint string) *question {
	for _, q := range p.asks.open {
		if q.fingerprint == fingerprint {
			return q
		}
	}
	return nil
}

// update tells the desk how many calls wait.
func (p *stdio) update(q *question) {
	n := len(q.waiting)
	p.asks.desk.Update(q.id, func(shown *approval.Question) { shown.Held, shown.Waiting = n > 0, n })
}

// elicitedBy takes the client's answer to a question of ours.
func (p *stdio) elicitedBy(m Message) {
	yes, answered := elicited(m.Frame)
	if !m.fresh || !answered {
		return
	}
	p.asks.mu.Lock()
	i := slices.IndexFunc(p.asks.open, func(q *question) bool { return q.elicited.Raw != "" && q.elicited.Key() == m.Frame.ID.Key() })
	id := ""
	if i >= 0 {
		id = p.asks.open[i].id
	}
	p.asks.mu.Unlock()
	if _, err := p.asks.desk.Answer(id, approval.Answer{Yes: yes, By: abi.ChannelElicitation}); err != nil {
		p.note("an answer by elicitation did not count: %v", err)
	}
}

// answered acts on a person's answer. It is the function of the desk.
func (p *stdio) answered(shown approval.Question, a approval.Answer) (string, error) {
	o := out{p: p}
	defer o.send()
	p.asks.mu.Lock()
	defer p.asks.mu.Unlock()
	q := p.question(shown.Ask.Fingerprint)
	if q == nil || q.id != shown.ID {
		return "", errors.New("the question is not open any more; a new call asks again")
	}
	call := q.call
	if len(q.waiting) > 0 {
		call = q.waiting[0].verdict.ID
	}
	r, err := p.o.Engine.Step(abi.Event{Approval: &abi.ApprovalEvent{Call: call, Yes: a.Yes, By: a.By}})
	waited := q.waiting
	if err != nil {
		p.forsake(q)
	}
	p.close(&o, q)
	verdicts := map[string]*abi.Verdict{}
	for _, e := range r.Answers {
		if e.Verdict != nil {
			verdicts[e.Verdict.ID] = e.Verdict
		}
	}
	released := false
	for _, w := range waited {
		w.timer.Stop()
		v := verdicts[w.verdict.ID]
		if err != nil || v == nil {
			v = unkept("")
		}
		released = released || v.Enforced() == abi.Allow
		o.calls = append(o.calls, func() { p.release(w.m, v, r) })
	}
	switch {
	case err != nil:
		return "", err
	case !a.Yes:
		return "declined", nil
	case released:
		return "approved: the call goes to the server", nil
	case len(waited) > 0:
		return "", errors.New("the call was denied all the same, since evidence, policy or tool has changed; callgate why " + call + " says more")
	case p.o.Engine.Stands(shown.Ask.Fingerprint):
		return "approved: the next identical call goes to the server", nil
	}
	return "", errors.New("evidence, policy or tool has changed since the question was asked; a new call asks again")
}

// release does with a call that has waited what its verdict says.
func (p *stdio) release(m Message, v *abi.Verdict, r Recorded) {
	answer, sent, token := p.acted(m, v, r)
	if answer != nil {
		p.reply(m, answer)
		return
	}
	p.forward(m, sent, token, false)
}

// listen lets terminals answer. Without it, what asks can not be approved that
// way, but nothing is looser.
func (p *stdio) listen() io.Closer {
	if p.o.Asking.Listen == nil {
		return nil
	}
	var context func(string) error
	if p.o.Asking.Context {
		context = func(text string) error {
			_, err := p.o.Engine.Step(abi.Event{User: &abi.UserEvent{Text: text}})
			return err
		}
	}
	c, err := p.o.Asking.Listen(p.asks.desk, func() []int { return []int{p.child.pid} }, context)
	if err != nil {
		p.note("nobody can answer from a terminal: %v", err)
		return nil
	}
	return c
}
