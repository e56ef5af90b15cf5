package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/plural"
)

// inspectedBundle is what a bundle shows of itself, and what is said of it. A nil
// one shows nothing.
type inspectedBundle struct {
	path       string
	bundle     *bundle.Bundle
	signatures []bundle.Signature
	trust      *bundle.Trust
	by         *bundle.Verified // nil: see why
	why        string
}

// inspectedModule reads a module, or that of a folder, whatever is wrong with it.
func inspectedModule(path string) (*plugin.Module, error) {
	mend := "name a module, a bundle, or a folder with a " + plugin.ManifestFile
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		f, err := plugin.ReadFolder(path)
		if err != nil {
			return nil, unread(err, mend)
		}
		path, mend = f.Built(), "build it with callgate plugin build"
	}
	m, err := plugin.ReadModule(path)
	if err != nil {
		return nil, unread(err, mend)
	}
	return m, nil
}

// readInspected reads a module, or a bundle whether it may be trusted or not.
func readInspected(words []string, trust string) (*plugin.Module, *inspectedBundle, error) {
	path := "."
	if len(words) > 0 {
		path = words[0]
	}
	if !isBundle(path) {
		m, err := inspectedModule(path)
		return m, nil, err
	}
	data, signatures, err := bundle.ReadSigned(path)
	if err != nil {
		return nil, nil, unread(err, "name a module or a bundle")
	}
	i := &inspectedBundle{path: path, signatures: signatures}
	if i.bundle, err = bundle.Open(data); err != nil {
		return nil, nil, failed(fmt.Errorf("%s: %w", path, err))
	}
	t, hint, err := readTrust(trust)
	if err != nil {
		return nil, nil, err
	}
	i.trust = t
	if _, i.by, err = t.Open(data, signatures, time.Now()); err != nil {
		i.why = refusal(err, hint)
	}
	return plugin.BundleTarget(path, i.bundle).Module, i, nil
}

// files are those in the bundle with their sizes, in its order.
func (i *inspectedBundle) files() (list []bundle.File) {
	b := i.bundle
	for _, f := range append([]bundle.File{{Name: bundle.LicenseFile, Data: b.License}, {Name: bundle.ReadmeFile, Data: b.Readme}}, b.Cases...) {
		if f.Data != nil {
			list = append(list, f)
		}
	}
	return append(list, bundle.File{Name: bundle.ManifestFile, Data: b.Manifest}, bundle.File{Name: bundle.ModuleFile, Data: b.Module})
}

func (i *inspectedBundle) text() []byte {
	if i == nil {
		return nil
	}
	b := fmt.Appendf(nil, "%s  %s\nbundle  %s\n", oneLine(i.path), plural.Of(len(i.bundle.Data), "byte"), i.bundle.Digest)
	for _, f := range i.files() {
		b = fmt.Appendf(b, "  %s  %s\n", oneLine(f.Name), plural.Of(len(f.Data), "byte"))
	}
	if i.by == nil {
		return fmt.Appendf(b, "trust   NOT TRUSTED, %s: %s\n", plural.Of(len(i.signatures), "signature"), strings.ReplaceAll(printable(i.why), "\n", "\n        "))
	}
	return fmt.Appendf(b, "trust   signed by %s; scope %s\n", signers(i.trust, i.by), letBy(i.trust, i.by))
}

func (i *inspectedBundle) value() abi.Value {
	if i == nil {
		return abi.Value{}
	}
	var files []abi.Value
	for _, f := range i.files() {
		files = append(files, object("name", f.Name, "bytes", len(f.Data)))
	}
	by := abi.Value{}
	if i.by != nil {
		by = verifiedValue(i.trust, i.by)
	}
	return object("file", i.path, "bytes", len(i.bundle.Data), "digest", i.bundle.Digest, "files", abi.ArrayValue(files...), "signatures", len(i.signatures),
		"trusted", i.by != nil, "by", by, "why", stated(i.why))
}
