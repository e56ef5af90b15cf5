package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/plural"
)

type pluginBenchFlags struct {
	settings, against string
	trust             trusting
	each              time.Duration
	json, table       bool
}

func pluginBenchCmd(std stdio) *cobra.Command {
	var f pluginBenchFlags
	cmd := &cobra.Command{
		Use:   "bench [PLUGIN...]",
		Short: "Measure time, fuel and memory of a plugin",
		Long: "PLUGIN is a module, a bundle that may be trusted, or a folder with a module; without it this folder. Measures samples of\n" +
			"everything that the plugin judges, and its cases. Fuel and memory are the same on every machine, times are not: --against\n" +
			"compares fuel only, and fails when an evaluation takes any more. --table takes several plugins, and prints a row of\n" +
			"Markdown for each: means of what it answers, and how many times as long that takes as a plugin that only abstains.",
		Args: func(cmd *cobra.Command, words []string) error {
			if f.table {
				return nil
			}
			return wants(cobra.MaximumNArgs(1), "name one module, one bundle, or one folder; or several with --table")(cmd, words)
		},
		RunE: func(_ *cobra.Command, words []string) error { return pluginBench(std, f, words) },
	}
	settingsFlag(cmd, &f.settings)
	trustFlag(cmd, &f.trust.file)
	cmd.Flags().StringVar(&f.against, "against", "", "an older `PLUGIN`, a module or a bundle: fail where it took less fuel")
	cmd.Flags().DurationVar(&f.each, "for", 200*time.Millisecond, "how long each row is measured")
	cmd.Flags().BoolVar(&f.table, "table", false, "print one row of Markdown for each plugin")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return cmd
}

func pluginBench(std stdio, f pluginBenchFlags, words []string) error {
	if f.each <= 0 || f.each > time.Minute {
		return fmt.Errorf("--for %v: want more than 0 and at most 1m", f.each)
	}
	if f.table {
		return pluginBenchTable(std, f, words)
	}
	with, err := readSettings(f.settings)
	if err != nil {
		return err
	}
	t, err := readTarget(std, words, f.trust)
	if err != nil {
		return err
	}
	var old *plugin.Module
	if f.against != "" {
		if old, err = readAgainst(std, f.against, f.trust); err != nil {
			return err
		}
	}
	m, err := plugin.Bench(sandbox(), t, old, with, f.each)
	if err != nil {
		return failed(err)
	}
	rose := 0
	for i := range m.Rows {
		if m.Rows[i].Rose() {
			rose++
		}
	}
	show := pluginBenchText
	if f.json {
		show = pluginBenchJSON
	}
	if _, err := std.out.Write(show(t.Module, m, rose)); err != nil {
		return err
	}
	if rose > 0 {
		return failed(nil)
	}
	return nil
}

// readAgainst reads the older module.
func readAgainst(std stdio, path string, trust trusting) (*plugin.Module, error) {
	if isBundle(path) {
		t, err := openBundle(std, path, trust)
		if err != nil {
			return nil, err
		}
		return t.Module, nil
	}
	m, err := plugin.ReadModule(path)
	if err != nil {
		return nil, unread(err, "name a module or a bundle with --against")
	}
	if m.Manifest == nil {
		return nil, fmt.Errorf("--against %q: %w", path, m.Why)
	}
	return m, unrevoked(path, m, trust)
}

func pluginBenchText(of *plugin.Module, m *plugin.Measured, rose int) []byte {
	b := fmt.Appendf(nil, "%s\nload  %s without a cache, fuel %d to start, %s of memory\n", nameOfModule(of), rounded(m.Load), m.StartFuel, kibibytes(m.StartMem))
	old := false
	for i := range m.Rows {
		r := &m.Rows[i]
		b = fmt.Appendf(b, "%10s  fuel %9d  %8s  %s", rounded(r.Time), r.Fuel, kibibytes(r.Pages), oneLine(r.Name))
		if r.Class != "" {
			b = fmt.Appendf(b, "  fails: %s", r.Class)
		}
		if o := r.Old; o != nil {
			old = true
			b = append(b, "  "+change(r)...)
		}
		b = append(b, '\n')
	}
	if old {
		b = fmt.Appendf(b, "%s, more fuel than before: %d\n", plural.Of(len(m.Rows), "row"), rose)
	}
	return b
}

// change says how a row compares with what was before.
func change(r *plugin.Row) string {
	text := "was " + strconv.FormatUint(r.Old.Fuel, 10)
	switch {
	case r.Old.Class != "":
		text = "failed before: " + string(r.Old.Class)
	case r.Rose():
		text += ", ROSE"
	}
	if !r.Old.Same && r.Old.Class == "" {
		text += ", another answer"
	}
	return text
}

func pluginBenchJSON(of *plugin.Module, m *plugin.Measured, rose int) []byte {
	rows := make([]abi.Value, len(m.Rows))
	for i := range m.Rows {
		r := &m.Rows[i]
		var old abi.Value
		if o := r.Old; o != nil {
			old = object("fuel", int64(o.Fuel), "class", stated(string(o.Class)), "same", o.Same, "rose", r.Rose())
		}
		rows[i] = object("name", r.Name, "bytes", r.Bytes, "ns", r.Time.Nanoseconds(), "fuel", int64(r.Fuel), "delivered", int64(r.Delivered),
			"pages", int(r.Pages), "class", stated(string(r.Class)), "old", old)
	}
	return jsonLine(object("plugin", of.Manifest.Name, "version", of.Manifest.Version, "digest", of.File, "load_ns", m.Load.Nanoseconds(),
		"start_fuel", int64(m.StartFuel), "start_pages", int(m.StartMem), "rose", rose, "rows", abi.ArrayValue(rows...)))
}
