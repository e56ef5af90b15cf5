package bundle

import (
	"strings"

	"aead.dev/minisign"
)

// TrustOnly trusts what every one of these keys has signed, whatever its name, and
// nothing else: for whoever has the keys at hand, and no trust file. The keys are
// called by their ids.
func TrustOnly(keys []minisign.PublicKey, signatures []Signature) *Trust {
	t := (&Trust{named: true}).filled()
	all := Scope{}
	for _, k := range keys {
		name := strings.ToLower(KeyID(k.ID()))
		if _, again := t.Keys[name]; again {
			continue // it counts once
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
	return t
}
