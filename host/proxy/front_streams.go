package proxy

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/transport"
)

// get opens a stream for what the server says by itself, or goes on with one
// that broke.
func (f *front) get() {
	if bad := transport.CheckAccept(f.r); bad != nil {
		bad.Write(f.w)
		return
	}
	s, bad := f.session()
	if bad != nil {
		bad.Write(f.w)
		return
	}
	header, bad := transport.ForwardHeaders(f.r.Header, f.authorized())
	if bad != nil {
		bad.Write(f.w)
		return
	}
	remote := f.server.Remote != nil && !f.server.Legacy
	if s == nil && !remote {
		// Not 400 or 404: clients take those for a broken server and come back at once.
		transport.MethodNotAllowed(f.r.Method, "POST, DELETE").Write(f.w)
		return
	}
	last := f.r.Header.Get("Last-Event-Id")
	switch {
	case !remote && last != "":
		f.resume(s, last)
		return
	case !remote:
		f.listen(s, header)
		return
	case s == nil:
		s = f.g.newSession(f.key, f.keeper, nil)
		s.relay.remote = true
		s.relay.talk.speaks(f.r.Header.Get("Mcp-Protocol-Version"))
	}
	defer s.touch()()
	x := newExchange(f.events(), header, f.r.Context())
	s.hears(x)
	end := &remoteEnd{g: f.g, up: f.server.Remote, relay: s.relay}
	go end.listen(x, last)
	f.wait(x)
}

// events is the answer to a GET.
func (f *front) events() *outlet {
	o := transport.StreamOptions{Events: true, KeepAlive: f.g.o.Limits.KeepAlive, WriteTimeout: writeTimeout}
	return newOutlet(f.w, f.r, o, f.server.Remote != nil && !f.server.Legacy)
}

// wait returns when the exchange has ended or the client has gone.
func (f *front) wait(x *exchange) {
	defer context.AfterFunc(f.g.closing, x.end)()
	x.first.serve(x.done, f.r.Context().Done())
	x.leave(x.first)
}

// listen makes a stream the one that the client listens on.
func (f *front) listen(s *session, header http.Header) {
	if s.listened() {
		transport.Refuse(http.StatusConflict, transport.CodeInvalidRequest, "the session has a stream already").Write(f.w)
		return
	}
	defer s.touch()()
	x := newExchange(f.events(), header, f.r.Context())
	x.hold()
	s.open(x, true)
	f.wait(x)
}

// resume goes on with a stream of ours behind an event.
func (f *front) resume(s *session, last string) {
	x, number := s.exchange(last)
	if x == nil || !x.has(number) {
		// What it missed is not kept any more. A stream without it would hide that.
		transport.Refuse(http.StatusBadRequest, transport.CodeInvalidRequest, "the events behind this one are not kept any more; initialize a new session").Write(f.w)
		return
	}
	if x.over(number) {
		// An empty stream would have the client come back again and again; this does not (WHATWG HTML section 9.2.3).
		f.w.WriteHeader(http.StatusNoContent)
		return
	}
	defer s.touch()()
	stream := f.events()
	defer x.leave(stream)
	if stream.add(written{}) != nil {
		return
	}
	x.resume(stream, number)
	stream.serve(x.done, f.r.Context().Done())
}

// delete ends a session.
func (f *front) delete() {
	s, bad := f.session()
	if bad != nil {
		bad.Write(f.w)
		return
	}
	if f.server.Remote != nil && !f.server.Legacy {
		header, bad := transport.ForwardHeaders(f.r.Header, f.authorized())
		if bad != nil {
			bad.Write(f.w)
			return
		}
		x := newExchange(newOutlet(f.w, f.r, transport.StreamOptions{WriteTimeout: writeTimeout}, true), header, f.r.Context())
		end := &remoteEnd{g: f.g, up: f.server.Remote}
		if s != nil {
			end.relay = s.relay
		}
		go end.delete(x)
		f.wait(x)
		return
	}
	if s == nil {
		transport.MethodNotAllowed(f.r.Method, "POST").Write(f.w)
		return
	}
	s.end()
	f.w.WriteHeader(http.StatusNoContent)
}
