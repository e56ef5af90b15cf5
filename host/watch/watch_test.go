package watch_test

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/callgate/callgate/host/watch"
)

// patience is how long a change may take to be noticed. It only bounds a test
// that fails.
const patience = time.Minute

func TestChangesAreNoticedHoweverTheyAreMade(t *testing.T) {
	write := func(t *testing.T, path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name          string
		links         bool
		setUp, change func(t *testing.T, dir string)
	}{
		{"written in place", false, func(t *testing.T, dir string) { write(t, dir+"/c/p.yaml", "a") }, func(t *testing.T, dir string) { write(t, dir+"/c/p.yaml", "b") }},
		{"replaced by a rename", false, func(t *testing.T, dir string) { write(t, dir+"/c/p.yaml", "a") }, func(t *testing.T, dir string) {
			write(t, dir+"/c/.p.yaml.swp", "b")
			must(t, os.Rename(dir+"/c/.p.yaml.swp", dir+"/c/p.yaml"))
		}},
		{"moved away and made anew", false, func(t *testing.T, dir string) { write(t, dir+"/c/p.yaml", "a") }, func(t *testing.T, dir string) {
			must(t, os.Rename(dir+"/c/p.yaml", dir+"/c/p.yaml~"))
			write(t, dir+"/c/p.yaml", "b")
		}},
		{"removed", false, func(t *testing.T, dir string) { write(t, dir+"/c/p.yaml", "a") }, func(t *testing.T, dir string) { must(t, os.Remove(dir+"/c/p.yaml")) }},
		{"made", false, func(t *testing.T, dir string) { must(t, os.Mkdir(dir+"/c", 0o755)) }, func(t *testing.T, dir string) { write(t, dir+"/c/p.yaml", "a") }},
		{"a link of a link", true, func(t *testing.T, dir string) {
			write(t, dir+"/c/..1/p.yaml", "a")
			write(t, dir+"/c/..2/p.yaml", "b")
			must(t, os.Symlink("..1", dir+"/c/..data"))
			must(t, os.Symlink("..data/p.yaml", dir+"/c/p.yaml"))
		}, func(t *testing.T, dir string) {
			must(t, os.Symlink("..2", dir+"/c/..new"))
			must(t, os.Rename(dir+"/c/..new", dir+"/c/..data"))
		}},
		{"the file behind a link", true, func(t *testing.T, dir string) {
			write(t, dir+"/far/away/p.yaml", "a")
			must(t, os.Mkdir(dir+"/c", 0o755))
			must(t, os.Symlink(dir+"/far/away/p.yaml", dir+"/c/p.yaml"))
		}, func(t *testing.T, dir string) { write(t, dir+"/far/away/p.yaml", "b") }},
		{"the directory", true, func(t *testing.T, dir string) { write(t, dir+"/c/p.yaml", "a"); write(t, dir+"/d/p.yaml", "b") }, func(t *testing.T, dir string) {
			must(t, os.Rename(dir+"/c", dir+"/old"))
			must(t, os.Rename(dir+"/d", dir+"/c"))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.links && runtime.GOOS == "windows" {
				return // links need rights there, and open directories do not move
			}
			dir := t.TempDir()
			c.setUp(t, dir)
			file := filepath.Join(dir, "c", "p.yaml")
			changed := make(chan bool, 16)
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan bool)
			go func() {
				defer close(done)
				watch.Files(ctx, watch.Options{Files: func() []string { return []string{file} }, Changed: func() map[string][sha256.Size]byte { changed <- true; return nil }, Note: t.Logf}, nil)
			}()
			defer func() { cancel(); <-done }()
			for _, what := range []string{"the first look", "the change"} {
				select {
				case <-changed:
				case <-time.After(patience):
					t.Fatalf("%s is not noticed", what)
				}
				if what == "the first look" { // nothing was read before, so it found something
					c.change(t, dir)
				}
			}
		})
	}
}

// What changed between the reading of the files and the start of the watch is
// noticed, and nothing else.
func TestTheFirstLookComparesWithWhatWasRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.yaml")
	for _, c := range []struct {
		read, now string
	}{{"a", "b"}, {"a", "a"}} {
		if err := os.WriteFile(file, []byte(c.read), 0o600); err != nil {
			t.Fatal(err)
		}
		seen := watch.Sums([]string{file})
		if err := os.WriteFile(file, []byte(c.now), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		changed := 0
		watch.Files(ctx, watch.Options{Files: func() []string { return []string{file} }, Changed: func() map[string][sha256.Size]byte { changed++; return nil }, Note: t.Logf}, seen)
		if want := c.read != c.now; (changed > 0) != want {
			t.Errorf("read %s, and now it is %s: %d changes", c.read, c.now, changed)
		}
	}
}

func TestDirectoriesOnTheWayToAFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need rights there
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"c", "x/y"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../x/y/p.yaml", filepath.Join(dir, "c/p.yaml")); err != nil {
		t.Fatal(err)
	}
	list := watch.Directories(filepath.Join(dir, "c/p.yaml"))
	for _, want := range []string{"c", "x/y", "x"} {
		if !slices.Contains(list, filepath.Join(dir, want)) {
			t.Errorf("%q lacks %s", list, want)
		}
	}
	if err := os.Symlink("p.yaml", filepath.Join(dir, "x/y/p.yaml")); err != nil { // a loop ends
		t.Fatal(err)
	}
	if list := watch.Directories(filepath.Join(dir, "c/p.yaml")); len(list) == 0 {
		t.Error("a loop of links has no directories")
	}
}
