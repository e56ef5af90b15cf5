package regular_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/regular"
)

func TestFilesAreReadUpToALimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := regular.ReadFile(path, 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := regular.ReadFile(path, 4); err == nil || data != nil || !strings.Contains(err.Error(), "more than 4 bytes") {
		t.Errorf("%q, %v; want that it is too large", data, err)
	}
}

func TestFilesAreWrittenWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{os.WriteFile(at("there"), []byte("old"), 0o644), os.Symlink("there", at("link")), os.Mkdir(at("folder"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, want string
		write      func(string) error
	}{
		{"there", "", func(p string) error { return regular.Replace(p, []byte("new"), 0o600) }},
		{"fresh", "", func(p string) error { return regular.Replace(p, []byte("new"), 0o600) }},
		{"created", "", func(p string) error { return regular.Create(p, []byte("new"), 0o600) }},
		{"link", "symbolic link", func(p string) error { return regular.Replace(p, []byte("x"), 0o600) }},
		{"folder", "not a regular file", func(p string) error { return regular.Replace(p, []byte("x"), 0o600) }},
		{"none/file", "none/file: no such file", func(p string) error { return regular.Replace(p, []byte("x"), 0o600) }},
		{"there", "exists", func(p string) error { return regular.Create(p, []byte("x"), 0o600) }},
		{"link", "exists", func(p string) error { return regular.Create(p, []byte("x"), 0o600) }},
	} {
		err := c.write(at(c.name))
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v; want %s", c.name, err, c.want)
			}
			continue
		}
		data, readErr := os.ReadFile(at(c.name))
		info, statErr := os.Stat(at(c.name))
		if err != nil || readErr != nil || statErr != nil || string(data) != "new" || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %q, %v; want new, 0600", c.name, err, data, info.Mode())
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Errorf("%v, %v; want nothing but what was named", entries, err)
	}
}
