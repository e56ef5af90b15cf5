package plugin

import (
	"errors"
	"regexp"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/wasm"
)

// Tried is what became of one case.
type Tried struct {
	File    string
	Fuel    uint64 // of the step that used most
	Answers []wasm.Answer
	cases.Result
}

// Try runs the cases of a folder whose names match, each step in every way of
// [Loaded.Ask]; nil matches all.
func (e *Engines) Try(m *Module, files []CasesFile, match *regexp.Regexp) []Tried {
	t := trial{engines: e, module: m, loaded: map[string]*loading{}}
	defer t.close()
	for _, f := range files {
		for _, c := range f.File.Cases {
			for _, s := range c.Steps {
				t.others = append(t.others, s.Snapshot.With("settings", c.Settings))
			}
		}
	}
	var all []Tried
	for _, f := range files {
		picked := &cases.PluginFile{}
		for _, c := range f.File.Cases {
			if match == nil || match.MatchString(c.Name) {
				picked.Cases = append(picked.Cases, c)
			}
		}
		for i := range picked.Cases {
			t.begin()
			one := &cases.PluginFile{Cases: picked.Cases[i : i+1]}
			r := cases.RunPlugin(one, m.Manifest, t.start)[0]
			all = append(all, Tried{File: f.Path, Fuel: t.most, Answers: t.answers, Result: r})
		}
	}
	return all
}

// maxLoaded is how many settings a module stays loaded with: cases of a stranger
// could state thousands.
const maxLoaded = 8

// trial loads the module for each settings, once if cases that share them lie
// together.
type trial struct {
	engines *Engines
	module  *Module
	loaded  map[string]*loading
	order   []string    // keys of loaded, the oldest first
	others  []abi.Value // snapshots of all cases
	answers []wasm.Answer
	most    uint64
	asked   int
}

type loading struct {
	plugin *Loaded
	failed cases.PluginAnswer // if there is none
}

func (t *trial) begin() { t.answers, t.most = nil, 0 }

func (t *trial) close() {
	for _, l := range t.loaded {
		l.close()
	}
}

func (l *loading) close() {
	if l.plugin != nil {
		l.plugin.Close()
	}
}

// start loads the module with settings.
func (t *trial) start(settings abi.Value) func(abi.Value) cases.PluginAnswer {
	key := settings.String()
	l := t.loaded[key]
	if l == nil {
		if len(t.order) == maxLoaded {
			t.loaded[t.order[0]].close()
			delete(t.loaded, t.order[0])
			t.order = t.order[1:]
		}
		l = &loading{}
		t.loaded[key], t.order = l, append(t.order, key)
		var err error
		if l.plugin, err = t.engines.Load(t.module, settings); err != nil {
			l.failed = cases.PluginAnswer{Class: classOf(err), Detail: err.Error()}
		}
	}
	return func(snapshot abi.Value) cases.PluginAnswer {
		if l.plugin == nil {
			t.answers = append(t.answers, wasm.Answer{Class: l.failed.Class, Detail: l.failed.Detail})
			return l.failed
		}
		return t.ask(l.plugin, snapshot)
	}
}

// ask evaluates in every way; ways that differ are a failure of their own.
func (t *trial) ask(l *Loaded, snapshot abi.Value) cases.PluginAnswer {
	t.asked++
	others := make([]abi.Value, 0, 3)
	for i := range min(3, len(t.others)) {
		others = append(others, t.others[(t.asked+i)%len(t.others)])
	}
	a, differences := l.Ask(snapshot, others)
	t.answers = append(t.answers, a)
	t.most = max(t.most, a.Fuel)
	if len(differences) > 0 {
		return cases.PluginAnswer{Fuel: a.Fuel, Class: abi.FailHost, Detail: differences[0]}
	}
	return cases.PluginAnswer{Output: a.Output, Fuel: a.Fuel, Class: a.Class, Detail: a.Detail}
}

// classOf is the class of an error of [Engines.Load].
func classOf(err error) abi.FailureClass {
	var e *wasm.Error
	if errors.As(err, &e) {
		return e.Class
	}
	return abi.FailHost
}
