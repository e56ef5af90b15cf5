//go:build unix

package regular_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/callgate/callgate/host/regular"
)

// A pipe that nobody writes holds up nobody, whoever names it.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("file"), []byte("x"), 0o600), os.Symlink("file", at("link")), syscall.Mkfifo(at("pipe"), 0o600),
		os.Symlink("pipe", at("linked pipe")), os.Mkdir(at("folder"), 0o700), os.Symlink("loop", at("loop")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{
		at("file"): true, at("link"): true, at("pipe"): false, at("linked pipe"): false, at("folder"): false, at("loop"): false,
		at("gone"): false, os.DevNull: false, "": false,
	} {
		f, err := regular.Open(name)
		if (err == nil) != want {
			t.Errorf("%q: %v; want that it opens: %t", name, err, want)
		}
		if err == nil {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
