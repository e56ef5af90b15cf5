package gate

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// consultResult asks the plugins about what a server answered to a call, as it
// would be relayed, and makes the edits that they want. base is what was said of it
// without them, and edited the answer without what the policy redacts, by edits.
func (s *State) consultResult(e abi.Event, n *entry, base abi.Verdict, t said, edited abi.Value, edits []abi.Edit) (abi.Verdict, abi.Value, []abi.Edit) {
	if e.Result == nil || !s.policy.HasPlugins() {
		return base, edited, edits
	}
	if n == nil || n.binding == nil {
		if s.policy.PluginsOf(e.Result.Server) {
			base = first(base, abi.Verdict{
				Outcome: abi.Deny, Contract: "results", Code: "RESULTS_UNKNOWN", Reason: "nobody knows which call the result answers, and plugins judge results of the server",
				Mend: "make the call again",
			})
		}
		return base, edited, edits
	}
	snap := s.snapshot(n)
	snap.Phase, snap.Result = abi.PhaseResult, edited
	if t.of == "error" {
		snap.Result = abi.ObjectValue(abi.Member{Name: "error", Value: edited})
	}
	v := s.consult(s.bound(&n.call).guests, snap, base) // of the policy in force: others are let go
	if v.Outcome == abi.Ask {
		v.Outcome = abi.Deny // it is there already: nobody is asked
	}
	if v.Outcome != abi.Abstain {
		return v, edited, edits
	}
	return s.marked(t, v, edited, edits)
}

// marked makes the edits that plugins want of a result.
func (s *State) marked(t said, v abi.Verdict, edited abi.Value, edits []abi.Edit) (abi.Verdict, abi.Value, []abi.Edit) {
	of := "/result"
	if t.of == "error" {
		of = "/result/error"
	}
	for _, m := range marksOf(v.Also) {
		at, ok := strings.CutPrefix(m.at, of)
		with, fits := marker(t.of, edited, at, m.by)
		if !ok || !fits {
			bad := cannot("REDACT_FAILED", m.rule, "contract "+m.by+" wants something redacted that can not be", "see callgate why")
			bad.At, bad.Also = []string{m.at}, v.Also
			return bad, edited, edits
		}
		edits = slices.DeleteFunc(slices.Clone(edits), func(e abi.Edit) bool { return below(e.At, at) })
		edits = append(edits, abi.Edit{At: at, With: with})
	}
	edited, err := t.value.Edited(edits)
	if err != nil {
		bad := cannot("REDACT_FAILED", "", "an edit could not be applied", "report it: a plugin's edit does not fit the result")
		bad.Also = v.Also
		return bad, t.value, nil
	}
	return v, edited, edits
}

// mark is a place of a result that a plugin wants redacted.
type mark struct{ at, by, rule string }

// marksOf lists the places that plugins want redacted, without those that lie in
// another one.
func marksOf(said []abi.Verdict) []mark {
	var all []mark
	for _, v := range said {
		if !v.Observed {
			for _, at := range v.Obligations.Redact {
				all = append(all, mark{at, v.Contract, v.Rule})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b mark) int { return strings.Compare(a.at, b.at) })
	var out []mark
	for _, m := range all {
		if !slices.ContainsFunc(out, func(o mark) bool { return below(m.at, o.at) }) {
			out = append(out, m)
		}
	}
	return out
}

// below says whether a pointer is another one, or leads into it.
func below(at, of string) bool {
	rest, ok := strings.CutPrefix(at, of)
	return ok && (rest == "" || rest[0] == '/')
}

// marker is what stands in the place of a value: a marker, in the form that MCP
// wants there. What holds a result together can not be redacted.
func marker(of string, v abi.Value, at, by string) (abi.Value, bool) {
	said := "[redacted by " + by + "]"
	text := abi.StringValue(said)
	block := func(name string, more ...abi.Member) abi.Value {
		return abi.ObjectValue(append([]abi.Member{{Name: name, Value: text}}, more...)...)
	}
	textBlock := func() abi.Value { return block("text", abi.Member{Name: "type", Value: abi.StringValue("text")}) }
	is := v.At(at)
	tokens, _ := abi.Tokens(at)
	if !is.Exists() || len(tokens) == 0 {
		return abi.Value{}, false
	}
	if of == "error" {
		return text, tokens[0] == "data" || tokens[0] == "message" && is.IsString()
	}
	switch {
	case len(tokens) < 2:
		return abi.Value{}, false
	case len(tokens) == 2 && tokens[0] == "content":
		return textBlock(), true
	case len(tokens) == 2 && tokens[0] == "contents":
		return block("text", abi.Member{Name: "uri", Value: is.Get("uri")}), is.Get("uri").IsString()
	case len(tokens) == 2 && tokens[0] == "messages":
		return abi.ObjectValue(abi.Member{Name: "role", Value: is.Get("role")}, abi.Member{Name: "content", Value: textBlock()}), is.Get("role").IsString()
	case len(tokens) == 3 && tokens[0] == "messages" && tokens[2] == "content":
		return textBlock(), true
	case tokens[0] == "structuredContent":
		return text, true
	}
	name, holder := tokens[len(tokens)-1], tokens[len(tokens)-2]
	if slices.Contains(requesting, tokens[0]) || slices.Contains(formed, name) || holder == "audience" {
		return abi.Value{}, false
	}
	if name == "blob" || name == "data" && v.At(at[:strings.LastIndexByte(at, '/')]).Get("type").IsString() {
		text = abi.StringValue(base64.StdEncoding.EncodeToString([]byte(said))) // a client may decode it
	}
	return text, is.IsString()
}

// requesting are the members of a result that ask the client for something, or say what
// it has to ask for next.
var requesting = []string{"task", "inputRequests"}

// formed are the names of what MCP wants in one form, and not in that of any text.
var formed = []string{"type", "role", "uri", "method", "mimeType", "lastModified", "src", "taskId", "toolUseId", "id"}

// labelled gives the labels that plugins want for a result, to its data and to the
// session.
func (s *State) labelled(id string, n *entry, v *abi.Verdict) *abi.LabelEvent {
	l := abi.LabelEvent{Call: id}
	for _, one := range append([]abi.Verdict{*v}, v.Also...) {
		if !one.Observed {
			l.Session = union(l.Session, one.Obligations.SessionLabels)
			l.Data = union(l.Data, one.Obligations.CallLabels)
		}
	}
	if len(l.Session)+len(l.Data) == 0 {
		return nil
	}
	s.addLabels(n, &l)
	return &l
}
