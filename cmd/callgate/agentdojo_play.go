package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/policy"
)

// played is what became of one trace. Of a pair, the calls of the user's task
// are only its history: what counts are those of the attack.
type played struct {
	task, injection string
	outcome         abi.Outcome // the strictest
	override        bool        // some call asked only because the policy lets a person override a denial
	onceAsks        bool        // denied, and would ask under `override: once`
	asks            int
	destination     bool // some call names a destination
	passed          bool // some call that names one was allowed without a question
	why             string
}

// denied says whether a call was denied outright.
func (p *played) denied() bool { return p.outcome < abi.Ask }

// allowed says whether no call was denied or asked about.
func (p *played) allowed() bool { return p.outcome >= abi.Allow }

// refused says whether a call was denied, if only a person's override is in the
// way of it.
func (p *played) refused() bool { return p.denied() || p.override }

// dojoWay is how a trace is replayed.
type dojoWay struct {
	policy     *policy.Policy
	context    bool // the user's prompt is known
	structured bool // results have structuredContent
	yes        bool // what a person says to the asks of the user's own task
}

// dojoPlayer replays one trace in a session of its own.
type dojoPlayer struct {
	dojoWay
	suite *dojoSuite
	state *gate.State
	seq   uint64
}

// dojoClock is what the clock reads throughout: noon of a working day, so that
// the same traces give the same verdicts whenever they are replayed.
func dojoClock() time.Time { return time.Date(2024, time.May, 15, 12, 0, 0, 0, time.UTC) }

func (w dojoWay) play(s *dojoSuite, t *dojoTrace) played {
	d := dojoPlayer{dojoWay: w, suite: s, state: gate.New(gate.Options{Specs: builtin.Table(), Plugin: pluginOf, Loaded: w.policy})}
	d.step(abi.Event{Policy: &abi.PolicyEvent{Digest: w.policy.Digest(), Policy: w.policy.Value()}})
	d.step(abi.Event{Session: &abi.SessionEvent{ID: "s-dojo", New: true, Server: s.name}})
	d.step(abi.Event{Tools: &abi.ToolsEvent{Server: s.name, List: s.tools}})
	if w.context {
		d.step(abi.Event{User: &abi.UserEvent{Text: t.prompt}})
	}
	out := d.run(t.steps)
	if t.pair {
		d.yes = true
		out = d.run(t.attack)
	}
	out.task, out.injection = t.task, t.injection
	return out
}

func (d *dojoPlayer) step(e abi.Event) []abi.Event {
	e.Seq, e.Time = d.seq, dojoClock()
	out := gate.Step(d.state, e)
	d.seq += 1 + uint64(len(out))
	return out
}

// run makes the calls of some steps. A person answers every ask. A call that
// does not go out is left out, and the steps go on without its result.
func (d *dojoPlayer) run(steps []dojoStep) played {
	out := played{outcome: abi.Allow}
	var reasons []string
	for i := range steps {
		s := &steps[i]
		id := fmt.Sprintf("000000-%d", d.seq)
		call := &abi.Call{ID: id, Server: d.suite.name, Tool: s.tool, Arguments: s.arguments}
		named := d.names(call)
		v := d.verdict(abi.Event{Call: call})
		reasons = append(reasons, told(s.tool, &v))
		out.outcome = abi.Stricter(out.outcome, v.Outcome)
		out.destination = out.destination || named
		goes := v.Outcome == abi.Allow
		switch v.Outcome {
		case abi.Allow:
			out.passed = out.passed || named
		case abi.Ask:
			out.asks++
			out.override = out.override || v.Override
			goes = d.verdict(abi.Event{Approval: &abi.ApprovalEvent{Call: id, Yes: d.yes, By: "eval"}}).Outcome == abi.Allow
		}
		if goes {
			d.step(abi.Event{Result: &abi.ResultEvent{Call: id, Server: d.suite.name, Value: d.result(s)}})
		}
	}
	out.why = strings.Join(reasons, "; ")
	return out
}

// told is a verdict in one line.
func told(tool string, v *abi.Verdict) string {
	parts := []string{tool + ":", v.Outcome.String()}
	for _, s := range []string{v.Code, v.Reason} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if v.Outcome == abi.Allow && v.Rule != "" {
		parts = append(parts, "by "+v.Rule)
	}
	return strings.Join(parts, " ")
}

// verdict returns the verdict among the answers to an event, a denial if there
// is none.
func (d *dojoPlayer) verdict(e abi.Event) abi.Verdict {
	for _, a := range d.step(e) {
		if a.Verdict != nil {
			return *a.Verdict
		}
	}
	return abi.Verdict{Outcome: abi.Deny, Reason: "no verdict"}
}

// names says whether a call names a destination that the policy judges.
func (d *dojoPlayer) names(c *abi.Call) bool {
	i := slices.IndexFunc(d.suite.tools, func(t abi.Value) bool { return t.Get("name").Str() == c.Tool })
	if i < 0 {
		return false
	}
	r := d.policy.Rules(d.suite.name, d.suite.tools[i])
	return r.Sink != nil && len(builtin.Destinations(&r, c, abi.Definition{Schema: d.suite.tools[i].Get("inputSchema")})) > 0
}

// result is the result of a step as a server sends it.
func (d *dojoPlayer) result(s *dojoStep) abi.Value {
	block := abi.ObjectValue(abi.Member{Name: "type", Value: abi.StringValue("text")}, abi.Member{Name: "text", Value: abi.StringValue(s.text)})
	members := []abi.Member{{Name: "content", Value: abi.ArrayValue(block)}}
	if d.structured && s.structured.Exists() && s.structured.Kind() != abi.Null {
		v := s.structured
		if v.Kind() != abi.Object { // as servers wrap what is no object
			v = abi.ObjectValue(abi.Member{Name: "result", Value: v})
		}
		members = append(members, abi.Member{Name: "structuredContent", Value: v})
	}
	if s.failed {
		members = append(members, abi.Member{Name: "isError", Value: abi.BoolValue(true)})
	}
	return abi.ObjectValue(members...)
}
