package builtin

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/callgate/callgate/host/provenance"
)

// address is what a URL or a host says about where a request goes.
type address struct {
	scheme string     // lower-case, "" where none is written
	host   string     // lower-case A-labels without a trailing dot, or an IP; "" where there is none
	ip     netip.Addr // of a host that is an IP: IPv6 that maps an IPv4 is that
	port   int        // noPort where none is written and the scheme has none
	path   string     // as written, from the slash on; without query and fragment
	rest   string     // of a URL without an authority: what stands behind the scheme
	user   string     // user information
	userAt bool       // there is some
}

// noPort is the port of an address that names none.
const noPort = -1

// defaultPorts are the ports of schemes, where none is written.
var defaultPorts = map[string]int{"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}

// hostless are the schemes of URLs that name no host and reach none.
var hostless = []string{"mailto", "tel", "sms", "urn", "about", "doi", "isbn", "arn", "cid", "mid"}

// scripts are the schemes of URLs in which what looks like a host is none: they
// carry what is opened, or wrap another URL.
var scripts = []string{"javascript", "vbscript", "data", "blob", "view-source", "filesystem", "jar"}

// Reasons why nobody can say where a URL leads. Every parser of URLs reads some
// of these in its own way (WHATWG URL, RFC 3986, curl).
const (
	doubtSpace    = "it starts or ends in white space"
	doubtSlashes  = "its scheme is followed by something else than two slashes"
	doubtBack     = "it has a backslash where its host stands"
	doubtUser     = "it has user information that ends in two places"
	doubtHost     = "its host has characters that parsers read differently"
	doubtNoHost   = "it has no host"
	doubtNumber   = "its host is a number in an unusual spelling"
	doubtIPv6     = "its IPv6 address is malformed or has a zone"
	doubtPort     = "its port is none"
	doubtMark     = "its host ends at a # with an @ behind it"
	doubtNoScheme = "it has no scheme"
	doubtList     = "it has a blank in its path, where a list of URLs may end"
)

// readURL reads a URL in the one way that parsers agree on. The second result
// says why there is none, in words for "a URL can be read …: ".
func readURL(s string) (address, string) {
	if why := unreadable(s); why != "" {
		return address{}, why
	}
	if strings.TrimSpace(s) != s {
		return address{}, doubtSpace
	}
	if !hasScheme(s) {
		return readBare(s)
	}
	i := strings.IndexByte(s, ':')
	a := address{scheme: strings.ToLower(s[:i]), port: noPort}
	rest := s[i+1:]
	known := defaultPorts[a.scheme] != 0
	switch {
	case a.scheme == "file":
		a.rest = rest
		return a, ""
	case slices.Contains(hostless, a.scheme), slices.Contains(scripts, a.scheme):
		a.rest = rest
		return a, ""
	case !strings.HasPrefix(rest, "//"):
		if known || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, `\`) {
			return a, doubtSlashes
		}
		a.rest = rest
		return a, ""
	}
	why := a.readAuthority(rest[2:])
	if why == doubtNoHost && !known && strings.HasPrefix(rest, "///") && !strings.HasPrefix(rest, "////") {
		a.rest, why = rest, ""
	}
	return a, why
}

// readBare reads what has no scheme: //host/path, user@host:path as git takes it,
// or host[:port][/path] as address bars do. A path or a word has no host, which
// is no reason to doubt.
func readBare(s string) (address, string) {
	a := address{port: noPort}
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		return a, a.readAuthority(rest)
	}
	if strings.HasPrefix(s, `\`) || strings.HasPrefix(s, `/\`) {
		return a, doubtBack
	}
	if strings.Contains(s, "://") {
		return a, doubtSlashes
	}
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "?") || strings.HasPrefix(s, "#") {
		a.path = s
		return a, ""
	}
	if user, rest, ok := strings.Cut(s, "@"); ok && !strings.ContainsAny(user, `/\?#:`) {
		if host, path, ok := strings.Cut(rest, ":"); ok && !strings.ContainsAny(host, `/\?#@[`) && strings.Trim(path, "0123456789") != "" {
			a.user, a.userAt = user, true
			why := a.readHost(host)
			a.path = "/" + strings.TrimPrefix(path, "/")
			return a, why
		}
	}
	if blank := strings.IndexByte(s, ' '); blank >= 0 && !strings.ContainsAny(s[:blank], `\@%/:`) {
		a.path = s // words, none of which is the host of all
		return a, ""
	}
	return a, a.readAuthority(s)
}

// readAuthority reads user information, host and port, and the path behind them.
func (a *address) readAuthority(s string) string {
	end := strings.IndexAny(s, "/?#")
	if end < 0 {
		end = len(s)
	}
	authority, tail := s[:end], s[end:]
	if strings.HasPrefix(tail, "#") && strings.Contains(tail, "@") {
		return doubtMark
	}
	if strings.Contains(authority, `\`) {
		return doubtBack
	}
	if i := strings.IndexAny(tail, "?#"); i >= 0 {
		tail = tail[:i]
	}
	a.path = tail
	if strings.Contains(tail, " ") {
		return doubtList
	}
	if user, host, ok := strings.Cut(authority, "@"); ok {
		if strings.Contains(host, "@") {
			return doubtUser
		}
		a.user, a.userAt, authority = user, true, host
	}
	return a.readHostPort(authority)
}

// readHostPort reads host[:port].
func (a *address) readHostPort(s string) string {
	host, port, written := s, "", false
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 || end+1 < len(s) && s[end+1] != ':' {
			return doubtIPv6
		}
		host, port, written = s[:end+1], strings.TrimPrefix(s[end+1:], ":"), end+1 < len(s)
	} else if i := strings.IndexByte(s, ':'); i >= 0 {
		host, port, written = s[:i], s[i+1:], true
	}
	if why := a.readHost(host); why != "" {
		return why
	}
	if n, ok := defaultPorts[a.scheme]; ok {
		a.port = n
	}
	if !written || port == "" {
		return ""
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || port[0] == '0' && port != "0" {
		return doubtPort
	}
	a.port = int(n)
	return ""
}

// readHost reads a domain name or an IP. An IPv6 address stands in brackets.
func (a *address) readHost(s string) string {
	if s == "" {
		return doubtNoHost
	}
	if strings.HasPrefix(s, "[") {
		ip, err := netip.ParseAddr(strings.TrimSuffix(s[1:], "]"))
		if err != nil || !ip.Is6() || ip.Zone() != "" {
			return doubtIPv6
		}
		a.ip = ip.Unmap()
		a.host = a.ip.String()
		return ""
	}
	name := strings.TrimSuffix(s, ".")
	if ip, ok := provenance.LooseIPv4(name); ok {
		a.ip, a.host = ip, ip.String()
		if a.host != s {
			return doubtNumber
		}
		return ""
	}
	host, ok := provenance.CertainHost(s)
	if !ok || host != strings.ToLower(name) && a.scheme != "" && defaultPorts[a.scheme] == 0 {
		return doubtHost // other letters than ASCII are not mapped under schemes of one's own
	}
	if numeric(host[strings.LastIndexByte(host, '.')+1:]) {
		return doubtNumber
	}
	a.host = host
	return ""
}

// numeric says whether the last label of a host makes WHATWG URL read all of it
// as an IPv4 address.
func numeric(label string) bool {
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(label, "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}

// readHostValue reads the value of an argument that holds a host: a name, an IP,
// either with a port, or a URL.
func readHostValue(s string) (address, string) {
	if strings.Contains(s, "://") || strings.HasPrefix(s, "//") {
		return readURL(s)
	}
	a := address{port: noPort}
	if why := unreadable(s); why != "" {
		return a, why
	}
	if strings.TrimSpace(s) != s {
		return a, doubtSpace
	}
	if ip, err := netip.ParseAddr(s); err == nil && ip.Is6() {
		return a, a.readHost("[" + s + "]")
	}
	if user, host, ok := strings.Cut(s, "@"); ok {
		if strings.Contains(host, "@") {
			return a, doubtUser
		}
		a.user, a.userAt, s = user, true, host
	}
	if strings.ContainsAny(s, `/\?#`) {
		return a, doubtHost
	}
	return a, a.readHostPort(s)
}

// addressesIn splits a value that may list several: the value itself, unless
// everything in it is a URL of its own, and each part of it that is one.
func addressesIn(s string, hosts bool) []string {
	if !strings.ContainsAny(s, " ,;|") {
		return []string{s}
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,;|", r) })
	if len(parts) == 0 {
		return []string{s}
	}
	if hosts {
		return parts
	}
	var out []string
	for _, part := range parts {
		if hasScheme(part) && strings.Contains(part, "://") || !hasScheme(s) && strings.Contains(part, ".") {
			out = append(out, part)
		}
	}
	if len(out) == len(parts) && len(parts) > 1 {
		return out
	}
	return append([]string{s}, out...)
}

// urlNames are further names of arguments that hold URLs.
var urlNames = naming([]string{"endpoint", "endpoints", "webhook", "webhooks", "website", "websites", "web page", "webpage", "homepage", "origin", "links", "hrefs", "callback", "redirect", "proxy", "proxies"})

// urlName says whether an argument of this name holds a URL.
func urlName(name string) bool { return uriName(name) || urlNames.match(name) }

// urlShaped says whether a text that is not meant for people is one URL of a kind
// that is fetched, whatever the argument is called.
func urlShaped(s, name string) bool {
	scheme, rest, ok := strings.Cut(s, "://")
	return ok && rest != "" && !contentName(name) && listsWord(" http https ws wss ftp ftps ", strings.ToLower(scheme)) && strings.IndexFunc(rest, unicode.IsSpace) < 0
}
