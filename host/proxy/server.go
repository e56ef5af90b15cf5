package proxy

import (
	"net/http"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// fromServer handles one frame of the server. via is the exchange of the client
// whose stream it came on, and event what carried it there, if there were any.
func (r *relay) fromServer(f wire.Frame, via *exchange, event *transport.Event) {
	switch f.Kind {
	case wire.Blank:
		return
	case wire.Batch:
		r.serverBatch(f, via, event)
		return
	}
	m := r.talk.server(f, via)
	if m.via != via {
		event = nil // it is of another stream
	}
	if m.Event != nil && m.Event.Call != nil {
		r.serverAsks(m, event)
		return
	}
	switch {
	case m.takesBack != "" && r.drop(m.askedAs):
		return // the client was never told of the request
	case len(m.Frame.Asked) > 0:
		r.asked(m, event, 0)
		return
	}
	r.deliver(m, event)
}

// deliver relays a frame of the server.
func (r *relay) deliver(m Message, event *transport.Event) {
	sent, ok := r.received(m)
	if !ok {
		r.unrelayed(m)
		return
	}
	r.toClient.send(frame{bytes: sent, via: m.via, event: event, ends: m.ends(), status: r.statusOf(m)})
	r.relayed(m)
}

// statusOf is the HTTP status of an error of a server that speaks no HTTP itself
// (MCP 2026-07-28, "streamable http", errors); 0: what any answer has.
func (r *relay) statusOf(m Message) int {
	if !r.stateless || m.Frame.Kind != wire.ErrorResponse {
		return 0
	}
	at, err := wire.Find(m.Frame.Raw, m.Frame.Error, "/code")
	if err != nil {
		return 0
	}
	switch string(at.In(m.Frame.Raw)) {
	case "-32601":
		return http.StatusNotFound
	case "-32700", "-32600", "-32020", "-32021", "-32022":
		return http.StatusBadRequest
	case "-32602":
		if m.bare {
			return http.StatusBadRequest
		}
	}
	return 0
}

// ends is how many requests of the client a frame of the server answers. An error
// that names none is about the one on whose stream it came.
func (m *Message) ends() int {
	nameless := m.Frame.Kind == wire.ErrorResponse && (m.Frame.ID.Raw == "" || m.Frame.ID.Raw == "null")
	if m.answers || nameless && m.via != nil {
		return 1
	}
	return 0
}

// serverAsks has a request of the server to the client judged.
func (r *relay) serverAsks(m Message, event *transport.Event) {
	if !r.besides(&m) {
		return
	}
	answer, sent, token := r.judge(m, true)
	switch {
	case answer != nil:
		r.reply(m, answer)
	case sent != nil:
		m.event = event // one that waits for a person loses its place in the stream
		r.forward(m, sent, token, false)
	}
}

// besides keeps the text of a request of the server that its call does not hold.
// It answers one whose text can not be redacted.
func (r *relay) besides(m *Message) bool {
	text := m.Beside()
	if text == nil {
		return true
	}
	rec, _ := r.record(*text)
	if v := rec.Verdict(); v != nil {
		if answer := r.voice().apply(*m, v); answer != nil {
			r.reply(*m, answer)
			m.Frame.Kind = wire.Refused
			return false
		}
	}
	m.beside = editsOf(rec.Answers)
	return true
}

// unrelayed answers those who wait for a frame of the server that is kept
// back: the client whose requests it answered, the server whose request it was.
func (r *relay) unrelayed(m Message) {
	for _, a := range m.Answers {
		r.toClient.send(frame{bytes: wire.ErrorFrame(a.ID, rpcGone, refusedByUs("the server's answer", m.Frame.Problem), nil), via: a.via, ends: 1})
	}
	if m.Frame.Problem == nil {
		return
	}
	for _, id := range m.Frame.Problem.ServerIDs {
		r.toServer.send(frame{bytes: wire.ErrorFrame(id, m.Frame.Problem.RPCCode, refusedByUs("the server's answer", m.Frame.Problem), nil), via: m.via})
	}
}

func refusedByUs(what string, problem *wire.Problem) string {
	text := "callgate: " + what + " was not relayed"
	if problem == nil {
		return text
	}
	return text + ": " + problem.Code + ": " + problem.Reason
}

// received keeps what a frame of the server says, before the client sees it,
// and returns the bytes to relay.
func (r *relay) received(m Message) ([]byte, bool) {
	if m.Event != nil {
		m.changes = r.changes.Load()
		rec, ok := r.record(*m.Event)
		m.edits, m.list = editsOf(rec.Answers), listOf(rec.Answers)
		if ok && (m.Event.Tools != nil || m.Event.Server != nil) {
			r.keepPins()
		}
		switch {
		case m.Event.Refused != nil:
			r.o.Note("a frame of the server was not relayed: %s", m.Event.Refused.Code)
			return nil, false
		case !ok && m.open != nil:
			v := unkept("")
			v.Reason = "the call was made, but the ledger can not keep its result, so the result is not shown"
			return r.voice().apply(m, v), true
		case !ok && (m.Frame.Kind == wire.Response || m.Frame.Kind == wire.ErrorResponse):
			return wire.ErrorFrame(m.Frame.ID, rpcGone, "callgate: the ledger can not keep the answer, so it is not shown", nil), true
		case rec.Verdict() != nil:
			if answer := r.voice().apply(m, rec.Verdict()); answer != nil {
				return r.instead(m, answer)
			}
		}
	}
	if m.Frame.Kind == wire.Refused {
		return nil, false
	}
	return r.shown(m)
}

// instead is what a client gets in the place of an answer that is denied. What
// answers nothing is left out.
func (r *relay) instead(m Message, answer []byte) ([]byte, bool) {
	if m.Frame.Kind != wire.Response && m.Frame.Kind != wire.ErrorResponse {
		r.o.Note("a frame of the server was not relayed: what it says is denied")
		return nil, false
	}
	return answer, true
}

// shown is a frame of the server as the client may see it: without tools that
// the policy hides, and without words of ours that the server made up.
func (r *relay) shown(m Message) ([]byte, bool) {
	raw, err := spliced(m.Frame.Raw, body(m.Frame), m.edits)
	if err != nil {
		r.o.Note("a frame of the server was not relayed: it can not be redacted: %v", err)
		return r.unspliced(m)
	}
	if raw, err = r.hide(m, raw); err != nil {
		r.o.Note("a list of the server was not relayed: what is hidden can not be taken out: %v", err)
		return r.unspliced(m)
	}
	listed := raw
	if m.Frame.HasOwnMeta {
		if raw, _, err = wire.StripOwnMeta(raw); err != nil {
			r.o.Note("a frame of the server was not relayed: its _meta can not be cleaned: %v", err)
			return nil, false
		}
	}
	if raw, err = r.wrapped(m, raw); err != nil {
		r.o.Note("a question of the server was not relayed: %v", err)
		return nil, false
	}
	r.lists(m, listed)
	return raw, true
}

// unspliced is what a client gets in the place of an answer whose edits can not be
// made.
func (r *relay) unspliced(m Message) ([]byte, bool) {
	v := abi.Verdict{Contract: "redact", Code: "REDACT_FAILED", Reason: "an edit could not be applied to the frame"}
	if m.open != nil {
		v.ID = m.open.call
	}
	return r.instead(m, r.voice().apply(m, &v))
}

// serverBatch handles an array of the server. An element that the client may not
// see as it is has another in its place; one that is not relayed keeps back the
// whole array, and each request it answered gets an error.
func (r *relay) serverBatch(f wire.Frame, via *exchange, event *transport.Event) {
	messages := make([]Message, len(f.Elements))
	whole := f.Problem == nil
	elements := make([][]byte, len(f.Elements))
	out := frame{event: event}
	for i, element := range f.Elements {
		element.HasOwnMeta = f.HasOwnMeta // it is of one of them
		m := r.talk.server(element, via)
		sent, token, ok := r.passes(&m)
		messages[i], elements[i], whole = m, sent, whole && ok
		if m.via != nil {
			out.via = m.via
		}
		out.ends += m.ends()
		if !r.o.Engine.Durable(token) {
			out.wait = func() error { return r.o.Engine.Wait(token) }
		}
	}
	if whole {
		var err error
		if out.bytes, err = replaced(f, elements); err == nil {
			r.toClient.send(out)
			for _, m := range messages {
				r.relayed(m)
			}
			return
		}
		r.o.Note("a batch of the server was not relayed: %v", err)
	}
	for i, m := range messages {
		r.seen.lose(m.listKind())
		if m.Frame.Kind == wire.Response || m.Frame.Kind == wire.ErrorResponse {
			m.Answers = append(m.Answers, Answered{f.Elements[i].ID, m.via})
		}
		if m.Frame.Problem == nil {
			m.Frame.Problem = f.Problem
		}
		r.unrelayed(m)
	}
}

// passes says whether an element of a batch of the server may go on, and once
// what is durable. A request in it that is denied, or asks, is answered.
func (r *relay) passes(m *Message) (sent []byte, token ledger.Token, ok bool) {
	if m.Event == nil || m.Event.Call == nil {
		if !r.askedAtOnce(*m) {
			return nil, 0, false
		}
		sent, ok = r.received(*m)
		return sent, 0, ok
	}
	if !r.besides(m) {
		return nil, 0, false
	}
	answer, sent, token := r.judge(*m, false)
	if answer != nil {
		r.reply(*m, answer)
		m.Frame.Kind = wire.Refused
	}
	return sent, token, answer == nil
}
