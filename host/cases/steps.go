package cases

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/codes"
	"github.com/callgate/callgate/host/replay"
)

var stepKeys = []string{
	"call", "args", "returns", "error", "resource", "uri", "action", "prompt", "complete", "ref", "argument", "context", "request", "method", "name",
	"params", "tools", "server", "time", "session", "user", "facts", "approve", "lapse", "raw", "result", "want",
}

// step reads one step into a short form of an event.
func (l *loader) step(n *yaml.Node) Step {
	m := l.members(n, "step", stepKeys...)
	s := Step{Line: n.Line}
	var members []abi.Member
	add := func(name string, v abi.Value) { members = append(members, abi.Member{Name: name, Value: v}) }
	for _, key := range []string{"tools", "server", "session", "user", "facts", "raw", "result", "time"} {
		if m[key] != nil {
			v := l.value(m[key])
			if server := v.Get("server"); server.IsString() && key != "result" {
				l.named(m[key], key, server.Str())
			}
			add(key, v)
		}
	}
	if m["approve"] != nil {
		add("approval", l.approve(m["approve"]))
	}
	if m["lapse"] != nil {
		add("lapsed", l.value(m["lapse"]))
	}
	word := callWord(m)
	if word != "" {
		add(word, l.called(word, m))
	}
	l.strays(word, m)
	s.Returns = l.returns(word, m["returns"], m["error"])
	s.Event = abi.ObjectValue(members...)
	if len(members) == 0 {
		l.fail(n, "step: want one of %s, tools, server, time, session, user, facts, approve, lapse, raw, result", strings.Join(replay.CallForms(), ", "))
	}
	if s.Returns.Exists() && (word == "" || word == "request") {
		l.fail(n, "step: returns and error only stand beside a call of the client")
	}
	if m["want"] != nil {
		s.Want = l.want(m["want"])
		if word == "" && m["raw"] == nil && m["approve"] == nil && m["result"] == nil && m["tools"] == nil {
			l.fail(m["want"], "want: only beside calls, raw, approve, result and tools, which get a verdict")
		}
	}
	return s
}

// returns reads what the server answers: text, or a result as MCP has it.
func (l *loader) returns(word string, n, failed *yaml.Node) abi.Value {
	if n != nil && failed != nil {
		l.fail(failed, "error: not beside returns")
	}
	if failed != nil && word != "call" {
		l.fail(failed, "error: only beside call, whose result can say so")
	}
	if failed != nil {
		return replay.TextResult(l.text(failed, "error")).With("isError", abi.BoolValue(true))
	}
	if n == nil {
		return abi.Value{}
	}
	v := l.value(n)
	if v.IsString() {
		return replay.Returned(word, v.Str())
	}
	if v.Kind() != abi.Object {
		l.fail(n, "returns: want text or a mapping")
	}
	return v
}

func (l *loader) want(n *yaml.Node) *Want {
	m := l.members(n, "want", "outcome", "contract", "code", "rule", "witness", "at", "reason", "redact", "hide", "labels")
	w := &Want{
		Outcome: l.text(m["outcome"], "outcome"), Contract: l.text(m["contract"], "contract"), Code: l.text(m["code"], "code"),
		Rule: l.text(m["rule"], "rule"), Witness: l.text(m["witness"], "witness"), At: l.texts(m["at"], "at"), Reason: l.text(m["reason"], "reason"),
	}
	w.Redact = l.redacts(m["redact"])
	w.Hide = l.namesOf(m["hide"], "hide")
	if m["labels"] != nil {
		given := l.members(m["labels"], "labels", "call", "session")
		w.Labels, w.Session = l.namesOf(given["call"], "call"), l.namesOf(given["session"], "session")
	}
	if _, ok := abi.ParseOutcome(w.Outcome); m["outcome"] != nil && (!ok || w.Outcome == "abstain") {
		l.fail(n, "want: outcome %q; want deny, ask or allow", w.Outcome)
	}
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		l.fail(n, "want: says nothing; name an outcome, or another part of the verdict")
	}
	l.knownVerdict(m["contract"], w.Contract, "contract", codes.Contracts())
	if w.Code != "" && !codes.Known(w.Code) {
		l.knownVerdict(m["code"], w.Code, "code", codeNames())
	}
	for _, key := range []string{"contract", "code", "rule", "witness", "at", "reason"} {
		if v := m[key]; v != nil && (v.Kind == yaml.ScalarNode && v.Value == "" || v.Kind == yaml.SequenceNode && len(v.Content) == 0) {
			l.fail(v, "%s: empty, so it holds of every verdict; leave it out", key)
		}
	}
	return w
}

// approve reads a person's answer: yes or no, or with the channel that it came
// through, which the event's short form checks.
func (l *loader) approve(n *yaml.Node) abi.Value {
	if n.Kind == yaml.MappingNode {
		m := l.members(n, "approve", "answer", "by")
		if m["answer"] == nil {
			l.fail(n, "approve: no answer; want {answer: yes, by: elicitation}")
			return abi.Value{}
		}
		members := []abi.Member{{Name: "answer", Value: l.approve(m["answer"])}}
		if m["by"] != nil {
			members = append(members, abi.Member{Name: "by", Value: abi.StringValue(l.text(m["by"], "by"))})
		}
		return abi.ObjectValue(members...)
	}
	if n.Kind != yaml.ScalarNode || n.Value != "yes" && n.Value != "no" {
		l.fail(n, "approve: want yes or no")
	}
	return abi.StringValue(n.Value)
}

// value reads YAML as JSON: what has no JSON form is an error. The depth was
// checked when the file was read.
func (l *loader) value(n *yaml.Node) abi.Value {
	switch n.Kind {
	case yaml.ScalarNode:
		return l.scalar(n)
	case yaml.SequenceNode:
		items := make([]abi.Value, 0, len(n.Content))
		for _, item := range n.Content {
			items = append(items, l.value(item))
		}
		return abi.ArrayValue(items...)
	case yaml.MappingNode:
		var members []abi.Member
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode || seen[k.Value] {
				l.fail(k, "key %q: want distinct scalar keys", k.Value)
				continue
			}
			seen[k.Value] = true
			members = append(members, abi.Member{Name: k.Value, Value: l.value(n.Content[i+1])})
		}
		return abi.ObjectValue(members...)
	}
	return abi.Value{}
}

func (l *loader) scalar(n *yaml.Node) abi.Value {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return abi.StringValue(n.Value)
	case "!!null":
		v, _ := abi.Parse([]byte("null"))
		return v
	case "!!bool":
		return abi.BoolValue(strings.EqualFold(n.Value, "true"))
	case "!!int", "!!float":
		if v, err := abi.Parse([]byte(n.Value)); err == nil && v.Kind() == abi.Number {
			return v
		}
		l.fail(n, "%q is a number that JSON can not write", n.Value)
	default:
		l.fail(n, "tag %s is not accepted", n.ShortTag())
	}
	return abi.Value{}
}

// namesOf reads a list of names, sorted; an empty one is not nil.
func (l *loader) namesOf(n *yaml.Node, what string) []string {
	if n == nil {
		return nil
	}
	return sorted(append([]string{}, l.texts(n, what)...))
}
