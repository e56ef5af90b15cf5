package transport

import (
	"fmt"
	"net/http"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// header is what a POST says of its session and of its body: the session and the revision that initialize has agreed on; for a frame that names its revision
// itself, that one, and what a server of MCP 2026-07-28 wants mirrored.
func (r *Remote) header(f wire.Frame, session string) (http.Header, error) {
	if f.Kind == wire.Request && f.Method == "initialize" && f.Version == "" {
		return http.Header{}, nil // it is what starts a session
	}
	r.mu.Lock()
	version := r.version
	r.mu.Unlock()
	if f.Version == "" || f.Kind != wire.Request && f.Kind != wire.Notification {
		return sessionHeader(session, version), nil
	}
	if f.Modern {
		session = "" // there are none any more
	}
	for what, text := range map[string]string{"method": f.Method, "protocol version": f.Version} {
		if EncodeHeaderValue(text) != text {
			return nil, fmt.Errorf("%s %q can not be said in a header; use visible ASCII", what, short(text))
		}
	}
	h := sessionHeader(session, f.Version)
	h.Set("Mcp-Method", f.Method)
	if f.HasTarget && needsName(f.Method) {
		h.Set("Mcp-Name", EncodeHeaderValue(f.Target))
	}
	r.mirror(h, f)
	return h, nil
}

// mirror says the arguments that the tool wants to have in headers. A schema that breaks the rules for that has none: its tool is invalid, which is for whoever
// showed it to the client to say.
func (r *Remote) mirror(h http.Header, f wire.Frame) {
	if f.Call == nil || r.o.Schema == nil || f.Call.Arguments.IsZero() {
		return
	}
	params, err := HeaderParams(r.o.Schema(f.Call.Name))
	if err != nil || len(params) == 0 {
		return
	}
	arguments, err := abi.Parse(f.Call.Arguments.In(f.Raw))
	if err != nil {
		return // the server will say that it has no such header
	}
	for _, p := range params {
		if text, ok := p.Text(p.In(arguments)); ok {
			h.Set(p.Header(), EncodeHeaderValue(text))
		}
	}
}
