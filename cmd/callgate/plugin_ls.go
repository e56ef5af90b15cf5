package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
)

func pluginListCmd(std stdio) *cobra.Command {
	var floor, group string
	var flagged []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls [--floor FILE] POLICY... | --group GROUP",
		Short: "List the plugins of a policy, or of the processes of a group",
		Long:  "Reads policies and the manifests of the modules and bundles that they name, and which live processes have them in force. No\nmodule is run.",
		RunE: func(cmd *cobra.Command, words []string) error {
			files, err := policyWords(cmd, flagged, words)
			switch {
			case err != nil:
				return err
			case (len(files) == 0) == (group == ""):
				return fmt.Errorf("%s: name policy files, or a group with --group", cmd.CommandPath())
			}
			return pluginList(std, files, floor, group, asJSON)
		},
	}
	policyWordsFlag(cmd, &flagged)
	cmd.Flags().StringVar(&floor, "floor", "", "policy that is judged beside the others")
	cmd.Flags().StringVar(&group, "group", "", "the policies of the live processes of this `GROUP`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// listedPlugin is one entry, and what is known of it.
type listedPlugin struct {
	policy.PluginEntry
	module  *plugin.Module
	why     error    // its module can not be read
	inForce []string // live processes whose policy has it
}

func pluginList(std stdio, files []string, floor, group string, asJSON bool) error {
	running, err := processes(group)
	if err != nil && group != "" {
		return err
	}
	if group != "" && len(running) == 0 {
		return fmt.Errorf("--group %q: no process of it is live; name its policy files", group)
	}
	sets := [][]string{files}
	if group != "" {
		sets = nil
		for _, p := range running {
			if !slices.ContainsFunc(sets, func(s []string) bool { return slices.Equal(s, p.Info.Files) }) {
				sets = append(sets, p.Info.Files)
			}
		}
	}
	var all []listedPlugin
	for _, set := range sets {
		// Without a way to load them nothing of the modules is run.
		p, err := policy.Load(served(policy.Options{Files: set, Floor: floor, Specs: builtin.Table()}))
		if err != nil {
			return unloaded(std.out, asJSON, err)
		}
		for _, e := range p.PluginEntries() {
			all = append(all, about(e, p.Digest(), running))
		}
	}
	show := pluginListText
	if asJSON {
		show = pluginListJSON
	}
	if _, err := std.out.Write(show(all)); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(l listedPlugin) bool { return l.why != nil }) {
		return failed(nil)
	}
	return nil
}

// about looks at the module of an entry.
func about(e policy.PluginEntry, digest string, running []approval.Process) listedPlugin {
	l := listedPlugin{PluginEntry: e}
	m, err := moduleOf(e.PluginRef)
	switch {
	case err != nil:
		l.why = unread(err, "put the module back")
	case m.Manifest == nil:
		l.why = m.Why
	case m.File != e.Digest:
		l.why = errors.New("the file has changed since")
	default:
		l.module = m
	}
	for _, p := range running {
		if p.Info.PolicyDigest == digest {
			l.inForce = append(l.inForce, processName(p))
		}
	}
	return l
}

// moduleOf reads the module of an entry, from its bundle if it came in one.
func moduleOf(ref contract.PluginRef) (*plugin.Module, error) {
	if ref.Bundle.Digest == "" {
		return plugin.ReadModule(ref.File)
	}
	b, err := findBundle(ref)
	if err != nil {
		return nil, err
	}
	return plugin.BundleTarget(ref.File, b).Module, nil
}

func (l *listedPlugin) mode() string {
	if l.Observe {
		return "observe"
	}
	return "enforce"
}

func pluginListText(all []listedPlugin) (b []byte) {
	for i := range all {
		l := &all[i]
		b = fmt.Appendf(b, "%s  %s", oneLine(l.Name), l.mode())
		if l.module != nil {
			b = fmt.Appendf(b, "  %s", nameOfModule(l.module))
		}
		if l.Floor {
			b = append(b, "  of the floor"...)
		}
		b = fmt.Appendf(b, "\n    %s\n    %s\n", oneLine(l.File), l.Digest)
		if of := l.Bundle; of.Digest != "" {
			b = fmt.Appendf(b, "    bundle %s signed by %s\n", of.Digest, oneLine(strings.Join(of.Keys, ", ")))
		}
		for _, on := range l.On.Members() {
			b = fmt.Appendf(b, "    on %s: %s\n", oneLine(on.Name), oneLine(strings.Join(plainTexts(on.Value), ", ")))
		}
		b = fmt.Appendf(b, "    by %s\n", oneLine(l.Rule))
		if l.why != nil {
			b = fmt.Appendf(b, "    broken: %s\n", oneLine(l.why.Error()))
		}
		for _, p := range l.inForce {
			b = fmt.Appendf(b, "    in force in %s\n", oneLine(p))
		}
	}
	return fmt.Appendf(b, "%s\n", plural.Of(len(all), "plugin"))
}

func plainTexts(list abi.Value) (out []string) {
	for _, v := range list.Items() {
		out = append(out, v.Str())
	}
	return out
}

func pluginListJSON(all []listedPlugin) []byte {
	items := make([]abi.Value, len(all))
	for i := range all {
		l := &all[i]
		var name, version, why abi.Value
		if l.module != nil {
			name, version = abi.StringValue(l.module.Manifest.Name), abi.StringValue(l.module.Manifest.Version)
		}
		if l.why != nil {
			why = abi.StringValue(l.why.Error())
		}
		items[i] = object("name", l.Name, "plugin", name, "version", version, "file", l.File, "digest", l.Digest, "bundle", bundleValue(l.Bundle), "mode", l.mode(), "on", l.On,
			"settings", l.Settings, "rule", l.Rule, "floor", l.Floor, "broken", why, "in_force", stringsOf(l.inForce))
	}
	return jsonLine(object("plugins", abi.ArrayValue(items...)))
}
