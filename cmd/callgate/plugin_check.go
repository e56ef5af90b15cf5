package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/plural"
)

func pluginCheckCmd(std stdio) *cobra.Command {
	var settings string
	var trust trusting
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [PLUGIN]",
		Short: "Hold a plugin to the laws of every plugin",
		Long: "PLUGIN is a module, a bundle that may be trusted, or a folder with a module; without it this folder. Asks the plugin about\n" +
			"samples of everything that it judges, about its cases, and about hostile snapshots, with native code and without, and holds\n" +
			"the answers to the laws of abi/ABI.md: the same answer and fuel everywhere, no order of keys, no label and no other tool\n" +
			"that makes it more lenient.",
		Args: wants(cobra.MaximumNArgs(1), "name one module, one bundle, or one folder"),
		RunE: func(_ *cobra.Command, words []string) error { return pluginCheck(std, settings, trust, asJSON, words) },
	}
	settingsFlag(cmd, &settings)
	trustFlag(cmd, &trust.file)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func pluginCheck(std stdio, settings string, trust trusting, asJSON bool, words []string) error {
	with, err := readSettings(settings)
	if err != nil {
		return err
	}
	t, err := readTarget(std, words, trust)
	if err != nil {
		return err
	}
	e, err := plugin.Open(sandbox())
	if err != nil {
		return err
	}
	defer e.Close()
	laws, err := e.Check(t, with)
	if err != nil {
		return unloaded(std.out, asJSON, err)
	}
	show := pluginCheckText
	if asJSON {
		show = pluginCheckJSON
	}
	if _, err := std.out.Write(show(t.Module, laws)); err != nil {
		return err
	}
	if brokenLaws(laws) > 0 {
		return failed(nil)
	}
	return nil
}

func brokenLaws(laws []plugin.Law) (n int) {
	for i := range laws {
		if !laws[i].Holds() {
			n++
		}
	}
	return n
}

func pluginCheckText(m *plugin.Module, laws []plugin.Law) []byte {
	b := []byte(nameOfModule(m) + "\n")
	for i := range laws {
		l := &laws[i]
		word := "holds "
		if !l.Holds() {
			word = "broken"
		}
		b = fmt.Appendf(b, "%s  %-9s  %d tried  %s\n", word, l.Name, l.Tried, l.Says)
		for _, text := range l.Broken {
			b = fmt.Appendf(b, "    %s\n", oneLine(text))
		}
		if l.More > 0 {
			b = fmt.Appendf(b, "    and %d more\n", l.More)
		}
		for _, text := range l.Notes {
			b = fmt.Appendf(b, "    note: %s\n", oneLine(text))
		}
	}
	return fmt.Appendf(b, "%s, %d broken\n", plural.Of(len(laws), "law"), brokenLaws(laws))
}

func pluginCheckJSON(m *plugin.Module, laws []plugin.Law) []byte {
	items := make([]abi.Value, len(laws))
	for i := range laws {
		l := &laws[i]
		items[i] = object("law", l.Name, "says", l.Says, "holds", l.Holds(), "tried", l.Tried, "broken", stringsOf(l.Broken), "more", l.More, "notes", stringsOf(l.Notes))
	}
	return jsonLine(object("plugin", m.Manifest.Name, "version", m.Manifest.Version, "digest", m.File, "broken", brokenLaws(laws), "laws", abi.ArrayValue(items...)))
}
