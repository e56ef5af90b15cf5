package transport

import (
	"errors"
	"io"
)

// oneStream returns the HTTP+SSE session, nil in Streamable HTTP.
func (r *Remote) oneStream() *Legacy {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.legacy
}

// adopt goes on over HTTP+SSE, with the frame that found out that the server speaks it.
func (r *Remote) adopt(l *Legacy, p *posting) {
	r.mu.Lock()
	ended := r.ended
	if !ended {
		r.legacy = l
	}
	r.mu.Unlock()
	if ended || !r.start(func() { r.readLegacy(l) }) {
		_ = l.Close() // nobody will read it
		return
	}
	r.postLegacy(l, p)
}

// postLegacy sends a frame, and waits for what comes elsewhere.
func (r *Remote) postLegacy(l *Legacy, p *posting) {
	// The reply comes at once and says nothing but that the server has the frame: so what follows can keep its place.
	if err := l.Send(p.life, p.frame.Raw); err != nil {
		r.fail(p, err)
		return
	}
	p.wrote()
	if r.wants(p) {
		select {
		case <-p.settled:
		case <-p.life.Done():
		}
	}
	r.mu.Lock()
	given := p.cancelled
	r.mu.Unlock()
	if given {
		r.fail(p, r.cancelledError())
	}
}

// readLegacy passes on what the one stream brings. Its end is the end of the session.
func (r *Remote) readLegacy(l *Legacy) {
	for {
		frame, err := l.Next()
		if err == nil {
			r.arrived(nil, frame, nil)
			continue
		}
		r.mu.Lock()
		r.ended = true
		open := map[*posting]bool{}
		for _, p := range r.open {
			open[p] = true
		}
		r.mu.Unlock()
		lost := r.lost(r.life, err)
		for p := range open {
			r.fail(p, lost)
		}
		if !errors.Is(err, io.EOF) && r.life.Err() == nil {
			r.give(Arrival{Err: err})
		}
		r.end(io.EOF)
		return
	}
}
