package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/callgate/callgate/host/wire"
)

// ErrorKind tells the errors of an upstream from one another.
type ErrorKind uint8

// The kinds of errors. The zero value is KindBroken: the request may have had its effect.
const (
	// KindBroken is a connection that ended before the reply did.
	KindBroken ErrorKind = iota
	// KindRequest is a request that was not sent.
	KindRequest
	// KindDial is a server that was not reached. The request was not sent.
	KindDial
	// KindTLS is a server that is not the one that it should be, or does not speak TLS. The request was not sent.
	KindTLS
	// KindRedirect is a reply that names another place. It is never followed.
	KindRedirect
	// KindStatus is a reply with a status that means no.
	KindStatus
	// KindTooLong is a reply over Options.MaxBody.
	KindTooLong
	// KindContent is a reply that is nothing that MCP allows: another content type, charset or encoding, or nothing at all.
	KindContent
	// KindCancelled is a request that the client has cancelled.
	KindCancelled
)

// Error is what an upstream could not do. Its text names neither headers nor the path and query of a URL, which may be secrets.
type Error struct {
	Kind ErrorKind
	// Host is the host and port of the server.
	Host string
	// Status is the HTTP status of the reply, 0 without one.
	Status int
	// Challenge is the WWW-Authenticate header of the reply: for the operator, never acted on.
	Challenge string
	// Body is the body of a reply with KindStatus, as received.
	Body []byte

	detail string
	err    error
}

// Error says what did not work with which server.
func (e *Error) Error() string {
	text := fmt.Sprintf("server %q: %s", e.Host, e.detail)
	if e.err != nil {
		text += ": " + e.err.Error()
	}
	if e.Kind == KindDial {
		text += "; start it, or correct its URL"
	}
	return text
}

// Unwrap returns the cause, nil for none.
func (e *Error) Unwrap() error { return e.err }

// Answer returns the answer to a request that err left without one: the JSON-RPC error in the body of the reply if it has one, with the id of the request put
// in where it had none, and else an error of this code.
func Answer(id wire.ID, code int, err error) []byte {
	var e *Error
	if errors.As(err, &e) && e.Kind == KindStatus {
		if frame, ok := addressed(e.Body, id); ok {
			return frame
		}
	}
	return wire.ErrorFrame(id, code, "callgate: "+err.Error(), nil)
}

// addressed gives an error response the id of a request.
func addressed(body []byte, id wire.ID) ([]byte, bool) {
	f := wire.Classify(body, wire.FromServer, wire.Options{})
	switch {
	case f.Kind != wire.ErrorResponse || id.Raw == "":
		return nil, false
	case f.ID.Key() == id.Key():
	case f.ID.Raw == "null":
		at, err := wire.Find(body, wire.Span{End: len(body)}, "/id")
		if err != nil {
			return nil, false
		}
		if body, err = wire.Splice(body, []wire.Edit{{Span: at, With: []byte(id.Raw)}}); err != nil {
			return nil, false
		}
	case !f.HasID:
		at, err := wire.Find(body, wire.Span{End: len(body)}, "")
		if err != nil {
			return nil, false
		}
		at = wire.Span{Start: at.Start + 1, End: at.Start + 1} // behind the brace; an error response has members
		if body, err = wire.Splice(body, []wire.Edit{{Span: at, With: []byte(`"id":` + id.Raw + `,`)}}); err != nil {
			return nil, false
		}
	default:
		return nil, false // the answer to another request
	}
	line, err := wire.Compact(body)
	return append(line, '\n'), err == nil
}

// broken says why a request has no reply.
func (u *Upstream) broken(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	e := &Error{Kind: KindBroken, Host: u.url.Host, detail: "the connection broke before a reply", err: err}
	var (
		op      *net.OpError
		name    *net.DNSError
		cert    *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		alert   tls.AlertError
		host    x509.HostnameError
		unknown x509.UnknownAuthorityError
	)
	switch {
	case errors.As(err, &cert), errors.As(err, &record), errors.As(err, &alert), errors.As(err, &host), errors.As(err, &unknown):
		e.Kind, e.detail = KindTLS, "no secure connection"
	case errors.As(err, &name), errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks"):
		e.Kind, e.detail = KindDial, "can not be reached"
	}
	return e
}

// status is the error of a reply that means no.
func (u *Upstream) status(r *Reply) *Error {
	e := &Error{Kind: KindStatus, Host: u.url.Host, Status: r.Status, Challenge: r.Header.Get("Www-Authenticate"), Body: r.Body}
	e.detail = fmt.Sprintf("status %d (%s)", r.Status, http.StatusText(r.Status))
	if e.Challenge != "" {
		e.detail += fmt.Sprintf(", wants %q; configure its authorization in a file of headers", short(e.Challenge))
	}
	return e
}

// content is the error of a reply that MCP does not allow.
func (u *Upstream) content(status int, format string, args ...any) *Error {
	return &Error{Kind: KindContent, Host: u.url.Host, Status: status, detail: fmt.Sprintf("status %d with ", status) + fmt.Sprintf(format, args...)}
}
