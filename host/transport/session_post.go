package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// posting is one POST, with all that may come of it.
type posting struct {
	frame  wire.Frame
	first  wire.ID         // of the request that it carries
	life   context.Context // of it, and of what comes of it
	ctx    context.Context // the same, which also notes when the frame is written
	cancel context.CancelCauseFunc

	written chan struct{} // the server has the frame, or will not get it
	settled chan struct{} // every answer is here, or the server wants one itself
	write   sync.Once
	settle  sync.Once

	// The rest is guarded by Remote.mu.
	waiting   map[string]wire.ID // requests without an answer, by key
	cancelled bool               // the client does not want the answer any more
	linger    *time.Timer        // until it is cut off
	over      bool

	again *renewal // it starts the session again: the client has its answer
}

func (p *posting) wrote() { p.write.Do(func() { close(p.written) }) }
func (p *posting) done()  { p.settle.Do(func() { close(p.settled) }) }
func (p *posting) starts() bool {
	return p.frame.Kind == wire.Request && p.frame.Method == "initialize"
}

// lingers has the stream of a posting end in a while, which has nothing more to bring: the server SHOULD end it, and some never do. It is called with mu held.
func (r *Remote) lingers(p *posting, cause error) {
	if p.linger == nil && !p.over {
		p.linger = time.AfterFunc(r.o.linger, func() { p.cancel(cause) })
	}
}

// release ends what a posting holds, once nothing more is to come of it.
func (r *Remote) release(p *posting) {
	p.wrote()
	p.done()
	r.mu.Lock()
	p.over = true
	if p.linger != nil {
		p.linger.Stop()
	}
	r.mu.Unlock()
	p.cancel(nil)
}

// newPosting registers what a frame waits for.
func (r *Remote) newPosting(f wire.Frame, again *renewal) *posting {
	p := &posting{frame: f, again: again, written: make(chan struct{}), settled: make(chan struct{}), waiting: map[string]wire.ID{}}
	p.life, p.cancel = context.WithCancelCause(r.life)
	p.ctx = httptrace.WithClientTrace(p.life, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { p.wrote() }})
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range append([]wire.Frame{f}, f.Elements...) {
		if e.Kind == wire.Request {
			key := e.ID.Key()
			p.waiting[key] = e.ID
			if again == nil {
				r.open[key] = p
			}
			if p.first.Raw == "" {
				p.first = e.ID
			}
		}
	}
	return p
}

// dispatch sends one frame, and waits until the next may be sent.
func (r *Remote) dispatch(f wire.Frame) {
	if f.Kind == wire.Notification && f.Method == "notifications/cancelled" && !r.cancels(f) {
		return
	}
	r.mu.Lock()
	if f.Kind == wire.Notification && f.Method == "notifications/initialized" {
		r.initialized = &f
	}
	r.mu.Unlock()
	p := r.newPosting(f, nil)
	r.posts.Add(1)
	done := make(chan struct{})
	if !r.start(func() { defer r.posts.Done(); defer close(done); r.post(p) }) {
		r.posts.Done()
		r.fail(p, ErrEnded)
		r.release(p)
		return
	}
	switch {
	case p.starts():
		// Nothing else means anything before the server has agreed, unless it asks for something itself.
		select {
		case <-p.settled:
			r.handing.Lock() // what settled it goes before what comes of the next
			defer r.handing.Unlock()
		case <-done:
		case <-r.life.Done():
		}
		return
	case p.first.Raw != "":
		r.inOrder(p.written, done)
	default:
		r.inOrder(done, done)
	}
}

// inOrder waits for one of two things, not for ever.
func (r *Remote) inOrder(one, other <-chan struct{}) {
	t := time.NewTimer(orderWait)
	defer t.Stop()
	select {
	case <-one:
	case <-other:
	case <-t.C:
	case <-r.life.Done():
	}
}

// cancels handles a cancellation, and says whether the server is to be told in words. In MCP 2026-07-28 the end of the POST says it, and strict servers refuse
// the notification.
func (r *Remote) cancels(f wire.Frame) bool {
	at, err := wire.Find(f.Raw, f.Params, "/requestId")
	if err != nil {
		return true // the server may know what it means
	}
	id := wire.ID{Raw: string(at.In(f.Raw))}
	r.mu.Lock()
	p := r.open[id.Key()]
	if p == nil {
		defer r.mu.Unlock()
		return r.version != "" && !f.Modern
	}
	p.cancelled = true
	r.lingers(p, r.cancelledError())
	if r.legacy != nil {
		p.done() // there is no stream whose end could show that no answer will come
	}
	r.mu.Unlock()
	if p.frame.Modern {
		p.cancel(r.cancelledError())
		return false
	}
	return true
}

func (r *Remote) cancelledError() error {
	return &Error{Kind: KindCancelled, Host: r.up.Host(), detail: "the client has cancelled the request"}
}

// post sends a frame and handles its reply to the end.
func (r *Remote) post(p *posting) {
	defer r.release(p)
	if l := r.oneStream(); l != nil {
		r.postLegacy(l, p)
		return
	}
	session := ""
	if !p.starts() {
		session = r.sessionID()
	}
	reply, err := r.try(p, session)
	if err == nil && session != "" && reply.Status == http.StatusNotFound && p.renewable() {
		_ = reply.Close()
		if err = r.renew(session); err == nil {
			if p.frame.Method == "notifications/initialized" {
				return // it was part of that
			}
			reply, err = r.try(p, r.sessionID())
		}
	}
	if err != nil {
		r.fail(p, err)
		return
	}
	if p.starts() && MayBeLegacy(reply) {
		if l, err := r.up.DialLegacy(r.life); err == nil {
			r.adopt(l, p)
			return
		}
	}
	r.receive(p, reply)
}

// renewable says whether a frame is to be repeated in a new session: a server that has forgotten the old one has done nothing with it. In MCP 2026-07-28 there
// are no sessions to forget, and the answer to what an old session was asked means nothing to a new one.
func (p *posting) renewable() bool {
	return !p.frame.Modern && p.frame.Kind != wire.Response && p.frame.Kind != wire.ErrorResponse
}

// try sends a frame once.
func (r *Remote) try(p *posting, session string) (*Reply, error) {
	h, err := r.header(p.frame, session)
	if err != nil {
		return nil, &Error{Kind: KindRequest, Host: r.up.Host(), detail: err.Error()}
	}
	return r.up.Post(p.ctx, p.frame.Raw, h)
}

func (r *Remote) sessionID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

// receive handles the reply to a POST.
func (r *Remote) receive(p *posting, reply *Reply) {
	defer func() { _ = reply.Close() }() // nothing more is wanted of it
	switch {
	case !reply.OK():
		if reply.Kind != ReplyJSON || !r.answers(p, reply.Body) {
			r.fail(p, r.up.status(reply))
		}
		return
	case p.starts() && !r.opened(p, reply):
		return
	}
	switch reply.Kind {
	case ReplyEvents:
		r.follow(p, reply)
	case ReplyJSON:
		r.whole(p, reply)
	case ReplyNone:
		r.fail(p, r.up.content(reply.Status, "no answer"))
	default:
		r.fail(p, r.up.content(reply.Status, "Content-Type %q; want application/json or text/event-stream", short(reply.Header.Get("Content-Type"))))
	}
	if p.frame.Kind == wire.Notification && p.frame.Method == "notifications/initialized" && p.again == nil {
		r.listen()
	}
}

// whole handles a reply that is one JSON text.
func (r *Remote) whole(p *posting, reply *Reply) {
	if !r.wants(p) {
		return // nobody asked for it
	}
	f := wire.Classify(reply.Body, wire.FromServer, wire.Options{})
	if f.Kind == wire.ErrorResponse && (!f.HasID || f.ID.Raw == "null") {
		r.fail(p, r.up.status(reply)) // the client could not tell what it answers
		return
	}
	r.arrived(p, reply.Body, nil)
	r.fail(p, r.up.content(reply.Status, "a body that is not the answer"))
}

// answers passes on the body of a reply that means no, if it is an answer that the client can tell to be one.
func (r *Remote) answers(p *posting, body []byte) bool {
	f := wire.Classify(body, wire.FromServer, wire.Options{})
	r.mu.Lock()
	_, waiting := p.waiting[f.ID.Key()]
	r.mu.Unlock()
	if f.Kind != wire.ErrorResponse || !waiting {
		return false
	}
	r.arrived(p, body, nil)
	r.fail(p, r.up.content(0, "an answer to a part of the batch"))
	return true
}

// opened keeps the session that the reply to initialize names.
func (r *Remote) opened(p *posting, reply *Reply) bool {
	ids := reply.Header.Values("Mcp-Session-Id")
	id := ""
	if len(ids) > 0 {
		id = ids[0]
	}
	if len(ids) > 1 || len(ids) == 1 && !ValidSessionID(id) {
		r.fail(p, r.up.content(reply.Status, "Mcp-Session-Id %q; want one value of visible ASCII", ids))
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.again != nil {
		p.again.session = id
		return true
	}
	r.initialize, r.initialized = &p.frame, nil
	r.session, r.version = id, ""
	return true
}

// wants says whether a posting still waits for an answer.
func (r *Remote) wants(p *posting) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(p.waiting) > 0
}

// fail ends what a posting waits for, all of it, with an error. One that waits for nothing is told of where it can not be repeated: to the operator.
func (r *Remote) fail(p *posting, err error) {
	r.mu.Lock()
	var ids []wire.ID
	for key, id := range p.waiting {
		ids = append(ids, id)
		delete(p.waiting, key)
		if r.open[key] == p {
			delete(r.open, key)
		}
	}
	if p.again != nil && len(ids) > 0 {
		p.again.err = err
	}
	cancelled := p.cancelled
	r.mu.Unlock()
	p.done()
	if cancelled {
		err = r.cancelledError()
	}
	if p.again != nil {
		return
	}
	for _, id := range ids {
		r.give(Arrival{On: id, Err: err})
	}
	var e *Error
	if p.first.Raw == "" && r.life.Err() == nil && errors.As(err, &e) && e.Kind != KindContent { // no content is what is wanted
		r.give(Arrival{Err: fmt.Errorf("%s %q: %w", p.frame.Kind, short(p.frame.Method), err)})
	}
}
