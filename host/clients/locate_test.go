package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
)

// env is an environment.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestClientsAreFoundWhereTheyKeepTheirFiles(t *testing.T) {
	root := t.TempDir()
	in := func(p string) string { return filepath.Join(root, filepath.FromSlash(p)) }
	cases := []struct {
		platform string
		env      func(string) string
		file     string
		client   string
	}{
		{"linux", env("HOME", in("h")), "h/.config/Claude/claude_desktop_config.json", "claude-desktop"},
		{"linux", env("HOME", in("h"), "XDG_CONFIG_HOME", in("x")), "x/Code/User/mcp.json", "vscode"},
		{"linux", env("HOME", in("h"), "XDG_CONFIG_HOME", "relative"), "h/.config/Code/User/settings.json", "vscode"},
		{"linux", env("HOME", in("h")), "h/.config/Code/User/profiles/-1f/mcp.json", "vscode"},
		{"linux", env("HOME", in("h")), "h/.config/zed/settings.json", "zed"},
		{"linux", env("HOME", in("h")), "h/.claude.json", "claude-code"},
		{"linux", env("HOME", in("h")), "h/.cursor/mcp.json", "cursor"},
		{"linux", env("HOME", in("h")), "h/.codeium/windsurf/mcp_config.json", "windsurf"},
		{"linux", env("HOME", in("h")), "h/.codex/config.toml", "codex"},
		{"linux", env("HOME", in("h")), "h/.gemini/settings.json", "gemini"},
		{"linux", env("HOME", in("h")), "h/.continue/config.yaml", "continue"},
		{"linux", env("HOME", in("h")), "h/.continue/mcpServers/x.yaml", "continue"},
		{"linux", env("HOME", in("h")), "h/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "cline"},
		{"darwin", env("HOME", in("h")), "h/Library/Application Support/Claude/claude_desktop_config.json", "claude-desktop"},
		{"darwin", env("HOME", in("h")), "h/Library/Application Support/Code/User/mcp.json", "vscode"},
		{"darwin", env("HOME", in("h")), "h/.config/zed/settings.json", "zed"},
		{"windows", env("USERPROFILE", in("h"), "AppData", in("r")), "r/Claude/claude_desktop_config.json", "claude-desktop"},
		{"windows", env("USERPROFILE", in("h")), "h/AppData/Roaming/Zed/settings.json", "zed"},
		{"windows", env("USERPROFILE", in("h"), "LocalAppData", in("l")), "l/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json", "claude-desktop"},
		{"windows", env("USERPROFILE", in("h")), "h/.cursor/mcp.json", "cursor"},
		{"linux", env("HOME", in("h")), "p/.mcp.json", "claude-code"},
		{"linux", env("HOME", in("h")), "p/.cursor/mcp.json", "cursor"},
		{"linux", env("HOME", in("h")), "p/.vscode/mcp.json", "vscode"},
		{"linux", env("HOME", in("h")), "p/.continue/mcpServers/a.yml", "continue"},
		{"linux", env("HOME", in("h")), "h/Claude/claude_desktop_config.json", ""},
		{"linux", env("HOME", in("h")), "h/.config/Zed/settings.json", ""},
		{"linux", env(), "h/.cursor/mcp.json", ""},
	}
	found := 0
	for _, c := range cases {
		t.Run(c.platform+" "+c.file, func(t *testing.T) {
			if err := os.MkdirAll(filepath.Dir(in(c.file)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(in(c.file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(in("h"))
			defer os.RemoveAll(in("p"))
			dirs := DirsOf(c.platform, in("p"), c.env)
			list := dirs.Find(Table())
			if c.client == "" {
				if len(list) != 0 {
					t.Errorf("found %+v", list)
				}
				return
			}
			found++
			user := !strings.HasPrefix(c.file, "p/")
			if len(list) != 1 || list[0].Client != c.client || list[0].Path != in(c.file) || list[0].User != user || list[0].Group != c.client {
				t.Fatalf("found %+v", list)
			}
			covered := slices.ContainsFunc(dirs.Protected(Table()), func(p string) bool {
				return p == in(c.file) || strings.HasPrefix(in(c.file), p+string(filepath.Separator))
			})
			if covered != user {
				t.Errorf("protected: %v; want %v", covered, user)
			}
		})
	}
	if found < 20 {
		t.Errorf("%d files were found; want 20 at least", found)
	}
}

func TestTheTableHasEachClientOnceWithALayout(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Table() {
		servers := 0
		for _, f := range c.Files {
			if f.Kind != NoServers {
				servers++
			}
			if (f.Kind == NoServers) != (len(f.Servers) == 0) || f.Path == "" || strings.HasPrefix(f.Path, "/") {
				t.Errorf("%s: %+v", c.Name, f)
			}
		}
		if names[c.Name] || servers == 0 || strings.ToLower(c.Name) != c.Name {
			t.Errorf("%+v", c)
		}
		names[c.Name] = true
	}
	for _, name := range []string{"claude-code", "claude-desktop", "cline", "codex", "continue", "cursor", "gemini", "vscode", "windsurf", "zed"} {
		if !names[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

func TestTheLayoutOfAnUnknownFileIsGuessedFromItsEnding(t *testing.T) {
	for name, data := range map[string]string{
		"x.json": oneJSON, "x.JSONC": `{"servers":{"a":{"command":"npx","args":["-y","x"]}}}`, "x.yml": oneYAML, "x.toml": oneTOML,
		"y.json": `{"projects":{"/p":{"mcpServers":{"a":{"command":"npx","args":["-y","x"]}}}}}`,
	} {
		l, ok := Guess(name)
		if !ok {
			t.Fatal(name)
		}
		if list, err := l.List([]byte(data)); err != nil || len(list) != 1 || list[0].State != Plain || len(list[0].Command) != 3 {
			t.Errorf("%s: %+v (%v)", name, list, err)
		}
	}
	for _, name := range []string{"x", "x.ini", "json", ".json.bak"} {
		if l, ok := Guess(name); ok {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func TestEveryNameOfAServerFitsWhereTheLedgerKeepsIt(t *testing.T) {
	tried := 0
	for _, name := range []string{"a", "a" + strings.Repeat(".", 63), "a" + strings.Repeat(" ", 63), strings.Repeat("n", 64), "a..b"} {
		if err := abi.CheckServerName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		l, _, err := ledger.Open(ledger.Options{Dir: t.TempDir(), Server: name, Now: time.Unix(1, 0), ID: strings.Repeat("0", 32)})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		tried++
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if tried != 5 {
		t.Errorf("%d names were tried", tried)
	}
}

func TestServersThatNoPolicyCanNameAreLeft(t *testing.T) {
	l, _ := Guess("mcp.json")
	for _, c := range []struct {
		name string
		did  Action
	}{{"files", DidWrap}, {"my files", DidWrap}, {"github.com/org/server", Left}, {"@org/server", Left}, {"..", Left}, {"-x", Left}, {"*", Left}, {"f\u00fc", Left}, {"", Left}} {
		data := []byte(`{"mcpServers":{"` + c.name + `":{"command":"cat"},"other":{"command":"cat"}}}`)
		out, did, err := l.Wrap(data, Options{Callgate: "/bin/callgate", Fallback: "g"})
		if err != nil || len(did) != 2 || did[0].Action != c.did || did[1].Action != DidWrap {
			t.Errorf("%s: %+v (%v)", c.name, did, err)
			continue
		}
		if c.did == Left && !strings.Contains(did[0].Why, "rename the server") {
			t.Errorf("%s: %s", c.name, did[0].Why)
		}
		back, _, err := l.Unwrap(out, UnwrapOptions{})
		if err != nil || string(back) != string(data) {
			t.Errorf("%s: unwrapped to %s (%v)", c.name, back, err)
		}
	}
}
