package oci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"

	"github.com/callgate/callgate/host/bundle"
)

// Pull gets what the reference names, with its signatures. A digest in it decides,
// whatever the tag names. Nothing is kept: [Keeper.Verify] is for that.
func (c *Registry) Pull(ctx context.Context) (*Artifact, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	a, err := c.pull(ctx)
	if err != nil {
		return nil, explain(c, err)
	}
	return a, nil
}

func (c *Registry) pull(ctx context.Context) (*Artifact, error) {
	desc, data, err := c.fetchManifest(ctx)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(data, PluginType, ConfigMediaType, BundleMediaType, bundle.MaxCompressed)
	if err != nil {
		return nil, err
	}
	a := &Artifact{Manifest: desc.Digest.String()}
	if a.Config, err = c.part(ctx, "config", c.repo.Blobs(), m.config.descriptor()); err != nil {
		return nil, err
	}
	if a.Data, err = c.part(ctx, "bundle", c.repo.Blobs(), m.layer.descriptor()); err != nil {
		return nil, err
	}
	return a, c.signatures(ctx, desc, a)
}

// part gets what something else that the registry has names.
func (c *Registry) part(ctx context.Context, what string, from content.Fetcher, desc ocispec.Descriptor) ([]byte, error) {
	data, err := content.FetchAll(ctx, from, desc)
	if errors.Is(err, errdef.ErrNotFound) {
		return nil, refuse("%s names its %s, %s, and does not have it; whoever may push can push it again", c.ref.Registry, what, desc.Digest)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return data, nil
}

// fetchManifest is the manifest that the reference names. Its digest is that of what
// came, and not what the registry says that it is.
func (c *Registry) fetchManifest(ctx context.Context) (ocispec.Descriptor, []byte, error) {
	what := c.ref.Digest
	if what == "" {
		what = c.ref.Tag
	}
	desc, r, err := c.repo.Manifests().FetchReference(ctx, what)
	if err != nil {
		return desc, nil, err
	}
	defer r.Close()
	switch {
	case desc.MediaType != manifestMediaType:
		return desc, nil, refuse("%s answers with %s, and not with the manifest of a plugin, %s; check the name: is it a registry, and a plugin?", c.ref.Registry, quoted(desc.MediaType), manifestMediaType)
	case desc.Size > MaxManifest:
		return desc, nil, refuse("its manifest has %d bytes; at most %d", desc.Size, MaxManifest)
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxManifest+1))
	if err != nil {
		return desc, nil, err
	}
	got := digest.FromBytes(data)
	if int64(len(data)) != desc.Size || got != desc.Digest || c.ref.Digest != "" && got.String() != c.ref.Digest {
		return desc, nil, content.ErrMismatchedDigest
	}
	return ocispec.Descriptor{MediaType: desc.MediaType, Digest: got, Size: desc.Size}, data, nil
}

// signatures gets what refers to an artifact as its signatures. One that is not as it
// should be is noted, and no more; a registry that does not hand it over is an error.
func (c *Registry) signatures(ctx context.Context, of ocispec.Descriptor, a *Artifact) error {
	var list []ocispec.Descriptor
	err := c.repo.Referrers(ctx, of, SignatureType, func(page []ocispec.Descriptor) error {
		if list = append(list, page...); len(list) > MaxReferrers {
			return refuse("more than %d signatures refer to it; at most that many are looked at: ask its author to take away what is none", MaxReferrers)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("signatures: %w", err)
	}
	for _, desc := range list {
		if err := c.signature(ctx, desc, a); err != nil {
			return err
		}
	}
	return nil
}

func (c *Registry) signature(ctx context.Context, desc ocispec.Descriptor, a *Artifact) error {
	ignore := func(err error) {
		a.Ignored = append(a.Ignored, fmt.Errorf("signature %s: %w", quoted(desc.Digest.String()), err))
	}
	switch {
	case !isDigest(desc.Digest.String()):
		ignore(refuse("no digest; want sha256: and 64 hexadecimal digits"))
		return nil
	case desc.MediaType != manifestMediaType:
		ignore(refuse("of media type %s; want %s", quoted(desc.MediaType), manifestMediaType))
		return nil
	case desc.Size < 0 || desc.Size > maxSignatureManifest:
		ignore(refuse("its manifest has %d bytes; at most %d", desc.Size, maxSignatureManifest))
		return nil
	}
	data, err := c.part(ctx, "signature", c.repo.Manifests(), ocispec.Descriptor{MediaType: desc.MediaType, Digest: desc.Digest, Size: desc.Size})
	if err != nil {
		return err
	}
	layer, err := a.parseSignature(data)
	if err != nil {
		ignore(err)
		return nil
	}
	text, err := c.part(ctx, "signature", c.repo.Blobs(), layer.descriptor())
	if err != nil {
		return err
	}
	a.add("signature "+shortDigest(desc.Digest.String()), text)
	return nil
}

// shortDigest is enough of a digest to find it in a list.
func shortDigest(text string) string {
	return strings.TrimPrefix(text, "sha256:")[:12]
}
