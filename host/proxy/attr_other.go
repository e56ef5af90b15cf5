//go:build unix && !linux

package proxy

import "syscall"

// sysProcAttr puts a child into its own group.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
