package policy

import "time"

// Horizon is how far back events can still matter to a verdict: the idle
// window of a session, or the longest budget over a stretch of time.
func (p *Policy) Horizon() time.Duration {
	longest := p.settings.SessionIdle
	for _, y := range p.layers {
		for i := range y.doc.Budgets {
			longest = max(longest, compileBudget(&y.doc.Budgets[i], "").Window)
		}
	}
	if p.floor != nil {
		longest = max(longest, p.floor.Horizon())
	}
	return longest
}
