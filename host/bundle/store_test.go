package bundle_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
)

// stored is a store with the honest bundle in it, signed by two keys.
func stored(t *testing.T) (s bundle.Store, data []byte, sigs [][]byte) {
	t.Helper()
	s = bundle.Store{Dir: filepath.Join(t.TempDir(), "state", bundle.StoreDir)}
	data = noExfil(t)
	sigs = [][]byte{newKey(t).sign(t, data).Text, newKey(t).sign(t, data).Text}
	if err := s.Put(data, sigs); err != nil {
		t.Fatal(err)
	}
	return s, data, sigs
}

// names are the files of a store.
func names(t *testing.T, s bundle.Store) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func sortedTexts(list [][]byte) (out []string) {
	for _, one := range list {
		out = append(out, string(one))
	}
	slices.Sort(out)
	return out
}

func TestAStoreGivesBackWhatWasPut(t *testing.T) {
	s, data, sigs := stored(t)
	digest := abi.DigestBytes(data)
	got, gotSigs, err := s.Get(digest)
	if err != nil || string(got) != string(data) || !slices.Equal(sortedTexts(gotSigs), sortedTexts(sigs)) {
		t.Fatalf("%d bytes, %d signatures, %v", len(got), len(gotSigs), err)
	}
	if !s.Has(digest) {
		t.Fatal("it is not there")
	}
	before := names(t, s)
	if err := s.Put(data, sigs[:1]); err != nil || !slices.Equal(names(t, s), before) {
		t.Fatal("put again, with fewer signatures: ", err, names(t, s))
	}
	if err := s.Put(data, [][]byte{newKey(t).sign(t, data).Text}); err != nil {
		t.Fatal(err)
	}
	if _, gotSigs, err := s.Get(digest); err != nil || len(gotSigs) != 3 {
		t.Fatalf("a third signature: %d, %v", len(gotSigs), err)
	}
	if err := s.Remove(digest); err != nil || len(names(t, s)) != 0 {
		t.Fatal(err, names(t, s))
	}
	if _, _, err := s.Get(digest); !errors.Is(err, bundle.ErrNotStored) || s.Has(digest) {
		t.Fatal(err)
	}
	if err := s.Remove(digest); !errors.Is(err, bundle.ErrNotStored) {
		t.Fatal(err)
	}
}

func TestAStoreThatIsNotThereIsEmpty(t *testing.T) {
	s := bundle.Store{Dir: filepath.Join(t.TempDir(), "none")}
	if s.Has(digestA) {
		t.Fatal("something is there")
	}
	if _, _, err := s.Get(digestA); !errors.Is(err, bundle.ErrNotStored) {
		t.Fatal(err)
	}
}

func TestAStoreWritesNothingThatItRefuses(t *testing.T) {
	data := noExfil(t)
	sig := newKey(t).sign(t, data).Text
	var many [][]byte
	for range bundle.MaxSignatures + 1 {
		many = append(many, newKey(t).sign(t, data).Text)
	}
	table := []struct {
		name string
		data []byte
		sigs [][]byte
		want string
	}{
		{"too large", make([]byte, bundle.MaxCompressed+1), nil, "at most 16777216"},
		{"no signature", data, [][]byte{sig, []byte("RW")}, "signature 2: not a signature"},
		{"a signature that is too large", data, [][]byte{make([]byte, bundle.MaxSignature+1)}, "at most 4096"},
		{"too many signatures", data, many, "at most 16"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			s := bundle.Store{Dir: filepath.Join(t.TempDir(), "store")}
			if err := says(s.Put(c.data, c.sigs), c.want); err != nil || len(names(t, s)) != 0 {
				t.Error(err, names(t, s))
			}
		})
	}
	t.Run("too many signatures with those that are there", func(t *testing.T) {
		s := bundle.Store{Dir: t.TempDir()}
		if err := s.Put(data, many[1:]); err != nil {
			t.Fatal(err)
		}
		before := names(t, s)
		if err := says(s.Put(data, many[:1]), "at most 16"); err != nil || !slices.Equal(names(t, s), before) {
			t.Error(err, names(t, s))
		}
	})
	t.Run("no place for the bundle", func(t *testing.T) {
		s := bundle.Store{Dir: t.TempDir()}
		taken := strings.TrimPrefix(abi.DigestBytes(data), "sha256:") + ".cgp"
		if err := os.MkdirAll(filepath.Join(s.Dir, taken, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := s.Put(data, [][]byte{sig}); err == nil || !slices.Equal(names(t, s), []string{taken}) {
			t.Error(err, names(t, s))
		}
	})
}

// A store is a folder that somebody may have changed.
func TestWhatIsInAStoreIsHeldToItsName(t *testing.T) {
	table := []struct {
		name string
		do   func(s bundle.Store, hex string, sigs []string) error
		want string
	}{
		{"untouched", func(bundle.Store, string, []string) error { return nil }, ""},
		{"a changed bit", func(s bundle.Store, hex string, _ []string) error {
			path := filepath.Join(s.Dir, hex+".cgp")
			data, err := os.ReadFile(path)
			if err == nil {
				data[len(data)/2] ^= 1
				err = os.WriteFile(path, data, 0o600)
			}
			return err
		}, "changed since it was stored"},
		{"cut off", func(s bundle.Store, hex string, _ []string) error {
			return os.Truncate(filepath.Join(s.Dir, hex+".cgp"), 10)
		}, "changed since it was stored"},
		{"endless", func(s bundle.Store, hex string, _ []string) error {
			return os.Truncate(filepath.Join(s.Dir, hex+".cgp"), 1<<40)
		}, "more than 16777216 bytes"},
		{"a folder", func(s bundle.Store, hex string, _ []string) error {
			path := filepath.Join(s.Dir, hex+".cgp")
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		}, "not a regular file"},
		{"a signature of another key", func(s bundle.Store, hex string, sigs []string) error {
			return os.Rename(filepath.Join(s.Dir, sigs[0]), filepath.Join(s.Dir, hex+".0000000000000000.minisig"))
		}, "not the signature that its name says"},
		{"no signature", func(s bundle.Store, hex string, sigs []string) error {
			return os.WriteFile(filepath.Join(s.Dir, sigs[0]), []byte("x"), 0o600)
		}, "not the signature that its name says"},
		{"foreign files", func(s bundle.Store, hex string, sigs []string) error {
			return errors.Join(os.WriteFile(filepath.Join(s.Dir, "README"), nil, 0o600), os.WriteFile(filepath.Join(s.Dir, hex+".x.minisig"), nil, 0o600))
		}, ""},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			s, data, _ := stored(t)
			hex := hexDigest(data)
			sigs := slices.DeleteFunc(names(t, s), func(n string) bool { return !strings.HasSuffix(n, ".minisig") })
			if err := c.do(s, hex, sigs); err != nil {
				t.Fatal(err)
			}
			got, _, err := s.Get("sha256:" + hex)
			if err := says(err, c.want); err != nil || (c.want == "") != (got != nil) {
				t.Error(err)
			}
			// Getting it again mends a file.
			if c.name == "a changed bit" {
				if err := s.Put(data, nil); err != nil {
					t.Error(err)
				}
				if _, _, err := s.Get("sha256:" + hex); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestAStoreTakesNoPathsForDigests(t *testing.T) {
	s := bundle.Store{Dir: t.TempDir()}
	for _, digest := range []string{"", "sha256:", "../x", "sha256:../" + digestA[10:], strings.ToUpper(digestA), digestA + "\n"} {
		_, _, err := s.Get(digest)
		if says(err, "is no digest") != nil || says(s.Remove(digest), "is no digest") != nil || s.Has(digest) {
			t.Errorf("%q: %v", digest, err)
		}
	}
}
