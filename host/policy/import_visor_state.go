package policy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/host/contract"
)

// named returns the name of an entry, which it must have, and what to call the
// entry in mistakes.
func (v *visor) named(n *yaml.Node, m map[string]*yaml.Node, kind string) (name *yaml.Node, what string) {
	if m["name"] == nil {
		if n.Kind == yaml.MappingNode {
			v.fail(n, "%s: no name; give it one", kind)
		}
		return textAt(n, ""), kind
	}
	text := v.text(m["name"], kind+": name")
	if d := m["description"]; d != nil {
		v.comment("%s %s: %s", kind, text, v.text(d, kind+": description"))
	}
	return textAt(m["name"], text), kind + " " + plain(text)
}

// action translates what a rule does. MCP Visor denies for any other word, or
// lets pass.
func (v *visor) action(n, at *yaml.Node, what string) *yaml.Node {
	words := []string{"deny", "require_approval"}
	if n == nil {
		v.fail(at, "%s: no action; want one of %s", what, strings.Join(words, ", "))
		return nil
	}
	switch v.text(n, what) {
	case "deny":
		return textAt(n, "deny")
	case "require_approval":
		return textAt(n, "ask")
	}
	v.fail(n, "%s: unknown action %q%s", what, n.Value, accepted(n.Value, words))
	return nil
}

// globKeys makes keys of tools from names in which * is any text and everything
// else literal.
func (v *visor) globKeys(n *yaml.Node, server, tool string) []*yaml.Node {
	if strings.ContainsAny(server+tool, "{}") {
		v.fail(n, "%q: braces have no place in a key", n.Value)
	}
	literal := strings.NewReplacer(`\`, `\\`, "?", `\?`, "[", `\[`)
	return v.caseless(n, literal.Replace(server), literal.Replace(tool))
}

// caseless makes the keys of a tool whose letter case MCP Visor passes over. Where
// what is not listed is denied, those that are listed in another case are added;
// where it is allowed, each letter is written in both.
func (v *visor) caseless(n *yaml.Node, server, tool string) []*yaml.Node {
	if v.allow {
		return []*yaml.Node{textAt(n, bothCases(server)+"/"+bothCases(tool))}
	}
	key := server + "/" + tool
	list := []*yaml.Node{textAt(n, key)}
	for _, t := range v.listed {
		if !MatchesTool(key, t.server, t.tool) && MatchesTool(strings.ToLower(key), strings.ToLower(t.server), strings.ToLower(t.tool)) {
			list = append(list, textAt(n, t.key))
		}
	}
	return list
}

// bothCases writes a glob so that it matches each letter in either case.
func bothCases(glob string) string {
	var b strings.Builder
	for _, r := range glob {
		if lower, upper := unicode.ToLower(r), unicode.ToUpper(r); lower != upper {
			b.WriteString("[" + string(lower) + string(upper) + "]")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// toolsOf makes keys of every server and tool of two lists. No servers: every
// server.
func (v *visor) toolsOf(servers, tools *yaml.Node, what string) *yaml.Node {
	out := listAt(tools)
	of := v.texts(servers, what+": servers")
	if servers == nil {
		of = []*yaml.Node{textAt(tools, "*")}
	}
	for _, s := range of {
		for _, t := range v.texts(tools, what+": tools") {
			out.Content = append(out.Content, v.globKeys(t, s.Value, t.Value)...)
		}
	}
	return out
}

func (v *visor) chains(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	out := listAt(n)
	for _, c := range v.items(n, "tool_chains") {
		m := v.members(c, "tool_chains", "name", "description", "sources", "sinks", "action", "within_calls")
		name, what := v.named(c, m, "tool_chains")
		within := bareAt(name, strconv.FormatInt(v.window, 10))
		if w := m["within_calls"]; w != nil && v.count(w, what+": within_calls", "is all of chain_window_size in MCP Visor") > 0 {
			// A window there is never longer than chain_window_size.
			within = bareAt(w, strconv.FormatInt(min(v.count(w, what, ""), v.window), 10))
		}
		out.Content = append(out.Content, mapAt(c, "name", name, "from", v.matches(m["sources"], c, what+": sources"), "to", v.matches(m["sinks"], c, what+": sinks"),
			"within", within, "verdict", v.action(m["action"], c, what+": action")))
	}
	return filled(out)
}

// matches makes keys of server names and regular expressions for tools.
func (v *visor) matches(n, at *yaml.Node, what string) *yaml.Node {
	out := listAt(at)
	if len(v.items(n, what)) == 0 {
		v.fail(at, "%s: none; list one", what)
		return out
	}
	for _, item := range n.Content {
		m := v.members(item, what, "server", "tool_pattern")
		server, pattern := v.text(m["server"], what+": server"), v.text(m["tool_pattern"], what+": tool_pattern")
		if server == "" || pattern == "" {
			v.fail(item, "%s: want server and tool_pattern", what)
			continue
		}
		globs, ok := nameGlobs(pattern)
		if !ok {
			v.fail(m["tool_pattern"], "%s: the regular expression %q is no list of globs; write names, alternatives and .* only", what, pattern)
		}
		for _, g := range globs {
			out.Content = append(out.Content, v.caseless(m["tool_pattern"], strings.NewReplacer("?", `\?`, "[", `\[`, `\`, `\\`).Replace(server), g)...)
		}
	}
	return out
}

func (v *visor) taints(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	out := listAt(n)
	for _, t := range v.items(n, "taints") {
		m := v.members(t, "taints", "name", "description", "source_servers", "source_tools", "source_patterns")
		name, what := v.named(t, m, "taints")
		v.labels = append(v.labels, name.Value)
		if len(v.items(m["source_tools"], what+": source_tools")) == 0 {
			v.fail(t, "%s: no source_tools; list one", what)
			continue
		}
		var where *yaml.Node
		if p := m["source_patterns"]; p != nil {
			globs := listAt(p)
			for _, g := range v.texts(p, what+": source_patterns") {
				globs.Content = append(globs.Content, v.pathGlob(g, globDenies))
			}
			if len(globs.Content) == 1 {
				globs = globs.Content[0]
			}
			where = mapAt(p, contract.WhereAny, globs)
		}
		out.Content = append(out.Content, mapAt(t, "name", name, "from", v.toolsOf(m["source_servers"], m["source_tools"], what), "where", where))
	}
	return filled(out)
}

func (v *visor) egress(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	out := listAt(n)
	for _, e := range v.items(n, "egress_controls") {
		m := v.members(e, "egress_controls", "name", "description", "when_tainted", "sink_servers", "sink_tools", "action", "reason")
		name, what := v.named(e, m, "egress_controls")
		if r := m["reason"]; r != nil {
			v.comment("%s: %s", what, v.text(r, what+": reason"))
		}
		label, tools := m["when_tainted"], m["sink_tools"]
		known := false
		for _, l := range v.labels {
			known = known || label != nil && l == label.Value
		}
		switch {
		case label == nil || len(v.items(tools, what+": sink_tools")) == 0:
			v.fail(e, "%s: want when_tainted and sink_tools", what)
			continue
		case !known:
			v.fail(label, "%s: no entry of taints gives %q, so it gates nothing in MCP Visor%s", what, v.text(label, what+": when_tainted"), accepted(label.Value, v.labels))
		}
		out.Content = append(out.Content, mapAt(e, "name", name, "label", textAt(label, label.Value), "to", v.toolsOf(m["sink_servers"], tools, what),
			"scope", textAt(e, "session"), "verdict", v.action(m["action"], e, what+": action")))
	}
	return filled(out)
}

func (v *visor) identities(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	out := listAt(n)
	for _, i := range v.items(n, "identities") {
		m := v.members(i, "identities", "name", "description", "allowed_servers", "allowed_tools")
		name, what := v.named(i, m, "identities")
		used := map[string]bool{}
		servers := v.texts(m["allowed_servers"], what+": allowed_servers")
		tools := listAt(i)
		for _, t := range v.texts(m["allowed_tools"], what+": allowed_tools") {
			server, tool, ok := strings.Cut(t.Value, "/")
			if ok && (strings.ContainsAny(server, `*?[]{}\`) || checkText("server", server) != nil) {
				v.fail(t, "%s: no server has the name in %q, which MCP Visor compares character by character; write the names out", what, t.Value)
				continue
			}
			if key := v.toolKey(t, server, tool); ok && key != nil {
				used[server] = true
				tools.Content = append(tools.Content, key)
			}
			allowed := false
			for _, s := range servers {
				allowed = allowed || s.Value == server
			}
			if !ok || !allowed {
				v.fail(t, "%s: %q is never allowed in MCP Visor: it is no tool of one of the allowed_servers; list its server, or remove it", what, t.Value)
			}
		}
		for _, s := range servers {
			if !used[s.Value] {
				v.fail(s, "%s: server %q without a tool in allowed_tools allows nothing in MCP Visor; list a tool, or remove it", what, s.Value)
			}
		}
		if len(tools.Content) == 0 {
			v.fail(i, "%s: allows nothing; remove it, since whoever no entry is about may call nothing", what)
		}
		out.Content = append(out.Content, mapAt(i, "name", name, "tools", tools))
	}
	return filled(out)
}

// redaction translates what is made unreadable, and the files that nobody may
// touch. Where the file says nothing, MCP Visor has lists of its own.
func (v *visor) redaction(n, root *yaml.Node) (sensitive, redact *yaml.Node) {
	m := v.members(n, "redaction", "patterns", "output_redaction", "output_patterns", "sensitive_files")
	if o := m["output_redaction"]; o != nil && !v.flag(o, "redaction: output_redaction") {
		v.fail(o, "redaction: output_redaction: MCP Visor reads it nowhere and redacts outputs all the same; remove it, or the patterns")
	}
	out := listAt(root)
	for _, p := range v.items(m["patterns"], "redaction: patterns") {
		out.Content = append(out.Content, v.pattern(p, "arguments", "results", "ledger"))
	}
	for _, p := range v.items(m["output_patterns"], "redaction: output_patterns") {
		out.Content = append(out.Content, v.pattern(p, "results", "ledger"))
	}
	if m["patterns"] == nil {
		out.Content = append(out.Content, builtinPatterns(root, visorSecrets, "arguments", "results", "ledger")...)
	}
	if m["output_patterns"] == nil {
		out.Content = append(out.Content, builtinPatterns(root, visorOutputs, "results", "ledger")...)
	}
	files := textsAt(root, visorFiles...)
	if f := m["sensitive_files"]; f != nil {
		files = listAt(f)
		for _, g := range v.texts(f, "redaction: sensitive_files") {
			files.Content = append(files.Content, v.pathGlob(g, globIsFile))
		}
	}
	if len(files.Content) > 0 {
		rule := mapAt(files, "slot", textAt(files, "path"), "deny", files, "fold", bareAt(files, "true"))
		sensitive = block(listAt(files, rule))
	}
	return sensitive, filled(out)
}

func (v *visor) pattern(n *yaml.Node, in ...string) *yaml.Node {
	m := v.members(n, "redaction", "name", "regex", "replacement")
	name, what := v.named(n, m, "redaction")
	regex, with := m["regex"], m["replacement"]
	if v.text(regex, what+": regex") == "" {
		v.fail(n, "%s: no regex; write one", what)
		return mapAt(n)
	}
	if re, err := regexp.Compile(regex.Value); v.regex(regex, regex.Value) && err == nil && slices.Contains(re.SubexpNames(), "secret") {
		v.fail(regex, "%s: a group named secret has a meaning of its own here; give it another name", what)
	}
	if with == nil {
		v.fail(n, "%s: no replacement; write one", what)
		return mapAt(n)
	}
	if strings.Contains(with.Value, "$") {
		v.fail(with, "%s: replacement %q takes over a part of what it replaces, which no replacement here does; write the text out", what, with.Value)
	}
	return mapAt(n, "name", name, "pattern", textAt(regex, regex.Value), "with", textAt(with, with.Value), "in", textsAt(n, in...), "except", listAt(n))
}
