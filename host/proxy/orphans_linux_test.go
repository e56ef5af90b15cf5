package proxy

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// until waits for a condition, for as long as the test may run.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain until", what)
		}
	}
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	parent, err := strconv.Atoi(string(bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])[1]))
	if err != nil {
		t.Fatal(err)
	}
	return parent
}

// doubleFork starts a process that outlives its parent, in a session of its
// own, and ends when its standard input does.
func doubleFork(t *testing.T) (pid int, end func()) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", `exec 3<&0; setsid sh -c 'echo $$; exec >/dev/null 2>&1; read x <&3; exit 0' & exit 0`)
	cmd.Stdin = r
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err = strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return pid, func() { _ = w.Close() }
}

func TestOrphansOfTheServerAreAdoptedAndTakenIn(t *testing.T) {
	before, end := doubleFork(t)
	if parent := parentOf(t, before); parent == os.Getpid() {
		t.Error("without adoption the orphan is ours already; the test shows nothing")
	}
	end()

	owned := exec.Command("sh", "-c", "exit 7")
	if err := owned.Start(); err != nil {
		t.Fatal(err)
	}
	stop, err := adoptOrphans(func(pid int) bool { return pid == owned.Process.Pid })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	pid, end := doubleFork(t)
	until(t, "the orphan is ours", func() bool { return parentOf(t, pid) == os.Getpid() })
	list, err := children()
	if err != nil || !slices.Contains(list, pid) {
		t.Errorf("children %v (%v); want the orphan %d among them", list, err, pid)
	}
	end()
	until(t, "the orphan is taken in", func() bool {
		_, err := os.Stat("/proc/" + strconv.Itoa(pid))
		return err != nil
	})
	// Our own child ended long before, and is still there for its own waiter.
	if err := owned.Wait(); owned.ProcessState.ExitCode() != 7 {
		t.Errorf("exit code %d (%v) of our own child; want 7", owned.ProcessState.ExitCode(), err)
	}
	stop()
	after, end := doubleFork(t)
	defer end()
	if parentOf(t, after) == os.Getpid() {
		t.Error("an orphan is adopted after the end")
	}
}
