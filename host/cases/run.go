package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/replay"
	"github.com/callgate/callgate/host/wire"
)

// Result is what became of one case.
type Result struct {
	Name     string
	Line     int
	Failures []Failure // none: it passed
	Rules    []string  // the rules that fired, once for each verdict that they had a part in
	Labels   []string  // the labels that were given, once for each step
	Texts    []string  // what edits put in, once for each step
}

// Failure is one thing that differed, at the line of its step.
type Failure struct {
	Line int
	Text string
}

// Run runs every case of a file, each against a fresh player.
func Run(f *File, o replay.Options) []Result {
	out := make([]Result, 0, len(f.Cases))
	for _, c := range f.Cases {
		out = append(out, runCase(f, c, o))
	}
	return out
}

func runCase(f *File, c Case, o replay.Options) Result {
	r := Result{Name: c.Name, Line: c.Line}
	run := running{p: replay.New(o), c: c, o: o}
	for _, s := range c.Steps {
		if !f.Real {
			if tools, ok := run.fromCall(s.Event); ok {
				if _, err := run.feed(tools); err != nil {
					r.fail(s, "%v", err)
				}
			}
		}
		answers, err := run.feed(s.Event)
		if err != nil {
			r.fail(s, "%v", err)
			return r
		}
		r.Rules, r.Labels, r.Texts = append(r.Rules, fired(answers)...), append(r.Labels, given(answers)...), append(r.Texts, putIn(answers)...)
		verdict, heard := run.standing(s, last(answers))
		if !heard && s.Want == nil {
			r.fail(s, "the answer does not count: the question accepts other channels; say so with want: {outcome: ask}")
		}
		if s.Want != nil {
			if verdict == nil && (s.Event.Get("result").Exists() || s.Event.Get("tools").Exists()) {
				verdict = &abi.Verdict{Outcome: abi.Allow} // nothing is said of what is relayed as it is
			}
			for _, difference := range slices.Concat(s.Want.check(verdict), s.Want.checkEdits(s.Event, answers), s.Want.checkGiven(answers)) {
				r.fail(s, "%s", difference)
			}
		}
		if s.Returns.Exists() || calls(s.Event) {
			run.returns = s.Returns // what the call before it would have got is not this one's
		}
		if err := run.answer(verdict); err != nil {
			r.fail(s, "returns: %v", err)
		}
	}
	r.Rules, r.Labels, r.Texts = append(r.Rules, run.fired...), append(r.Labels, run.given...), append(r.Texts, run.putIn...)
	return r
}

// running is one case on its way.
type running struct {
	p       *replay.Player
	c       Case
	o       replay.Options
	index   uint64
	returns abi.Value    // what the last call's server answers, if it gets the call
	open    *abi.Verdict // the ask that waits for an answer
	fired   []string     // by the results of calls
	given   []string
	putIn   []string
}

// standing is the verdict after a step, and whether the step was heard: to an
// answer that the question does not accept there is none, and the ask stands.
// An answer that comes late gets none either, since no call waits for it.
func (r *running) standing(s Step, v *abi.Verdict) (stands *abi.Verdict, heard bool) {
	if v == nil && s.Event.Get("approval").Exists() && r.p.Asked() {
		return r.open, false
	}
	if v != nil {
		r.open = nil
		if v.Outcome == abi.Ask {
			r.open = v
		}
	}
	return v, true
}

func (r *running) feed(event abi.Value) ([]abi.Event, error) {
	answers, _, err := r.p.Feed(event, r.index)
	r.index++
	return answers, err
}

// answer lets the server answer a call that was let through, at once or after a
// person's yes.
func (r *running) answer(v *abi.Verdict) error {
	if v == nil || !r.returns.Exists() || v.Enforced() == abi.Ask {
		return nil
	}
	result := r.returns
	r.returns = abi.Value{}
	if v.Enforced() == abi.Deny {
		return nil
	}
	answers, err := r.feed(abi.ObjectValue(abi.Member{Name: "result", Value: result}))
	r.fired, r.given, r.putIn = append(r.fired, fired(answers)...), append(r.given, given(answers)...), append(r.putIn, putIn(answers)...)
	return err
}

func (r *Result) fail(s Step, format string, args ...any) {
	r.Failures = append(r.Failures, Failure{s.Line, fmt.Sprintf(format, args...)})
}

// fromCall pins a tool that no list holds from the calls of a case: its schema
// declares exactly the arguments that they use.
func (r *running) fromCall(event abi.Value) (abi.Value, bool) {
	server, tool, _ := callOf(event)
	if _, ok := r.o.Tools[server]; ok || tool == "" || r.p.Known(server, tool) || listed(r.c, server) {
		return abi.Value{}, false
	}
	seen := map[string]bool{}
	var members []abi.Member
	for _, s := range r.c.Steps {
		otherServer, otherTool, args := callOf(s.Event)
		if otherServer != server || otherTool != tool {
			continue
		}
		for _, m := range args.Members() {
			if !seen[m.Name] {
				seen[m.Name] = true
				members = append(members, abi.Member{Name: m.Name, Value: abi.ObjectValue()})
			}
		}
	}
	definition := abi.ObjectValue(
		abi.Member{Name: "name", Value: abi.StringValue(tool)},
		abi.Member{Name: "inputSchema", Value: abi.ObjectValue(
			abi.Member{Name: "type", Value: abi.StringValue("object")},
			abi.Member{Name: "properties", Value: abi.ObjectValue(members...)},
		)},
	)
	e := abi.Event{Tools: &abi.ToolsEvent{Server: server, Source: abi.ToolsCalled, List: []abi.Value{definition}}}
	v, err := abi.Parse(e.Append(nil))
	return v, err == nil
}

// callOf returns what a step calls, directly or in a raw frame; no tool: it
// calls nothing.
func callOf(event abi.Value) (server, tool string, args abi.Value) {
	if call := event.Get("call"); call.Exists() {
		return call.Get("server").Str(), call.Get("tool").Str(), call.Get("arguments")
	}
	raw := event.Get("raw")
	if raw.Get("from").Str() != "client" {
		return "", "", abi.Value{}
	}
	f := wire.Classify([]byte(raw.Get("frame").Str()), wire.FromClient, wire.Options{})
	if f.Kind != wire.Request || f.Call == nil {
		return "", "", abi.Value{}
	}
	args, _ = abi.Parse(f.Call.Arguments.In(f.Raw)) // no arguments: absent
	return raw.Get("server").Str(), f.Call.Name, args
}

// calls says whether a step calls anything, but in a raw frame.
func calls(event abi.Value) bool {
	return slices.ContainsFunc(replay.CallForms(), func(word string) bool { return event.Get(word).Exists() })
}

// listed says whether the case itself lists the tools of a server.
func listed(c Case, server string) bool {
	return slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Event.Get("tools").Get("server").Str() == server })
}

// last returns the last verdict among the answers: the one that stands.
func last(answers []abi.Event) *abi.Verdict {
	var v *abi.Verdict
	for _, a := range answers {
		if a.Verdict != nil {
			v = a.Verdict
		}
	}
	return v
}

// saying is what a verdict said, and by which rule.
func saying(v *abi.Verdict) string {
	text := v.Contract
	if v.Code != "" {
		text += " " + v.Code
	}
	if v.Reason != "" {
		text += ": " + v.Reason
	}
	if v.Rule != "" {
		text += ", by " + v.Rule
	}
	return text
}

// check lists how a verdict differs from what was wanted.
func (w *Want) check(v *abi.Verdict) []string {
	if v == nil {
		if w.Outcome == "" {
			return []string{"no verdict; want one"}
		}
		return []string{"no verdict; want " + w.Outcome}
	}
	var out []string
	miss := func(what, got, want string) {
		out = append(out, fmt.Sprintf("%s %q; want %q (%s)", what, got, want, saying(v)))
	}
	if w.Outcome != "" && v.Outcome.String() != w.Outcome {
		miss("outcome", v.Outcome.String(), w.Outcome)
	}
	if w.Contract != "" && v.Contract != w.Contract {
		miss("contract", v.Contract, w.Contract)
	}
	if w.Code != "" && v.Code != w.Code {
		miss("code", v.Code, w.Code)
	}
	if !strings.Contains(v.Rule, w.Rule) {
		miss("rule", v.Rule, w.Rule)
	}
	if !strings.Contains(v.Reason, w.Reason) {
		miss("reason", v.Reason, w.Reason)
	}
	if w.Witness != "" && !slices.ContainsFunc(v.Witness, func(e abi.Evidence) bool { return e.Server+"/"+e.Tool == w.Witness }) {
		miss("witness", fmt.Sprint(v.Witness), w.Witness)
	}
	for _, at := range w.At {
		if !slices.Contains(v.At, at) {
			miss("at", strings.Join(v.At, " "), at)
		}
	}
	return out
}

// checkGiven lists how what plugins hide, and the labels that were given, differ
// from what was wanted.
func (w *Want) checkGiven(answers []abi.Event) []string {
	hide, labels, session := []string{}, []string{}, []string{}
	for _, a := range answers {
		switch {
		case a.Verdict != nil && a.Verdict.List != nil:
			hide = append(hide, a.Verdict.Obligations.Hide...)
		case a.Label != nil:
			labels, session = append(labels, a.Label.Data...), append(session, a.Label.Session...)
		}
	}
	var out []string
	for _, c := range []struct {
		what      string
		got, want []string
	}{{"hide", hide, w.Hide}, {"labels: call", labels, w.Labels}, {"labels: session", session, w.Session}} {
		if got := sorted(c.got); c.want != nil && !slices.Equal(got, c.want) {
			out = append(out, fmt.Sprintf("%s %q; want %q", c.what, got, c.want))
		}
	}
	return out
}
