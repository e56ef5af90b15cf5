package wasm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// generation is a policy in force: its plugins, some of them those of the one
// before, and who judges by it.
type generation struct {
	refs    []contract.PluginRef
	judging sync.RWMutex
	over    bool
}

func (g *generation) judge(t *testing.T, s *Shelf, n int) {
	g.judging.RLock()
	defer g.judging.RUnlock()
	if g.over {
		return
	}
	ref := g.refs[n%len(g.refs)]
	p, err := s.Plugin(ref)
	if err != nil {
		t.Errorf("%s: %v", ref.Settings, err)
		return
	}
	if v := p.Judge(&abi.Snapshot{Phase: abi.PhaseCall}); v.Plugin.Class != "" {
		t.Errorf("%s: class %q, %s", ref.Settings, v.Plugin.Class, v.Plugin.Detail)
	}
}

// TestPoliciesAreSwappedUnder200Sessions that judge by 20 plugins, while others try
// policies, of which some do not load, and sweep: whatever a policy in force names
// answers, and at the end nothing is left.
func TestPoliciesAreSwappedUnder200Sessions(t *testing.T) {
	const sessions, plugins, swaps = 200, 20, 15
	ref := shelved(t, t.TempDir())
	with := func(n int) contract.PluginRef {
		one := ref
		one.Settings = abi.ObjectValue(abi.Member{Name: "n", Value: abi.IntValue(int64(n))})
		return one
	}
	s := NewShelf(Options{}, "")
	policyOf := func(n int) *generation {
		g := &generation{}
		for i := range plugins {
			g.refs = append(g.refs, with(n*plugins/2+i)) // half of them stay
		}
		return g
	}
	var current atomic.Pointer[generation]
	current.Store(policyOf(0))
	release := s.Hold(current.Load().refs)
	var done atomic.Bool
	var judged, tried atomic.Int64
	var wg sync.WaitGroup
	for n := range sessions {
		wg.Go(func() {
			for i := n; !done.Load(); i++ {
				current.Load().judge(t, s, i)
				judged.Add(1)
				runtime.Gosched()
			}
		})
	}
	for n := range 2 {
		wg.Go(func() {
			for i := 0; !done.Load(); i++ {
				if _, err := s.Plugin(with(-1 - n)); err != nil {
					t.Errorf("a policy that is tried: %v", err)
				}
				bad := with(-3)
				bad.File, bad.Digest = "", abi.DigestBytes([]byte("gone"))
				if _, err := s.Plugin(bad); err == nil {
					t.Error("loaded what is gone")
				}
				s.Sweep()
				tried.Add(1)
			}
		})
	}
	for n := range swaps {
		next := policyOf(n + 1)
		releaseNext := s.Hold(next.refs)
		old := current.Swap(next)
		for was := judged.Load(); judged.Load() < was+sessions; {
			runtime.Gosched()
		}
		old.judging.Lock()
		old.over = true
		old.judging.Unlock()
		release()
		release = releaseNext
	}
	done.Store(true)
	wg.Wait()
	release()
	h, err := s.host()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || h.Close() != nil || len(s.books) != 0 || len(h.plugins) != 0 {
		t.Errorf("%v; %d on the shelf, %d plugins are left", err, len(s.books), len(h.plugins))
	}
	if judged.Load() < sessions*swaps || tried.Load() == 0 {
		t.Errorf("%d verdicts, %d tries", judged.Load(), tried.Load())
	}
}
