package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/regular"
)

func pluginPackCmd(std stdio) *cobra.Command {
	var output string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "pack [FOLDER] [-o FILE]",
		Short: "Pack a plugin into one file for others: a bundle",
		Long: "Packs the built module of FOLDER, without it this folder, with " + bundle.ManifestFile + ", " + bundle.ReadmeFile + ", " + bundle.LicenseFile + " and " + bundle.CasesDir + "/*.yaml, into\n" +
			"FOLDER/NAME-VERSION" + bundle.BundleSuffix + ". The same files make the same bytes. First the module is held to what plugins may be, and its\n" +
			"cases are run in the sandbox: without one, or with one that fails, nothing is packed. Links are not followed.",
		Args: wants(cobra.MaximumNArgs(1), "name one folder with a "+plugin.ManifestFile),
		RunE: func(_ *cobra.Command, words []string) error {
			dir := "."
			if len(words) > 0 {
				dir = words[0]
			}
			return pluginPack(std, dir, output, asJSON)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "`FILE` of the bundle, NAME"+bundle.BundleSuffix)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func pluginPack(std stdio, dir, output string, asJSON bool) error {
	f, err := plugin.ReadFolder(dir)
	if err != nil {
		return unread(err, "name a folder with a "+plugin.ManifestFile)
	}
	if output == "" {
		output = f.Bundled()
	}
	if r, err := bundle.ParseRef(output); err != nil || r.Kind != bundle.BundleRef {
		return fmt.Errorf("-o %q: want the name of a bundle, which ends in %s", output, bundle.BundleSuffix)
	}
	if err := regular.Replaceable(output); err != nil {
		return unread(err, "choose another file with -o")
	}
	m, err := f.Module()
	if err != nil {
		return unread(err, "build it with callgate plugin build")
	}
	files, err := f.Cases()
	if err != nil {
		return unloaded(std.out, asJSON, err)
	}
	parts, err := f.Parts(m, files)
	if err != nil {
		return failed(fmt.Errorf("not packed: %w", err))
	}
	tried, err := packable(std, m, files, asJSON)
	if err != nil {
		return err
	}
	data, err := bundle.Pack(parts)
	if err != nil {
		return failed(fmt.Errorf("%s: not packed: %w", dir, err))
	}
	if err := regular.Replace(output, data, 0o644); err != nil {
		return unread(err, "choose another file with -o")
	}
	if plugin.Nobody(parts.License) {
		fmt.Fprintf(std.err, "note: %s does not say whose it is, nor since when: state both, and pack it again\n", bundle.LicenseFile)
	}
	stale(std, output, data)
	digest := abi.DigestBytes(data)
	text := fmt.Appendf(nil, "%s  %s, %s, %s passed\ndigest  %s\nsign it with: callgate plugin sign --key NAME%s %s\n",
		oneLine(output), nameOfModule(m), plural.Of(len(data), "byte"), plural.Of(tried, "case"), digest, bundle.SecretSuffix, oneLine(output))
	if asJSON {
		text = jsonLine(object("file", output, "name", f.Manifest.Name, "version", f.Manifest.Version, "bytes", len(data), "cases", tried, "digest", digest, "module", m.Digest))
	}
	_, err = std.out.Write(text)
	return err
}

// stale notes the signatures beside a new bundle that are of the one before it.
func stale(std stdio, output string, data []byte) {
	b, err := bundle.Open(data)
	if err != nil {
		return // whoever signs or verifies it is told
	}
	_, signatures, err := bundle.ReadSigned(output)
	if err != nil {
		return
	}
	for _, s := range signatures {
		if _, err := b.IsSignedBy(s.Text); err != nil {
			fmt.Fprintf(std.err, "note: %s is no signature of this bundle; sign it again, or move that file away\n", oneLine(s.Name))
		}
	}
}

// packable refuses a module that can not be a plugin, and one whose cases fail or
// are not there, and says how many passed.
func packable(std stdio, m *plugin.Module, files []plugin.CasesFile, asJSON bool) (tried int, err error) {
	if in := plugin.Inspect(m, abi.Value{}); len(in.Problems) > 0 {
		text := problemsText(in.Problems, in.More)
		if asJSON {
			text = jsonLine(object("name", m.Manifest.Name, "problems", problemsValue(in.Problems), "more", in.More))
		}
		if _, err := std.out.Write(text); err != nil {
			return 0, err
		}
		return 0, failed(fmt.Errorf("%s: not packed: it can not be a plugin", m.Path))
	}
	e, err := plugin.Open(sandbox())
	if err != nil {
		return 0, err
	}
	defer e.Close()
	all := e.Try(m, files, nil)
	bad := failures(all)
	switch {
	case len(all) == 0:
		return 0, failed(errors.New("not packed: no cases; a plugin without cases shows nothing, so write one into " + plugin.CasesDir + "/NAME.yaml"))
	case bad == 0:
		return len(all), nil
	}
	show := pluginTestText
	if asJSON {
		show = pluginTestJSON
	}
	if _, err := std.out.Write(show(all, bad)); err != nil {
		return 0, err
	}
	return 0, failed(fmt.Errorf("not packed: %d of %s failed; mend them, or the plugin", bad, plural.Of(len(all), "case")))
}
