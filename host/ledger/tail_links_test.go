//go:build unix

package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestATailReadsOnlyRegularFiles(t *testing.T) {
	cases := placed()
	for _, c := range cases {
		outside := written(t, options(t.TempDir(), 0), 2)
		data := mustRead(t, outside)
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.Base(outside))
		if err := c.put(path, outside); err != nil {
			t.Fatal(err)
		}
		other := written(t, options(t.TempDir(), 1), 1)
		beside := filepath.Join(dir, filepath.Base(other))
		if err := os.Rename(other, beside); err != nil {
			t.Fatal(err)
		}
		r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
		list := r.poll()
		if len(list) != 2 || list[0].File.Path != path || list[1].Err != nil || list[1].Lines != 1 {
			t.Fatalf("%s: %+v; want progress of both", c.name, list)
		}
		if err := list[0].Err; c.word == "" && err != nil || c.word != "" && (err == nil || !strings.Contains(err.Error(), c.word) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%s: %v; want %q and the path", c.name, err, c.word)
		}
		r.quiet()
		if c.word == "" {
			r.has(path, beside)
			continue
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, path, data)
		if list := r.poll(); len(list) != 1 || list[0].Err != nil || list[0].Lines != 2 {
			t.Errorf("%s: after a regular file took its place: %+v", c.name, list)
		}
		r.has(path, beside)
	}
	counted(t, len(cases))
}

func TestAPeerThatIsReplacedByALinkIsABreak(t *testing.T) {
	dir := t.TempDir()
	path := written(t, options(dir, 0), 2)
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
	r.poll()
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(path, away); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(away, path); err != nil {
		t.Fatal(err)
	}
	if list := r.poll(); len(list) != 1 || list[0].Err == nil || !strings.Contains(list[0].Err.Error(), "symbolic link") || list[0].Lines != 2 {
		t.Errorf("progress %+v", list)
	}
}

func TestAGroupDirectoryThatIsNotOursIsNotTailed(t *testing.T) {
	dir := t.TempDir()
	path := written(t, options(dir, 0), 2)
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	each := func(File, []byte) error { t.Error("a line was handed out"); return nil }
	if _, err := r.tail.Poll(each); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("others can write in it, but: %v", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.poll()
	r.has(path)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := r.tail.Poll(each); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is gone, but: %v", err)
	}
}

func TestTheGroupLockIsARegularFileOfOurs(t *testing.T) {
	cases := []struct {
		name string
		put  func(path string) error
		word string
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"regular file", func(path string) error { return os.WriteFile(path, []byte("hello"), 0o600) }, ""},
		{"symbolic link", func(path string) error { return os.Symlink(path+"x", path) }, "symbolic link"},
		{"named pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }, "named pipe"},
		{"directory", func(path string) error { return os.Mkdir(path, 0o700) }, "directory"},
	}
	for _, c := range cases {
		dir := t.TempDir()
		path := filepath.Join(dir, lockName)
		if err := c.put(path); err != nil {
			t.Fatal(err)
		}
		g, err := OpenGroupLock(dir)
		if c.word == "" && err != nil || c.word != "" && (err == nil || !strings.Contains(err.Error(), c.word) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%s: %v; want %q and the path", c.name, err, c.word)
		}
		if err != nil {
			continue
		}
		if err := g.Lock(0); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want mode 0600", c.name, info, err)
		}
		g.Close()
	}
	counted(t, len(cases))
}
