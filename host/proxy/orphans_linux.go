package proxy

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// orphanPause is the time between two looks at a child that has ended. Only
// one that nobody took in meanwhile is an orphan: what this process has started
// itself is waited for by whoever started it.
const orphanPause = 500 * time.Millisecond

// adoptOrphans makes this process the parent of whatever the wrapped server
// leaves behind, instead of the first process of the system (prctl(2),
// PR_SET_CHILD_SUBREAPER). So a process that wants to hide where it comes from,
// by having its parent end, is still known to descend from here. Orphans that
// have ended are taken in, but never a child that own names: that is
// somebody's to wait for.
func adoptOrphans(own func(pid int) bool) (stop func(), err error) {
	if _, err := children(); err != nil {
		return nil, fmt.Errorf("orphans of the server can not be adopted: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("orphans of the server can not be adopted: %w", err)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		takeIn(ended, done, own)
	}()
	return sync.OnceFunc(func() {
		signal.Stop(ended)
		close(done)
		<-gone
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) // the process ends anyway
	}), nil
}

// takeIn waits for orphans that have ended.
func takeIn(ended <-chan os.Signal, done <-chan struct{}, own func(pid int) bool) {
	again := time.NewTimer(0) // a child may have ended already
	defer again.Stop()
	seen := map[int]bool{} // had ended at the last look
	for {
		select {
		case <-done:
			return
		case <-ended:
			again.Reset(orphanPause)
			continue
		case <-again.C:
		}
		now := map[int]bool{}
		for _, pid := range zombies() {
			if own(pid) {
				continue
			}
			if seen[pid] {
				_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // somebody else may have been faster
				continue
			}
			now[pid] = true
		}
		if seen = now; len(now) > 0 {
			again.Reset(orphanPause)
		}
	}
}

// children lists the direct children of this process, its threads' together
// (proc_tid_children(5)).
func children() ([]int, error) {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		return nil, fmt.Errorf("the kernel lists no children below %q", "/proc/self/task")
	}
	var pids []int
	for _, name := range lists {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended; its children are another's now
		}
		for _, word := range bytes.Fields(data) {
			if pid, err := strconv.Atoi(string(word)); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids, nil
}

// zombies lists the children that have ended and were not waited for.
func zombies() []int {
	pids, err := children()
	if err != nil {
		return nil
	}
	var out []int
	for _, pid := range pids {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue // waited for just now
		}
		if state := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(state) > 0 && state[0][0] == 'Z' {
			out = append(out, pid)
		}
	}
	return out
}
