package clients

import (
	"testing"
)

// Each target wraps and unwraps whatever it is given as [roundTrip] does; what is
// refused must be refused everywhere.

func FuzzJSON(f *testing.F) {
	fuzz(f, Layout{JSON, [][]string{{"mcpServers"}, {"projects", "*", "mcpServers"}, {"mcp", "servers"}, {"context_servers"}}},
		`{"mcpServers":{"a":{"command":"a","args":["x"]}}}`, `{/**/"context_servers":{"a":{"command":{"path":"p"}}},}`)
}

func FuzzTOML(f *testing.F) {
	fuzz(f, Layout{TOML, [][]string{{"mcp_servers"}}}, "[mcp_servers.a]\ncommand='a'\nargs=[\n'x',#\n]\n", "mcp_servers={a={command=\"a\"}}", "mcp_servers.a.command='a'")
}

func FuzzYAML(f *testing.F) {
	fuzz(f, Layout{YAML, [][]string{{"mcpServers"}}}, "mcpServers:\n- name: a\n  command: a\n  args:\n  - x\n", "mcpServers: [{name: a, command: 'a', args: [x]}]", "{mcpServers: {a: {command: \"a\"}}}")
}

func fuzz(f *testing.F, l Layout, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	for _, s := range corpus(f) {
		if s.Kind == l.Kind && len(s.data) < 4<<10 {
			f.Add(s.data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 16<<10 {
			return
		}
		if _, err := l.List(data); err == nil {
			if _, _, err := l.Wrap(data, options()); err != nil {
				return // it can be read and not be wrapped safely
			}
		}
		roundTrip(t, l, data)
	})
}
