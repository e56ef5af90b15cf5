package suggest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
)

// replayed replays each ledger under a draft, as its process would have been
// judged. A call that the draft is made for and still refuses is given up; then
// the draft has to be made again. What came from an output must not be allowed.
func replayed(ledgers []Ledger, o *observation, p *policy.Policy, opts Options) (again bool, gone int, err error) {
	for _, l := range ledgers {
		ro := replay.Options{Policy: p, Specs: opts.Specs, Keep: true, Text: l.Text}
		if l.Prior != nil {
			ro.Prior = l.Prior()
		}
		player := replay.New(ro)
		index, line := uint64(0), 0
		for v, err := range l.Events() {
			line++
			if err != nil {
				return false, 0, fmt.Errorf("%q, line %d: %w", l.Name, line, err)
			}
			if v.Get("approval").Exists() || v.Get("user").Exists() {
				continue // a person's word is not there the next time
			}
			answers, _, err := player.Feed(v, index)
			index++
			if err != nil {
				return false, 0, fmt.Errorf("%q, line %d: %w", l.Name, line, err)
			}
			for _, a := range answers {
				if a.Verdict == nil {
					continue
				}
				lost, bad, err := o.held(a.Verdict)
				if err != nil {
					return false, 0, err
				}
				again = again || bad
				if lost || player.Gap {
					gone++
				}
			}
		}
	}
	return again, gone, nil
}

// held compares what a draft says of a call with what it is made to say.
func (o *observation) held(v *abi.Verdict) (gone, again bool, err error) {
	c := o.byID[v.ID]
	if c == nil || v.Contract == "result" { // which is about an answer
		return false, false, nil
	}
	outcome := v.Outcome.Known()
	switch {
	case v.Missing:
		return true, false, nil
	case outcome >= abi.Allow && slices.ContainsFunc(c.targets, func(f abi.Finding) bool { return fromOutput(f.Evidence) }):
		return false, false, fmt.Errorf("the draft allows call %q, whose values came from an output; report it with the ledger", v.ID)
	case c.refused != "", outcome >= abi.Allow, c.asks && outcome == abi.Ask:
		return false, false, nil
	}
	c.refuse("what allows the other calls still says " + v.Contract + " " + v.Code + ": " + Quote(v.Reason))
	return false, true, nil
}

// tested runs the cases of a draft.
func tested(data []byte, p *policy.Policy, o Options) (int, error) {
	f, err := cases.Load(o.Cases, data)
	if err != nil {
		return 0, fmt.Errorf("the drafted cases do not load: %w", err)
	}
	results := cases.Run(f, replay.Options{Policy: p, Specs: o.Specs})
	var errs []error
	for _, r := range results {
		for _, failure := range r.Failures {
			errs = append(errs, fmt.Errorf("the drafted case %q does not hold: %s", r.Name, failure.Text))
		}
	}
	if len(results) == 0 {
		errs = append(errs, errors.New("the draft has no cases"))
	}
	return len(results), errors.Join(errs...)
}
