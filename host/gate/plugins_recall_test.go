package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

// Policy and floor may have a plugin of the same name each. Of the two that answered,
// the one that the clock stopped is replayed from the record, and the other asked.
func TestOneOfTwoPluginsOfAName(t *testing.T) {
	entry := func(who string) string {
		return strings.Replace(binding("p"), "mode: enforce", "with: {who: "+who+"}", 1)
	}
	p := loadPlugins(t, entry("policy"), strings.Replace(entry("floor"), "packs: none\n", "", 1))
	for _, stopped := range []string{"policy", "floor", "both", "none"} {
		says := func(stopped string) fakes {
			return fakes{"p": func(v abi.Value) string {
				who := v.At("/settings/who").Str()
				if v.Get("phase").Str() == "call" && (stopped == who || stopped == "both") {
					return "fails watchdog"
				}
				return `{"outcome":"abstain","tags":{"who":"` + who + `"}}`
			}}
		}
		r := &run{t: t, state: gate.New(gate.Options{Specs: builtin.Table(), Plugin: says(stopped).load(t)})}
		r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-1", Server: "s", File: "abcdef0123", Place: here}})
		r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
		r.tools("s", tool("send", "note"))
		v := verdict(t, r.call("s", "send", `{}`))
		if want := map[string]string{"none": "allow "}[stopped]; v.Outcome.String()+" "+v.Code != want && (want != "" || v.Code != "PLUGIN_WATCHDOG") {
			t.Errorf("%s: %s", stopped, v.JSON())
		}
		again := gate.New(gate.Options{Specs: builtin.Table(), Plugin: says("none").load(t)})
		if recorded, replayed := r.recalled(again); recorded != replayed {
			t.Errorf("%s: recorded\n%s\nreplayed\n%s", stopped, recorded, replayed)
		}
	}
}

// recalled replays a run in a fresh state that is told what was answered, and
// returns the answers of both.
func (r *run) recalled(again *gate.State) (recorded, replayed string) {
	var was, is []string
	for i, e := range r.events {
		if e.Caused {
			was = append(was, e.String())
			continue
		}
		answers := r.events[i+1:]
		for n, a := range answers {
			if !a.Caused {
				answers = answers[:n]
				break
			}
		}
		again.Recall(answers)
		for _, a := range gate.Step(again, e) {
			is = append(is, a.String())
		}
	}
	return strings.Join(was, "\n"), strings.Join(is, "\n")
}
