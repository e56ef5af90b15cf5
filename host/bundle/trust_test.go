package bundle_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/bundle"
)

// world is three keys, a bundle of acme/no-exfil 1.2.0, and who is trusted with it.
type world struct {
	acme, second, stranger key
	data                   []byte
	trust                  *bundle.Trust
	signatures             []bundle.Signature
	now                    time.Time
}

func newWorld(t *testing.T, keys [3]key) *world {
	t.Helper()
	w := &world{acme: keys[0], second: keys[1], stranger: keys[2], data: noExfil(t), now: day}
	w.trust = trusting(w.acme)
	second, err := bundle.ParsePublicKey([]byte(w.second.public))
	if err != nil {
		t.Fatal(err)
	}
	w.trust.Keys["second"] = bundle.Key{Public: second}
	w.trust.MinVersions, w.trust.Revoked = map[string]string{}, map[string]string{}
	w.by(t, w.acme)
	return w
}

// by has the bundle signed by these keys.
func (w *world) by(t *testing.T, keys ...key) {
	t.Helper()
	w.signatures = nil
	for _, k := range keys {
		w.signatures = append(w.signatures, k.sign(t, w.data))
	}
}

// as makes it a bundle of another name or version, signed anew.
func (w *world) as(t *testing.T, name, version string) {
	t.Helper()
	w.data = packed(t, filesOf(name, version))
	w.by(t, w.acme)
}

// scoped trusts the first key with one scope alone.
func (w *world) scoped(match string) {
	w.trust.Scopes = map[string]bundle.Scope{match: {Keys: []string{"acme"}}}
}

type trustCase struct {
	name string
	set  func(*testing.T, *world)
	want string // "": it opens
}

func named(name string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) { w.as(t, name, "1.2.0") }
}

func scoped(match, name string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) { w.scoped(match); w.as(t, name, "1.2.0") }
}

func least(version, is string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		w.trust.MinVersions["acme/no-exfil"] = version
		w.as(t, "acme/no-exfil", is)
	}
}

// comment signs the bundle under another comment.
func comment(change func(string) string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		w.signatures = []bundle.Signature{w.acme.signAs(t, w.data, change(opened(t, w.data).Comment()))}
	}
}

func replaced(from, to string) func(*testing.T, *world) {
	return comment(func(s string) string { return strings.Replace(s, from, to, 1) })
}

// pair asks for two keys of acme/, and has these sign.
func pair(which ...int) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		w.trust.Scopes["acme/"] = bundle.Scope{Keys: []string{"acme", "second"}, Threshold: 2}
		var keys []key
		for _, i := range which {
			keys = append(keys, []key{w.acme, w.second, w.stranger}[i])
		}
		w.by(t, keys...)
	}
}

func expires(after time.Duration) func(*testing.T, *world) {
	return func(_ *testing.T, w *world) {
		k := w.trust.Keys["acme"]
		k.Expires = w.now.Add(after)
		w.trust.Keys["acme"] = k
	}
}

func revoked(digest func(*bundle.Bundle) string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) { w.trust.Revoked[digest(opened(t, w.data))] = "it leaks" }
}

var trustCases = []trustCase{
	{"signed", func(*testing.T, *world) {}, ""},
	{"unsigned", func(_ *testing.T, w *world) { w.signatures = nil }, "unsigned"},
	{"no time", func(_ *testing.T, w *world) { w.now = time.Time{} }, "no time"},
	{"nobody is trusted", func(_ *testing.T, w *world) { w.trust = &bundle.Trust{} }, "which the trust file does not have"},
	{"wrong key", func(t *testing.T, w *world) { w.by(t, w.stranger) }, "which the trust file does not have"},
	{"a wrong key with the id of a right one", func(t *testing.T, w *world) {
		s := w.stranger.sign(t, w.data)
		s.Text = withID(t, s.Text, w.acme)
		w.signatures = []bundle.Signature{s}
	}, "not what key \"acme\" signed"},
	{"a key of another scope", func(t *testing.T, w *world) {
		w.trust.Scopes["other/"] = bundle.Scope{Keys: []string{"second"}}
		w.by(t, w.second)
	}, `key "second" may not sign acme/no-exfil`},
	{"that key in its scope", func(t *testing.T, w *world) {
		w.trust.Scopes["other/"] = bundle.Scope{Keys: []string{"second"}}
		w.data = packed(t, filesOf("other/x", "1.2.0"))
		w.by(t, w.second)
	}, ""},
	{"tampered_bundle", func(_ *testing.T, w *world) { w.data = slices.Clone(w.data); w.data[len(w.data)/2] ^= 1 }, "not what key \"acme\" signed"},
	{"signed-but-for another bundle", func(t *testing.T, w *world) { w.data = packed(t, filesOf("acme/no-exfil", "1.2.1")) }, "not what key \"acme\" signed"},
	{"right key, another name", replaced("name=acme/no-exfil", "name=acme/other"), "the signature is of acme/other 1.2.0 for ABI 1.0, and the bundle is acme/no-exfil 1.2.0"},
	{"right key, a name of no scope", replaced("name=acme/no-exfil", "name=else/other"), "is in no scope"},
	{"right key, another version", replaced("version=1.2.0", "version=1.3.0"), "the signature is of acme/no-exfil 1.3.0"},
	{"right key, a version with a build", replaced("version=1.2.0", "version=1.2.0+x"), "the signature is of acme/no-exfil 1.2.0+x"},
	{"right key, another ABI", replaced("abi=1.0", "abi=0.1"), "for ABI 0.1"},
	{"right key, another digest", replaced("sha256=", "sha256=00"), "its trusted comment is"},
	{"right key, a digest of nothing", comment(func(s string) string { return s[:len(s)-64] + strings.Repeat("0", 64) }), "its trusted comment says sha256:000"},
	{"right key, no comment", comment(func(string) string { return "" }), "its trusted comment is"},
	{"right key, a comment of minisign", comment(func(string) string { return "timestamp:1\tfile:x.cgp" }), "its trusted comment is"},
	{"right key, more after the comment", comment(func(s string) string { return s + " version=9.9.9" }), "its trusted comment is"},
	{"right key, the same comment", comment(func(s string) string { return s }), ""},
	{"downgrade", least("1.2.1", "1.2.0"), "acme/no-exfil 1.2.0 is older than 1.2.1"},
	{"the least version", least("1.2.0", "1.2.0"), ""},
	{"a newer one", least("1.2.0", "1.10.0"), ""},
	{"older by number, not by text", least("1.10.0", "1.9.0"), "is older than 1.10.0"},
	{"a candidate of the least version", least("1.2.0", "1.2.0-rc.1"), "is older than 1.2.0"},
	{"a later candidate", least("1.2.0-rc.2", "1.2.0-rc.10"), ""},
	{"an earlier candidate", least("1.2.0-rc.10", "1.2.0-rc.2"), "is older"},
	{"another build of the least version", least("1.2.0+b", "1.2.0+a"), ""},
	{"a least version that is none", least("1.2", "1.2.0"), "is older than 1.2,"},
	{"another plugin's least version", func(_ *testing.T, w *world) { w.trust.MinVersions["acme/no-exfil2"] = "2.0.0" }, ""},
	{"revoked_digest", revoked(func(b *bundle.Bundle) string { return b.Digest }), `is revoked by the trust file: "it leaks"`},
	{"a revoked module", revoked(func(b *bundle.Bundle) string { return b.ModuleDigest }), "is revoked"},
	{"a revoked file", revoked(func(b *bundle.Bundle) string { return b.FileDigest }), "is revoked"},
	{"another revoked", revoked(func(b *bundle.Bundle) string { return b.Digest[:70] + "0" }), ""},
	{"the day before it expires", expires(time.Second), ""},
	{"when it expires", expires(0), `key "acme" expired on 2027-06-01`},
	{"after it expired", expires(-time.Hour), `key "acme" expired`},
	{"two of two", pair(0, 1), ""},
	{"two of two, and a stranger", pair(2, 0, 1), ""},
	{"one of two", pair(0), "wants signatures by 2 of its keys, and there are 1: by acme"},
	{"one of two, twice", pair(0, 0), "wants signatures by 2 of its keys, and there are 1"},
	{"one of two and a stranger", pair(0, 2), "wants signatures by 2 of its keys"},
	{"two of two for different versions", func(t *testing.T, w *world) {
		pair(0, 1)(t, w)
		w.signatures[1] = w.second.signAs(t, w.data, strings.Replace(opened(t, w.data).Comment(), "1.2.0", "1.3.0", 1))
	}, "wants signatures by 2 of its keys"},
	{"a bad signature beside a good one", func(t *testing.T, w *world) {
		w.signatures = append([]bundle.Signature{{Name: "bad", Text: []byte("x")}, w.second.sign(t, w.data)}, w.signatures...)
	}, ""},
	{"many signatures", func(_ *testing.T, w *world) {
		for len(w.signatures) <= bundle.MaxSignatures {
			w.signatures = append(w.signatures, w.signatures[0])
		}
	}, "17 signatures; at most 16"},
	{"as many as are looked at", func(_ *testing.T, w *world) {
		for len(w.signatures) < bundle.MaxSignatures {
			w.signatures = append(w.signatures, w.signatures[0])
		}
	}, ""},
	{"unknown scope", named("else/no-exfil"), `"else/no-exfil" is in no scope of the trust file; name there`},
	{"lookalike_scope", named("acme-/no-exfil"), `it looks like "acme/", and is not that`},
	{"a look-alike by letters", named("acrne/no-exfil"), `it looks like "acme/"`},
	{"a scope that begins alike", named("acmecorp/no-exfil"), "is in no scope"},
	{"a scope that ends alike", named("not/acme"), "is in no scope"},
	{"a scope inside another", named("x/acme/no-exfil"), "is in no scope"},
	{"a plugin called as the scope", named("acme"), "is in no scope"},
	{"below the scope", named("acme/a/b"), ""},
	{"a whole name", scoped("acme/no-exfil", "acme/no-exfil"), ""},
	{"more than a whole name", scoped("acme/no-exfil", "acme/no-exfil2"), "is in no scope"},
	{"below a whole name", scoped("acme/no-exfil", "acme/no-exfil/x"), "is in no scope"},
	{"beside a whole name", scoped("acme/no-exfil", "acme/no"), "is in no scope"},
	{"a name without a scope", scoped("no-exfil", "no-exfil"), ""},
	{"a scope in a scope", scoped("acme/a/", "acme/a/b"), ""},
	{"outside of the scope in a scope", scoped("acme/a/", "acme/ab"), "is in no scope"},
	{"a scope without a slash", scoped("acme", "acme/no-exfil"), "is in no scope"},
	{"everything", scoped("", "acme/no-exfil"), "is in no scope"},
	{"everything below a slash", scoped("/", "acme/no-exfil"), "is in no scope"},
	{"the nearer scope decides", func(_ *testing.T, w *world) {
		w.trust.Scopes["acme/no-exfil"] = bundle.Scope{Keys: []string{"second"}}
	}, `scope "acme/no-exfil" is signed by second`},
	{"not a bundle, but signed", func(t *testing.T, w *world) {
		c := opened(t, w.data).Comment()
		w.data = []byte("not a bundle")
		w.signatures = []bundle.Signature{w.acme.signAs(t, w.data, c[:len(c)-64]+hexDigest(w.data))}
	}, "bundle: not a bundle"},
	{"not a bundle, nor signed", func(_ *testing.T, w *world) { w.data = []byte("not a bundle") }, "not what key"},
	{"too large to look at", func(_ *testing.T, w *world) { w.data = make([]byte, bundle.MaxCompressed+1) }, "at most 16777216"},
}

func TestTrust(t *testing.T) {
	keys := [3]key{newKey(t), newKey(t), newKey(t)}
	accepted := 0
	for _, c := range trustCases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, keys)
			c.set(t, w)
			b, v, err := w.trust.Open(w.data, w.signatures, w.now)
			if err := says(err, c.want); err != nil {
				t.Fatal(err)
			}
			if (c.want == "") != (b != nil && v != nil) {
				t.Error("a bundle beside an error, or neither")
			}
			if c.want == "" {
				accepted++
			}
		})
	}
	if accepted < 15 || accepted == len(trustCases) {
		t.Errorf("%d of %d are accepted", accepted, len(trustCases))
	}
}
