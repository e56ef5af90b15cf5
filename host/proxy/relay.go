package proxy

import (
	"bytes"
	"net/http"
	"slices"
	"sync"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/wire"
)

// sink takes frames for one peer. Those for one stream are written whole and in
// order.
type sink interface{ send(frame) }

// relay is one client's session with one server. It knows nothing of how frames
// arrive and leave.
type relay struct {
	*Keeper
	talk      *Conversation
	toServer  sink
	toClient  sink
	stateless bool // it serves one request over HTTP, and the server speaks none
	mirrors   bool // we are the server's client over HTTP, and mirror arguments in headers
	remote    bool // the server is behind HTTP, which wants to know what a frame is

	seen *listsShown // what the client was shown of lists, maybe over other relays, too
	owes owed

	parted bool // with the mutex of hearers: its client is told nothing any more
	ending sync.Mutex
}

// about describes a frame for a server behind HTTP.
func (r *relay) about(m Message) *Message {
	if !r.remote {
		return nil
	}
	about := m
	return &about
}

// newRelay returns a relay that its ends have yet to be given.
func (k *Keeper) newRelay() *relay {
	talk := NewConversation(k.o.Server)
	talk.tasks = &k.tasks
	return &relay{Keeper: k, talk: talk, seen: &k.seen}
}

// fromClient handles one frame of the client; via is where it came in, and last
// says that none is behind it yet.
func (r *relay) fromClient(f wire.Frame, via *exchange, last bool) {
	if f.Kind == wire.Batch {
		r.batch(f, via)
		return
	}
	m := r.talk.client(f, via)
	switch {
	case m.ours:
		r.elicitedBy(m)
		return
	case m.cancels != "" && r.cancelled(m.cancels):
		return // the server was never told of the call
	case m.takesBack != "" && r.drop(m.askedAs):
		return // the server has answered, with a question
	case m.Event == nil:
		r.toServer.send(frame{bytes: m.Frame.Raw, of: r.about(m), lost: r.unread(m)})
		return
	}
	if m.Event.Refused != nil {
		r.record(*m.Event)
		answer := refusal(m.Frame.Problem)
		if answer == nil && via != nil { // HTTP has an answer for everything
			answer = wire.ErrorFrame(wire.ID{}, m.Frame.Problem.RPCCode, refusedByUs("your message", m.Frame.Problem), nil)
		}
		if answer != nil {
			r.toClient.send(frame{bytes: answer, via: via, ends: 1, status: http.StatusBadRequest})
		}
		return
	}
	if r.returns(&m) {
		return
	}
	answer, sent, token := r.judge(m, m.Frame.Kind == wire.Request)
	switch {
	case answer != nil:
		r.reply(m, answer)
	case sent != nil:
		r.forward(m, sent, token, last)
	}
}

// reply answers a request instead of its receiver, unless it was answered
// already: at the end of the server every request that is open is. A notification
// has no answer.
func (r *relay) reply(m Message, answer []byte) {
	if m.Frame.Kind != wire.Request {
		return
	}
	if m.fromServer {
		r.talk.unask(m.Frame.ID)
		r.toServer.send(frame{bytes: answer, via: m.via})
		return
	}
	if r.talk.close(m.Frame.ID) != nil {
		r.toClient.send(frame{bytes: answer, via: m.via, ends: 1})
	}
}

// forward sends an allowed call once its verdict is durable.
func (r *relay) forward(m Message, sent []byte, token ledger.Token, last bool) {
	f := frame{bytes: sent, edited: !bytes.Equal(sent, m.Frame.Raw), of: r.about(m), here: last, lost: r.unread(m), via: m.via}
	if !r.o.Engine.Durable(token) {
		f.wait = func() error { return r.o.Engine.Wait(token) }
		f.fail = func(err error) {
			r.o.Note("%v", err)
			r.reply(m, r.voice().apply(m, unkept("")))
		}
	}
	if m.fromServer {
		f.event, f.lost = m.event, r.unheard(m)
		r.toClient.send(f)
		return
	}
	r.talk.Sent(m)
	r.toServer.send(f)
}

// unread answers a request that the server, which has closed its input, will
// never read.
func (r *relay) unread(m Message) func() {
	if m.Frame.Kind != wire.Request || m.fromServer {
		return nil
	}
	return func() {
		if r.talk.close(m.Frame.ID) != nil {
			r.toClient.send(frame{bytes: wire.ErrorFrame(m.Frame.ID, rpcGone, "callgate: the server has closed its input", nil), via: m.via, ends: 1})
		}
	}
}

// unheard answers a request of the server whose client can not be asked any more.
func (r *relay) unheard(m Message) func() {
	if m.Frame.Kind != wire.Request {
		return nil
	}
	return func() {
		r.talk.unask(m.Frame.ID)
		r.toServer.send(frame{bytes: wire.ErrorFrame(m.Frame.ID, rpcGone, "callgate: the client can not be asked any more", nil), via: m.via})
	}
}

// giveUp answers every request that the server, which has ended, left open.
func (r *relay) giveUp() {
	for _, open := range r.talk.drain() {
		r.toClient.send(frame{bytes: wire.ErrorFrame(open.id, rpcGone, "callgate: the session ended before the server answered", nil), via: open.via, ends: 1})
	}
}

// end answers all that the server left open, and what waits for a person: its
// client is told, too. Who comes second waits for what the first one says, since
// exchanges end behind it.
func (r *relay) end() {
	r.ending.Lock()
	defer r.ending.Unlock()
	r.giveUp()
	r.leave()
}

// said waits for the answers of an end that is under way.
func (r *relay) said() {
	r.ending.Lock()
	defer r.ending.Unlock()
}

// judge has the gate judge a call. It returns the frame that answers it, or
// the frame to send once the token is durable. If neither, the call waits for a
// person. A call that can not wait, as it came in a batch or gets no answer, is
// answered at once, and its question stays open for the next identical one.
func (r *relay) judge(m Message, wait bool) (answer, sent []byte, token ledger.Token) {
	r.asks.mu.Lock()
	rec, err := r.o.Engine.Step(*m.Event)
	verdict := rec.Verdict()
	if err != nil || verdict == nil {
		r.asks.mu.Unlock()
		r.o.Note("%v", err)
		return r.voice().apply(m, unkept("")), nil, 0
	}
	r.talk.Called(m, verdict.ID)
	if verdict.Enforced() == abi.Ask {
		o := out{}
		answer, held := r.ask(&o, m, verdict, wait)
		r.asks.mu.Unlock()
		o.send()
		if held {
			return answer, nil, 0
		}
		return r.voice().apply(m, verdict), nil, 0
	}
	r.asks.mu.Unlock()
	return r.acted(m, verdict, rec)
}

// acted is what becomes of a call that got its verdict.
func (r *relay) acted(m Message, verdict *abi.Verdict, rec Recorded) (answer, sent []byte, token ledger.Token) {
	if answer := r.voice().apply(m, verdict); answer != nil {
		return answer, nil, 0
	}
	sent, err := edited(m, verdict.ID, rec.Answers)
	if err == nil {
		sent, err = r.outgoing(m, sent)
	}
	if err != nil {
		from := "client"
		if m.fromServer {
			from = "server"
		}
		r.record(abi.Event{Refused: &abi.RefusedEvent{Server: r.o.Server, From: from, Code: "EDIT_FAILED", Call: verdict.ID}})
		failed := abi.Verdict{ID: verdict.ID, Contract: "edit", Code: "EDIT_FAILED", Reason: "an edit could not be applied to the frame"}
		return r.voice().apply(m, &failed), nil, 0
	}
	r.talk.approve(m, verdict, r.o.Engine.PolicyDigest())
	return nil, sent, rec.Token
}

// release does with a call that has waited what its verdict says.
func (r *relay) release(m Message, v *abi.Verdict, rec Recorded) {
	answer, sent, token := r.acted(m, v, rec)
	if answer != nil {
		r.reply(m, answer)
		return
	}
	r.forward(m, sent, token, false)
}

// edited applies the gate's edits of a call to its frame as received.
func edited(m Message, call string, answers []abi.Event) ([]byte, error) {
	edits := m.beside
	for _, a := range answers {
		if a.Edit != nil && a.Edit.Call == call {
			edits = append(slices.Clip(edits), a.Edit.Edits...)
		}
	}
	return spliced(m.Frame.Raw, body(m.Frame), edits)
}
