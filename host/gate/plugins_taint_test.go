package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/provenance"
)

// explained counts how often an index is asked.
type explained struct {
	provenance.Index
	times *int
}

func (e explained) Explain(v abi.Value, wanted []abi.Wanted) []abi.Finding {
	*e.times++
	return e.Index.Explain(v, wanted)
}

// Where the values of a call came from is looked up once for all plugins, and not at
// all if none of them reads it.
func TestEvidenceIsLookedUpOnceForAllPlugins(t *testing.T) {
	for reads, want := range map[string]int{`"taint",`: 1, "": 0} {
		m, err := abi.ParseManifest([]byte(strings.Replace(fullManifest(t).Text, `"taint",`, reads, 1)))
		if err != nil {
			t.Fatal(err)
		}
		times, saw := 0, 0
		load := func(ref contract.PluginRef) (contract.Plugin, error) {
			return fake{manifest: m, as: ref.Name, say: func(v abi.Value) string {
				if len(v.Get("taint").Items()) >= 2 {
					saw++
				}
				return abstains
			}}, nil
		}
		index := func(o provenance.Options) provenance.Index { return explained{provenance.New(o), &times} }
		p := loadPlugins(t, binding("p", "q", "r"))
		r := &run{t: t, state: gate.New(gate.Options{Specs: builtin.Table(), Plugin: load, NewIndex: index})}
		r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-1", Server: "s", File: "abcdef0123", Place: here}})
		r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
		r.tools("s", tool("send", "note", "more"))
		if got := r.outcome("s", "send", `{"note":"a","more":"b"}`); got != "allow " || times != want || saw != 3*want {
			t.Errorf("reads %q: %s, looked up %d times, seen by %d; want %d, %d", reads, got, times, saw, want, 3*want)
		}
	}
}
