package proxy

import "syscall"

// sysProcAttr puts a child into its own group and has the kernel kill it if we
// are killed.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
