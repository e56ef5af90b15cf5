package proxy

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// crowd lets go of what the gate keeps no more, since there is too much: the
// oldest question that nobody waits for, or else the oldest call.
func (k *Keeper) crowd(o *out) {
	n := 0
	for _, q := range k.asks.open {
		n += max(1, len(q.waiting))
	}
	if n <= maxQuestions {
		return
	}
	kept := func(call string) bool {
		_, _, ok := k.o.Engine.Question(call)
		return ok
	}
	for _, q := range slices.Clone(k.asks.open) {
		waited := len(q.waiting) > 0
		q.waiting = slices.DeleteFunc(q.waiting, func(w *waiting) bool {
			if kept(w.verdict.ID) {
				return false
			}
			w.timer.Stop()
			k.given(o, w)
			return true
		})
		switch {
		case len(q.waiting) > 0:
			k.update(q)
		case waited || !kept(q.call):
			k.asks.desk.Withdraw(q.id)
			k.close(o, q)
		}
	}
}

// given answers a call that is not waited for any more. The question stays open:
// a yes serves the identical call.
func (k *Keeper) given(o *out, w *waiting) {
	k.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: w.verdict.ID}})
	if !w.parked {
		*o = append(*o, func() { w.done(w.verdict, Recorded{}) })
	}
}

// done does with a call that has waited what its verdict says.
func (w *waiting) done(v *abi.Verdict, rec Recorded) {
	if w.m.then != nil {
		w.m.then(v, rec)
		return
	}
	w.r.release(w.m, v, rec)
}

// expire answers a call that has waited long enough.
func (k *Keeper) expire(q *question, w *waiting) {
	o := out{}
	k.asks.mu.Lock()
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		k.given(&o, w)
		q.call = w.verdict.ID // until another call asks the same
		k.unoffer(&o, q)
		k.update(q)
	}
	k.asks.mu.Unlock()
	o.send()
}

// unoffer takes a question back from those who were told of it, once no call
// waits for its answer.
func (k *Keeper) unoffer(o *out, q *question) {
	if len(q.waiting) > 0 {
		return
	}
	q.stop()
	k.unelicit(o, q)
}

// unelicit takes a question back from the client that got it.
func (k *Keeper) unelicit(o *out, q *question) {
	if w := q.eliciting; w != nil && w.r.talk.spend(q.elicited) {
		o.add(w.r.toClient, frame{bytes: withdrawal(q.elicited), via: w.m.via})
	}
	q.elicited, q.eliciting = wire.ID{}, nil
}

// close ends a question.
func (k *Keeper) close(o *out, q *question) {
	q.waiting = nil
	k.unoffer(o, q)
	k.asks.open = slices.DeleteFunc(k.asks.open, func(other *question) bool { return other == q })
}

// forsake has the gate forget the calls of a question whose answer it could not
// take in: they are denied, and must not use up the answer to the next one.
func (k *Keeper) forsake(q *question) {
	k.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: q.call, Cancelled: true}})
	for _, w := range q.waiting {
		k.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: w.verdict.ID, Cancelled: true}})
	}
}

// cancelled ends the wait of a call that the client gives up. It says whether
// the call was waiting: then the server knows nothing of it.
func (r *relay) cancelled(call string) bool {
	o := out{}
	defer func() { o.send() }()
	r.asks.mu.Lock()
	defer r.asks.mu.Unlock()
	for _, q := range r.asks.open {
		for i, w := range q.waiting {
			if w.r != r || w.parked || w.verdict.ID != call {
				continue
			}
			r.abandon(&o, q, i)
			return true
		}
	}
	return false
}

// abandon forgets a call that waits, which nobody wants any more.
func (k *Keeper) abandon(o *out, q *question, i int) {
	w := q.waiting[i]
	w.timer.Stop()
	k.record(abi.Event{Lapsed: &abi.LapsedEvent{Call: w.verdict.ID, Cancelled: true}})
	w.r.forget(w.m)
	*o = append(*o, func() { w.r.bereft(w.m) })
	if q.waiting = slices.Delete(q.waiting, i, i+1); len(q.waiting) == 0 {
		k.asks.desk.Withdraw(q.id)
		k.close(o, q)
		return
	}
	if next := q.waiting[0]; q.eliciting == w && next.r != w.r {
		k.unelicit(o, q)
		k.elicit(o, q, next)
	}
	k.update(q)
}

// forget drops a request that nobody will answer.
func (r *relay) forget(m Message) {
	if m.fromServer {
		r.talk.unask(m.Frame.ID)
		return
	}
	r.talk.close(m.Frame.ID)
}

// bereft lets go of what waits for a call that is forgotten: the request that it
// came with, or else the server whose request it is.
func (r *relay) bereft(m Message) {
	switch {
	case m.fromServer && m.Frame.Kind == wire.Request:
		r.unheard(m)()
	case m.fromServer && m.Frame.Kind == wire.Notification: // nobody waits for it
	case m.fromServer:
		r.toClient.send(frame{bytes: wire.ErrorFrame(m.Frame.ID, rpcGone, "callgate: the server's answer was not relayed", nil), via: m.via, ends: 1})
	case m.via != nil:
		m.via.without(1)
	}
}

// leave forgets every call of a client that has gone and waits for a person.
func (r *relay) leave() { r.drop(func(*waiting) bool { return true }) }

// left forgets the calls of one exchange that nobody reads any more.
func (r *relay) left(x *exchange) { r.drop(func(w *waiting) bool { return w.m.via == x }) }

// drop forgets the calls of this relay that wait and are meant. It says whether
// there were any.
func (r *relay) drop(which func(*waiting) bool) (any bool) {
	o := out{}
	defer func() { o.send() }()
	r.asks.mu.Lock()
	defer r.asks.mu.Unlock()
	for _, q := range slices.Clone(r.asks.open) {
		for i := len(q.waiting) - 1; i >= 0; i-- {
			if w := q.waiting[i]; w.r == r && !w.parked && which(w) {
				r.abandon(&o, q, i)
				any = true
			}
		}
	}
	return any
}

// endAsks ends every wait: the relay is over.
func (k *Keeper) endAsks() {
	k.asks.mu.Lock()
	defer k.asks.mu.Unlock()
	for _, q := range k.asks.open {
		for _, w := range q.waiting {
			w.timer.Stop()
		}
		q.waiting = nil // for a timer that has run out already
		q.stop()
		k.asks.desk.Withdraw(q.id)
	}
	k.asks.open = nil
}
