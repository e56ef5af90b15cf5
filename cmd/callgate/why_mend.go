package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
)

// mend is what the operator can do about a verdict.
type mend struct {
	policy  string   // a policy that allows the call, as a layer above; "" if there is none
	checked bool     // the ledger was replayed with it, and the call is allowed
	care    string   // what to think of before it is used
	notes   []string // what no added policy can do
}

func (m mend) text(b *strings.Builder) {
	for _, n := range m.notes {
		fmt.Fprintf(b, "\nto review: %s\n", oneLine(n))
	}
	if m.policy == "" {
		return
	}
	if m.care != "" {
		b.WriteString("\nCareful: " + m.care + ".\n")
	}
	b.WriteString("\nA policy that allows this call, and others that its words cover; read it, save it, and name it with --policy after the others:\n\n")
	b.WriteString(m.policy)
	if !m.checked {
		b.WriteString("\nIt was not tried, since the ledger does not hold what a replay needs.\n")
	}
}

// maxRounds bounds how many verdicts are mended one after the other: what one
// contract denies can hide what another asks.
const maxRounds = 8

// mend finds the least that a policy would have to say to allow the call, by
// judging it again under each attempt.
func (in *incident) mend() mend {
	v := in.verdict()
	switch {
	case in.refused != nil || in.callEvent == nil:
		return mend{notes: []string{in.refusedNote()}}
	case v.Outcome >= abi.Allow:
		return mend{}
	}
	p, err := policy.Decode(in.policy)
	if err != nil {
		return mend{notes: []string{"the policy in the ledger does not load in this build: " + err.Error()}}
	}
	w := newMending(in, p)
	for range maxRounds {
		if !w.add(v) {
			return mend{notes: w.notes}
		}
		text := w.yaml()
		if w.later {
			return mend{policy: text, checked: true, care: w.care, notes: w.notes}
		}
		next, err := in.above(text)
		if err != nil {
			return mend{notes: append(w.notes, "no policy can say so: "+err.Error())}
		}
		again, err := in.judge(next)
		switch {
		case err != nil || again == nil || again.Missing:
			return mend{policy: text, care: w.care, notes: w.notes}
		case again.Outcome == abi.Allow:
			return mend{policy: text, checked: true, care: w.care, notes: w.notes}
		}
		v, w.policy = *again, next
	}
	return mend{notes: append(w.notes, "several rules object; change them where they stand")}
}

// above is the policy in force with one more layer above it. It is made of the
// value in the ledger, whose layers may have longer lines than a file has.
func (in *incident) above(text string) (*policy.Policy, error) {
	const name = "/why/mend.yaml"
	alone, err := policy.Load(policy.Options{Files: []string{name}, Specs: builtin.Table(), Read: func(path string) ([]byte, error) {
		if path != name {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	}})
	if err != nil {
		return nil, err
	}
	layers := append(slices.Clone(alone.Value().Get("layers").Items()), in.policy.Get("layers").Items()...)
	return policy.Decode(in.policy.With("layers", abi.ArrayValue(layers...)))
}

// judge replays the ledger up to the verdict under another policy.
func (in *incident) judge(p *policy.Policy) (*abi.Verdict, error) {
	group, err := ledger.Group(in.dir())
	if err != nil {
		return nil, err
	}
	text := textOf(in.path)
	defer text.Close()
	player := replay.New(replay.Options{Policy: p, Specs: builtin.Table(), Plugin: pluginOf, Keep: true, Prior: replay.Files(group), Text: text})
	var v *abi.Verdict
	err = eachLine(in.path, func(n int, line []byte) error {
		value, err := abi.ParseEventValue(line)
		if err != nil {
			return err
		}
		answers, _, err := player.Feed(value, uint64(n-1))
		if err != nil {
			return err
		}
		for _, a := range answers {
			if a.Verdict != nil && a.Verdict.ID == in.verdict().ID {
				v = a.Verdict
			}
		}
		if value.Get("call").Get("id").Str() == in.verdict().ID {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) || player.Gap {
		return nil, err
	}
	return v, nil
}
