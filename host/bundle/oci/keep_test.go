package oci_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
)

// forged is a signature that names the key of another, which did not make it.
func forged(t testing.TB, text []byte) []byte {
	t.Helper()
	lines := bytes.Split(text, []byte("\n"))
	raw, err := base64.StdEncoding.DecodeString(string(lines[1]))
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)-1] ^= 1
	lines[1] = []byte(base64.StdEncoding.EncodeToString(raw))
	return bytes.Join(lines, []byte("\n"))
}

// Anybody can add a signature that names a key that is trusted. It must not take the
// place of the true one: what was taken in has to open when it is served.
func TestSignaturesThatDoNotCountAreNotKept(t *testing.T) {
	s := newSigner(t)
	b := plugin(t, "1.2.0")
	right := s.sign(b)
	wrong := forged(t, right)
	again := append([]byte("untrusted comment: the same again\n"), right[bytes.IndexByte(right, '\n')+1:]...)
	cases := []struct {
		name  string
		texts [][]byte
		want  []byte // nil: refused
	}{
		{"alone", [][]byte{right}, right},
		{"a forged one behind it", [][]byte{right, wrong}, right},
		{"a forged one in front of it", [][]byte{wrong, right}, right},
		{"forged ones around it", [][]byte{wrong, right, wrong}, right},
		{"twice by the same key", [][]byte{again, right}, again},
		{"forged alone", [][]byte{wrong}, nil},
	}
	for _, c := range cases {
		k := keeper(t, s)
		var list []bundle.Signature
		for _, text := range c.texts {
			list = append(list, bundle.Signature{Name: "a signature", Text: text})
		}
		v, err := k.VerifyBundle("./p.cgp", b.Data, list)
		if (err == nil) != (c.want != nil) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil {
			continue
		}
		if err := k.Keep(v); err != nil {
			t.Fatal(err)
		}
		stored, texts, err := k.Store.Get(b.Digest)
		if err != nil || len(texts) != 1 || !bytes.Equal(texts[0], c.want) {
			t.Errorf("%s: %d signatures are kept, %v; want the one that counts", c.name, len(texts), err)
			continue
		}
		l := &bundle.Lock{}
		if _, err := oci.Pin(l, []*oci.Verified{v}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := l.Plugins[0].OpenTrusted(k.Trust, stored, []bundle.Signature{{Name: "kept", Text: texts[0]}}, day); err != nil {
			t.Errorf("%s: what was kept is not served: %v", c.name, err)
		}
	}
}
