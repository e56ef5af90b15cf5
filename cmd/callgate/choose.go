package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/clients"
)

// chosen says which servers of which configurations are meant.
type chosen struct {
	clients []string
	configs []string
	servers []string
	all     bool
	dryRun  bool
}

func (c *chosen) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&c.configs, "config", nil, "a configuration file, wherever it is")
	cmd.Flags().StringArrayVar(&c.servers, "server", nil, "only the server of this name")
	cmd.Flags().BoolVar(&c.all, "all", false, "all clients that are found")
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "print what would change, and write nothing")
}

func clientNames() []string {
	var out []string
	for _, c := range clients.Table() {
		out = append(out, c.Name)
	}
	return out
}

// clientDirs are the directories that clients keep their files in, as this
// process sees them.
func clientDirs() (clients.Dirs, error) {
	dir, err := os.Getwd()
	if err != nil {
		return clients.Dirs{}, err
	}
	return clients.DirsOf(runtime.GOOS, dir, os.Getenv), nil
}

// find lists the configurations that are meant; nil if nothing was named.
func (c *chosen) find() ([]clients.Found, error) {
	if c.all && len(c.clients)+len(c.configs) > 0 {
		return nil, errors.New("--all beside a client or file; name either all or some")
	}
	if !c.all && len(c.clients)+len(c.configs) == 0 {
		return nil, nil
	}
	dirs, err := clientDirs()
	if err != nil {
		return nil, err
	}
	there := dirs.Find(clients.Table())
	if c.all {
		if len(there) == 0 {
			return nil, errors.New("no configuration of any client is found; name a file with --config")
		}
		return there, nil
	}
	var out []clients.Found
	for _, name := range c.clients {
		i := slices.Index(clientNames(), name)
		if i < 0 {
			return nil, fmt.Errorf("client %q is not known; want one of %s, or a file with --config", name, strings.Join(clientNames(), ", "))
		}
		own := slices.DeleteFunc(slices.Clone(there), func(f clients.Found) bool { return f.Client != name })
		if len(own) == 0 {
			return nil, fmt.Errorf("no configuration of %s is found at %q; name one with --config", name, dirs.Looked(clients.Table()[i]))
		}
		out = append(out, own...)
	}
	for _, file := range c.configs {
		one, err := configOf(there, file)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(f clients.Found) bool {
		twice := seen[f.Path]
		seen[f.Path] = true
		return twice
	}), nil
}

// configOf is a file that --config names: one that a client is known to read, or
// one with a group of its own.
func configOf(there []clients.Found, file string) (clients.Found, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return clients.Found{}, err
	}
	if i := slices.IndexFunc(there, func(f clients.Found) bool { return f.Path == path }); i >= 0 {
		return there[i], nil
	}
	layout, ok := clients.Guess(path)
	if !ok {
		return clients.Found{}, fmt.Errorf("--config %q: the format is not known from its ending; want .json, .jsonc, .toml, .yaml or .yml", file)
	}
	return clients.Found{Path: path, Group: clients.GroupOf("config", path), Layout: layout}, nil
}

// offer lists what is found, and says what to type.
func (c *chosen) offer(std stdio, verb string) error {
	dirs, err := clientDirs()
	if err != nil {
		return err
	}
	var b strings.Builder
	found := dirs.Find(clients.Table())
	if len(found) == 0 {
		fmt.Fprintf(&b, "no configuration of any client is found\n\nName a file:\n  callgate %s --config FILE\n", verb)
	} else {
		for _, f := range found {
			b.WriteString(stateOf(f).text())
		}
		fmt.Fprintf(&b, "\nName what to %s:\n  callgate %s %s\n  callgate %s --all\n", verb, verb, found[0].Client, verb)
	}
	_, err = std.out.Write([]byte(b.String()))
	return err
}

// editor edits a configuration as far as servers are meant; nil means all.
type editor func(c clients.Found, data []byte, servers []string) ([]byte, []clients.Outcome, error)

// planned is a configuration with what becomes of it.
type planned struct {
	clients.Found
	*clients.Stored
	now []byte
	did []clients.Outcome
}

// edit edits the configurations: first all in memory, so that a mistake in one
// leaves all as they are, then one after the other.
func (c *chosen) edit(std stdio, found []clients.Found, change editor) error {
	var plan []planned
	targets := map[string]bool{} // two names may be links to one file
	missing := slices.Clone(c.servers)
	for _, f := range found {
		stored, err := clients.Read(f.Path)
		if err != nil {
			return unread(err, "name a file that can be read")
		}
		if targets[stored.Target] {
			continue
		}
		targets[stored.Target] = true
		servers, err := c.meant(f, stored.Data)
		if err != nil {
			return fmt.Errorf("%w; nothing was written", inFile(f.Path, err))
		}
		if c.servers != nil && servers == nil {
			continue
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return slices.Contains(servers, name) })
		now, did, err := change(f, stored.Data, servers)
		if err != nil {
			return fmt.Errorf("%w; nothing was written", inFile(f.Path, err))
		}
		plan = append(plan, planned{f, stored, now, did})
	}
	if len(missing) > 0 {
		return fmt.Errorf("no server %q in these configurations; callgate status lists the servers of all", missing[0])
	}
	faults := 0
	for _, p := range plan {
		n, err := c.carryOut(std, p)
		if err != nil {
			return err
		}
		faults += n
	}
	if faults > 0 {
		return exitError{1, nil}
	}
	return nil
}

// inFile says which file a mistake is in.
func inFile(path string, err error) error {
	if m, ok := err.(*clients.Mistake); ok && m.Line > 0 {
		return fmt.Errorf("%s:%w", oneLine(path), err)
	}
	return fmt.Errorf("%s: %w", oneLine(path), err)
}

// meant are the servers of a file that are meant; nil for all, or for none where
// some are named.
func (c *chosen) meant(f clients.Found, data []byte) (servers []string, err error) {
	entries, err := f.List(data)
	if err != nil {
		return nil, err
	}
	for _, name := range c.servers {
		if slices.ContainsFunc(entries, func(e clients.Entry) bool { return e.Name == name }) {
			servers = append(servers, name)
		}
	}
	return servers, nil
}

// carryOut writes a file, or prints what would be written, and says what was
// done. It counts what should have been edited and could not be.
func (c *chosen) carryOut(std stdio, p planned) (faults int, err error) {
	var b strings.Builder
	changes := string(p.now) != string(p.Data)
	switch {
	case c.dryRun && changes:
		b.WriteString(printable(string(diff.Diff(p.Target, p.Data, p.Target, p.now))))
	case changes:
		if err := p.Replace(p.now); err != nil {
			return 0, err
		}
	}
	b.WriteString(heading(p.Found) + "\n")
	for _, o := range p.did {
		word := string(o.Action)
		if c.dryRun && o.Action != clients.Left && o.Action != clients.Unchanged {
			word = "to be " + word
		}
		if o.Action == clients.Left {
			word = "left: " + o.Why
			if o.State == clients.Broken || o.State == clients.Edited || c.servers != nil {
				faults++
			}
		}
		fmt.Fprintf(&b, "  %s  %s\n", nameOf(o.Entry), oneLine(word))
	}
	if len(p.did) == 0 {
		b.WriteString("  it has no servers\n")
	}
	if changes && !c.dryRun {
		b.WriteString("  restart the client, so that it starts its servers anew\n")
	}
	_, err = std.out.Write([]byte(b.String()))
	return faults, err
}

// allConfigs lists the configurations that are found, and those that are named
// besides.
func allConfigs(named []string) ([]clients.Found, error) {
	dirs, err := clientDirs()
	if err != nil {
		return nil, err
	}
	found := dirs.Find(clients.Table())
	for _, file := range named {
		one, err := configOf(found, file)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, nil
}
