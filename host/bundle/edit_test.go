package bundle_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/bundle"
)

// granted gives keys to scopes, by name.
func granted(t *testing.T, of *bundle.Trust, name string, k key, scopes ...string) []string {
	t.Helper()
	public, err := bundle.ParsePublicKey([]byte(k.public))
	if err != nil {
		t.Fatal(err)
	}
	notes, err := of.Grant(bundle.Grant{Name: name, Public: public, Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return notes
}

// What was granted lets a bundle pass, and what was taken out does not any more:
// from an empty trust on, which trusts nobody.
func TestEditsDecideWhatIsTrusted(t *testing.T) {
	k, other := newKey(t), newKey(t)
	data := noExfil(t)
	sigs := []bundle.Signature{k.sign(t, data)}
	var trust bundle.Trust
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	try := func(what, want string) {
		t.Helper()
		_, _, err := trust.Open(data, sigs, now)
		if err := says(err, want); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	edit := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := trust.Text(); err != nil {
			t.Fatalf("the file would be broken: %v", err)
		}
	}
	digest := opened(t, data).Digest
	try("nobody", "which the trust file does not have")
	granted(t, &trust, "one", k, "other/")
	try("another scope", "is in no scope")
	granted(t, &trust, "one", k, "acme/")
	try("its scope", "")
	granted(t, &trust, "two", other, "acme/no-exfil")
	try("a nearer scope of others", `key "one" may not sign`)
	_, err := trust.Drop([]string{"two"}, true)
	edit(err)
	try("the nearer scope gone", "")
	_, err = trust.Require("acme/no-exfil", "1.2.1", false)
	edit(err)
	try("too old", "older than 1.2.1")
	_, err = trust.Require("acme/no-exfil", "1.2.0", true)
	edit(err)
	try("as old as asked for", "")
	edit(trust.Revoke(digest, "it leaks"))
	try("revoked", "it leaks")
	edit(trust.Unrevoke(digest))
	try("no more", "")
	granted(t, &trust, "two", other, "acme/no-exfil")
	try("a nearer scope of others again", `key "one" may not sign`)
	_, err = trust.Forget("acme/no-exfil")
	edit(err)
	try("the nearer scope forgotten, with its key there", "")
	if _, err = trust.Forget("acme/no-exfil"); says(err, `no scope is "acme/no-exfil"`) != nil {
		t.Error(err)
	}
	_, err = trust.Drop([]string{"one"}, true)
	edit(err)
	try("nobody again", "which the trust file does not have")
}

// An edit that is refused leaves no trace, whatever it had begun with.
func TestRefusedEditsOfAFileChangeNothing(t *testing.T) {
	path := t.TempDir() + "/deep/trust.json"
	a, b := newKey(t), newKey(t)
	if err := bundle.EditTrust(path, func(tr *bundle.Trust) error {
		granted(t, tr, "a", a, "x/", "y/")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	public, err := bundle.ParsePublicKey([]byte(b.public))
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*bundle.Trust) error{
		"2 of its keys can not sign": func(tr *bundle.Trust) error {
			_, err := tr.Grant(bundle.Grant{Name: "b", Public: public, Scopes: []string{"z/", "x/", "new/"}, Threshold: 2})
			return err
		},
		"too few keys": func(tr *bundle.Trust) error { _, err := tr.Drop([]string{"a"}, false); return err },
		"control":      func(tr *bundle.Trust) error { tr.Revoked["sha256:"+strings.Repeat("0", 64)] = "\x1b[2J"; return nil },
	} {
		if err := says(bundle.EditTrust(path, change), want); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(read(t, path), before) {
			t.Errorf("%s: the file has changed:\n%s", want, read(t, path))
		}
	}
	if err := bundle.EditTrust(path, func(tr *bundle.Trust) error { granted(t, tr, "b", b, "x/"); return nil }); err != nil {
		t.Errorf("an edit that is good: %v", err)
	}
}

// One edit at a time: the other is refused, so that neither is lost.
func TestNoEditIsLost(t *testing.T) {
	path := t.TempDir() + "/trust.json"
	a, b := newKey(t), newKey(t)
	var inner error
	err := bundle.EditTrust(path, func(tr *bundle.Trust) error {
		granted(t, tr, "a", a, "x/")
		inner = bundle.EditTrust(path, func(tr *bundle.Trust) error { granted(t, tr, "b", b, "x/"); return nil })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := says(inner, "somebody is changing trust.json"); err != nil {
		t.Error(err)
	}
	tr, there, err := bundle.ReadTrust(path)
	if err != nil || !there || len(tr.Keys) != 1 {
		t.Errorf("%d keys, there %t, %v; want a alone", len(tr.Keys), there, err)
	}
}
