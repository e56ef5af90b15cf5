package bundle_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/bundle"
)

func TestALockIsChangedAsAWholeOrNotAtAll(t *testing.T) {
	_, e, _ := pinned(t)
	e.Manifest = digestA
	path := filepath.Join(t.TempDir(), bundle.LockFile)
	if l, there, err := bundle.ReadLock(path); err != nil || there || len(l.Plugins) != 0 {
		t.Fatal(there, err)
	}
	put := func(l *bundle.Lock) error { return l.Put(e) }
	if err := bundle.EditLock(path, put); err != nil {
		t.Fatal(err)
	}
	l, there, err := bundle.ReadLock(path)
	if err != nil || !there || l.Find(e.Ref) == nil || l.Find(e.Ref).Manifest != digestA {
		t.Fatal(there, err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	table := []struct {
		name   string
		path   string
		change func(*bundle.Lock) error
		want   string
	}{
		{"a change that fails", path, func(l *bundle.Lock) error { l.Remove(e.Ref); return errors.New("no") }, "no"},
		{"an older version", path, func(l *bundle.Lock) error { old := e; old.Version, old.Bundle = "1.0.0", digestA; return l.Put(old) }, "older than 1.2.0"},
		{"what is no lock", path, func(l *bundle.Lock) error { l.Plugins[0].Name = ""; return nil }, "not to be written"},
		{"no folder", filepath.Join(path, "x"), put, "not a directory"},
	}
	for _, c := range table {
		if err := says(bundle.EditLock(c.path, c.change), c.want); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// Somebody else is at it.
	if err := os.WriteFile(path+".new", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := says(bundle.EditLock(path, put), "somebody is changing callgate.lock"); err != nil {
		t.Error(err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Error("the lock changed: ", err)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 2 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

func TestAManifestIsOfARegistry(t *testing.T) {
	_, e, _ := pinned(t)
	table := []struct{ ref, manifest, want string }{
		{"oci://ghcr.io/a:1", digestA, ""},
		{"oci://ghcr.io/a:1", "", ""},
		{"./a.cgp", "", ""},
		{"./a.cgp", digestA, "./a.cgp is in no registry"},
		{"oci://ghcr.io/a:1", "sha256:x", "64 hexadecimal digits"},
	}
	for _, c := range table {
		e.Ref, e.Manifest = c.ref, c.manifest
		l := &bundle.Lock{}
		if err := says(l.Put(e), c.want); err != nil {
			t.Errorf("%s, %q: %v", c.ref, c.manifest, err)
		}
		text, err := l.Text()
		if err != nil || strings.Contains(string(text), "manifest") != (c.manifest != "" && c.want == "") {
			t.Errorf("%s, %v", text, err)
		}
	}
}
