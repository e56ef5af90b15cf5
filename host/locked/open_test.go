package locked_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/locked"
	"github.com/callgate/callgate/host/policy"
)

// What is pinned and trusted is served, from the file and from the store, and the
// policy says what it was; so does the policy that a ledger keeps.
func TestWhatIsPinnedAndTrustedIsServed(t *testing.T) {
	w := newWorld(t)
	p, o, err := w.load(today)
	if err != nil {
		t.Fatal(err)
	}
	again, err := policy.Decode(p.Value())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*policy.Policy{p, again} {
		refs := p.Plugins()
		if len(refs) != 2 || refs[0].File != filepath.ToSlash(w.in("p.cgp")) || refs[1].File != reference {
			t.Fatalf("%+v", refs)
		}
		for _, ref := range refs {
			if b := ref.Bundle; b.Digest != w.opened.Digest || b.Name != "acme/no-exfil" || b.Version != "1.2.0" || !slices.Equal(b.Keys, []string{w.id()}) {
				t.Errorf("%+v", b)
			}
			if ref.Digest != w.opened.FileDigest {
				t.Errorf("digest %s of the module; want %s", ref.Digest, w.opened.FileDigest)
			}
			if b, err := locked.Find(w.state, ref); err != nil || !bytes.Equal(b.Module, w.opened.Module) {
				t.Errorf("found again: %v", err)
			}
		}
	}
	sums := o.Sums()
	for _, f := range append(locked.Files(w.state, p), w.in("p.cgp"), w.stored(), w.in(bundle.LockFile), w.trustFile(), w.in("p.cgp.minisig")) {
		if _, ok := sums[f]; !ok {
			t.Errorf("%s is not among what it depends on", f)
		}
	}
}

// refusals are worlds in which a policy must not load, each beside the twin in which
// that one thing is right.
var refusals = []struct {
	name  string
	spoil func(w *world)
	want  []string
	mend  func(w *world)
}{
	{"no lock", func(w *world) { w.gone(w.in(bundle.LockFile)) }, []string{
		"policy.yaml:3:20: plugins[0].use: ./p.cgp: nothing pins it: there is no callgate.lock beside the policy; run callgate plugin lock /",
		"policy.yaml:4:20: plugins[1].use: oci://r.example/acme/no-exfil:1.2: nothing pins it",
	}, func(w *world) { w.saveLock() }},
	{"not in the lock", func(w *world) { w.lock.Remove(reference); w.saveLock() }, []string{"policy.yaml:4:20: plugins[1].use: " + reference + ": callgate.lock does not pin it; run callgate plugin lock "}, func(w *world) { w.pin(reference, w.opened.Data); w.saveLock() }},
	{"pinned under another spelling", func(w *world) { w.lock.Remove("./p.cgp"); w.pin("p.cgp", w.opened.Data); w.saveLock() }, []string{"plugins[0].use: ./p.cgp: callgate.lock does not pin it"}, func(w *world) { w.pin("./p.cgp", w.opened.Data); w.saveLock() }},
	{"a lock that is none", func(w *world) { w.put(bundle.LockFile, []byte("{}")) }, []string{"plugins[0].use: the lock can not be read: ", bundle.LockFile, "run callgate plugin lock"}, func(w *world) { w.saveLock() }},
	{"a lock that is a folder", func(w *world) { w.gone(w.in(bundle.LockFile)); must(w, os.Mkdir(w.in(bundle.LockFile), 0o700)) }, []string{"the lock can not be read: ", "not a regular file"}, func(w *world) { w.gone(w.in(bundle.LockFile)); w.saveLock() }},
	{"no trust file", func(w *world) { w.gone(w.trustFile()) }, []string{"plugins[0].use: nobody is trusted: there is no ", "trust.json; say whom you trust with callgate plugin trust add"}, func(w *world) { w.saveTrust() }},
	{"a trust file that is none", func(w *world) { must(w, os.WriteFile(w.trustFile(), []byte("[]"), 0o600)) }, []string{"nobody is trusted: ", "trust.json:1:1: ", "callgate plugin trust add"}, func(w *world) { w.saveTrust() }},
	{"a trust file that is a folder", func(w *world) { w.gone(w.trustFile()); must(w, os.Mkdir(w.trustFile(), 0o700)) }, []string{"nobody is trusted: the trust file can not be read"}, func(w *world) { w.gone(w.trustFile()); w.saveTrust() }},
	{"nobody in the trust file", func(w *world) { w.trust, _ = &bundle.Trust{}, w.trust; w.saveTrust() }, []string{"which the trust file does not have; add it there if you know whose it is"}, func(w *world) { *w = *newWorld(w.TB) }},
	{"revoked", func(w *world) { w.trust.Revoked = map[string]string{w.opened.Digest: "it leaks"}; w.saveTrust() }, []string{`is revoked by the trust file: "it leaks"`}, func(w *world) { w.trust.Revoked = nil; w.saveTrust() }},
	{"its module revoked", func(w *world) { w.trust.Revoked = map[string]string{w.opened.ModuleDigest: "it leaks"}; w.saveTrust() }, []string{`is revoked by the trust file: "it leaks"`}, func(w *world) {
		w.trust.Revoked = map[string]string{"sha256:" + strings.Repeat("0", 64): "other"}
		w.saveTrust()
	}},
	{"too old", func(w *world) { w.trust.MinVersions = map[string]string{"acme/no-exfil": "1.2.1"}; w.saveTrust() }, []string{"acme/no-exfil 1.2.0 is older than 1.2.1"}, func(w *world) { w.trust.MinVersions["acme/no-exfil"] = "1.2.0"; w.saveTrust() }},
	{"another scope", func(w *world) {
		w.trust.Scopes = map[string]bundle.Scope{"acm/": {Keys: []string{"acme"}}}
		w.saveTrust()
	}, []string{`"acme/no-exfil" is in no scope of the trust file`}, func(w *world) { w.trust.Scopes["acme/"] = bundle.Scope{Keys: []string{"acme"}}; w.saveTrust() }},
	{"too few signatures", func(w *world) {
		public, _ := w.key()
		w.trust.Keys["second"] = bundle.Key{Public: public}
		w.trust.Scopes["acme/"] = bundle.Scope{Keys: []string{"acme", "second"}, Threshold: 2}
		w.saveTrust()
	}, []string{`scope "acme/" wants signatures by 2 of its keys, and there are 1`}, func(w *world) {
		w.trust.Scopes["acme/"] = bundle.Scope{Keys: []string{"acme", "second"}}
		w.saveTrust()
	}},
	{"unsigned", func(w *world) { w.gone(w.in("p.cgp.minisig")) }, []string{"policy.yaml:3:20: plugins[0].use: ./p.cgp: bundle: unsigned"}, func(w *world) { w.put("p.cgp.minisig", w.sign(w.opened.Data, w.secret)) }},
	{"signed by somebody else", func(w *world) { _, other := w.key(); w.put("p.cgp.minisig", w.sign(w.opened.Data, other)) }, []string{"p.cgp.minisig: by key ", "which the trust file does not have"}, func(w *world) { w.put("p.cgp."+w.id()+".minisig", w.sign(w.opened.Data, w.secret)) }},
	{"a signature of another bundle", func(w *world) { w.put("p.cgp.minisig", w.sign(w.pack("1.2.1"), w.secret)) }, []string{"not what key \"acme\" signed"}, func(w *world) { w.put("p.cgp.minisig", w.sign(w.opened.Data, w.secret)) }},
	{"another bundle in the file, signed as well", func(w *world) {
		w.put("p.cgp", w.pack("1.2.1"))
		w.put("p.cgp.minisig", w.sign(w.pack("1.2.1"), w.secret))
	}, []string{"plugins[0].use: ./p.cgp: bundle: it is sha256:", "and the lock pins sha256:", "put that back; or look at this one with callgate plugin inspect, and pin it with callgate plugin lock"}, func(w *world) {
		w.lock.Remove(reference)
		w.pin("./p.cgp", w.pack("1.2.1"))
		w.pin(reference, w.opened.Data)
		w.saveLock()
	}},
	{"a tampered bundle", func(w *world) { w.put("p.cgp", append(bytes.Clone(w.opened.Data), 0)) }, []string{"it is sha256:", "the lock pins"}, func(w *world) { w.put("p.cgp", w.opened.Data) }},
	{"no file", func(w *world) { w.gone(w.in("p.cgp")) }, []string{"plugins[0].use: ./p.cgp: ", "put the bundle back"}, func(w *world) { w.put("p.cgp", w.opened.Data) }},
	{"too large a file", func(w *world) { w.put("p.cgp", make([]byte, bundle.MaxCompressed+1)) }, []string{"more than 16777216 bytes"}, func(w *world) { w.put("p.cgp", w.opened.Data) }},
	{"not in the store", func(w *world) { w.gone(w.stored()) }, []string{"policy.yaml:4:20: plugins[1].use: " + reference + ": sha256:", "not in the store of bundles; get it with callgate plugin lock --frozen POLICY"}, func(w *world) { w.store(w.opened.Data) }},
	{"replaced in the store", func(w *world) { must(w, os.WriteFile(w.stored(), w.pack("1.3.0"), 0o600)) }, []string{"plugins[1].use: " + reference + ": bundle: it is sha256:", "get that again with callgate plugin lock --frozen"}, func(w *world) { must(w, os.WriteFile(w.stored(), w.opened.Data, 0o600)) }},
	{"a lock that lies about the version", func(w *world) { w.lock.Plugins[0].Version = "9.0.0"; w.lock.Plugins[1].Version = "9.0.0"; w.saveLock() }, []string{"it holds acme/no-exfil 1.2.0 with module", "the lock says acme/no-exfil 9.0.0"}, func(w *world) { w.lock.Plugins[0].Version = "1.2.0"; w.lock.Plugins[1].Version = "1.2.0"; w.saveLock() }},
	{"another digest stated", func(w *world) { w.use(`use: ./p.cgp, digest: "sha256:` + strings.Repeat("0", 64) + `"`) }, []string{"policy.yaml:3:37: plugins[0].digest: the bundle that is pinned is another one, sha256:"}, func(w *world) { w.use(`use: ./p.cgp, digest: "` + w.opened.Digest + `"`) }},
	{"the digest of its module stated", func(w *world) { w.use(`use: ./p.cgp, digest: "` + w.opened.FileDigest + `"`) }, []string{"plugins[0].digest: the bundle that is pinned is another one"}, func(w *world) { w.use(`use: "` + reference + `", digest: "` + w.opened.Digest + `"`) }},
	{"the path of a folder", func(w *world) { w.use(`use: p.cgp/`) }, []string{`plugins[0].use: "p.cgp/" names no bundle`}, func(w *world) { w.use(`use: ./p.cgp`) }},
	{"a reference without a tag", func(w *world) { w.use(`use: "oci://r.example/acme/no-exfil"`) }, []string{"neither a tag nor a digest"}, func(w *world) { w.use(`use: "` + reference + `"`) }},
	{"settings that it does not take", func(w *world) { w.use(`use: ./p.cgp, with: {a: 1}`) }, []string{"plugins[0].with: acme/no-exfil takes no settings"}, func(w *world) { w.use(`use: ./p.cgp, with: {}`) }},
}

// use has the policy name one thing only.
func (w *world) use(what string) {
	w.policy("callgate: 1\nplugins:\n  - {name: p, " + what + ", on: {tools: [\"*\"]}}\n")
}

func must(w *world, err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func TestWhatIsNotPinnedOrNotTrustedIsNotServed(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.spoil(w)
			_, _, err := w.load(today)
			if err == nil {
				t.Fatal("it loads")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v; want %q", err, want)
				}
			}
			c.mend(w)
			if _, _, err := w.load(today); err != nil {
				t.Errorf("the twin: %v", err)
			}
		})
	}
	if len(refusals) == 0 {
		t.Fatal("no cases")
	}
}

// A key counts until the day on which it expires: when the policy is loaded.
func TestExpiryCountsWhenThePolicyIsLoaded(t *testing.T) {
	w := newWorld(t)
	key := w.trust.Keys["acme"]
	key.Expires = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	w.trust.Keys["acme"] = key
	w.saveTrust()
	if _, _, err := w.load(key.Expires.Add(-time.Nanosecond)); err != nil {
		t.Error(err)
	}
	for _, late := range []time.Time{key.Expires, key.Expires.AddDate(1, 0, 0)} {
		if _, _, err := w.load(late); err == nil || !strings.Contains(err.Error(), `key "acme" expired on 2026-12-01`) {
			t.Errorf("at %v: %v", late, err)
		}
	}
	if _, _, err := w.load(time.Time{}); err == nil {
		t.Error("without a time it loads")
	}
}

// Without a directory of state nobody is trusted, and nothing is read from a
// working directory instead.
func TestWithoutAStateNobodyIsTrusted(t *testing.T) {
	w := newWorld(t)
	t.Chdir(w.state)
	o := locked.New("", today)
	_, err := policy.Load(policy.Options{Files: []string{w.in("policy.yaml")}, Bundle: o.Open})
	if err == nil || !strings.Contains(err.Error(), "there is no directory of state, so nobody is trusted") {
		t.Errorf("%v", err)
	}
}

// What was loaded is found again as it was, and another bundle in its place is not
// it.
func TestFoundAgainIsOnlyWhatWasLoaded(t *testing.T) {
	w := newWorld(t)
	p, _, err := w.load(today)
	if err != nil {
		t.Fatal(err)
	}
	refs := p.Plugins()
	w.gone(w.in(bundle.LockFile))
	w.gone(w.trustFile())
	for _, ref := range refs {
		if _, err := locked.Find(w.state, ref); err != nil {
			t.Errorf("without lock and trust: %v", err)
		}
	}
	w.put("p.cgp", w.pack("1.3.0"))
	must(w, os.WriteFile(w.stored(), w.pack("1.3.0"), 0o600))
	for _, ref := range refs {
		if _, err := locked.Find(w.state, ref); err == nil || !strings.Contains(err.Error(), "when the policy was loaded") {
			t.Errorf("another one in its place: %v", err)
		}
	}
	lie := refs[0]
	lie.Bundle.Digest = abi.DigestBytes(w.pack("1.3.0"))
	if _, err := locked.Find(w.state, lie); err == nil || !strings.Contains(err.Error(), "another module") {
		t.Errorf("another module in it: %v", err)
	}
}

// What a lock, a trust file or a bundle is called by is the same text here and
// where policies are read.
func TestPolicyAndLockAgreeOnWhatABundleIs(t *testing.T) {
	n := 0
	for _, text := range []string{"p.wasm", "./p.cgp", "p.CGP", "p.cgp.wasm", ".cgp", "cgp", "a/b.Cgp", reference, "oci://r.example/p@sha256:" + strings.Repeat("0", 64)} {
		ref, err := bundle.ParseRef(text)
		if err != nil {
			t.Fatal(err)
		}
		u := policy.Use{Text: text}
		if u.Bundle() != (ref.Kind != bundle.ModuleRef) || u.Remote() != (ref.Kind == bundle.RegistryRef) {
			t.Errorf("%q: kind %d, and a policy takes it for a bundle: %t, remote: %t", text, ref.Kind, u.Bundle(), u.Remote())
		}
		n++
	}
	if n == 0 {
		t.Fatal("no texts")
	}
}
