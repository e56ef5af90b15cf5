package builtin

import (
	"fmt"
	"net/netip"
	"path"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/callgate/callgate/host/provenance"
)

// Ports of patterns that are no number.
const (
	portAny     = -2 // any
	portDefault = -3 // the one that the scheme has
)

// urlPattern is an entry of allow, deny or except: a host, an IP or network, or
// a URL.
type urlPattern struct {
	scheme string // "": any
	opaque string // of a URL without a host: a glob for what stands behind the scheme
	any    bool   // any host
	host   string
	below  bool // the host and what is below it
	net    netip.Prefix
	port   int
	path   string // a glob without the slash in front, "**" for any
}

// newURLPattern reads a pattern.
func newURLPattern(text string) (urlPattern, error) {
	bad := func(why string) (urlPattern, error) { return urlPattern{}, fmt.Errorf("pattern %q: %s", text, why) }
	if strings.TrimSpace(text) != text || text == "" || unreadable(text) != "" {
		return bad("it is empty, or has white space or control characters; write a host or a URL")
	}
	p := urlPattern{port: portAny, path: "**"}
	if net, err := netip.ParsePrefix(text); err == nil {
		if p.net = net; net != net.Masked() {
			return bad("bits are set behind the length of the network; write " + net.Masked().String())
		}
		if net.Addr().Is4In6() && net.Bits() >= 96 {
			p.net = netip.PrefixFrom(net.Addr().Unmap(), net.Bits()-96)
		}
		return p, nil
	}
	if _, err := netip.ParseAddr(text); err == nil {
		err = p.readHost(text, text)
		return p, err
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		if scheme, rest, ok = strings.Cut(text, ":"); ok && schemeWord(scheme) && strings.Trim(rest, "0123456789") != "" {
			return opaquePattern(text, scheme, rest)
		}
		if strings.ContainsAny(text, `/\@?#`) {
			return bad("it is no host, IP, network or URL; a URL starts with its scheme, as in https://docs.example/**")
		}
		err := p.readHost(text, text)
		return p, err
	}
	if p.port = portDefault; scheme != "*" {
		if !schemeWord(scheme) {
			return bad("its scheme is none")
		}
		p.scheme = strings.ToLower(scheme)
	}
	if p.scheme == "file" {
		return bad("files are for slot: path; write file:** for any of them")
	}
	if rest == "**" {
		p.any, p.port = true, portAny
		return p, nil
	}
	host, tail := rest, ""
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		host, tail = rest[:i], rest[i:]
	}
	if strings.Contains(host, "@") {
		return bad("it has user information, which no URL under allow may have; leave it out")
	}
	if err := p.readHost(text, host); err != nil {
		return p, err
	}
	err := p.readPath(text, tail)
	return p, err
}

// schemeWord says whether s can be a scheme.
func schemeWord(s string) bool { return hasScheme(s+":") && !strings.ContainsAny(s, ".:/") }

func opaquePattern(text, scheme, rest string) (urlPattern, error) {
	scheme = strings.ToLower(scheme)
	switch {
	case rest == "*":
		return urlPattern{}, fmt.Errorf("pattern %q: write %s for the host with any port, or %s:** for every URL of the scheme", text, scheme, scheme)
	case defaultPorts[scheme] != 0 || strings.HasPrefix(rest, "/"):
		return urlPattern{}, fmt.Errorf("pattern %q: its scheme is followed by something else than two slashes", text)
	case scheme == "file" && rest != "**":
		return urlPattern{}, fmt.Errorf("pattern %q: files are for slot: path; write file:** for any of them", text)
	case !doublestar.ValidatePattern(rest):
		return urlPattern{}, fmt.Errorf("pattern %q is not a valid glob; check its brackets and braces", text)
	}
	return urlPattern{scheme: scheme, opaque: rest}, nil
}

// readHost reads the host of a pattern, and its port.
func (p *urlPattern) readHost(text, host string) error {
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		host = "[" + host + "]"
	}
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		port := host[i+1:]
		host, p.port = host[:i], portAny
		if port != "*" {
			n, err := strconv.ParseUint(port, 10, 16)
			if err != nil {
				return fmt.Errorf("pattern %q: its port is none; write a number, or * for any", text)
			}
			p.port = int(n)
		}
	}
	if host == "*" {
		p.any = true
		return nil
	}
	host, p.below = strings.CutPrefix(host, "*.")
	if strings.Contains(host, "*") {
		return fmt.Errorf("pattern %q: a * stands for all names below a domain, as in *.docs.example; write it so, or * for any host", text)
	}
	var a address
	if why := a.readHost(host); why != "" || p.below && a.ip.IsValid() {
		return fmt.Errorf("pattern %q: its host is none that every server reads alike; write a plain name or IP", text)
	}
	p.host = a.host
	return nil
}

// readPath reads the path of a pattern of a URL.
func (p *urlPattern) readPath(text, tail string) error {
	switch {
	case tail == "":
		return nil
	case strings.ContainsAny(tail, "?#"):
		return fmt.Errorf("pattern %q: patterns are about scheme, host, port and path; judge a query by arg: with match", text)
	case tail == "/":
		return fmt.Errorf("pattern %q is the root alone; write the host without a slash, or /** for every path", text)
	case !doublestar.ValidatePattern(tail):
		return fmt.Errorf("pattern %q is not a valid glob; check its brackets and braces", text)
	}
	if why := pathDoubt(tail, true); why != "" {
		return fmt.Errorf("pattern %q: %s; write the plain path", text, why)
	}
	p.path = canonicalPathOf(tail)[1:]
	return nil
}

// covers says whether an address is one of the pattern's, its path left aside. A
// port that is not known is covered if open says so.
func (p *urlPattern) covers(a *address, open bool) bool {
	if p.scheme != "" && a.scheme != "" && a.scheme != p.scheme {
		return false
	}
	if p.opaque != "" {
		return a.host == "" && a.scheme != "" && doublestar.MatchUnvalidated(p.opaque, a.rest)
	}
	switch {
	case a.host == "":
		return p.any && p.port == portAny && p.scheme != "" && a.scheme != "" && strings.HasPrefix(a.rest, "//")
	case !p.any && !p.coversHost(a):
		return false
	case p.port == portAny:
		return true
	case p.port == portDefault:
		n, ok := defaultPorts[a.scheme]
		return a.port == noPort || ok && a.port == n
	}
	return a.port == p.port || open && a.port == noPort
}

func (p *urlPattern) coversHost(a *address) bool {
	switch {
	case p.net.IsValid():
		return a.ip.IsValid() && p.net.Contains(a.ip)
	case p.below:
		return !a.ip.IsValid() && below(a.host, p.host)
	}
	return a.host == p.host
}

// allows says whether the pattern covers an address with its path. A path that
// servers read differently is covered by every path only.
func (p *urlPattern) allows(a *address) bool {
	if !p.covers(a, false) {
		return false
	}
	return p.opaque != "" || p.path == "**" || pathDoubt(a.path, false) == "" && doublestar.MatchUnvalidated(p.path, canonicalPathOf(a.path)[1:])
}

// denies says whether the pattern covers an address in any reading of its path.
func (p *urlPattern) denies(a *address) bool {
	if !p.covers(a, true) {
		return false
	}
	if p.opaque != "" || p.path == "**" {
		return true
	}
	glob := strings.ToLower(p.path)
	for _, form := range pathForms(a.path) {
		if doublestar.MatchUnvalidated(glob, form) {
			return true
		}
	}
	return false
}

// maxDecode is how often a path is decoded in search of other readings.
const maxDecode = 3

// pathDoubt says why servers may read a path differently, or "". A pattern has
// braces of its own.
func pathDoubt(p string, pattern bool) string {
	if !pattern && strings.ContainsAny(p, "{}") {
		return "its path is a template"
	}
	for range maxDecode {
		if strings.Contains(p, `\`) || strings.Contains(p, "//") || unreadable(p) != "" {
			return "its path has backslashes, empty parts or control characters"
		}
		for part := range strings.SplitSeq(p, "/") {
			if part, _, _ = strings.Cut(part, ";"); part == "." || part == ".." {
				return "its path has a part that is a dot or two"
			}
		}
		next := provenance.Unescape(p)
		if strings.Count(next, "/") != strings.Count(p, "/") {
			return "its path hides a slash in an escape"
		}
		p = next
	}
	if strings.Contains(provenance.Unreserve(p), "%") && provenance.Unescape(p) != p {
		return "its path is encoded again and again"
	}
	return ""
}

// canonicalPathOf writes a path as it is compared: escapes of what needs none
// decoded, others in upper case, blanks and other letters than ASCII escaped.
func canonicalPathOf(p string) string {
	p = provenance.Unreserve(p)
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if c := p[i]; c <= ' ' || c >= 0x7F || c == '"' || c == '<' || c == '>' {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(p[i])
	}
	if b.Len() == 0 || p[0] != '/' {
		return "/" + b.String()
	}
	return b.String()
}

// pathForms returns every reading of a path that a deny pattern is compared
// with, in lower case and without the slash in front.
func pathForms(p string) []string {
	var forms []string
	add := func(s string) {
		forms = append(forms, strings.ToLower(strings.TrimPrefix(s, "/")))
	}
	add(canonicalPathOf(p))
	for range maxDecode {
		clean := strings.ReplaceAll("/"+p, `\`, "/")
		add(canonicalPathOf(path.Clean(clean)))
		add(path.Clean(clean))
		var parts []string
		for part := range strings.SplitSeq(clean, "/") {
			part, _, _ = strings.Cut(part, ";")
			parts = append(parts, part)
		}
		add(path.Clean(strings.Join(parts, "/")))
		p = provenance.Unescape(p)
	}
	return forms
}
