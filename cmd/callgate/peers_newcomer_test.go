package main_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestANewcomersPath goes the way of somebody who has just installed callgate,
// with real servers and a real client.
func TestANewcomersPath(t *testing.T) {
	unixOnly(t) // the configuration holds paths as a JSON string holds them as they are
	p := openPeers(t)
	modules := filepath.Join(p.dir, "node_modules", "@modelcontextprotocol")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/newcomer",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			config := filepath.Join(home, ".config", "Claude")
			if runtime.GOOS == "darwin" {
				config = filepath.Join(home, "Library", "Application Support", "Claude")
			}
			for name, value := range map[string]string{
				"HOME": home, "PEERS": modules, "CONFIG": filepath.Join(config, "claude_desktop_config.json"),
				"INSPECTOR": filepath.Join(modules, "inspector", "clients", "launcher", "build", "index.js"),
				"PATH":      filepath.Dir(p.callgate) + string(filepath.ListSeparator) + os.Getenv("PATH"),
				"GORACE":    "atexit_sleep_ms=0", "MCP_INSPECTOR_SECRET_STORE": "memory",
			} {
				e.Setenv(name, value)
			}
			return os.MkdirAll(config, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"fill": fill},
	})
}

// fill puts variables into files: fill FILE...
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fill FILE...")
	}
	for _, name := range args {
		text := os.Expand(ts.ReadFile(name), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}
