package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

type capability struct {
	Envelope []string `key:"envelope" is:"capability" doc:"What a session may turn out to be able to do without a question. Required; an empty list: nothing."`
	OnRise   *string  `key:"on_rise" enum:"ask|deny" doc:"What a call yields that shows more. Absent: ask."`
}

// checkCapability accepts the names of capabilities, and hosts of net_egress.
func checkCapability(s string) error {
	if slices.Contains(contract.Capabilities, s) {
		return nil
	}
	host, is := strings.CutPrefix(s, contract.NetEgress)
	if !is {
		return fmt.Errorf("unknown capability %q%s", s, accepted(s, append(slices.Clone(contract.Capabilities), contract.NetEgress+"HOST")))
	}
	name := strings.TrimPrefix(host, "*.")
	if host != "*" && (name == "" || strings.ContainsAny(name, "*/@ ") || strings.ToLower(name) != name) {
		return fmt.Errorf("%q: want a host in lower case without port, such as net_egress:api.example, net_egress:*.corp.example or net_egress:*", s)
	}
	return nil
}

func (c *issues) checkCapabilities(of *capability, at string) {
	if of != nil && of.Envelope == nil && !c.spoiled(at+"/envelope") {
		c.entry(at, "no envelope; list what a session may do, such as [read_files], or write envelope: [] for nothing")
	}
}

// capability joins what the layers say: the intersection of their envelopes.
func (p *Policy) capability() *contract.Capability {
	var out *contract.Capability
	for _, y := range p.layers {
		of := y.doc.Capability
		if of == nil {
			continue
		}
		if out == nil {
			out = &contract.Capability{Rule: y.rule("/capability"), Envelope: set(of.Envelope), OnRise: abi.Ask}
		} else {
			out.Envelope = narrow(out.Envelope, of.Envelope)
		}
		if text(of.OnRise) == abi.Deny.String() {
			out.OnRise = abi.Deny
		}
	}
	return out
}

// narrow is what both of two envelopes cover.
func narrow(a, b []string) []string {
	var out []string
	covered := func(by []string, entry string) bool {
		return slices.ContainsFunc(by, func(e string) bool {
			return contract.Covers(e, entry) || strings.HasPrefix(entry, contract.NetEgress+"*.") && contract.Covers(e, strings.Replace(entry, "*.", "", 1))
		})
	}
	for _, entry := range a {
		if covered(b, entry) {
			out = append(out, entry)
		}
	}
	for _, entry := range b {
		if covered(a, entry) {
			out = append(out, entry)
		}
	}
	return set(out)
}

// riseConflicts finds layers that say different things of a rise.
func (p *Policy) riseConflicts() []error {
	var errs []error
	was, at := "", ""
	for _, y := range p.layers {
		if y.doc.Capability == nil || y.doc.Capability.OnRise == nil {
			continue
		}
		is := *y.doc.Capability.OnRise
		if was != "" && is != was {
			errs = append(errs, y.errorAt("/capability/on_rise", "%q, but %s says %q; keep one of them", is, at, was))
			continue
		}
		was, at = is, y.rule("/capability/on_rise")
	}
	return errs
}
