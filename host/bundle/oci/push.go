package oci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/plural"
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
	if err := c.listed(ctx, all); err != nil {
		return nil, err
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

// relists are the pauses before looks at the list of signatures.
var relists = []time.Duration{0, 500 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second}

// listed makes sure that the signatures are found. Where the list of them is a tag,
// whoever pushes at the same moment may write theirs over ours: there, it is looked
// at once more a moment later.
func (c *Registry) listed(ctx context.Context, all *composed) error {
	if len(all.signatures) == 0 {
		return nil
	}
	var missing []signature
	found, want := 0, 1
	switch _, err := c.repo.Resolve(ctx, strings.Replace(all.manifest.desc.Digest.String(), ":", "-", 1)); {
	case err == nil:
		want = 2
	case !errors.Is(err, errdef.ErrNotFound):
		return err
	}
	for _, pause := range relists {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		var err error
		if missing, err = c.unlisted(ctx, all); err != nil {
			return fmt.Errorf("signatures: %w", err)
		}
		if found++; len(missing) > 0 {
			found = 0
		}
		if found == want {
			return nil
		}
		for _, s := range missing {
			if err := c.putSignature(ctx, s); err != nil {
				return err
			}
		}
	}
	return refuse("%s took %s and does not list all of them; does somebody else push at the same time? push again", c.ref.Registry, plural.Of(len(all.signatures), "signature"))
}

// unlisted are the signatures that the registry does not list.
func (c *Registry) unlisted(ctx context.Context, all *composed) ([]signature, error) {
	there := map[string]bool{}
	err := c.repo.Referrers(ctx, all.manifest.desc, SignatureType, func(page []ocispec.Descriptor) error {
		for _, d := range page {
			there[d.Digest.String()] = true
		}
		return nil
	})
	missing := slices.DeleteFunc(slices.Clone(all.signatures), func(s signature) bool { return there[s.manifest.desc.Digest.String()] })
	return missing, err
}

// put sends a blob that is not there yet. An upload that a busy registry did not take
// begins anew, and is not sent again to where it went: that may be gone.
func (c *Registry) put(ctx context.Context, one blob) error {
	for attempt := 0; ; attempt++ {
		err := c.putOnce(ctx, one)
		if !c.patient.again(ctx, attempt, err) {
			return err
		}
	}
}

func (c *Registry) putOnce(ctx context.Context, one blob) error {
	desc := ocispec.Descriptor{MediaType: one.desc.MediaType, Digest: one.desc.Digest, Size: one.desc.Size}
	there, err := c.repo.Blobs().Exists(ctx, desc)
	if err != nil || there {
		return err
	}
	return c.repo.Blobs().Push(ctx, desc, bytes.NewReader(one.data))
}
