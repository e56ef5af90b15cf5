package policy

import "time"

// longestDay is longer than any calendar day: zones have moved their clocks back
// by up to a day.
const longestDay = 48 * time.Hour

// Horizon is how far back events can still matter to a verdict: the idle
// window of a session, or the longest budget over a stretch of time.
func (p *Policy) Horizon() time.Duration {
	longest := p.settings.SessionIdle
	for _, y := range p.layers {
		for i := range y.doc.Budgets {
			b := compileBudget(&y.doc.Budgets[i], "")
			longest = max(longest, b.Window)
			if b.Zone != "" {
				longest = max(longest, longestDay)
			}
		}
	}
	if p.floor != nil {
		longest = max(longest, p.floor.Horizon())
	}
	return longest
}
