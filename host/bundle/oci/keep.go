package oci

import (
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/host/bundle"
)

// Keeper verifies what was handed over, and keeps it.
type Keeper struct {
	Store bundle.Store
	Trust *bundle.Trust
	Now   time.Time
}

// Verified is a bundle that the operator trusts, and that is not kept yet.
type Verified struct {
	Bundle     *bundle.Bundle
	Entry      bundle.Entry // for a lock
	Keys       []string     // whose signatures count, by the names of the trust file
	Scope      string
	Signatures [][]byte // those that count, one for each key
	Ignored    []error  // why others do not
	Place      string   // of the [Want] that it was got for
}

// Verify holds an artifact to the operator's trust, under a reference.
func (k *Keeper) Verify(ref string, a *Artifact) (*Verified, error) {
	v, err := k.VerifyBundle(ref, a.Data, a.Signatures)
	if err != nil {
		for _, why := range a.Ignored {
			err = errors.Join(err, fmt.Errorf("%s: %w", ref, why))
		}
		return nil, err
	}
	if err := a.matches(v.Bundle); err != nil {
		return nil, &UntrustedError{ref, err}
	}
	v.Entry.Manifest = a.Manifest
	v.Ignored = append(v.Ignored, a.Ignored...)
	return v, nil
}

// VerifyBundle holds a bundle to the operator's trust, under a reference.
func (k *Keeper) VerifyBundle(ref string, data []byte, signatures []bundle.Signature) (*Verified, error) {
	known, others := k.known(signatures)
	if len(known) == 0 {
		known, others = others[:min(len(others), bundle.MaxSignatures)], nil // for the reasons why not
	}
	b, v, err := k.Trust.Open(data, known, k.Now)
	if err != nil {
		return nil, &UntrustedError{ref, err}
	}
	got := &Verified{Bundle: b, Entry: bundle.NewEntry(ref, b, v), Keys: v.Keys, Scope: v.Scope, Signatures: v.Signatures, Ignored: v.Ignored}
	for _, s := range others {
		got.Ignored = append(got.Ignored, k.passedOver(s))
	}
	return got, nil
}

// passedOver says why a signature was not looked at.
func (k *Keeper) passedOver(s bundle.Signature) error {
	id, err := bundle.SignatureKey(s.Text)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	for _, key := range k.Trust.Keys {
		if bundle.KeyID(key.Public.ID()) == id {
			return fmt.Errorf("%s: not looked at, since %d are", s.Name, bundle.MaxSignatures)
		}
	}
	return fmt.Errorf("%s: by key %s, which the trust file does not have", s.Name, id)
}

// known parts the signatures that name a key of the trust file from the others, which
// anybody can add and which must not use up what is looked at.
func (k *Keeper) known(signatures []bundle.Signature) (known, others []bundle.Signature) {
	ids := map[string]bool{}
	for _, key := range k.Trust.Keys {
		ids[bundle.KeyID(key.Public.ID())] = true
	}
	for _, s := range signatures {
		if id, err := bundle.SignatureKey(s.Text); err == nil && ids[id] && len(known) < bundle.MaxSignatures {
			known = append(known, s)
		} else {
			others = append(others, s)
		}
	}
	return known, others
}

// Keep puts bundles into the store, all of them or none.
func (k *Keeper) Keep(list ...*Verified) error {
	var fresh []string
	for _, v := range list {
		digest := v.Bundle.Digest
		if !k.Store.Has(digest) {
			fresh = append(fresh, digest)
		}
		if err := k.Store.Put(v.Bundle.Data, v.Signatures); err != nil {
			errs := []error{err}
			for _, one := range fresh {
				if err := k.Store.Remove(one); err != nil && !errors.Is(err, bundle.ErrNotStored) {
					errs = append(errs, err)
				}
			}
			return errors.Join(errs...)
		}
	}
	return nil
}
