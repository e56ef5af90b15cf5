package packs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
	"github.com/callgate/callgate/packs"
)

// TestCases runs each pack's cases twice: with the recorded tools of the
// servers, and with tools pinned from the calls, as a user without a list does.
func TestCases(t *testing.T) {
	ran := 0
	for _, name := range packs.Names() {
		path := filepath.Join("cases", name+".yaml")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("pack %s has no cases: %v", name, err)
			continue
		}
		f, err := cases.Load(path, data)
		if err != nil {
			t.Fatal(err)
		}
		p, err := policy.Load(policy.Options{Files: f.Policies, Specs: builtin.Table()})
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Cases) < 8 {
			t.Errorf("%s: %d cases; want at least 8", path, len(f.Cases))
		}
		place := abi.Place{Dir: "/srv", Home: "/home/me", Platform: "linux"}
		for _, tools := range []map[string][]abi.Value{nil, recorded(t)} {
			for _, r := range cases.Run(f, replay.Options{Policy: p, Specs: builtin.Table(), Tools: tools, Place: place}) {
				ran++
				for _, x := range r.Failures {
					t.Errorf("%s:%d: %s: %s", path, x.Line, r.Name, x.Text)
				}
			}
		}
		if one := outcomes(f); !one["allow"] || !one["deny"] {
			t.Errorf("%s: wants only %v", path, one)
		}
	}
	if ran == 0 {
		t.Fatal("no cases")
	}
}

// recorded reads the tools of every recorded server, by the name that the cases
// give it: its file's.
func recorded(t *testing.T) map[string][]abi.Value {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "testdata", "mcp-tools", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recorded tools: %v", err)
	}
	lists := map[string][]abi.Value{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		v, err := abi.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		lists[strings.TrimSuffix(filepath.Base(path), ".json")] = v.Get("tools").Items()
	}
	return lists
}

func outcomes(f *cases.File) map[string]bool {
	seen := map[string]bool{}
	for _, c := range f.Cases {
		for _, s := range c.Steps {
			if s.Want != nil {
				seen[s.Want.Outcome] = true
			}
		}
	}
	return seen
}
