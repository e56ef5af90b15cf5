package transport

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
)

// forwarded says whether a request header, spelled as http.Header does, concerns
// the server behind: MCP's own, and those of W3C trace context. All else is
// between the client and this endpoint.
func forwarded(name string) bool {
	switch name {
	case "Accept", headerLastEvent, "Traceparent", "Tracestate", "Baggage", "User-Agent":
		return true
	}
	return strings.HasPrefix(name, "Mcp-")
}

// ForwardHeaders returns a copy of those request headers that go to the server
// behind. Authorization goes only if the caller says so: it is a secret for
// whom the client took this endpoint to be. What a Connection header names ends
// here (RFC 9110 section 7.6.1). A value with control characters is refused with 400.
func ForwardHeaders(h http.Header, authorization bool) (http.Header, *Refusal) {
	out := http.Header{}
	ends := hopByHop(h)
	for name, values := range h {
		if ends[name] || !forwarded(name) && !(authorization && name == "Authorization") {
			continue
		}
		for _, value := range values {
			if hasControl(value) {
				return nil, Refuse(http.StatusBadRequest, CodeInvalidRequest, fmt.Sprintf("the %s header holds control characters; send it without", short(name)))
			}
		}
		out[name] = append([]string(nil), values...)
	}
	return out, nil
}

// backward says whether a response header, spelled as http.Header does, concerns
// the client. Cookies would be a session that nobody keeps, and what other
// origins may read is this endpoint's own decision.
func backward(name string) bool {
	switch name {
	case "Accept", "Allow", "Baggage", "Cache-Control", "Content-Language", "Content-Type", "Deprecation", "Ratelimit", "Ratelimit-Policy",
		"Retry-After", "Server-Timing", "Sunset", "Traceparent", "Tracestate", "Traceresponse":
		return true
	}
	return strings.HasPrefix(name, "Mcp-")
}

// BackwardHeaders returns a copy of those response headers that go to the client.
// WWW-Authenticate goes only if the caller says so: it belongs to an
// Authorization that went the other way. Values with control characters are left out.
func BackwardHeaders(h http.Header, challenge bool) http.Header {
	out := http.Header{}
	ends := hopByHop(h)
	for name, values := range h {
		if ends[name] || !backward(name) && !(challenge && name == "Www-Authenticate") {
			continue
		}
		for _, value := range values {
			if !hasControl(value) {
				out[name] = append(out[name], value)
			}
		}
	}
	return out
}

// hopByHop returns the names that the Connection headers list.
func hopByHop(h http.Header) map[string]bool {
	if len(h["Connection"]) == 0 {
		return nil
	}
	names := map[string]bool{}
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			names[http.CanonicalHeaderKey(strings.Trim(name, " \t"))] = true
		}
	}
	return names
}

func hasControl(value string) bool {
	return strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}

// NewSessionID returns an unguessable value for Mcp-Session-Id: more than 128
// random bits in 26 letters and digits.
func NewSessionID() string { return rand.Text() }

// ValidSessionID says whether a value can be an Mcp-Session-Id: visible ASCII
// (0x21 to 0x7E; MCP 2025-03-26 "session management"), 256 characters at most.
func ValidSessionID(id string) bool {
	const most = 256
	return id != "" && len(id) <= most && !strings.ContainsFunc(id, func(c rune) bool { return c < '!' || c > '~' })
}
