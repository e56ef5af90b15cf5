package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/transport"
)

// GatewayOptions says which servers a gateway serves, and to whom.
type GatewayOptions struct {
	Servers map[string]GatewayServer
	Guard   transport.Guard
	// Client names who sends a request. A refusal answers it instead.
	Client func(*http.Request) (GatewayClient, *transport.Refusal)
	// Open joins a client's group for a server. It is called once for each pair.
	Open   func(server string, client GatewayClient) (*Opened, KeeperOptions, error)
	Limits GatewayLimits
	Stderr *os.File // inherited by children
	Note   func(format string, args ...any)
}

// GatewayClient is who sends requests.
type GatewayClient struct {
	Name string // "" for whoever reaches the address
	// Token says that the Authorization header is for the gateway itself, so it
	// goes to no server.
	Token bool
}

// GatewayServer is one server: a command, or a URL.
type GatewayServer struct {
	Command []string
	Env     []string
	Dir     string
	Attest  Attest // what may be launched as the server

	Remote *transport.Upstream
	// Legacy says that the URL speaks HTTP+SSE (2024-11-05).
	Legacy bool
	// Authorization says that the client's Authorization header goes to the URL.
	Authorization bool
}

// GatewayLimits bounds what clients can hold.
type GatewayLimits struct {
	Sessions  int           // sessions at once, of all clients
	Children  int           // child processes at once
	Idle      time.Duration // a session without a request and a listening client ends
	Body      int64         // bytes of a request
	KeepAlive time.Duration // between comments on a stream that is quiet
	Delay     time.Duration // after which an answer that is not there yet becomes a stream
}

// Gateway serves wrapped servers over Streamable HTTP (MCP, "transports").
type Gateway struct {
	o GatewayOptions

	mu       sync.Mutex
	keepers  map[keeperKey]*keeping
	sessions map[sessionKey]*session
	ids      map[serverID]bool // of the sessions: a server must not give one to two clients
	shared   map[keeperKey]*shared
	children map[int]bool // process ids
	starting int          // children and sessions that are about to be
	closed   bool
	closing  context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup
}

type keeperKey struct{ client, server string }

type sessionKey struct {
	keeperKey
	id string
}

type serverID struct{ server, id string }

// keeping is a keeper that is opened once.
type keeping struct {
	once   sync.Once
	keeper *Keeper
	opened *Opened
	socket io.Closer
	err    error
}

// NewGateway returns a gateway without sessions. Close ends it.
func NewGateway(o GatewayOptions) *Gateway {
	g := &Gateway{
		o: o, keepers: map[keeperKey]*keeping{}, sessions: map[sessionKey]*session{}, ids: map[serverID]bool{}, shared: map[keeperKey]*shared{}, children: map[int]bool{},
	}
	g.closing, g.stop = context.WithCancel(context.Background())
	g.running.Add(1)
	go g.reap()
	return g
}

// errClosing is for the operator: a request that comes at the end.
var errClosing = errors.New("the gateway is closing")

// errLimit is answered where a limit leaves no room.
var errLimit = errors.New("too many sessions are open; try again later, or raise the limits of the gateway")

// ServeHTTP implements [http.Handler]: /mcp/NAME is the endpoint of a server.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refusal := g.o.Guard.Check(r); refusal != nil {
		refusal.Write(w)
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/mcp/")
	server, known := g.o.Servers[name]
	if !ok || !known {
		transport.Refuse(http.StatusNotFound, transport.CodeInvalidRequest, "nothing is served here; the endpoint of a server is /mcp/NAME").Write(w)
		return
	}
	client, refusal := g.o.Client(r)
	if refusal != nil {
		refusal.Write(w)
		return
	}
	keeper, err := g.keeper(name, client)
	if err != nil {
		g.o.Note("open the ledger of %q: %v", name, err)
		transport.Refuse(http.StatusServiceUnavailable, rpcGone, "the gateway can not keep a ledger for this server").Write(w)
		return
	}
	f := front{g: g, w: w, r: r, key: keeperKey{client.Name, name}, server: server, client: client, keeper: keeper}
	switch r.Method {
	case http.MethodPost:
		f.post()
	case http.MethodGet:
		f.get()
	case http.MethodDelete:
		f.delete()
	default:
		transport.MethodNotAllowed(r.Method, "POST, GET, DELETE").Write(w)
	}
}

// keeper opens the ledger of a client and a server when it is first needed.
func (g *Gateway) keeper(server string, client GatewayClient) (*Keeper, error) {
	key := keeperKey{client.Name, server}
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil, errClosing
	}
	k := g.keepers[key]
	if k == nil {
		k = &keeping{}
		g.keepers[key] = k
	}
	g.mu.Unlock()
	k.once.Do(func() {
		opened, options, err := g.o.Open(server, client)
		if err != nil {
			k.err = err
			return
		}
		options.Children, options.Note = g.pids, g.o.Note
		k.opened, k.keeper = opened, NewKeeper(options)
		if options.Reloader != nil {
			options.Reloader.adopt(k.keeper)
		}
		k.socket = k.keeper.listen()
	})
	if k.err != nil {
		g.mu.Lock()
		if g.keepers[key] == k {
			delete(g.keepers, key) // the next request tries again
		}
		g.mu.Unlock()
	}
	if k.err == nil && k.keeper == nil {
		return nil, errClosing // it came first
	}
	return k.keeper, k.err
}

// pids lists the children, whose descendants must not answer questions.
func (g *Gateway) pids() []int {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]int, 0, len(g.children))
	for pid := range g.children {
		out = append(out, pid)
	}
	return out
}

// start starts a child of a server, if the limits leave room.
func (g *Gateway) start(server GatewayServer, k *Keeper) (*child, error) {
	g.mu.Lock()
	if g.closed || len(g.children)+g.starting >= g.o.Limits.Children {
		g.mu.Unlock()
		return nil, errLimit
	}
	g.starting++
	g.mu.Unlock()
	c, err := server.Attest.start(k.o.Engine, childOptions{command: server.Command, env: server.Env, dir: server.Dir, stderr: g.o.Stderr})
	g.mu.Lock()
	defer g.mu.Unlock()
	g.starting--
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", server.Command[0], err)
	}
	g.children[c.pid] = true
	g.running.Add(1)
	go func() {
		defer g.running.Done()
		<-c.alone
		g.mu.Lock()
		delete(g.children, c.pid)
		g.mu.Unlock()
	}()
	return c, nil
}

// reap ends sessions that nobody has used for a while.
func (g *Gateway) reap() {
	defer g.running.Done()
	every := time.NewTicker(max(g.o.Limits.Idle/8, 10*time.Millisecond))
	defer every.Stop()
	for {
		select {
		case <-g.closing.Done():
			return
		case <-every.C:
		}
		now := time.Now()
		for _, s := range g.all() {
			if s.idle(now) > g.o.Limits.Idle {
				s.end()
			}
		}
	}
}

// ending is a session, or a child that several clients share.
type ending interface {
	end()
	idle(now time.Time) time.Duration
}

func (g *Gateway) all() []ending {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]ending, 0, len(g.sessions)+len(g.shared))
	for _, s := range g.sessions {
		out = append(out, s)
	}
	for _, s := range g.shared {
		out = append(out, s)
	}
	return out
}

// hurry has no decision wait for those of other processes any more.
func (g *Gateway) hurry() {
	g.mu.Lock()
	keepers := slices.Collect(maps.Values(g.keepers))
	g.mu.Unlock()
	for _, k := range keepers {
		if k.once.Do(func() {}); k.opened != nil { // one that is being opened is waited for
			k.opened.Engine.group.End()
		}
	}
}

// Close ends every session, child and ledger. Requests that are still served
// end with their sessions; call it once no more come.
func (g *Gateway) Close() error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.stop()
	g.hurry()
	var ended sync.WaitGroup
	for _, s := range g.all() {
		ended.Add(1)
		go func() {
			defer ended.Done()
			s.end()
		}()
	}
	ended.Wait()
	g.running.Wait()
	g.mu.Lock()
	keepers := slices.Collect(maps.Values(g.keepers))
	g.mu.Unlock()
	var errs []error
	for _, k := range keepers {
		if k.once.Do(func() {}); k.opened == nil { // one that is being opened is waited for
			continue
		}
		k.keeper.endAsks()
		if k.socket != nil {
			_ = k.socket.Close() // nothing is left to be answered
		}
		k.keeper.record(abi.Event{Closed: &abi.ClosedEvent{Reason: "the gateway was stopped"}})
		errs = append(errs, k.opened.Close())
	}
	return errors.Join(errs...)
}
