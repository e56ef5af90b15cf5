package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/replay"
)

// policyFlags are the flags that name a policy.
type policyFlags struct {
	files []string
	floor string
}

func (f *policyFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.files, "policy", nil, "policy file; the one named last is the highest layer (default: the built-in starter policy)")
	cmd.Flags().StringVar(&f.floor, "floor", "", "policy that is judged beside the others; the stricter outcome holds")
}

// load loads the policy that the flags name, for the verbs that see all servers.
func (f *policyFlags) load() (*policy.Policy, error) {
	return policy.Load(policy.Options{Files: f.files, Floor: f.floor, Specs: builtin.Table()})
}

// loadRun loads it for a process that wraps one server, in a group or alone.
func (f *policyFlags) loadRun(group bool) (*policy.Policy, error) {
	return policy.Load(policy.Options{Files: f.files, Floor: f.floor, Specs: builtin.Table(), Run: true, Group: group})
}

type runFlags struct {
	policyFlags
	server, group, ledger string
	configs               []string // that start this process
	original              string   // what wrap replaced, for unwrap; nothing here depends on it
}

func runCmd(std stdio) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run [flags] -- COMMAND [ARGS...]",
		Short:   "Stand between a client and the stdio server that COMMAND starts",
		Example: "  callgate run --policy policy.yaml --server filesystem -- npx -y @modelcontextprotocol/server-filesystem .",
		Args:    wants(cobra.MinimumNArgs(1), "put the command of a server behind --, such as callgate run -- npx -y SERVER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := run(cmd, std, f, args)
			if err != nil {
				return err
			}
			if code != 0 {
				return exitError{code, nil}
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.SetFlagErrorFunc(serverFlagMistake)
	cmd.Flags().StringVar(&f.server, "server", "", "the name that policies know the server by (default: the base name of COMMAND)")
	cmd.Flags().StringVar(&f.group, "group", "", "the group of processes that serve one client (default: made from server and command)")
	cmd.Flags().StringVar(&f.ledger, "ledger", "", "directory of the ledger (default: the group's, under $XDG_STATE_HOME/callgate)")
	cmd.Flags().StringArrayVar(&f.configs, "config", nil, "configuration that starts this process; calls are kept away from it, as from those of known clients")
	cmd.Flags().StringVar(&f.original, "original", "", "")
	_ = cmd.Flags().MarkHidden("original") // it fails for a flag that is not there only
	return cmd
}

func run(cmd *cobra.Command, std stdio, f runFlags, command []string) (int, error) {
	p, err := f.loadRun(f.group != "")
	if err != nil {
		return 2, err
	}
	// What cannot start leaves no ledger behind.
	if err := startable(command[0]); err != nil {
		return 2, err
	}
	hook, err := webhook(p)
	if err != nil {
		return 2, err
	}
	here, err := place()
	if err != nil {
		return 2, err
	}
	server := f.server
	if server == "" {
		server = strings.TrimSuffix(filepath.Base(command[0]), filepath.Ext(command[0]))
	}
	dir, group, err := f.dirs(server, command)
	if err != nil {
		return 2, err
	}
	opened, err := proxy.Open(proxy.Opening{
		Policy: p, Specs: builtin.Table(), Server: server, Group: group, Dir: dir, Place: here, Version: version,
		Protected: protected(p, dir, f.configs...),
	})
	if err != nil {
		return 2, err
	}
	ask := asking(p, hook, approval.Info{ID: opened.Ledger.ID(), Server: server, Group: group, Ledger: opened.Ledger.Path()})
	srv := p.Server(server)
	code, err := proxy.Stdio(cmd.Context(), proxy.Options{
		Server: server, Command: command, Env: proxy.Environment(os.Environ(), srv.Env, srv.HasEnv), Engine: opened.Engine,
		Voice: proxy.NewVoice(p.Value()), Pins: opened.KeepPins, Asking: ask, Alone: true, In: std.in, Out: std.out, Stderr: std.err,
	})
	if closeErr := opened.Close(); err == nil && closeErr != nil {
		return 2, closeErr
	}
	return code, err
}

// startable says why a command cannot be started, as far as it can be told
// before it is.
func startable(name string) error {
	_, err := exec.LookPath(name)
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	if err != nil {
		return fmt.Errorf("%q: %w; name the command of a server behind --, with its path if it is in no directory of PATH", name, err)
	}
	return nil
}

// dirs returns the directory of the ledger and the id of the group.
func (f runFlags) dirs(server string, command []string) (dir, group string, err error) {
	group = f.group
	if group == "" {
		group = ledger.GroupID(server, command)
	}
	if f.ledger != "" {
		dir, err = filepath.Abs(f.ledger)
		return dir, group, err
	}
	state, err := ledger.StateDir(os.Getenv)
	if err != nil {
		return "", "", err
	}
	return ledger.GroupDir(state, group), group, nil
}

// toolList reads tool definitions from JSON: a list, an object with a list
// called tools, or the whole answer that has such an object as its result.
func toolList(data []byte) ([]abi.Value, error) {
	v, err := abi.Parse(data)
	if err != nil {
		return nil, errors.New(plainJSON(err) + "; want the server's answer to tools/list, as JSON")
	}
	if result := v.Get("result"); result.Exists() && !v.Get("tools").Exists() {
		v = result
	}
	return replay.ToolList(v)
}
