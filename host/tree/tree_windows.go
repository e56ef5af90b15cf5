package tree

import (
	"os/exec"
	"strconv"
)

// Own does nothing: Windows finds what a command started by its parent.
func Own(*exec.Cmd) {}

// Kill ends a command with what it started.
func Kill(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() // it may have ended by itself
	_ = cmd.Process.Kill()                                                                // it may have ended by itself
}
