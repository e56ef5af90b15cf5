package transport

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Guard says for whom an endpoint answers: it compares the Host and Origin
// headers of a request with fixed lists and never asks DNS, because a name that
// an attacker owns resolves to whatever he wants (DNS rebinding; MCP 2025-11-25
// "transports", security warning; MCP 2026-07-28 "streamable http", security and
// endpoint). The zero value answers for nobody.
type Guard struct {
	// Bound is the address the listener has, "ip:port". If the address is a
	// loopback one, every loopback name (localhost, 127.0.0.0/8, ::1, any port)
	// is a host and an origin of the endpoint; if not, the address itself is a host.
	Bound string
	// Hosts are further names: "name" for any port, or "name:port". Lower case.
	Hosts []string
	// Origins are further origins: "scheme://host[:port]" as RFC 6454 section 6.2
	// spells them, compared byte by byte. Pages of these, and only these, may read
	// answers (CORS).
	Origins []string
}

// Validate names the first entry of the guard that could never match, or would match too much.
func (g Guard) Validate() error {
	if _, ok := splitHost(g.Bound); g.Bound != "" && !ok {
		return fmt.Errorf("guard: bound address %q is no address; want ip:port as the listener has it", g.Bound)
	}
	for _, h := range g.Hosts {
		if _, ok := splitHost(h); !ok {
			return fmt.Errorf("guard: host %q can not match a Host header; want a name in lower case or an address, with or without a port", h)
		}
	}
	for _, o := range g.Origins {
		if !isOrigin(o) {
			return fmt.Errorf("guard: origin %q can not match an Origin header; want scheme://host or scheme://host:port in lower case", o)
		}
	}
	return nil
}

// Check returns nil if the endpoint answers for the Host (in HTTP/2 the
// :authority) and the Origin of the request, else a refusal with status 403.
func (g Guard) Check(r *http.Request) *Refusal {
	if bad := g.checkHost(r); bad != nil {
		return bad
	}
	origins := r.Header["Origin"]
	switch {
	case len(origins) == 0:
		// Not a browser, or a request that a browser keeps within one site.
		return nil
	case len(origins) > 1:
		return Refuse(http.StatusForbidden, CodeInvalidRequest, fmt.Sprintf("the request has %d Origin headers; send one", len(origins)))
	case !g.originAllowed(origins[0]):
		return Refuse(http.StatusForbidden, CodeInvalidRequest, fmt.Sprintf("origin %q is not one that this endpoint answers to; add it to allowed_origins", short(origins[0])))
	}
	return nil
}

func (g Guard) checkHost(r *http.Request) *Refusal {
	// HTTP/1 requests lose their Host header to r.Host; an HTTP/2 request may have both.
	if also := r.Header["Host"]; len(also) > 1 || len(also) == 1 && also[0] != r.Host {
		return Refuse(http.StatusForbidden, CodeInvalidRequest, "the request names its host more than once; send one Host header")
	}
	if r.URL != nil && r.URL.Host != "" {
		return Refuse(http.StatusForbidden, CodeInvalidRequest, "the request target is an absolute URL; send the path alone, this is no forward proxy")
	}
	if !g.hostAllowed(r.Host) {
		return Refuse(http.StatusForbidden, CodeInvalidRequest, fmt.Sprintf("host %q is not one that this endpoint answers to; add it to allowed_hosts", short(r.Host)))
	}
	return nil
}

func (g Guard) hostAllowed(text string) bool {
	h, ok := splitHost(text)
	if !ok {
		return false
	}
	if bound, ok := splitHost(g.Bound); ok {
		if bound.loopback() && h.loopback() || !bound.loopback() && bound.name == h.name && !bound.unspecified() {
			return true
		}
	}
	return slices.ContainsFunc(g.Hosts, func(entry string) bool {
		want, ok := splitHost(entry)
		return ok && want.name == h.name && (want.port == "" || want.port == h.port)
	})
}

func (g Guard) originAllowed(origin string) bool {
	if g.configured(origin) {
		return true
	}
	rest, ok := strings.CutPrefix(origin, "http://")
	if !ok {
		if rest, ok = strings.CutPrefix(origin, "https://"); !ok {
			return false
		}
	}
	from, ok := splitHost(rest)
	bound, isBound := splitHost(g.Bound)
	return ok && isBound && bound.loopback() && from.loopback()
}

// configured says whether an origin is listed, and may be given to a page to read.
func (g Guard) configured(origin string) bool {
	return isOrigin(origin) && slices.Contains(g.Origins, origin)
}

// hostPort is a Host header in its parts. An IPv6 address has no brackets in name.
type hostPort struct {
	name, port string
	ip         netip.Addr
}

func (h hostPort) loopback() bool { return h.name == "localhost" || h.ip.IsLoopback() }

func (h hostPort) unspecified() bool { return h.ip.IsUnspecified() }

// splitHost reads uri-host [":" port] (RFC 9110 section 7.2) in its one normal
// form: lower case, no trailing dot, no zone, no userinfo, addresses as RFC 5952
// and RFC 6943 write them. What another reader could take for another host is
// not a host: 127.1, 0x7f.1 and ::ffff:127.0.0.1 reach this machine in some
// resolvers only.
func splitHost(text string) (h hostPort, ok bool) {
	name, port := text, ""
	if strings.HasPrefix(text, "[") {
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return hostPort{}, false
		}
		name, port = text[1:end], text[end+1:]
		ip, err := netip.ParseAddr(name)
		if err != nil || !ip.Is6() || ip.Is4In6() || ip.Zone() != "" || ip.String() != name {
			return hostPort{}, false
		}
		h.ip = ip
	} else {
		if colon := strings.IndexByte(text, ':'); colon >= 0 {
			name, port = text[:colon], text[colon:]
		}
		if ip, err := netip.ParseAddr(name); err == nil {
			h.ip = ip
		} else if !isHostName(name) {
			return hostPort{}, false
		}
	}
	if port != "" {
		if port = port[1:]; !isPort(port) || text[len(text)-len(port)-1] != ':' {
			return hostPort{}, false
		}
	}
	h.name, h.port = name, port
	return h, true
}

// isHostName accepts labels of lower-case letters, digits, hyphens and
// underscores. A last label of digits (or 0x…) would be an address to the URL
// standard, so it is none here.
func isHostName(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 {
			return false
		}
		for _, c := range []byte(label) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	last := labels[len(labels)-1]
	return last[0] < '0' || last[0] > '9'
}

func isPort(port string) bool {
	if port == "" || len(port) > 5 || port[0] == '0' {
		return false
	}
	n := 0
	for _, c := range []byte(port) {
		if c < '0' || c > '9' {
			return false
		}
		n = n*10 + int(c-'0')
	}
	return n <= 65535
}

// isOrigin accepts the serialisation of a tuple origin: scheme, "://", host,
// optional port, nothing behind it. "null" is the origin of anything at all.
func isOrigin(text string) bool {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme == "" || len(text) > 512 || scheme[0] < 'a' || scheme[0] > 'z' {
		return false
	}
	for _, c := range []byte(scheme) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	if scheme == "http" || scheme == "https" {
		_, ok := splitHost(rest)
		return ok
	}
	// Origins of editors and browser extensions name an opaque id as their host.
	for _, c := range []byte(rest) {
		if c <= ' ' || c > '~' || strings.IndexByte(`/\?#@,*"<>`, c) >= 0 {
			return false
		}
	}
	return rest != ""
}
