package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/callgate/callgate/abi"
)

// Pack makes a bundle: the same bytes for the same files, whatever their order. A
// module without a manifest gets the one that is packed; one that has another is
// an error. What Pack makes, [Open] opens.
func Pack(f Files) ([]byte, error) {
	module, err := carries(f.Module, f.Manifest)
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	f.Module = module
	var s names
	for _, one := range f.list() {
		if err := s.admit(one.Name, int64(len(one.Data))); err != nil {
			return nil, fmt.Errorf("pack: %w", err)
		}
	}
	raw, err := archive(f.list())
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	if len(raw) > MaxContent {
		return nil, fmt.Errorf("pack: %d bytes before compression; at most %d", len(raw), MaxContent)
	}
	packed, err := compress(raw)
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	if _, err := Open(packed); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return packed, nil
}

// carries is the module with its manifest in it.
func carries(module, manifest []byte) ([]byte, error) {
	switch {
	case len(manifest) == 0:
		return nil, fmt.Errorf("no %s; a bundle has one", ManifestFile)
	case len(module) == 0:
		return nil, fmt.Errorf("no %s; build it with callgate plugin build", ModuleFile)
	}
	if _, err := parseManifest(manifest); err != nil {
		return nil, err
	}
	m, _, err := abi.ReadModule(module)
	switch {
	case errors.Is(err, abi.ErrNoManifest):
		return abi.WithManifest(module, manifest)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", ModuleFile, err)
	case m.Text != string(manifest):
		return nil, fmt.Errorf("%s: its manifest is not %s byte for byte; build it again with callgate plugin build", ModuleFile, ManifestFile)
	}
	return module, nil
}

// archive is the tar of a list: USTAR, and nothing in it but names and contents.
func archive(list []File) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range list {
		h := &tar.Header{Format: tar.FormatUSTAR, Typeflag: tar.TypeReg, Name: f.Name, Size: int64(len(f.Data)), Mode: 0o644, ModTime: time.Unix(0, 0)}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("%q: %w", f.Name, err)
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, fmt.Errorf("%q: %w", f.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// compress is one frame, with a checksum, whose bytes do not depend on how many
// processors there are. A single segment would make readers keep all of it.
func compress(raw []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression),
		zstd.WithWindowSize(MaxWindow), zstd.WithSingleSegment(false), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	out := w.EncodeAll(raw, nil)
	return out, w.Close()
}
