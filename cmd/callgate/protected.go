package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/clients"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/watch"
)

// protected lists the paths that belong to Callgate itself: policies with all
// that they include and the links that lead to them, locks and bundles, the key of a
// webhook, state, cache and trust, and the user's own configurations of MCP clients, which say
// whether a server is behind it at all, with more that are named. Each stands in the list as named and with its links resolved.
func protected(p *policy.Policy, dir string, configs ...string) []string {
	paths := slices.Concat([]string{dir}, configs, policyFiles(p))
	if states, err := ledger.StateDirs(os.Getenv); err == nil {
		paths = append(paths, states...)
	}
	paths = append(paths, approval.SocketDirs(os.Getenv)...)
	if cache, err := os.UserCacheDir(); err == nil {
		paths = append(paths, filepath.Join(cache, "callgate"))
	}
	if config, err := os.UserConfigDir(); err == nil {
		paths = append(paths, filepath.Join(config, "callgate"))
	}
	// The client may see other variables than its servers do.
	for _, dirs := range []clients.Dirs{clients.DirsOf(runtime.GOOS, "", os.Getenv), bareDirs()} {
		paths = append(paths, dirs.Protected(clients.Table())...)
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
		for _, way := range watch.Ways(abs) {
			add(way, err)
		}
		add(filepath.EvalSymlinks(abs))
	}
	return out
}
