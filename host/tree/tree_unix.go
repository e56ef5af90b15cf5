//go:build unix

package tree

import (
	"os/exec"
	"syscall"
)

// Own has a command start in a process group of its own, so that what it starts
// (sh, then cargo, then rustc) can be ended with it.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends a command that was started after [Own], with what it started.
func Kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // no such group: nothing is left
