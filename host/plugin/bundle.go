package plugin

import (
	"fmt"
	"time"

	"aead.dev/minisign"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/wasm"
)

// BundleTarget is a bundle as what a command line names: its module, and the cases
// in it. Whether it may be trusted is for who opened it.
func BundleTarget(path string, b *bundle.Bundle) *Target {
	m := &Module{Path: path + "/" + bundle.ModuleFile, Data: b.Module, Manifest: b.About, File: b.FileDigest, Digest: b.ModuleDigest}
	return &Target{Module: m, Bundle: b, path: path}
}

// bundledCases are the cases in a bundle, by name.
func (t *Target) bundledCases() ([]CasesFile, error) {
	var list []CasesFile
	for _, f := range t.Bundle.Cases {
		name := t.path + "/" + f.Name
		file, err := cases.LoadPlugin(name, f.Data, t.Bundle.About)
		if err != nil {
			return nil, err
		}
		list = append(list, CasesFile{name, f.Data, file})
	}
	return list, nil
}

// Loads says why the module of a bundle can not be a plugin: nil, or a
// [RefusedError]. Nothing of it is run or compiled.
func Loads(b *bundle.Bundle) error {
	if _, problems := wasm.Inspect(b.Module, b.About); len(problems.List) > 0 {
		return &RefusedError{problems}
	}
	return nil
}

// Verify opens a bundle that may be trusted at a time, and whose module can be a
// plugin.
func Verify(t *bundle.Trust, data []byte, signatures []bundle.Signature, now time.Time) (*bundle.Bundle, *bundle.Verified, error) {
	b, v, err := t.Open(data, signatures, now)
	if err != nil {
		return nil, nil, err
	}
	if err := Loads(b); err != nil {
		return nil, nil, fmt.Errorf("bundle: %s: %w", bundle.ModuleFile, err)
	}
	return b, v, nil
}

// Sign signs a bundle, unless [Verify] would refuse it in the hands of those who
// trust just this key.
func Sign(data []byte, secret minisign.PrivateKey, now time.Time) (*bundle.Bundle, []byte, error) {
	b, err := bundle.Open(data)
	if err != nil {
		return nil, nil, err
	}
	text, err := b.Sign(secret)
	if err != nil {
		return nil, nil, err
	}
	public, ok := secret.Public().(minisign.PublicKey)
	if !ok {
		return nil, nil, fmt.Errorf("the secret key has no public one; make another with callgate plugin keygen")
	}
	signatures := []bundle.Signature{{Name: "the new signature", Text: text}}
	trust, err := bundle.TrustOnly([]minisign.PublicKey{public}, signatures)
	if err != nil {
		return nil, nil, err
	}
	if _, _, err := Verify(trust, data, signatures, now); err != nil {
		return nil, nil, err
	}
	return b, text, nil
}
