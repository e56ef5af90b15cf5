package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWhatLeavesItsGroupDoesNotHoldUpAList starts a server that never answers and
// leaves a process in a session of its own, which holds the server's output open.
func TestWhatLeavesItsGroupDoesNotHoldUpAList(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	left, err := exec.LookPath("setsid")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pid")
	script := `"$0" sh -c 'echo $$ >"$0".new && mv "$0".new "$0" && exec sleep 600' "$1" & while ! test -e "$1"; do sleep 0.01; done; exec sleep 600`
	l := launch{name: "s", command: []string{shell, "-c", script, left, file}, dir: t.TempDir(), env: os.Environ()}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // gives up only once the process is there
		for ctx.Err() == nil {
			if _, err := os.Stat(file); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	tools, err := l.list(ctx, time.Minute)
	if err == nil || tools != nil || !strings.Contains(err.Error(), "no list in") {
		t.Errorf("%d tools, %v; want none in time", len(tools), err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the process that was left is gone (%v): the list waited for it", err)
	}
}
