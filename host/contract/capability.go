package contract

import (
	"strings"

	"github.com/callgate/callgate/abi"
)

// Capability is `capability:`: what a session may turn out to be able to do.
type Capability struct {
	Rule     string
	Envelope []string // capabilities, sorted; see [Capabilities]
	OnRise   abi.Outcome
}

// Capabilities are what calls show a session to be able to do. Beside them there
// is [NetEgress] with a host behind it.
var Capabilities = []string{
	"read_files", "write_files", "read_outside", "write_outside", "execute", "credentials", "install", "register",
}

// NetEgress is the capability to reach a host, whose name follows: as envelopes
// write it also *, or *. and a domain, which is that domain and all below it.
const NetEgress = "net_egress:"

// Covers says whether an entry of an envelope covers a capability.
func Covers(entry, capability string) bool {
	if entry == capability {
		return true
	}
	pattern, is := strings.CutPrefix(entry, NetEgress)
	host, of := strings.CutPrefix(capability, NetEgress)
	if !is || !of {
		return false
	}
	domain, wide := strings.CutPrefix(pattern, "*.")
	return pattern == "*" || wide && (host == domain || strings.HasSuffix(host, "."+domain))
}
