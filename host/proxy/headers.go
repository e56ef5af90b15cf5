package proxy

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// framed are headers that HTTP or MCP needs to carry a frame. Mcp-Name is what the
// frame says, edited or not.
var framed = map[string]bool{
	"Accept": true, "Authorization": true, "Content-Type": true, "Last-Event-Id": true, "Mcp-Method": true, "Mcp-Name": true,
	"Mcp-Protocol-Version": true, sessionHeader: true,
}

// forth is the headers of a request as they go to the server with a frame. One that
// mirrors an argument says what the frame says; what else says a text that policy
// redacts in arguments is left out.
func (e *remoteEnd) forth(h http.Header, f frame) http.Header {
	in := wire.Frame{}
	if f.edited || f.bytes != nil && e.relay.o.Engine.Redacts(false) {
		in = wire.Classify(f.bytes, wire.FromClient, wire.Options{})
	}
	if f.edited {
		h = transport.MirrorHeaders(h, in, e.relay.schema)
	}
	mirrors := map[string]bool{}
	if in.Call != nil {
		params, _ := transport.HeaderParams(e.relay.schema(in.Call.Name))
		for _, p := range params {
			mirrors[p.Header()] = true
		}
	}
	return e.discreet(h, mirrors, false)
}

// back is the headers of an answer as they go to the client.
func (e *remoteEnd) back(h http.Header) http.Header {
	return e.discreet(transport.BackwardHeaders(h, false), nil, true)
}

// discreet is headers without those that say what is redacted of what the server
// says, or of what the client does.
func (e *remoteEnd) discreet(h http.Header, mirrors map[string]bool, fromServer bool) http.Header {
	if !e.relay.o.Engine.Redacts(fromServer) {
		return h
	}
	out := h.Clone()
	for name, values := range h {
		if framed[name] || mirrors[name] {
			continue
		}
		for _, value := range values {
			if e.relay.o.Engine.Withholds(readings(value), fromServer) {
				delete(out, name)
			}
		}
	}
	return out
}

// readings are what the value of a header can be read as: as it is, out of base64
// as MCP has it, out of percent signs as W3C baggage has it.
func readings(value string) []string {
	all := []string{value}
	if plain, ok := transport.DecodeHeaderValue(value); ok && plain != value {
		all = append(all, plain)
	}
	if plain := unescaped(value); plain != value {
		all = append(all, plain)
	}
	return all
}

// unescaped reads percent signs as far as they are any: a reader takes the members
// of a list one by one, and one that is none hides none of the others.
func unescaped(value string) string {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '%' && i+2 < len(value) {
			if plain, err := url.PathUnescape(value[i : i+3]); err == nil {
				b.WriteString(plain)
				i += 2
				continue
			}
		}
		b.WriteByte(value[i])
	}
	return b.String()
}
