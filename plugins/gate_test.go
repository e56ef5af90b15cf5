package plugins_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
	"github.com/callgate/callgate/host/wasm"
)

// incidents are the plugins whose cases are taken from incidents, and how many of
// those are calls of tools.
var incidents = map[string]int{"sql-readonly": 38, "k8s-manifest": 4, "split-secret": 17}

// TestIncidentsAreStoppedBehindAPolicy plays the cases of incidents as calls, under
// a policy that allows everything and names the plugin. What the plugin labels,
// the gate keeps.
func TestIncidentsAreStoppedBehindAPolicy(t *testing.T) {
	for name, want := range incidents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module, m := build(t, name)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, name+".wasm"), module, 0o600); err != nil {
				t.Fatal(err)
			}
			shelf := wasm.NewShelf(wasm.Options{CacheDir: filepath.Join(dir, "cache"), Compiler: []string{os.Args[0], compileVerb}}, filepath.Join(dir, "kept"))
			file := filepath.Join(name, "cases", "incidents.yaml")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := cases.LoadPlugin(file, data, m)
			if err != nil {
				t.Fatal(err)
			}
			played := 0
			for _, c := range f.Cases {
				if playable(&c) {
					play(t, dir, name, shelf, &c)
					played++
				}
			}
			if played != want {
				t.Errorf("%d cases are played; want %d", played, want)
			}
		})
	}
}

// playable says whether a case is a call of a tool, in a session that begins with it.
func playable(c *cases.PluginCase) bool {
	for _, s := range c.Steps {
		if s.Want.Class != "" || s.Snapshot.Get("session").Exists() || abi.CallKind(s.Snapshot.At("/call/kind").Str()) == abi.KindResource {
			return false
		}
	}
	return true
}

func play(t *testing.T, dir, name string, shelf *wasm.Shelf, c *cases.PluginCase) {
	t.Helper()
	path := filepath.Join(dir, "policy.yaml")
	source := `{"callgate":1,"settings":{"default":"allow"},"plugins":[{"name":"` + name + `","use":"./` + name + `.wasm","on":{"tools":["*/*"]},"with":` + c.Settings.String() + `}]}`
	read := func(string) ([]byte, error) { return []byte(source), nil }
	p, err := policy.Load(policy.Options{Files: []string{path}, Read: read, Specs: builtin.Table()})
	if err != nil {
		t.Fatal(err)
	}
	list, err := replay.ToolList(parsed(`[{"name":"tool","inputSchema":{"type":"object"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	player := replay.New(replay.Options{
		Policy: p, Specs: builtin.Table(), Plugin: shelf.Plugin, Place: abi.Place{Dir: "/srv", Home: "/home/me", Platform: "linux"},
		Tools: map[string][]abi.Value{"server": list},
	})
	for i, s := range c.Steps {
		call := abi.ObjectValue(
			abi.Member{Name: "server", Value: text("server")}, abi.Member{Name: "tool", Value: text("tool")},
			abi.Member{Name: "arguments", Value: s.Snapshot.At("/call/arguments")},
		)
		answers, _, err := player.Feed(abi.ObjectValue(abi.Member{Name: "call", Value: call}), uint64(i))
		if err != nil || len(answers) == 0 || answers[0].Verdict == nil {
			t.Fatalf("%s: no verdict: %v", c.Name, err)
		}
		v := answers[0].Verdict
		want := s.Want.Outcome
		if want == "abstain" {
			want = "allow"
		}
		if v.Outcome.String() != want || want != "allow" && (v.Contract != name || s.Want.Code != "" && v.Code != s.Want.Code) {
			t.Errorf("%s: step %d: %s by %s, %s %q; want %s, %s", c.Name, i, v.Outcome, v.Contract, v.Code, v.Reason, want, s.Want.Code)
		}
	}
}
