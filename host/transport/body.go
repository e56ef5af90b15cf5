package transport

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	jsonType   = "application/json"
	streamType = "text/event-stream"
)

// DefaultMaxBody is 64 MiB, in bytes: the length of a frame on the line transport.
const DefaultMaxBody = 64 << 20

// BodyLimits bound the reading of one request body. The zero value has the default size and no time limit.
type BodyLimits struct {
	// MaxBytes is the greatest length; DefaultMaxBody if not positive.
	MaxBytes int64
	// Timeout is how long the whole body may take; none if not positive.
	Timeout time.Duration
}

// ReadBody returns the whole body of a POST, exactly as it was sent. The body
// must be announced as plain JSON in UTF-8: a peer that honours a charset or a
// content coding would read other JSON in it than is judged here (UTF-7 spells
// "tools/call" in ASCII letters as "tools+AC8-call").
//
// It refuses with 415 another Content-Type, charset or coding, with 413 a body
// over the limit, with 408 one that took too long, with 400 one that ended early.
func ReadBody(w http.ResponseWriter, r *http.Request, limits BodyLimits) ([]byte, *Refusal) {
	if bad := checkContent(r.Header); bad != nil {
		return nil, bad
	}
	most := limits.MaxBytes
	if most <= 0 {
		most = DefaultMaxBody
	}
	if r.ContentLength > most {
		return nil, tooLarge(most)
	}
	if limits.Timeout > 0 {
		// A writer without deadlines has no connection that could be held open. At the
		// end of the body the server takes the deadline back: it reads on then, to
		// notice that the client leaves.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limits.Timeout))
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err == nil {
		return body, nil
	}
	var over *http.MaxBytesError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &over):
		return nil, tooLarge(most)
	case errors.As(err, &timeout) && timeout.Timeout():
		return nil, Refuse(http.StatusRequestTimeout, CodeInvalidRequest, "the body did not arrive in time; send it at once").With("Connection", "close")
	}
	return nil, Refuse(http.StatusBadRequest, CodeInvalidRequest, "the body ended early; send all of it")
}

func tooLarge(most int64) *Refusal {
	return Refuse(http.StatusRequestEntityTooLarge, CodeInvalidRequest, fmt.Sprintf("the body is longer than %d bytes; send less in one frame", most))
}

// checkContent refuses every announcement of a body but JSON, UTF-8, no coding.
func checkContent(h http.Header) *Refusal {
	types := h["Content-Type"]
	if len(types) != 1 {
		return unsupported(fmt.Sprintf("the request has %d Content-Type headers; send one, %s", len(types), jsonType))
	}
	if !isJSONType(types[0]) {
		return unsupported(fmt.Sprintf("content type %q is not supported; send %s in utf-8", short(types[0]), jsonType))
	}
	codings := h["Content-Encoding"]
	if len(codings) > 1 || len(codings) == 1 && !strings.EqualFold(strings.Trim(codings[0], " \t"), "identity") {
		return unsupported(fmt.Sprintf("content encoding %q is not supported; send the body as it is", short(strings.Join(codings, ", ")))).With("Accept-Encoding", "identity")
	}
	return nil
}

func unsupported(reason string) *Refusal {
	return Refuse(http.StatusUnsupportedMediaType, CodeInvalidRequest, reason).With("Accept", jsonType)
}

// isJSONType reads a media type (RFC 9110 section 8.3.1) and accepts
// application/json, alone or with the one parameter charset=utf-8. It is not
// mime.ParseMediaType, which joins the continuations and decodes the encoded
// parameters of RFC 2231, so that charset*0=utf-;charset*1=8 would be one.
func isJSONType(value string) bool {
	media, params, has := strings.Cut(value, ";")
	if !strings.EqualFold(strings.Trim(media, " \t"), jsonType) {
		return false
	}
	if !has {
		return true
	}
	name, charset, ok := strings.Cut(strings.Trim(params, " \t"), "=")
	if !ok || !strings.EqualFold(name, "charset") {
		return false
	}
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, `"utf-8"`)
}

// CheckAccept refuses with 406 a request whose Accept header rules out an answer
// that it may get: a POST is answered with JSON or with an event stream, and
// must list both (MCP 2025-03-26 and later), a GET with an event stream only.
// Ranges such as */* list them. No Accept at all means anything (RFC 9110 section 12.5.1).
func CheckAccept(r *http.Request) *Refusal {
	lines := r.Header["Accept"]
	if len(lines) == 0 {
		return nil
	}
	var missing []string
	if r.Method == http.MethodPost && !accepts(lines, "application", "json") {
		missing = append(missing, jsonType)
	}
	if (r.Method == http.MethodPost || r.Method == http.MethodGet) && !accepts(lines, "text", "event-stream") {
		missing = append(missing, streamType)
	}
	if missing == nil {
		return nil
	}
	return Refuse(http.StatusNotAcceptable, CodeInvalidRequest, "the Accept header leaves out "+strings.Join(missing, " and ")+"; list what an answer can be")
}

// accepts says whether the most specific range that covers a type has a quality above zero.
func accepts(lines []string, major, minor string) bool {
	best, yes := 0, false
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			media, params, _ := strings.Cut(part, ";")
			a, b, _ := strings.Cut(strings.ToLower(strings.Trim(media, " \t")), "/")
			rank := 0
			switch {
			case a == major && b == minor:
				rank = 3
			case a == major && b == "*":
				rank = 2
			case a == "*" && b == "*":
				rank = 1
			}
			if rank > best {
				best, yes = rank, !refused(params)
			}
		}
	}
	return yes
}

// refused says whether the parameters of a range hold a quality of zero.
func refused(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.Trim(param, " \t"), "=")
		if strings.EqualFold(name, "q") && strings.Trim(value, "0.") == "" {
			return true
		}
	}
	return false
}
