package oci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/memory"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
)

// created is when everything was made. The day on which somebody pushes would make
// another digest of the same plugin.
const created = "1970-01-01T00:00:00Z"

// blob is something that is found by its digest.
type blob struct {
	desc ocispec.Descriptor
	data []byte
}

func blobOf(mediaType string, data []byte) blob {
	return blob{ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}, data}
}

// composed is a plugin as a registry has it.
type composed struct {
	manifest   blob
	config     blob
	bundle     blob
	signatures []signature
}

// signature is the artifact of one.
type signature struct {
	manifest blob
	text     blob
}

// empty is the config of artifacts that need none.
func empty() blob {
	return blob{ocispec.DescriptorEmptyJSON, ocispec.DescriptorEmptyJSON.Data}
}

// compose makes the artifact of a bundle: of the same one and the same signatures,
// the same bytes.
func compose(b *bundle.Bundle, signatures [][]byte) (*composed, error) {
	c := &composed{config: blobOf(ConfigMediaType, b.Manifest), bundle: blobOf(BundleMediaType, b.Data)}
	about := map[string]string{ocispec.AnnotationCreated: created}
	for key, value := range map[string]string{
		ocispec.AnnotationTitle: b.About.Name, ocispec.AnnotationVersion: b.About.Version, ocispec.AnnotationLicenses: b.About.License,
		ocispec.AnnotationSource: b.About.Source, ocispec.AnnotationDescription: b.About.Description,
	} {
		if value != "" {
			about[key] = value
		}
	}
	var err error
	c.manifest, err = pack(PluginType, oras.PackManifestOptions{ConfigDescriptor: &c.config.desc, Layers: []ocispec.Descriptor{c.bundle.desc}, ManifestAnnotations: about})
	if err != nil {
		return nil, err
	}
	for _, text := range signatures {
		of := blobOf(SignatureType, text)
		m, err := pack(SignatureType, oras.PackManifestOptions{Subject: &c.manifest.desc, Layers: []ocispec.Descriptor{of.desc}, ManifestAnnotations: map[string]string{ocispec.AnnotationCreated: created}})
		if err != nil {
			return nil, err
		}
		c.signatures = append(c.signatures, signature{m, of})
	}
	return c, nil
}

// pack makes a manifest. Its descriptor is plain: what it says more is in there.
func pack(artifactType string, o oras.PackManifestOptions) (blob, error) {
	ctx := context.Background()
	store := memory.New()
	desc, err := oras.PackManifest(ctx, store, oras.PackManifestVersion1_1, artifactType, o)
	if err != nil {
		return blob{}, err
	}
	r, err := store.Fetch(ctx, desc)
	if err != nil {
		return blob{}, err
	}
	data, err := io.ReadAll(r)
	return blobOf(desc.MediaType, data), errors.Join(err, r.Close())
}

// part is a descriptor in a manifest that somebody wrote.
type part struct {
	mediaType, digest string
	size              int64
}

func (p part) descriptor() ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: p.mediaType, Digest: digest.Digest(p.digest), Size: p.size}
}

// manifest is what counts in one that somebody wrote.
type manifest struct {
	config, layer part
	subject       *part
}

// parseManifest reads a manifest of an artifact of one layer, strictly, and holds it
// to the media types and sizes of that.
func parseManifest(data []byte, artifactType string, config, layer string, most int64) (*manifest, error) {
	v, err := abi.Parse(data)
	if err != nil {
		return nil, refuse("its manifest is not JSON: %s", quoted(err.Error()))
	}
	if v.Kind() != abi.Object {
		return nil, refuse("its manifest is no object of JSON")
	}
	if got := v.Get("mediaType").Str(); got != manifestMediaType {
		return nil, refuse("its manifest is of media type %s; want %s", quoted(got), manifestMediaType)
	}
	if got := v.Get("artifactType").Str(); got != artifactType {
		return nil, refuse("not a plugin: its artifactType is %s; want %s, which callgate plugin push makes", quoted(got), artifactType)
	}
	layers := v.Get("layers")
	if layers.Kind() != abi.Array || layers.Len() != 1 {
		return nil, refuse("%d layers in its manifest; want one", layers.Len())
	}
	m := &manifest{}
	if m.config, err = parsePart("config", v.Get("config"), config, MaxConfig); err != nil {
		return nil, err
	}
	if m.layer, err = parsePart("layer", layers.Items()[0], layer, most); err != nil {
		return nil, err
	}
	if s := v.Get("subject"); s.Exists() {
		of, err := parsePart("subject", s, manifestMediaType, MaxManifest)
		if err != nil {
			return nil, err
		}
		m.subject = &of
	}
	return m, nil
}

// parsePart reads a descriptor of a media type and of at most so many bytes.
func parsePart(name string, v abi.Value, mediaType string, most int64) (part, error) {
	p := part{v.Get("mediaType").Str(), v.Get("digest").Str(), -1}
	if v.Get("size").Kind() == abi.Number {
		if n, err := strconv.ParseInt(v.Get("size").Lexeme(), 10, 64); err == nil {
			p.size = n
		}
	}
	switch {
	case p.mediaType != mediaType:
		return part{}, refuse("its %s is of media type %s; want %s", name, quoted(p.mediaType), mediaType)
	case !isDigest(p.digest):
		return part{}, refuse("the digest of its %s is %s; want sha256: and 64 hexadecimal digits", name, quoted(p.digest))
	case p.size < 0:
		return part{}, refuse("its %s has no size", name)
	case p.size > most:
		return part{}, refuse("its %s has %d bytes; at most %d", name, p.size, most)
	}
	return p, nil
}

func isDigest(text string) bool {
	d := digest.Digest(text)
	return d.Validate() == nil && d.Algorithm() == digest.SHA256
}

// Artifact is a plugin as somebody handed it over: all bytes are as they are named,
// and nobody has said that it may be trusted.
type Artifact struct {
	Manifest   string // digest of the OCI manifest: sha256:…
	Config     []byte
	Data       []byte // the bundle
	Signatures []bundle.Signature
	Ignored    []error // why other artifacts that refer to it are no signatures
}

// add takes what a signature's artifact has in it, or notes why it is none. Whoever
// may push can add one; it must not keep the plugin from those who trust others.
func (a *Artifact) add(name string, text []byte) {
	a.Signatures = append(a.Signatures, bundle.Signature{Name: name, Text: text})
}

// parseSignature reads the manifest of a signature of the artifact.
func (a *Artifact) parseSignature(data []byte) (part, error) {
	m, err := parseManifest(data, SignatureType, ocispec.MediaTypeEmptyJSON, SignatureType, bundle.MaxSignature)
	switch {
	case err != nil:
		return part{}, err
	case m.subject == nil || m.subject.digest != a.Manifest:
		return part{}, refuse("it refers to another artifact")
	}
	return m.layer, nil
}

// matches holds what a registry shows as plugin.json to the one in the bundle.
func (a *Artifact) matches(b *bundle.Bundle) error {
	if !bytes.Equal(a.Config, b.Manifest) {
		return fmt.Errorf("the registry shows another %s than the bundle has; ask its author, or push it again with callgate plugin push", bundle.ManifestFile)
	}
	return nil
}
