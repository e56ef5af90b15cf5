//go:build unix

package watch_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/callgate/callgate/host/watch"
)

// Whatever stands where a file was, the watch goes on, and waits for nobody.
func TestWhatIsNoFileHoldsUpNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "p.yaml")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) string {
		f, err := watch.Open(path)
		if err != nil {
			return "unread"
		}
		must(f.Close())
		return textOf(path)
	}
	must(os.WriteFile(file, []byte("old"), 0o600))
	told := following(t, file, read)
	for _, c := range []struct {
		name string
		put  func() error
	}{
		{"a pipe", func() error { return syscall.Mkfifo(file, 0o600) }},
		{"a directory", func() error { return os.Mkdir(file, 0o700) }},
		{"a link to itself", func() error { return os.Symlink("p.yaml", file) }},
		{"a link to nothing", func() error { return os.Symlink("none", file) }},
		{"a link to a device", func() error { return os.Symlink("/dev/zero", file) }},
		{"nothing", func() error { return nil }},
	} {
		must(os.RemoveAll(file))
		must(c.put())
		until(t, told, "unread")
		must(os.RemoveAll(file))
		must(os.WriteFile(file, []byte(c.name), 0o600))
		until(t, told, c.name)
	}
}
