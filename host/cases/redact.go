package cases

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/replay"
)

// Redacted is what a step expects to be edited.
type Redacted struct {
	At   string
	Text abi.Value // what stands there then; absent: not said
}

// redacts reads `redact:`: a list of pointers, or of each what stands there then.
// Nothing else may be edited.
func (l *loader) redacts(n *yaml.Node) []Redacted {
	out := []Redacted{}
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			out = append(out, Redacted{n.Content[i].Value, abi.StringValue(l.text(n.Content[i+1], "redact"))})
		}
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			out = append(out, Redacted{At: l.text(item, "redact")})
		}
	default:
		l.fail(n, "redact: want a list of pointers, or a mapping of pointers to text")
	}
	for _, r := range out {
		if !strings.HasPrefix(r.At, "/") {
			l.fail(n, "redact: %q is no JSON Pointer; want one such as /content/0/text, or of a call such as /body", r.At)
		}
	}
	return out
}

// Says is what the want holds a step to in one word: an outcome, or of a result
// that is only edited, or a list that is hidden in part, deny, since it does not pass as it is. "": nothing.
func (w *Want) Says() string {
	switch {
	case len(w.Redact)+len(w.Hide) > 0:
		return abi.Deny.String()
	case w.Outcome == "" && w.Redact != nil:
		return abi.Allow.String()
	}
	return w.Outcome
}

// checkEdits lists how what was edited differs from what was wanted. Of a call
// that are its values, else what was returned.
func (w *Want) checkEdits(step abi.Value, answers []abi.Event) []string {
	if w.Redact == nil {
		return nil
	}
	value := step.Get("result")
	if value.IsString() {
		value = replay.TextResult(value.Str())
	}
	for _, m := range step.Members() {
		if calls(abi.ObjectValue(m)) {
			value = values(m)
		}
	}
	var at []string
	for _, a := range answers {
		if a.Edit == nil {
			continue
		}
		edited, err := value.Edited(a.Edit.Edits)
		if err != nil {
			return []string{"redact: " + err.Error()}
		}
		value = edited
		for _, e := range a.Edit.Edits {
			at = append(at, e.At)
		}
	}
	var out []string
	for _, r := range w.Redact {
		i := slices.Index(at, r.At)
		if i < 0 {
			out = append(out, fmt.Sprintf("redact: nothing at %s; edited are %q", r.At, at))
			continue
		}
		at = slices.Delete(at, i, i+1)
		if got := value.At(r.At); r.Text.Exists() && !got.Equal(r.Text) {
			out = append(out, fmt.Sprintf("redact: %s at %s; want %s", got, r.At, r.Text))
		}
	}
	if len(at) > 0 {
		out = append(out, fmt.Sprintf("redact: more at %q", at))
	}
	return out
}

// values are what a call of a short form is edited in.
func values(m abi.Member) abi.Value {
	switch m.Name {
	case "call":
		return m.Value.Get("arguments")
	case "request", "method":
		return m.Value.Get("params")
	}
	return m.Value
}
