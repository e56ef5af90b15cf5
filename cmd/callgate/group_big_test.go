//go:build unix

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestAGroupMovesAHundredMegabytesOfResults is the random life of a group with
// big results, with callgate as it is built for use: the race detector, under
// which the smaller lives run, would take minutes. It moves as many results of a
// fifth of the size outside of CI.
func TestAGroupMovesAHundredMegabytesOfResults(t *testing.T) {
	size := 200 << 10
	if os.Getenv("CALLGATE_CI") == "1" {
		size = 1 << 20
	}
	total := 100 * size
	r := newGroupRun(t, 1, built(t))
	for n, moved := 0, 0; moved < total; n++ {
		var calls []<-chan string
		for _, s := range r.servers {
			calls = append(calls, r.running[s].call("read", fmt.Sprintf(`{"n":%d,"size":%d}`, n, size)))
		}
		if n%12 == 11 {
			server := r.servers[n/12%len(r.servers)]
			r.running[server].kill()
			r.kills++
			r.restart(server)
		}
		for _, c := range calls {
			moved += len(r.wait(c))
		}
		r.burst()
	}
	peak := r.peaks()
	r.end()
	r.budgetsHold()
	r.replays()
	t.Logf("memory at most %v MB", peak)
	if r.kills < 2 || r.tainted == 0 || r.spent == 0 {
		t.Errorf("%d kills, %d calls over a budget, %d to a tainted destination: nothing is proven", r.kills, r.spent, r.tainted)
	}
	for server, mb := range peak {
		if mb > maxGroupMemory {
			t.Errorf("callgate before %s held %d MB; want at most %d", server, mb, maxGroupMemory)
		}
	}
}

// maxGroupMemory is how many MB a process may hold at most that has read 100 MB
// of text: its index, what is read again, frames on their way, and what the
// collector leaves.
const maxGroupMemory = 400

// peaks returns what each process has held at most, in MB, where the system
// tells.
func (r *groupRun) peaks() map[string]int {
	out := map[string]int{}
	for _, s := range r.servers {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.running[s].cmd.Process.Pid))
		if err != nil {
			continue
		}
		if _, after, ok := strings.Cut(string(data), "VmHWM:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(after)[0])
			out[s] = kb >> 10
		}
	}
	return out
}
