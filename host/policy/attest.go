package policy

import (
	"fmt"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// checkAttest finds the mistakes of what a file says may be launched.
func (c *issues) checkAttest(a *attest, at string) {
	if a == nil {
		return
	}
	if a.SHA256 == "" && !c.spoiled(at+"/sha256") {
		c.add(at, "no sha256; print the entry with callgate attest COMMAND")
	}
	for i, n := range a.EntryArgs {
		if slices.Contains(a.EntryArgs[:i], n) {
			c.add(abi.JoinIndex(at+"/entry_args", i), "argument %d is named twice; name it once", n)
		}
	}
}

// checkDigest accepts a SHA-256 digest in lower case.
func checkDigest(s string) error {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' && s[i] < 'a' || s[i] > 'f' {
			return fmt.Errorf("%q is no digest; want 64 digits 0-9 and a-f, as callgate attest prints them", s)
		}
	}
	return want(len(s) == 64, s, "a digest of 64 digits 0-9 and a-f, as callgate attest prints it")
}

// said is the entry as mistakes show it; nil where a file has none.
func (a *attest) said() *string {
	if a == nil {
		return nil
	}
	args := slices.Sorted(slices.Values(a.EntryArgs))
	s := fmt.Sprintf("%s of entry_args %v", a.SHA256, args)
	return &s
}

// attest returns what may be launched as a server, nil if the policy does not
// say it. The floor has its own.
func (p *Policy) attest(server string) *contract.Attest {
	for _, y := range p.layers {
		s := y.doc.Servers[server]
		if s.Attest != nil {
			out := &contract.Attest{Rule: y.rule(abi.Join("/servers", server) + "/attest"), SHA256: s.Attest.SHA256}
			for _, n := range s.Attest.EntryArgs {
				out.EntryArgs = append(out.EntryArgs, int(n))
			}
			slices.Sort(out.EntryArgs)
			return out
		}
		if yes(s.Replace) {
			return nil
		}
	}
	return nil
}

// Attests lists what policy and floor say may be launched as a server. Each of
// them must hold.
func (p *Policy) Attests(server string) []contract.Attest {
	var list []contract.Attest
	if a := p.attest(server); a != nil {
		list = append(list, *a)
	}
	if p.floor != nil {
		list = append(list, p.floor.Attests(server)...)
	}
	return list
}
