//go:build unix

package tree

import (
	"bufio"
	"os/exec"
	"testing"
)

// TestWhatACommandStartedEndsWithIt : its output ends only when nobody holds it.
func TestWhatACommandStartedEndsWithIt(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sh -c 'sleep 600' & echo started; wait")
	Own(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "started" {
		t.Fatalf("%q; want started", lines.Text())
	}
	Kill(cmd)
	for lines.Scan() {
		t.Errorf("%q follows", lines.Text())
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it ended by itself")
	}
}
