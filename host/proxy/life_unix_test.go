//go:build unix

package proxy_test

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// signalled says whether a process is there to take a signal.
func signalled(p *os.Process) bool { return p.Signal(syscall.Signal(0)) == nil }

func TestAServerThatIgnoresTheEndIsEnded(t *testing.T) {
	l := connect(t, setup{policy: onlyGood, mode: "stubborn"})
	l.greet("2025-11-25")
	pid := l.pid()
	if code := l.end(); code != 128+9 {
		t.Errorf("exit code %d; want that of a killed process", code)
	}
	if p, err := os.FindProcess(pid); err == nil && alive(p) {
		t.Error("the server lives on")
	}
	l = connect(t, setup{policy: onlyGood})
	l.greet("2025-11-25")
	if code := l.end(); code != 0 {
		t.Errorf("exit code %d of a server that ends by itself; want 0", code)
	}
}

func alive(p *os.Process) bool {
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(20 * time.Millisecond) {
		if !signalled(p) {
			return false
		}
	}
	return true
}
