package bundle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/bundle"
)

// Signatures are the files that are called so, and nothing else that lies there.
func TestSignaturesAreThoseBesideTheBundle(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{
		"x.cgp", "x.cgp.minisig", "x.cgp.0123456789ABCDEF.minisig", "x.cgp.0123456789abcdef.minisig", "x.cgp.0123.minisig", "x.cgp.minisig.old",
		"y.cgp.minisig", "x.cgp.minisig~", "xx.cgp.minisig", "[x].cgp",
	} {
		write(t, at(name), []byte(name))
	}
	data, sigs, err := bundle.ReadSigned(at("x.cgp"))
	if err != nil || string(data) != "x.cgp" || len(sigs) != 2 || string(sigs[0].Text) != "x.cgp.0123456789ABCDEF.minisig" || string(sigs[1].Text) != "x.cgp.minisig" {
		t.Errorf("%q, %v, %v", data, sigs, err)
	}
	if _, sigs, err := bundle.ReadSigned(at("[x].cgp")); err != nil || len(sigs) != 0 {
		t.Errorf("[x].cgp: %v, %v; want none", sigs, err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if _, sigs, err := bundle.ReadSigned("x.cgp"); err != nil || len(sigs) != 2 || sigs[1].Name != "x.cgp.minisig" {
		t.Errorf("in its folder: %v, %v", sigs, err)
	}
	t.Chdir(here)
	write(t, at("x.cgp.minisig"), make([]byte, bundle.MaxSignature+1))
	if _, _, err := bundle.ReadSigned(at("x.cgp")); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a large signature: %v", err)
	}
}

// A pair of keys is written once: both files, or none.
func TestKeysAreNeverOverwritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "k")
	public, secret, err := bundle.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	write(t, name+bundle.PublicSuffix, []byte("another"))
	if err := says(bundle.WriteKey(name, public, secret), "it is there already"); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(name + bundle.SecretSuffix); err == nil {
		t.Error("the secret key alone was written")
	}
	if err := os.Remove(name + bundle.PublicSuffix); err != nil {
		t.Fatal(err)
	}
	if err := bundle.WriteKey(name, public, secret); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name + bundle.SecretSuffix)
	if err != nil || info.Mode().Perm() != 0o600 || string(read(t, name+bundle.PublicSuffix)) != string(public) {
		t.Errorf("%v, %v; want 0600, and the public key", info.Mode(), err)
	}
	if err := says(bundle.WriteKey(name, []byte("x"), []byte("y")), "never overwritten"); err != nil {
		t.Error(err)
	}
	for _, none := range []string{"", filepath.Dir(name) + string(filepath.Separator)} {
		if err := says(bundle.WriteKey(none, public, secret), "no name of a file"); err != nil {
			t.Errorf("%q: %v", none, err)
		}
	}
	if string(read(t, name+bundle.SecretSuffix)) != string(secret) {
		t.Error("the secret key was overwritten")
	}
}
