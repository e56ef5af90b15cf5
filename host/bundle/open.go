package bundle

import (
	"errors"
	"fmt"

	"golang.org/x/mod/semver"

	"github.com/callgate/callgate/abi"
)

// Bundle is a bundle that was opened: all of it is as it should be, and nobody has
// said that it may be trusted.
type Bundle struct {
	Files
	About        *abi.Manifest
	Data         []byte // the bundle itself, which signatures are over
	Digest       string // of Data: sha256:…
	ModuleDigest string // of the module without its manifest: sha256:…
	FileDigest   string // of the module as it is: sha256:…, what a policy states
}

// Open reads a bundle, whoever made it: what may be tried out, and not served.
// [Trust.Open] and [Entry.Open] are for what is served. Its Module carries the
// manifest, even where the one in the bundle does not.
func Open(data []byte) (*Bundle, error) {
	b, err := open(data)
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	return b, nil
}

func open(data []byte) (*Bundle, error) {
	if len(data) > MaxCompressed {
		return nil, errTooLarge(data)
	}
	if err := oneFrame(data); err != nil {
		return nil, err
	}
	raw, err := decompress(data)
	if err != nil {
		return nil, err
	}
	list, err := entries(raw)
	if err != nil {
		return nil, err
	}
	b := &Bundle{Files: filesOf(list), Data: data, Digest: abi.DigestBytes(data)}
	switch {
	case b.Manifest == nil:
		return nil, fmt.Errorf("no %s; a bundle has one", ManifestFile)
	case b.Module == nil:
		return nil, fmt.Errorf("no %s; a bundle has one", ModuleFile)
	}
	if b.About, err = parseManifest(b.Manifest); err != nil {
		return nil, err
	}
	return b, b.readModule()
}

func errTooLarge(data []byte) error {
	return fmt.Errorf("%d bytes; at most %d", len(data), MaxCompressed)
}

// parseManifest reads plugin.json. Versions are compared here, so they have to be
// some to the letter: a comparison of what is none says that they are equal.
func parseManifest(text []byte) (*abi.Manifest, error) {
	m, err := abi.ParseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestFile, err)
	}
	if !isVersion(m.Version) {
		return nil, fmt.Errorf("%s: version: %q is none of Semantic Versioning 2.0.0; want one like 1.2.0 or 1.2.0-rc.1", ManifestFile, m.Version)
	}
	return m, nil
}

// readModule holds the module to the manifest beside it.
func (b *Bundle) readModule() error {
	m, digest, err := abi.ReadModule(b.Module)
	switch {
	case errors.Is(err, abi.ErrNoManifest):
		digest = abi.DigestBytes(b.Module)
		if b.Module, err = abi.WithManifest(b.Module, b.Manifest); err != nil {
			return fmt.Errorf("%s: %w", ModuleFile, err)
		}
	case err != nil:
		return fmt.Errorf("%s: %w", ModuleFile, err)
	case m.Text != string(b.Manifest):
		return fmt.Errorf("%s: its manifest is not %s byte for byte; whoever reads one would trust the other", ModuleFile, ManifestFile)
	}
	b.ModuleDigest, b.FileDigest = digest, abi.DigestBytes(b.Module)
	return nil
}

// isVersion says whether v is a version of Semantic Versioning 2.0.0, in full.
func isVersion(v string) bool {
	v = "v" + v
	return semver.IsValid(v) && semver.Canonical(v)+semver.Build(v) == v
}

// compareVersions orders two versions, of which the build metadata does not count.
func compareVersions(v, w string) int { return semver.Compare("v"+v, "v"+w) }
