package locked_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"aead.dev/minisign"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/locked"
	"github.com/callgate/callgate/host/policy"
)

// today is when everything here happens.
var today = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// reference is what the policies here name besides a file.
const reference = "oci://r.example/acme/no-exfil:1.2"

// world is a policy's folder and a directory of state, with bundles that are pinned
// and trusted in both.
type world struct {
	testing.TB
	dir, state string
	secret     minisign.PrivateKey
	trust      *bundle.Trust
	lock       *bundle.Lock
	opened     *bundle.Bundle // the bundle that both name
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, dir: t.TempDir(), state: t.TempDir(), lock: &bundle.Lock{}}
	var public minisign.PublicKey
	public, w.secret = w.key()
	w.trust = &bundle.Trust{
		Keys:   map[string]bundle.Key{"acme": {Public: public}},
		Scopes: map[string]bundle.Scope{"acme/": {Keys: []string{"acme"}}},
	}
	data := w.pack("1.2.0")
	var err error
	if w.opened, err = bundle.Open(data); err != nil {
		t.Fatal(err)
	}
	w.put("p.cgp", data)
	w.put("p.cgp.minisig", w.sign(data, w.secret))
	w.store(data, w.sign(data, w.secret))
	for _, ref := range []string{"./p.cgp", reference} {
		w.pin(ref, data)
	}
	w.saveTrust()
	w.saveLock()
	w.policy("callgate: 1\nplugins:\n  - {name: p, use: ./p.cgp, on: {tools: [\"*\"]}}\n  - {name: q, use: \"" + reference + "\", on: {tools: [\"*\"]}}\n")
	return w
}

func (w *world) key() (minisign.PublicKey, minisign.PrivateKey) {
	w.Helper()
	public, secret, err := bundle.NewKey("")
	if err != nil {
		w.Fatal(err)
	}
	p, err := bundle.ParsePublicKey(public)
	if err != nil {
		w.Fatal(err)
	}
	s, err := bundle.ParseSecretKey(secret, "")
	if err != nil {
		w.Fatal(err)
	}
	return p, s
}

func (w *world) pack(version string) []byte {
	w.Helper()
	data, err := bundle.Pack(bundle.Files{
		Manifest: []byte(`{"schema":"callgate.plugin/v0","name":"acme/no-exfil","version":"` + version + `","abi":"1.0","license":"MIT","phases":["call"],"effects":["deny"],"codes":{"HOST":"bad"}}`),
		Module:   []byte("\x00asm\x01\x00\x00\x00"), Readme: []byte("# A plugin\n"), License: []byte("MIT\n"),
		Cases: []bundle.File{{Name: "cases/a.yaml", Data: []byte("cases: []\n")}},
	})
	if err != nil {
		w.Fatal(err)
	}
	return data
}

func (w *world) sign(data []byte, secret minisign.PrivateKey) []byte {
	w.Helper()
	b, err := bundle.Open(data)
	if err != nil {
		w.Fatal(err)
	}
	text, err := b.Sign(secret)
	if err != nil {
		w.Fatal(err)
	}
	return text
}

func (w *world) put(name string, data []byte) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), data, 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *world) policy(text string) { w.put("policy.yaml", []byte(text)) }

func (w *world) store(data []byte, signatures ...[]byte) {
	w.Helper()
	if err := (bundle.Store{Dir: filepath.Join(w.state, bundle.StoreDir)}).Put(data, signatures); err != nil {
		w.Fatal(err)
	}
}

// stored is the file of the bundle in the store.
func (w *world) stored() string {
	return filepath.Join(w.state, bundle.StoreDir, w.opened.Digest[len("sha256:"):]+bundle.BundleSuffix)
}

// pin pins a bundle as a reference, whoever signed it.
func (w *world) pin(ref string, data []byte) {
	w.Helper()
	b, err := bundle.Open(data)
	if err != nil {
		w.Fatal(err)
	}
	w.lock.Remove(ref)
	e := bundle.NewEntry(ref, b, &bundle.Verified{KeyIDs: []string{"0000000000000000"}})
	w.lock.Plugins = append(w.lock.Plugins, e)
}

func (w *world) saveLock() {
	w.Helper()
	text, err := w.lock.Text()
	if err != nil {
		w.Fatal(err)
	}
	w.put(bundle.LockFile, text)
}

func (w *world) saveTrust() {
	w.Helper()
	text, err := w.trust.Text()
	if err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.trustFile(), text, 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *world) trustFile() string { return filepath.Join(w.state, bundle.TrustFile) }

func (w *world) gone(path string) {
	w.Helper()
	if err := os.Remove(path); err != nil {
		w.Fatal(err)
	}
}

func (w *world) in(name string) string { return filepath.Join(w.dir, name) }

// load loads the policy at a time.
func (w *world) load(now time.Time) (*policy.Policy, *locked.Opener, error) {
	o := locked.New(w.state, now)
	p, err := policy.Load(policy.Options{Files: []string{w.in("policy.yaml")}, Bundle: o.Open})
	return p, o, err
}

// idOf is the id of the key that all of this is signed with.
func (w *world) id() string { return bundle.KeyID(w.trust.Keys["acme"].Public.ID()) }
