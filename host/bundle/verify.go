package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"aead.dev/minisign"

	"github.com/callgate/callgate/abi"
)

// Verified is what [Trust.Open] found out about a bundle.
type Verified struct {
	Scope   string   // of the trust file, that decided
	Keys    []string // whose signatures count, by name, sorted
	KeyIDs  []string // their ids, sorted
	Ignored []error  // why other signatures do not count

	Signatures [][]byte // those that count: one for each of KeyIDs
}

// Open opens a bundle if it may be trusted at a time: enough different keys of the
// scope of its name have signed just these bytes under this name, version and ABI,
// no newer version is asked for, and nothing of it is revoked. The bundle is not
// looked into before its signatures are known to be good.
func (t *Trust) Open(data []byte, signatures []Signature, now time.Time) (*Bundle, *Verified, error) {
	b, v, err := t.open(data, signatures, now)
	if err != nil {
		return nil, nil, fmt.Errorf("bundle: %w", err)
	}
	return b, v, nil
}

func (t *Trust) open(data []byte, signatures []Signature, now time.Time) (*Bundle, *Verified, error) {
	switch {
	case now.IsZero():
		return nil, nil, errors.New("no time to hold keys to; state one")
	case len(data) > MaxCompressed:
		return nil, nil, errTooLarge(data)
	case len(signatures) == 0:
		return nil, nil, fmt.Errorf("unsigned; get its signature, NAME.cgp%s, from where the bundle is from", SignatureSuffix)
	case len(signatures) > MaxSignatures:
		return nil, nil, fmt.Errorf("%d signatures; at most %d", len(signatures), MaxSignatures)
	}
	digest := abi.DigestBytes(data)
	if err := t.revoked(digest); err != nil {
		return nil, nil, err
	}
	claims, ignored, err := t.count(data, digest, signatures, now)
	if err != nil {
		return nil, nil, err
	}
	admitted := t.admitted(claims, &ignored)
	if len(admitted) == 0 {
		return nil, nil, errors.Join(ignored...)
	}
	b, err := open(data)
	if err != nil {
		return nil, nil, err
	}
	v, ok := admitted[b.claim()]
	if !ok {
		return nil, nil, fmt.Errorf("signed as something else: %w", errors.Join(append(t.others(admitted, b), ignored...)...))
	}
	v.Ignored = ignored
	return b, v, t.Allows(b)
}

// others says what a bundle was signed as that it is not.
func (t *Trust) others(admitted map[claim]*Verified, b *Bundle) (errs []error) {
	for c := range admitted {
		errs = append(errs, fmt.Errorf("the signature is of %s %s for ABI %s, and the bundle is %s %s for ABI %s", c.name, c.version, c.abi, b.About.Name, b.About.Version, b.About.ABI))
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errs
}

// count tells the signatures that count, by what they say they are of and the name of
// their key, and why others do not.
func (t *Trust) count(data []byte, digest string, signatures []Signature, now time.Time) (map[claim]map[string][]byte, []error, error) {
	hashed := minisign.NewReader(bytes.NewReader(data))
	if _, err := io.Copy(io.Discard, hashed); err != nil {
		return nil, nil, err
	}
	claims := map[claim]map[string][]byte{}
	var ignored []error
	for _, s := range signatures {
		c, key, err := t.signer(hashed, s.Text, digest, now)
		switch {
		case err != nil:
			ignored = append(ignored, fmt.Errorf("%s: %w", s.Name, err))
			continue
		case claims[c] == nil:
			claims[c] = map[string][]byte{}
		}
		if _, again := claims[c][key]; !again {
			claims[c][key] = s.Text
		}
	}
	return claims, ignored, nil
}

// signer is the key that a signature is by, if it counts, and what it says.
func (t *Trust) signer(hashed *minisign.Reader, text []byte, digest string, now time.Time) (claim, string, error) {
	s, err := parseSignature(text)
	if err != nil {
		return claim{}, "", err
	}
	name, key, ok := t.keyOf(s.KeyID)
	switch {
	case !ok:
		return claim{}, "", t.unknownKey(s)
	case !hashed.Verify(key.Public, text):
		return claim{}, "", fmt.Errorf("not what key %q signed: the bundle or the signature was changed, or they are of different files; get both again", name)
	case !key.Expires.IsZero() && !now.Before(key.Expires):
		return claim{}, "", fmt.Errorf("key %q expired on %s; ask its owner for a signature with their new key", name, key.Expires.Format(time.DateOnly))
	}
	c, err := parseClaim(s.TrustedComment)
	if err != nil {
		return claim{}, "", err
	}
	if c.digest != digest {
		return claim{}, "", fmt.Errorf("its trusted comment says %s, and the bundle is %s; sign it again with callgate plugin sign", c.digest, digest)
	}
	match, scope, ok := t.scope(c.name)
	switch {
	case !ok:
		return claim{}, "", t.unknownScope(c.name)
	case !slices.Contains(scope.Keys, name):
		return claim{}, "", fmt.Errorf("key %q may not sign %s: scope %q is signed by %s", name, c.name, match, strings.Join(scope.Keys, ", "))
	}
	return c, name, nil
}

// unknownKey says that a signature is by nobody who is trusted.
func (t *Trust) unknownKey(s minisign.Signature) error {
	if t.named {
		return fmt.Errorf("by key %s, which is none of those that are named", KeyID(s.KeyID))
	}
	text := fmt.Sprintf("by key %s, which the trust file does not have", KeyID(s.KeyID))
	if c, err := parseClaim(s.TrustedComment); err == nil {
		// What nobody proves is worth a warning all the same.
		if _, _, ok := t.scope(c.name); !ok && t.like(c.name) != "" {
			return fmt.Errorf("%s; and %w", text, t.unknownScope(c.name))
		}
	}
	return fmt.Errorf("%s; add it there if you know whose it is: callgate plugin trust add NAME KEY --scope SCOPE", text)
}

func (t *Trust) keyOf(id uint64) (string, Key, bool) {
	for name, key := range t.Keys {
		if key.Public.ID() == id {
			return name, key, true
		}
	}
	return "", Key{}, false
}

// admitted is what enough keys say.
func (t *Trust) admitted(claims map[claim]map[string][]byte, ignored *[]error) map[claim]*Verified {
	out := map[claim]*Verified{}
	for c, by := range claims {
		match, scope, _ := t.scope(c.name)
		keys := slices.Sorted(maps.Keys(by))
		if want := max(scope.Threshold, 1); len(keys) < want {
			*ignored = append(*ignored, fmt.Errorf("scope %q wants signatures by %d of its keys, and there are %d: by %s", match, want, len(keys), strings.Join(keys, ", ")))
			continue
		}
		v := &Verified{Scope: match, Keys: keys}
		texts := map[string][]byte{}
		for _, k := range keys {
			texts[KeyID(t.Keys[k].Public.ID())] = by[k]
		}
		v.KeyIDs = slices.Sorted(maps.Keys(texts))
		for _, id := range v.KeyIDs {
			v.Signatures = append(v.Signatures, texts[id])
		}
		out[c] = v
	}
	return out
}

// Allows says why a bundle may not be used although its signatures are good: what
// has to hold of one that is pinned too.
func (t *Trust) Allows(b *Bundle) error {
	if err := t.AllowsDigests(b.Digest, b.ModuleDigest, b.FileDigest); err != nil {
		return err
	}
	if least, ok := t.MinVersions[b.About.Name]; ok && (!isVersion(least) || compareVersions(b.About.Version, least) < 0) {
		return fmt.Errorf("%s %s is older than %s, which the trust file asks for; get that or a newer one", b.About.Name, b.About.Version, least)
	}
	return nil
}

// AllowsModule says why the file of a module may not be used that came in no bundle.
// Nobody has to have signed it, but what is revoked is revoked in every file.
func (t *Trust) AllowsModule(data []byte) error {
	_, bare, err := abi.ReadModule(data)
	if err != nil {
		bare = "" // who loads it says so
	}
	return t.AllowsDigests(abi.DigestBytes(data), bare)
}

// AllowsDigests says which of several digests is revoked.
func (t *Trust) AllowsDigests(digests ...string) error {
	for _, digest := range digests {
		if err := t.revoked(digest); err != nil {
			return err
		}
	}
	return nil
}

func (t *Trust) revoked(digest string) error {
	if why, ok := t.Revoked[digest]; ok {
		return fmt.Errorf("%s is revoked by the trust file: %q; get another version", digest, why)
	}
	return nil
}
