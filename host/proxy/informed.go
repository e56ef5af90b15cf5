package proxy

import "github.com/callgate/callgate/abi"

// informed gives a call the facts that its contracts want to see. They are looked
// up outside the lock: a file system may be slow. If the policy changes meanwhile
// what is missing then is refused.
func (g *Engine) informed(e abi.Event) abi.Event {
	if e.Call == nil || g.facts == nil {
		return e
	}
	g.mu.Lock()
	needs := g.state.Needs(e.Call)
	g.mu.Unlock()
	if len(needs) == 0 {
		return e
	}
	c := *e.Call
	c.Facts = g.facts(needs)
	e.Call = &c
	return e
}
