package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
)

func TestTheConfigurationsOfClientsAreOutOfReach(t *testing.T) {
	home := t.TempDir()
	for name, dir := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_CACHE_HOME": filepath.Join(home, "cache")} {
		t.Setenv(name, dir)
	}
	p, err := policy.Load(policy.Options{Specs: builtin.Table()})
	if err != nil {
		t.Fatal(err)
	}
	list := protected(p, filepath.Join(home, "ledgers"))
	for path, want := range map[string]bool{
		".claude.json": true, ".cursor/mcp.json": true, ".codex/config.toml": true, "state/callgate": true, "ledgers": true,
		"notes/.claude.json": false, ".cursor": false, "work/.mcp.json": false,
	} {
		if got := slices.Contains(list, filepath.Join(home, path)); got != want {
			t.Errorf("%s protected: %v; want %v", path, got, want)
		}
	}
}
