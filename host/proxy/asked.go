package proxy

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// asked has the requests judged that a server makes inside a result (MCP
// 2026-07-28, "input required results"), from the one at i on. The client is
// shown all of them or none: then its own request is denied.
func (r *relay) asked(m Message, event *transport.Event, i int) {
	for ; i < len(m.Frame.Asked); i++ {
		e := r.talk.asksFor(m.Frame.Asked[i].Method, m.Frame.Asked[i].Params, m.Frame)
		if e == nil || e.Call == nil {
			continue // it is recorded with the result
		}
		verdict, held := r.judgeInside(m, *e, func(v *abi.Verdict, rec Recorded) {
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

// judgeInside has one request inside a result judged. If a person has to answer,
// then is called with what holds after that.
func (r *relay) judgeInside(m Message, e abi.Event, then func(*abi.Verdict, Recorded)) (verdict *abi.Verdict, held bool) {
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
		if m.via != nil {
			m.via.keep()
		}
		_, held = r.ask(&o, m, verdict, true)
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

// withhold keeps a result back and denies the request that it answers.
func (r *relay) withhold(m Message, v *abi.Verdict) {
	if m.Event != nil {
		r.record(*m.Event)
	}
	answer := r.o.Voice.apply(m, v)
	if answer == nil {
		answer = wire.ErrorFrame(m.Frame.ID, rpcGone, "callgate: the server's answer was not relayed", nil)
	}
	r.toClient.send(frame{bytes: answer, via: m.via, ends: 1})
}
