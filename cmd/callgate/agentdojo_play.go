package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

// played is what became of one trace. Of a pair, the calls of the user's task
// are only its history: what counts are those of the attack.
type played struct {
	task, injection string
	outcome         abi.Outcome // the strictest
	asks            int
	destination     bool // some call names a destination
	overridable     bool // denied for taint alone, which `override: once` turns into asks
	why             string
}

// player replays one trace in a session of its own.
type dojoPlayer struct {
	p     dojoGate
	suite dojoSuite
	flags dojoFlags
	state *gate.State
	seq   uint64
}

func (p dojoGate) play(s dojoSuite, t dojoTrace, f dojoFlags) played {
	d := dojoPlayer{p: p, suite: s, flags: f, state: gate.New(gate.Options{Specs: builtin.Table(), Loaded: p.Policy})}
	d.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	d.step(abi.Event{Session: &abi.SessionEvent{ID: "s-dojo", New: true, Server: s.name}})
	d.step(abi.Event{Tools: &abi.ToolsEvent{Server: s.name, List: s.tools}})
	if f.context {
		d.step(abi.Event{User: &abi.UserEvent{Text: t.prompt}})
	}
	out := d.run(t.steps)
	if len(t.attack) > 0 {
		out = d.run(t.attack)
	}
	out.task, out.injection = t.task, t.injection
	return out
}

func (d *dojoPlayer) step(e abi.Event) []abi.Event {
	e.Seq = d.seq
	out := gate.Step(d.state, e)
	d.seq += 1 + uint64(len(out))
	return out
}

// run makes the calls of some steps. A person says yes to every ask. A call that
// is denied is left out, and the steps go on without its result.
func (d *dojoPlayer) run(steps []dojoStep) played {
	out := played{outcome: abi.Allow}
	soft := true
	var reasons []string
	for _, s := range steps {
		id := fmt.Sprintf("000000-%d", d.seq)
		call := &abi.Call{ID: id, Server: d.suite.name, Tool: s.tool, Arguments: s.arguments}
		out.destination = out.destination || d.destination(call)
		v := d.verdict(abi.Event{Call: call})
		out.outcome = abi.Stricter(out.outcome, v.Outcome)
		reasons = append(reasons, strings.TrimSpace(s.tool+": "+v.Outcome.String()+" "+v.Code+" "+v.Reason))
		switch v.Outcome {
		case abi.Allow:
		case abi.Ask:
			out.asks++
			if d.verdict(abi.Event{Approval: &abi.ApprovalEvent{Call: id, Yes: true, By: "eval"}}).Outcome != abi.Allow {
				continue
			}
		default:
			soft = soft && overridable(&v)
			continue
		}
		d.step(abi.Event{Result: &abi.ResultEvent{Call: id, Server: d.suite.name, Value: d.result(s)}})
	}
	out.overridable = out.outcome == abi.Deny && soft
	out.why = strings.Join(reasons, "; ")
	return out
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

// destination says whether a call names a destination that the policy judges.
func (d *dojoPlayer) destination(c *abi.Call) bool {
	i := slices.IndexFunc(d.suite.tools, func(t abi.Value) bool { return t.Get("name").Str() == c.Tool })
	if i < 0 {
		return false
	}
	r := d.p.Rules(d.suite.name, d.suite.tools[i])
	return r.Sink != nil && len(builtin.Destinations(&r, c, abi.Definition{Schema: d.suite.tools[i].Get("inputSchema")})) > 0
}

// overridable says whether nothing but the taint of a destination denies.
func overridable(v *abi.Verdict) bool {
	for _, o := range append([]abi.Verdict{*v}, v.Also...) {
		if o.Outcome == abi.Deny && (o.Contract != "sink" || o.Code != "SINK_TAINTED") {
			return false
		}
	}
	return true
}

// result is the result of a step as a server sends it.
func (d *dojoPlayer) result(s dojoStep) abi.Value {
	block := abi.ObjectValue(abi.Member{Name: "type", Value: abi.StringValue("text")}, abi.Member{Name: "text", Value: s.text})
	members := []abi.Member{{Name: "content", Value: abi.ArrayValue(block)}}
	if d.flags.results == "structured" && s.structured.Exists() && s.structured.Kind() != abi.Null {
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
