package suggest

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// judge decides which calls a policy is made for. A call is left out, with the
// reason, if it was not made, if a contract that a policy can not argue with
// denied it, or if something that it sends came from an output.
func (o *observation) judge(s *survey) {
	for _, c := range o.calls {
		if _, ok := toolKey(c.name); !ok {
			c.refuse("no policy can name this server and tool")
		}
		if s.taken[c.id] {
			c.refuse("its batch was refused, so it was not made")
		}
		if c.unlearnt {
			c.refuse("the ledger keeps digests only, so it does not say what the arguments were")
		}
		if r, ok := s.verdicts[c.id]; ok {
			c.recorded(r)
		}
		known := c.tainted
		c.tainted = false
		c.replayed()
		if known && !c.tainted {
			// Where the values are from is not to be told, so none is trusted.
			c.tainted = true
			for i := range c.targets {
				o.taint(&c.targets[i], abi.Evidence{Position: abi.Saturated, Server: c.name.server, Tool: c.name.tool})
			}
		}
	}
}

// refuse gives a call up. The first reason stands.
func (c *call) refuse(why string) {
	if c.refused == "" {
		c.refused = why
	}
}

// recorded holds the recorded verdict against a call.
func (c *call) recorded(r said) {
	switch {
	case !r.made:
		c.refuse("it was not made: " + Quote(r.against))
	case r.against != "":
		c.refuse("the policy that was in force objects: " + Quote(r.against))
	}
	c.byPerson = c.byPerson || r.asks
	c.tainted = c.tainted || r.taint // a process may have known more than a replay of its ledger shows
}

// replayed holds what the contracts say now against a call.
func (c *call) replayed() {
	for _, v := range append([]abi.Verdict{c.verdict}, c.verdict.Also...) {
		outcome := v.Outcome.Known()
		if outcome >= abi.Allow {
			continue
		}
		switch v.Contract {
		case "sink":
			c.sunk(v)
		case "self", "pin", "args":
			c.refuse(v.Contract + " " + v.Code + ": " + Quote(v.Reason))
		}
	}
}

// sunk takes in the objection of the sink: what came from an output is denied or
// asked about, and stays so.
func (c *call) sunk(v abi.Verdict) {
	c.tainted = c.tainted || v.Outcome.Known() == abi.Deny || fromOutput(v.Witness)
	c.nowhere = c.nowhere || v.Code == "SINK_EMPTY"
	if v.Outcome.Known() == abi.Deny {
		c.refuse("sink " + v.Code + ": " + Quote(v.Reason))
	}
}

// fromOutput says whether evidence shows a value that an output brought. What the
// caller named first, and an output repeats, is not.
func fromOutput(evidence []abi.Evidence) bool {
	return slices.ContainsFunc(evidence, func(e abi.Evidence) bool { return e.Position != abi.Echo })
}

// from says where the values of a call came from, for a comment.
func (c *call) from() string {
	var out []string
	for _, v := range append([]abi.Verdict{c.verdict}, c.verdict.Also...) {
		for _, e := range v.Witness {
			if v.Contract == "sink" && len(out) < 2 {
				add(&out, Quote(e.String()))
			}
		}
	}
	return strings.Join(out, ", ")
}
