//go:build unix

package facts_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/callgate/callgate/host/facts"
)

// Whoever puts a named pipe in the place of a file holds nothing up.
func TestANamedPipeIsNotWaitedFor(t *testing.T) {
	l := newLaunch(t)
	if err := syscall.Mkfifo(filepath.Join(l.dir, "pipe"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{"./server", "pipe"}, {"./pipe", "main.js"}} {
		_, err := facts.Measure(facts.Command{Argv: argv, Dir: l.dir}, [][]int{{0}})
		if err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%q: %v", argv, err)
		}
	}
}
