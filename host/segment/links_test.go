//go:build unix

package segment

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestNobodyElseReadsASegment(t *testing.T) {
	dir, _ := crashed(t)
	must(t, restart(t, dir).Close())
	names := listed(t, dir)
	for _, name := range names {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %04o; want 0600", name, info.Mode().Perm())
		}
	}
	if len(names) == 0 {
		t.Fatal("no segments")
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	from := mustOpen(t, Options{Dir: t.TempDir(), ID: idOf(1)})
	ref := mustPut(t, from, []byte("secret"))
	file := path(from.dir, ref.Segment, rawSuffix)
	for what, make := range map[string]func(string) error{
		"a file":            func(to string) error { return os.Link(file, to) },
		"a link":            func(to string) error { return os.Symlink(file, to) },
		"a link to nothing": func(to string) error { return os.Symlink("nothing", to) },
		"a named pipe":      func(to string) error { return syscall.Mkfifo(to, 0o600) },
		"a directory":       func(to string) error { return os.Mkdir(to, 0o700) },
	} {
		for _, suffix := range []string{rawSuffix, s2Suffix} {
			dir := t.TempDir()
			must(t, make(path(dir, ref.Segment, suffix)))
			_, err := ref.Read(NewReader(dir))
			if ok := what == "a file" && suffix == rawSuffix; (err == nil) != ok {
				t.Errorf("%s as %s: %v", what, suffix, err)
			}
			s := mustOpen(t, Options{Dir: dir, ID: idOf(2)})
			must(t, s.Adopt([]string{idOf(1)}))
			idle(s)
			readable(t, s, putAll(t, s, 10))
		}
	}
	if _, err := ref.Read(from); err != nil {
		t.Errorf("what the links lead to is gone: %v", err)
	}
}

func TestALinkInThePlaceOfTheNextSegmentEndsTheStore(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	must(t, os.WriteFile(other, nil, 0o600))
	for _, to := range []string{other, other + "-that-is-not-there"} {
		name := path(dir, idOf(1)+"-2", rawSuffix)
		must(t, os.Symlink(to, name))
		s := mustOpen(t, Options{Dir: dir, ID: idOf(1), Segment: 1000})
		readable(t, s, putAll(t, s, 900))
		if _, err := s.Put(textOf(900, 1)); err == nil {
			t.Error("wrote through a link")
		}
		must(t, os.Remove(name))
		must(t, os.Remove(path(dir, idOf(1)+"-1", rawSuffix)))
	}
	if data, err := os.ReadFile(other); err != nil || len(data) > 0 {
		t.Errorf("the other file has %q, %v", data, err)
	}
}
