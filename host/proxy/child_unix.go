//go:build unix

package proxy

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

var terminateSignal os.Signal = syscall.SIGTERM

// group is a child's process group.
type group struct{ id int }

// startGroup starts a command in a process group of its own, so that what the
// child starts (npx, then sh, then node) ends with it.
func startGroup(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = sysProcAttr()
	if err := cmd.Start(); err != nil {
		return group{}, err
	}
	return group{cmd.Process.Pid}, nil
}

func (g group) signal(s os.Signal) error {
	n, ok := s.(syscall.Signal)
	if !ok {
		n = syscall.SIGTERM
	}
	return syscall.Kill(-g.id, n)
}

func (g group) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) } // no such group: nothing is left

// end has what is left of the group follow a TERM, then kills it: a server
// below npx or a shell has its own cleaning up to do.
func (g group) end(grace time.Duration) {
	if g.signal(terminateSignal) != nil {
		return // nothing is left
	}
	for end := time.Now().Add(grace); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if syscall.Kill(-g.id, 0) != nil {
			return
		}
	}
	g.kill()
}

func (g group) close() {}

// exitCode is the code that a shell would report.
func exitCode(s *os.ProcessState) int {
	if s == nil {
		return 1
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// forwarded lists the signals that are passed on to the child.
func forwarded() []os.Signal { return []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} }

// brokenPipe is the signal that would end us on a write to a client that has
// gone. It must be caught, not ignored: a child inherits what is ignored.
func brokenPipe() []os.Signal { return []os.Signal{syscall.SIGPIPE} }
