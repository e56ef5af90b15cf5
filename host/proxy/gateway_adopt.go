package proxy

// Adopt has what the gateway's servers leave behind stay below this process,
// where a descendant of a server can be told from the user's terminals. It is
// for a process that does nothing but serve the gateway, before it starts a
// server; stop undoes it.
func (g *Gateway) Adopt() (stop func(), err error) {
	return adoptOrphans(func(pid int) bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.starting > 0 || g.children[pid] // one that starts is not known by its id yet
	})
}
