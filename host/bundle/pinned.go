package bundle

import (
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
)

// OpenTrusted opens the bundle that is pinned, and no other, if it may still be
// trusted at a time: what is served. What the lock says of keys counts for nothing;
// the signatures do.
func (e *Entry) OpenTrusted(t *Trust, data []byte, signatures []Signature, now time.Time) (*Bundle, *Verified, error) {
	if err := e.holds(data); err != nil {
		return nil, nil, err
	}
	b, v, err := t.Open(data, signatures, now)
	if err == nil {
		err = e.describes(b)
	}
	if err != nil {
		return nil, nil, err
	}
	return b, v, nil
}

// holds says whether these are the bytes that are pinned.
func (e *Entry) holds(data []byte) error {
	if len(data) > MaxCompressed {
		return fmt.Errorf("bundle: %w", errTooLarge(data))
	}
	if digest := abi.DigestBytes(data); digest != e.Bundle {
		mend := "put that back; or look at this one with callgate plugin inspect, and pin it with callgate plugin lock"
		if strings.HasPrefix(e.Ref, registryPrefix) { // it was damaged in the store
			mend = "get that again with callgate plugin lock --frozen"
		}
		return fmt.Errorf("bundle: it is %s, and the lock pins %s as %s; %s", digest, e.Bundle, e.Ref, mend)
	}
	return nil
}

// describes says whether a bundle is what the entry says of it.
func (e *Entry) describes(b *Bundle) error {
	if b.About.Name != e.Name || b.About.Version != e.Version || b.ModuleDigest != e.Module {
		return fmt.Errorf("bundle: it holds %s %s with module %s, and the lock says %s %s with module %s; pin it again with callgate plugin lock",
			b.About.Name, b.About.Version, b.ModuleDigest, e.Name, e.Version, e.Module)
	}
	return nil
}
