package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/plural"
)

func toolsPinCmd(std stdio) *cobra.Command {
	var place pinPlace
	var file string
	var yes bool
	cmd := &cobra.Command{
		Use:   "pin SERVER --tools FILE",
		Short: "Pin the tools of a recorded list, before the server is started",
		Long: "Pins the tools of FILE, the answer of a server to tools/list: what the server lists differently is drift from then on, and\n" +
			"what it lists besides asks. Tools that are pinned already must be the same; callgate tools accept is for those that moved.",
		Args: wants(cobra.ExactArgs(1), "want one SERVER, by the name that policies know it by"),
		RunE: func(_ *cobra.Command, args []string) error {
			if file == "" {
				return errors.New("callgate tools pin: no list; name a file that holds the server's answer to tools/list with --tools")
			}
			if err := ofPerson(); err != nil {
				return err
			}
			k, err := place.toPin(args[0])
			if err != nil {
				return err
			}
			return k.pin(std, file, yes)
		},
	}
	place.add(cmd)
	cmd.Flags().StringVar(&file, "tools", "", "file that holds the server's answer to tools/list")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// toPin is the place of a server's pins, which need not be there yet where a
// group or a directory is named.
func (p *pinPlace) toPin(server string) (*pinned, error) {
	if err := abi.CheckServerName(server); err != nil {
		return nil, err
	}
	dir := ""
	switch {
	case p.group != "" && p.ledger != "":
		return nil, errors.New("--group beside --ledger: a directory given by --ledger has no groups; name one of them")
	case p.group != "":
		state, err := ledger.StateDir(os.Getenv)
		if err != nil {
			return nil, err
		}
		dir = ledger.GroupDir(state, p.group)
	case p.ledger != "":
		abs, err := filepath.Abs(p.ledger)
		if err != nil {
			return nil, err
		}
		dir = abs
	}
	list, err := p.known(server)
	if err != nil {
		return nil, err
	}
	if len(list) > 0 {
		return p.one(server)
	}
	if dir == "" {
		return nil, fmt.Errorf("no group knows a server %q yet; name the one that it will run in with --group", server)
	}
	return readPinned(dir, server)
}

// pin adds the tools of a recorded list to the pins.
func (k *pinned) pin(std stdio, file string, yes bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return unread(err, "name a file that holds the server's answer to tools/list")
	}
	list, err := toolList(data)
	if err != nil {
		return fmt.Errorf("--tools %q: %w", file, err)
	}
	added, err := k.added(file, list)
	if err != nil {
		return err
	}
	if len(added) == 0 {
		_, err := fmt.Fprintf(std.out, "%s: all of its %s are pinned already\n", oneLine(k.server), plural.Of(len(list), "tool"))
		return err
	}
	running, err := ledger.Running(k.dir, k.server)
	if err != nil {
		return err
	}
	if running {
		return failed(fmt.Errorf("a process of the server %q runs and keeps its own pins; end it, or let its client list the tools", k.server))
	}
	if _, err := std.out.Write([]byte(k.diffText(added))); err != nil {
		return err
	}
	if !yes {
		if err := confirm(std, fmt.Sprintf("Pin %s of %s? [y/N] ", plural.Of(len(added), "tool"), oneLine(k.server))); err != nil {
			return err
		}
	}
	if err := k.write(added); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "pinned: %s; it holds from the next start\n", plural.Of(len(added), "tool"))
	return err
}

// added lists the tools that are not pinned yet. One that is pinned differently
// is a mistake, since this is no way around looking at the difference.
func (k *pinned) added(file string, list []abi.Value) ([]standing, error) {
	var out []standing
	seen := map[string]string{}
	for _, d := range list {
		name, digest := d.Get("name").Str(), abi.PinDigest(d)
		was, again := seen[name]
		p, isPinned := k.tools[name]
		switch {
		case !gate.Pinnable(name):
			return nil, fmt.Errorf("--tools %q: tool %q has a name that can imitate another, and can not be pinned", file, name)
		case again && was != digest:
			return nil, fmt.Errorf("--tools %q: tool %q is in the list twice, differently", file, name)
		case isPinned && p.Digest() != digest:
			return nil, failed(fmt.Errorf("tool %q is pinned with another definition; look at callgate tools diff, and at callgate tools accept", name))
		case !again && !isPinned:
			out = append(out, standing{tool: name, now: abi.Pin{Definition: d}, state: stateNew, grade: abi.DriftNone})
		}
		seen[name] = digest
	}
	return out, nil
}
