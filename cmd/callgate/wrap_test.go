package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/clients"
	"github.com/callgate/callgate/host/policy"
)

// startAs starts a server as a client does that has a configuration, and talks to
// it: startas CONFIG SERVER FRAMES.
func startAs(config, server, frames string) int {
	data, err := os.ReadFile(config)
	if err != nil {
		panic(err)
	}
	if data, err = hujson.Standardize(data); err != nil {
		panic(err)
	}
	v, err := abi.Parse(data)
	if err != nil {
		panic(err)
	}
	entry := v.Get("mcpServers").Get(server)
	command := []string{entry.Get("command").Str()}
	for _, a := range entry.Get("args").Items() {
		command = append(command, a.Str())
	}
	return talk(frames, command)
}

func TestRunTakesWhatWrapWrites(t *testing.T) {
	layout := clients.Layout{Kind: clients.JSON, Servers: [][]string{{"mcpServers"}}}
	config := `{"mcpServers":{"odd name":{"command":"npx","args":["--server","x","--","-y"]}}}`
	out, _, err := layout.Wrap([]byte(config), clients.Options{
		Callgate: "callgate", Group: "-g", Policies: []string{"/a", "/b"}, Floor: "/f", Config: "/c",
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := abi.Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, a := range v.Get("mcpServers").Get("odd name").Get("args").Items()[1:] {
		words = append(words, a.Str())
	}
	cmd := runCmd(stdio{})
	if err := cmd.ParseFlags(words); err != nil {
		t.Fatal(err)
	}
	if got, want := cmd.Flags().Args(), []string{"npx", "--server", "x", "--", "-y"}; !slices.Equal(got, want) {
		t.Errorf("what follows -- is %q; want %q", got, want)
	}
	for name, want := range map[string]string{"server": "odd name", "group": "-g", "policy": "[/a,/b]", "floor": "/f", "config": "[/c]"} {
		if got := cmd.Flags().Lookup(name).Value.String(); got != want {
			t.Errorf("--%s is %s; want %s", name, got, want)
		}
	}
	if f := cmd.Flags().Lookup("original"); f.Value.String() == "" || !f.Hidden || strings.Contains(cmd.UsageString(), "original") {
		t.Errorf("--original is %+v; want it set, and hidden", f)
	}
}

func TestWrapNamesTheFilesThatRunDoesNotProtectByItself(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "elsewhere"))
	always := protectedAnyway()
	for path, want := range map[string]bool{
		".cursor/mcp.json": true, ".claude.json": true, "elsewhere/Claude/claude_desktop_config.json": false, "project/.mcp.json": false,
	} {
		if got := always[filepath.Join(home, filepath.FromSlash(path))]; got != want {
			t.Errorf("%s: %v; want %v", path, got, want)
		}
	}
	p, err := policy.Load(policy.Options{Specs: builtin.Table()})
	if err != nil {
		t.Fatal(err)
	}
	named := filepath.Join(home, "project", ".mcp.json")
	for _, with := range []bool{false, true} {
		list := protected(p, filepath.Join(home, "ledgers"))
		if with {
			list = protected(p, filepath.Join(home, "ledgers"), named)
		}
		if slices.Contains(list, named) != with {
			t.Errorf("--config given: %v; protected: %v", with, !with)
		}
		if runtime.GOOS == "linux" && !slices.Contains(list, filepath.Join(home, "elsewhere", "Code", "User", "mcp.json")) {
			t.Errorf("the directory that XDG_CONFIG_HOME names is not protected")
		}
	}
}
