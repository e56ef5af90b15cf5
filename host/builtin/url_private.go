package builtin

import (
	"net/netip"
	"strings"
)

// networks are the addresses that are not public, by what they are called. An
// address of documentation (RFC 5737, RFC 3849) leads nowhere and is none.
var networks = []struct{ prefix, noun string }{
	{"0.0.0.0/8", "an unspecified address"},
	{"10.0.0.0/8", "a private address"},
	{"100.64.0.0/10", "a shared address of a provider"},
	{"127.0.0.0/8", "a loopback address"},
	{"168.63.129.16/32", "an address of cloud metadata"}, // Azure
	{"169.254.0.0/16", "a link-local address"},
	{"172.16.0.0/12", "a private address"},
	{"192.0.0.0/24", "a private address"}, // RFC 6890; Oracle's metadata
	{"192.168.0.0/16", "a private address"},
	{"198.18.0.0/15", "a private address"}, // RFC 2544
	{"224.0.0.0/3", "a multicast or reserved address"},
	{"::/128", "an unspecified address"},
	{"::1/128", "a loopback address"},
	{"64:ff9b:1::/48", "a private address"}, // RFC 8215
	{"100::/64", "a reserved address"},
	{"fc00::/7", "a private address"},
	{"fe80::/10", "a link-local address"},
	{"fec0::/10", "a private address"},
	{"ff00::/8", "a multicast or reserved address"},
}

var privateNetworks = func() []netip.Prefix {
	list := make([]netip.Prefix, len(networks))
	for i := range networks {
		list[i] = netip.MustParsePrefix(networks[i].prefix)
	}
	return list
}()

// privateNames end the names that mean a machine or a network of one's own, and
// those of services that answer with the address that stands in the name.
var privateNames = []string{
	"localhost", "localdomain", "local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "svc",
	"nip.io", "sslip.io", "xip.io", "traefik.me", "localtest.me", "lvh.me", "vcap.me", "lacolhost.com",
}

// private says what an address is that is not public, or "".
func (a *address) private() string {
	switch {
	case a.ip.IsValid():
		return privateIP(a.ip)
	case a.scheme == "file":
		return "a file of this machine"
	case a.host == "":
		return ""
	case !strings.Contains(a.host, "."):
		return "a name without a domain"
	}
	for _, name := range privateNames {
		if below(a.host, name) {
			return "a name of a private network"
		}
	}
	return ""
}

// below says whether a host is a domain or below it.
func below(host, domain string) bool {
	rest, ok := strings.CutSuffix(host, domain)
	return ok && (rest == "" || rest[len(rest)-1] == '.')
}

func privateIP(ip netip.Addr) string {
	ip = ip.Unmap()
	for i := range privateNetworks {
		if privateNetworks[i].Contains(ip) {
			return networks[i].noun
		}
	}
	for _, inner := range embedded(ip) {
		if noun := privateIP(inner); noun != "" {
			return noun + " inside an IPv6 address"
		}
	}
	return ""
}

// embedded returns the IPv4 addresses that an IPv6 address carries: those of
// NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380), ISATAP (RFC 5214), and
// of compatible ones (RFC 4291).
func embedded(ip netip.Addr) []netip.Addr {
	if !ip.Is6() {
		return nil
	}
	b := ip.As16()
	at := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	switch {
	case ip == netip.IPv6Unspecified() || ip == netip.IPv6Loopback():
		return nil
	case [12]byte(b[:12]) == [12]byte{}, [12]byte(b[:12]) == [12]byte{0, 0x64, 0xff, 0x9b}:
		return []netip.Addr{at(12)}
	case b[0] == 0x20 && b[1] == 0x02:
		return []netip.Addr{at(2)}
	case [4]byte(b[:4]) == [4]byte{0x20, 0x01}:
		return []netip.Addr{at(4), netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})}
	case b[8]&0xfd == 0 && [3]byte(b[9:12]) == [3]byte{0, 0x5e, 0xfe}:
		return []netip.Addr{at(12)}
	}
	return nil
}
