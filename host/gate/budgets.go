package gate

import (
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
	"github.com/callgate/callgate/host/zones"
)

// counter holds what calls have charged to one budget.
type counter struct {
	window  time.Duration  // a stretch of time
	day     *time.Location // per calendar day of this zone, instead; neither: per session
	charges []charge       // in the order of their times
	settled int64          // per session: charges that can no longer be given back
}

// charge is what one call took from a budget.
type charge struct {
	call  string
	at    time.Time
	n     int64
	final bool // it can not be given back
}

// counterOf is a counter that nothing was charged to.
func counterOf(b contract.Budget) *counter {
	c := &counter{}
	c.follow(b)
	return c
}

// follow has the counter count as the policy in force says.
func (c *counter) follow(b contract.Budget) {
	if c.window = b.Window; b.Zone == "" {
		c.day = nil
		return
	}
	if c.day != nil && c.day.String() == b.Zone {
		return
	}
	day, err := zones.Load(b.Zone)
	if err != nil {
		day = time.UTC // no policy loads that names such a zone
	}
	c.day = day
}

// lasts says whether the counter outlives the session.
func (c *counter) lasts() bool { return c.window > 0 || c.day != nil }

// past says whether a charge counts no longer.
func (c *counter) past(ch charge, now time.Time) bool {
	if c.day != nil {
		return zones.Day(ch.at.In(c.day)) < zones.Day(now.In(c.day))
	}
	return c.window > 0 && !ch.at.Add(c.window).After(now)
}

// ends is when a charge of a counter that lasts counts no longer.
func (c *counter) ends(ch charge) time.Time {
	if c.day != nil {
		return zones.NextDay(ch.at.In(c.day))
	}
	return ch.at.Add(c.window)
}

// used returns what other calls have taken at a time, and when the oldest
// charge that still counts no longer does.
func (c *counter) used(now time.Time, call string) (int64, time.Time) {
	n := c.settled
	var resets time.Time
	lasts, last := c.lasts(), len(call)-1
	for i := range c.charges {
		ch := &c.charges[i]
		// Ids differ at their ends, and there may be many.
		if len(ch.call) == len(call) && (last < 0 || ch.call[last] == call[last]) && ch.call == call || lasts && c.past(*ch, now) {
			continue
		}
		n += ch.n
		if lasts && resets.IsZero() {
			resets = c.ends(*ch)
		}
	}
	return n, resets
}

// add charges a budget. A counter over a stretch of time keeps no more charges
// than it takes to be spent, by such as are not given back: the newest ones are
// the last to fall out. The files
// of a group are read one after the other, so a charge can be older than those
// that are there, and what falls out is told by its time alone.
func (c *counter) add(ch charge, spent int64) {
	if ch.n == 0 {
		return
	}
	at := len(c.charges)
	for c.lasts() && at > 0 && c.charges[at-1].at.After(ch.at) {
		at--
	}
	c.charges = slices.Insert(c.charges, at, ch)
	if !c.lasts() || int64(len(c.charges)) <= spent+1 {
		return
	}
	final := int64(0)
	for _, ch := range c.charges[1:] {
		if ch.final {
			final++
		}
	}
	for final > spent {
		c.charges = c.charges[1:]
		if c.charges[0].final {
			final--
		}
	}
}

// expire drops the charges that count no longer.
func (c *counter) expire(now time.Time) {
	for len(c.charges) > 0 && c.past(c.charges[0], now) {
		c.charges = c.charges[1:]
	}
}

// settle makes the charge of a call final, so that a session's counter stays
// one number.
func (c *counter) settle(call string) {
	for i, ch := range c.charges {
		if ch.call != call {
			continue
		}
		if c.charges[i].final = true; !c.lasts() {
			c.settled += ch.n
			c.charges = append(c.charges[:i:i], c.charges[i+1:]...)
		}
		return
	}
}

// remove gives the charge of a call back.
func (c *counter) remove(call string) {
	for i, ch := range c.charges {
		if ch.call == call {
			c.charges = append(c.charges[:i:i], c.charges[i+1:]...)
			return
		}
	}
}

// weight is what a call adds to a budget: one, or the number of elements at the
// budget's pointer, but never less than one. A call of the past whose arguments
// are gone may have taken all of it.
func (n *entry) weight(b contract.Budget) int64 {
	if b.Weight == "" {
		return 1
	}
	if n.unweighed {
		return max(1, b.Max)
	}
	return max(1, elements(n.call.Arguments.At(b.Weight)))
}

// elements counts what a value names: the items of a list at any depth, also
// where the list is written as text, the addresses in one string, and the
// members of a map from addresses.
func elements(v abi.Value) int64 {
	n := int64(0)
	switch v.Kind() {
	case abi.Absent, abi.Null:
		return 0
	case abi.Array:
		for _, item := range v.Items() {
			n += elements(item)
		}
		return n
	case abi.Object:
		for _, m := range v.Members() {
			if strings.Contains(m.Name, "@") {
				n++
			}
		}
	case abi.String:
		if text := strings.TrimSpace(v.Str()); strings.HasPrefix(text, "[") {
			if list, err := abi.Parse([]byte(text)); err == nil {
				return elements(list)
			}
		}
		found, _ := provenance.Canonicalise(v.Str())
		n = int64(len(found))
	}
	return max(1, n)
}

// budgets reports every budget that applies to a call.
func (s *State) budgets(n *entry) []abi.BudgetUse {
	out := s.leftOf(n)
	if len(n.binding.budgets) == 0 {
		return out
	}
	out = slices.Grow(out, len(n.binding.budgets))
	for _, b := range n.binding.budgets {
		if b.When != "" && !s.holdsAll(strings.Fields(b.When)) {
			continue
		}
		use := abi.BudgetUse{Rule: b.Rule, Name: b.Name, Max: b.Max, Window: b.Window, Zone: b.Zone, Charge: n.weight(b)}
		if c := s.counters[b.Scope]; c != nil {
			c.expire(s.now)
			use.Used, use.Resets = c.used(s.now, n.key)
		}
		out = append(out, use)
	}
	return out
}

// charge charges a call to its budgets of one kind.
func (s *State) charge(n *entry, kinds ...contract.Count) {
	for _, b := range n.binding.budgets {
		for _, k := range kinds {
			if b.Count != k {
				continue
			}
			c := s.counters[b.Scope]
			if c == nil {
				c = counterOf(b)
				s.counters[b.Scope] = c
			}
			c.follow(b)
			c.add(charge{n.key, s.now, n.weight(b), (k == contract.CountAttempts || k == contract.CountFailures) && c.lasts()}, b.Max)
		}
	}
}

// failed counts the failures in a row. What another process says of a success
// ends no row: it would loosen.
func (s *State) failed(n *entry, failed bool) {
	if failed {
		s.charge(n, contract.CountFailures)
	}
	s.eachCounter(n, contract.CountFailures, func(c *counter) {
		switch {
		case failed:
			c.settle(n.key)
		case !n.peer:
			c.charges, c.settled = nil, 0
		}
	})
}

// eachCounter visits the counters of a call's budgets of one kind.
func (s *State) eachCounter(n *entry, kind contract.Count, visit func(*counter)) {
	for _, b := range n.binding.budgets {
		if c := s.counters[b.Scope]; c != nil && b.Count == kind {
			visit(c)
		}
	}
}
