package policy

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// joinSink unites what the levels declare. It returns nil for a tool without a
// sink.
func joinSink(levels []level, strict bool, n *notes) *contract.Sink {
	s := &contract.Sink{On: contract.DefaultOn(), Payload: abi.Ask, Strict: strict}
	declared, spare, mild, rest := false, true, true, []string(nil)
	guessed := !sinkNone(levels)
	for i := range levels {
		l := &levels[i]
		for j := range l.hits {
			h := &l.hits[j]
			if h.tool.Sink == nil || h.tool.Sink.Of == nil || h.layer == nil && !guessed {
				continue
			}
			of := h.tool.Sink.Of
			if of.To != nil || of.Content != nil {
				if !declared {
					s.Rule = h.rule("/sink")
				}
				declared, spare, mild, rest = true, spare && h.spare, mild && h.mild, append(rest, h.rest...)
			}
			s.All = s.All || of.To != nil && len(of.To) == 0
			s.To = append(s.To, of.To...)
			s.Content = append(s.Content, of.Content...)
			if l.trust {
				s.Trusted = append(s.Trusted, of.Trusted...)
			}
		}
	}
	if !declared {
		return nil
	}
	if spare && !s.All {
		// A sink without a destination in the call is judged on every argument, and
		// asks if there is none. Here the destination may be left out, so the other
		// arguments are content: a tainted address in one of them still asks. What
		// an entry declares is not softened by this guess.
		s.Spare, s.Content = true, append(s.Content, rest...)
	}
	s.To, s.Content, s.Trusted = set(s.To), set(s.Content), set(s.Trusted)
	s.All = s.All || len(s.To) == 0
	s.Content = slices.DeleteFunc(s.Content, func(c string) bool { return slices.Contains(s.To, c) })
	if s.All {
		s.To = nil
	}
	joinManner(s, levels, mild && !s.All, n)
	return s
}

// sinkNone says whether an entry drops what the heuristics found.
func sinkNone(levels []level) bool {
	return slices.ContainsFunc(levels, func(l level) bool {
		return !l.fit && slices.ContainsFunc(l.hits, func(h hit) bool { return h.tool.Sink != nil && h.tool.Sink.Word == "none" })
	})
}

// joinManner decides how hard the sink bites. One of repositories that nothing but
// a guess declares is mild: people name those in chat all the time, so it is about
// the ones that an output brought.
func joinManner(s *contract.Sink, levels []level, mild bool, n *notes) {
	manner := defaultManner()
	if mild {
		manner.On[string(abi.Unproven)] = abi.Allow.String()
	}
	defaults := level{hits: []hit{{why: "sink.on as it is by default", tool: &tool{Sink: &orWord[sink]{Of: manner}}}}}
	all := append(slices.Clone(levels), defaults)
	of := func(t *tool) *sink {
		if t.Sink == nil {
			return nil
		}
		return t.Sink.Of
	}
	var unset []abi.Position
	for _, pos := range abi.Positions {
		one := func(l *level) said[abi.Outcome] {
			return pick(l, func(t *tool) *abi.Outcome {
				if of(t) == nil {
					return nil
				}
				if o, ok := of(t).On[string(pos)]; ok {
					return outcomeOf(&o)
				}
				return nil
			}, stricterOutcome)
		}
		chosen := highest(all, one, stricterOutcome, "/sink/on/"+string(pos), n)
		s.On[pos] = chosen.value
		if chosen.hit == &defaults.hits[0] {
			unset = append(unset, pos)
		}
	}
	// Where nobody says otherwise, a destination that an output had is not better
	// off than one that none had: else outputs could help it.
	s.Alone = map[abi.Position]abi.Outcome{}
	for _, pos := range unset {
		outcome := abi.Stricter(s.On[pos], s.On[abi.Unproven])
		if pos == abi.Evicted || pos == abi.Saturated {
			// That text is gone says nothing of a destination that is known from a field.
			s.Alone[pos] = outcome
			continue
		}
		s.On[pos] = outcome
	}
	s.Payload = highest(all, func(l *level) said[abi.Outcome] {
		return pick(l, func(t *tool) *abi.Outcome {
			if of(t) == nil {
				return nil
			}
			return outcomeOf(of(t).Payload)
		}, stricterOutcome)
	}, stricterOutcome, "/sink/payload", n).value
	for i := range levels {
		for _, h := range levels[i].hits {
			if k := of(h.tool); k != nil && k.Override != nil && levels[i].trust {
				s.Once = true
			}
		}
	}
}

func defaultManner() *sink {
	ask := abi.Ask.String()
	d := &sink{On: map[string]string{}, Payload: &ask}
	for pos, o := range contract.DefaultOn() {
		d.On[string(pos)] = o.String()
	}
	return d
}

// set sorts a list and drops what stands in it twice.
func set(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
