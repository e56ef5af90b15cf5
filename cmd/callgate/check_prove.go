package main

import (
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/replay"
)

// prove lets the gate judge the calls that problems show, each as the first of
// a session, so that what is said of them is what happens.
func (c *checker) prove() {
	for i := range c.found {
		x := &c.found[i]
		if !x.call.Exists() {
			continue
		}
		p := replay.New(replay.Options{Policy: c.policy, Specs: builtin.Table(), Plugin: pluginOf, Place: abi.Place{Dir: "/", Home: "/", Platform: "linux"}, Tools: c.tools})
		answers, _, err := p.Feed(x.call, 0)
		if err != nil {
			continue // a call that nobody can make shows nothing
		}
		for _, a := range answers {
			if a.Verdict != nil {
				x.verdict = a.Verdict
			}
		}
	}
}

// says is a verdict in one line.
func says(v *abi.Verdict) string {
	text := v.Outcome.String()
	if v.Outcome.Known() < abi.Allow {
		text += fmt.Sprintf(", %s %s: %s", v.Contract, v.Code, v.Reason)
	}
	return oneLine(shorten(text, 300))
}

func verdictValue(v *abi.Verdict) abi.Value {
	if v == nil {
		return abi.Value{}
	}
	return object("outcome", v.Outcome.String(), "contract", stated(v.Contract), "code", stated(v.Code), "rule", stated(v.Rule), "reason", stated(v.Reason))
}
