package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/wasm"
)

func pluginCmd(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Make, try, sign, verify and look at plugins: contracts of third parties",
		Long: "Plugins are WebAssembly modules with a manifest; docs/plugins.md says how to write one, and docs/distribution.md whom to\n" +
			"trust. Only test, run, check, bench, dev and pack run what is in a module, in the sandbox that a policy runs it in. build\n" +
			"and dev run the command of its source folder's manifest, after they have shown it.",
		Args: wantsVerb,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		pluginNewCmd(std), pluginBuildCmd(std), pluginDevCmd(std), pluginTestCmd(std), pluginRunCmd(std), pluginCheckCmd(std), pluginBenchCmd(std),
		pluginInspectCmd(std), pluginListCmd(std), pluginPackCmd(std), pluginKeygenCmd(std), pluginSignCmd(std), pluginVerifyCmd(std),
		pluginTrustCmd(std),
		pluginPushCmd(std), pluginPullCmd(std), pluginLockCmd(std), pluginSaveCmd(std), pluginLoadCmd(std), pluginRemoveCmd(std),
	)
	return cmd
}

// settingsFlag declares --settings.
func settingsFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "settings", "", "settings of the plugin: a `JSON` object, or a file that holds one")
}

// readSettings reads what --settings says; absent without it.
func readSettings(text string) (abi.Value, error) {
	if text == "" {
		return abi.Value{}, nil
	}
	data, from := []byte(text), "--settings"
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var err error
		if data, err = os.ReadFile(text); err != nil {
			return abi.Value{}, unread(err, "give a JSON object, or name a file that holds one")
		}
		from = "--settings " + strconv.Quote(text)
	}
	v, err := abi.Parse(data)
	if err != nil {
		return v, fmt.Errorf("%s: %s", from, plainJSON(err))
	}
	if v.Kind() != abi.Object {
		return v, fmt.Errorf("%s: want a JSON object", from)
	}
	return v, nil
}

// readTarget reads the plugin that a command line names: a folder, a module with a
// manifest, or a bundle that may be trusted.
func readTarget(std stdio, words []string, f trusting) (*plugin.Target, error) {
	path := "."
	if len(words) > 0 {
		path = words[0]
	}
	if isBundle(path) {
		return openBundle(std, path, f)
	}
	t, err := plugin.ReadTarget(path)
	if err != nil {
		return nil, unread(err, "name a module, a bundle, or a folder with a "+plugin.ManifestFile)
	}
	if t.Module.Manifest == nil {
		return nil, fmt.Errorf("%s: %w", path, t.Module.Why)
	}
	return t, unrevoked(path, t.Module, f)
}

// nameOfModule says which plugin a line is about.
func nameOfModule(m *plugin.Module) string {
	return oneLine(m.Manifest.Name + " " + m.Manifest.Version)
}

// logLevels are the names of the levels that a plugin logs at.
var logLevels = []string{"debug", "info", "warn", "error"}

// logText is what a plugin logged, for people.
func logText(a *wasm.Answer) (b []byte) {
	for _, l := range a.Log {
		b = fmt.Appendf(b, "log: %s: %s\n", logLevels[min(int(l.Level), len(logLevels)-1)], oneLine(l.Text))
	}
	if a.LogCut {
		b = append(b, "log: (more was cut)\n"...)
	}
	return b
}

func logValue(a *wasm.Answer) abi.Value {
	var items []abi.Value
	for _, l := range a.Log {
		items = append(items, object("level", logLevels[min(int(l.Level), len(logLevels)-1)], "text", l.Text))
	}
	return abi.ArrayValue(items...)
}

// kibibytes are pages of a memory, for people.
func kibibytes(pages uint32) string { return strconv.Itoa(int(pages)*64) + " KiB" }

// rounded is a time for people, with three digits.
func rounded(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// stringsOf is a list as JSON.
func stringsOf[T ~string](list []T) abi.Value {
	items := make([]abi.Value, len(list))
	for i, s := range list {
		items[i] = abi.StringValue(string(s))
	}
	return abi.ArrayValue(items...)
}
