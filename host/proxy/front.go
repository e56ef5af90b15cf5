package proxy

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// front serves one HTTP request of a client (MCP 2025-03-26 and later,
// "streamable http").
type front struct {
	g      *Gateway
	w      http.ResponseWriter
	r      *http.Request
	key    keeperKey
	server GatewayServer
	client GatewayClient
	keeper *Keeper
}

// errTaken is a session id that the server gave out before.
var errTaken = errors.New("the server gave one session id to two sessions")

// writeTimeout is how long one write to a client may take.
const writeTimeout = 30 * time.Second

// bodyTimeout is how long the body of a request may take to arrive.
const bodyTimeout = time.Minute

// httpErrors are answers that are about HTTP, not about a frame.
var (
	noSession    = transport.Refuse(http.StatusNotFound, -32001, "there is no such session; initialize a new one")
	needsSession = transport.Refuse(http.StatusBadRequest, transport.CodeInvalidRequest, "the request names no session; send the Mcp-Session-Id that initialize was answered with")
)

// post takes in one message, or a batch.
func (f *front) post() {
	if bad := transport.CheckAccept(f.r); bad != nil {
		bad.Write(f.w)
		return
	}
	body, bad := transport.ReadBody(f.w, f.r, transport.BodyLimits{MaxBytes: f.g.o.Limits.Body, Timeout: bodyTimeout})
	if bad != nil {
		bad.Write(f.w)
		return
	}
	header, bad := transport.ForwardHeaders(f.r.Header, f.authorized())
	if bad != nil {
		bad.Write(f.w)
		return
	}
	s, bad := f.session()
	if bad != nil {
		bad.Write(f.w)
		return
	}
	in, bad := f.read(body, s)
	if bad != nil {
		f.keeper.refusedHTTP(in, bad)
		bad.Write(f.w)
		return
	}
	f.take(in, s, header)
}

// authorized says whether the client's Authorization goes to the server.
func (f *front) authorized() bool { return f.server.Authorization && !f.client.Token }

// session finds the session that the request names; nil if it names none.
func (f *front) session() (*session, *transport.Refusal) {
	ids := f.r.Header.Values(sessionHeader)
	switch {
	case len(ids) == 0:
		return nil, nil
	case len(ids) > 1 || !transport.ValidSessionID(ids[0]):
		return nil, transport.Refuse(http.StatusBadRequest, transport.CodeInvalidRequest, "send one Mcp-Session-Id of visible ASCII")
	}
	if s := f.g.session(f.key, ids[0]); s != nil {
		return s, nil
	}
	return nil, noSession
}

// read classifies a body, and holds the headers against it. A server that reads
// lines gets one line.
func (f *front) read(body []byte, s *session) (wire.Frame, *transport.Refusal) {
	options := wire.Options{Batches: batches(f.r.Header.Get("Mcp-Protocol-Version"))}
	if s != nil {
		options = s.relay.talk.Options()
	}
	body = oneEnding(body)
	in := wire.Classify(body, wire.FromClient, options)
	if in.Kind != wire.Refused && (f.server.Remote == nil || f.server.Legacy) {
		if line, err := wire.LineOf(in); err == nil && !bytes.Equal(line, body) {
			in = wire.Classify(line, wire.FromClient, options)
		}
	}
	if in.Kind == wire.Blank {
		return in, transport.Refuse(http.StatusBadRequest, -32700, "the body is empty; send one JSON-RPC message")
	}
	if in.Kind == wire.Refused {
		return in, nil // the relay keeps it, and answers
	}
	return in, transport.CheckHeaders(f.r.Header, in, f.keeper.schema)
}

// batches says whether a revision has batches. Without a header it is the
// revision before there was one.
func batches(version string) bool { return version == "" || version == "2025-03-26" }

// take relays what was read, by the session that it belongs to.
func (f *front) take(in wire.Frame, s *session, header http.Header) {
	remote := f.server.Remote != nil && !f.server.Legacy
	opens := in.Kind == wire.Request && in.Method == "initialize"
	if s == nil && opens && !remote && !in.Modern {
		f.open(in, header)
		return
	}
	x := f.exchange(in, header, nil)
	switch {
	case remote && (s == nil || in.Modern):
		f.once(in, x, opens)
	case in.Modern:
		f.share(in, x)
	case s == nil:
		if in.Kind == wire.Refused {
			f.refuse(in, x)
			return
		}
		x.refuse(needsSession)
		x.leave(x.first)
	default:
		defer s.touch()()
		if !remote {
			s.open(x, false)
		}
		f.relay(s.relay, in, x)
		if !remote {
			s.forget(x)
		}
	}
}

// requests counts the requests of a frame.
func requests(in wire.Frame) int {
	if in.Kind == wire.Request || in.Kind == wire.Refused {
		return 1
	}
	n := 0
	for _, e := range in.Elements {
		if e.Kind == wire.Request {
			n++
		}
	}
	return n
}

// exchange is a POST with its answer. Where the server decides what its answer is,
// it does not become a stream by itself.
func (f *front) exchange(in wire.Frame, request, answer http.Header) *exchange {
	o := transport.StreamOptions{Events: true, KeepAlive: f.g.o.Limits.KeepAlive, WriteTimeout: writeTimeout, Header: answer}
	if f.server.Remote == nil || f.server.Legacy {
		o.Delay = f.g.o.Limits.Delay
	}
	if requests(in) == 0 {
		o.Events, o.Delay = false, 0
	}
	x := newExchange(newOutlet(f.w, f.r, o, f.server.Remote != nil && !f.server.Legacy), request, f.r.Context())
	x.expect(requests(in))
	return x
}

// relay hands a frame to a relay, and waits until the exchange has ended or the
// client has gone.
func (f *front) relay(r *relay, in wire.Frame, x *exchange) {
	r.fromClient(in, x, true)
	x.settle()
	if r.remote {
		defer context.AfterFunc(f.g.closing, func() { r.end(); x.end() })()
	}
	if !x.first.serve(x.done, f.r.Context().Done()) {
		r.left(x)
	}
	x.leave(x.first)
	go f.keeper.o.Engine.Settle()
}

// share relays a request that needs no session, to a server that speaks over one
// stream, beside those of others.
func (f *front) share(in wire.Frame, x *exchange) {
	server, err := f.g.share(f.key, f.server, f.keeper)
	if err != nil {
		f.g.o.Note("start %q: %v", f.key.server, err)
		x.refuse(busy(err))
		x.leave(x.first)
		return
	}
	end := server.give(f.keeper.newRelay(), x)
	f.relay(end.relay, in, x)
	end.leave()
	end.relay.part()
}

// refuse answers a frame that no session is needed for to refuse it.
func (f *front) refuse(in wire.Frame, x *exchange) {
	r := f.keeper.newRelay()
	r.toClient = direct{}
	f.relay(r, in, x)
}

// once relays a request to a server whose sessions, if it has any, are its own.
func (f *front) once(in wire.Frame, x *exchange, opens bool) {
	s := f.g.newSession(f.key, f.keeper, nil)
	s.relay.remote = true
	end := &remoteEnd{g: f.g, up: f.server.Remote, relay: s.relay}
	if opens {
		if f.g.full() {
			x.refuse(busy(errLimit))
			x.leave(x.first)
			return
		}
		end.opens = s
	} else {
		s.relay.seen = &f.keeper.seen
		defer s.relay.part()
	}
	s.relay.toServer = end
	s.relay.talk.speaks(f.r.Header.Get("Mcp-Protocol-Version"))
	f.relay(s.relay, in, x)
	if opens && !f.g.registered(s) {
		s.relay.part()
	}
}

// open starts a server for a new session.
func (f *front) open(in wire.Frame, header http.Header) {
	if f.g.full() {
		busy(errLimit).Write(f.w)
		return
	}
	server, err := f.g.connect(f.server, f.keeper)
	if err != nil {
		f.g.o.Note("start a session with %q: %v", f.key.server, err)
		busy(err).Write(f.w)
		return
	}
	s := f.g.newSession(f.key, f.keeper, server)
	defer s.touch()()
	if err := f.g.register(s, transport.NewSessionID()); err != nil {
		s.quit()
		busy(err).Write(f.w)
		return
	}
	go s.serve()
	// A slow answer becomes a stream by itself, and that has to name the session.
	x := f.exchange(in, header, s.started())
	s.open(x, false)
	f.relay(s.relay, in, x)
	s.forget(x)
	if !s.relay.talk.started() {
		s.end()
	}
}

// busy answers a request that there is no room for, or no server.
func busy(err error) *transport.Refusal {
	reason := "the server can not be started"
	if errors.Is(err, errLimit) {
		reason = err.Error()
	}
	return transport.Refuse(http.StatusServiceUnavailable, rpcGone, reason).With("Retry-After", "10")
}
