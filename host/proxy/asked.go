package proxy

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// asked has the requests judged that a server makes inside another frame, from
// the one at i on: inside a result (MCP 2026-07-28, "input required results"), of
// whatever request, inside what it tells of a task, or inside an error that wants
// URLs visited. The client is shown all of them or none: then its own request is
// denied.
func (r *relay) asked(m Message, event *transport.Event, i int) {
	inside := r.talk.Inside(m.Frame)
	for ; i < len(inside); i++ {
		verdict, held := r.judgeInside(m, inside[i], func(v *abi.Verdict, rec Recorded) {
			if err := r.o.Engine.Wait(rec.Token); err != nil {
				v = unkept("")
			}
			if v.Enforced() != abi.Allow {
				r.withhold(m, v)
				return
			}
			r.asked(m, event, i+1)
		})
		switch {
		case held:
			return
		case verdict.Enforced() != abi.Allow:
			r.withhold(m, verdict)
			return
		}
	}
	r.deliver(m, event)
}

// judgeInside has one request inside a frame judged. If a person has to answer,
// then is called with what holds after that; nil: nobody waits for it.
func (r *relay) judgeInside(m Message, e abi.Event, then func(*abi.Verdict, Recorded)) (verdict *abi.Verdict, held bool) {
	wait := then != nil
	r.asks.mu.Lock()
	rec, err := r.o.Engine.Step(e)
	verdict = rec.Verdict()
	if err != nil || verdict == nil {
		r.asks.mu.Unlock()
		r.o.Note("%v", err)
		return unkept(""), false
	}
	if verdict.Enforced() == abi.Ask {
		o := out{}
		m.then = then
		if m.via != nil && wait {
			m.via.keep()
		}
		_, held = r.ask(&o, m, verdict, wait)
		r.asks.mu.Unlock()
		o.send()
		return verdict, held
	}
	r.asks.mu.Unlock()
	if err := r.o.Engine.Wait(rec.Token); err != nil {
		r.o.Note("%v", err)
		return unkept(""), false
	}
	return verdict, false
}

// askedAtOnce is asked for a frame that can not wait, as it came in a batch: it
// says whether the client may be shown what is asked in it.
func (r *relay) askedAtOnce(m Message) bool {
	for _, e := range r.talk.Inside(m.Frame) {
		if verdict, _ := r.judgeInside(m, e, nil); verdict.Enforced() != abi.Allow {
			if m.Event != nil {
				r.record(*m.Event)
			}
			return false
		}
	}
	return true
}

// withhold keeps a frame back and denies the request that it answers.
func (r *relay) withhold(m Message, v *abi.Verdict) {
	if m.Event != nil {
		r.record(*m.Event)
	}
	if m.Frame.Kind == wire.Notification {
		r.o.Note("a notification of the server was not relayed: it asks for what is not allowed")
		return
	}
	answer := r.voice().apply(m, v)
	if answer == nil {
		answer = wire.ErrorFrame(m.Frame.ID, rpcGone, "callgate: the server's answer was not relayed", nil)
	}
	r.toClient.send(frame{bytes: answer, via: m.via, ends: 1})
}
