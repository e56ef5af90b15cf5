package plugin

import (
	"os/exec"
	"strconv"
)

// ownGroup does nothing: Windows finds what a command started by its parent.
func ownGroup(*exec.Cmd) {}

// killGroup ends a command with what it started.
func killGroup(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() // it may have ended by itself
	_ = cmd.Process.Kill()                                                                // it may have ended by itself
}
