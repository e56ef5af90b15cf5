package plugin

import (
	"bytes"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm"
)

// Update returns a cases file in which every case that failed wants what the
// plugin answered, and how many cases that are. Comments stay, spacing may not. A
// case whose answers differ from one way to run it to the other is left alone.
func Update(f CasesFile, m *abi.Manifest, tried []Tried) ([]byte, int, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(f.Text, &doc); err != nil {
		return nil, 0, err
	}
	list := child(doc.Content[0], "cases")
	changed := 0
	for i := range tried {
		t := &tried[i]
		if t.File != f.Path || len(t.Failures) == 0 {
			continue
		}
		for _, n := range list.Content {
			if name := child(n, "name"); name != nil && name.Value == t.Name && updateCase(n, m, t) {
				changed++
			}
		}
	}
	if changed == 0 {
		return f.Text, 0, nil
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return nil, 0, err
	}
	return out.Bytes(), changed, enc.Close()
}

func updateCase(n *yaml.Node, m *abi.Manifest, t *Tried) bool {
	steps := []*yaml.Node{n}
	if list := child(n, "steps"); list != nil {
		steps = list.Content
	}
	if len(steps) != len(t.Answers) {
		return false
	}
	wants := make([]*yaml.Node, len(steps))
	for i, s := range steps {
		phase := abi.Phase("")
		if p := child(s, "phase"); p != nil {
			phase = abi.Phase(p.Value)
		} else if p := child(n, "phase"); p != nil {
			phase = abi.Phase(p.Value)
		}
		if wants[i] = wanted(&t.Answers[i], m, phase); wants[i] == nil {
			return false
		}
	}
	for i, s := range steps {
		setChild(s, "want", wants[i])
	}
	if limit := child(n, "max_fuel"); limit != nil {
		if most, err := strconv.ParseUint(limit.Value, 10, 64); err == nil && t.Fuel > most {
			limit.Value = strconv.FormatUint(t.Fuel, 10)
		}
	}
	return true
}

// wanted is an answer as a case wants it; nil for one that no case can want.
func wanted(a *wasm.Answer, m *abi.Manifest, phase abi.Phase) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	if a.Class != "" {
		setChild(n, "class", scalarNode(string(a.Class)))
		return n
	}
	name := lastSegment(m.Name)
	v, err := parseVerdict(a.Output, m, name, phase)
	if err != nil {
		return nil
	}
	setChild(n, "outcome", scalarNode(v.Outcome.String()))
	if v.Code != "" {
		setChild(n, "code", scalarNode(v.Code))
	}
	o := &v.Obligations
	listed(n, "at", v.At, "")
	listed(n, "redact", o.Redact, "")
	listed(n, "hide", o.Hide, "")
	labels := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	listed(labels, "call", o.CallLabels, name+":")
	listed(labels, "session", o.SessionLabels, name+":")
	if len(labels.Content) > 0 {
		setChild(n, "labels", labels)
	}
	if o.Calls != nil {
		setChild(n, "budget", scalarNode(strconv.FormatInt(*o.Calls, 10)))
	}
	return n
}

// parseVerdict reads an answer; without a phase it tries each that the plugin has.
func parseVerdict(output []byte, m *abi.Manifest, name string, phase abi.Phase) (v abi.Verdict, err error) {
	if phase != "" {
		return abi.ParsePluginVerdict(output, m, name, phase)
	}
	for _, p := range m.Phases {
		if v, err = abi.ParsePluginVerdict(output, m, name, p); err == nil {
			break
		}
	}
	return v, err
}

func scalarNode(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text)
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return n
	}
	n.Tag = "!!int"
	return n
}

// listed adds a list of texts without their prefix, if there are any.
func listed(n *yaml.Node, name string, texts []string, prefix string) {
	if len(texts) == 0 {
		return
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, t := range texts {
		item := &yaml.Node{}
		item.SetString(strings.TrimPrefix(t, prefix))
		list.Content = append(list.Content, item)
	}
	setChild(n, name, list)
}

// child is the value of a key of a mapping, nil without one.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// setChild sets the value of a key of a mapping.
func setChild(n *yaml.Node, key string, to *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = to
			return
		}
	}
	k := &yaml.Node{}
	k.SetString(key)
	n.Content = append(n.Content, k, to)
}
