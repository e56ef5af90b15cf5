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
	// Listen serves what a person can do from a terminal until it is closed. Nil:
	// nobody can answer from one.
	Listen  func(Terminal) (io.Closer, error)
	Context bool // what the user says is taken
}

// Terminal is what a person can do from a terminal of the user's.
type Terminal struct {
	Desk *approval.Desk
	// Children lists the processes whose descendants must not.
	Children func() []int
	// Context takes what the user says; nil: it is not taken.
	Context func(text string) error
	// Accept pins what the server has last listed of a tool, or with "" what it
	// says of itself, if that still has the digest.
	Accept func(tool, digest string) error
	// Reload says what became of the files of the policy, and AcceptPolicy puts
	// what waits into force, if it still has the digest; nil: nobody reloads.
	Reload       func() approval.Reload
	AcceptPolicy func(digest string) error
	// Look reads the files again now.
	Look func()
	// Labels lists those that the session holds.
	Labels func() []string
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
	eliciting   *waiting           // the call whose client got it
	stop        context.CancelFunc // ends the webhook's part
	offers      int                // how often it was put to people
}

// waiting is a call that waits for an answer.
type waiting struct {
	r       *relay
	m       Message
	verdict *abi.Verdict
	timer   *time.Timer
	// parked says that the client has been answered, with the question: it makes
	// the call again with what the person says.
	parked bool
}

// out is what is to be sent once the lock is free.
type out []func()

// add adds a frame for a peer.
func (o *out) add(to sink, f frame) { *o = append(*o, func() { to.send(f) }) }

func (o out) send() {
	for _, f := range o {
		f()
	}
}

// ask has a call wait for an answer, and says whether it does. A client that
// takes questions in answer to its own requests gets one. It is called with mu
// held.
func (r *relay) ask(o *out, m Message, verdict *abi.Verdict, wait bool) (answer []byte, held bool) {
	asked, arguments, ok := r.o.Engine.Question(verdict.ID)
	if !ok {
		return nil, false
	}
	may := wait
	wait = wait && r.o.Asking.Timeout > 0
	q := r.question(asked.Fingerprint)
	if q == nil {
		shown := r.asks.desk.Open(approval.Question{
			Group: r.o.Asking.Group, Policy: r.o.Asking.Policy, Ask: asked, Arguments: arguments, Asked: time.Now(), Held: wait, Waiting: 1,
		})
		q = &question{id: shown.ID, fingerprint: asked.Fingerprint, shown: shown, stop: func() {}}
		r.asks.open = append(r.asks.open, q)
	}
	q.call = verdict.ID
	w := &waiting{r: r, m: m, verdict: verdict}
	if may && q.may(abi.ChannelElicitation) && takesQuestion(m.Frame) {
		answer = r.park(q, w)
	}
	if !wait && answer == nil {
		r.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: verdict.ID}})
		r.update(q)
		r.crowd(o)
		return nil, false
	}
	if len(q.waiting) == 0 {
		r.offer(o, q, w)
	}
	if answer == nil {
		w.timer = time.AfterFunc(r.o.Asking.Timeout, func() { r.expire(q, w) })
		if m.via != nil {
			*o = append(*o, m.via.hold)
		}
	}
	q.waiting = append(q.waiting, w)
	r.update(q)
	r.crowd(o)
	return answer, true
}

// offer puts a question to the channels that have to be told of it.
func (k *Keeper) offer(o *out, q *question, w *waiting) {
	shown := q.shown
	k.o.Note("a call of %q waits for an answer: callgate pending lists it", k.o.Server)
	if q.offers++; q.offers > maxOffers {
		return
	}
	k.elicit(o, q, w)
	if hook := k.o.Asking.Webhook; hook != nil && q.may(abi.ChannelWebhook) {
		ctx, stop := context.WithTimeout(context.Background(), k.o.Asking.Timeout)
		q.stop = stop
		go func() {
			defer stop()
			answer, err := hook.Ask(ctx, shown)
			if err == nil {
				_, err = k.asks.desk.Answer(shown.ID, answer)
			}
			if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
				k.o.Note("the webhook did not answer: %v", err)
			}
		}()
	}
}

// may says whether a channel may answer a question.
func (q *question) may(channel string) bool {
	return q.shown.Ask.Channels == nil || slices.Contains(q.shown.Ask.Channels, channel)
}

// elicit has the client of a call ask, if it can.
func (k *Keeper) elicit(o *out, q *question, w *waiting) {
	if !w.parked && q.may(abi.ChannelElicitation) && w.r.talk.Elicits() {
		q.elicited, q.eliciting = w.r.talk.NewRequest(), w
		o.add(w.r.toClient, frame{bytes: elicitation(q.elicited, approval.Prompt(q.shown)), via: w.m.via})
	}
}

// question returns the open question with a fingerprint, or nil.
func (k *Keeper) question(fingerprint string) *question {
	for _, q := range k.asks.open {
		if q.fingerprint == fingerprint {
			return q
		}
	}
	return nil
}

// update tells the desk how many calls wait.
func (k *Keeper) update(q *question) {
	n := 0
	for _, w := range q.waiting {
		if !w.parked {
			n++
		}
	}
	k.asks.desk.Update(q.id, func(shown *approval.Question) { shown.Held, shown.Waiting = n > 0, n })
}

// elicitedBy takes the client's answer to a question of ours.
func (r *relay) elicitedBy(m Message) {
	yes, answered := elicited(m.Frame)
	if !m.fresh || !answered {
		return
	}
	r.asks.mu.Lock()
	i := slices.IndexFunc(r.asks.open, func(q *question) bool {
		return q.eliciting != nil && q.eliciting.r == r && q.elicited.Raw != "" && q.elicited.Key() == m.Frame.ID.Key()
	})
	id := ""
	if i >= 0 {
		id = r.asks.open[i].id
	}
	r.asks.mu.Unlock()
	if _, err := r.asks.desk.Answer(id, approval.Answer{Yes: yes, By: abi.ChannelElicitation}); err != nil {
		r.o.Note("an answer by elicitation did not count: %v", err)
	}
}

// answered acts on a person's answer. It is the function of the desk.
func (k *Keeper) answered(shown approval.Question, a approval.Answer) (string, error) {
	o := out{}
	defer func() { o.send() }()
	k.asks.mu.Lock()
	defer k.asks.mu.Unlock()
	q := k.question(shown.Ask.Fingerprint)
	if q == nil || q.id != shown.ID {
		return "", errors.New("the question is not open any more; a new call asks again")
	}
	k.unpark(q)
	call := q.call
	if len(q.waiting) > 0 {
		call = q.waiting[0].verdict.ID
	}
	r, err := k.o.Engine.Step(abi.Event{Approval: &abi.ApprovalEvent{Call: call, Yes: a.Yes, By: a.By}})
	waited := q.waiting
	if err != nil {
		k.forsake(q)
	}
	k.close(&o, q)
	k.keepPins() // a yes can pin
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
		o = append(o, func() { w.done(v, r) })
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
	case k.o.Engine.Stands(shown.Ask.Fingerprint):
		return "approved: the next identical call goes to the server", nil
	}
	return "", errors.New("evidence, policy or tool has changed since the question was asked; a new call asks again")
}
