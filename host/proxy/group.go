package proxy

import (
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/ledger"
)

// groupDir names the group's directory where a read event would name a file.
const groupDir = "group"

// catchUp reads what other processes have written before a verdict is made, and
// keeps in read how far. It holds the group's lock afterwards if
// the verdict counts what others count too: two calls that are judged side by
// side must not both take what is left for one.
func (g *Engine) catchUp(e abi.Event) error {
	if g.tail == nil || e.Call == nil && e.Approval == nil && (e.Policy == nil || !g.state.Waits()) {
		return nil
	}
	g.poll()
	if !g.counts(e) {
		return nil
	}
	// Also where nobody else seems to live: somebody may join just now.
	if err := g.group.Lock(g.patience()); err != nil {
		return err
	}
	g.poll()
	return nil
}

// patience is how long the group's lock is waited for.
func (g *Engine) patience() time.Duration {
	if g.state.HasPlugins() {
		return pluginWait
	}
	return groupWait
}

// counts says whether a verdict on an event takes from a budget.
func (g *Engine) counts(e abi.Event) bool {
	if e.Policy != nil {
		return true // each call that waits is judged again
	}
	if e.Call != nil {
		return g.state.Counts(e.Call.Server, e.Call.Tool)
	}
	server, tool, ok := g.state.CallOf(e.Approval.Call)
	return ok && g.state.Counts(server, tool)
}

// poll reads on and adds to read one event for each file that gave something.
func (g *Engine) poll() {
	progress, err := g.tail.Events(func(f ledger.File, e abi.Event) error { return tail(g.state, f, e) })
	for _, p := range progress {
		g.read = append(g.read, readEvent(p, false))
	}
	switch {
	case err != nil && !g.lost:
		g.read = append(g.read, abi.Event{Read: &abi.ReadEvent{File: groupDir, Broken: err.Error()}})
	case err == nil && g.lost:
		g.read = append(g.read, abi.Event{Read: &abi.ReadEvent{File: groupDir}})
	}
	g.lost = err != nil
}

// tail takes in one event of another process's file.
func tail(state *gate.State, f ledger.File, e abi.Event) error {
	gate.Tail(state, gate.Peer{File: f.ID, Server: f.Server}, e)
	return nil
}

// readEvent says how far a file was read.
func readEvent(p ledger.Progress, past bool) abi.Event {
	r := &abi.ReadEvent{File: p.File.ID, Server: p.File.Server, Lines: p.Lines, Last: p.Last, Past: past}
	if p.Err != nil {
		r.Broken = p.Err.Error()
	}
	return abi.Event{Read: r}
}
