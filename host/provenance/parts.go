package provenance

import (
	"net/netip"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// CertainHost returns the lower-case host in A-labels, without a trailing dot,
// that a domain name stands for. It is false for a name of which two readers may
// make two hosts: characters that a mapping changes other than letter case,
// those that the two versions of IDNA treat differently, A-labels that do not
// come back as themselves, labels that are empty or too long.
func CertainHost(name string) (string, bool) {
	if strings.ContainsAny(name, "ßẞς\u200c\u200d。") || !norm.NFKC.IsNormalString(name) {
		return "", false
	}
	host, ok := canonicalHost(name)
	if !ok || len(host) > 253 {
		return "", false
	}
	for _, label := range strings.Split(host, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, hostBytes) != "" {
			return "", false
		}
	}
	if isASCII(name) {
		return host, true
	}
	plain := strings.TrimSuffix(name, ".")
	return host, unicodeHost(host) == norm.NFC.String(strings.ToLower(plain))
}

// hostBytes are the bytes of a label that every reader of hosts takes.
const hostBytes = "abcdefghijklmnopqrstuvwxyz0123456789-_"

// LooseIPv4 reads every spelling of an IPv4 address that inet_aton takes: one to
// four parts, each decimal, octal or hexadecimal.
func LooseIPv4(s string) (netip.Addr, bool) { return looseIPv4(s) }

// Unreserve decodes the percent escapes of unreserved characters (RFC 3986, 2.3)
// once, which changes nothing, and writes the others in upper case.
func Unreserve(s string) string { return unreserve(s) }

// Unescape decodes every well-formed percent escape once.
func Unescape(s string) string { return unescapePercent(s) }
