package clients

import (
	"fmt"
	"strings"
	"testing"
)

// joined is a text that is made for each number below n, with a separator.
func joined(n int, separator, format string) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(format, i))
	}
	return strings.Join(out, separator)
}

func TestAFileNamesNoMoreServersThanAClientHas(t *testing.T) {
	write := map[string]struct {
		Layout
		text func(n int) string
	}{
		"json": {mcpServers(), func(n int) string { return `{"mcpServers": {` + joined(n, ",", `"s%d": {"command": "x"}`) + "}}" }},
		"json, projects": {claudeCode().Files[0].Layout, func(n int) string {
			return `{"projects": {` + joined(n, ",", `"/p%d": {"mcpServers": {"s": {"command": "x"}}}`) + "}}"
		}},
		"toml":         {tomlLayout(), func(n int) string { return joined(n, "\n", "[mcp_servers.s%d]\ncommand = 'x'") }},
		"toml, inline": {tomlLayout(), func(n int) string { return "mcp_servers = {" + joined(n, ",", "s%d = {command = 'x'}") + "}" }},
		"yaml":         {yamlLayout(), func(n int) string { return "mcpServers: [" + joined(n, ", ", "{name: s%d, command: x}") + "]" }},
		"yaml, map":    {yamlLayout(), func(n int) string { return "mcpServers: {" + joined(n, ", ", "s%d: {command: x}") + "}" }},
	}
	for name, c := range write {
		t.Run(name, func(t *testing.T) {
			if list, err := c.List([]byte(c.text(maxServers))); err != nil || len(list) != maxServers || list[maxServers-1].State != Plain {
				t.Errorf("%d servers: %d are listed (%v)", maxServers, len(list), err)
			}
			if _, err := c.List([]byte(c.text(maxServers + 1))); err == nil || !strings.Contains(err.Error(), "the file names more than 1000 servers") {
				t.Errorf("one server more: error %v", err)
			}
			// So many that it would take minutes to look at the whole file for each.
			if _, err := c.List([]byte(c.text(60_000))); err == nil || !strings.Contains(err.Error(), "the file ") {
				t.Errorf("60000 servers: error %v", err)
			}
		})
	}
}

func TestArgsOfOneLongLineAreFoundInOneGo(t *testing.T) {
	const n = 200_000
	list, err := yamlLayout().List([]byte("mcpServers: [{args: [" + joined(n, ", ", "é%d") + "], command: x, name: a}]"))
	if err != nil || len(list) != 1 || list[0].State != Plain || len(list[0].Command) != n+1 || list[0].Command[n] != fmt.Sprint("é", n-1) {
		t.Errorf("%d entries (%v)", len(list), err)
	}
}

func TestWhatHidesServersIsAMistake(t *testing.T) {
	const base = "b: &b\n  mcpServers: [{name: a, command: x}]\n"
	for _, c := range []struct{ text, want string }{
		{base + "<<: *b\n", "it merges another map"},
		{base + "c:\n  <<: *b\n", ""}, // elsewhere
		{base + "'<<': 1\n", ""},      // only a key
		{"b: &b [{name: a, command: x}]\nmcpServers: *b\n", "mcpServers is an alias"},
		{"mcpServers: [{name: a, command: x}]\n", ""},
	} {
		_, err := yamlLayout().List([]byte(c.text))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v; want one with %q", c.text, err, c.want)
		}
	}
}
