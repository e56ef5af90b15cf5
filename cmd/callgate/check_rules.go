package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
)

// file is one policy file, as the joined policy carries it.
type file struct {
	label string
	doc   abi.Value
	lines abi.Value // line of each member, by pointer
}

// layersOf lists the files of a policy and of its floor, without packs: those
// bind by fit, and what does not fit them is no mistake.
func layersOf(p abi.Value) []file {
	var out []file
	for _, y := range append(p.Get("layers").Items(), p.Get("floor").Get("layers").Items()...) {
		out = append(out, file{y.Get("label").Str(), y.Get("policy"), y.Get("lines")})
	}
	return out
}

// rule names a place of a file as verdicts do.
func (f file) rule(at string) string {
	where := f.label
	for up := at; up != ""; up = up[:strings.LastIndexByte(up, '/')] {
		if line := f.lines.Get(up).Lexeme(); line != "" {
			where += ":" + line
			break
		}
	}
	var path strings.Builder
	tokens, _ := abi.Tokens(at)
	for _, t := range tokens {
		if _, err := strconv.Atoi(t); err == nil {
			path.WriteString("[" + t + "]")
			continue
		}
		if path.Len() > 0 {
			path.WriteByte('.')
		}
		path.WriteString(t)
	}
	return where + ": " + path.String()
}

// entries checks the keys of a file that name a tool of a listed server
// exactly. A glob may well match tools that lack an argument.
func (c *checker) entries(y file, server string, list []abi.Value) {
	for _, m := range y.doc.Get("tools").Members() {
		at := abi.Join("/tools", m.Name)
		definition := c.exact(y, at, m.Name, server, list)
		if !definition.Exists() {
			continue
		}
		for _, a := range arguments(m.Value) {
			c.argument(y, at+a.at, server, definition, a.name)
		}
	}
	for _, m := range y.doc.Get("sources").Members() {
		c.exact(y, abi.Join("/sources", m.Name), m.Name, server, list)
	}
	for _, k := range keysOf(y) {
		if !strings.HasPrefix(k.at, "/tools/") && !strings.HasPrefix(k.at, "/sources/") && !(k.kinds && strings.Contains(toolHalf(k.key), "/")) {
			c.exact(y, k.at, k.key, server, list)
		}
	}
}

// exact returns the tool of the server that a key names without a glob, and
// reports a key that names none. Absent: there is nothing to check.
func (c *checker) exact(y file, at, key, server string, list []abi.Value) abi.Value {
	half, tool, ok := strings.Cut(key, "/")
	if !ok || half != server || strings.ContainsAny(key, `*?[\`) {
		return abi.Value{}
	}
	definition := named(list, tool)
	if !definition.Exists() {
		c.add(problem{
			fault: true, code: codeUnknownTool, rule: y.rule(at),
			text: fmt.Sprintf("server %q lists no tool %q%s", server, tool, suggest(tool, names(list))),
			call: shortCall(server, tool, abi.Value{}),
		})
	}
	return definition
}

// argumentName is an argument that an entry names, with its place in the entry.
type argumentName struct{ at, name string }

// arguments lists the arguments that an entry of tools: names.
func arguments(entry abi.Value) []argumentName {
	var out []argumentName
	for i, a := range entry.Get("args").Items() {
		// A rule that forbids an argument holds where there is none.
		if name := a.Get("arg"); name.IsString() && !a.Get("forbid").True() {
			out = append(out, argumentName{abi.JoinIndex("/args", i) + "/arg", name.Str()})
		}
	}
	for _, list := range []string{"to", "content"} {
		for i, name := range entry.Get("sink").Get(list).Items() {
			out = append(out, argumentName{abi.JoinIndex("/sink/"+list, i), name.Str()})
		}
	}
	for _, m := range entry.Get("slots").Members() {
		out = append(out, argumentName{abi.Join("/slots", m.Name), m.Name})
	}
	return out
}

func (c *checker) argument(y file, at, server string, definition abi.Value, name string) {
	s := schemaOf(definition)
	if s.has(name) || !s.closed() {
		return
	}
	tool := definition.Get("name").Str()
	args := s.sample(0)
	if !strings.HasPrefix(name, "/") {
		args = args.With(name, abi.StringValue("x"))
	}
	c.add(problem{
		fault: true, code: codeUnknownArgument, rule: y.rule(at),
		text: fmt.Sprintf("%s/%s has no argument %q%s", server, tool, name, suggest(name, s.names())),
		call: shortCall(server, tool, args),
	})
}

// suggest lists what there is instead.
func suggest(got string, have []string) string {
	if len(have) == 0 {
		return "; it has none"
	}
	squash := strings.NewReplacer("_", "", "-", "", "/", "", " ", "")
	if best := policy.Closest(got, have); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	for _, name := range have {
		if strings.EqualFold(squash.Replace(name), squash.Replace(got)) || strings.EqualFold(squash.Replace(name), squash.Replace(got)+"s") ||
			strings.EqualFold(squash.Replace(name)+"s", squash.Replace(got)) {
			return fmt.Sprintf("; did you mean %q?", name)
		}
	}
	if len(have) > 12 {
		have = append(have[:12:12], "…")
	}
	quoted := make([]string, len(have))
	for i, name := range have {
		quoted[i] = strconv.Quote(name)
	}
	return "; it has " + strings.Join(quoted, ", ")
}

func named(list []abi.Value, tool string) abi.Value {
	for _, d := range list {
		if d.Get("name").Str() == tool {
			return d
		}
	}
	return abi.Value{}
}

func names(list []abi.Value) []string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.Get("name").Str()
	}
	return out
}

// shortCall is a call in the short form that eval reads.
func shortCall(server, tool string, args abi.Value) abi.Value {
	return object("call", object("server", server, "tool", tool, "arguments", args))
}
