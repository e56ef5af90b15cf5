package proxy

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"runtime/debug"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/facts"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/segment"
)

// Opening says how a process joins its group.
type Opening struct {
	Policy    *policy.Policy
	Specs     []contract.Spec
	Plugin    func(contract.PluginRef) (contract.Plugin, error) // that an entry of plugins: binds
	Server    string
	Group     string
	Principal abi.Principal // who calls, where the process knows
	Dir       string        // of the group; "" keeps the ledger in memory, which only the bench does
	Place     abi.Place
	Version   string
	Protected []string
	Local     bool // the server runs on this machine, and sees its file systems
}

// Opened is a process that has joined its group.
type Opened struct {
	Engine *Engine
	Ledger *ledger.Ledger
	dir    string
	server string
}

// Open opens the ledger, takes in what the files of the group say, and records
// how far they were read, session, policy, stored pins, and what the policy may
// allow more than the one that was in force before.
func Open(o Opening) (*Opened, error) {
	id := make([]byte, 16)
	rand.Read(id) // never fails, see crypto/rand
	file := hex.EncodeToString(id)
	now := time.Now()
	text := &Texts{}
	if o.Dir != "" {
		var err error
		most := o.Policy.Settings().MaxText
		if text.store, err = segment.Open(segment.Options{Dir: o.Dir, ID: file, Most: most}); err != nil {
			return nil, err
		}
	}
	state := gate.New(gate.Options{Specs: o.Specs, Plugin: o.Plugin, Text: text, Loaded: o.Policy})
	inForce := abi.Event{Policy: &abi.PolicyEvent{Digest: o.Policy.Digest(), Policy: o.Policy.Value(), Files: o.Policy.Files()}}
	inForce.Time = now
	gate.Step(state, inForce) // it says what the past counts towards
	joined := &ledger.Joined{Ledger: ledger.Memory()}
	var before lastPolicy
	var lock *ledger.GroupLock
	if o.Dir != "" {
		defer hurry(o.Dir)()
		var err error
		if joined, err = join(o, state, now, file, text, &before); err != nil {
			return nil, err
		}
		if lock, err = ledger.OpenGroupLock(o.Dir); err != nil {
			_, _ = joined.Ledger.Close(), text.close() // the first error says more
			return nil, err
		}
	}
	engine := NewEngine(state, joined.Ledger, text, time.Now)
	engine.tail, engine.group, engine.looser = joined.Tail, lock, before.loosened(o.Policy)
	if o.Local {
		engine.facts = facts.Links
	}
	out := &Opened{Engine: engine, Ledger: joined.Ledger, dir: o.Dir, server: o.Server}
	if err := out.open(o, inForce, file, joined); err != nil {
		_ = out.Close() // the first error says more
		return nil, err
	}
	go engine.Settle() // while the client and the server start
	return out, nil
}

// hurrySize is the size of a group that is read in a hurry, in bytes.
const hurrySize = 64 << 20

// hurry has the collector of garbage wait while a group is read that is not
// large, and returns what ends that. Most of what is read is kept, and the
// client waits for the start.
func hurry(dir string) (end func()) {
	files, err := ledger.Group(dir)
	if err != nil {
		return func() {} // joining finds the same, and says so
	}
	size := int64(0)
	for _, f := range files {
		size += f.Size
	}
	if size > hurrySize {
		return func() {}
	}
	before := debug.SetGCPercent(800)
	return func() { debug.SetGCPercent(before) }
}

// join opens the ledger and has the state take in what the files of the group
// say: what the server's own past did, and what tightens of the others.
func join(o Opening, state *gate.State, now time.Time, file string, text *Texts, before *lastPolicy) (*ledger.Joined, error) {
	joined, err := ledger.Join(ledger.Joining{
		Options: ledger.Options{
			Dir: o.Dir, Server: o.Server, Now: now, ID: file, Since: now.Add(-o.Policy.Horizon()),
			Sync: text.sync,
			Event: func(_ ledger.File, e abi.Event) error {
				before.take(&e)
				gate.Fold(state, e)
				return nil
			},
		},
		PeerEvent: func(f ledger.File, e abi.Event) error { return tail(state, f, e) },
	})
	if err != nil {
		return nil, err
	}
	// All of them, also those that are too old to be read: their text takes room.
	ended, err := ledger.Ended(o.Dir, o.Server)
	if err == nil {
		err = text.store.Adopt(ended)
	}
	if err != nil {
		return nil, errors.Join(err, joined.Ledger.Close(), text.close())
	}
	return joined, nil
}

// Close ends the process's part of the group.
func (p *Opened) Close() error {
	return p.Engine.close()
}

func (p *Opened) open(o Opening, inForce abi.Event, file string, joined *ledger.Joined) error {
	session := &abi.SessionEvent{
		ID: "s-" + file[:12], Group: o.Group, Server: o.Server, File: file, Version: o.Version, Place: o.Place, Protected: o.Protected,
		Principal: o.Principal,
	}
	for _, f := range joined.Prior {
		if f.Lines > 0 {
			session.Previous = f.Last
		}
		session.Cut += f.Cut
	}
	events := []abi.Event{inForce}
	for _, r := range joined.Read {
		events = append(events, readEvent(r.Progress, r.Past))
	}
	events = append(events, abi.Event{Session: session})
	stored, err := p.stored()
	if err != nil {
		return err
	}
	if stored != nil {
		events = append(events, abi.Event{Tools: &abi.ToolsEvent{Server: o.Server, Source: abi.ToolsStored, List: stored}})
	}
	if list := p.Engine.looser; len(list) > 0 {
		events = append(events, abi.Event{Reload: &abi.ReloadEvent{State: abi.ReloadRestarted, Digest: o.Policy.Digest(), Why: list}})
	}
	for _, e := range events {
		if _, err := p.Engine.Step(e); err != nil {
			return err
		}
	}
	return nil
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
