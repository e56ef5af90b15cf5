// Package tck is the conformance kit for hosts of the plugin ABI: guests as
// binaries, what they are handed, and what they answer and use. A host that
// passes runs every plugin as Callgate does.
package tck

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/abi/testdata"
)

// Host is the host that is tried.
type Host interface {
	// Load scans, starts and configures a module. An error refuses it.
	Load(module []byte, m *abi.Manifest, settings abi.Value) (Guest, error)
}

// Guest is a plugin that a host has loaded.
type Guest interface {
	// Evaluate asks about a snapshot that holds what the manifest reads.
	Evaluate(snapshot abi.Value) Answer
	Close()
}

// Answer is one evaluation. With a Class there is no Output.
type Answer struct {
	Output    []byte
	Class     abi.FailureClass
	Fuel      uint64 // by the schedule of the goldens
	Delivered uint64 // bytes that get handed out
}

// Golden is a guest with what it is asked.
type Golden struct {
	File     string
	Settings abi.Value
	Cases    []Case
	Module   []byte
	Manifest *abi.Manifest
}

// Case is one evaluation, and its answer.
type Case struct {
	Name     string
	Snapshot abi.Value
	Want     Answer
}

// Refused is a module that no host may load.
type Refused struct {
	File, Why string
	Module    []byte
}

// Suite is the goldens of one version of the ABI.
type Suite struct {
	Version  string
	Schedule string // of fuel
	Guests   []Golden
	Refused  []Refused
}

// goldens is the file of a suite.
const goldens = "goldens.json"

// Load reads the suite of a version of the ABI.
func Load(version string) (*Suite, error) {
	dir, err := fs.Sub(testdata.Goldens, version)
	if err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(dir, goldens)
	if err != nil {
		return nil, err
	}
	v, err := abi.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", version, goldens, err)
	}
	s := &Suite{Version: version, Schedule: v.Get("schedule").Str()}
	for _, g := range v.Get("guests").Items() {
		one := Golden{File: g.Get("file").Str(), Settings: g.Get("settings")}
		if one.Module, err = fs.ReadFile(dir, one.File); err != nil {
			return nil, err
		}
		if one.Manifest, _, err = abi.ReadModule(one.Module); err != nil {
			return nil, fmt.Errorf("%s: %w", one.File, err)
		}
		for _, c := range g.Get("cases").Items() {
			one.Cases = append(one.Cases, readCase(c))
		}
		s.Guests = append(s.Guests, one)
	}
	for _, r := range v.Get("refused").Items() {
		one := Refused{File: r.Get("file").Str(), Why: r.Get("why").Str()}
		if one.Module, err = fs.ReadFile(dir, one.File); err != nil {
			return nil, err
		}
		s.Refused = append(s.Refused, one)
	}
	return s, nil
}

func readCase(v abi.Value) Case {
	return Case{Name: v.Get("name").Str(), Snapshot: v.Get("snapshot"), Want: Answer{
		Output: []byte(v.Get("output").Str()), Class: abi.FailureClass(v.Get("class").Str()), Fuel: number(v.Get("fuel")), Delivered: number(v.Get("delivered")),
	}}
}

// number is a whole number that the recorder wrote.
func number(v abi.Value) (n uint64) {
	for _, c := range v.Lexeme() {
		n = 10*n + uint64(c-'0')
	}
	return n
}

// Versions are the versions of the ABI whose guests a host has to run.
var Versions = abi.Versions

// Run holds a host to all suites.
func Run(t *testing.T, h Host) {
	t.Helper()
	for _, version := range Versions {
		s, err := Load(version)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Guests) == 0 || len(s.Refused) == 0 {
			t.Fatalf("%s: %d guests and %d modules to refuse; want some of each", version, len(s.Guests), len(s.Refused))
		}
		for i := range s.Guests {
			g := &s.Guests[i]
			t.Run(version+"/"+g.File, func(t *testing.T) { g.run(t, h) })
		}
		for _, r := range s.Refused {
			t.Run(version+"/"+r.File, func(t *testing.T) { r.run(t, h, version) })
		}
	}
}

// run asks in the order of the file, backwards, and each question twice: no
// evaluation may leave anything to the next.
func (g *Golden) run(t *testing.T, h Host) {
	if len(g.Cases) == 0 {
		t.Fatal("no cases")
	}
	p, err := h.Load(g.Module, g.Manifest, g.Settings)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for round := range 2 {
		for i := range g.Cases {
			c := &g.Cases[i]
			if round == 1 {
				c = &g.Cases[len(g.Cases)-1-i]
			}
			for range 2 {
				if what := differs(p.Evaluate(c.Snapshot), c.Want); what != "" {
					t.Errorf("%s: %s", c.Name, what)
				}
			}
		}
	}
}

func differs(got, want Answer) string {
	switch {
	case got.Class != want.Class:
		return fmt.Sprintf("class %q; want %q", got.Class, want.Class)
	case string(got.Output) != string(want.Output):
		return fmt.Sprintf("answers %q; want %q", got.Output, want.Output)
	case got.Fuel != want.Fuel:
		return fmt.Sprintf("uses %d fuel; want %d", got.Fuel, want.Fuel)
	case got.Delivered != want.Delivered:
		return fmt.Sprintf("reads %d bytes; want %d", got.Delivered, want.Delivered)
	}
	return ""
}

// run: a manifest does not make a module that may not be loaded one that may.
func (r *Refused) run(t *testing.T, h Host, version string) {
	t.Helper()
	m, err := abi.ParseManifest([]byte(`{"schema":"` + abi.ManifestSchema + `","name":"refused","version":"1.0.0","abi":"` + version + `","phases":["call"]}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Load(r.Module, m, abi.ObjectValue())
	if err == nil {
		p.Close()
		t.Errorf("it loads; want it refused: %s", r.Why)
	}
}
