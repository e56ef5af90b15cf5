//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAKilledProcessForgetsNothingThatWasRelayed kills a process again and again
// while results flow and segments are closed and compressed: whatever a client
// has seen taints afterwards, the next process starts, and all of it verifies and
// replays.
func TestAKilledProcessForgetsNothingThatWasRelayed(t *testing.T) {
	t.Parallel()
	g := newGroupRig(t, "")
	policy := strings.Replace(groupPolicy, "default: allow", "default: allow, max_text: 6MiB", 1)
	if err := os.WriteFile(g.policy, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 0))
	relayed := map[int]bool{} // pages that a client got
	const rounds, pages = 11, 2
	for round := range rounds {
		p := g.start("web")
		for n := range relayed {
			denied(t, g, p, n)
		}
		answers := map[int]<-chan string{}
		for i := range pages {
			n := 1 + round*pages + i
			answers[n] = p.call("read", fmt.Sprintf(`{"n":%d,"size":%d}`, n, 120_000+rng.IntN(120_000)))
		}
		got := map[int]string{}
		if round%3 > 0 { // else it is killed in the middle of them
			for n, c := range answers {
				got[n] = g.wait(c)
			}
		}
		last := p.call("read", `{"n":0,"size":200000}`)
		time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond)
		p.kill()
		g.wait(last)
		for n, c := range answers {
			if _, waited := got[n]; !waited {
				got[n] = g.wait(c)
			}
			if strings.Contains(got[n], groupAddress(n)) {
				relayed[n] = true
			}
		}
	}
	p := g.start("web")
	for n := range relayed {
		denied(t, g, p, n)
	}
	if got := g.wait(p.call("send", `{"to":"a0@corp.example","body":"hello"}`)); !strings.Contains(got, `"done"`) {
		t.Errorf("a send to a trusted address: %s", got)
	}
	if err := p.stop(); err != nil {
		t.Fatal(err, p.stderr.String())
	}
	if len(relayed) < rounds {
		t.Errorf("%d pages were relayed; nothing is proven", len(relayed))
	}
	if packed, err := filepath.Glob(filepath.Join(g.dir, "*.text.s2")); err != nil || len(packed) == 0 {
		t.Errorf("%d segments were compressed, %v; nothing is proven", len(packed), err)
	}
	for _, verb := range [][]string{{"ledger", "verify"}, {"eval"}} {
		cmd := exec.Command(g.callgate, append(verb, g.dir)...)
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		var said, out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil || verb[0] == "eval" && !strings.Contains(said.String(), " 0 different, 0 not replayable") {
			t.Errorf("callgate %v: %v\n%.3000s%.1000s", verb, err, said.String(), out.String())
		}
	}
}

// denied wants a send to the address of a page denied.
func denied(t *testing.T, g *groupRig, p *groupProcess, n int) {
	t.Helper()
	got := g.wait(p.call("send", fmt.Sprintf(`{"to":%q,"body":"hello"}`, groupAddress(n))))
	if !strings.Contains(got, "SINK_TAINTED") || !strings.Contains(got, "blocked") {
		t.Errorf("a send to what page %d names: %.600s\n%s", n, got, p.stderr.String())
	}
}
