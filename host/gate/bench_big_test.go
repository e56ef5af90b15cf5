package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/policy"
)

// bigPolicy is a policy of 200 rules about 40 tools: five slots for each.
func bigPolicy() string {
	var b strings.Builder
	b.WriteString("callgate: 1\npacks: none\nsettings: {default: deny}\nservers: {big: {cwd: /srv/work}}\ntools:\n")
	for i := range 40 {
		fmt.Fprintf(&b, `  big/tool_%02d:
    verdict: allow
    sink: none
    args:
      - {slot: path, allow: ["/srv/work/**", "/srv/shared/%02d/**"], deny: ["**/.env", "**/.git/**", "/srv/work/private/**"]}
      - {slot: repo, allow: [acme/site, acme/api, acme/docs]}
      - {slot: sql, deny_pattern: ['drop\s+table', 'truncate\s', 'into\s+(out|dump)file'], allow_pattern: ["(?i)select .*"]}
      - {slot: rows, max: 1000}
      - {arg: note, max_bytes: 4KiB}
`, i, i)
	}
	return b.String()
}

// bigArguments is a call of about 2 KB.
func bigArguments(b testing.TB) abi.Value {
	note := strings.Repeat("the quarterly report is late, ", 54)
	v := value(b, fmt.Sprintf(`{"path":"/srv/work/reports/q3.md","repo":"acme/site","query":"select id, name from reports where quarter = 3 and note <> 'a; b'",
		"limit":100,"note":%q,"options":{"tags":["a","b","c"],"nested":{"files":["/srv/work/a","/srv/work/b","/srv/shared/07/c"]},"title":"report"},"id":"r-17"}`, note))
	if n := len(v.Append(nil)); n < 1800 || n > 2200 {
		b.Fatalf("the arguments have %d bytes", n)
	}
	return v
}

// BenchmarkStepBigPolicy measures a call under 200 rules, and says what half of
// the calls take at most. Beside it, in the same run, is the floor: the digest of
// the arguments, which every call that is written down pays.
func BenchmarkStepBigPolicy(b *testing.B) {
	p := load(b, bigPolicy())
	r := bigRun(b, p)
	arguments := bigArguments(b)
	now, seq := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), r.seq
	took, floor := make([]time.Duration, 0, 1<<16), make([]time.Duration, 0, 1<<16)
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		call := r.state.Freeze(abi.Event{Seq: seq, Time: now, Call: &abi.Call{Server: "big", Tool: "tool_07", Arguments: arguments}})
		begun := time.Now()
		answers := gate.Step(r.state, call)
		took = append(took, time.Since(begun))
		begun = time.Now()
		if arguments.Digest() != call.Call.Digest {
			b.Fatal("another digest")
		}
		floor = append(floor, time.Since(begun))
		if v := answers[0].Verdict; v == nil || v.Outcome != abi.Allow {
			b.Fatalf("want allow, got %+v", answers)
		}
		seq += 1 + uint64(len(answers))
		gate.Step(r.state, abi.Event{Seq: seq, Time: now, Result: &abi.ResultEvent{Call: call.Call.ID, Server: "big", Value: value(b, `{"content":[]}`)}})
		seq++
		for r.state.Settle() {
		}
	}
	slices.Sort(took)
	slices.Sort(floor)
	half := float64(took[len(took)/2])
	b.ReportMetric(half/1e3, "p50-µs")
	b.ReportMetric(half/float64(floor[len(floor)/2]), "floors")
}

func bigRun(t testing.TB, p *policy.Policy) *run {
	r := start(t, p)
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"name":"tool_%02d","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"repo":{"type":"string"},
			"query":{"type":"string"},"limit":{"type":"integer"},"note":{"type":"string"},"options":{"type":"object"},"id":{"type":"string"}}}}`, i))
	}
	r.tools("big", list...)
	return r
}

func TestABigPolicyJudgesEachRule(t *testing.T) {
	r := bigRun(t, load(t, bigPolicy()))
	good := bigArguments(t)
	refused := 0
	for name, bad := range map[string]string{"path": `"/etc/passwd"`, "repo": `"acme/other"`, "query": `"select 1; drop table x"`, "limit": `1001`, "note": `"` + strings.Repeat("x", 5000) + `"`} {
		v := verdict(t, r.step(abi.Event{Call: &abi.Call{Server: "big", Tool: "tool_07", Arguments: good.With(name, value(t, bad))}}))
		if v.Outcome != abi.Deny || v.Contract != "args" {
			t.Errorf("%s: %s is answered with %s by %s", name, bad, v.Outcome, v.Contract)
		}
		refused++
	}
	if v := verdict(t, r.step(abi.Event{Call: &abi.Call{Server: "big", Tool: "tool_07", Arguments: good.With("path", value(t, `"/srv/shared/07/x"`)).With("options", value(t, "{}"))}})); v.Outcome != abi.Allow || refused == 0 {
		t.Errorf("what every rule allows is answered with %s by %s: %s", v.Outcome, v.Contract, v.Reason)
	}
}
