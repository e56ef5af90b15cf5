package oci_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
	"github.com/callgate/callgate/host/bundle/oci/ocitest"
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

// What the store has of a pin may be damaged, or gone: it is got again as what is
// pinned, wherever the tag leads by now, and what is there is not asked for.
func TestWhatIsPinnedIsGotAgain(t *testing.T) {
	s := newSigner(t)
	r := &ocitest.Registry{Referrers: true}
	text, p := stocked(t, s, r)
	b, next := plugin(t, "1.2.0"), plugin(t, "1.3.0")
	if _, err := connect(t, text).Push(context.Background(), next, [][]byte{s.sign(next)}, true); err != nil {
		t.Fatal(err)
	}
	stored := func(k *oci.Keeper) string {
		return filepath.Join(k.Store.Dir, strings.TrimPrefix(b.Digest, "sha256:")+bundle.BundleSuffix)
	}
	for name, c := range map[string]struct {
		spoil func(k *oci.Keeper) error
		want  string
	}{
		"whole":    {func(*oci.Keeper) error { return nil }, ""},
		"gone":     {func(k *oci.Keeper) error { return os.Remove(stored(k)) }, "p.yaml:3:9: " + text + ": " + b.Digest + ": not in the store of bundles; get it with callgate plugin lock --frozen POLICY"},
		"damaged":  {func(k *oci.Keeper) error { return os.WriteFile(stored(k), []byte("x"), 0o600) }, "changed since it was stored; remove the file, and get it again with callgate plugin lock --frozen POLICY"},
		"replaced": {func(k *oci.Keeper) error { return os.WriteFile(stored(k), next.Data, 0o600) }, "changed since it was stored"},
	} {
		t.Run(name, func(t *testing.T) {
			k := keeper(t, s)
			v, err := k.VerifyBundle(text, b.Data, []bundle.Signature{{Name: "a signature", Text: s.sign(b)}})
			if err != nil {
				t.Fatal(err)
			}
			l := &bundle.Lock{}
			if _, err := oci.Pin(l, []*oci.Verified{v}); err != nil {
				t.Fatal(err)
			}
			l.Find(text).Manifest = p.Manifest
			if err := errors.Join(k.Keep(v), c.spoil(k)); err != nil {
				t.Fatal(err)
			}
			wants := []oci.Want{{Text: text, Place: "p.yaml:3:9"}}
			_, err = k.Here(l, wants)
			if err := says(err, c.want); err != nil {
				t.Error(err)
			}
			before := len(r.Requests())
			got, err := k.Refetch(context.Background(), l, wants, oci.Options{PlainHTTP: true})
			if err != nil || (len(got) == 0) != (c.want == "") || (len(r.Requests()) == before) != (c.want == "") {
				t.Fatalf("got %d, %v, asked %q", len(got), err, r.Requests()[before:])
			}
			if err := k.Keep(got...); err != nil {
				t.Fatal(err)
			}
			if err := k.Check(l, wants[0]); err != nil {
				t.Errorf("afterwards: %v", err)
			}
			if data, _, err := k.Store.Get(b.Digest); err != nil || !bytes.Equal(data, b.Data) {
				t.Errorf("it is another bundle: %v", err)
			}
		})
	}
}
