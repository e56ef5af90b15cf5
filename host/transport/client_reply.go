package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// ReplyKind is what a reply holds.
type ReplyKind uint8

// The kinds of replies.
const (
	// ReplyOther is a body of another content type, or without one. It is no frame.
	ReplyOther ReplyKind = iota
	// ReplyNone has no body, as 202 has.
	ReplyNone
	// ReplyJSON has one JSON text in Body, read whole, and not looked at.
	ReplyJSON
	// ReplyEvents has Events.
	ReplyEvents
)

// Reply is the reply to one HTTP request. Its Close must be called; without Events nothing is left to close.
type Reply struct {
	Status int
	// Header is as received; it is the caller's to choose what of it goes where.
	Header http.Header
	Kind   ReplyKind
	// Body is the whole body of ReplyJSON and ReplyOther.
	Body []byte
	// Events reads the body of ReplyEvents, whose errors it returns.
	Events *EventReader

	body io.ReadCloser
}

// Close ends the reply. A stream that has not ended is cut off.
func (r *Reply) Close() error {
	if r == nil || r.body == nil {
		return nil
	}
	return r.body.Close()
}

// OK says whether the status is a success.
func (r *Reply) OK() bool { return r.Status >= 200 && r.Status < 300 }

// reply reads a reply as far as it has to be whole.
func (u *Upstream) reply(res *http.Response) (*Reply, error) {
	r := &Reply{Status: res.StatusCode, Header: res.Header, body: res.Body}
	err := u.read(r)
	if cause := context.Cause(res.Request.Context()); err != nil && cause != nil {
		err = cause
	}
	if err != nil || r.Kind != ReplyEvents {
		_ = r.Close() // all that is wanted of it was read
		r.body = nil
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (u *Upstream) read(r *Reply) error {
	if r.Status >= 300 && r.Status < 400 {
		return u.redirect(r)
	}
	for _, encoding := range r.Header.Values("Content-Encoding") {
		if encoding = strings.TrimSpace(encoding); encoding != "" && !strings.EqualFold(encoding, "identity") {
			return u.content(r.Status, "Content-Encoding %q, though only identity was accepted; have the server send it plain", short(encoding))
		}
	}
	kind, err := u.kind(r)
	if err != nil {
		return err
	}
	if kind == ReplyEvents {
		if r.OK() {
			r.Kind, r.Events = kind, NewEventReader(r.body, int(u.o.MaxBody))
		}
		return nil // the events of an error may never end, and nobody could tell what they belong to
	}
	r.Body, err = io.ReadAll(io.LimitReader(r.body, u.o.MaxBody+1))
	switch {
	case err != nil:
		return &Error{Kind: KindBroken, Host: u.url.Host, Status: r.Status, detail: "the reply broke off", err: err}
	case int64(len(r.Body)) > u.o.MaxBody:
		return &Error{Kind: KindTooLong, Host: u.url.Host, Status: r.Status, detail: fmt.Sprintf("the reply has more than %d bytes; have the server send less", u.o.MaxBody)}
	case len(r.Body) == 0:
		r.Kind = ReplyNone
	case kind == ReplyJSON:
		r.Kind = kind
	}
	return nil
}

// redirect is the error of a reply that names another place. To follow it would hand the request, and what is configured for this server, to whoever that is.
func (u *Upstream) redirect(r *Reply) error {
	to := "without saying where"
	if location, err := url.Parse(r.Header.Get("Location")); err == nil && location.Host != "" {
		to = fmt.Sprintf("to host %q", short(location.Host))
	} else if r.Header.Get("Location") != "" {
		to = "to another path"
	}
	return &Error{
		Kind: KindRedirect, Host: u.url.Host, Status: r.Status,
		detail: fmt.Sprintf("status %d redirects %s, which is not followed; configure the URL that is meant", r.Status, to),
	}
}

// kind says what a reply claims to be. A charset that a client would read otherwise than we do is refused.
func (u *Upstream) kind(r *Reply) (ReplyKind, error) {
	lines := r.Header.Values("Content-Type")
	switch {
	case len(lines) == 0 || len(lines) == 1 && lines[0] == "":
		return ReplyOther, nil
	case len(lines) > 1:
		return 0, u.content(r.Status, "%d lines of Content-Type; one is meant", len(lines))
	}
	media, params, err := mime.ParseMediaType(lines[0])
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ReplyOther, nil
	}
	kind := map[string]ReplyKind{"application/json": ReplyJSON, "text/event-stream": ReplyEvents}[media]
	if charset := params["charset"]; kind != ReplyOther && (err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8")) {
		return 0, u.content(r.Status, "Content-Type %q; want it in UTF-8", short(lines[0]))
	}
	return kind, nil
}
