//go:build unix

package main

import (
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/replay"
)

// shadow is a process that never died: it lives through the events of all files
// of one server, and reads of others what those processes had read.
type shadow struct {
	t        *testing.T
	state    *gate.State
	prior    func(abi.ReadEvent, func(abi.Event) error) error
	restarts int
	verdicts map[string]abi.Outcome // its own, by id
	compared int                    // calls after a restart
	stricter int
}

// neverLooser holds what restarted processes decided against what a process
// would have that never died.
func (r *groupRun) neverLooser(files []ledger.File) {
	r.t.Helper()
	compared, stricter := 0, 0
	for _, server := range r.servers {
		if r.overlap[server] {
			continue // two processes are no restart
		}
		s := &shadow{t: r.t, state: gate.New(gate.Options{Specs: builtin.Table()}), prior: replay.Files(files), restarts: -1, verdicts: map[string]abi.Outcome{}}
		for _, f := range files {
			if f.Server != server {
				continue
			}
			s.restarts++
			if err := eachLine(f.Path, s.line); err != nil {
				r.t.Fatal(err)
			}
		}
		compared, stricter = compared+s.compared, stricter+s.stricter
	}
	if compared == 0 {
		r.t.Error("no call after a restart: nothing is proven")
	}
	r.t.Logf("%d calls after a restart, %d of them decided more strictly than by a process that never died", compared, stricter)
}

func (s *shadow) line(n int, line []byte) error {
	e, err := abi.ParseEvent(line)
	if err != nil {
		return err
	}
	switch again := s.restarts > 0; {
	case e.Verdict != nil:
		s.compare(n, e.Verdict)
	case e.Ask != nil, e.Edit != nil, e.Label != nil:
	case again && (e.Policy != nil || e.Session != nil), e.Read != nil && e.Read.Past:
	case e.Read != nil:
		return s.read(e)
	default:
		for _, a := range gate.Step(s.state, e) {
			if a.Verdict != nil {
				s.verdicts[a.Verdict.ID] = a.Verdict.Enforced()
			}
		}
	}
	return nil
}

func (s *shadow) read(e abi.Event) error {
	from := gate.Peer{File: e.Read.File, Server: e.Read.Server}
	if e.Read.Lines == 0 {
		gate.Step(s.state, e)
		return nil
	}
	if err := s.prior(*e.Read, func(e abi.Event) error { gate.Tail(s.state, from, e); return nil }); err != nil {
		return err
	}
	gate.Step(s.state, e)
	return nil
}

// compare holds a recorded verdict against the shadow's. From there on the
// shadow goes on from what was recorded: a call that did not go out takes nothing.
func (s *shadow) compare(n int, v *abi.Verdict) {
	own, ok := s.verdicts[v.ID]
	if !ok {
		s.t.Errorf("line %d: no verdict of its own on %s", n, v.ID)
		return
	}
	if s.restarts > 0 {
		s.compared++
	}
	switch recorded := v.Enforced(); {
	case recorded > own:
		s.t.Errorf("line %d: %s was decided as %s %s; a process that never died says %s", n, v.ID, recorded, v.Code, own)
	case recorded < own:
		s.stricter++
		if own == abi.Allow {
			gate.Step(s.state, abi.Event{Refused: &abi.RefusedEvent{From: "client", Code: "X", Call: v.ID}})
		}
	}
}
