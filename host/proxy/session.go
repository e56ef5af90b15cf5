package proxy

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// maxPending is how many bytes of a server that speaks over one stream wait for
// a client to listen.
const maxPending = 1 << 20

// session is one session of a client with a server. If the server speaks over
// one stream, the session is ours: its id, and its streams. Otherwise both are
// the server's, and only watched.
type session struct {
	g      *Gateway
	key    sessionKey
	relay  *relay
	server line // nil: the session is the server's
	toIt   *sender

	mu        sync.Mutex
	used      time.Time
	exchanges map[string]*exchange // of a server that speaks over one stream, by id
	order     []*exchange          // open ones, oldest first
	stream    *exchange            // what the client listens on
	pending   []frame              // nobody listens yet
	bytes     int
	streams   int // streams that were ever made
	live      int // requests that are being served
	over      bool
	finished  chan struct{}
}

// newSession returns a session that is known under no id yet.
func (g *Gateway) newSession(key keeperKey, k *Keeper, server line) *session {
	s := &session{
		g: g, key: sessionKey{keeperKey: key}, relay: k.newRelay(), server: server, used: time.Now(),
		exchanges: map[string]*exchange{}, finished: make(chan struct{}),
	}
	s.relay.toClient, s.relay.seen = s, &listsShown{}
	if server != nil {
		s.toIt = newSender(server)
		s.relay.toServer = s.toIt
	}
	return s
}

// register makes a session known under an id. It fails if there is no room, or
// the id is taken.
func (g *Gateway) register(s *session, id string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.key.id = id
	switch _, taken := g.sessions[s.key]; {
	case g.closed || len(g.sessions) >= g.o.Limits.Sessions:
		return errLimit
	case taken || g.ids[serverID{s.key.server, id}]:
		return errTaken
	}
	g.sessions[s.key] = s
	g.ids[serverID{s.key.server, id}] = true
	if s.server != nil {
		g.running.Add(1) // serve
	}
	return nil
}

// registered says whether a session is known under an id.
func (g *Gateway) registered(s *session) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sessions[s.key] == s
}

// full says whether there is no room for another session.
func (g *Gateway) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed || len(g.sessions) >= g.o.Limits.Sessions
}

// session returns the session with an id, nil if there is none.
func (g *Gateway) session(key keeperKey, id string) *session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sessions[sessionKey{key, id}]
}

// touch notes that the session is in use, until the function that it returns is
// called.
func (s *session) touch() (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live++
	s.used = time.Now()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.live--
		s.used = time.Now()
	}
}

// idle returns how long nobody has used the session.
func (s *session) idle(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live > 0 {
		return 0
	}
	return now.Sub(s.used)
}

// serve reads what the server says until it ends.
func (s *session) serve() {
	defer s.g.running.Done()
	s.g.read(s.key.server, s.server, func(f wire.Frame) {
		s.relay.fromServer(f, nil, nil)
		s.relay.o.Engine.Settle()
	})
	s.end()
}

// send hands a frame to the client. One that belongs to no exchange goes to the
// stream that the client listens on; without one, to the only exchange that is
// open, or else the oldest; without any it waits.
func (s *session) send(f frame) {
	if f.wait != nil {
		if err := f.wait(); err != nil {
			if f.fail != nil {
				f.fail(err)
			}
			return
		}
	}
	if f.via != nil {
		came := f.via.put(f)
		if f.ends > 0 {
			s.forget(f.via)
		}
		if came || f.ends > 0 {
			return
		}
	}
	s.mu.Lock()
	to := s.stream
	if to != nil && len(s.order) > 0 && !to.read() {
		to = nil // the client has gone, and may come back for what is kept
	}
	if to == nil {
		to = s.heard()
	}
	if to == nil && s.server == nil {
		s.mu.Unlock()
		f.unsent()
		return
	}
	if to == nil {
		if s.bytes += len(f.bytes); s.bytes <= maxPending {
			s.pending = append(s.pending, f)
		} else {
			s.bytes -= len(f.bytes)
			s.g.o.Note("a frame of %q is dropped: no client listens", s.key.server)
		}
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	if !to.put(f) {
		f.unsent()
	}
}

// heard is the oldest open exchange that a client reads, or else the oldest. It
// is called with mu held.
func (s *session) heard() *exchange {
	for _, x := range s.order {
		if x.read() {
			return x
		}
	}
	if len(s.order) > 0 {
		return s.order[0]
	}
	return nil
}

// open adds an exchange of the client, whose events have ids, and gives it what
// has waited for one.
func (s *session) open(x *exchange, listens bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams++
	x.id = strconv.Itoa(s.streams)
	s.exchanges[x.id] = x
	if listens {
		s.stream = x
	} else {
		s.order = append(s.order, x)
		if s.relay.talk.primed() {
			x.first.begin(eventID(x.id, beforeAll))
		}
	}
	for _, f := range s.pending {
		x.put(f)
	}
	s.pending, s.bytes = nil, 0
}

// maxExchanges is how many answers are kept for clients that come back.
const maxExchanges = 64

// forget lets go of an exchange that has ended, once others need the room.
func (s *session) forget(x *exchange) {
	select {
	case <-x.done:
	default:
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range s.order {
		if o == x {
			s.order = append(s.order[:i:i], s.order[i+1:]...)
			break
		}
	}
	for n := s.streams - maxExchanges; len(s.exchanges) > maxExchanges && n > 0; n-- {
		id := strconv.Itoa(n)
		if old := s.exchanges[id]; old != nil && old != s.stream {
			delete(s.exchanges, id)
		}
	}
}

// hears notes the stream that the client of a server's own session listens on.
func (s *session) hears(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream = x
}

// listened says whether the client listens already.
func (s *session) listened() bool {
	s.mu.Lock()
	x := s.stream
	s.mu.Unlock()
	return x != nil && x.read()
}

// exchange returns the exchange that an event id names, and the event's number.
func (s *session) exchange(event string) (x *exchange, number int) {
	id, text, ok := strings.Cut(event, "-")
	number, err := strconv.Atoi(text)
	if !ok || err != nil || number < 0 {
		return nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exchanges[id], number + beforeAll
}

// beforeAll is the number of what is before the first event of a stream.
const beforeAll = -1

func eventID(stream string, number int) string {
	return stream + "-" + strconv.Itoa(number-beforeAll)
}

// end ends the session: the server's end first, then what is open.
func (s *session) end() {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		<-s.finished
		return
	}
	s.over = true
	s.mu.Unlock()
	defer close(s.finished)
	s.g.mu.Lock()
	if s.g.sessions[s.key] == s {
		delete(s.g.sessions, s.key)
		delete(s.g.ids, serverID{s.key.server, s.key.id})
	}
	s.g.mu.Unlock()
	if s.server != nil {
		s.quit()
	}
	s.relay.end()
	s.relay.part()
	s.mu.Lock()
	open := make([]*exchange, 0, len(s.exchanges))
	for _, x := range s.exchanges {
		open = append(open, x)
	}
	s.mu.Unlock()
	for _, x := range open {
		x.end()
	}
}

// quit ends the server's end.
func (s *session) quit() {
	s.server.stop()
	s.toIt.abandon()
	s.toIt.close()
}

// schema returns the input schema of a tool, for the headers that mirror its
// arguments.
func (k *Keeper) schema(tool string) abi.Value {
	return k.o.Engine.Schema(k.o.Server, tool)
}

// sessionHeader carries the id of a session.
const sessionHeader = "Mcp-Session-Id"

// started answers the request that opened a session with its id.
func (s *session) started() http.Header {
	return http.Header{sessionHeader: {s.key.id}}
}
