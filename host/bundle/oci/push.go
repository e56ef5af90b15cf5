package oci

import (
	"bytes"
	"context"
	"errors"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"

	"github.com/callgate/callgate/host/bundle"
)

// Pushed is what [Registry.Push] did.
type Pushed struct {
	Manifest   string   // digest of the OCI manifest: sha256:…
	Was        string   // what the tag was before, "" for nothing
	Keys       []string // ids of the keys whose signatures went along
	Signatures []string // digests of their manifests
}

// Push puts a bundle where the reference says, with signatures of it. The tag comes
// last, so that who reads it finds all of it; one that names something else is moved
// only if that is asked for.
func (c *Registry) Push(ctx context.Context, b *bundle.Bundle, signatures [][]byte, move bool) (*Pushed, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	p, err := c.push(ctx, b, signatures, move)
	if err != nil {
		return nil, explain(c, err)
	}
	return p, nil
}

func (c *Registry) push(ctx context.Context, b *bundle.Bundle, signatures [][]byte, move bool) (*Pushed, error) {
	if c.ref.Tag == "" {
		return nil, refuse("a digest is no name to push to; add a tag, such as :%s", b.About.Version)
	}
	if len(signatures) > bundle.MaxSignatures {
		return nil, refuse("%d signatures; at most %d", len(signatures), bundle.MaxSignatures)
	}
	all, err := compose(b, signatures)
	if err != nil {
		return nil, err
	}
	p := &Pushed{Manifest: all.manifest.desc.Digest.String()}
	if c.ref.Digest != "" && c.ref.Digest != p.Manifest {
		return nil, refuse("it would be %s; leave the digest out, or push the bundle that is that", p.Manifest)
	}
	for _, text := range signatures {
		id, err := b.IsSignedBy(text)
		if err != nil {
			return nil, refuse("a signature is %s", err)
		}
		p.Keys = append(p.Keys, id)
	}
	old, err := c.repo.Resolve(ctx, c.ref.Tag)
	switch {
	case err == nil:
		p.Was = old.Digest.String()
	case !errors.Is(err, errdef.ErrNotFound):
		return nil, err
	}
	if p.Was != "" && p.Was != p.Manifest && !move {
		return nil, refuse("the tag names %s already, and not %s; push another version under another tag, or move this one with --move", quoted(p.Was), p.Manifest)
	}
	for _, one := range []blob{all.config, all.bundle} {
		if err := c.put(ctx, one); err != nil {
			return nil, err
		}
	}
	if err := c.repo.Manifests().Push(ctx, all.manifest.desc, bytes.NewReader(all.manifest.data)); err != nil {
		return nil, err
	}
	for _, s := range all.signatures {
		if err := c.putSignature(ctx, s); err != nil {
			return nil, err
		}
		p.Signatures = append(p.Signatures, s.manifest.desc.Digest.String())
	}
	if p.Was != p.Manifest {
		if err := c.repo.Manifests().PushReference(ctx, all.manifest.desc, bytes.NewReader(all.manifest.data), c.ref.Tag); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// putSignature lets a signature refer to what it is of: the registry lists it, or, if
// it does not do that, the tag that the specification has for this.
func (c *Registry) putSignature(ctx context.Context, s signature) error {
	for _, one := range []blob{empty(), s.text} {
		if err := c.put(ctx, one); err != nil {
			return err
		}
	}
	return c.repo.Manifests().Push(ctx, s.manifest.desc, bytes.NewReader(s.manifest.data))
}

// put sends a blob that is not there yet.
func (c *Registry) put(ctx context.Context, one blob) error {
	desc := ocispec.Descriptor{MediaType: one.desc.MediaType, Digest: one.desc.Digest, Size: one.desc.Size}
	there, err := c.repo.Blobs().Exists(ctx, desc)
	if err != nil || there {
		return err
	}
	return c.repo.Blobs().Push(ctx, desc, bytes.NewReader(one.data))
}
