package plugin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/abi"
)

// FuzzInspect reads anything as a module. What it finds nothing wrong with has a
// manifest and can be walked.
func FuzzInspect(f *testing.F) {
	var seeds []string
	for _, pattern := range []string{goldens + "/refused/*.wasm", goldens + "/[ar]*/*.wasm", "testdata/lax/*.wasm"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		seeds = append(seeds, found...)
	}
	if len(seeds) < 8 {
		f.Fatalf("%d seeds; want the guests", len(seeds))
	}
	for _, name := range seeds {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &Module{Data: data}
		m.Manifest, m.Digest, m.Why = abi.ReadModule(data)
		in := Inspect(m, abi.ObjectValue())
		if in.Report == nil {
			t.Fatal("no report")
		}
		if len(in.Problems) == 0 && (m.Manifest == nil || len(in.Report.ABI) == 0 || len(in.Views) == 0) {
			t.Error("nothing is wrong with it, and it has no manifest, no marker or nothing to judge")
		}
	})
}

func TestInputsAreSnapshotsOfWhatThePluginReads(t *testing.T) {
	m, err := abi.ParseManifest([]byte(`{"schema":"callgate.plugin/v0","name":"a","version":"1.0.0","abi":"1.0","phases":["call"],"reads":["call.arguments"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ input, view string }{
		{`{}`, `{"abi":"1.0","phase":"call","settings":{}}`},
		{`{"time":"2026-01-01T00:00:00Z","call":{"server":"s","arguments":{"b":1,"a":[]}}}`, `{"abi":"1.0","call":{"arguments":{"a":[],"b":1}},"phase":"call","settings":{}}`},
		{`{"settings":{"x":1e999},"session":{"labels":["l"]}}`, `{"abi":"1.0","phase":"call","settings":{"x":1e999}}`},
		{`{"phase":"result"}`, ""}, {`{"cal":{}}`, ""}, {`[]`, ""}, {`{"call":{},"call":{}}`, ""}, {``, ""},
	} {
		view, _, err := ParseInput([]byte(c.input), m)
		if c.view == "" {
			if err == nil {
				t.Errorf("%s: read as %s; want an error", c.input, view)
			}
			continue
		}
		if err != nil || view.String() != c.view {
			t.Errorf("%s: %s, error %v; want %s", c.input, view, err, c.view)
		}
	}
}

// TestSamplesAreOfEveryPhaseKindAndList that a plugin can be asked about.
func TestSamplesAreOfEveryPhaseKindAndList(t *testing.T) {
	seen := map[string]int{}
	for _, s := range Samples(&abi.Manifest{Phases: []abi.Phase{abi.PhaseCall, abi.PhaseResult, abi.PhaseList}, Kinds: abi.Kinds}) {
		seen[s.Name]++
	}
	want := []string{}
	for _, kind := range abi.Kinds {
		want = append(want, "call "+string(kind))
		if !kind.FromServer() { // what a client answers is no result
			want = append(want, "result "+string(kind))
		}
	}
	for _, list := range abi.ListKinds {
		want = append(want, "list "+list)
	}
	for _, name := range want {
		if seen[name] != 1 {
			t.Errorf("%d samples of %s; want one", seen[name], name)
		}
	}
	if len(seen) != len(want) || len(want) < 10 {
		t.Errorf("samples of %v; want %d", seen, len(want))
	}
}
