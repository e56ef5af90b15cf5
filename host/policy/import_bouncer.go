package policy

import (
	"path"
	"strings"

	"gopkg.in/yaml.v3"
)

// bouncerKeys are the members of one tool of a Bouncer policy.
var bouncerKeys = []string{
	"exfiltrating", "sink_params", "trusted_destinations", "write_params", "allowed_path_prefixes", "arg_patterns", "max_calls",
}

// importBouncer translates a policy of Bouncer 0.1: a map of tools. There, a
// tool that no entry is about is allowed once heuristics have seen it, and an
// entry takes the place of everything below it.
func importBouncer(im *importer, root *yaml.Node) *yaml.Node {
	tools := block(mapAt(root))
	for _, m := range im.pairs(root, "a policy of Bouncer") {
		im.isText(m.key, "a policy of Bouncer", true)
		if key := im.toolKey(m.key, "", m.key.Value); key != nil {
			putIn(tools, key, block(im.bouncerTool(m.key, m.value)))
		}
	}
	return block(mapAt(root,
		"callgate", bareAt(root, "1"),
		"packs", textAt(root, "none"),
		"settings", mapAt(root, "default", textAt(root, "allow"), "unlisted", textAt(root, "ask"), "taint", textAt(root, "strict")),
		"tools", filled(tools)))
}

// toolKey makes the key of a tool of a server, or of every server, from names
// that hold no globs.
func (im *importer) toolKey(n *yaml.Node, server, tool string) *yaml.Node {
	escaped := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(tool)
	switch {
	case strings.ContainsAny(tool, "{}") || strings.IndexFunc(tool, invisible) >= 0:
		im.fail(n, "%q can not be the name of a tool here; braces and invisible characters have no place in a key", tool)
		return nil
	case server != "":
		escaped = server + "/" + escaped
	case strings.Contains(tool, "/"):
		escaped = "*/" + escaped
	}
	return textAt(n, escaped)
}

func (im *importer) bouncerTool(key, n *yaml.Node) *yaml.Node {
	what := "tool " + plain(key.Value)
	m := im.members(n, what, bouncerKeys...)
	var args []*yaml.Node
	slots := im.bouncerPaths(what, m["write_params"], m["allowed_path_prefixes"], &args)
	for _, p := range im.pairs(m["arg_patterns"], what+": arg_patterns") {
		im.isText(p.key, what+": arg_patterns", false)
		im.isText(p.value, what+": arg_patterns", false)
		if pattern := im.pythonPattern(p.value, what+": arg_patterns"); pattern.Value != "" {
			args = append(args, mapAt(p.key, "arg", im.argument(p.key), "match", pattern))
		}
	}
	out := mapAt(key, "replace", bareAt(key, "true"), "sink", im.bouncerSink(what, m), "slots", slots)
	if len(args) > 0 {
		putIn(out, textAt(key, "args"), block(listAt(key, args...)))
	}
	if n := m["max_calls"]; n != nil {
		im.count(n, what+": max_calls", "")
		putIn(out, textAt(n, "max_calls"), bareAt(n, n.Value))
	}
	return out
}

// argument makes the name of an argument, which there is never a JSON Pointer.
func (im *importer) argument(n *yaml.Node) *yaml.Node {
	if name := n.Value; strings.HasPrefix(name, "/") {
		return textAt(n, "/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return textAt(n, n.Value)
}

func (im *importer) arguments(n *yaml.Node, what string) *yaml.Node {
	if n == nil {
		return nil
	}
	out := listAt(n)
	for _, item := range im.texts(n, what) {
		im.isText(item, what, false)
		out.Content = append(out.Content, im.argument(item))
	}
	return out
}

// bouncerSink makes the sink of an exfiltrating tool. One that declares no
// destinations is judged on every argument, there and here.
func (im *importer) bouncerSink(what string, m map[string]*yaml.Node) *yaml.Node {
	to, trusted := m["sink_params"], m["trusted_destinations"]
	flag := m["exfiltrating"]
	if !im.flag(flag, what+": exfiltrating") {
		for _, name := range []string{"sink_params", "trusted_destinations"} {
			if n := m[name]; n != nil {
				im.fail(n, "%s: %s gates nothing in Bouncer without exfiltrating: true; write that, or remove it", what, name)
			}
		}
		return nil
	}
	out := mapAt(flag, "to", im.arguments(to, what+": sink_params"))
	if to == nil {
		putIn(out, textAt(flag, "to"), listAt(flag))
	}
	if trusted == nil {
		return out
	}
	exact := listAt(trusted)
	for _, n := range im.texts(trusted, what+": trusted_destinations") {
		im.isText(n, what+": trusted_destinations", false)
		if strings.Contains(n.Value, "*") {
			im.fail(n, "%s: %q is compared character by character in Bouncer, and would be a pattern here; write the destinations out", what, n.Value)
		}
		exact.Content = append(exact.Content, textAt(n, strings.TrimSpace(n.Value)))
	}
	putIn(out, textAt(trusted, "trusted"), exact)
	return out
}

// bouncerPaths makes a rule for each parameter that may only name paths below a
// prefix. Without prefixes a parameter is confined to nothing, and is only said
// to hold a path.
func (im *importer) bouncerPaths(what string, params, prefixes *yaml.Node, args *[]*yaml.Node) (slots *yaml.Node) {
	if prefixes != nil && len(im.items(prefixes, what+": allowed_path_prefixes")) == 0 {
		im.fail(prefixes, "%s: no allowed_path_prefixes confine nothing in Bouncer; list one, or remove it", what)
	}
	if prefixes != nil && params == nil {
		im.fail(prefixes, "%s: allowed_path_prefixes confine nothing in Bouncer without write_params; name the arguments, or remove it", what)
	}
	if prefixes != nil && params != nil && len(im.items(params, what+": write_params")) == 0 {
		im.fail(params, "%s: no write_params, so that allowed_path_prefixes confine nothing in Bouncer; name the arguments, or remove both", what)
	}
	if params == nil {
		return nil
	}
	for _, n := range im.items(params, what+": write_params") {
		im.isText(n, what+": write_params", false)
	}
	if prefixes == nil {
		slots = mapAt(params)
		for _, n := range im.texts(params, what+": write_params") {
			putIn(slots, im.argument(n), textAt(n, "path"))
		}
		return slots
	}
	allow := listAt(prefixes)
	for _, n := range im.texts(prefixes, what+": allowed_path_prefixes") {
		allow.Content = append(allow.Content, im.prefix(n))
	}
	for _, n := range im.texts(params, what+": write_params") {
		*args = append(*args, mapAt(n, "slot", textAt(n, "path"), "arg", im.argument(n), "allow", allow))
	}
	return nil
}

// prefix makes the pattern of everything at or below a directory.
func (im *importer) prefix(n *yaml.Node) *yaml.Node {
	im.isText(n, "allowed_path_prefixes", false)
	clean := path.Clean(n.Value)
	dir := strings.TrimRight(escapeGlob(clean), "/")
	switch {
	case strings.HasPrefix(n.Value, "//"):
		im.fail(n, "prefix %q: Bouncer takes a path with two slashes before it for another one; write one", n.Value)
	case clean == ".." || strings.HasPrefix(clean, "../"):
		im.fail(n, "prefix %q: what is above where Bouncer was started is not known here; write the absolute path", n.Value)
	case strings.HasPrefix(n.Value, "~") || strings.HasPrefix(n.Value, "$"):
		im.fail(n, "prefix %q: Bouncer expands neither ~ nor variables, so it stands for a directory of that very name; write the absolute path", n.Value)
	case strings.HasPrefix(n.Value, "/"):
	case clean == ".":
	default:
		dir = "./" + dir
	}
	return textAt(n, dir+"/**")
}
