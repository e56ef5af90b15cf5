// Package suggest drafts policies: a starter or a strict one from the tool
// lists of servers, and from ledgers the least policy that allows what a
// session did, with a cases file that replays it.
//
// A draft is text for a person to read. Names and values that a server or a
// caller wrote stand in it as double-quoted scalars only, with everything
// escaped that YAML or a terminal could act on. What is drafted from ledgers is
// loaded, replayed and tested before it is returned.
package suggest

import (
	"errors"
	"fmt"
	"iter"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Ledger is one recorded file of events.
type Ledger struct {
	Name string // in messages
	ID   string // of the file, "" if not known
	// Events gives the lines in order, each time it is called from the first.
	// After an error nothing more is read.
	Events func() iter.Seq2[abi.Value, error]
	// Prior makes a reader of the other files of the group for one replay, as
	// [replay.Options] wants it; nil: they are not there.
	Prior func() func(read abi.ReadEvent, each func(abi.Event) error) error
	// Text reads the text that events of the group carry by reference; nil: it is
	// gone.
	Text abi.TextReader
}

// Options says where a draft will stand and what judges it.
type Options struct {
	// Path is the absolute path of the policy file to be: relative patterns in
	// it start from its directory.
	Path string
	// Cases is the absolute path of the cases file to be, beside or away from
	// the policy.
	Cases string
	Specs []contract.Spec
}

// Suggestion is a policy and the cases file that shows what it does.
type Suggestion struct {
	Policy, Cases []byte
	Calls         int // calls that the ledgers hold
	Allowed       int // of them: allowed by the suggested policy
	Asked         int // of them: a person is asked about the destination, or about the tool
	Refused       int // of them: not granted; the policy's comments say why
	Tools         int // tools that are granted
	Tested        int // cases that were run
	Unreplayable  int // calls whose verdict could not be replayed
}

// maxRounds bounds how often a draft is made again without the calls that the
// one before still refused.
const maxRounds = 8

// errNoCalls says that there is nothing to learn from.
var errNoCalls = errors.New("the ledger holds no call of a tool; let a session run under mode: observe first")

// FromLedgers drafts the least policy that allows what the ledgers record, and
// the cases for it. Files of one group are read as one session, so that what one
// server's output tainted is tainted for all.
func FromLedgers(ledgers []Ledger, o Options) (*Suggestion, error) {
	s, err := surveyed(ledgers)
	if err != nil {
		return nil, err
	}
	if s.calls == 0 {
		return nil, errNoCalls
	}
	seen, err := observed(ledgers, s, o)
	if err != nil {
		return nil, err
	}
	seen.judge(s)
	for range maxRounds {
		d := drafted(s, seen, o)
		out := &Suggestion{Policy: d.policy(), Calls: len(seen.calls), Tools: len(d.granted())}
		p, err := load(o, out.Policy)
		if err != nil {
			return nil, fmt.Errorf("the drafted policy does not load: %w", err)
		}
		again, gone, err := replayed(ledgers, seen, p, o)
		if err != nil {
			return nil, err
		}
		if again {
			continue
		}
		out.Cases = d.cases(p)
		if out.Tested, err = tested(out.Cases, p, o); err != nil {
			return nil, err
		}
		out.Unreplayable = gone
		out.count(seen)
		return out, nil
	}
	return nil, fmt.Errorf("the draft still refuses calls that it was made for after %d rounds; report it with the ledger", maxRounds)
}

// count says what becomes of the calls.
func (s *Suggestion) count(seen *observation) {
	for _, c := range seen.calls {
		switch {
		case c.refused != "":
			s.Refused++
		case c.asks:
			s.Asked++
		default:
			s.Allowed++
		}
	}
}
