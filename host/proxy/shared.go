package proxy

import (
	"strconv"
	"sync"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// shared is a server that speaks over one stream and serves requests that need
// no session (MCP 2026-07-28), of one client's many connections. Their ids can
// be the same, so each gets one of ours on its way.
type shared struct {
	g      *Gateway
	key    keeperKey
	keeper *Keeper
	ready  chan struct{} // closed once the rest is there
	failed error         // instead of it
	server line
	toIt   *sender

	mu       sync.Mutex
	used     time.Time
	next     uint64
	open     map[string]*handed // by our id, as JSON
	over     bool
	finished chan struct{}
}

// handed is one request under an id of ours.
type handed struct {
	end   *sharedEnd
	ours  string // our id and our progress token, as JSON
	id    string // of the client, as JSON
	token string // of the client, as JSON; "": none
}

// sharedEnd is the server's end of a relay for one exchange.
type sharedEnd struct {
	s     *shared
	relay *relay
	x     *exchange
	left  bool // with the mutex of s: the client has closed the request
}

// share returns the server that a client's requests without a session go to,
// and starts it if there is none.
func (g *Gateway) share(key keeperKey, server GatewayServer, k *Keeper) (*shared, error) {
	g.mu.Lock()
	s := g.shared[key]
	if s == nil {
		s = &shared{g: g, key: key, keeper: k, used: time.Now(), open: map[string]*handed{}, ready: make(chan struct{}), finished: make(chan struct{})}
		g.shared[key] = s
		g.mu.Unlock()
		s.start(server)
	} else {
		g.mu.Unlock()
		<-s.ready
	}
	return s, s.failed
}

// start reaches the server, for everybody who waits for it.
func (s *shared) start(server GatewayServer) {
	defer close(s.ready)
	if s.server, s.failed = s.g.connect(server, s.keeper); s.failed != nil {
		s.g.unshare(s)
		return
	}
	if !s.g.enter() {
		s.server.stop()
		s.failed = errLimit
		return
	}
	s.toIt = newSender(s.server)
	go s.serve()
}

// enter has the end of the gateway wait for one more goroutine, unless it has begun.
func (g *Gateway) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.running.Add(1)
	}
	return !g.closed
}

// unshare has the next request start the server anew.
func (g *Gateway) unshare(s *shared) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shared[s.key] == s {
		delete(g.shared, s.key)
	}
}

// give gives a relay its end at the server.
func (s *shared) give(r *relay, x *exchange) *sharedEnd {
	e := &sharedEnd{s: s, relay: r, x: x}
	r.remote, r.stateless, r.toServer, r.toClient = true, true, e, direct{}
	return e
}

// direct writes frames to the exchange that they belong to. What belongs to none
// has no reader.
type direct struct{}

func (direct) send(f frame) {
	if f.wait != nil {
		if err := f.wait(); err != nil {
			f.fail(err)
			return
		}
	}
	if f.via == nil || !f.via.put(f) {
		f.unsent()
	}
}

// send gives a request an id of ours and hands it to the server. Without a
// session a notification is about nothing, except that a request is given up,
// which the end of its exchange says.
func (e *sharedEnd) send(f frame) {
	if f.of == nil || f.of.Frame.Kind != wire.Request {
		return
	}
	h := &handed{end: e, id: f.of.Frame.ID.Raw, token: string(f.of.Frame.ProgressToken.In(f.of.Frame.Raw))}
	s := e.s
	s.mu.Lock()
	if e.left {
		s.mu.Unlock()
		return
	}
	s.next++
	h.ours = strconv.FormatUint(s.next, 10)
	s.open[h.ours] = h
	s.used = time.Now()
	s.mu.Unlock()
	raw, err := renamed(f.bytes, h.ours, "/id")
	if err == nil && h.token != "" {
		raw, err = renamed(raw, h.ours, "/params/_meta/progressToken")
	}
	if err != nil {
		s.take(h.ours)
		e.lost(f, "the request can not be given an id of its own")
		return
	}
	f.bytes = raw
	s.toIt.send(f)
}

// lost answers a request that does not reach the server.
func (e *sharedEnd) lost(f frame, why string) {
	if e.relay.talk.close(f.of.Frame.ID) != nil {
		e.x.put(frame{bytes: wire.ErrorFrame(f.of.Frame.ID, rpcGone, "callgate: "+why, nil), ends: 1})
	}
}

// renamed puts another value in the place of one.
func renamed(raw []byte, with, at string) ([]byte, error) {
	span, err := wire.Find(raw, wire.Span{End: len(raw)}, at)
	if err != nil {
		return nil, err
	}
	return wire.Splice(raw, []wire.Edit{{Span: span, With: []byte(with)}})
}

// leave gives up what is still open: the end of an exchange cancels its request.
func (e *sharedEnd) leave() {
	s := e.s
	s.mu.Lock()
	e.left = true
	var left []string
	for id, h := range s.open {
		if h.end == e {
			left = append(left, id)
			delete(s.open, id)
		}
	}
	s.used = time.Now()
	s.mu.Unlock()
	for _, id := range left {
		s.toIt.send(frame{bytes: []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"the client has closed the request"}}` + "\n")})
	}
	e.x.end()
}

// take returns what was handed over under an id of ours, and forgets it.
func (s *shared) take(ours string) *handed {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.open[ours]
	delete(s.open, ours)
	return h
}

// of returns what was handed over under an id of ours.
func (s *shared) of(ours string) *handed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[ours]
}

// only returns the one request that is open, nil if there are several.
func (s *shared) only() *handed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) != 1 {
		return nil
	}
	for _, h := range s.open {
		return h
	}
	return nil
}

// serve reads what the server says until it ends.
func (s *shared) serve() {
	defer s.g.running.Done()
	s.g.read(s.key.server, s.server, func(f wire.Frame) {
		s.said(f)
		s.keeper.o.Engine.Settle()
	})
	s.end()
}

// said hands a frame of the server to whoever it is for, under their own ids.
func (s *shared) said(f wire.Frame) {
	var h *handed
	raw, at := f.Raw, ""
	switch f.Kind {
	case wire.Response, wire.ErrorResponse:
		h, at = s.take(f.ID.Raw), "/id"
	case wire.Request:
		s.toIt.send(frame{bytes: wire.ErrorFrame(f.ID, -32600, "callgate: a client without a session takes no requests", nil)})
		return
	case wire.Notification:
		h, at = s.about(f)
	case wire.Refused:
		for _, id := range f.Problem.IDs {
			if h := s.take(id.Raw); h != nil {
				h.end.relay.fromServer(f, h.end.x, nil)
				h.end.lost(frame{of: &Message{Frame: wire.Frame{ID: wire.ID{Raw: h.id}}}}, "the server's answer was not relayed: "+f.Problem.Code)
			}
		}
		return
	}
	if h == nil {
		// Nobody waits for it. It is kept, as the server's text.
		f.Problem = &wire.Problem{Code: CodeUnrelated, Reason: "the frame is about no request that is open", Drop: true}
		s.keeper.record(*refusedFrame(s.key.server, f, "server"))
		return
	}
	if at != "" {
		with := h.id
		if f.Method == "notifications/progress" {
			with = h.token
		}
		var err error
		if raw, err = renamed(raw, with, at); err != nil {
			return
		}
	}
	h.end.relay.fromServer(wire.Classify(raw, wire.FromServer, wire.Options{}), h.end.x, nil)
}

// about finds the request that a notification is about, and where in it our id
// or token stands.
func (s *shared) about(f wire.Frame) (h *handed, at string) {
	switch {
	case f.Method == "notifications/progress":
		return s.of(string(f.ProgressToken.In(f.Raw))), "/params/progressToken"
	case !f.SubscriptionID.IsZero():
		return s.of(string(f.SubscriptionID.In(f.Raw))), "/params/_meta/io.modelcontextprotocol~1subscriptionId"
	case f.Method == "notifications/cancelled":
		if span, err := wire.Find(f.Raw, f.Params, "/requestId"); err == nil {
			return s.of(string(span.In(f.Raw))), "/params/requestId"
		}
	}
	return s.only(), ""
}

// idle returns how long nobody has used the server.
func (s *shared) idle(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) > 0 {
		return 0
	}
	return now.Sub(s.used)
}

// end stops the server and answers what is open.
func (s *shared) end() {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		<-s.finished
		return
	}
	s.over = true
	s.mu.Unlock()
	defer close(s.finished)
	<-s.ready
	s.g.unshare(s)
	if s.failed != nil {
		return
	}
	s.server.stop()
	s.toIt.abandon()
	s.toIt.close()
	s.mu.Lock()
	open := s.open
	s.open = map[string]*handed{}
	s.mu.Unlock()
	for _, h := range open {
		h.end.relay.giveUp()
		h.end.x.end()
	}
}
