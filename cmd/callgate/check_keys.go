package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
)

// toolLists are the members of a file that list keys of tools. Those of kinds
// name methods of other kinds of calls, too.
var toolLists = []struct {
	part, list string
	kinds      bool
}{
	{"budgets", "tools", false}, {"schedules", "tools", true}, {"identities", "tools", true},
	{"labels", "from", true}, {"flows", "to", true}, {"chains", "from", true}, {"chains", "to", true},
}

// toolKey is a key of tools, with its place.
type toolKey struct {
	at, key string
	kinds   bool
}

// keysOf lists the keys of tools in a file.
func keysOf(y file) []toolKey {
	var out []toolKey
	for _, part := range []string{"tools", "sources"} {
		for _, m := range y.doc.Get(part).Members() {
			out = append(out, toolKey{abi.Join("/"+part, m.Name), m.Name, part == "sources"})
		}
	}
	for _, l := range toolLists {
		for i, item := range y.doc.Get(l.part).Items() {
			for j, key := range item.Get(l.list).Items() {
				out = append(out, toolKey{abi.JoinIndex(abi.JoinIndex("/"+l.part, i)+"/"+l.list, j), key.Str(), l.kinds})
			}
		}
	}
	for i, item := range y.doc.Get("plugins").Items() {
		at := abi.JoinIndex("/plugins", i) + "/on/tools"
		for j, key := range item.Get("on").Get("tools").Items() {
			out = append(out, toolKey{abi.JoinIndex(at, j), key.Str(), false})
		}
	}
	return out
}

// written lists the files that somebody can change: that the starter knows tools
// which no server of the policy has is no slip of its author.
func (c *checker) written() []file {
	return slices.DeleteFunc(layersOf(c.policy.Value()), func(y file) bool { return y.label == policy.StarterFile })
}

// patterns reports the globs that match none of the tools of the servers that
// they are about. They may be meant for tools to come, so it is a note.
func (c *checker) patterns() {
	for _, y := range c.written() {
		for _, k := range keysOf(y) {
			if !isGlobKey(k.key) || k.kinds && strings.Contains(toolHalf(k.key), "/") {
				continue
			}
			var of []string
			matched := false
			for _, server := range sortedKeys(c.tools) {
				if policy.MatchesServer(k.key, server) {
					of = append(of, server)
					matched = matched || slices.ContainsFunc(c.tools[server], func(d abi.Value) bool { return policy.MatchesTool(k.key, server, d.Get("name").Str()) })
				}
			}
			if matched || len(of) == 0 {
				continue
			}
			c.add(problem{code: codeUnknownTool, rule: y.rule(k.at), text: fmt.Sprintf("the pattern %q matches no tool of %s", k.key, quotedNames(of))})
		}
	}
}

func isGlobKey(key string) bool {
	return strings.ContainsAny(key, `*?[\`) || !strings.Contains(key, "/")
}

func toolHalf(key string) string {
	if _, tool, ok := strings.Cut(key, "/"); ok {
		return tool
	}
	return key
}

func quotedNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(quoted, ", ")
}

// patternArguments reports the arguments that an entry under a glob names and
// none of the tools has that it matches.
func (c *checker) patternArguments() {
	for _, y := range c.written() {
		for _, m := range y.doc.Get("tools").Members() {
			if !isGlobKey(m.Name) {
				continue
			}
			for _, a := range arguments(m.Value) {
				c.patternArgument(y, m.Name, abi.Join("/tools", m.Name)+a.at, a.name)
			}
		}
	}
}

func (c *checker) patternArgument(y file, key, at, name string) {
	first, call := "", abi.Value{}
	for _, server := range sortedKeys(c.tools) {
		for _, d := range c.tools[server] {
			tool := d.Get("name").Str()
			if !policy.MatchesTool(key, server, tool) {
				continue
			}
			s := schemaOf(d)
			if s.has(name) || !s.closed() {
				return
			}
			if first == "" {
				first, call = server+"/"+tool, shortCall(server, tool, s.sample(0))
			}
		}
	}
	if first == "" {
		return
	}
	c.add(problem{
		code: codeUnknownArgument, rule: y.rule(at), call: call,
		text: fmt.Sprintf("no tool that %q matches has an argument %q; the first is %s", key, name, first),
	})
}

// sinkMisses reports a sink none of whose destinations the tool has: whatever
// it is called with is then judged as a destination.
func (c *checker) sinkMisses(server string, definition abi.Value) {
	r := c.policy.Rules(server, definition)
	s := schemaOf(definition)
	if r.Sink == nil || r.Sink.All || !s.closed() || slices.ContainsFunc(r.Sink.To, s.has) {
		return
	}
	tool := definition.Get("name").Str()
	args := s.sample(0)
	for _, name := range s.names() {
		if !slices.Contains(r.Sink.Content, name) && !args.Get(name).Exists() {
			args = args.With(name, s.property(name).sample(1))
			break
		}
	}
	c.add(problem{
		code: codeSinkMisses, rule: r.Sink.Rule, call: shortCall(server, tool, args),
		text: fmt.Sprintf("%s/%s has none of the destinations %s, so every argument is judged as one", server, tool, quotedNames(r.Sink.To)),
	})
}
