package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// cursor is where a stream can be taken up again.
type cursor struct {
	id    string // of the last event
	retry time.Duration
	named bool // the server has named retry
	fresh bool // there was no stream yet
	tries int  // in vain, since there was one
}

func (c *cursor) note(e Event) {
	if e.HasID {
		c.id = e.ID
	}
	if e.HasRetry {
		c.retry, c.named = e.Retry, true
	}
}

// pause is how long to wait before the next try: what the server says, and longer after each one in vain.
func (c *cursor) pause() time.Duration {
	if c.fresh && c.tries == 0 {
		return 0
	}
	d, most := retryWait, retryMost
	if c.named {
		d = max(c.retry, retryLeast)
		most = max(most, d)
	}
	for i := 0; i < c.tries && d < most; i++ {
		d += d / 2
	}
	return min(d, most)
}

// follow reads the stream that a POST opened, and takes it up again where it breaks off before the answer, as long as the server marks its events with ids
// (MCP 2025-11-25: a server may close the connection and have the client come back).
func (r *Remote) follow(p *posting, reply *Reply) {
	var c cursor
	for {
		err := r.read(p, reply, &c)
		_ = reply.Close()
		if !r.resumable(p, c, err) {
			r.fail(p, r.lost(p.life, err))
			return
		}
		if reply, err = r.reopen(p.life, &c, resumeTries); err != nil {
			r.fail(p, err)
			return
		}
	}
}

// lost says what the end of a stream means to a request that waits for its answer there.
func (r *Remote) lost(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return cause
	case errors.Is(err, io.EOF):
		return &Error{Kind: KindBroken, Host: r.up.Host(), detail: "the stream ended before the answer"}
	}
	return err
}

// resumable says whether a stream that ended so is to be taken up again.
func (r *Remote) resumable(p *posting, c cursor, err error) bool {
	if tooLong(err) {
		return false // it would come again
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(p.waiting) > 0 && !p.cancelled && !p.frame.Modern && c.id != "" && p.life.Err() == nil
}

// read passes on what a stream brings until its end, which is io.EOF, or an error. A nil posting is the stream of what the server sends by itself.
func (r *Remote) read(p *posting, reply *Reply, c *cursor) error {
	for {
		e, err := reply.Events.Next()
		if err != nil {
			return r.up.stream(err)
		}
		c.note(e)
		if e.Message() {
			r.arrived(p, e.Data, &e)
		}
	}
}

// reopen opens a stream behind a cursor, at the latest at the last of so many tries; 0 for no last one.
func (r *Remote) reopen(ctx context.Context, c *cursor, tries int) (*Reply, error) {
	for c.tries = 0; ; c.tries++ {
		if err := r.o.wait(ctx, c.pause()); err != nil {
			return nil, err
		}
		r.mu.Lock()
		h := sessionHeader(r.session, r.version)
		r.mu.Unlock()
		reply, err := r.up.Listen(ctx, h, c.id)
		switch {
		case err == nil && reply.Kind == ReplyEvents:
			c.fresh = false
			return reply, nil
		case err == nil && reply.OK():
			return nil, r.up.content(reply.Status, "Content-Type %q; want text/event-stream", short(reply.Header.Get("Content-Type")))
		case err == nil:
			err = r.up.status(reply)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !passing(err) || tries > 0 && c.tries+1 >= tries {
			return nil, err
		}
	}
}

func tooLong(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == KindTooLong
}

// passing says whether an error may be gone at the next try.
func passing(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case KindBroken, KindDial:
		return true
	case KindStatus:
		return e.Status >= 500 || e.Status == http.StatusTooManyRequests
	}
	return false
}

// listen opens the stream of what the server sends by itself, in place of the one there was.
func (r *Remote) listen() {
	ctx, cancel := context.WithCancel(r.life)
	r.mu.Lock()
	old := r.listening
	r.listening = cancel
	r.mu.Unlock()
	if old != nil {
		old()
	}
	if !r.start(func() { defer cancel(); r.listenOn(ctx) }) {
		cancel()
	}
}

func (r *Remote) listenOn(ctx context.Context) {
	c := cursor{fresh: true}
	for {
		reply, err := r.reopen(ctx, &c, 0)
		if err != nil {
			var e *Error
			offered := !errors.As(err, &e) || e.Status != http.StatusMethodNotAllowed
			if offered && ctx.Err() == nil {
				r.give(Arrival{Err: err})
			}
			return
		}
		err = r.read(nil, reply, &c)
		_ = reply.Close()
		if ctx.Err() == nil && tooLong(err) {
			r.give(Arrival{Err: err})
			c.id = "" // else it would come again
		}
	}
}

// arrived passes on one frame of the server.
func (r *Remote) arrived(p *posting, raw []byte, e *Event) {
	if e == nil {
		// Of a whole body nobody reads lines, so it does not matter how they end.
		raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	}
	f := wire.Classify(raw, wire.FromServer, wire.Options{})
	if f.Kind == wire.Blank {
		return
	}
	r.handing.Lock()
	defer r.handing.Unlock()
	r.mu.Lock()
	again := p != nil && p.again != nil
	swallow := again && (f.Kind == wire.Response || f.Kind == wire.ErrorResponse)
	r.settles(p, f)
	for _, element := range f.Elements {
		r.settles(p, element)
	}
	r.mu.Unlock()
	if swallow {
		return
	}
	a := Arrival{Frame: f, Event: e}
	if p != nil && !again {
		a.On = p.first
	}
	r.give(a)
}

// settles notes which requests a frame answers. It is called with mu held.
func (r *Remote) settles(p *posting, f wire.Frame) {
	switch f.Kind {
	case wire.Response, wire.ErrorResponse:
		r.answered(p, f.ID, f)
	case wire.Refused:
		for _, id := range f.Problem.IDs {
			r.answered(p, id, f)
		}
	case wire.Request:
		if p != nil && p.starts() && p.again == nil {
			p.done() // the server wants an answer before it gives its own
		}
	}
}

// answered takes a request off the posting that waits for it: most likely that on whose stream the answer came. It is called with mu held.
func (r *Remote) answered(p *posting, id wire.ID, f wire.Frame) {
	key := id.Key()
	owner := r.open[key]
	if p != nil {
		if _, ok := p.waiting[key]; ok {
			owner = p
		}
	}
	if owner == nil || f.Kind == wire.ErrorResponse && id.Raw == "null" {
		return
	}
	delete(owner.waiting, key)
	if r.open[key] == owner {
		delete(r.open, key)
	}
	if owner.starts() {
		r.agreed(owner, f)
	}
	if len(owner.waiting) == 0 {
		owner.done()
		r.lingers(owner, nil)
	}
}
