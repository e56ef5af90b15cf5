package policy

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// visor is the policy of MCP Visor 1.4 on its way into one of ours.
type visor struct {
	*importer
	allow   bool // default_action: allow
	servers *yaml.Node
	tools   *yaml.Node
	budgets *yaml.Node
	names   []*yaml.Node          // of the servers
	listed  []visorListed         // tools of the servers
	set     map[string]*yaml.Node // settings:
	window  int64                 // chain_window_size
	labels  []string
}

// visorListed is a tool that the file lists.
type visorListed struct{ server, tool, key string }

// What MCP Visor does where a file says nothing.
const (
	visorMaxTools = 100
	visorWindow   = 10
)

// importVisor translates a policy of MCP Visor.
func importVisor(im *importer, root *yaml.Node) *yaml.Node {
	m := im.members(root, "a policy of MCP Visor", "version", "description", "default_action", "settings", "servers",
		"tool_chains", "taints", "egress_controls", "identities", "time_restrictions", "redaction", "capability_ownership")
	v := &visor{importer: im, servers: mapAt(root), tools: mapAt(root), budgets: listAt(root), window: visorWindow}
	im.text(m["version"], "version") // any version that is not empty is accepted there
	if n := m["description"]; n != nil {
		im.comment("%s", im.text(n, "description"))
	}
	if n := m["capability_ownership"]; n != nil {
		im.fail(n, "capability_ownership has no counterpart; say who may call what under identities")
	}
	settings := v.readSettings(root, m)
	for _, n := range im.items(m["servers"], "servers") {
		v.server(n)
	}
	v.countCalls(root)
	labels := v.taints(m["taints"])
	flows := v.egress(m["egress_controls"])
	sensitive, redact := v.redaction(m["redaction"], root)
	every := mapAt(root, "replace", bareAt(root, "true")) // there are no heuristics there
	if sensitive != nil {
		putIn(every, textAt(root, "args"), sensitive)
		block(every)
	}
	putIn(v.tools, textAt(root, "*/*"), every)
	return block(mapAt(root,
		"callgate", bareAt(root, "1"),
		"packs", textAt(root, "none"),
		"settings", settings,
		"servers", filled(v.servers),
		"tools", filled(v.tools),
		"budgets", filled(v.budgets),
		"labels", labels,
		"flows", flows,
		"chains", v.chains(m["tool_chains"]),
		"identities", v.identities(m["identities"]),
		"schedules", v.schedules(m["time_restrictions"]),
		"redact", redact,
		"capability", v.capability()))
}

// visorSettings are the members of settings, and what they become; "" has a
// translation of its own.
var visorSettings = []struct{ name, to string }{
	{"max_argument_size_bytes", "max_argument_bytes"}, {"max_output_size_bytes", "max_result_bytes"}, {"session_max_tools", ""},
	{"session_timeout_seconds", ""}, {"approval_timeout_seconds", ""}, {"chain_window_size", ""}, {"log_level", ""},
	{"capability_accounting", ""}, {"max_spawn_depth", ""}, {"instruction_authority_continuity", ""},
}

func (v *visor) readSettings(root *yaml.Node, top map[string]*yaml.Node) *yaml.Node {
	action := top["default_action"]
	verdict := textAt(root, "deny")
	if action != nil {
		verdict = textAt(action, v.text(action, "default_action"))
		if v.allow = action.Value == "allow"; !v.allow && action.Value != "deny" {
			v.fail(action, "default_action: unknown action %q%s", action.Value, accepted(action.Value, []string{"deny", "allow"}))
		}
	}
	out := mapAt(root, "default", verdict, "unknown_server", verdict)
	v.set = v.members(top["settings"], "settings", visorNames()...)
	m := v.set
	for _, s := range visorSettings {
		if n := m[s.name]; n != nil && s.to != "" {
			v.count(n, "settings: "+s.name, "is the default in MCP Visor")
			putIn(out, textAt(n, s.to), bareAt(n, n.Value))
		}
	}
	wait := textAt(root, "300s")
	if n := m["approval_timeout_seconds"]; n != nil {
		v.count(n, "settings: approval_timeout_seconds", "is the default in MCP Visor")
		wait = textAt(n, n.Value+"s")
	}
	putIn(out, textAt(wait, "approval_timeout"), wait)
	if n := m["session_timeout_seconds"]; n != nil {
		v.count(n, "settings: session_timeout_seconds", "is the default in MCP Visor")
		putIn(out, textAt(n, "session_idle"), textAt(n, n.Value+"s"))
	}
	if n := m["chain_window_size"]; n != nil {
		v.window = v.count(n, "settings: chain_window_size", "is the default in MCP Visor")
	}
	if n := m["log_level"]; n != nil {
		level := v.text(n, "settings: log_level")
		if !slices.Contains([]string{"debug", "info", "warn", "error"}, level) {
			v.fail(n, "settings: log_level: unknown level %q", level)
		}
		v.comment("log_level: %s has no counterpart, and decides nothing", level)
	}
	if n := m["max_spawn_depth"]; n != nil && v.count(n, "settings: max_spawn_depth", "") > 0 {
		v.fail(n, "settings: max_spawn_depth has no counterpart; limit the tools that start agents with max_calls")
	}
	if n := m["instruction_authority_continuity"]; v.flag(n, "settings: instruction_authority_continuity") {
		v.fail(n, "settings: instruction_authority_continuity has no counterpart; remove it")
	}
	return out
}

// capability makes the opt-in account of what a session has shown to be able to.
func (v *visor) capability() *yaml.Node {
	n := v.set["capability_accounting"]
	if !v.flag(n, "settings: capability_accounting") {
		return nil
	}
	return mapAt(n, "envelope", listAt(n), "on_rise", textAt(n, "ask"))
}

func visorNames() []string {
	var names []string
	for _, s := range visorSettings {
		names = append(names, s.name)
	}
	return names
}

// countCalls makes the limit of calls in a session. MCP Visor counts in the
// process of each server, and what it relays.
func (v *visor) countCalls(root *yaml.Node) {
	most := bareAt(root, strconv.Itoa(visorMaxTools))
	if n := v.set["session_max_tools"]; n != nil {
		v.count(n, "settings: session_max_tools", "is the default in MCP Visor")
		most = bareAt(n, n.Value)
	}
	one := func(name, tools string) {
		v.budgets.Content = append(v.budgets.Content, mapAt(most,
			"name", textAt(most, name), "tools", textsAt(most, tools), "max", most, "count", textAt(most, "commits")))
	}
	if v.allow {
		one("session_max_tools", "*/*")
		return
	}
	for i, n := range v.names {
		name := "session_max_tools"
		if len(v.names) > 1 {
			name += "-" + strconv.Itoa(i+1)
		}
		one(name, n.Value+"/*")
	}
}

func (v *visor) server(n *yaml.Node) {
	m := v.members(n, "server", "name", "transport", "allowed", "allowed_destinations", "denied_destinations", "workspace_root", "attestation", "tools")
	name := m["name"]
	if name == nil {
		v.fail(n, "server: no name; give it the one that --server names")
		return
	}
	if err := checkText("server", v.text(name, "server: name")); err != nil && name.Value != "" {
		v.fail(name, "server: %v", err)
		return
	}
	if slices.ContainsFunc(v.names, func(o *yaml.Node) bool { return o.Value == name.Value }) {
		v.fail(name, "server %q stands there twice; join the two", name.Value)
		return
	}
	v.names = append(v.names, name)
	what := "server " + plain(name.Value)
	if t := v.text(m["transport"], what+": transport"); t != "" {
		if t != "stdio" && t != "http" {
			v.fail(m["transport"], "%s: transport: unknown transport %q%s", what, t, accepted(t, []string{"stdio", "http"}))
		}
		v.comment("transport of %s: %s; callgate run has the command or --url", name.Value, t)
	}
	allowed := v.flag(m["allowed"], what+": allowed")
	entry := mapAt(name)
	if !allowed {
		putIn(entry, textAt(name, "verdict"), textAt(name, "deny"))
	}
	putIn(v.servers, textAt(name, name.Value), entry)
	if n := m["workspace_root"]; n != nil {
		v.fail(n, "%s: workspace_root has no counterpart; write slot: path rules, and cwd: under servers", what)
	}
	if n := m["attestation"]; n != nil {
		v.fail(n, "%s: attestation: MCP Visor frames what it digests in a way of its own, so its digest is no use here; print the attest: entry with callgate attest COMMAND, and put it under servers", what)
	}
	v.destinations(what, name, m)
	for _, t := range v.items(m["tools"], what+": tools") {
		v.tool(name, allowed, t)
	}
}

// destinations are declared in MCP Visor and read by nothing.
func (v *visor) destinations(what string, name *yaml.Node, m map[string]*yaml.Node) {
	if n := m["allowed_destinations"]; n != nil {
		v.fail(n, "%s: allowed_destinations are read by nothing in MCP Visor, so no translation is exact; write allow_destination for the tools that have a host, or remove it", what)
	}
	if n := m["denied_destinations"]; n != nil {
		deny := listAt(n)
		for _, host := range v.texts(n, what+": denied_destinations") {
			deny.Content = append(deny.Content, textAt(host, strings.ToLower(strings.TrimSpace(host.Value))))
		}
		rule := mapAt(n, "slot", textAt(n, "host"), "deny", deny)
		putIn(v.tools, textAt(name, name.Value+"/*"), mapAt(n, "args", block(listAt(n, rule))))
	}
}

func (v *visor) tool(server *yaml.Node, allowed bool, n *yaml.Node) {
	m := v.members(n, "tool of "+plain(server.Value), "name", "allowed", "risk", "approval_required", "delegates", "rules")
	name := m["name"]
	if v.text(name, "tool: name") == "" {
		if name == nil {
			v.fail(n, "tool of %s: no name", plain(server.Value))
		}
		return
	}
	what := "tool " + plain(server.Value+"/"+name.Value)
	key := v.toolKey(name, server.Value, name.Value)
	if key == nil {
		return
	}
	for i := 0; i+1 < len(v.tools.Content); i += 2 {
		if v.tools.Content[i].Value == key.Value {
			v.fail(name, "%s stands there twice; join the two", what)
			return
		}
	}
	v.listed = append(v.listed, visorListed{server.Value, name.Value, key.Value})
	verdict := "deny"
	if v.flag(m["allowed"], what+": allowed") && allowed {
		verdict = "allow"
	}
	if v.flag(m["delegates"], what+": delegates") {
		v.fail(m["delegates"], "%s: delegates has no counterpart; limit the tool with max_calls", what)
	}
	t := visorTool{visor: v, what: what, slots: mapAt(name)}
	ask := v.flag(m["approval_required"], what+": approval_required")
	for _, rule := range v.items(m["rules"], what+": rules") {
		ask = t.rule(rule) || ask
	}
	if ask && verdict == "allow" {
		verdict = "ask"
	}
	out := mapAt(name, "verdict", textAt(name, verdict), "risk", v.risk(what, m["risk"]))
	if len(t.slots.Content) > 0 {
		putIn(out, textAt(name, "slots"), t.slots)
	}
	if len(t.args) > 0 {
		putIn(out, textAt(name, "args"), block(listAt(name, t.args...)))
		block(out)
	}
	putIn(v.tools, key, out)
}

// risk is what a tool is shown with. Unknown is what a tool without one is.
func (v *visor) risk(what string, n *yaml.Node) *yaml.Node {
	risk := v.text(n, what+": risk")
	switch {
	case risk == "" || risk == "unknown":
		return nil
	case !slices.Contains([]string{"low", "medium", "high", "critical"}, risk):
		v.fail(n, "%s: unknown risk %q%s", what, risk, accepted(risk, []string{"low", "medium", "high", "critical", "unknown"}))
	}
	return textAt(n, risk)
}
