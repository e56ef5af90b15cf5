//go:build unix

package proxy_test

import (
	"os"
	"syscall"
)

// signalled says whether a process is there to take a signal.
func signalled(p *os.Process) bool { return p.Signal(syscall.Signal(0)) == nil }
