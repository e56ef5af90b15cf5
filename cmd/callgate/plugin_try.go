package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/plural"
)

type pluginTestFlags struct {
	run          string
	trust        trusting
	update, json bool
}

func pluginTestCmd(std stdio) *cobra.Command {
	var f pluginTestFlags
	cmd := &cobra.Command{
		Use:   "test [DIR|BUNDLE]",
		Short: "Run the cases of a plugin's folder or bundle in the sandbox",
		Long: "Runs DIR/" + plugin.CasesDir + "/*.yaml: snapshots, and what the plugin should answer. Every snapshot is evaluated on a fresh instance,\n" +
			"after resets and after other snapshots, with native code and without: answers and fuel have to agree. docs/plugins.md\n" +
			"has the form of cases. No case at all fails. A bundle has to be one that may be trusted, but with --allow-unsigned.",
		Args: wants(cobra.MaximumNArgs(1), "name one bundle, or one folder with a "+plugin.ManifestFile),
		RunE: func(_ *cobra.Command, words []string) error { return pluginTest(std, f, words) },
	}
	cmd.Flags().StringVar(&f.run, "run", "", "only the cases whose names match this `regular expression`")
	trustFlag(cmd, &f.trust.file)
	unsignedFlag(cmd, &f.trust.unsigned)
	cmd.Flags().BoolVar(&f.update, "update", false, "write into the cases that fail what the plugin answers; read what changed")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return cmd
}

func pluginTest(std stdio, f pluginTestFlags, words []string) error {
	var match *regexp.Regexp
	if f.run != "" {
		var err error
		if match, err = regexp.Compile(f.run); err != nil {
			return fmt.Errorf("--run %q: %w", f.run, err)
		}
	}
	t, err := readTarget(std, words, f.trust)
	if err != nil {
		return err
	}
	switch {
	case t.Bundle != nil && f.update:
		return fmt.Errorf("%s: a bundle is what its author packed; name the folder that it was packed from", words[0])
	case t.Folder == nil && t.Bundle == nil:
		return fmt.Errorf("%s: it does not lie in the folder that it was built from, so there are no cases; name that folder", t.Module.Path)
	}
	files, err := t.Cases()
	if err != nil {
		return unloaded(std.out, f.json, err)
	}
	e, err := plugin.Open(sandbox())
	if err != nil {
		return err
	}
	defer e.Close()
	all := e.Try(t.Module, files, match)
	if f.update {
		return updateCases(std, f.json, t.Module.Manifest, files, all)
	}
	bad := failures(all)
	show := pluginTestText
	if f.json {
		show = pluginTestJSON
	}
	if _, err := std.out.Write(show(all, bad)); err != nil {
		return err
	}
	switch {
	case len(all) == 0:
		return failed(errors.New("no cases; a plugin without cases shows nothing"))
	case bad > 0:
		return failed(nil)
	}
	return nil
}

func failures(all []plugin.Tried) (bad int) {
	for _, r := range all {
		if len(r.Failures) > 0 {
			bad++
		}
	}
	return bad
}

func pluginTestText(all []plugin.Tried, bad int) (b []byte) {
	for i := range all {
		b = append(b, triedText(&all[i])...)
	}
	return fmt.Appendf(b, "%s, %d passed, %d failed\n", plural.Of(len(all), "case"), len(all)-bad, bad)
}

// triedText is one case: its failures with what the plugin logged, or that it passed.
func triedText(r *plugin.Tried) (b []byte) {
	if len(r.Failures) == 0 {
		return fmt.Appendf(b, "ok  %s  fuel %d\n", oneLine(r.Name), r.Fuel)
	}
	for _, failure := range r.Failures {
		b = fmt.Appendf(b, "%s:%d: %s: %s\n", oneLine(r.File), failure.Line, oneLine(r.Name), oneLine(failure.Text))
	}
	for i := range r.Answers {
		b = append(b, logText(&r.Answers[i])...)
	}
	return b
}

func pluginTestJSON(all []plugin.Tried, bad int) []byte {
	return jsonLine(object("cases", len(all), "passed", len(all)-bad, "failed", bad, "results", triedValues(all)))
}

func triedValues(all []plugin.Tried) abi.Value {
	results := make([]abi.Value, len(all))
	for i, r := range all {
		failures := make([]abi.Value, len(r.Failures))
		for i, failure := range r.Failures {
			failures[i] = object("line", failure.Line, "text", failure.Text)
		}
		results[i] = object("file", r.File, "line", r.Line, "name", r.Name, "fuel", int64(r.Fuel), "failures", abi.ArrayValue(failures...))
	}
	return abi.ArrayValue(results...)
}

// updateCases writes what the plugin answers into its cases.
func updateCases(std stdio, asJSON bool, m *abi.Manifest, files []plugin.CasesFile, all []plugin.Tried) error {
	var text []byte
	var changed []abi.Value
	total := 0
	for _, file := range files {
		data, n, err := plugin.Update(file, m, all)
		if err == nil && n > 0 {
			err = os.WriteFile(file.Path, data, 0o644)
		}
		if err != nil {
			return unread(err, "make the cases writable")
		}
		if total += n; n > 0 {
			text = fmt.Appendf(text, "%s: %s changed\n", oneLine(file.Path), plural.Of(n, "case"))
			changed = append(changed, object("file", file.Path, "cases", n))
		}
	}
	left := failures(all) - total
	text = fmt.Appendf(text, "%s, %d changed, %d that can not be\n", plural.Of(len(all), "case"), total, left)
	if asJSON {
		text = jsonLine(object("cases", len(all), "changed", total, "left", left, "files", abi.ArrayValue(changed...)))
	}
	if _, err := std.out.Write(text); err != nil {
		return err
	}
	if left > 0 || len(all) == 0 {
		return failed(nil)
	}
	return nil
}
