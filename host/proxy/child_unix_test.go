//go:build unix

package proxy

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWhatTheServerLeavesBehindMayFollowATerm: a server below a shell is asked
// to end before it is killed.
func TestWhatTheServerLeavesBehindMayFollowATerm(t *testing.T) {
	dir := t.TempDir()
	script := `sh -c 'trap "echo asked > ` + dir + `/asked; exit 0" TERM; echo ready > ` + dir + `/ready; while :; do sleep 0.01; done' & while [ ! -e ` + dir + `/ready ]; do sleep 0.01; done; exit 5`
	c, err := startChild(childOptions{command: []string{"sh", "-c", script}, env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	<-c.alone
	if c.code != 5 {
		t.Errorf("exit code %d; want that of the child, 5", c.code)
	}
	if _, err := os.Stat(dir + "/asked"); err != nil {
		t.Error("the grandchild was killed without being asked:", err)
	}
}

// A child is in its directory by name, too, if its environment says where it is.
func TestAChildIsStartedInItsDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "server"), []byte("#!/bin/sh\npwd -P; echo \"$PWD\"; echo \"${OLD-none}\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, env := range [][]string{{"PATH=/bin:/usr/bin", "PWD=/"}, {"PATH=/bin:/usr/bin"}} {
		c, err := startChild(childOptions{command: []string{"./server"}, env: env, dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(c.out)
		if err != nil {
			t.Fatal(err)
		}
		if want := dir + "\n" + dir + "\nnone\n"; string(said) != want {
			t.Errorf("%q: %q; want %q", env, said, want)
		}
		<-c.alone
	}
}
