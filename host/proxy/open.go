package proxy

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
)

// Opening says how a process joins its group.
type Opening struct {
	Policy    *policy.Policy
	Specs     []contract.Spec
	Server    string
	Group     string
	Dir       string // of the group; "" keeps the ledger in memory, which only the bench does
	Place     abi.Place
	Version   string
	Protected []string
}

// Opened is a process that has joined its group.
type Opened struct {
	Engine *Engine
	Ledger *ledger.Ledger
	dir    string
	server string
}

// Open opens the ledger, folds what the server's earlier files in the group
// say, and records session, policy and stored pins.
func Open(o Opening) (*Opened, error) {
	id := make([]byte, 16)
	rand.Read(id) // never fails, see crypto/rand
	file := hex.EncodeToString(id)
	now := time.Now()
	text := &Text{}
	state := gate.New(gate.Options{Specs: o.Specs, Text: text, Loaded: o.Policy})
	l, prior := ledger.Memory(), []ledger.Prior(nil)
	if o.Dir != "" {
		var err error
		l, prior, err = ledger.Open(ledger.Options{Dir: o.Dir, Server: o.Server, Now: now, ID: file, Since: now.Add(-o.Policy.Horizon())})
		if err != nil {
			return nil, err
		}
	}
	engine := NewEngine(state, l, text, time.Now)
	out := &Opened{Engine: engine, Ledger: l, dir: o.Dir, server: o.Server}
	if err := out.open(o, state, file, prior); err != nil {
		_ = l.Close() // the first error says more
		return nil, err
	}
	return out, nil
}

func (p *Opened) open(o Opening, state *gate.State, file string, prior []ledger.Prior) error {
	session := &abi.SessionEvent{
		ID: "s-" + file[:12], Group: o.Group, Server: o.Server, File: file, Version: o.Version, Place: o.Place, Protected: o.Protected,
	}
	var events []abi.Event
	for _, f := range prior {
		if err := fold(state, f); err != nil {
			return err
		}
		session.Previous, session.Cut = f.Last, session.Cut+f.Cut
		events = append(events, abi.Event{Read: &abi.ReadEvent{File: f.ID, Lines: uint64(f.Lines), Last: f.Last}})
	}
	events = append(events,
		abi.Event{Session: session},
		abi.Event{Policy: &abi.PolicyEvent{Digest: o.Policy.Digest(), Policy: o.Policy.Value(), Files: o.Policy.Files()}},
	)
	stored, err := p.stored()
	if err != nil {
		return err
	}
	if stored != nil {
		events = append(events, abi.Event{Tools: &abi.ToolsEvent{Server: o.Server, Source: abi.ToolsStored, List: stored}})
	}
	for _, e := range events {
		if _, err := p.Engine.Step(e); err != nil {
			return err
		}
	}
	return nil
}

// fold applies an earlier file of the server to the state.
func fold(state *gate.State, f ledger.Prior) error {
	return f.Each(func(line []byte) error {
		e, err := abi.ParseEvent(line)
		if err != nil {
			return err
		}
		gate.Fold(state, e)
		return nil
	})
}

// stored reads the pins of the server that an earlier session kept.
func (p *Opened) stored() ([]abi.Value, error) {
	if p.dir == "" {
		return nil, nil
	}
	lines, err := ledger.ReadPins(p.dir, p.server)
	if err != nil {
		return nil, err
	}
	var out []abi.Value
	for _, line := range lines {
		v, err := abi.Parse(line)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// KeepPins stores the pins of the server.
func (p *Opened) KeepPins(pins []abi.Value) error {
	if p.dir == "" {
		return nil
	}
	lines := make([][]byte, len(pins))
	for i, d := range pins {
		lines[i] = d.Append(nil)
	}
	return ledger.WritePins(p.dir, p.server, lines)
}
