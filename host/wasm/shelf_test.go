package wasm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// shelved is a module with a manifest, in a file, and the entry that names it.
func shelved(t *testing.T, dir string) contract.PluginRef {
	t.Helper()
	data, err := abi.WithManifest(guest(t, "abstain"), []byte(`{"schema":"callgate.plugin/v0","name":"abstain","version":"1.0.0","abi":"1.0","license":"MIT","phases":["call"]}`))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "abstain.wasm")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return contract.PluginRef{Name: "p", File: file, Digest: abi.DigestBytes(data), Settings: abi.ObjectValue()}
}

func judged(t *testing.T, s *Shelf, ref contract.PluginRef) abi.FailureClass {
	t.Helper()
	p, err := s.Plugin(ref)
	if err != nil {
		t.Fatal(err)
	}
	return p.Judge(&abi.Snapshot{Phase: abi.PhaseCall}).Plugin.Class
}

func TestTheShelfLetsGoOfWhatNoPolicyNames(t *testing.T) {
	ref := shelved(t, t.TempDir())
	s := NewShelf(Options{}, "")
	defer s.Close()
	tried, err := s.Plugin(ref)
	if err != nil {
		t.Fatal(err)
	}
	first, second := s.Hold([]contract.PluginRef{ref}), s.Hold([]contract.PluginRef{ref})
	first()
	first() // once is enough
	if class := tried.Judge(&abi.Snapshot{Phase: abi.PhaseCall}).Plugin.Class; class != "" || len(s.books) != 1 {
		t.Errorf("held by one policy: class %q, %d on the shelf", class, len(s.books))
	}
	other := ref
	other.Settings = abi.ObjectValue(abi.Member{Name: "a", Value: abi.IntValue(1)})
	judged(t, s, other) // loaded, and in no policy in force
	second()
	if class := tried.Judge(&abi.Snapshot{Phase: abi.PhaseCall}).Plugin.Class; class == "" || len(s.books) != 0 {
		t.Errorf("held by none: class %q, %d on the shelf", class, len(s.books))
	}
	if class := judged(t, s, ref); class != "" {
		t.Errorf("loaded anew: class %q", class)
	}
}

func TestModulesAreFoundByTheirDigests(t *testing.T) {
	dir, kept := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	ref := shelved(t, dir)
	load := func(kept string) error {
		s := NewShelf(Options{}, kept)
		defer s.Close()
		_, err := s.Plugin(ref)
		return err
	}
	if err := load(kept); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ref.File, []byte("another one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := load(kept); err != nil {
		t.Errorf("the copy is not used: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(kept, "*.wasm"))
	if err != nil || len(files) != 1 || !strings.Contains(files[0], strings.TrimPrefix(ref.Digest, "sha256:")) {
		t.Fatalf("kept are %q, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte("another copy"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a copy that is another one": kept, "no copy": t.TempDir(), "no place for copies": ""} {
		if err := load(dir); !errors.Is(err, contract.ErrGone) {
			t.Errorf("%s: %v; want that the module is gone", name, err)
		}
	}
	s := NewShelf(Options{}, kept)
	defer s.Close()
	if _, err := s.Plugin(ref); err == nil {
		t.Fatal("it loads")
	}
	shelved(t, dir) // the file is as it was
	if _, err := s.Plugin(ref); err != nil {
		t.Errorf("what could not be loaded is not tried again: %v", err)
	}
	if data, err := os.ReadFile(files[0]); err != nil || abi.DigestBytes(data) != ref.Digest {
		t.Errorf("the copy that is another one stays, %v", err)
	}
}

// A policy that waits for a person is read again as often as its files change, and
// what it names may not pile up meanwhile.
func TestTheShelfLetsGoOfWhatOnlyWaits(t *testing.T) {
	ref := shelved(t, t.TempDir())
	s := NewShelf(Options{}, "")
	defer s.Close()
	defer s.Hold([]contract.PluginRef{ref})()
	inForce, err := s.Plugin(ref)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		waits := ref
		waits.Settings = abi.ObjectValue(abi.Member{Name: "a", Value: abi.IntValue(int64(i))})
		judged(t, s, waits)
		if len(s.books) != 2 {
			t.Errorf("attempt %d: %d on the shelf", i, len(s.books))
		}
		s.Sweep()
		if class := judged(t, s, waits); class != "" {
			t.Errorf("attempt %d, loaded anew: class %q", i, class)
		}
		s.Sweep()
	}
	if class := inForce.Judge(&abi.Snapshot{Phase: abi.PhaseCall}).Plugin.Class; class != "" || len(s.books) != 1 {
		t.Errorf("in force: class %q, %d on the shelf", class, len(s.books))
	}
}

// A module that came in a bundle is had from there, and from the copy when the
// bundle is gone; another module in the bundle is not it.
func TestModulesOfBundlesAreUnpackedAndKept(t *testing.T) {
	dir, kept := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	ref := shelved(t, dir)
	module, err := os.ReadFile(ref.File)
	if err != nil {
		t.Fatal(err)
	}
	ref.File, ref.Bundle = "oci://r.example/p:1", contract.Bundle{Digest: abi.DigestBytes([]byte("bundle"))}
	var asked int
	load := func(kept string, unpack func(contract.PluginRef) ([]byte, error)) error {
		s := NewShelf(Options{}, kept)
		s.Unpack = unpack
		defer s.Close()
		_, err := s.Plugin(ref)
		return err
	}
	gone := func(contract.PluginRef) ([]byte, error) { asked++; return nil, os.ErrNotExist }
	for name, unpack := range map[string]func(contract.PluginRef) ([]byte, error){
		"no bundle": gone, "nobody to unpack": nil,
		"another module in it": func(contract.PluginRef) ([]byte, error) { return []byte("another"), nil },
	} {
		if err := load(kept, unpack); !errors.Is(err, contract.ErrGone) {
			t.Errorf("%s: %v; want that the module is gone", name, err)
		}
	}
	if err := load(kept, func(of contract.PluginRef) ([]byte, error) {
		if of.Bundle.Digest != ref.Bundle.Digest {
			t.Errorf("asked for %+v", of)
		}
		return module, nil
	}); err != nil {
		t.Fatal(err)
	}
	asked = 0
	if err := load(kept, gone); err != nil || asked != 0 {
		t.Errorf("the copy: %v, and the bundle was asked for %d times", err, asked)
	}
	if err := load("", gone); !errors.Is(err, contract.ErrGone) || asked != 1 {
		t.Errorf("without a copy: %v, and the bundle was asked for %d times", err, asked)
	}
}
