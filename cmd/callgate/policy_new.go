package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/clients"
	drafts "github.com/callgate/callgate/host/suggest"
)

type policyNewFlags struct {
	config, client, out string
	tools               []string
	strict              bool
	timeout             time.Duration
}

func policyNewCmd(std stdio) *cobra.Command {
	var f policyNewFlags
	cmd := &cobra.Command{
		Use:   "new [flags]",
		Short: "Write a policy for the servers of a client",
		Long: "Writes a policy that names the servers of a client's configuration and says of each of their tools what the built-in\n" +
			"policy makes of it. Each stdio server is started, asked for its tools and ended; --tools gives a list instead. With\n" +
			"--strict, what the packs that fit exactly do not grant is denied, or asked about where the server says that it reads.\n" +
			"Read the result before you use it.",
		Example: "  callgate policy new --client claude-desktop -o policy.yaml\n  callgate policy new --tools filesystem=tools.json --strict",
		Args:    wants(cobra.NoArgs, "name a configuration with --config or --client, or lists with --tools"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return policyNew(cmd.Context(), std, f)
		},
	}
	cmd.Flags().StringVar(&f.config, "config", "", "configuration of a client")
	cmd.Flags().StringVar(&f.client, "client", "", "name of a client whose configurations are looked for")
	cmd.Flags().StringArrayVar(&f.tools, "tools", nil, "SERVER=FILE: a tools/list result, instead of starting that server")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "deny by default")
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "file to write, which must not exist (default: standard output)")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 30*time.Second, "how long one server may take to list its tools")
	return cmd
}

func policyNew(ctx context.Context, std stdio, f policyNewFlags) error {
	switch {
	case f.config != "" && f.client != "":
		return errors.New("--config beside --client: name one of them")
	case f.config == "" && f.client == "" && len(f.tools) == 0:
		return errors.New("nothing named; name a configuration with --config or --client, or lists with --tools SERVER=FILE")
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: want a duration above zero, such as 30s", f.timeout)
	case f.out != "":
		if err := vacant(f.out); err != nil {
			return err
		}
	}
	given, err := readTools(f.tools)
	if err != nil {
		return err
	}
	launches, err := f.launches()
	if err != nil {
		return err
	}
	servers := f.listed(ctx, std, launches, given)
	if len(servers) == 0 {
		return errors.New("the configuration has no servers; name another with --config, or give lists with --tools SERVER=FILE")
	}
	path, err := draftPath(f.out, "policy.yaml")
	if err != nil {
		return err
	}
	draft := drafts.Starter
	if f.strict {
		draft = drafts.Strict
	}
	data, err := draft(servers, drafts.Options{Path: path, Specs: builtin.Table()})
	if err != nil {
		return err
	}
	lists := map[string][]abi.Value{}
	for _, s := range servers {
		if s.Unlisted == "" {
			lists[s.Name] = s.Tools
		}
	}
	if err := checkDraft(path, data, lists); err != nil {
		return err
	}
	return put(std.out, f.out, data)
}

// listed gets the tools of every server: from the lists that are given, else
// from the server itself.
func (f policyNewFlags) listed(ctx context.Context, std stdio, launches []launch, given map[string][]abi.Value) []drafts.Server {
	var out []drafts.Server
	named := map[string]bool{}
	for _, l := range launches {
		if named[l.name] {
			fmt.Fprintf(std.err, "callgate: policy new: server %q is in the configuration more than once; the first entry counts\n", l.name)
			continue
		}
		named[l.name] = true
		s := drafts.Server{Name: l.name, Unlisted: l.why}
		if list, ok := given[l.name]; ok {
			s.Tools, s.Unlisted = list, ""
		} else if l.why == "" {
			list, err := l.list(ctx, f.timeout)
			if s.Tools = list; err != nil {
				s.Tools, s.Unlisted = nil, err.Error()
			}
		}
		if s.Unlisted != "" {
			fmt.Fprintf(std.err, "callgate: policy new: server %q: %s; give its list with --tools NAME=FILE\n", l.name, oneLine(shorten(s.Unlisted, 600)))
		}
		out = append(out, s)
	}
	for _, name := range sortedKeys(given) {
		if !named[name] {
			out = append(out, drafts.Server{Name: name, Tools: given[name]})
		}
	}
	return out
}

// launches reads the servers of the configurations that the flags name.
func (f policyNewFlags) launches() ([]launch, error) {
	if f.config == "" && f.client == "" {
		return nil, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	found, err := f.configurations(dir)
	if err != nil {
		return nil, err
	}
	var out []launch
	for _, c := range found {
		stored, err := clients.Read(c.Path)
		if err != nil {
			return nil, unread(err, "name a readable configuration")
		}
		list, err := launchesOf(c, stored.Data, dir)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", c.Path, err)
		}
		out = append(out, list...)
	}
	return out, nil
}

// configurations are the files that the flags name, with where in them the
// servers are.
func (f policyNewFlags) configurations(dir string) ([]clients.Found, error) {
	dirs := clients.DirsOf(runtime.GOOS, dir, os.Getenv)
	all := dirs.Find(clients.Table())
	if f.config != "" {
		one, err := configOf(all, f.config)
		if err != nil {
			return nil, err
		}
		return []clients.Found{one}, nil
	}
	var names, looked []string
	for _, c := range clients.Table() {
		names = append(names, c.Name)
		if c.Name == f.client {
			looked = dirs.Looked(c)
		}
	}
	if !slices.Contains(names, f.client) {
		return nil, fmt.Errorf("--client %q: not known; want one of %s, or a file with --config", f.client, strings.Join(names, ", "))
	}
	all = slices.DeleteFunc(all, func(c clients.Found) bool { return c.Client != f.client })
	if len(all) == 0 {
		return nil, fmt.Errorf("--client %s: no configuration at %q; name one with --config", f.client, looked)
	}
	return all, nil
}
