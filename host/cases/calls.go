package cases

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/replay"
)

// beside are the keys that stand beside each word for a call.
var beside = map[string][]string{
	"call":     {"args"},
	"resource": {"uri", "action"},
	"prompt":   {"args"},
	"complete": {"ref", "argument", "context"},
	"request":  {"method", "params"},
	"method":   {"name", "params"},
}

// callWord returns the word of the call that a step makes, "" for none. A
// request of a server has a method beside it, which is no call of its own.
func callWord(m map[string]*yaml.Node) string {
	for _, word := range replay.CallForms() {
		if m[word] != nil {
			return word
		}
	}
	return ""
}

// strays refuses keys that belong to another call than the step's, and a second
// call.
func (l *loader) strays(word string, m map[string]*yaml.Node) {
	for _, other := range replay.CallForms() {
		if n := m[other]; n != nil && other != word && !slices.Contains(beside[word], other) {
			l.fail(n, "%s: not beside %s; want one call in a step", other, word)
		}
		for _, key := range beside[other] {
			if n := m[key]; n != nil && key != word && !slices.Contains(replay.CallForms(), key) && !slices.Contains(beside[word], key) {
				l.fail(n, "%s: only beside %s", key, strings.Join(wordsWith(key), " and "))
				delete(m, key) // one mistake is said once
			}
		}
	}
}

// wordsWith lists the words that a key stands beside.
func wordsWith(key string) []string {
	var words []string
	for _, word := range replay.CallForms() {
		if slices.Contains(beside[word], key) {
			words = append(words, word)
		}
	}
	return words
}

// called reads the call of a step into its short form.
func (l *loader) called(word string, m map[string]*yaml.Node) abi.Value {
	switch word {
	case "call":
		return l.call(word, "tool", m[word], m["args"])
	case "prompt":
		return l.call(word, "name", m[word], m["args"])
	}
	server := l.text(m[word], word)
	l.named(m[word], word, server)
	members := []abi.Member{{Name: "server", Value: abi.StringValue(server)}}
	for _, key := range beside[word] {
		if m[key] != nil {
			members = append(members, abi.Member{Name: key, Value: l.value(m[key])})
		}
	}
	return abi.ObjectValue(members...)
}

// named checks the name of a server.
func (l *loader) named(n *yaml.Node, word, server string) {
	if err := abi.CheckServerName(server); err != nil {
		l.fail(n, "%s: %v", word, err)
	}
}

// call reads a call of a tool or a prompt: what names it is "tool" or "name".
func (l *loader) call(word, name string, n, args *yaml.Node) abi.Value {
	server, tool, ok := strings.Cut(l.text(n, word), "/")
	if !ok || server == "" || tool == "" {
		l.fail(n, "%s: %q; want server/%s", word, n.Value, name)
	} else {
		l.named(n, word, server)
	}
	call := []abi.Member{{Name: "server", Value: abi.StringValue(server)}, {Name: name, Value: abi.StringValue(tool)}}
	if args != nil {
		v := l.value(args)
		if v.Kind() != abi.Object {
			l.fail(args, "args: want a mapping")
		}
		call = append(call, abi.Member{Name: "arguments", Value: v})
	}
	return abi.ObjectValue(call...)
}
