package provenance

import "strings"

// uri reads a URL with an authority as browsers do (WHATWG URL, the parts that
// decide where a request goes): case, backslashes, user information, port, dot
// segments, needless percent escapes. The fragment is not sent and not kept.
// file: is a path, tel: a phone number.
func uri(s string) (Entity, bool) {
	if strings.ContainsAny(s, " \n\"<>") {
		return Entity{}, false
	}
	scheme, rest, ok := cutScheme(s)
	if !ok {
		return Entity{}, false
	}
	switch scheme {
	case "file":
		e, ok := fsPath("/" + strings.TrimLeft(strings.ReplaceAll(rest, `\`, "/"), "/"))
		e.Value = s
		return e, ok
	case "tel", "sms":
		e, ok := phone(rest)
		e.Value = s
		return e, ok
	case "javascript", "vbscript", "data", "about", "blob", "view-source":
		// What looks like a host behind these is not where anything goes.
		return Entity{}, false
	}
	rest, _, _ = strings.Cut(rest, "#")
	doubt := twoHosts(rest)
	rest = strings.ReplaceAll(rest, `\`, "/")
	if !strings.HasPrefix(rest, "//") {
		return Entity{}, false
	}
	rest = strings.TrimLeft(rest, "/")
	cut := strings.IndexAny(rest, "/?")
	if cut < 0 {
		cut = len(rest)
	}
	e := Entity{Kind: KindURL, Value: s, Spoiled: doubt}
	authority, tail := rest[:cut], rest[cut:]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority, e.Spoiled = authority[at+1:], SpoiledUserinfo
	}
	host, port, ok := hostPort(authority)
	if !ok {
		return Entity{}, false
	}
	if scheme == "" && !strings.ContainsAny(host, ".:") {
		return Entity{}, false
	}
	if port == defaultPort(scheme) {
		port = ""
	}
	if port != "" {
		port = ":" + port
	}
	e.host = host
	if scheme != "" {
		scheme += ":"
	}
	e.Identity = scheme + "//" + bracket(host) + port + canonicalTail(tail)
	return e, true
}

// twoHosts returns why a URL without scheme and fragment cannot be trusted:
// browsers end the authority at a backslash, RFC 3986 does not, and what it
// takes for user information they take for a host.
func twoHosts(rest string) string {
	authority, ok := strings.CutPrefix(rest, "//")
	if i := strings.IndexAny(authority, "/?"); i >= 0 {
		authority = authority[:i]
	}
	switch {
	case !ok || !strings.Contains(authority, `\`):
		return ""
	case strings.Contains(authority, "@"):
		return SpoiledUserinfo
	}
	return SpoiledForm
}

// cutScheme splits a URL after its scheme. A scheme-relative URL needs a host
// with a dot; anything else with two slashes is a share.
func cutScheme(s string) (scheme, rest string, ok bool) {
	if strings.HasPrefix(s, "//") {
		host, _, _ := strings.Cut(s[2:], "/")
		return "", s, strings.Contains(host, ".")
	}
	i := strings.IndexByte(s, ':')
	if i < 2 || i > 32 {
		return "", "", false
	}
	for j := 0; j < i; j++ {
		if c := s[j] | 0x20; !(c >= 'a' && c <= 'z') && (j == 0 || !isDigit(s[j]) && !strings.ContainsRune("+.-", rune(s[j]))) {
			return "", "", false
		}
	}
	return strings.ToLower(s[:i]), s[i+1:], true
}

// hostPort splits an authority without user information.
func hostPort(s string) (host, port string, ok bool) {
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return "", "", false
		}
		e, ok := ip(s[:end+1])
		rest := s[end+1:]
		if !ok || rest != "" && (rest[0] != ':' || !digits(rest[1:])) {
			return "", "", false
		}
		return e.Identity, strings.TrimPrefix(rest, ":"), true
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		s, port = s[:i], strings.TrimLeft(s[i+1:], "0")
		if !digits(port) {
			return "", "", false
		}
	}
	if strings.Contains(s, "%") {
		s = unescapePercent(s)
	}
	if s, ok = canonicalHost(s); !ok {
		return "", "", false
	}
	if a, numeric := looseIPv4(s); numeric {
		return a.String(), port, true
	}
	return s, port, true
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http", "ws":
		return "80"
	case "https", "wss":
		return "443"
	case "ftp":
		return "21"
	}
	return ""
}

func bracket(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// canonicalTail cleans the path and the query of a URL.
func canonicalTail(tail string) string {
	path, query, has := strings.Cut(tail, "?")
	path = dotSegments(unreserve(path))
	if path == "" {
		path = "/"
	}
	if has {
		path += "?" + unreserve(query)
	}
	return path
}

// dotSegments resolves . and .. of an absolute path (RFC 3986, 5.2.4).
func dotSegments(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	var out []string
	segments := strings.Split(path, "/")
	for i, s := range segments[1:] {
		last := i == len(segments)-2
		switch s {
		case ".":
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, s)
			continue
		}
		if last {
			out = append(out, "")
		}
	}
	return "/" + strings.Join(out, "/")
}

// unreserve decodes the percent escapes of unreserved characters (RFC 3986,
// 2.3), which change nothing, and writes the others in upper case.
func unreserve(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c, ok := percentByte(s, i)
		switch {
		case !ok:
			b.WriteByte(s[i])
			continue
		case isWord(c), c == '-', c == '.', c == '_', c == '~':
			b.WriteByte(c)
		default:
			b.WriteString(strings.ToUpper(s[i : i+3]))
		}
		i += 2
	}
	return b.String()
}

// unescapePercent decodes every well-formed percent escape once.
func unescapePercent(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c, ok := percentByte(s, i); ok {
			out = append(out, c)
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

// percentByte returns the byte of the percent escape at offset i.
func percentByte(s string, i int) (byte, bool) {
	if s[i] != '%' || i+2 >= len(s) {
		return 0, false
	}
	hi, lo := hexValue(s[i+1]), hexValue(s[i+2])
	return hi<<4 | lo, hi < 16 && lo < 16
}

// hexValue returns the value of a hexadecimal digit, 16 for anything else.
func hexValue(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return len(s) < 6
}
