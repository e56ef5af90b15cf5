package transport

import (
	"net/http"
	"strconv"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// JSON-RPC error codes of refusals.
const (
	// CodeInvalidRequest is JSON-RPC 2.0 section 5.1, "Invalid Request".
	CodeInvalidRequest = -32600
	// CodeInvalidParams is JSON-RPC 2.0 section 5.1, "Invalid params".
	CodeInvalidParams = -32602
	// CodeHeaderMismatch is HeaderMismatch of MCP 2026-07-28: headers that are
	// required and absent, malformed, or say something else than the body.
	CodeHeaderMismatch = -32020
)

// Refusal is why an HTTP request is not served, as its answer will say it. The zero value is answered as 403.
type Refusal struct {
	// Status is the HTTP status code.
	Status int
	// Code is the JSON-RPC error code.
	Code int
	// Reason says what is wrong and the mend. Hostile text in it is quoted.
	Reason string
	// ID is the id of the request; the zero ID is written as null.
	ID wire.ID
	// Header holds headers that the status demands, such as Allow; nil for none.
	Header http.Header
}

// Refuse returns a refusal without an id.
func Refuse(status, code int, reason string) *Refusal {
	return &Refusal{Status: status, Code: code, Reason: reason}
}

// For returns the same refusal as the answer to the request id.
func (r Refusal) For(id wire.ID) *Refusal {
	r.ID = id
	return &r
}

// With returns the same refusal with one header more.
func (r Refusal) With(name, value string) *Refusal {
	h := http.Header{}
	for k, v := range r.Header {
		h[k] = v
	}
	h.Set(name, value)
	r.Header = h
	return &r
}

// Error returns the reason.
func (r *Refusal) Error() string { return r.Reason }

// Frame returns the JSON-RPC error response that is the body of the answer.
func (r *Refusal) Frame() []byte {
	code := r.Code
	if code == 0 {
		code = CodeInvalidRequest
	}
	return wire.ErrorFrame(r.ID, code, r.Reason, nil)
}

// refusedBody is how long the body of a refused request may still take.
const refusedBody = 10 * time.Second

// Write answers the request with the refusal.
func (r *Refusal) Write(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range r.Header {
		h[name] = values
	}
	frame := r.Frame()
	h.Set("Content-Type", jsonType)
	h.Set("Content-Length", strconv.Itoa(len(frame)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	status := r.Status
	if status < 400 || status > 599 {
		status = http.StatusForbidden
	}
	if status != http.StatusRequestTimeout {
		// The server reads a body that nobody wanted before it takes the next request. It must not wait for one that never comes.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedBody))
	}
	w.WriteHeader(status)
	// A client that hangs up before it has read why is its own affair.
	_, _ = w.Write(frame)
}

// MethodNotAllowed refuses an HTTP method with 405 and says which are offered
// (RFC 9110 section 15.5.6). Clients take other answers to a GET for a broken
// stream and come back at once.
func MethodNotAllowed(method, allow string) *Refusal {
	return Refuse(http.StatusMethodNotAllowed, CodeInvalidRequest, "method "+strconv.Quote(short(method))+" is not offered here; use "+allow).With("Allow", allow)
}

// short bounds hostile text in a reason.
func short(text string) string {
	const most = 100
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
