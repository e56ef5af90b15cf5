package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/wasm"
)

// Engines runs plugins with native code and without, which must not differ.
type Engines struct{ list []engine }

type engine struct {
	name string
	host *wasm.Host
}

// Open makes both engines. The options say where native code is kept and who
// compiles.
func Open(o wasm.Options) (*Engines, error) {
	e := &Engines{}
	for _, one := range []struct {
		name        string
		interpreter bool
	}{{"compiler", false}, {"interpreter", true}} {
		o.Interpreter = one.interpreter
		h, err := wasm.New(o)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e.list = append(e.list, engine{one.name, h})
	}
	return e, nil
}

// Stop ends evaluating and compiling, in which nobody is interested any more. It
// does not wait; what is asked from now on fails.
func (e *Engines) Stop() {
	for _, one := range e.list {
		one.host.Stop()
	}
}

// Close ends both engines.
func (e *Engines) Close() error {
	var errs []error
	for _, one := range e.list {
		errs = append(errs, one.host.Close())
	}
	return errors.Join(errs...)
}

// Loaded is a module with settings, in both engines.
type Loaded struct {
	source  wasm.Source
	engines []engine
	plugins []*wasm.Plugin
}

// checkSettings refuses settings as a policy does, before the plugin sees them.
func checkSettings(m *Module, settings abi.Value) error {
	if err := policy.CheckSettings(m.Manifest, settings); err != nil {
		return &wasm.Error{Plugin: m.Manifest.Name, Class: abi.FailConfigure, Detail: err.Error()}
	}
	return nil
}

// Load loads a module in both engines. An error is a [*wasm.Error].
func (e *Engines) Load(m *Module, settings abi.Value) (*Loaded, error) {
	if err := checkSettings(m, settings); err != nil {
		return nil, err
	}
	l := &Loaded{source: wasm.Source{Name: lastSegment(m.Manifest.Name), Module: m.Data, Manifest: m.Manifest, Settings: settings}, engines: e.list}
	var first error
	for i, one := range e.list {
		p, err := one.host.Load(context.Background(), l.source)
		switch {
		case i == 0:
			first = err
		case (err == nil) != (first == nil):
			first = fmt.Errorf("with native code: %v; in the interpreter: %v", first, err)
		}
		if p != nil {
			l.plugins = append(l.plugins, p)
		}
	}
	if first != nil {
		l.Close()
		return nil, first
	}
	return l, nil
}

// Close lets the plugins go.
func (l *Loaded) Close() {
	for _, p := range l.plugins {
		p.Close()
	}
}

// Once is one evaluation with native code.
func (l *Loaded) Once(snapshot abi.Value) wasm.Answer { return l.plugins[0].Evaluate(snapshot) }

// Ask evaluates a snapshot on a fresh instance, after the reset of one, once
// more, and after up to three others, in both engines. It returns the first
// answer, and in what the others differ from it.
func (l *Loaded) Ask(snapshot abi.Value, others []abi.Value) (first wasm.Answer, differences []string) {
	begun := false
	for i, p := range l.plugins {
		ways := []struct {
			name string
			ask  func() wasm.Answer
		}{
			{"on a fresh instance", func() wasm.Answer { return p.Fresh(l.source, snapshot) }},
			{"after a reset", func() wasm.Answer { return p.Evaluate(snapshot) }},
			{"after another reset", func() wasm.Answer { return p.Evaluate(snapshot) }},
			{"after others", func() wasm.Answer {
				for _, other := range others[:min(3, len(others))] {
					p.Evaluate(other)
				}
				return p.Evaluate(snapshot)
			}},
		}
		for _, w := range ways {
			a := w.ask()
			if !begun {
				first, begun = a, true
				continue
			}
			if what := a.Differs(&first); what != "" {
				differences = append(differences, fmt.Sprintf("%s, %s: %s", l.engines[i].name, w.name, what))
			}
		}
	}
	return first, differences
}
