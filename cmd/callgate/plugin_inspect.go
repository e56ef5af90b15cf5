package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/wasm/scan"
)

func pluginInspectCmd(std stdio) *cobra.Command {
	var settings, trust string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect [PLUGIN]",
		Short: "Say what a module is, wants and may do, without running it",
		Long: "PLUGIN is a module, a bundle, or a folder with a module; without it this folder.\n" +
			"Reads the module and its manifest: digests, ABI, imports, exports, limits, what it judges, reads and may do, and the very\n" +
			"snapshot that it would be handed for a sample call. Nothing of the module is run or compiled. A module that can not be a\n" +
			"plugin is shown as far as it can be read, with everything that is wrong, and exits with 1. Of a bundle its files are shown\n" +
			"as well, and what its signatures and the trust file say, which makes no difference to the exit code.",
		Args: wants(cobra.MaximumNArgs(1), "name one module, one bundle, or one folder"),
		RunE: func(_ *cobra.Command, words []string) error {
			with, err := readSettings(settings)
			if err != nil {
				return err
			}
			m, sealed, err := readInspected(words, trust)
			if err != nil {
				return err
			}
			in := plugin.Inspect(m, with)
			text := append(sealed.text(), inspectText(in)...)
			if asJSON {
				text = inspectJSON(in, sealed)
			}
			if _, err := std.out.Write(text); err != nil {
				return err
			}
			if len(in.Problems) > 0 {
				return failed(nil)
			}
			return nil
		},
	}
	settingsFlag(cmd, &settings)
	trustFlag(cmd, &trust)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func inspectJSON(in *plugin.Inspection, sealed *inspectedBundle) []byte {
	m, r := in.Module, in.Report
	limits := make([]abi.Value, len(r.Used))
	for i, u := range r.Used {
		limits[i] = object("name", u.Name, "used", int64(u.Used), "max", int64(u.Max))
	}
	views := make([]abi.Value, len(in.Views))
	for i, v := range in.Views {
		views[i] = object("sample", v.Name, "bytes", len(v.Sees.Append(nil)), "snapshot", v.Sees)
	}
	custom := make([]abi.Value, len(r.Custom))
	for i, c := range r.Custom {
		custom[i] = object("name", c.Name, "bytes", c.End-c.Start)
	}
	var manifest abi.Value
	if m.Manifest != nil {
		manifest, _ = abi.Parse([]byte(m.Manifest.Text)) // it was read before
	}
	return jsonLine(object("file", m.Path, "bundle", sealed.value(), "bytes", len(m.Data), "digest", m.File, "module", stated(m.Digest), "loads", len(in.Problems) == 0,
		"problems", problemsValue(in.Problems), "more", in.More, "abi", stringsOf(r.ABI), "manifest", manifest, "imports", entriesValue(r.Imports),
		"exports", entriesValue(r.Exports), "features", stringsOf(r.Features), "floats", r.Floats, "functions", r.Functions, "start", r.Start >= 0,
		"initialize", r.Initialize, "configure", r.Configure, "sections", abi.ArrayValue(custom...), "fuel", int64(in.Fuel), "memory_pages", int(in.Pages),
		"limits", abi.ArrayValue(limits...), "views", abi.ArrayValue(views...)))
}

func entriesValue(list []scan.Entry) abi.Value {
	items := make([]abi.Value, len(list))
	for i, e := range list {
		items[i] = object("module", stated(e.Module), "name", e.Name, "type", e.Type)
	}
	return abi.ArrayValue(items...)
}

// inspectText is for people. Whatever the module says is escaped.
func inspectText(in *plugin.Inspection) []byte {
	m, r := in.Module, in.Report
	b := fmt.Appendf(nil, "%s  %s\ndigest  %s\n", oneLine(m.Path), plural.Of(len(m.Data), "byte"), m.File)
	if m.Digest != "" {
		b = fmt.Appendf(b, "module  %s\n", m.Digest)
	}
	b = append(b, problemsText(in.Problems, in.More)...)
	if m.Manifest != nil {
		b = append(b, manifestText(m.Manifest)...)
	}
	b = fmt.Appendf(b, "may use %d fuel in an evaluation, %s of memory\n", in.Fuel, kibibytes(in.Pages))
	b = append(b, reportText(r)...)
	for i, v := range in.Views {
		if i == 0 {
			b = append(b, "what it is handed, for samples of all that it judges\n"...)
		}
		b = fmt.Appendf(b, "  %s: %s\n", v.Name, oneLine(string(safeJSON(v.Sees.Append(nil)))))
	}
	return b
}

// manifestText is what a plugin says of itself.
func manifestText(m *abi.Manifest) []byte {
	b := fmt.Appendf(nil, "%s %s", oneLine(m.Name), oneLine(m.Version))
	if m.License != "" {
		b = fmt.Appendf(b, "  %s", oneLine(m.License))
	}
	b = append(b, '\n')
	kinds := m.Kinds
	if len(kinds) == 0 {
		kinds = []abi.CallKind{abi.KindTool}
	}
	for _, row := range []struct{ name, text string }{
		{"says", m.Description}, {"source", m.Source}, {"phases", joined(m.Phases)}, {"kinds", joined(kinds)}, {"reads", joined(m.Reads)},
		{"effects", joined(m.Effects)}, {"build", m.Build.Run},
	} {
		if row.text != "" {
			b = fmt.Appendf(b, "  %-8s%s\n", row.name, oneLine(row.text))
		}
	}
	for _, c := range m.Codes {
		b = fmt.Appendf(b, "  code    %s: %s\n", c.Name, oneLine(c.Means))
	}
	if m.Settings.Exists() {
		b = fmt.Appendf(b, "  takes   %s\n", oneLine(string(safeJSON(m.Settings.Append(nil)))))
	}
	return b
}

func joined[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return strings.Join(out, ", ")
}

// reportText is what the module itself shows.
func reportText(r *scan.Report) (b []byte) {
	for _, v := range r.ABI {
		b = fmt.Appendf(b, "abi     %s\n", oneLine(v))
	}
	for _, e := range r.Imports {
		b = fmt.Appendf(b, "import  %s.%s  %s\n", oneLine(e.Module), oneLine(e.Name), oneLine(e.Type))
	}
	if slices.ContainsFunc(r.Imports, func(e scan.Entry) bool { return e.Module == scan.WASIModule }) {
		b = append(b, "note    there is no system behind "+scan.WASIModule+": no file, no network, no environment; time and randomness follow from the snapshot\n"...)
	}
	for _, e := range r.Exports {
		b = fmt.Appendf(b, "export  %s  %s\n", oneLine(e.Name), oneLine(e.Type))
	}
	if len(r.Features) > 0 {
		b = fmt.Appendf(b, "features  %s\n", oneLine(joined(r.Features)))
	}
	for _, c := range r.Custom {
		b = fmt.Appendf(b, "section %s  %s\n", oneLine(c.Name), plural.Of(c.End-c.Start, "byte"))
	}
	b = fmt.Appendf(b, "%s, %s on floats", plural.Of(r.Functions, "function"), plural.Of(r.Floats, "instruction"))
	if r.Start >= 0 {
		b = append(b, ", a start function"...)
	}
	b = append(b, "\nlimits\n"...)
	for _, u := range r.Used {
		if u.Used > 0 {
			b = fmt.Appendf(b, "  %-20s %9d of %9d  %3d%%\n", u.Name, u.Used, u.Max, percent(u))
		}
	}
	return b
}

// percent is how much of a limit is used, rounded up.
func percent(u scan.Use) int64 {
	if u.Max == 0 {
		return 100
	}
	return int64(math.Ceil(100 * float64(u.Used) / float64(u.Max)))
}
