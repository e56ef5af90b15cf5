package oci_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
)

var day = time.Date(2027, 6, 1, 12, 0, 0, 0, time.UTC)

// plugin is a bundle of a version.
func plugin(t testing.TB, version string) *bundle.Bundle {
	t.Helper()
	manifest := []byte(`{"schema":"callgate.plugin/v0","name":"acme/no-exfil","version":"` + version + `","abi":"1.0","license":"Apache-2.0","description":"no \u001b[2Jexfiltration",` +
		`"phases":["call"],"effects":["deny"],"codes":{"HOST":"a host that is not listed"}}` + "\n")
	module, err := abi.WithManifest([]byte("\x00asm\x01\x00\x00\x00"), manifest)
	if err != nil {
		t.Fatal(err)
	}
	data, err := bundle.Pack(bundle.Files{Manifest: manifest, Module: module, Readme: []byte("# A plugin\n")})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// signer signs, and is trusted with acme/.
type signer struct {
	sign  func(*bundle.Bundle) []byte
	trust *bundle.Trust
}

func newSigner(t testing.TB) signer {
	t.Helper()
	public, secret, err := bundle.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	p, err := bundle.ParsePublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	s, err := bundle.ParseSecretKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	return signer{
		func(b *bundle.Bundle) []byte {
			text, err := b.Sign(s)
			if err != nil {
				t.Fatal(err)
			}
			return text
		},
		&bundle.Trust{Keys: map[string]bundle.Key{"acme": {Public: p}}, Scopes: map[string]bundle.Scope{"acme/": {Keys: []string{"acme"}}}},
	}
}

func keeper(t testing.TB, s signer) *oci.Keeper {
	t.Helper()
	return &oci.Keeper{Store: bundle.Store{Dir: filepath.Join(t.TempDir(), "state", "bundles")}, Trust: s.trust, Now: day}
}

func ref(t testing.TB, text string) bundle.Ref {
	t.Helper()
	r, err := bundle.ParseRef(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// connect is a registry on the loopback.
func connect(t testing.TB, text string) *oci.Registry {
	t.Helper()
	c, err := oci.Connect(ref(t, text), oci.Options{PlainHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// login writes a configuration of Docker: HOST, user and password by turns.
func login(t testing.TB, words ...string) {
	t.Helper()
	var auths []string
	for i := 0; i < len(words); i += 3 {
		auths = append(auths, `"`+words[i]+`":{"username":"`+words[i+1]+`","password":"`+words[i+2]+`"}`)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"auths":{`+strings.Join(auths, ",")+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.(interface{ Setenv(string, string) }).Setenv("DOCKER_CONFIG", dir)
}

// fetch pulls, verifies and keeps.
func fetch(t testing.TB, k *oci.Keeper, text string) (*oci.Verified, error) {
	t.Helper()
	a, err := connect(t, text).Pull(context.Background())
	if err != nil {
		return nil, err
	}
	v, err := k.Verify(text, a)
	if err != nil {
		return nil, err
	}
	return v, k.Keep(v)
}

// tree is every file below a folder.
func tree(t testing.TB, dir string) (list string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		list += path + "\n"
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// says reports an error that does not say what it should; "" wants none.
func says(err error, want string) error {
	switch {
	case want == "" && err != nil:
		return err
	case want != "" && err == nil:
		return errors.New("no error; want " + want)
	case want != "" && !strings.Contains(err.Error(), want):
		return errors.New("got: " + err.Error() + "\nwant: " + want)
	}
	return nil
}

// connectWith is a registry with or without TLS.
func connectWith(t testing.TB, text string, plain bool) (*oci.Registry, error) {
	t.Helper()
	return oci.Connect(ref(t, text), oci.Options{PlainHTTP: plain})
}
