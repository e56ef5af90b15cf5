package plugin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inFolder is a folder with a build.run.
func inFolder(t *testing.T, run string) *Folder {
	t.Helper()
	dir := t.TempDir()
	text := `{"schema":"callgate.plugin/v0","name":"a","version":"1.0.0","abi":"1.0","phases":["call"],"build":{"run":` + strconv.Quote(run) + `}}`
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// patience bounds only a test that fails.
const patience = time.Minute

// pidIn waits for a number in a file.
func pidIn(t *testing.T, path string) int {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(path)
		if pid, bad := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && bad == nil {
			return pid
		}
	}
	t.Fatalf("no number in %s", path)
	return 0
}

// isGone waits until a process has ended; one that nobody has waited for has.
func isGone(pid int) bool {
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		p, err := os.FindProcess(pid)
		status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		if err != nil || p.Signal(syscall.Signal(0)) != nil || strings.Contains(string(status), "\nState:\tZ") {
			return true
		}
	}
	return false
}

// TestWhatABuildStartsEndsWithIt: when it is stopped, and when it ends by itself.
func TestWhatABuildStartsEndsWithIt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	stopped := errors.New("stopped")
	for _, c := range []struct {
		run  string
		stop bool
		want string
	}{
		{"sh -c 'echo $$ >pid; exec sleep 1000' & wait", true, "stopped"},
		{"echo half >plugin.wasm; sh -c 'echo $$ >pid; exec sleep 1000'", true, "stopped"},
		{"sh -c 'echo $$ >pid; exec sleep 1000' & until test -s pid; do sleep 0.01; done", false, "left no module"},
	} {
		f := inFolder(t, c.run)
		if err := os.WriteFile(f.Built(), []byte("before"), 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		var said strings.Builder
		go func() {
			_, err := f.Build(ctx, &said)
			ended <- err
		}()
		pid := pidIn(t, filepath.Join(f.Dir, "pid"))
		if c.stop {
			stop(stopped)
		}
		if err := <-ended; err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v; want %q", c.run, err, c.want)
		}
		stop(nil)
		if !isGone(pid) {
			t.Errorf("%s: what it started still runs", c.run)
		}
		text, err := os.ReadFile(f.Built())
		left, _ := filepath.Glob(filepath.Join(f.Dir, "*callgate*"))
		if err != nil || string(text) != "before" || len(left) > 0 {
			t.Errorf("%s: the module is %q, error %v, and there is %q; want it as before", c.run, text, err, left)
		}
	}
}

// TestABuildThatWasKilledLeavesNothingToTheNext: what it had moved away is back before
// the next one begins, which may fail.
func TestABuildThatWasKilledLeavesNothingToTheNext(t *testing.T) {
	for _, run := range []string{"exit 1", "echo new >plugin.wasm; exit 1"} {
		f := inFolder(t, run)
		at := filepath.Join(f.Dir, "plugin.wasm")
		if err := os.WriteFile(at+".callgate-before", []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Build(t.Context(), os.Stderr); err == nil {
			t.Errorf("%s: it is built", run)
		}
		if text, err := os.ReadFile(at); err != nil || string(text) != "mine" {
			t.Errorf("%s: %q, %v; want what was there before both", run, text, err)
		}
		if _, err := os.Lstat(at + ".callgate-before"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: what was moved away is left: %v", run, err)
		}
	}
}
