//go:build unix

package proxy

import (
	"os"
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
