//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/ledger"
)

// groupRun is a random life of a group.
type groupRun struct {
	*groupRig
	rng      *rand.Rand
	servers  []string
	running  map[string]*groupProcess
	overlap  map[string]bool // servers of which two processes ran at once
	dying    []*groupProcess // that another one has taken over from
	kills    int
	restarts int
	spent    int // answers that say that a budget is spent
	tainted  int // answers that say where a destination came from
}

// TestProcessesOfAGroupThatAreKilledDecideAsOne has three servers' processes
// live and die at random. What they decided must come out of a replay byte for
// byte, the budgets that they share must hold, and a process that was started
// anew must not be looser than one that never died.
func TestProcessesOfAGroupThatAreKilledDecideAsOne(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := newGroupRun(t, seed, "")
			for range 60 {
				r.step()
			}
			r.end()
			if r.kills == 0 || r.spent == 0 || r.tainted == 0 {
				t.Errorf("%d kills, %d calls over a budget, %d to a tainted destination: nothing is proven", r.kills, r.spent, r.tainted)
			}
			r.budgetsHold()
			files := r.replays()
			r.neverLooser(files)
		})
	}
}

func newGroupRun(t *testing.T, seed uint64, callgate string) *groupRun {
	r := &groupRun{
		groupRig: newGroupRig(t, callgate), rng: rand.New(rand.NewPCG(seed, 0)), servers: []string{"web", "mail", "chat"},
		running: map[string]*groupProcess{}, overlap: map[string]bool{},
	}
	for _, s := range r.servers {
		r.running[s] = r.start(s)
	}
	t.Cleanup(func() {
		for _, p := range append(r.dying, r.running["web"], r.running["mail"], r.running["chat"]) {
			_ = p.cmd.Process.Kill() // most have ended
		}
	})
	return r
}

// restart starts a process anew.
func (r *groupRun) restart(server string) {
	r.t.Helper()
	r.running[server] = r.start(server)
	r.restarts++
}

// step does one random thing.
func (r *groupRun) step() {
	server := r.servers[r.rng.IntN(len(r.servers))]
	p := r.running[server]
	switch n := r.rng.IntN(100); {
	case n < 50:
		r.take(r.random(p))
	case n < 70: // at once, everywhere
		r.burst()
	case n < 82: // a process is killed while calls go on
		calls := r.send()
		time.Sleep(time.Duration(r.rng.IntN(4000)) * time.Microsecond)
		p.kill()
		r.kills++
		r.take(calls...)
		r.restart(server)
	case n < 90:
		p.kill()
		r.kills++
		r.restart(server)
	case n < 96:
		r.ended(p)
		r.restart(server)
	default: // a second process of the server, while the first one lives
		server, p = "chat", r.running["chat"]
		r.overlap[server] = true
		r.restart(server)
		r.dying = append(r.dying, p)
		r.take(r.random(p), r.random(r.running[server]), r.random(p))
	}
}

// random makes a random call.
func (r *groupRun) random(p *groupProcess) <-chan string {
	n := r.rng.IntN(1000)
	switch r.rng.IntN(6) {
	case 0, 1:
		size := 200 + r.rng.IntN(3000)
		if n%10 == 0 {
			size = 300_000 // more than is written, or read, at once
		}
		return p.call("read", fmt.Sprintf(`{"n":%d,"size":%d}`, n, size))
	case 2, 3:
		return p.call("send", fmt.Sprintf(`{"to":%q,"body":"hello"}`, groupAddress(n)))
	}
	return p.call([]string{"commit", "succeed", "attempt"}[n%3], fmt.Sprintf(`{"n":%d}`, r.rng.IntN(1000)))
}

// send has every process make some calls and waits for none.
func (r *groupRun) send() []<-chan string {
	var calls []<-chan string
	for _, s := range r.servers {
		for range 1 + r.rng.IntN(3) {
			calls = append(calls, r.random(r.running[s]))
		}
	}
	return calls
}

func (r *groupRun) burst() { r.take(r.send()...) }

// take waits for answers and looks at them.
func (r *groupRun) take(calls ...<-chan string) {
	for _, c := range calls {
		answer := r.wait(c)
		r.spent += strings.Count(answer, "BUDGET_SPENT")
		r.tainted += strings.Count(answer, "SINK_TAINTED")
	}
}

// ended ends a process in order.
func (r *groupRun) ended(p *groupProcess) {
	r.t.Helper()
	if err := p.stop(); err != nil {
		r.t.Errorf("%v\n%s", err, p.stderr.String())
	}
	if strings.Contains(p.stderr.String(), "DATA RACE") {
		r.t.Errorf("%s", p.stderr.String())
	}
}

// end ends all processes.
func (r *groupRun) end() {
	for _, p := range r.dying {
		r.ended(p)
	}
	for _, s := range r.servers {
		r.ended(r.running[s])
	}
}

// budgetsHold counts what reached the servers.
func (r *groupRun) budgetsHold() {
	commits := r.reached("commit", 0) + r.reached("commit", 1)
	attempts := r.reached("attempt", 0) + r.reached("attempt", 1)
	successes := r.reached("succeed", 0)
	if commits > maxCommits || successes > maxSuccesses || attempts > maxAttempts || commits == 0 || successes == 0 || attempts == 0 {
		r.t.Errorf("%d commits, %d successes and %d attempts; the group may make %d, %d and %d", commits, successes, attempts, maxCommits, maxSuccesses, maxAttempts)
	}
}

var replayedLine = regexp.MustCompile(`(?m)^replayed (\d+) verdicts: (\d+) equal, 0 different, 0 not replayable$`)

// replays replays the group, as callgate eval does for a person.
func (r *groupRun) replays() []ledger.File {
	r.t.Helper()
	if _, err := ledger.VerifyGroup(r.dir); err != nil {
		r.t.Errorf("the ledger does not verify: %v", err)
	}
	files, err := ledger.Group(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(r.callgate, "eval", r.dir)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		r.t.Errorf("callgate eval: %v", err)
	}
	m := replayedLine.FindStringSubmatch(said.String())
	if m == nil {
		r.t.Fatalf("the replay differs:\n%.3000s", said.String())
	}
	verdicts, _ := strconv.Atoi(m[1])
	if m[1] != m[2] || verdicts < 50 || len(files) != len(r.servers)+r.restarts {
		r.t.Errorf("%s of %d files; want all equal, and many", m[0], len(files))
	}
	r.t.Logf("%d files, %d verdicts, %d kills", len(files), verdicts, r.kills)
	return files
}
