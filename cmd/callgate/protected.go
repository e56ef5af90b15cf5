package main

import (
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
)

// clientConfigs are the configurations of MCP clients below the user's
// configuration directory, clientHomes those below the home directory. Those
// that a project carries (.mcp.json, .cursor/mcp.json) are not among them: a
// policy says what may be written in a project.
var (
	clientConfigs = [...]string{
		"Claude/claude_desktop_config.json", "Code/User/mcp.json", "Code/User/settings.json", "Cursor/User/settings.json", "zed/settings.json",
		"Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
	}
	clientHomes = [...]string{
		".claude.json", ".claude/settings.json", ".claude/settings.local.json", ".cursor/mcp.json", ".codeium/windsurf/mcp_config.json",
		".codex/config.toml", ".gemini/settings.json", ".continue/config.yaml", ".continue/config.json", ".config/zed/settings.json",
	}
)

// protected lists the paths that belong to Callgate itself: policies with all
// that they include, state, cache and trust, and the user's own configurations
// of MCP clients, which say whether a server is behind it at all. Each stands in
// the list as named and with its links resolved.
func protected(p *policy.Policy, dir string) []string {
	paths := []string{dir}
	for _, f := range p.Files() {
		if f.Path != policy.Starter { // which is no file
			paths = append(paths, filepath.FromSlash(f.Path))
		}
	}
	if state, err := ledger.StateDir(os.Getenv); err == nil {
		paths = append(paths, state)
	}
	paths = append(paths, approval.SocketDirs(os.Getenv)...)
	if cache, err := os.UserCacheDir(); err == nil {
		paths = append(paths, filepath.Join(cache, "callgate"))
	}
	if config, err := os.UserConfigDir(); err == nil {
		paths = append(paths, filepath.Join(config, "callgate"))
		for _, file := range clientConfigs {
			paths = append(paths, filepath.Join(config, filepath.FromSlash(file)))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		for _, file := range clientHomes {
			paths = append(paths, filepath.Join(home, filepath.FromSlash(file)))
		}
	}
	var out []string
	seen := map[string]bool{}
	add := func(p string, err error) {
		if err == nil && !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, p := range paths {
		abs, err := filepath.Abs(p)
		add(abs, err)
		add(filepath.EvalSymlinks(abs))
	}
	return out
}
