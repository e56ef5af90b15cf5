package bundle_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/callgate/callgate/host/bundle"
)

// Every key that is named has to have signed, so that none may stand for another.
func TestNamedKeysAreCountedOnce(t *testing.T) {
	a, b := newKey(t), newKey(t)
	data := noExfil(t)
	both := []bundle.Signature{a.sign(t, data), b.sign(t, data)}
	cases := []struct {
		name string
		keys []string
		sigs []bundle.Signature
		want string
	}{
		{"one", []string{a.public}, both[:1], ""},
		{"one, named twice", []string{a.public, a.public}, both[:1], ""},
		{"two", []string{a.public, b.public}, both, ""},
		{"two, of which one signed", []string{a.public, b.public}, both[:1], "wants signatures by 2 of its keys"},
		{"another key with the id of the first", []string{a.public, spliced(t, a.public, b.public)}, both[:1], "the same key, or the same id"},
		{"another key with the id of the second", []string{spliced(t, a.public, b.public), a.public}, both[:1], "the same key, or the same id"},
		{"one key under two ids", []string{a.public, spliced(t, b.public, a.public)}, both[:1], "the same key, or the same id"},
	}
	for _, c := range cases {
		var keys []minisign.PublicKey
		for _, text := range c.keys {
			k, err := bundle.ParsePublicKey([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, k)
		}
		trust, err := bundle.TrustOnly(keys, c.sigs)
		if err == nil {
			_, _, err = trust.Open(data, c.sigs, day)
		}
		if err := says(err, c.want); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// spliced is a public key with the id of one, and the rest of another.
func spliced(t *testing.T, id, key string) string {
	t.Helper()
	raw := func(text string) []byte {
		b, err := base64.StdEncoding.DecodeString(text[strings.LastIndexByte(strings.TrimSpace(text), '\n')+1:])
		if err != nil || len(b) != 42 {
			t.Fatal(text, err)
		}
		return b
	}
	return base64.StdEncoding.EncodeToString(append(raw(id)[:10:10], raw(key)[10:]...))
}
