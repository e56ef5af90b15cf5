package oci

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
)

// The files of an image layout, of the OCI image specification 1.1.
const (
	layoutFile = "oci-layout"
	indexFile  = "index.json"
	blobsDir   = "blobs/sha256/"
	layoutText = `{"imageLayoutVersion":"1.0.0"}`
	indexType  = "application/vnd.oci.image.index.v1+json"
)

// Saved is a plugin for a file.
type Saved struct {
	Name       string // what it is called there: a reference without oci://, or another text
	Bundle     *bundle.Bundle
	Signatures [][]byte
}

// Manifest is the digest of the OCI manifest that the plugin has in the file.
func (s *Saved) Manifest() (string, error) {
	all, err := compose(s.Bundle, nil)
	if err != nil {
		return "", err
	}
	return all.manifest.desc.Digest.String(), nil
}

// LayoutName is what a reference to a registry is called in a file.
func LayoutName(ref bundle.Ref) string { return strings.TrimPrefix(ref.Text, "oci://") }

// FileName is what a bundle that is in no registry is called in a file: NAME@VERSION,
// which is no reference.
func FileName(b *bundle.Bundle) string { return b.About.Name + "@" + b.About.Version }

// Save makes a file of plugins and their signatures, for a machine without a network:
// the tar of an image layout. The same plugins make the same bytes.
func Save(list []Saved) ([]byte, error) {
	if len(list) == 0 || len(list) > MaxPlugins {
		return nil, fmt.Errorf("%d plugins; want 1 to %d", len(list), MaxPlugins)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Saved) int { return cmp.Compare(a.Name, b.Name) })
	files := map[string][]byte{layoutFile: []byte(layoutText)}
	index := layoutIndex{}
	for i, s := range list {
		switch {
		case i > 0 && list[i-1].Name == s.Name:
			return nil, fmt.Errorf("%q is named twice; name it once", s.Name)
		case len(s.Signatures) == 0:
			return nil, fmt.Errorf("%q is unsigned, and would not be loaded anywhere; sign it with callgate plugin sign", s.Name)
		}
		all, err := compose(s.Bundle, s.Signatures)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", s.Name, err)
		}
		if ref, err := bundle.ParseRef("oci://" + s.Name); err == nil && ref.Digest != "" && ref.Digest != all.manifest.desc.Digest.String() {
			return nil, fmt.Errorf("%q: callgate plugin push makes %s of it, so it was pushed with something else; save it under its tag alone", s.Name, all.manifest.desc.Digest)
		}
		index.add(all, s.Name)
		for _, one := range all.blobs() {
			files[blobsDir+one.desc.Digest.Encoded()] = one.data
		}
	}
	files[indexFile] = index.text()
	var out bytes.Buffer
	if err := writeLayout(&out, files); err != nil {
		return nil, err
	}
	if out.Len() > MaxLayout {
		return nil, fmt.Errorf("%d bytes; at most %d: save fewer plugins at once", out.Len(), MaxLayout)
	}
	return out.Bytes(), nil
}

// blobs are all parts.
func (c *composed) blobs() []blob {
	list := []blob{c.manifest, c.config, c.bundle, empty()}
	for _, s := range c.signatures {
		list = append(list, s.manifest, s.text)
	}
	return list
}

// layoutIndex is index.json, in the making: plugins with their names, and signatures,
// each once.
type layoutIndex struct {
	plugins, signatures []abi.Value
	seen                map[string]bool
}

func (x *layoutIndex) add(c *composed, name string) {
	x.plugins = append(x.plugins, indexEntry(c.manifest.desc, PluginType, name))
	if x.seen == nil {
		x.seen = map[string]bool{}
	}
	for _, s := range c.signatures {
		if of := s.manifest.desc; !x.seen[of.Digest.String()] {
			x.seen[of.Digest.String()] = true
			x.signatures = append(x.signatures, indexEntry(of, SignatureType, ""))
		}
	}
}

func indexEntry(desc ocispec.Descriptor, artifactType, name string) abi.Value {
	of := []abi.Member{
		{Name: "mediaType", Value: abi.StringValue(desc.MediaType)}, {Name: "digest", Value: abi.StringValue(desc.Digest.String())},
		{Name: "size", Value: abi.IntValue(desc.Size)}, {Name: "artifactType", Value: abi.StringValue(artifactType)},
	}
	if name != "" {
		of = append(of, abi.Member{Name: "annotations", Value: abi.ObjectValue(abi.Member{Name: ocispec.AnnotationRefName, Value: abi.StringValue(name)})})
	}
	return abi.ObjectValue(of...)
}

func (x *layoutIndex) text() []byte {
	return abi.ObjectValue(
		abi.Member{Name: "schemaVersion", Value: abi.IntValue(2)}, abi.Member{Name: "mediaType", Value: abi.StringValue(indexType)},
		abi.Member{Name: "manifests", Value: abi.ArrayValue(append(slices.Clone(x.plugins), x.signatures...)...)},
	).Bytes(nil)
}

// writeLayout writes the one tar of some files: USTAR, sorted, and nothing in it but
// names and contents.
func writeLayout(to io.Writer, files map[string][]byte) error {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	w := tar.NewWriter(to)
	for _, name := range names {
		h := &tar.Header{Format: tar.FormatUSTAR, Typeflag: tar.TypeReg, Name: name, Size: int64(len(files[name])), Mode: 0o644, ModTime: time.Unix(0, 0)}
		if err := w.WriteHeader(h); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		if _, err := w.Write(files[name]); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return w.Close()
}
