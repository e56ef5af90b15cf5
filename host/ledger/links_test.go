//go:build unix

package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// placing is what can stand where a ledger file is expected.
type placing struct {
	name string
	put  func(path, copy string) error // copy is an intact ledger file
	word string                        // in the error; empty if the file is read
}

func placed() []placing {
	return []placing{
		{"regular file", func(path, copy string) error { return os.Rename(copy, path) }, ""},
		{"symbolic link", func(path, copy string) error { return os.Symlink(copy, path) }, "symbolic link"},
		{"dangling link", func(path, copy string) error { return os.Symlink(copy+"x", path) }, "symbolic link"},
		{"named pipe", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }, "named pipe"},
		{"directory", func(path, _ string) error { return os.Mkdir(path, 0o700) }, "directory"},
		{"socket", func(path, _ string) error { return mksocket(path) }, "not a regular file"},
	}
}

func TestOnlyRegularFilesOfOursAreOpened(t *testing.T) {
	cases := placed()
	for _, c := range cases {
		outside := written(t, options(t.TempDir(), 0), 2)
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.Base(outside))
		pins := PinsPath(dir, "files")
		if err := c.put(path, outside); err != nil {
			t.Fatal(err)
		}
		_, _, openErr := Open(options(dir, 1))
		_, groupErr := Group(dir)
		_, verifyErr := Verify(path)
		for verb, err := range map[string]error{"open": openErr, "group": groupErr, "verify": verifyErr} {
			if c.word == "" && err != nil || c.word != "" && (err == nil || !strings.Contains(err.Error(), c.word) || !strings.Contains(err.Error(), path)) {
				t.Errorf("%s: %s answers %v; want %q and the path", c.name, verb, err, c.word)
			}
		}
		if c.word == "" {
			continue
		}
		if err := os.Rename(path, pins); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPins(dir, "files"); err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: pins were read: %v", c.name, err)
		}
		if err := WritePins(dir, "files", nil); err == nil {
			t.Errorf("%s: pins took its place", c.name)
		}
	}
	counted(t, len(cases))
}

// mksocket binds a socket at a short path, as that of a socket has to be, and moves it.
func mksocket(path string) error {
	dir, err := os.MkdirTemp("", "l")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: dir + "/s"}); err != nil {
		return err
	}
	return os.Rename(dir+"/s", path)
}

func TestTheGroupDirectoryMustBeOurs(t *testing.T) {
	cases := []struct {
		name string
		put  func(dir string) error
		word string
	}{
		{"missing", func(string) error { return nil }, ""},
		{"there", func(dir string) error { return os.Mkdir(dir, 0o700) }, ""},
		{"readable by others", func(dir string) error { return os.Mkdir(dir, 0o755) }, ""},
		{"writable by others", func(dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chmod(dir, 0o777)
		}, "chmod 700"},
		{"symbolic link", func(dir string) error { return os.Symlink(t.TempDir(), dir) }, "symbolic link"},
		{"dangling link", func(dir string) error { return os.Symlink(dir+"x", dir) }, "ledger directory"},
		{"file", func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, "not a directory"},
	}
	for _, c := range cases {
		for _, end := range []string{"", "/"} {
			dir := filepath.Join(t.TempDir(), "g")
			if err := c.put(dir); err != nil {
				t.Fatal(err)
			}
			l, _, err := Open(options(dir+end, 0))
			if c.word == "" && err != nil || c.word != "" && (err == nil || !strings.Contains(err.Error(), c.word)) {
				t.Errorf("%s: %v; want %q", c.name, err, c.word)
			}
			if err == nil {
				l.Close()
			}
			if err := WritePins(dir+end, "files", nil); (err == nil) != (c.word == "") {
				t.Errorf("%s: pins: %v", c.name, err)
			}
		}
	}
	counted(t, len(cases))
}

func TestAFileOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	dir := t.TempDir()
	path := written(t, options(dir, 0), 2)
	if _, err := Verify(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 1, 1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(options(dir, 1)); err == nil || !strings.Contains(err.Error(), "belongs to user 1") {
		t.Errorf("open answers %v", err)
	}
	if err := os.Chown(dir, 1, 1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(options(dir, 1)); err == nil || !strings.Contains(err.Error(), "belongs to user 1") {
		t.Errorf("open answers %v", err)
	}
}

func TestAnExistingNameIsNotTaken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.jsonl")
	if err := os.Symlink(filepath.Join(dir, "target"), path); err != nil {
		t.Fatal(err)
	}
	if _, err := createFile(path); !os.IsExist(err) {
		t.Errorf("create over a link answers %v", err)
	}
	f, err := createFile(filepath.Join(dir, "y.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := os.Stat(filepath.Join(dir, "target")); !os.IsNotExist(err) {
		t.Errorf("the link's target: %v", err)
	}
}
