package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/replay"
)

// Result is what became of one case.
type Result struct {
	Name     string
	Line     int
	Failures []string // none: it passed
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
	p := replay.New(o)
	index := uint64(0)
	for _, s := range c.Steps {
		if !f.Real {
			if tools, ok := fromCall(p, c, s.Event); ok {
				if _, _, err := p.Feed(tools, index); err != nil {
					r.fail(s, "%v", err)
				}
				index++
			}
		}
		answers, _, err := p.Feed(s.Event, index)
		index++
		if err != nil {
			r.fail(s, "%v", err)
			return r
		}
		verdict := last(answers)
		if s.Want != nil {
			for _, difference := range s.Want.check(verdict) {
				r.fail(s, "%s", difference)
			}
		}
		if s.Returns.Exists() && verdict != nil && verdict.Enforced() != abi.Deny {
			if _, _, err := p.Feed(abi.ObjectValue(abi.Member{Name: "result", Value: s.Returns}), index); err != nil {
				r.fail(s, "returns: %v", err)
			}
			index++
		}
	}
	return r
}

func (r *Result) fail(s Step, format string, args ...any) {
	r.Failures = append(r.Failures, fmt.Sprintf("line %d: ", s.Line)+fmt.Sprintf(format, args...))
}

// fromCall pins a tool that no list holds from the calls of a case: its schema
// declares exactly the arguments that they use.
func fromCall(p *replay.Player, c Case, event abi.Value) (abi.Value, bool) {
	call := event.Get("call")
	server, tool := call.Get("server").Str(), call.Get("tool").Str()
	if !call.Exists() || p.Known(server, tool) || listed(c, server) {
		return abi.Value{}, false
	}
	properties := map[string]bool{}
	for _, s := range c.Steps {
		other := s.Event.Get("call")
		if other.Get("server").Str() == server && other.Get("tool").Str() == tool {
			for _, m := range other.Get("arguments").Members() {
				properties[m.Name] = true
			}
		}
	}
	var members []abi.Member
	for name := range properties {
		members = append(members, abi.Member{Name: name, Value: abi.ObjectValue()})
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

// check lists how a verdict differs from what was wanted.
func (w *Want) check(v *abi.Verdict) []string {
	if v == nil {
		return []string{"no verdict; want " + w.Outcome}
	}
	var out []string
	miss := func(what, got, want string) {
		out = append(out, fmt.Sprintf("%s %q; want %q (%s %s: %s)", what, got, want, v.Contract, v.Code, v.Reason))
	}
	if v.Outcome.String() != w.Outcome {
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
