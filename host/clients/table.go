package clients

import (
	"path/filepath"
	"slices"
	"strings"
)

// Base is the directory that a file of a client is below.
type Base int

// The bases. Those of InProject are where a client that was started in the
// project looks.
const (
	InHome    Base = iota
	InConfig       // $XDG_CONFIG_HOME or ~/.config, ~/Library/Application Support, %AppData%
	InLocal        // %LocalAppData%
	InProject      // the working directory
)

// File is a configuration of a client.
type File struct {
	Base     Base
	Platform string // where it is looked for, as in GOOS; "" for everywhere
	Path     string // below the base, with slashes; a name may have the wildcards of path.Match
	Layout
}

// Client is a program that starts MCP servers.
type Client struct {
	Name  string // as the command line has it; the group of its servers too
	Files []File
}

// Table lists the clients that are known, one file each, by name.
func Table() []Client {
	return []Client{
		claudeCode(), claudeDesktop(), cline(), codex(), continueDev(), cursor(), gemini(), vscode(), windsurf(), zed(),
	}
}

// mcpServers is the layout that most clients have.
func mcpServers() Layout { return Layout{JSON, [][]string{{"mcpServers"}}} }

// none is the layout of a file that is only protected.
func none() Layout { return Layout{} }

// Guess is the layout of a file that no client of the table has, by its ending:
// all places that any client has servers in.
func Guess(path string) (Layout, bool) {
	kind, ok := map[string]Kind{".json": JSON, ".jsonc": JSON, ".toml": TOML, ".yaml": YAML, ".yml": YAML}[strings.ToLower(filepath.Ext(path))]
	if !ok {
		return Layout{}, false
	}
	out := Layout{Kind: kind}
	for _, c := range Table() {
		for _, f := range c.Files {
			for _, place := range f.Servers {
				known := slices.ContainsFunc(out.Servers, func(p []string) bool { return slices.Equal(p, place) })
				if f.Kind == kind && !known {
					out.Servers = append(out.Servers, place)
				}
			}
		}
	}
	return out, true
}
