package watch_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/watch"
)

// following watches one file until the test ends, and tells of each change what
// the file held then.
func following(t *testing.T, file string, read func(path string) string) (told chan string) {
	t.Helper()
	told = make(chan string, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan bool)
	seen := watch.Sums([]string{file})
	go func() {
		defer close(done)
		watch.Files(ctx, watch.Options{Files: func() []string { return []string{file} }, Note: t.Logf, Changed: func() map[string][sha256.Size]byte {
			text := read(file)
			told <- text
			return map[string][sha256.Size]byte{file: sha256.Sum256([]byte(text))}
		}}, seen)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return told
}

func textOf(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "unread"
	}
	return string(data)
}

// until waits for a change after which a file holds a text.
func until(t *testing.T, told chan string, want string) {
	t.Helper()
	for late := time.After(patience); ; {
		select {
		case got := <-told:
			if got == want {
				return
			}
		case <-late:
			t.Fatalf("%q is never told of", want)
		}
	}
}

// What is read is what counts: a file that was another one for the moment in which
// it was read is told of again, though it is as it was before.
func TestAFileThatWasSwappedWhileItWasReadIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.yaml")
	put := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("old")
	var once sync.Once
	told := following(t, file, func(path string) string {
		text := textOf(path)
		once.Do(func() { text = "evil" }) // somebody wrote that, and wrote back what was there
		return text
	})
	put("new")
	until(t, told, "evil")
	until(t, told, "new")
}

// A storm of writes ends no watching, and leaves neither files nor routines open.
func TestAStormOfWritesIsFollowedToItsEnd(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "p.yaml")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	told := following(t, file, textOf)
	put := func(i int) {
		next := filepath.Join(dir, fmt.Sprintf(".p.yaml.%d", i))
		if err := errors.Join(os.WriteFile(next, fmt.Appendf(nil, "text %d", i), 0o600), os.Rename(next, file)); err != nil && runtime.GOOS != "windows" {
			t.Fatal(err)
		}
	}
	put(0)
	until(t, told, "text 0")
	routines, files := runtime.NumGoroutine(), open(t)
	for i := range 3000 {
		put(i)
	}
	if err := os.WriteFile(file, []byte("end"), 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, told, "end")
	if now := runtime.NumGoroutine(); now > routines+2 {
		t.Errorf("%d goroutines, and %d before", now, routines)
	}
	if now := open(t); now > files+2 {
		t.Errorf("%d open files, and %d before", now, files)
	}
	if n := len(told); n > 100 {
		t.Errorf("told of %d times more", n)
	}
}

// open counts the open files of this process, where the system says.
func open(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return len(list)
}

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "p.yaml")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := watch.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "none"), os.DevNull} {
		if f, err := watch.Open(path); err == nil {
			t.Errorf("%q is opened: %v", path, f.Close())
		}
	}
}
