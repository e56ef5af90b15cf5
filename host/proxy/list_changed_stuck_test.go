package proxy_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/callgate/callgate/abi"
)

// A client that does not read holds up its own notifications. Policies come into force
// all the same, and it is told once it reads.
func TestAClientThatDoesNotReadHoldsUpNoReload(t *testing.T) {
	tried := 0
	for _, b := range bridges {
		if b.front {
			continue // what a gateway has for a client is queued, and given up in time
		}
		for era, modern := range eras {
			t.Run(b.name+" "+era, func(t *testing.T) {
				t.Parallel()
				w, r := listening(t, b, modern, relisting(nil), allDeclared, allWanted, allWanted)
				w.list(0, "tools/list")
				stuck := make(chan struct{})
				release := sync.OnceFunc(func() { close(stuck) })
				defer release()
				w.mu.Lock()
				w.stuck = stuck
				w.mu.Unlock()
				var last string
				for i := range 20 {
					text := relisting([]string{"fake/" + []string{"evil", "good"}[i%2]}, fmt.Sprintf("budgets: [{name: b, tools: [fake/other], max: %d}]\n", 9+i))
					done := make(chan struct{})
					go func() { defer close(done); r.write(text); r.accept() }()
					eventually(t, "the reload", func() bool { return closed(done) })
					last = loadPolicy(t, text).Digest()
				}
				if s := r.State(); s.State != abi.ReloadInForce || s.InForce != last {
					t.Errorf("%+v; want %s in force", s, last)
				}
				w.mu.Lock()
				w.stuck = nil
				w.mu.Unlock()
				release()
				eventually(t, "the notifications", func() bool { return len(w.told()) >= 20 })
				if got := w.told(); len(got) != 20 || slices.Contains(got, "prompts") {
					t.Errorf("told of %v; want the tools, once for each reload", got)
				}
			})
			tried++
		}
	}
	if tried == 0 {
		t.Fatal("no bridge is a process")
	}
}

// accept lets what waits come into force.
func (r *reloadable) accept() {
	if s := r.State(); s.State == abi.ReloadWaits {
		_ = r.Accept(s.Digest) // what is in force says so
	}
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
