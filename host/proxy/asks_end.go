package proxy

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// crowd lets go of what the gate keeps no more, since there is too much: the
// oldest question that nobody waits for, or else the oldest call.
func (p *stdio) crowd(o *out) {
	n := 0
	for _, q := range p.asks.open {
		n += max(1, len(q.waiting))
	}
	if n <= maxQuestions {
		return
	}
	kept := func(call string) bool {
		_, _, ok := p.o.Engine.Question(call)
		return ok
	}
	for _, q := range slices.Clone(p.asks.open) {
		waited := len(q.waiting) > 0
		q.waiting = slices.DeleteFunc(q.waiting, func(w *waiting) bool {
			if kept(w.verdict.ID) {
				return false
			}
			w.timer.Stop()
			o.answer(p.given(w))
			return true
		})
		switch {
		case len(q.waiting) > 0:
			p.update(q)
		case waited || !kept(q.call):
			p.asks.desk.Withdraw(q.id)
			p.close(o, q)
		}
	}
}

// given is the answer to a call that is not waited for any more, nil if it was
// answered already. The question stays open: a yes serves the identical call.
func (p *stdio) given(w *waiting) []byte {
	p.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: w.verdict.ID}})
	if p.talk.close(w.m.Frame.ID) == nil {
		return nil
	}
	return p.o.Voice.apply(w.m, w.verdict)
}

// expire answers a call that has waited long enough.
func (p *stdio) expire(q *question, w *waiting) {
	o := out{p: p}
	p.asks.mu.Lock()
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		o.answer(p.given(w))
		q.call = w.verdict.ID // until another call asks the same
		p.unoffer(&o, q)
		p.update(q)
	}
	p.asks.mu.Unlock()
	o.send()
}

// unoffer takes a question back from those who were told of it, once no call
// waits for its answer.
func (p *stdio) unoffer(o *out, q *question) {
	if len(q.waiting) > 0 {
		return
	}
	q.stop()
	if q.elicited.Raw != "" && p.talk.spend(q.elicited) {
		o.toClient = append(o.toClient, withdrawal(q.elicited))
	}
	q.elicited = wire.ID{}
}

// close ends a question.
func (p *stdio) close(o *out, q *question) {
	q.waiting = nil
	p.unoffer(o, q)
	p.asks.open = slices.DeleteFunc(p.asks.open, func(other *question) bool { return other == q })
}

// forsake has the gate forget the calls of a question whose answer it could not
// take in: they are denied, and must not use up the answer to the next one.
func (p *stdio) forsake(q *question) {
	p.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: q.call, Cancelled: true}})
	for _, w := range q.waiting {
		p.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: w.verdict.ID, Cancelled: true}})
	}
}

// cancelled ends the wait of a call that the client gives up. It says whether
// the call was waiting: then the server knows nothing of it.
func (p *stdio) cancelled(call string) bool {
	o := out{p: p}
	defer o.send()
	p.asks.mu.Lock()
	defer p.asks.mu.Unlock()
	for _, q := range p.asks.open {
		for i, w := range q.waiting {
			if w.verdict.ID != call {
				continue
			}
			w.timer.Stop()
			p.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: call, Cancelled: true}})
			p.talk.close(w.m.Frame.ID)
			if q.waiting = slices.Delete(q.waiting, i, i+1); len(q.waiting) == 0 {
				p.asks.desk.Withdraw(q.id)
				p.close(&o, q)
			} else {
				p.update(q)
			}
			return true
		}
	}
	return false
}

// endAsks ends every wait: the relay is over.
func (p *stdio) endAsks() {
	p.asks.mu.Lock()
	defer p.asks.mu.Unlock()
	for _, q := range p.asks.open {
		for _, w := range q.waiting {
			w.timer.Stop()
		}
		q.waiting = nil // for a timer that has run out already
		q.stop()
		p.asks.desk.Withdraw(q.id)
	}
	p.asks.open = nil
}
