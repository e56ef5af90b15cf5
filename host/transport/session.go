package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// Times of a session.
const (
	// orderWait is how long what follows a frame waits for the server to have taken it. A server that takes longer gets it late, not never.
	orderWait = 5 * time.Second
	// lingerWait is how long a stream may go on that has brought its answer. The server SHOULD end it.
	lingerWait = 10 * time.Second
	// deleteWait bounds the end of a session: who ends it is about to be killed.
	deleteWait = time.Second
	// retryWait is the time before a reconnection where the server names none, retryMost what it grows to, retryLeast what keeps us from spinning.
	retryWait  = time.Second
	retryMost  = 30 * time.Second
	retryLeast = 20 * time.Millisecond
	// resumeTries is how often in a row an answer is fetched in vain.
	resumeTries = 5
	// queued is how many frames may wait for the server.
	queued = 64
)

// ErrEnded is returned for a frame that comes after the end of its session.
var ErrEnded = errors.New("the session has ended; start another")

// RemoteOptions say where a server is and what is known of it.
type RemoteOptions struct {
	Options
	// Schema returns the inputSchema of a tool, as its server listed it, so that calls mirror their arguments in headers (MCP 2026-07-28, x-mcp-header); an
	// absent value, or a nil func, for none. It may be called at any time.
	Schema func(tool string) abi.Value

	// wait returns after a time, or early with the context's cause; the clock if nil.
	wait func(context.Context, time.Duration) error
	// linger is lingerWait if it is not positive.
	linger time.Duration
}

// Arrival is what a server sent, or what became of a request.
type Arrival struct {
	// Frame is what came, classified as wire.FromServer. Its Raw may hold line feeds as white space of JSON.
	Frame wire.Frame
	// Event is the event that Frame came in; nil for one that was a whole body.
	Event *Event
	// On is the id of the request whose POST, or whose resumed stream, it came on; the zero ID for the stream of what the server sends by itself.
	On wire.ID
	// Err is set instead of Frame. With On, that request will get no answer any more: Answer makes one, but not for an Error of KindCancelled, whose client
	// does not want one. Without On, it is for the operator: a notification that the server refused, a stream that it does not offer.
	Err error
}

// Remote is a client's session with a server behind HTTP, for a client that knows of no HTTP: what it sends and gets are frames. It speaks Streamable HTTP in
// all revisions, and HTTP+SSE to a server that speaks nothing else. It originates no frame, save that it initializes again, with the client's own frames, when
// the server has forgotten the session. It is safe for concurrent use.
type Remote struct {
	up   *Upstream
	o    RemoteOptions
	life context.Context
	end  context.CancelCauseFunc

	out   chan Arrival
	queue chan wire.Frame
	sent  chan struct{} // closed when the queue will get no more
	once  sync.Once
	work  sync.WaitGroup // everything
	posts sync.WaitGroup // what may still bring an answer

	handing  sync.Mutex // held from what a frame settles until it was handed over
	renewing sync.Mutex // held while the session is started again

	mu          sync.Mutex
	ended       bool                // nothing new is started
	open        map[string]*posting // by the keys of the ids that they wait for
	session     string              // Mcp-Session-Id
	version     string              // of the initialize result
	initialize  *wire.Frame         // as the client sent it
	initialized *wire.Frame
	listening   context.CancelFunc
	legacy      *Legacy
}

// NewRemote returns a session that has sent nothing yet.
func NewRemote(o RemoteOptions) (*Remote, error) {
	up, err := NewUpstream(o.Options)
	if err != nil {
		return nil, err
	}
	if o.wait == nil {
		o.wait = pause
	}
	if o.linger <= 0 {
		o.linger = lingerWait
	}
	r := &Remote{
		up: up, o: o, out: make(chan Arrival), queue: make(chan wire.Frame, queued), sent: make(chan struct{}), open: map[string]*posting{},
	}
	r.life, r.end = context.WithCancelCause(context.Background())
	r.start(r.run)
	return r, nil
}

// pause waits for the clock.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// start runs a part of the session, unless that has ended.
func (r *Remote) start(f func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.work.Go(f)
	return true
}

// Send hands one frame, or one batch, of the client to the session, in the order in which it is to reach the server. It waits only while many others do. The
// frame must not be changed afterwards. What is no frame of a client is refused; any other error is that the session has ended.
func (r *Remote) Send(frame []byte) error {
	f := wire.Classify(frame, wire.FromClient, wire.Options{Batches: true})
	switch f.Kind {
	case wire.Request, wire.Notification, wire.Response, wire.ErrorResponse:
	case wire.Batch:
		if f.Problem != nil {
			return fmt.Errorf("frame for the server is refused: %s: %s", f.Problem.Code, f.Problem.Reason)
		}
	default:
		if f.Problem == nil {
			return fmt.Errorf("frame for the server is %s; send a JSON-RPC frame", f.Kind)
		}
		return fmt.Errorf("frame for the server is refused: %s: %s", f.Problem.Code, f.Problem.Reason)
	}
	select {
	case <-r.sent:
		return ErrEnded
	case <-r.life.Done():
		return ErrEnded
	default:
	}
	select {
	case r.queue <- f:
		return nil
	case <-r.sent:
		return ErrEnded
	case <-r.life.Done():
		return ErrEnded
	}
}

// Next returns what came, in the order of each stream. It returns io.EOF after Close, after CloseSend once every request is answered, and at the end of an
// HTTP+SSE session. Nothing else is read while nobody calls it.
func (r *Remote) Next() (Arrival, error) {
	select {
	case a := <-r.out:
		return a, nil
	case <-r.life.Done():
		return Arrival{}, io.EOF
	}
}

// CloseSend says that no more frames will come. What was sent is still delivered, and its answers still arrive.
func (r *Remote) CloseSend() { r.once.Do(func() { close(r.sent) }) }

// Close ends the session: what is under way is given up, and the server is told, for which it has a second. It returns when nothing of the session is left.
func (r *Remote) Close() {
	r.CloseSend()
	r.mu.Lock()
	r.ended = true
	session, version, legacy := r.session, r.version, r.legacy
	r.session = ""
	r.mu.Unlock()
	r.end(ErrEnded)
	if legacy != nil {
		_ = legacy.Close() // its stream ends with it
	}
	if session != "" {
		ctx, cancel := context.WithTimeout(context.Background(), deleteWait)
		reply, err := r.up.Delete(ctx, sessionHeader(session, version))
		if err != nil && ctx.Err() == nil {
			// It may have been given a connection that what is under way takes down as it ends.
			reply, err = r.up.Delete(ctx, sessionHeader(session, version))
		}
		if err == nil {
			_ = reply.Close() // whatever it says, the session is over
		}
		cancel()
	}
	r.work.Wait()
	r.up.Close()
}

// give hands an arrival to whoever calls Next.
func (r *Remote) give(a Arrival) {
	select {
	case r.out <- a:
	case <-r.life.Done():
	}
}

// run sends what is queued, one after the other.
func (r *Remote) run() {
	for {
		select {
		case f := <-r.queue:
			r.dispatch(f)
			continue
		case <-r.life.Done():
			return
		case <-r.sent:
		}
		select {
		case f := <-r.queue: // came before the end did
			r.dispatch(f)
			continue
		default:
		}
		r.posts.Wait()
		r.end(io.EOF)
		return
	}
}

// sessionHeader says which session, and which revision, a request is of.
func sessionHeader(session, version string) http.Header {
	h := http.Header{}
	if session != "" {
		h.Set("Mcp-Session-Id", session)
	}
	if version != "" {
		h.Set("Mcp-Protocol-Version", version)
	}
	return h
}
