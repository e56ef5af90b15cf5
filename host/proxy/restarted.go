package proxy

import (
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
)

// lastPolicy is the policy that was in force last in a server's ledgers, as far
// as a process reads them when it joins. The newest file is read however old it is.
type lastPolicy struct {
	event *abi.PolicyEvent // nil: none
	at    time.Time
}

// take takes in an event of the past. Processes of one server live side by side,
// so the files do not come in the order of what they say.
func (l *lastPolicy) take(e *abi.Event) {
	if e.Policy != nil && !e.Time.Before(l.at) {
		l.event, l.at = e.Policy, e.Time
	}
}

// loosened lists what a policy may allow that the last one did not. Nobody is
// asked at a start, so it is told.
func (l *lastPolicy) loosened(next *policy.Policy) []string {
	if l.event == nil || l.event.Digest == next.Digest() && l.event.Policy.Equal(next.Value()) {
		return nil
	}
	// Both as the ledger has them: files go by their labels there.
	before, err := policy.Decode(l.event.Policy)
	if err != nil {
		return []string{"the policy before can not be read by this build, so nothing is known of what it allowed: " + err.Error()}
	}
	if now, err := policy.Decode(next.Value()); err == nil {
		next = now
	}
	return policy.Loosens(before, next)
}
