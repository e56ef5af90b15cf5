package policy

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/callgate/callgate/abi"
)

// checkTrusted accepts exact identities, *@domain, *@*.domain and *.domain, and
// no pattern that covers what strangers can register.
func checkTrusted(s string) error {
	prefix, rest := trustedPattern(s)
	switch {
	case rest == "" || strings.Contains(rest, "*"):
		return fmt.Errorf("%q is too wide; want an exact destination, \"*@domain\", \"*@*.domain\" or \"*.domain\"", s)
	case handleOfDomain(s):
		return notDomain(s)
	case prefix != "" && publicSuffix(rest, prefix != "*@"):
		return fmt.Errorf("%q is too wide: anybody can register a domain under %q; want the domain of one owner, such as %q", s, rest, prefix+"corp."+rest)
	}
	return nil
}

// handleOfDomain says whether a text is a handle that reads like the domain of
// mail addresses.
func handleOfDomain(s string) bool { return strings.HasPrefix(s, "@") && domainLike(s[1:]) }

func notDomain(s string) error {
	return fmt.Errorf("%q is the handle of that name, and no mail address; did you mean %q?", s, "*"+s)
}

// checkRecipients refuses what reads like a domain and matches no mail address
// of it.
func (c *issues) checkRecipients(a *arg, at string) {
	if a.Slot != "recipient" {
		return
	}
	for name, list := range map[string][]string{"allow": a.Allow, "deny": a.Deny} {
		for i, s := range list {
			if handleOfDomain(s) {
				c.add(abi.JoinIndex(at+"/"+name, i), "%v", notDomain(s))
			}
		}
	}
}

// trustedPattern splits a pattern of trusted: into its stars and its domain.
func trustedPattern(s string) (prefix, domain string) {
	for _, prefix := range []string{"*@*.", "*@", "*."} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			return prefix, rest
		}
	}
	return "", s
}

// asciiDomain is a domain in lower-case A-labels, without a root dot.
func asciiDomain(s string) string {
	s = strings.TrimSuffix(strings.ToLower(s), ".")
	if a, err := idna.Lookup.ToASCII(s); err == nil {
		return a
	}
	return s
}

// publicSuffix says whether domains below this one have different owners, by the
// public suffix list. The domains that a company lets others have names below,
// such as github.io, have mail of their own: they count only if what is below is
// meant. A single label that is not on the list is somebody's own network.
func publicSuffix(domain string, below bool) bool {
	domain = asciiDomain(domain)
	suffix, icann := publicsuffix.PublicSuffix(domain)
	if suffix == domain && (icann || below && strings.Contains(domain, ".")) {
		return true
	}
	child := "x." + domain // the list has *.ck, and so no ck
	suffix, _ = publicsuffix.PublicSuffix(child)
	return below && suffix == child
}

// reserved are endings that no registry has, and networks and examples do.
var reserved = []string{"example", "test", "invalid", "localhost", "local", "internal", "corp", "home", "lan", "intranet", "private"}

// domainLike says whether a name can be read as a domain with an owner: two
// labels or more, of which the last is known.
func domainLike(s string) bool {
	domain := asciiDomain(s)
	labels := strings.Split(domain, ".")
	for _, label := range labels {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	if len(labels) < 2 {
		return false
	}
	suffix, icann := publicsuffix.PublicSuffix(domain)
	return suffix != domain && (icann || strings.Contains(suffix, ".") || slices.Contains(reserved, labels[len(labels)-1]))
}

// trustNotes reports a bare domain that is trusted where mail is sent: it is the
// name of a host, and covers no mail address.
func (y *layer) trustNotes(k *keyed, n *notes) {
	s := k.tool().Sink
	if y.pack != "" || s == nil || s.Of == nil || !mailSink(k.key.tool, s.Of.To) {
		return
	}
	for i, entry := range s.Of.Trusted {
		if domainLike(entry) {
			n.add(CodeTrustsHost, y.rule(abi.JoinIndex(k.at+"/sink/trusted", i)), fmt.Sprintf(
				"%q trusts a host of this name and none of its mail addresses; for those write %q", entry, "*@"+entry))
		}
	}
}

// mailSink says whether a sink is one of mail, as far as names tell.
func mailSink(tool string, to []string) bool {
	if strings.Contains(strings.ToLower(tool), "mail") {
		return true
	}
	return slices.ContainsFunc(to, func(name string) bool {
		name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
		switch name {
		case "to", "cc", "bcc", "recipient", "recipients", "attendees", "invitees":
			return true
		}
		return strings.Contains(name, "mail")
	})
}
