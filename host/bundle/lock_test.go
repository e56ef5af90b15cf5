package bundle_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/bundle"
)

// pinned is a lock with the honest bundle in it, and what it was made from.
func pinned(t *testing.T) (*bundle.Lock, bundle.Entry, []byte) {
	t.Helper()
	k := newKey(t)
	data := noExfil(t)
	b, v, err := trusting(k).Open(data, []bundle.Signature{k.sign(t, data)}, day)
	if err != nil {
		t.Fatal(err)
	}
	e := bundle.NewEntry("oci://registry.example/acme/no-exfil:1.2.0", b, v)
	l := &bundle.Lock{}
	if err := l.Put(e); err != nil {
		t.Fatal(err)
	}
	return l, e, data
}

func TestThePinnedBundleOpensAndNoOther(t *testing.T) {
	l, e, data := pinned(t)
	pin := l.Find(e.Ref)
	if pin == nil || l.Find("oci://registry.example/acme/no-exfil") != nil {
		t.Fatalf("found %v", pin)
	}
	if b, err := pin.Open(data); err != nil || b.About.Name != "acme/no-exfil" {
		t.Fatal(err)
	}
	other := func(name, version string) []byte { return packed(t, filesOf(name, version)) }
	changed := slices.Clone(data)
	changed[len(changed)/2] ^= 1
	table := []struct {
		name string
		set  func(*bundle.Entry)
		data []byte
		want string
	}{
		{"a newer version", nil, other("acme/no-exfil", "1.3.0"), "and the lock pins " + e.Bundle},
		{"another plugin", nil, other("acme/other", "1.2.0"), "and the lock pins " + e.Bundle},
		{"a changed bit", nil, changed, "and the lock pins " + e.Bundle},
		{"a part", nil, data[:len(data)-1], "and the lock pins " + e.Bundle},
		{"nothing", nil, nil, "and the lock pins " + e.Bundle},
		{"too large", nil, make([]byte, bundle.MaxCompressed+1), "at most 16777216"},
		{"no digest", func(e *bundle.Entry) { e.Bundle = "" }, data, "and the lock pins"},
		{"another name in the lock", func(e *bundle.Entry) { e.Name = "acme/other" }, data, "and the lock says acme/other 1.2.0"},
		{"another version in the lock", func(e *bundle.Entry) { e.Version = "1.3.0" }, data, "and the lock says acme/no-exfil 1.3.0"},
		{"another module in the lock", func(e *bundle.Entry) { e.Module = digestA }, data, "with module " + digestA},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			changed := *pin
			if c.set != nil {
				c.set(&changed)
			}
			if b, err := changed.Open(c.data); says(err, c.want) != nil || b != nil {
				t.Error(says(err, c.want))
			}
		})
	}
}

func TestWhatMayReplaceAPin(t *testing.T) {
	_, e, _ := pinned(t)
	digestB := "sha256:" + strings.Repeat("b", 64)
	table := []struct {
		name string
		set  func(*bundle.Entry)
		want string
	}{
		{"the same", func(*bundle.Entry) {}, ""},
		{"a newer version", func(e *bundle.Entry) { e.Version, e.Bundle = "1.10.0", digestB }, ""},
		{"an older version", func(e *bundle.Entry) { e.Version, e.Bundle = "1.1.9", digestB }, "older than 1.2.0, which the lock pins"},
		{"a candidate of the version", func(e *bundle.Entry) { e.Version, e.Bundle = "1.2.0-rc.1", digestB }, "older than 1.2.0"},
		{"other bytes", func(e *bundle.Entry) { e.Bundle = digestB }, "the lock pins " + e.Bundle + " under the same version"},
		{"other bytes from elsewhere", func(e *bundle.Entry) { e.Ref, e.Bundle = "./x.cgp", digestB }, "under the same version"},
		{"the same bytes from elsewhere", func(e *bundle.Entry) { e.Ref = "./x.cgp" }, ""},
		{"an older version from elsewhere", func(e *bundle.Entry) { e.Ref, e.Version, e.Bundle = "./x.cgp", "1.0.0", digestB }, ""},
		{"another plugin in its place", func(e *bundle.Entry) { e.Name, e.Version, e.Bundle = "acme/other", "9.0.0", digestB }, "acme/other 9.0.0: another plugin than acme/no-exfil 1.2.0, which the lock pins there"},
		{"another plugin", func(e *bundle.Entry) { e.Name, e.Ref, e.Bundle = "acme/other", "./x.cgp", digestB }, ""},
		{"no key", func(e *bundle.Entry) { e.Keys = nil }, "want a list of one or more"},
		{"no reference", func(e *bundle.Entry) { e.Ref = "" }, "not to be written"},
		{"no digest", func(e *bundle.Entry) { e.Version, e.Bundle = "2.0.0", "" }, "not to be written"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			l := &bundle.Lock{Plugins: []bundle.Entry{e}}
			next := e
			c.set(&next)
			err := l.Put(next)
			if err := says(err, c.want); err != nil {
				t.Fatal(err)
			}
			if c.want != "" && (len(l.Plugins) != 1 || l.Find(e.Ref).Version != e.Version || l.Find(e.Ref).Bundle != e.Bundle) {
				t.Errorf("the lock changed: %+v", l.Plugins)
			}
			if c.want == "" && l.Find(next.Ref).Bundle != next.Bundle {
				t.Errorf("not pinned: %+v", l.Plugins)
			}
		})
	}
	l := &bundle.Lock{Plugins: []bundle.Entry{e}}
	older := e
	older.Version, older.Bundle = "1.0.0", digestB
	if !l.Remove(e.Ref) || l.Remove(e.Ref) || l.Put(older) != nil {
		t.Error("an older version is not taken after the newer one was taken out")
	}
}

const lockText = `{
  "plugins": [
    {
      "bundle": "` + digestA + `",
      "keys": ["0123456789ABCDEF", "AAAAAAAAAAAAAAAA"],
      "module": "` + digestA + `",
      "name": "acme/no-exfil",
      "ref": "oci://registry.example/acme/no-exfil:1.2.0",
      "version": "1.2.0"
    },
    {"bundle": "` + digestA + `", "keys": ["0123456789ABCDEF"], "module": "` + digestA + `", "name": "acme/a", "ref": "./a.cgp", "version": "0.1.0"}
  ],
  "schema": "callgate.lock/v0"
}
`

func TestALockIsWrittenInOneWay(t *testing.T) {
	l, err := bundle.ParseLock("callgate.lock", []byte(lockText))
	if err != nil || len(l.Plugins) != 2 || l.Plugins[0].Name != "acme/a" {
		t.Fatalf("%v, %+v", err, l)
	}
	text, err := l.Text()
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "callgate.lock")
	if *update {
		write(t, golden, text)
	}
	if want := read(t, golden); !bytes.Equal(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	slices.Reverse(l.Plugins)
	slices.Reverse(l.Plugins[0].Keys)
	if again, err := l.Text(); err != nil || !bytes.Equal(again, text) {
		t.Errorf("in another order: %v\n%s", err, again)
	}
	if empty, err := (&bundle.Lock{}).Text(); err != nil || string(empty) != "{\n  \"plugins\": [],\n  \"schema\": \"callgate.lock/v0\"\n}\n" {
		t.Errorf("an empty lock: %v\n%s", err, empty)
	}
}

func TestMistakesOfLocks(t *testing.T) {
	table := []struct {
		name, from, to, want string
	}{
		{"as it is", "", "", ""},
		{"no plugins", lockText, `{"schema":"callgate.lock/v0","plugins":[]}`, ""},
		{"plugins left out", lockText, `{"schema":"callgate.lock/v0"}`, "plugins: want a list"},
		{"another schema", "lock/v0", "lock/v1", `callgate.lock:13:3: schema: "callgate.lock/v1"`},
		{"an unknown key", `"schema"`, `"x": 1, "schema"`, `callgate.lock:13:3: unknown key "x"; want schema, plugins`},
		{"settings", `"name": "acme/no-exfil"`, `"settings": {}, "name": "acme/no-exfil"`, `callgate.lock:7:7: plugins/0: unknown key "settings"`},
		{"a key twice", `"module"`, `"bundle"`, "callgate.lock:6:7: not JSON: a key that is there twice"},
		{"no bundle", `"bundle": "` + digestA + `",`, "", "callgate.lock:3:5: plugins/0: no bundle; state it"},
		{"half a digest", digestA, digestA[:30], "callgate.lock:4:7: plugins/0/bundle: "},
		{"a digest in capitals", digestA, strings.ToUpper(digestA), "64 hexadecimal digits in lower case"},
		{"no keys", `["0123456789ABCDEF", "AAAAAAAAAAAAAAAA"]`, "[]", "callgate.lock:5:7: plugins/0/keys: want a list of one or more strings"},
		{"a key in lower case", "0123456789ABCDEF", "0123456789abcdef", "16 hexadecimal digits in upper case"},
		{"a short key", "0123456789ABCDEF", "0123456789ABCDE", "16 hexadecimal digits"},
		{"a key of an entry twice", "AAAAAAAAAAAAAAAA", "0123456789ABCDEF", "is there twice"},
		{"a name in capitals", "acme/no-exfil\"", "Acme/no-exfil\"", `callgate.lock:7:7: plugins/0/name: "Acme/no-exfil"; want the name of a plugin`},
		{"a version that is none", "\"1.2.0\"", "\"1.2\"", `callgate.lock:9:7: plugins/0/version: "1.2"; want a version`},
		{"a latest version", "\"1.2.0\"", "\"latest\"", "want a version"},
		{"no reference", `"./a.cgp"`, `""`, "plugins/1/ref: want a string"},
		{"a reference twice", "./a.cgp", "oci://registry.example/acme/no-exfil:1.2.0", `callgate.lock:11:5: plugins/1: "oci://registry.example/acme/no-exfil:1.2.0" is there twice`},
		{"a long reference", "./a.cgp", strings.Repeat("a", 1025), "at most 1024 bytes"},
		{"a reference with a line break", "./a.cgp", `./a.cgp\n`, "control characters"},
		{"one version with two bundles", `{"bundle": "` + digestA + `", "keys": ["0123456789ABCDEF"], "module": "` + digestA + `", "name": "acme/a", "ref": "./a.cgp", "version": "0.1.0"}`,
			`{"bundle": "sha256:` + strings.Repeat("b", 64) + `", "keys": ["0123456789ABCDEF"], "module": "` + digestA + `", "name": "acme/no-exfil", "ref": "./a.cgp", "version": "1.2.0"}`,
			"callgate.lock:11:5: plugins/1: acme/no-exfil 1.2.0 is there with two different bundles"},
		{"an entry that is a text", lockText, `{"schema":"callgate.lock/v0","plugins":["x"]}`, "callgate.lock:1:41: plugins/0: want an object"},
		{"an entry that is null", lockText, `{"schema":"callgate.lock/v0","plugins":[null]}`, "plugins/0: want an object"},
		{"a merge", "  \"plugins\"", "<<<<<<< HEAD\n  \"plugins\"", "callgate.lock:2:1: not JSON"},
		{"nothing", lockText, "", "callgate.lock:1:1: not JSON: empty file"},
		{"half a file", lockText, lockText[:300], "not JSON"},
		{"too large", lockText, lockText + strings.Repeat("\n", bundle.MaxLock), "at most 1048576"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(lockText, c.from, c.to, 1)
			if c.from != "" && text == lockText {
				t.Fatal("nothing is changed")
			}
			l, err := bundle.ParseLock("callgate.lock", []byte(text))
			if err := says(err, c.want); err != nil || c.want != "" && l != nil {
				t.Error(err)
			}
		})
	}
}
