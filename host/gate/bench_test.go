package gate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/policy"
)

// BenchmarkStep measures a call with its result, as the proxy feeds them.
func BenchmarkStep(b *testing.B) {
	starter, err := policy.Load(policy.Options{})
	if err != nil {
		b.Fatal(err)
	}
	sinks := load(b, "callgate: 1\nsettings: {default: allow}\ntools:\n  mail/send:\n    sink: {to: [to], content: [body], trusted: [ada@corp.example]}\n")
	cases := []struct {
		name      string
		policy    *policy.Policy
		server    string
		tool      string
		arguments string
	}{
		{"starter", starter, "files", "read", `{"path":"/srv/share/reports/q3.md","note":"the quarterly report"}`},
		{"sink", sinks, "mail", "send", `{"to":["ada@corp.example"],"body":"the quarterly report is in /srv/share/reports/q3.md"}`},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) { benchStep(b, c.policy, c.server, c.tool, value(b, c.arguments)) })
	}
}

func benchStep(b *testing.B, p *policy.Policy, server, tool string, arguments abi.Value) {
	r := start(b, p)
	r.tools(server, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, tool))
	result := value(b, `{"content":[{"type":"text","text":"done: 1 item, see /srv/share/log.txt"}]}`)
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	seq := r.seq
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		call := r.state.Freeze(abi.Event{Seq: seq, Time: now, Call: &abi.Call{Server: server, Tool: tool, Arguments: arguments}})
		answers := gate.Step(r.state, call)
		if v := answers[0].Verdict; v == nil || v.Outcome != abi.Allow {
			b.Fatalf("want allow, got %+v", answers)
		}
		seq += 1 + uint64(len(answers))
		gate.Step(r.state, abi.Event{Seq: seq, Time: now, Result: &abi.ResultEvent{Call: call.Call.ID, Server: server, Value: result}})
		seq++
	}
}
