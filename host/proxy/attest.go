package proxy

import (
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/facts"
)

// Attest is what may be launched as a server. The zero value lets anything be.
type Attest struct {
	Server string
	Want   []contract.Attest // every one has to hold
	// Enforce says that nothing else is started. Otherwise it is, and every call is
	// judged by what was measured.
	Enforce bool
}

// start starts a child after what it is started from was measured, and kept.
func (a *Attest) start(g *Engine, o childOptions) (*child, error) {
	if len(a.Want) == 0 {
		return startChild(o)
	}
	launch, err := a.measure(g, o)
	if err != nil {
		return nil, err
	}
	if launch == nil {
		return startChild(o)
	}
	defer launch.Close()
	o.path = launch.Path()
	c, err := startChild(o)
	if err != nil {
		return nil, err
	}
	if err := launch.Changed(); err != nil {
		if keepErr := a.keep(g, failed(err)); keepErr != nil || a.Enforce {
			c.closeIn()
			c.kill()
			<-c.alone
			_ = c.out.Close() // nobody reads what it said
			return nil, fmt.Errorf("%s: %w", a.Want[0].Rule, err)
		}
	}
	return c, nil
}

// measure measures what is about to be started. It returns nil for what can not
// be measured, and may be started all the same.
func (a *Attest) measure(g *Engine, o childOptions) (*facts.Launch, error) {
	sets := make([][]int, len(a.Want))
	for i, w := range a.Want {
		sets[i] = w.EntryArgs
	}
	launch, err := facts.Measure(facts.Command{Argv: o.command, Dir: o.dir, Env: o.env}, sets)
	if err != nil {
		if keepErr := a.keep(g, failed(err)); keepErr != nil || a.Enforce {
			return nil, fmt.Errorf("%s: %w", a.Want[0].Rule, err)
		}
		return nil, nil
	}
	if err := a.keep(g, launch.Fact()); err != nil {
		_ = launch.Close() // the first error says more
		return nil, err
	}
	for i, sum := range launch.Sums() {
		if w := a.Want[i]; sum != w.SHA256 && a.Enforce {
			_ = launch.Close() // it is not started
			return nil, fmt.Errorf("%s: %q is not what may be launched as this server: its digest is %s; if that is meant, print the entry with callgate attest, and put it into the policy", w.Rule, o.command[0], sum)
		}
	}
	return launch, nil
}

// failed is the fact that there is no digest.
func failed(err error) abi.Value {
	return abi.ObjectValue(abi.Member{Name: "error", Value: abi.StringValue(err.Error())})
}

// keep records what was measured, before anything of it can run.
func (a *Attest) keep(g *Engine, fact abi.Value) error {
	servers := abi.ObjectValue(abi.Member{Name: a.Server, Value: fact})
	r, err := g.Step(abi.Event{Facts: &abi.FactsEvent{Facts: abi.ObjectValue(abi.Member{Name: "attest", Value: servers})}})
	if err != nil {
		return err
	}
	return g.Wait(r.Token)
}
