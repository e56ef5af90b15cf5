package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/wasm/scan"
)

func pluginBuildCmd(std stdio) *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build a plugin's module, with its manifest in it",
		Long: "Shows the command under build.run in DIR/" + plugin.ManifestFile + " and runs it in DIR, with sh, once that is confirmed. The command\n" +
			"leaves a module as plugin.wasm, NAME.wasm or NAME. What comes of it is held to what plugins may be, and written to\n" +
			"DIR/NAME.wasm with the manifest at its end. Nothing in the module is run.",
		Args: wants(cobra.MaximumNArgs(1), "name one folder with a "+plugin.ManifestFile),
		RunE: func(cmd *cobra.Command, words []string) error {
			dir := "."
			if len(words) > 0 {
				dir = words[0]
			}
			return pluginBuild(cmd.Context(), std, dir, yes, asJSON)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "run the command without asking")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func pluginBuild(ctx context.Context, std stdio, dir string, yes, asJSON bool) error {
	f, err := plugin.ReadFolder(dir)
	if err != nil {
		return unread(err, "name a folder with a "+plugin.ManifestFile)
	}
	if f.Manifest.Build.Run != "" {
		showBuild(std, f)
		if !yes {
			if err := confirmBuild(std); err != nil {
				return err
			}
		}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	says := &escaping{to: std.err}
	m, err := f.Build(ctx, says)
	says.flush()
	var refused *plugin.RefusedError
	switch {
	case errors.As(err, &refused):
		text := problemsText(refused.Problems.List, refused.Problems.More)
		if asJSON {
			text = jsonLine(object("name", f.Manifest.Name, "problems", problemsValue(refused.Problems.List), "more", refused.Problems.More))
		}
		if _, err := std.out.Write(text); err != nil {
			return err
		}
		return failed(fmt.Errorf("%s: what build.run built can not be a plugin", dir))
	case err != nil:
		return failed(fmt.Errorf("%s: %w", dir, err))
	}
	text := fmt.Appendf(nil, "%s  %s, %s\ndigest  %s\nmodule  %s\n", oneLine(m.Path), nameOfModule(m), plural.Of(len(m.Data), "byte"), m.File, m.Digest)
	if asJSON {
		text = jsonLine(object("file", m.Path, "name", m.Manifest.Name, "version", m.Manifest.Version, "bytes", len(m.Data), "digest", m.File, "module", m.Digest))
	}
	_, err = std.out.Write(text)
	return err
}

// showBuild shows the command that builds a folder.
func showBuild(std stdio, f *plugin.Folder) {
	fmt.Fprintf(std.err, "build.run of %s, in %s:\n  %s\n", oneLine(f.Manifest.Name), oneLine(f.Dir), strings.ReplaceAll(printable(f.Manifest.Build.Run), "\n", "\n  "))
}

// confirmBuild asks whether the command may be run.
func confirmBuild(std stdio) error {
	fmt.Fprint(std.err, "run it? [y/N] ")
	line, err := bufio.NewReader(io.LimitReader(std.in, 64)).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	if err != nil {
		fmt.Fprintln(std.err)
	}
	return errors.New("callgate plugin build: not confirmed, so nothing was run; answer y, or say --yes")
}

// problemsText is why a module does not load, for people.
func problemsText(list []scan.Problem, more int) (b []byte) {
	for _, p := range list {
		b = fmt.Appendf(b, "problem: %s: %s\n", p.Code, oneLine(p.Text))
	}
	if more > 0 {
		b = fmt.Appendf(b, "problem: and %d more\n", more)
	}
	return b
}

func problemsValue(list []scan.Problem) abi.Value {
	items := make([]abi.Value, len(list))
	for i, p := range list {
		items[i] = object("code", string(p.Code), "offset", p.Offset, "text", p.Text)
	}
	return abi.ArrayValue(items...)
}
