package proxy

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
)

// benchGroup opens a process of the group in a directory.
func benchGroup(b testing.TB, dir, server string) *Opened {
	b.Helper()
	p, err := policy.Load(policy.Options{Specs: builtin.Table()})
	if err != nil {
		b.Fatal(err)
	}
	opened, err := Open(Opening{Policy: p, Specs: builtin.Table(), Server: server, Group: "g", Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	return opened
}

func benchValue(b testing.TB, format string, args ...any) abi.Value {
	b.Helper()
	v, err := abi.Parse(fmt.Appendf(nil, format, args...))
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// benchList lists the tool of a server.
func benchList(b testing.TB, o *Opened, server string) {
	b.Helper()
	list := benchValue(b, `{"name":"read_text_file","description":"Reads a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"},"note":{"type":"string"}}}}`)
	if _, err := o.Engine.Step(abi.Event{Tools: &abi.ToolsEvent{Server: server, List: []abi.Value{list}}}); err != nil {
		b.Fatal(err)
	}
}

// benchCall has a call judged, which must be allowed, and returns its id.
func benchCall(b testing.TB, o *Opened, server string, arguments abi.Value) string {
	r, err := o.Engine.Step(abi.Event{Call: &abi.Call{Kind: abi.KindTool, Server: server, Tool: "read_text_file", Arguments: arguments}})
	if v := r.Verdict(); err != nil || v == nil || v.Outcome != abi.Allow {
		b.Fatal(err, v)
	}
	return r.Verdict().ID
}

func benchAnswer(b testing.TB, o *Opened, server, id string, result abi.Value) {
	if _, err := o.Engine.Step(abi.Event{Result: &abi.ResultEvent{Call: id, Server: server, Bytes: 400, Value: result}}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkStepBesideQuietPeers is a call and its result, alone in a group and
// beside five processes that do nothing, in turns. The calls are not waited for
// until they are durable.
func BenchmarkStepBesideQuietPeers(b *testing.B) {
	alone, beside := b.TempDir(), b.TempDir()
	for n := range 5 {
		server := fmt.Sprint("quiet", n)
		o := benchGroup(b, beside, server)
		defer o.Close()
		benchList(b, o, server)
		benchAnswer(b, o, server, benchCall(b, o, server, benchValue(b, `{"path":"/srv/a.md"}`)), benchValue(b, `{"content":[]}`))
	}
	old := time.Now().Add(-time.Minute)
	arguments, result := benchValue(b, `{"path":"/srv/share/reports/q3.md","limit":50}`), benchValue(b, `{"content":[{"type":"text","text":"done: 1 item"}]}`)
	var engines []*Opened
	for _, dir := range []string{alone, beside} {
		o := benchGroup(b, dir, "files")
		defer o.Close()
		benchList(b, o, "files")
		engines = append(engines, o)
	}
	var spent [2][]time.Duration
	round := func(n int, keep bool) {
		for i, o := range engines {
			start := time.Now()
			for range n {
				benchAnswer(b, o, "files", benchCall(b, o, "files", arguments), result)
			}
			if keep {
				spent[i] = append(spent[i], time.Since(start)/time.Duration(n))
			}
		}
	}
	round(200, false)
	for _, dir := range []string{alone, beside} {
		if err := os.Chtimes(dir, old, old); err != nil { // nothing was made in it a moment ago
			b.Fatal(err)
		}
	}
	for dir, want := range map[string]int{alone: 1, beside: 6} {
		if files, err := ledger.Group(dir); err != nil || len(files) != want {
			b.Fatalf("%d files, %v; want %d", len(files), err, want)
		}
	}
	rounds := 0
	for b.Loop() {
		round(20, true)
		rounds++
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2]) / 1e3
	}
	one, five := median(spent[0]), median(spent[1])
	b.ReportMetric(one, "µs/call-alone")
	b.ReportMetric(five, "µs/call-beside")
	b.ReportMetric(five-one, "µs/call-added")
}

// benchGroupPast makes the files of five servers that have made n calls
// together, each on behalf of a process that has ended.
func benchGroupPast(b testing.TB, dir string, n int) {
	b.Helper()
	const servers = 5
	for s := range servers {
		server := fmt.Sprint("files", s)
		o := benchGroup(b, dir, server)
		benchList(b, o, server)
		for i := range n / servers {
			id := benchCall(b, o, server, benchValue(b, `{"path":"/srv/share/reports/q%d.md","limit":50,"note":"the quarterly report of the team, as asked for by ada%d@corp.example"}`, i, i))
			benchAnswer(b, o, server, id, benchValue(b, `{"content":[{"type":"text","text":"Report %d\n\nWrite to team%d@corp.example, or see https://corp.example/reports/%d for the rest.\nThe numbers are in /srv/share/numbers/%d.csv; Ada has checked \"all\" of them.\nNothing else has changed since the last one, which was sent on the first of the month.\n"}],"structuredContent":{"rows":%d,"ok":true}}`, i, i, i, i, i))
		}
		if err := o.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkResumeGroup starts a process of a group of five servers that have
// made 10,000 calls: all of it is read, verified and folded. The fastest start is
// told too, as the machine may have other things to do, and what it had left for
// later: until that is done, a call that asks where something came from waits.
func BenchmarkResumeGroup(b *testing.B) {
	dir := b.TempDir()
	benchGroupPast(b, dir, 10_000)
	b.ReportAllocs()
	var fastest, left time.Duration
	for b.Loop() {
		start := time.Now()
		o := benchGroup(b, dir, "files0")
		opened := time.Now()
		b.StopTimer()
		o.Engine.Settle()
		if took := opened.Sub(start); fastest == 0 || took < fastest {
			fastest, left = took, time.Since(opened)
		}
		if err := o.Close(); err != nil {
			b.Fatal(err)
		}
		if err := os.Remove(o.Ledger.Path()); err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		b.StartTimer()
	}
	b.ReportMetric(float64(fastest.Microseconds())/1e3, "ms-fastest")
	b.ReportMetric(float64(left.Microseconds())/1e3, "ms-left-then")
}
