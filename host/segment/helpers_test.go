package segment

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// idOf is the id of the n-th process of a server.
func idOf(n int) string { return fmt.Sprintf("%012x", n) }

func mustOpen(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mustPut(t testing.TB, s *Store, text []byte) abi.Text {
	t.Helper()
	ref, err := s.Put(text)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// must fails a test that goes on only without an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// idle waits until nothing is left to compress.
func idle(s *Store) {
	s.mu.Lock()
	working := s.working
	s.mu.Unlock()
	if working != nil {
		<-working
	}
}

// textOf is a text of n bytes that compresses, but not to nothing, and is
// another for every seed.
func textOf(n, seed int) []byte {
	out := make([]byte, 0, n+32)
	for x := uint64(seed)*2654435761 + 1; len(out) < n; x = x*6364136223846793005 + 1442695040888963407 {
		out = fmt.Appendf(out, "%x is no more than a number; ", x>>32)
	}
	return out[:n]
}

// kept is a text with where it is.
type kept struct {
	ref  abi.Text
	text []byte
}

// putAll puts texts of sizes.
func putAll(t testing.TB, s *Store, sizes ...int) (all []kept) {
	t.Helper()
	for i, n := range sizes {
		text := textOf(n, i)
		all = append(all, kept{mustPut(t, s, text), text})
	}
	return all
}

// readable fails unless every text is read as it was.
func readable(t testing.TB, from abi.TextReader, all []kept) {
	t.Helper()
	if len(all) == 0 {
		t.Fatal("no text to read")
	}
	for _, k := range all {
		got, err := k.ref.Read(from)
		if err != nil || !bytes.Equal(got, k.text) {
			t.Fatalf("text of %d bytes at byte %d of segment %q: %v", len(k.text), k.ref.Offset, k.ref.Segment, err)
		}
	}
}

// honest fails if a text is read as other than it was, and returns how many were
// read at all.
func honest(t testing.TB, from abi.TextReader, all []kept) (n int) {
	t.Helper()
	for _, k := range all {
		dst := make([]byte, len(k.text))
		if err := from.ReadText(k.ref, dst, 0); err != nil {
			continue
		}
		if n++; !bytes.Equal(dst, k.text) {
			t.Fatalf("text of %d bytes at byte %d of segment %q is read as another", len(k.text), k.ref.Offset, k.ref.Segment)
		}
	}
	return n
}

// listed are the names in a directory.
func listed(t testing.TB, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func wantFiles(t testing.TB, dir string, want ...string) {
	t.Helper()
	if got := listed(t, dir); !slices.Equal(got, want) {
		t.Errorf("the directory has %q; want %q", got, want)
	}
}

func wantError(t testing.TB, err error, part string) {
	t.Helper()
	switch {
	case part == "" && err != nil:
		t.Errorf("error %q; want none", err)
	case part != "" && (err == nil || !strings.Contains(err.Error(), part)):
		t.Errorf("error %v; want one with %q", err, part)
	}
}

// copyDir copies the files of a directory into a new one.
func copyDir(t testing.TB, from string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range listed(t, from) {
		data, err := os.ReadFile(filepath.Join(from, name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(to, name), data, 0o600))
	}
	return to
}

var errFull = errors.New("no space left on the device")

// fake is a file whose failures the test chooses.
type fake struct {
	data    []byte
	room    int  // bytes that it takes
	lie     bool // a short write comes without an error
	sync    error
	syncs   int
	closes  int
	entered chan struct{} // one value per sync that began, if not nil
	release chan struct{} // a sync ends after one value, if not nil
}

func (f *fake) Write(p []byte) (int, error) {
	n := min(len(p), f.room-len(f.data))
	f.data = append(f.data, p[:n]...)
	if n < len(p) && !f.lie {
		return n, errFull
	}
	return n, nil
}

func (f *fake) Sync() error {
	if f.entered != nil {
		f.entered <- struct{}{}
		<-f.release
	}
	f.syncs++
	return f.sync
}

func (f *fake) Close() error { f.closes++; return nil }

// faked is a store that writes into fake files, in the order in which it needs
// them; without one left the directory is full.
func faked(t testing.TB, o Options, files ...*fake) *Store {
	t.Helper()
	o.Dir, o.ID = t.TempDir(), idOf(1)
	s := mustOpen(t, o)
	s.create = func(string) (file, error) {
		if len(files) == 0 {
			return nil, errFull
		}
		f := files[0]
		files = files[1:]
		return f, nil
	}
	return s
}
