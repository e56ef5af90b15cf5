package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/clients"
)

type wrapFlags struct {
	policyFlags
	chosen
	callgate, group string
}

func wrapCmd(std stdio) *cobra.Command {
	var f wrapFlags
	cmd := &cobra.Command{
		Use:   "wrap [flags] [CLIENT...]",
		Short: "Put callgate in front of the servers that clients start",
		Long: "Edits the configurations of MCP clients, so that each server is started behind `callgate run`. Nothing else\n" +
			"in a file changes, and `callgate unwrap` restores it byte for byte.\n\nClients: " + strings.Join(clientNames(), ", ") + ".",
		Example: "  callgate wrap claude-desktop --policy policy.yaml --dry-run\n  callgate wrap --config ./mcp.json --server filesystem",
		RunE: func(_ *cobra.Command, words []string) error {
			f.clients = words
			return wrap(std, f)
		},
	}
	f.policyFlags.add(cmd)
	f.chosen.add(cmd)
	cmd.Flags().StringVar(&f.callgate, "callgate", "", "the program that clients start (default: this one)")
	cmd.Flags().StringVar(&f.group, "group", "", "the group of the servers (default: what they have, or else the name of the client)")
	return cmd
}

func wrap(std stdio, f wrapFlags) error {
	found, err := f.find()
	if err != nil {
		return err
	}
	if found == nil {
		return f.offer(std, "wrap")
	}
	program, err := program(f.callgate)
	if err != nil {
		return err
	}
	if err := f.absolute(); err != nil {
		return err
	}
	// A server whose policy does not load would not start any more.
	if len(f.files) > 0 || f.floor != "" {
		if _, err := f.loadRun(true); err != nil {
			return err
		}
	}
	always := protectedAnyway()
	return f.edit(std, found, func(c clients.Found, data []byte, servers []string) ([]byte, []clients.Outcome, error) {
		o := clients.Options{
			Callgate: program, Group: f.group, Fallback: c.Group, Policies: f.files, Floor: f.floor, Servers: servers,
		}
		if !always[c.Path] {
			o.Config = c.Path
		}
		return c.Wrap(data, o)
	})
}

// absolute makes the paths of policies hold wherever a client starts servers.
func (f *wrapFlags) absolute() (err error) {
	for i := range f.files {
		if f.files[i], err = filepath.Abs(f.files[i]); err != nil {
			return err
		}
	}
	if f.floor != "" {
		f.floor, err = filepath.Abs(f.floor)
	}
	return err
}

// protectedAnyway are the files that every run keeps out of reach of calls. A
// client may start a server without the variables that this process has.
func protectedAnyway() map[string]bool {
	out := map[string]bool{}
	for _, p := range bareDirs().Protected(clients.Table()) {
		out[p] = true
	}
	return out
}

// bareDirs are the directories of clients as far as the home directory tells.
func bareDirs() clients.Dirs {
	home, err := os.UserHomeDir()
	return clients.DirsOf(runtime.GOOS, "", func(name string) string {
		if err == nil && (name == "HOME" || name == "USERPROFILE") {
			return home
		}
		return ""
	})
}

// program is the absolute path of the program that clients start: what is named,
// or this one, by the name that PATH has for it: a name that survives an update.
func program(named string) (string, error) {
	if named != "" {
		path, err := exec.LookPath(named)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return "", fmt.Errorf("--callgate %q: it can not be started (%w); name the program callgate", named, err)
		}
		return path, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("%w; name the program with --callgate", err)
	}
	if path, err := exec.LookPath("callgate"); err == nil && filepath.IsAbs(path) && sameFile(path, self) {
		return path, nil
	}
	if strings.Contains(filepath.ToSlash(self), "/go-build") { // of go run
		return "", fmt.Errorf("%q is gone when this command ends; install callgate, or name the program with --callgate", self)
	}
	return self, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
