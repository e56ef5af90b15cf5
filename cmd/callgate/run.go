package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/facts"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/replay"
	"github.com/callgate/callgate/host/transport"
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
	return policy.Load(served(policy.Options{Files: f.files, Floor: f.floor, Specs: builtin.Table(), Plugin: pluginLoads}))
}

// loadRun loads it for a process that wraps one server, in a group or alone.
func (f *policyFlags) loadRun(group bool) (*policy.Policy, error) {
	return policy.Load(f.forRun(group))
}

// forRun is what is loaded for a process that wraps one server, in a group or
// alone.
func (f *policyFlags) forRun(group bool) policy.Options {
	return served(policy.Options{Files: f.files, Floor: f.floor, Specs: builtin.Table(), Plugin: pluginLoads, Run: true, Group: group})
}

type runFlags struct {
	policyFlags
	url    string // of the server, instead of a command
	remote upstreamFiles

	server, group, ledger string
	identity              string   // the entry of identities: that calls
	configs               []string // that start this process
	original              string   // what wrap replaced, for unwrap; nothing here depends on it
}

func runCmd(std stdio) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARGS...] | run [flags] --url URL",
		Short: "Stand between a client and the stdio server that COMMAND starts, or the server at URL",
		Example: "  callgate run --policy policy.yaml --server filesystem -- npx -y @modelcontextprotocol/server-filesystem .\n" +
			"  callgate run --server docs --url https://docs.example/mcp --headers-file docs.headers",
		Args: f.check,
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
	cmd.Flags().StringVar(&f.url, "url", "", "the server's URL, instead of a command: Streamable HTTP, or HTTP+SSE where it speaks nothing newer")
	f.remote.add(cmd)
	cmd.Flags().StringVar(&f.server, "server", "", "the name that policies know the server by (default: the base name of COMMAND, or the host of the URL, with its port behind a hyphen)")
	cmd.Flags().StringVar(&f.group, "group", "", "the group of processes that serve one client (default: made from server and command)")
	cmd.Flags().StringVar(&f.identity, "identity", "", "the entry of identities: in the policy that the client is")
	cmd.Flags().StringVar(&f.ledger, "ledger", "", "directory of the ledger (default: the group's, under $XDG_STATE_HOME/callgate)")
	cmd.Flags().StringArrayVar(&f.configs, "config", nil, "configuration that starts this process; calls are kept away from it, as from those of known clients")
	cmd.Flags().StringVar(&f.original, "original", "", "")
	_ = cmd.Flags().MarkHidden("original") // it fails for a flag that is not there only
	return cmd
}

// check wants either a command or a URL.
func (f *runFlags) check(cmd *cobra.Command, args []string) error {
	switch {
	case f.url == "" && len(args) == 0:
		return fmt.Errorf("%s: nothing named; put the command of a server behind --, such as callgate run -- npx -y SERVER, or name its URL with --url", cmd.CommandPath())
	case f.url != "" && len(args) > 0:
		return fmt.Errorf("%s: a server is a command or a URL; leave one of the two out", cmd.CommandPath())
	case f.url == "" && f.remote != (upstreamFiles{}):
		return fmt.Errorf("%s: headers and certificates are for a server at a URL; name it with --url", cmd.CommandPath())
	}
	return nil
}

// connect checks what the server is reached by. What can not start leaves no
// ledger behind.
func (f *runFlags) connect(command []string) (remote *transport.Options, name string, err error) {
	if f.url == "" {
		return nil, strings.TrimSuffix(filepath.Base(command[0]), filepath.Ext(command[0])), nil
	}
	o, err := f.remote.options(f.url)
	if err != nil {
		flag := flagOf(err)
		if flag == "--url" {
			flag += " " + shownURL(f.url)
		}
		return nil, "", fmt.Errorf("%s: %w", flag, err)
	}
	up, err := transport.NewUpstream(o)
	if err != nil {
		return nil, "", fmt.Errorf("--url %s: %w", shownURL(f.url), err)
	}
	return &o, strings.ReplaceAll(up.Host(), ":", "-"), nil
}

// shownURL quotes a URL without what may be secret in it: user information and
// the query.
func shownURL(s string) string {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		scheme, _, ok := strings.Cut(s[:at], "//")
		if !ok {
			scheme = ""
		}
		s = scheme + "//…" + s[at:]
	}
	if before, _, ok := strings.Cut(s, "?"); ok {
		s = before + "?…"
	}
	return strconv.Quote(s)
}

// named is the name of the server: what --server says, or else what it is
// reached by.
func (f *runFlags) named(said bool, reached string) (string, error) {
	if said {
		if err := abi.CheckServerName(f.server); err != nil {
			return "", fmt.Errorf("--server: %w", err)
		}
		return f.server, nil
	}
	if err := abi.CheckServerName(reached); err != nil {
		return "", fmt.Errorf("%w; give it one with --server", err)
	}
	return reached, nil
}

// knownIdentity checks what --identity names. Without it a policy with
// identities denies every call, as it says.
func knownIdentity(p *policy.Policy, name string) error {
	names := p.Identities()
	switch {
	case name == "" || slices.Contains(names, name):
		return nil
	case len(names) == 0:
		return fmt.Errorf("--identity: the policy has no identities; add one named %q, or leave the flag out", name)
	}
	return fmt.Errorf("--identity: the policy has no identity %q; it has %s", name, strings.Join(names, ", "))
}

func run(cmd *cobra.Command, std stdio, f runFlags, command []string) (int, error) {
	p, err := f.loadRun(f.group != "")
	if err != nil {
		return 2, err
	}
	if err := knownIdentity(p, f.identity); err != nil {
		return 2, err
	}
	remote, name, err := f.connect(command)
	if err != nil {
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
	server, err := f.named(cmd.Flags().Changed("server"), name)
	if err != nil {
		return 2, err
	}
	if remote != nil {
		command = []string{f.url}
	}
	srv := p.Server(server)
	if err := launchable(p, server, command, remote != nil); err != nil {
		return 2, err
	}
	dir, group, err := f.dirs(server, command)
	if err != nil {
		return 2, err
	}
	opened, err := proxy.Open(proxy.Opening{
		Policy: p, Specs: builtin.Table(), Plugin: pluginOf, Server: server, Group: group, Dir: dir, Place: here, Version: version(),
		Principal: abi.Principal{Identity: f.identity}, Local: remote == nil,
		Protected: protected(p, dir, append(f.configs, f.remote.names()...)...),
	})
	if err != nil {
		return 2, err
	}
	ask := asking(p, hook, approval.Info{ID: opened.Ledger.ID(), Server: server, Group: group, Ledger: opened.Ledger.Path()})
	o := proxy.Options{
		Attest: attestation(p, server),
		Server: server, Command: command, Dir: srv.Cwd, Env: proxy.Environment(os.Environ(), srv.Env, srv.HasEnv), Engine: opened.Engine,
		Voice: proxy.NewVoice(p.Value()).Naming(server), Pins: opened.KeepPins, Asking: ask, Alone: true, In: std.in, Out: std.out, Stderr: std.err,
	}
	stop := f.follow(cmd.Context(), std, &o, proxy.Loaded{Policy: p, Webhook: hook}, remote != nil)
	code, err := relay(cmd.Context(), o, remote)
	stop()
	if closeErr := opened.Close(); err == nil && closeErr != nil {
		return 2, closeErr
	}
	return code, err
}

// follow has the policy of a relay follow its files until it is stopped.
func (f *runFlags) follow(ctx context.Context, std stdio, o *proxy.Options, l proxy.Loaded, remote bool) (stop func()) {
	server, command := o.Server, o.Command
	r := newReloading(std, f.forRun(f.group != ""), l, []string{server}, func(p *policy.Policy) error {
		return errors.Join(knownIdentity(p, f.identity), attestable(p, server, command, remote))
	})
	o.Reloader = r.Reloader
	return r.start(ctx)
}

// relay runs a relay until its client or server has gone.
func relay(ctx context.Context, o proxy.Options, remote *transport.Options) (int, error) {
	if remote == nil {
		return proxy.Stdio(ctx, o)
	}
	session, err := transport.NewRemote(transport.RemoteOptions{
		Options: *remote, Schema: func(tool string) abi.Value { return o.Engine.Schema(o.Server, tool) },
	})
	if err != nil {
		return 2, err
	}
	o.Remote = session
	proxy.StdioRemote(ctx, o)
	return 0, nil
}

// launchable says why a server can not be started as the policy wants it.
func launchable(p *policy.Policy, server string, command []string, remote bool) error {
	if !remote {
		if err := startable(command[0], p.Server(server)); err != nil {
			return err
		}
	}
	return attestable(p, server, command, remote)
}

// startable says why a command cannot be started, as far as it can be told
// before it is.
func startable(name string, srv policy.Server) error {
	if srv.Cwd != "" {
		if err := enterable(srv.Cwd); err != nil {
			return fmt.Errorf("%s: %w", srv.CwdAt, err)
		}
	}
	if _, err := facts.Program(name, srv.Cwd); err != nil {
		return fmt.Errorf("%q: %w; name the command of a server behind --, with its path if it is in no directory of PATH", name, err)
	}
	return nil
}

// enterable says why nothing can be started in a directory.
func enterable(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%q is no directory that can be entered; name one", dir)
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
