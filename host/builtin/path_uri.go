package builtin

import "strings"

// fromFileURI returns the path of a file URI. Percent escapes are decoded here
// and nowhere else; an escaped separator is refused, since URL parsers disagree
// about it.
func fromFileURI(uri string, windows bool) (string, string) {
	rest := uri[len("file:"):]
	if strings.ContainsAny(rest, "?#") {
		return "", "it is a file URI with a query or fragment"
	}
	if strings.HasPrefix(rest, "//") {
		host, p, found := strings.Cut(rest[2:], "/")
		if !found || host != "" && !strings.EqualFold(host, "localhost") {
			return "", "it is a file URI with a host"
		}
		rest = "/" + p
	}
	if !strings.HasPrefix(rest, "/") {
		return "", "it is a file URI without an absolute path"
	}
	decoded, ok := percentDecode(rest)
	if !ok {
		return "", "it is a file URI with a broken or separating percent escape"
	}
	if why := unreadable(decoded); why != "" {
		return "", why
	}
	if escapes(decoded) {
		return "", "it is a file URI whose path climbs above the root"
	}
	if windows && len(decoded) > 2 && drive(decoded[1:]) {
		decoded = decoded[1:]
	}
	return decoded, ""
}

// percentDecode decodes the percent escapes of a URI path; it reports false for
// a broken escape and for one that hides a separator or NUL.
func percentDecode(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, true
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if i+2 >= len(s) || !hexDigit(s[i+1]) || !hexDigit(s[i+2]) {
				return "", false
			}
			c = hexValue(s[i+1])<<4 | hexValue(s[i+2])
			if c == '/' || c == '\\' || c == 0 {
				return "", false
			}
			i += 2
		}
		out = append(out, c)
	}
	return string(out), true
}

// otherScheme says whether a value starts with a URI scheme and an authority
// (RFC 3986 section 3): such a name is no path of this machine.
func otherScheme(s string) bool {
	return hasScheme(s) && strings.HasPrefix(s[strings.IndexByte(s, ':'):], "://")
}

// hasScheme says whether a value starts with a URI scheme (RFC 3986 section 3.1)
// that is no drive of Windows.
func hasScheme(s string) bool {
	i := strings.IndexByte(s, ':')
	if i < 2 {
		return false
	}
	for j := 0; j < i; j++ {
		if c := s[j]; (c|0x20) < 'a' || (c|0x20) > 'z' {
			if j == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' {
				return false
			}
		}
	}
	return true
}

func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || (c|0x20) >= 'a' && (c|0x20) <= 'f'
}

func hexValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return (c | 0x20) - 'a' + 10
}
