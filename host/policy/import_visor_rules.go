package policy

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// visorTool collects what the rules of one tool become.
type visorTool struct {
	*visor
	what  string
	args  []*yaml.Node
	slots *yaml.Node
}

// visorRule is one type of rule: the member that it needs, "" for none, and what
// is made of it.
type visorRule struct {
	name, operand string
	make          func(t *visorTool, n, operand *yaml.Node)
}

// visorRules are the types of rules of MCP Visor 1.4.
var visorRules = []visorRule{
	{"deny_path", "patterns", func(t *visorTool, n, o *yaml.Node) { t.paths(n, o, "path", "deny") }},
	{"allow_path", "patterns", func(t *visorTool, n, o *yaml.Node) { t.paths(n, o, "path", "allow") }},
	{"allow_path_slot", "patterns", func(t *visorTool, n, o *yaml.Node) {
		t.alias(n, "path", "target", "dir", "directory")
		t.paths(n, o, "path", "allow")
	}},
	{"require_path_literal", "", func(t *visorTool, n, _ *yaml.Node) {
		// There, a call without a path is denied too.
		t.add(n, "slot", textAt(n, "path"), "allow", textsAt(n, "/**"), "literal", bareAt(n, "true"))
	}},
	{"allow_working_directory", "patterns", func(t *visorTool, n, o *yaml.Node) { t.paths(n, o, "cwd", "allow") }},
	{"deny_command_pattern", "patterns", func(t *visorTool, n, o *yaml.Node) { t.search(n, o, "command") }},
	{"allow_command_pattern", "patterns", func(t *visorTool, n, o *yaml.Node) { t.commands(n, o) }},
	{"deny_command_keyword", "keywords", func(t *visorTool, n, o *yaml.Node) { t.keywords(n, o) }},
	{"deny_query_pattern", "patterns", func(t *visorTool, n, o *yaml.Node) { t.search(n, o, "sql") }},
	{"allow_query_pattern", "patterns", func(t *visorTool, n, o *yaml.Node) { t.queries(n, o) }},
	{"allowed_repos", "repos", func(t *visorTool, n, o *yaml.Node) { t.exact(n, o, "repo") }},
	{"allow_resource_owner", "patterns", func(t *visorTool, n, o *yaml.Node) {
		t.alias(n, "owner", "owner", "user_id", "userid", "resource_owner", "account_id", "principal")
		t.exact(n, o, "owner")
	}},
	{"allow_application", "patterns", func(t *visorTool, n, o *yaml.Node) {
		t.alias(n, "application", "application", "app", "application_name", "app_name", "applicationname", "appname", "name")
		t.exact(n, o, "application")
	}},
	{"allow_skill", "patterns", func(t *visorTool, n, o *yaml.Node) {
		t.alias(n, "skill", "skill", "skill_id", "skill_name", "skillname", "skill_key", "skill_slug")
		t.exact(n, o, "skill")
	}},
	{"allow_activation", "patterns", func(t *visorTool, n, o *yaml.Node) {
		t.alias(n, "activation", "exec", "stdiocommand", "servercommand", "dest", "dest_host", "destination", "domain")
		t.exact(n, o, "activation")
	}},
	{"allow_destination", "patterns", func(t *visorTool, n, o *yaml.Node) {
		t.alias(n, "host", "url", "uri", "host", "hostname", "endpoint", "dest", "dest_host", "destination", "domain")
		t.exact(n, o, "host")
	}},
	{"allow_recipient", "patterns", func(t *visorTool, n, o *yaml.Node) { t.exact(n, o, "recipient") }},
	{"deny_recipient_domain", "domains", func(t *visorTool, n, o *yaml.Node) { t.domains(n, o, "deny", "*@", "*@*.") }},
	{"allow_recipient_domain", "domains", func(t *visorTool, n, o *yaml.Node) { t.domains(n, o, "allow", "*@") }},
	{"deny_secret", "", func(t *visorTool, n, _ *yaml.Node) {
		t.alias(n, "secret", "api_key", "apikey", "access_key", "secret", "password", "credential", "private_key", "token", "new_key")
		t.add(n, "slot", textAt(n, "secret"), "forbid", bareAt(n, "true"))
	}},
	{"deny_permission_bypass", "", func(t *visorTool, n, _ *yaml.Node) {
		t.alias(n, "bypass", "skip_permissions", "skip_permission", "skippermissions", "dangerously_skip_permissions",
			"dangerouslyskippermissions", "bypass_permissions", "bypasspermissions")
		t.add(n, "slot", textAt(n, "bypass"), "forbid", bareAt(n, "true"))
	}},
	{"max_file_size", "bytes", func(t *visorTool, n, o *yaml.Node) { t.most(n, o, "size") }},
	{"max_result_rows", "rows", func(t *visorTool, n, o *yaml.Node) { t.most(n, o, "rows") }},
	{"max_export_rows", "rows", func(t *visorTool, n, o *yaml.Node) { t.most(n, o, "rows") }},
	{"require_approval_always", "", nil},
}

// rule translates one rule, and says whether it wants every call approved.
func (t *visorTool) rule(n *yaml.Node) (ask bool) {
	m := t.members(n, t.what+": rule", "type", "patterns", "keywords", "bytes", "rows", "count", "domains", "repos", "days", "start", "end", "timezone")
	kind := m["type"]
	if kind == nil {
		t.fail(n, "%s: a rule without a type, which MCP Visor passes over; name one of its types", t.what)
		return false
	}
	var names []string
	for _, r := range visorRules {
		names = append(names, r.name)
	}
	i := slices.Index(names, t.text(kind, t.what+": type"))
	if i < 0 {
		t.fail(kind, "%s: unknown type of rule %q, which MCP Visor passes over%s", t.what, kind.Value, accepted(kind.Value, names))
		return false
	}
	r := visorRules[i]
	for _, name := range []string{"patterns", "keywords", "bytes", "rows", "count", "domains", "repos", "days", "start", "end", "timezone"} {
		if o := m[name]; o != nil && name != r.operand {
			t.fail(o, "%s: %s: MCP Visor reads no %s of it; remove that", t.what, r.name, name)
		}
	}
	if r.operand != "" && m[r.operand] == nil {
		t.fail(kind, "%s: %s without %s says nothing; list them, or remove it", t.what, r.name, r.operand)
		return false
	}
	if r.make == nil {
		return true
	}
	r.make(t, kind, m[r.operand])
	return false
}

func (t *visorTool) add(n *yaml.Node, pairs ...any) { t.args = append(t.args, mapAt(n, pairs...)) }

// alias says what arguments of the tool hold, by the names that MCP Visor looks
// at. One name holds values of one class.
func (t *visorTool) alias(n *yaml.Node, slot string, names ...string) {
	for _, name := range names {
		known := false
		for i := 0; i+1 < len(t.slots.Content); i += 2 {
			if t.slots.Content[i].Value == name {
				known = true
				if other := t.slots.Content[i+1].Value; other != slot {
					t.fail(n, "%s: two rules read the argument %q, one as %s and one as %s; keep one of them", t.what, name, other, slot)
				}
			}
		}
		if !known {
			putIn(t.slots, textAt(n, name), textAt(n, slot))
		}
	}
}

// paths makes a rule of globs, which are compared there without regard to case.
func (t *visorTool) paths(n, o *yaml.Node, slot, member string) {
	globs, kind := listAt(o), globDenies
	if member == "allow" {
		kind = globAllows
	}
	for _, p := range t.texts(o, t.what+": patterns") {
		globs.Content = append(globs.Content, t.pathGlob(p, kind))
	}
	if member == "deny" {
		t.some(n, globs)
	}
	t.add(n, "slot", textAt(n, slot), member, globs, "fold", bareAt(n, "true"))
}

// some holds that a rule that denies does deny something.
func (t *visorTool) some(n, list *yaml.Node) {
	if len(list.Content) == 0 {
		t.fail(list, "%s: %s has no patterns, so it denies nothing; list them, or remove it", t.what, n.Value)
	}
}

// exact makes a rule of values that are compared as a whole there.
func (t *visorTool) exact(n, o *yaml.Node, slot string) {
	values := listAt(o)
	for _, p := range t.texts(o, t.what+": "+n.Value) {
		if strings.ContainsAny(p.Value, "*?[]{}\\") {
			t.fail(p, "%s: %s compares %q character by character, and it would be a pattern here; write the values out", t.what, n.Value, p.Value)
		}
		value := strings.TrimSpace(p.Value)
		if slot == "host" {
			value = strings.ToLower(value)
		}
		values.Content = append(values.Content, textAt(p, value))
	}
	t.add(n, "slot", textAt(n, slot), "allow", values)
}

// domains makes a rule of mail domains. There, a domain is a piece of text that
// may stand anywhere in the value.
func (t *visorTool) domains(n, o *yaml.Node, member string, forms ...string) {
	values := listAt(o)
	for _, d := range t.texts(o, t.what+": domains") {
		domain := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(d.Value), "@"))
		if strings.ContainsAny(domain, "*?[]{}\\@ ") {
			t.fail(d, "%s: %q is not a domain; write one such as corp.example", t.what, d.Value)
		}
		for _, form := range forms {
			values.Content = append(values.Content, textAt(d, form+domain))
		}
	}
	if member == "deny" {
		t.some(n, values)
		t.comment("%s: %s denies addresses at the domains and below them; MCP Visor denies every text that a domain stands in, such as a@not-DOMAIN", t.what, n.Value)
	} else {
		t.alias(n, "recipient", "domain")
	}
	t.add(n, "slot", textAt(n, "recipient"), member, values)
	if hosts := t.domainArgument(values, forms); member == "deny" && len(hosts.Content) > 0 {
		t.add(n, "slot", textAt(n, "host"), "deny", hosts)
	}
}

// domainArgument lists the domains of a rule that denies, for the argument domain,
// which holds a host and no address.
func (t *visorTool) domainArgument(values *yaml.Node, forms []string) *yaml.Node {
	hosts := listAt(values)
	for i := 0; i < len(values.Content); i += len(forms) {
		v := values.Content[i]
		hosts.Content = append(hosts.Content, textAt(v, "*."+strings.TrimPrefix(v.Value, forms[0])))
	}
	return hosts
}

// search makes a rule of patterns that may stand nowhere in the text.
func (t *visorTool) search(n, o *yaml.Node, slot string) {
	patterns := listAt(o)
	for _, p := range t.texts(o, t.what+": patterns") {
		if t.regex(p, p.Value) {
			patterns.Content = append(patterns.Content, textAt(p, "(?i)"+p.Value))
		}
	}
	t.some(n, patterns)
	t.add(n, "slot", textAt(n, slot), "deny_pattern", patterns)
}

// keywords are pieces of text there, wherever they stand.
func (t *visorTool) keywords(n, o *yaml.Node) {
	patterns := listAt(o)
	for _, p := range t.texts(o, t.what+": keywords") {
		patterns.Content = append(patterns.Content, textAt(p, "(?i)"+regexp.QuoteMeta(p.Value)))
	}
	t.some(n, patterns)
	t.add(n, "slot", textAt(n, "command"), "deny_pattern", patterns)
}

// queries makes a rule of patterns one of which has to stand somewhere in the
// text; here it is matched as a whole.
func (t *visorTool) queries(n, o *yaml.Node) {
	patterns := listAt(o)
	for _, p := range t.texts(o, t.what+": patterns") {
		if t.regex(p, p.Value) {
			patterns.Content = append(patterns.Content, textAt(p, "(?s:.*)(?i:"+p.Value+")(?s:.*)"))
		}
	}
	t.add(n, "slot", textAt(n, "sql"), "allow_pattern", patterns)
}

// commands makes a rule of word patterns, one for each command that a regular
// expression begins with.
func (t *visorTool) commands(n, o *yaml.Node) {
	words := listAt(o)
	for _, p := range t.texts(o, t.what+": patterns") {
		if !t.regex(p, p.Value) {
			continue
		}
		list, ok := commandWords(p.Value)
		if !ok {
			t.fail(p, "%s: the regular expression %q does not spell out the first words of a command; write word patterns such as \"git log *\" under slot: command", t.what, p.Value)
		}
		for _, w := range list {
			words.Content = append(words.Content, textAt(p, w))
		}
	}
	t.add(n, "slot", textAt(n, "command"), "allow", words)
}

func (t *visorTool) most(n, o *yaml.Node, slot string) {
	t.count(o, t.what+": "+n.Value, "limits nothing in MCP Visor")
	t.add(n, "slot", textAt(n, slot), "max", bareAt(o, o.Value))
}

// regex says whether a regular expression compiles. MCP Visor passes over one
// that does not.
func (im *importer) regex(n *yaml.Node, s string) bool {
	if err := checkRegex(s); err != nil {
		im.fail(n, "%v", err)
		return false
	}
	return true
}
