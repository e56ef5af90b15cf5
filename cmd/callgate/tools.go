package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
)

func toolsCmd(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Show what is pinned of servers and their tools, compare it with what they say now, and accept that",
		Args:  wantsVerb,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(toolsLsCmd(std), toolsPinCmd(std), toolsDiffCmd(std), toolsAcceptCmd(std))
	return cmd
}

// pinPlace says which groups are meant.
type pinPlace struct{ group, ledger string }

func (p *pinPlace) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.group, "group", "", "only this group (default: every group that knows the server)")
	ledgerDir(cmd, &p.ledger)
}

// dirs lists the directories of the groups that are meant.
func (p *pinPlace) dirs() ([]string, error) {
	if p.group == "" {
		return groupDirs(p.ledger)
	}
	if p.ledger != "" {
		return nil, errors.New("--group beside --ledger: a directory given by --ledger has no groups; name one of them")
	}
	states, err := ledger.StateDirs(os.Getenv)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, state := range states {
		dir := ledger.GroupDir(state, p.group)
		if _, err := os.Stat(dir); err == nil {
			out = append(out, dir)
		}
	}
	return out, nil
}

// known lists what is known of servers: of one, if it is named.
func (p *pinPlace) known(server string) ([]*pinned, error) {
	dirs, err := p.dirs()
	if err != nil {
		return nil, err
	}
	var out []*pinned
	for _, dir := range dirs {
		names, err := serversIn(dir)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if server != "" && name != server {
				continue
			}
			k, err := readPinned(dir, name)
			if err != nil {
				return nil, err
			}
			out = append(out, k)
		}
	}
	return out, nil
}

// one is what is known of the server that is named, in the one group that has it.
func (p *pinPlace) one(server string) (*pinned, error) {
	list, err := p.known(server)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, failed(fmt.Errorf("nothing is known of a server %q; callgate tools ls lists those with pins", server))
	case len(list) > 1:
		return nil, ambiguous(list, server)
	}
	return list[0], nil
}

// ambiguous says how to name one of several. Groups of one name are in several
// directories of state: a client may start servers with less of an environment
// than a terminal has.
func ambiguous(list []*pinned, server string) error {
	var groups, dirs []string
	for _, k := range list {
		dirs = append(dirs, k.dir)
		if group := filepath.Base(k.dir); !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	if len(groups) < len(dirs) {
		return fmt.Errorf("the directories %q all know a server %q; name one with --ledger", dirs, server)
	}
	return fmt.Errorf("the groups %q all know a server %q; name one with --group", groups, server)
}

// serversIn lists the servers that a group directory knows, by name.
func serversIn(dir string) ([]string, error) {
	names, err := ledger.Pinned(dir)
	if err != nil {
		return nil, err
	}
	files, err := ledger.Group(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		names = append(names, f.Server)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func toolsLsCmd(std stdio) *cobra.Command {
	var place pinPlace
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List what is pinned, since when, and how it stands to what was listed last",
		Args:  wants(cobra.NoArgs, "it takes none; --group NAME lists one group only"),
		RunE: func(*cobra.Command, []string) error {
			list, err := place.known("")
			if err != nil {
				return err
			}
			out := []byte(lsText(list))
			if asJSON {
				out = jsonLine(lsValue(list))
			}
			_, err = std.out.Write(out)
			return err
		},
	}
	place.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func lsText(list []*pinned) string {
	if len(list) == 0 {
		return "nothing is pinned yet; a server is pinned when a client lists its tools through callgate\n"
	}
	var b strings.Builder
	for _, k := range list {
		fmt.Fprintf(&b, "%s  group %s%s\n", oneLine(k.server), oneLine(filepath.Base(k.dir)), apart(k, list))
		for _, s := range k.standings() {
			fmt.Fprintf(&b, "  %s  %s  %s  %s\n", s.title(), shortDigest(s.pin), pinnedAt(s.pin), s.says())
		}
	}
	return b.String()
}

// apart names the directory of a group that shares its name with another.
func apart(k *pinned, list []*pinned) string {
	for _, other := range list {
		if other.dir != k.dir && filepath.Base(other.dir) == filepath.Base(k.dir) {
			return "  in " + oneLine(k.dir)
		}
	}
	return ""
}

func lsValue(list []*pinned) abi.Value {
	servers := []abi.Value{}
	for _, k := range list {
		var tools []abi.Value
		for _, s := range k.standings() {
			at := ""
			if !s.pin.At.IsZero() {
				at = pinnedAt(s.pin)
			}
			digest := ""
			if s.isPinned() {
				digest = s.pin.Digest()
			}
			tools = append(tools, object("tool", stated(s.tool), "digest", stated(digest), "pinned", stated(at), "state", s.state, "why", stated(s.why)))
		}
		servers = append(servers, object("server", k.server, "group", filepath.Base(k.dir), "pins", abi.ArrayValue(tools...)))
	}
	return object("servers", abi.ArrayValue(servers...))
}

// shortDigest is enough of a pin's digest to tell two apart.
func shortDigest(p abi.Pin) string {
	const short = len("sha256:") + 12
	if !p.Definition.Exists() && !p.Identity.Exists() {
		return "-"
	}
	return p.Digest()[:short]
}

func pinnedAt(p abi.Pin) string {
	if p.At.IsZero() {
		return "-"
	}
	return p.At.UTC().Format("2006-01-02T15:04:05Z")
}
