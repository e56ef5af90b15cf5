package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/callgate/callgate/host/wire"
)

const (
	// endpointWait is how long a server may take to say where it wants its frames: it says so first, and before it does anything.
	endpointWait = 30 * time.Second
	maxEndpoint  = 8 << 10 // bytes of the address
)

// Legacy is a session over HTTP+SSE, the transport of MCP 2024-11-05: all frames of the server come on one stream, and those of the client are posted to the
// address that the stream names first.
type Legacy struct {
	up     *Upstream
	to     *url.URL
	reply  *Reply
	cancel context.CancelFunc
}

// DialLegacy opens the stream and waits for its endpoint event, which has to be of the same origin as the URL: what is configured for that is sent there too.
// The context bounds the dialling only; Close ends the session.
func DialLegacy(ctx context.Context, o Options) (*Legacy, error) {
	up, err := NewUpstream(o)
	if err != nil {
		return nil, err
	}
	return up.DialLegacy(ctx)
}

// DialLegacy is [DialLegacy] for an endpoint that is known already.
func (u *Upstream) DialLegacy(ctx context.Context) (*Legacy, error) {
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	late := time.AfterFunc(endpointWait, func() {
		cancel(&Error{Kind: KindContent, Host: u.url.Host, detail: fmt.Sprintf("no endpoint event in %v; the URL is of no server that speaks HTTP+SSE", endpointWait)})
	})
	defer stop()
	defer late.Stop()
	l := &Legacy{up: u, cancel: func() { cancel(context.Canceled) }}
	reply, err := u.Listen(life, nil, "")
	if err == nil {
		l.reply = reply
		l.to, err = l.endpoint()
	}
	if cause := context.Cause(life); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// endpoint reads the first event.
func (l *Legacy) endpoint() (*url.URL, error) {
	u := l.up
	switch {
	case !l.reply.OK():
		return nil, u.status(l.reply)
	case l.reply.Kind != ReplyEvents:
		return nil, u.content(l.reply.Status, "Content-Type %q; HTTP+SSE wants a stream of events", short(l.reply.Header.Get("Content-Type")))
	}
	for {
		e, err := l.reply.Events.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, u.content(l.reply.Status, "no endpoint event; the URL is of no server that speaks HTTP+SSE")
		case err != nil:
			return nil, u.stream(err)
		case !e.HasData:
			continue
		case e.Name != "endpoint":
			return nil, u.content(l.reply.Status, "a first event %q; HTTP+SSE wants endpoint", short(e.Name))
		case len(e.Data) > maxEndpoint:
			return nil, u.content(l.reply.Status, "an endpoint of %d bytes; at most %d", len(e.Data), maxEndpoint)
		}
		return u.sameOrigin(string(e.Data))
	}
}

// sameOrigin resolves an address that the server named, and refuses one of another origin (RFC 6454 section 4).
func (u *Upstream) sameOrigin(address string) (*url.URL, error) {
	refuse := func(why string) error {
		return &Error{Kind: KindRedirect, Host: u.url.Host, detail: fmt.Sprintf("endpoint %q %s; it has to be of the origin of the configured URL", short(address), why)}
	}
	ref, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, refuse("is no address")
	}
	to := u.url.ResolveReference(ref)
	switch {
	case to.User != nil:
		return nil, refuse("holds a user")
	case to.Opaque != "" || to.Scheme != u.url.Scheme:
		return nil, refuse("has another scheme")
	case !strings.EqualFold(to.Hostname(), u.url.Hostname()):
		return nil, refuse("has another host")
	case port(to) != port(u.url):
		return nil, refuse("has another port")
	}
	to.Host, to.Fragment = u.url.Host, "" // what is dialled is what is configured, to the letter
	return to, nil
}

// port is the port of an http or https URL.
func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// Send posts one frame. Its answer, if it has one, comes with Next.
func (l *Legacy) Send(ctx context.Context, frame []byte) error {
	r, err := l.up.do(ctx, http.MethodPost, l.to, frame, nil)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // a stream of events that nobody asked for
	if !r.OK() {
		return l.up.status(r)
	}
	return nil
}

// Next returns the next frame of the server as it came. It returns io.EOF at the end of the stream, which is the end of the session.
func (l *Legacy) Next() ([]byte, error) {
	for {
		e, err := l.reply.Events.Next()
		if err != nil {
			return nil, l.up.stream(err)
		}
		if e.Message() {
			return e.Data, nil
		}
	}
}

// Close ends the session.
func (l *Legacy) Close() error {
	l.cancel()
	return l.reply.Close()
}

// stream says why a stream of events has no more: its end as it is, anything else with the name of the server.
func (u *Upstream) stream(err error) error {
	var long *EventTooLongError
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.As(err, &long):
		return &Error{Kind: KindTooLong, Host: u.url.Host, detail: "the stream can not be read on", err: err}
	}
	return &Error{Kind: KindBroken, Host: u.url.Host, detail: "the stream broke", err: err}
}

// MayBeLegacy says whether a reply to the first request of a client, by the rules of "Backward Compatibility", may come from a server that speaks HTTP+SSE only:
// 400, 404 or 405 without an error of a modern server. DialLegacy finds out.
func MayBeLegacy(r *Reply) bool {
	if r.Status != http.StatusBadRequest && r.Status != http.StatusNotFound && r.Status != http.StatusMethodNotAllowed {
		return false
	}
	f := wire.Classify(r.Body, wire.FromServer, wire.Options{})
	if f.Kind != wire.ErrorResponse {
		return true
	}
	at, err := wire.Find(r.Body, wire.Span{End: len(r.Body)}, "/error/code")
	if err != nil {
		return true
	}
	switch string(at.In(r.Body)) {
	case "-32601", "-32020", "-32021", "-32022":
		return false // the modern codes, and an unknown method, which such a server replies to with 404
	}
	return true
}
