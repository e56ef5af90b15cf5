package transport

import (
	"net/http"
	"slices"
	"strings"
)

// What a page of a configured origin may send and read. The lists are the
// headers of MCP's transports and of W3C trace context, nothing else.
const (
	corsMethods = "POST, GET, DELETE"
	corsExposed = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate"
	corsMaxAge  = "600"
)

// Wrap returns a handler that lets pass what Check accepts. It answers CORS
// preflights of configured origins (Fetch standard, "CORS protocol"), and marks
// the other answers to such origins as readable. An origin that is loopback, but
// not configured, is served without: its page can not read the answer.
func (g Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if bad := g.Check(r); bad != nil {
			bad.Write(w)
			return
		}
		if len(g.Origins) > 0 {
			w.Header().Add("Vary", "Origin")
		}
		origin := r.Header.Get("Origin")
		if origin == "" || !g.configured(origin) {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			h.Set("Access-Control-Expose-Headers", corsExposed)
			next.ServeHTTP(w, r)
			return
		}
		h.Add("Vary", "Access-Control-Request-Headers")
		h.Set("Access-Control-Allow-Methods", corsMethods)
		if names := corsHeaders(r.Header.Values("Access-Control-Request-Headers")); names != "" {
			h.Set("Access-Control-Allow-Headers", names)
		}
		h.Set("Access-Control-Max-Age", corsMaxAge)
		w.WriteHeader(http.StatusNoContent)
	})
}

// corsHeaders returns those of the asked-for headers that a client of MCP may send.
func corsHeaders(asked []string) string {
	var may []string
	for _, line := range asked {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.ToLower(strings.Trim(name, " \t"))
			if !isToken(name) || slices.Contains(may, name) {
				continue
			}
			if name == "content-type" || name == "authorization" || forwarded(http.CanonicalHeaderKey(name)) {
				may = append(may, name)
			}
		}
	}
	return strings.Join(may, ", ")
}
