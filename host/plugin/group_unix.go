//go:build unix

package plugin

import (
	"os/exec"
	"syscall"
)

// ownGroup has a command start in a process group of its own, so that what it
// starts (sh, then cargo, then rustc) ends with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a command with what it started.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // no such group: nothing is left
