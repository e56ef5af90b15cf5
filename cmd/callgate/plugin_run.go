package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/wasm"
)

type pluginRunFlags struct {
	input, settings          string
	trust                    trusting
	exitVerdict, interpreter bool
	json                     bool
}

func pluginRunCmd(std stdio) *cobra.Command {
	var f pluginRunFlags
	cmd := &cobra.Command{
		Use:   "run --input FILE [PLUGIN]",
		Short: "Ask a plugin about one snapshot",
		Long: "PLUGIN is a module, a bundle, or a folder with a module; without it this folder. A bundle has to be one that may be trusted,\n" +
			"but with --allow-unsigned. FILE holds a snapshot as abi/ABI.md has it, - is the standard input. What is left out is absent,\n" +
			"but the phase call and the kind tool; what the manifest does not read is left out. Prints the verdict, the fuel and what the\n" +
			"plugin logged. A plugin that fails exits with 1.",
		Args: wants(cobra.MaximumNArgs(1), "name one module, one bundle, or one folder"),
		RunE: func(_ *cobra.Command, words []string) error { return pluginRun(std, f, words) },
	}
	cmd.Flags().StringVar(&f.input, "input", "", "the `FILE` of the snapshot, - for the standard input")
	settingsFlag(cmd, &f.settings)
	trustFlag(cmd, &f.trust.file)
	unsignedFlag(cmd, &f.trust.unsigned)
	cmd.Flags().BoolVar(&f.exitVerdict, "exit-verdict", false, "exit with 1 unless the plugin abstains")
	cmd.Flags().BoolVar(&f.interpreter, "interpreter", false, "run without native code, with the same answer and fuel")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return cmd
}

func pluginRun(std stdio, f pluginRunFlags, words []string) error {
	t, err := readTarget(std, words, f.trust)
	if err != nil {
		return err
	}
	m := t.Module.Manifest
	view, settings, err := readInput(std.in, f, m)
	if err != nil {
		return err
	}
	o := sandbox()
	o.Interpreter = f.interpreter
	r, err := plugin.Run(o, t.Module, view, settings)
	if err != nil {
		return failed(err)
	}
	show := pluginRunText
	if f.json {
		show = pluginRunJSON
	}
	if _, err := std.out.Write(show(t.Module, r)); err != nil {
		return err
	}
	if r.Class != "" || f.exitVerdict && r.Verdict.Outcome != abi.Abstain {
		return failed(nil)
	}
	return nil
}

// readInput reads the snapshot of --input, and the settings in it or beside it.
func readInput(in io.Reader, f pluginRunFlags, m *abi.Manifest) (view, settings abi.Value, err error) {
	var data []byte
	switch f.input {
	case "":
		return view, settings, fmt.Errorf("callgate plugin run: no --input; name a file with a snapshot, such as {\"call\": {\"arguments\": {}}}")
	case "-":
		data, err = io.ReadAll(in)
	default:
		data, err = os.ReadFile(f.input)
	}
	if err != nil {
		return view, settings, unread(err, "name a readable file with a snapshot")
	}
	if view, settings, err = plugin.ParseInput(data, m); err != nil {
		return view, settings, fmt.Errorf("--input %q: %s", f.input, plainJSON(err))
	}
	given, err := readSettings(f.settings)
	if err == nil && given.Exists() {
		view, settings = view.With("settings", given), given
	}
	return view, settings, err
}

func pluginRunText(m *plugin.Module, r *plugin.Ran) (b []byte) {
	a := &r.Answer
	if r.Class != "" {
		b = fmt.Appendf(b, "failed %s  %s: %s\n", r.Class.Code(), r.Class, oneLine(r.Detail))
		if a.Trace != "" {
			b = fmt.Appendf(b, "  %s\n", strings.ReplaceAll(printable(a.Trace), "\n", "\n  "))
		}
	} else {
		b = saidText(m.Manifest, &r.Verdict)
	}
	b = append(b, logText(a)...)
	return fmt.Appendf(b, "fuel %d of %d, %s read, %s of memory\n", a.Fuel, wasm.FuelOf(m.Manifest), plural.Of(a.Delivered, "byte"), kibibytes(a.Pages))
}

// saidText is what a plugin says, for people. Its words are escaped.
func saidText(m *abi.Manifest, v *abi.Verdict) (b []byte) {
	b = append(b, v.Outcome.String()...)
	if v.Code != "" {
		b = fmt.Appendf(b, " %s", v.Code)
	}
	b = append(b, '\n')
	for _, c := range m.Codes {
		if c.Name == v.Code {
			b = fmt.Appendf(b, "  means: %s\n", oneLine(c.Means))
		}
	}
	if v.Plugin.Reason != "" {
		b = fmt.Appendf(b, "  it says: %s\n", oneLine(v.Plugin.Reason))
	}
	o := &v.Obligations
	for _, l := range []struct {
		name string
		list []string
	}{{"at", v.At}, {"labels of the call", o.CallLabels}, {"labels of the session", o.SessionLabels}, {"redact", o.Redact}, {"hide", o.Hide}} {
		for _, s := range l.list {
			b = fmt.Appendf(b, "  %s: %s\n", l.name, oneLine(s))
		}
	}
	if o.Calls != nil {
		b = fmt.Appendf(b, "  budget: %s left\n", plural.Of(*o.Calls, "call"))
	}
	for _, t := range v.Plugin.Tags {
		b = fmt.Appendf(b, "  tag %s: %s\n", oneLine(t.Name), oneLine(t.Text))
	}
	return b
}

func pluginRunJSON(m *plugin.Module, r *plugin.Ran) []byte {
	a := &r.Answer
	var verdict abi.Value
	if r.Class == "" {
		verdict, _ = abi.Parse(a.Output) // it was parsed already
	}
	return jsonLine(object("plugin", m.Manifest.Name, "module", m.Digest, "class", stated(string(r.Class)), "detail", stated(r.Detail), "trace", stated(a.Trace),
		"verdict", verdict, "fuel", int64(a.Fuel), "delivered", int64(a.Delivered), "pages", int(a.Pages), "log", logValue(a), "log_cut", a.LogCut))
}
