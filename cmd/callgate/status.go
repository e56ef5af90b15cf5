package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/clients"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
)

func statusCmd(std stdio) *cobra.Command {
	var asJSON bool
	var configs []string
	cmd := &cobra.Command{
		Use:   "status [--json]",
		Short: "Say which servers of which clients are behind callgate",
		Args:  wants(cobra.NoArgs, "it takes none; --config FILE names a file that no client is known to read"),
		RunE: func(*cobra.Command, []string) error {
			found, err := allConfigs(configs)
			if err != nil {
				return err
			}
			return status(std, found, asJSON)
		},
	}
	cmd.Flags().StringArrayVar(&configs, "config", nil, "a configuration file besides those that are found")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func status(std stdio, found []clients.Found, asJSON bool) error {
	var text strings.Builder
	var files []abi.Value
	broken := false
	running, err := processes("")
	if err != nil {
		running = nil // nothing can run here, and the rest is known all the same
	}
	for _, f := range found {
		s := stateOf(f)
		s.running = running
		for _, e := range s.entries {
			s.packs, s.plugins = append(s.packs, packsOf(e)), append(s.plugins, pluginsOf(e))
		}
		broken = broken || s.err != nil
		text.WriteString(s.text())
		files = append(files, s.value())
	}
	if len(found) == 0 {
		text.WriteString("no configuration of any client is found; name a file with --config\n")
	}
	others := unexplained(found, running)
	for _, p := range others {
		text.WriteString(oneLine(processName(p)) + "  no configuration that is found starts it\n")
		for _, line := range notesOf(p) {
			text.WriteString("    " + oneLine(line) + "\n")
		}
	}
	out := []byte(text.String())
	if asJSON {
		out = jsonLine(object("files", abi.ArrayValue(files...), "processes", processValues(others)))
	}
	if _, err := std.out.Write(out); err != nil {
		return err
	}
	if broken {
		return exitError{1, nil}
	}
	return nil
}

// fileState is a configuration as it is.
type fileState struct {
	clients.Found
	entries []clients.Entry
	packs   [][]policy.Binding // of each entry; absent where nobody asked
	plugins [][]contract.PluginRef
	running []approval.Process // of all servers
	err     error
}

// stateOf reads a configuration.
func stateOf(f clients.Found) fileState {
	stored, err := clients.Read(f.Path)
	if err != nil {
		return fileState{Found: f, err: unread(err, "make it a file that can be read")}
	}
	entries, err := f.List(stored.Data)
	return fileState{Found: f, entries: entries, err: err}
}

// heading names a configuration.
func heading(f clients.Found) string {
	if f.Client == "" {
		return oneLine(f.Path)
	}
	return f.Client + "  " + oneLine(f.Path)
}

// nameOf names a server, with the project that has it.
func nameOf(e clients.Entry) string {
	if e.Scope == "" {
		return oneLine(e.Name)
	}
	return oneLine(e.Name) + " (of " + oneLine(e.Scope) + ")"
}

// text is for people: a line for the file and one for each server.
func (s fileState) text() string {
	var b strings.Builder
	b.WriteString(heading(s.Found) + "\n")
	switch {
	case s.err != nil:
		b.WriteString("  broken: " + oneLine(s.err.Error()) + "\n")
	case len(s.entries) == 0:
		b.WriteString("  it has no servers\n")
	}
	for i, e := range s.entries {
		fmt.Fprintf(&b, "  %s  %s", nameOf(e), e.State)
		if e.Group != "" {
			b.WriteString("  group " + oneLine(e.Group))
		}
		for _, p := range e.Policies {
			b.WriteString("  policy " + oneLine(p))
		}
		if e.Callgate != "" && len(e.Policies) == 0 {
			b.WriteString("  policy starter")
		}
		if e.Floor != "" {
			b.WriteString("  floor " + oneLine(e.Floor))
		}
		for _, p := range at(s.packs, i) {
			b.WriteString("  pack " + p.Pack + " by " + boundBy(p))
		}
		for _, ref := range at(s.plugins, i) {
			b.WriteString("  " + pluginText(ref))
		}
		if e.Callgate != "" {
			b.WriteString("  by " + oneLine(e.Callgate))
		}
		if e.Why != "" {
			b.WriteString("  (" + oneLine(e.Why) + ")")
		}
		b.WriteString("\n")
		for _, p := range s.processesOf(e) {
			for _, line := range notesOf(p) {
				b.WriteString("    " + oneLine(line) + "\n")
			}
		}
	}
	return b.String()
}

// at is what was found of an entry, if it was looked for.
func at[T any](of [][]T, i int) []T {
	if i >= len(of) {
		return nil
	}
	return of[i]
}

// value is for programs. Commands are left out: they may hold secrets.
func (s fileState) value() abi.Value {
	servers := []abi.Value{}
	for i, e := range s.entries {
		var policies, packs abi.Value
		if bound := at(s.packs, i); len(bound) > 0 {
			var list []abi.Value
			for _, p := range bound {
				list = append(list, object("name", p.Pack, "by", boundBy(p)))
			}
			packs = abi.ArrayValue(list...)
		}
		if len(e.Policies) > 0 {
			var list []abi.Value
			for _, p := range e.Policies {
				list = append(list, abi.StringValue(p))
			}
			policies = abi.ArrayValue(list...)
		}
		servers = append(servers, object("name", e.Name, "scope", stated(e.Scope), "line", e.Line, "state", string(e.State), "why", stated(e.Why),
			"callgate", stated(e.Callgate), "group", stated(e.Group), "policies", policies, "packs", packs, "plugins", pluginValues(at(s.plugins, i)), "floor", stated(e.Floor), "processes", s.live(e)))
	}
	out := object("client", stated(s.Client), "path", s.Path, "group", s.Group, "servers", abi.ArrayValue(servers...))
	if s.err == nil {
		return out
	}
	var m *clients.Mistake
	if errors.As(s.err, &m) {
		return object("client", stated(s.Client), "path", s.Path, "error", object("line", position(m.Line), "column", position(m.Column), "message", m.Text))
	}
	return object("client", stated(s.Client), "path", s.Path, "error", object("message", s.err.Error()))
}
