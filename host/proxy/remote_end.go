package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// remoteEnd is a server behind Streamable HTTP, for a client that speaks it too:
// each request of the client becomes one of ours, and its answer is carried back
// as it comes.
type remoteEnd struct {
	g     *Gateway
	up    *transport.Upstream
	relay *relay

	mu    sync.Mutex
	opens *session // is known under the id that the next answer gives it
}

// send posts a frame. What it is answered with is read beside the caller.
func (e *remoteEnd) send(f frame) {
	x := f.via
	if x == nil && f.of != nil {
		x = f.of.via
	}
	if f.of == nil {
		e.tell(f.bytes, x)
		return
	}
	x.reads()
	go func() {
		defer func() { e.relay.said(); x.end() }()
		if f.wait != nil {
			if err := f.wait(); err != nil {
				f.fail(err)
				return
			}
		}
		e.post(f, x)
	}()
}

// tellWait bounds how long a server may take to accept an answer of ours.
const tellWait = 30 * time.Second

// tell posts an answer of ours to a request of the server, which came on the
// stream of an exchange. What the server says to it is nobody's.
func (e *remoteEnd) tell(answer []byte, x *exchange) {
	if x == nil {
		return // it came from nowhere
	}
	h := http.Header{}
	for name, values := range x.request {
		if name == "Authorization" || name == sessionHeader || name == "Mcp-Protocol-Version" || name == "User-Agent" {
			h[name] = values
		}
	}
	if id := x.opened(); id != "" && h.Get(sessionHeader) == "" {
		h.Set(sessionHeader, id)
	}
	go func() {
		ctx, stop := context.WithTimeout(e.g.closing, tellWait)
		defer stop()
		reply, err := e.up.Post(ctx, answer, e.forth(h, frame{}))
		if err != nil {
			e.g.o.Note("answer a request of %q: %v", e.relay.o.Server, err)
			return
		}
		_ = reply.Close() // whatever it says
	}()
}

func (e *remoteEnd) post(f frame, x *exchange) {
	reply, err := e.up.Post(x.gone, f.bytes, e.forth(x.request, f))
	if err != nil {
		e.failed(f, x, err)
		return
	}
	defer reply.Close()
	x.with(reply.Status, e.back(reply.Header))
	if err := e.known(reply); err != nil {
		e.failed(f, x, err)
		return
	}
	if reply.Status == http.StatusNotFound && x.request.Get(sessionHeader) != "" {
		defer e.g.forget(e.relay) // the server's own words come first
	}
	// Text that is no frame says nothing to a client that the status does not.
	switch reply.Kind {
	case transport.ReplyEvents:
		if marked := e.events(reply.Events, x); marked && !f.of.Frame.Modern {
			return // the client may come back for the rest
		}
	case transport.ReplyJSON:
		e.body(f, reply, x)
	case transport.ReplyOther:
		e.g.o.Note("%q answers with status %d and %q, which is no frame; does its url name an MCP endpoint?",
			e.relay.o.Server, reply.Status, reply.Header.Get("Content-Type"))
	}
	e.unanswered(f, reply, x)
}

// unanswered answers what a reply was to answer and has not.
func (e *remoteEnd) unanswered(f frame, reply *transport.Reply, x *exchange) {
	for _, id := range asked(f) {
		open := e.relay.talk.close(id)
		if open != nil && !open.cancelled && reply.OK() {
			e.relay.toClient.send(frame{bytes: wire.ErrorFrame(id, rpcGone, "callgate: the server has sent no answer", nil), via: x, ends: 1, status: http.StatusBadGateway})
		}
	}
}

// known takes in the id of a session that an answer opens.
func (e *remoteEnd) known(reply *transport.Reply) error {
	e.mu.Lock()
	s := e.opens
	e.opens = nil
	e.mu.Unlock()
	if s == nil || !reply.OK() {
		return nil
	}
	ids := reply.Header.Values(sessionHeader)
	switch {
	case len(ids) == 0:
		return nil
	case len(ids) > 1 || !transport.ValidSessionID(ids[0]):
		return errors.New("the server's session id is none")
	}
	return e.g.register(s, ids[0])
}

// oneEnding writes the line ends between the tokens of a whole body in one way.
// Readers of lines differ about a carriage return; of a body nobody reads lines.
func oneEnding(body []byte) []byte { return bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")) }

// body relays an answer that is one JSON text.
func (e *remoteEnd) body(f frame, reply *transport.Reply, x *exchange) {
	in := wire.Classify(oneEnding(reply.Body), wire.FromServer, wire.Options{})
	if in.Kind == wire.Noise || in.Kind == wire.Blank {
		return
	}
	nameless := in.Kind == wire.ErrorResponse && (in.ID.Raw == "" || in.ID.Raw == "null")
	if nameless {
		x.one() // it is the answer to all of a batch, and its status is theirs
	}
	e.relay.fromServer(in, x, nil)
	if nameless {
		e.forget(f)
	}
}

// forget drops the requests of a frame: they were answered without their ids.
func (e *remoteEnd) forget(f frame) {
	for _, id := range asked(f) {
		e.relay.talk.close(id)
	}
}

// events relays a stream, event by event. It says whether one of them has an id,
// behind which a client can go on.
func (e *remoteEnd) events(in *transport.EventReader, x *exchange) (marked bool) {
	var classifier wire.Classifier
	for {
		event, err := in.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) && x.gone.Err() == nil {
				e.g.o.Note("a stream of %q: %v", e.relay.o.Server, err)
			}
			return marked
		}
		marked = marked || event.HasID
		if !event.Message() {
			x.relay(event)
			continue
		}
		f := classifier.Classify(event.Data, wire.FromServer, wire.Options{})
		if f.Kind == wire.Noise || f.Kind == wire.Blank {
			e.g.o.Note("an event of %q that is no frame: %s", e.relay.o.Server, shownNoise(f.Raw))
			continue
		}
		e.relay.fromServer(f, x, &event)
		e.relay.o.Engine.Settle()
	}
}

// failed answers what the server was not sent, or did not answer.
func (e *remoteEnd) failed(f frame, x *exchange, err error) {
	if x.gone.Err() != nil {
		return // nobody is left to be told
	}
	e.g.o.Note("%q: %v", e.relay.o.Server, err)
	x.with(http.StatusBadGateway, nil)
	if errors.Is(err, errLimit) {
		x.with(http.StatusServiceUnavailable, nil)
	}
	for _, id := range asked(f) {
		if e.relay.talk.close(id) != nil {
			e.relay.toClient.send(frame{bytes: transport.Answer(id, rpcGone, err), via: x, ends: 1})
		}
	}
}

// asked are the ids of the requests in a frame.
func asked(f frame) []wire.ID {
	if f.of == nil {
		return nil
	}
	var ids []wire.ID
	for _, e := range append([]wire.Frame{f.of.Frame}, f.of.Frame.Elements...) {
		if e.Kind == wire.Request {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// listen relays the stream on which the server speaks by itself.
func (e *remoteEnd) listen(x *exchange, last string) {
	defer x.end()
	reply, err := e.up.Listen(x.gone, e.forth(x.request, frame{}), last)
	if err != nil {
		x.with(http.StatusBadGateway, nil)
		if x.gone.Err() == nil {
			e.g.o.Note("%q: %v", e.relay.o.Server, err)
		}
		return
	}
	defer reply.Close()
	if reply.Kind != transport.ReplyEvents {
		x.with(reply.Status, e.back(reply.Header))
		if reply.Status == http.StatusNotFound {
			e.g.forget(e.relay)
		}
		return
	}
	x.with(0, e.back(reply.Header))
	x.hold()
	e.relay.pay(x)
	e.events(reply.Events, x)
}

// delete ends the session at the server.
func (e *remoteEnd) delete(x *exchange) {
	defer x.end()
	reply, err := e.up.Delete(x.gone, e.forth(x.request, frame{}))
	if err != nil {
		x.with(http.StatusBadGateway, nil)
		return
	}
	defer reply.Close()
	x.with(reply.Status, e.back(reply.Header))
	if reply.OK() {
		e.g.forget(e.relay)
	}
}

// forget drops a session that its server has ended.
func (g *Gateway) forget(r *relay) {
	g.mu.Lock()
	var gone *session
	for _, s := range g.sessions {
		if s.relay == r {
			gone = s
		}
	}
	g.mu.Unlock()
	if gone != nil {
		go gone.end()
	}
}

// refusedHTTP keeps a message that HTTP itself refuses.
func (k *Keeper) refusedHTTP(in wire.Frame, why *transport.Refusal) {
	k.record(abi.Event{Refused: &abi.RefusedEvent{
		Server: k.o.Server, From: "client", Code: CodeHTTP, Reason: why.Reason, Bytes: in.Raw[:min(len(in.Raw), maxRecorded)], Size: int64(len(in.Raw)),
	}})
}
