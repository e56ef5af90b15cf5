package bundle

import (
	"fmt"
	"strings"

	"aead.dev/minisign"
)

// TrustOnly trusts what every one of these keys has signed, whatever its name, and
// nothing else: for whoever has the keys at hand, and no trust file. The keys are
// called by their ids. Two different keys that share an id, or one under two ids, are
// an error: the one would count as the other.
func TrustOnly(keys []minisign.PublicKey, signatures []Signature) (*Trust, error) {
	t := (&Trust{named: true}).filled()
	all := Scope{}
	for _, k := range keys {
		name := strings.ToLower(KeyID(k.ID()))
		if old, again := t.Keys[name]; again && old.Public.String() == k.String() {
			continue // it counts once
		}
		for _, old := range t.Keys {
			if samePublic(old.Public, k) {
				return nil, fmt.Errorf("keys %s and %s: the same key, or the same id, so that one would count as the other; name one of them", old.Public, k)
			}
		}
		t.Keys[name] = Key{Public: k}
		all.Keys = append(all.Keys, name)
	}
	all.Threshold = len(all.Keys)
	for _, one := range signatures {
		s, err := parseSignature(one.Text)
		if err != nil {
			continue // [Trust.Open] says so
		}
		if c, err := parseClaim(s.TrustedComment); err == nil {
			t.Scopes[c.name] = all
		}
	}
	return t, nil
}
