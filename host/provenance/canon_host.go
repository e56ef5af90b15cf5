package provenance

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// canonicalHost returns the lower-case A-label form of a domain name (RFC 5891
// after the UTS #46 mapping), without a trailing dot.
func canonicalHost(s string) (string, bool) {
	s = strings.ReplaceAll(s, "。", ".")
	s = strings.TrimSuffix(s, ".")
	if s == "" || len(s) > 253*4 || strings.ContainsFunc(s, unicode.IsControl) || strings.ContainsAny(s, noHost) {
		return "", false
	}
	if isASCII(s) && !strings.Contains(strings.ToLower(s), "xn--") {
		s = strings.ToLower(s)
		for _, label := range strings.Split(s, ".") {
			if label == "" || len(label) > 63 {
				return "", false
			}
		}
		return s, true
	}
	profile := idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false))
	a, err := profile.ToASCII(s)
	if err != nil || !isASCII(a) {
		return "", false
	}
	a = strings.TrimSuffix(strings.ToLower(a), ".")
	// An A-label that does not come back as itself is none: two readers of it
	// may arrive at two hosts.
	if again, err := profile.ToASCII(a); err != nil || again != a {
		return "", false
	}
	// A full-width solidus is one when it is mapped: the host would end there.
	return a, a != "" && a[0] != '.' && !strings.Contains(a, "..") && !strings.ContainsAny(a, noHost)
}

// noHost holds the characters of no host name.
const noHost = " /\\@<>\"'(),:;[]?#%&=+`{}|^*!$"

// unicodeHost returns the U-label form of a canonical host.
func unicodeHost(host string) string {
	if !strings.Contains(host, "xn--") {
		return host
	}
	u, _ := idna.Punycode.ToUnicode(host)
	if u == "" {
		return host
	}
	return u
}

// hostName reads a bare domain name. One that is not in lower case is left as
// text, since file names look the same and their case counts.
func hostName(s string) (Entity, bool) {
	if !strings.Contains(s, ".") && !strings.Contains(s, "。") || s != strings.ToLower(s) {
		return Entity{}, false
	}
	host, ok := canonicalHost(s)
	if !ok {
		return Entity{}, false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if !strings.Contains(host, ".") || len(last) < 2 || !allLetters(last) && !strings.HasPrefix(last, "xn--") {
		return Entity{}, false
	}
	return Entity{Kind: KindHost, Identity: host, Value: s, host: host}, true
}

// ip reads an IP address: dotted quad, or IPv6 with or without brackets and zone.
func ip(s string) (Entity, bool) {
	bare := strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	if len(bare) > 64 {
		return Entity{}, false
	}
	a, err := netip.ParseAddr(bare)
	if err != nil {
		return Entity{}, false
	}
	a = a.Unmap()
	return Entity{Kind: KindIP, Identity: a.String(), Value: s, host: a.String()}, true
}

// looseIPv4 reads every spelling that inet_aton takes: one to four parts, each
// decimal, octal or hexadecimal.
func looseIPv4(s string) (netip.Addr, bool) {
	parts := strings.Split(strings.TrimSuffix(s, "."), ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var n uint64
	for i, p := range parts {
		v, err := strconv.ParseUint(numeral(p), 0, 64)
		if err != nil || p == "" || strings.ContainsAny(p, "_+-oObB") && !strings.HasPrefix(strings.ToLower(p), "0x") {
			return netip.Addr{}, false
		}
		rest := uint(8)
		if i == len(parts)-1 {
			rest = uint(8 * (5 - len(parts)))
		}
		if v >= 1<<rest {
			return netip.Addr{}, false
		}
		n = n<<rest | v
	}
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true
}

// numeral gives a leading zero its C meaning and "0x" the value zero.
func numeral(p string) string {
	if strings.EqualFold(p, "0x") {
		return "0"
	}
	return p
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func allLetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}
