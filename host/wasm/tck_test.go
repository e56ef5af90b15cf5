package wasm

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/abi/tck"
	"github.com/callgate/callgate/host/wasm/meter"
)

// record writes what the guests of the newest version answer now to its goldens,
// before that version is frozen.
var record = flag.Bool("record", false, "write goldens.json of the newest version below abi/testdata")

// tckHost is this package as the conformance kit sees a host.
type tckHost struct{ host *Host }

type tckGuest struct{ *Plugin }

func (h tckHost) Load(module []byte, m *abi.Manifest, settings abi.Value) (tck.Guest, error) {
	p, err := h.host.Load(context.Background(), Source{Name: m.Name, Module: module, Manifest: m, Settings: settings})
	return tckGuest{p}, err
}

func (g tckGuest) Evaluate(snapshot abi.Value) tck.Answer {
	a := g.Plugin.Evaluate(snapshot)
	return tck.Answer{Output: a.Output, Class: a.Class, Fuel: a.Fuel, Delivered: a.Delivered}
}

func TestItConforms(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { tck.Run(t, tckHost{newHost(t, Options{Interpreter: e.interpreter})}) })
	}
}

func TestTheGoldensAreOfThisSchedule(t *testing.T) {
	for _, version := range tck.Versions {
		s, err := tck.Load(version)
		if err != nil {
			t.Fatal(err)
		}
		if s.Schedule != meter.Schedule {
			t.Errorf("%s: fuel of schedule %q; this host has %q: record it again", version, s.Schedule, meter.Schedule)
		}
		if !*record || version != abi.Version {
			continue
		}
		text, err := tck.Record(s, tckHost{newHost(t, Options{})})
		if err == nil {
			err = os.WriteFile(filepath.Join("..", "..", "abi", "testdata", version, "goldens.json"), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
