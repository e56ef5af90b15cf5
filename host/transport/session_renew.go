package transport

import (
	"fmt"

	"github.com/callgate/callgate/host/wire"
)

// renewal is a session that is started again.
type renewal struct {
	session string
	version string
	err     error
}

// agreed keeps the revision in force, which the result of initialize names. It is called with mu held.
func (r *Remote) agreed(p *posting, f wire.Frame) {
	version := f.Version
	if f.Kind != wire.Response || EncodeHeaderValue(version) != version {
		version = "" // nothing was agreed, or nothing that a header could say
	}
	switch {
	case p.again == nil:
		r.version = version
	case f.Kind == wire.Response:
		p.again.version = version
	default:
		p.again.err = fmt.Errorf("server %q: has forgotten the session and refuses another; connect again", r.up.Host())
	}
}

// renew starts the session again that a request found to be over, unless another did already (MCP 2025-11-25 "session management"). The client sees nothing of
// it, so it has to get the revision that it knows.
func (r *Remote) renew(expired string) error {
	r.renewing.Lock()
	defer r.renewing.Unlock()
	r.mu.Lock()
	current, version, initialize, initialized := r.session, r.version, r.initialize, r.initialized
	r.mu.Unlock()
	switch {
	case current != expired:
		return nil
	case initialize == nil:
		return fmt.Errorf("server %q: has forgotten a session that was never started; connect again", r.up.Host())
	}
	again, err := r.again(*initialize)
	switch {
	case err != nil:
		return err
	case again.version != version:
		return fmt.Errorf("server %q: has forgotten the session and offers another in revision %q instead of %q; connect again", r.up.Host(), short(again.version), short(version))
	}
	r.mu.Lock()
	if !r.ended {
		r.session = again.session
	}
	r.mu.Unlock()
	if initialized == nil {
		return nil // the client has yet to say so
	}
	p := r.newPosting(*initialized, &renewal{})
	defer r.release(p)
	reply, err := r.try(p, again.session)
	if err != nil {
		return err
	}
	defer func() { _ = reply.Close() }() // it has nothing to say
	if !reply.OK() {
		return r.up.status(reply)
	}
	r.listen()
	return nil
}

// again posts initialize once more and waits for its result.
func (r *Remote) again(initialize wire.Frame) (renewal, error) {
	p := r.newPosting(initialize, &renewal{})
	reply, err := r.try(p, "")
	if err != nil {
		r.release(p)
		return renewal{}, err
	}
	// What else the stream of the answer brings has to be read by somebody.
	if !r.start(func() { defer r.release(p); r.receive(p, reply) }) {
		r.release(p)
		_ = reply.Close()
		return renewal{}, ErrEnded
	}
	select {
	case <-p.settled:
	case <-r.life.Done():
		return renewal{}, ErrEnded
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return *p.again, p.again.err
}
