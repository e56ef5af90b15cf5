package ledger

import (
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// resumeDir makes the directory of a server that has made n calls, three lines
// of 300 to 800 bytes for each.
func resumeDir(b *testing.B, n int) (dir string, lines int) {
	dir = b.TempDir()
	l, _ := mustOpen(b, options(dir, 0))
	parse := func(format string, args ...any) abi.Value {
		v, err := abi.Parse(fmt.Appendf(nil, format, args...))
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
	var buf []byte
	var token Token
	for i := range n {
		at, id := begin.Add(time.Duration(i)*time.Second), fmt.Sprintf("abcdef-%d", 3*i)
		arguments := parse(`{"path":"/srv/share/reports/q%d.md","to":["ada%d@corp.example","bob@corp.example"],"limit":50,"note":"the quarterly report of the team, as asked for"}`, i, i)
		value := parse(`{"content":[{"type":"text","text":"Report %d\n\nWrite to team%d@corp.example, or see https://corp.example/reports/%d for the rest.\nThe numbers are in /srv/share/numbers/%d.csv; Ada has checked \"all\" of them.\nNothing else has changed since the last one, which was sent on the first of the month.\n"}],"structuredContent":{"rows":%d,"ok":true}}`, i, i, i, i, i)
		events := []abi.Event{
			{Call: &abi.Call{ID: id, Kind: abi.KindTool, Server: "files", Tool: "read_text_file", Digest: arguments.Digest(), Bytes: 300, Arguments: arguments}},
			{Cause: uint64(3 * i), Caused: true, Verdict: &abi.Verdict{ID: id, Outcome: abi.Allow, Contract: "coverage", Code: "covered", Reason: "the policy covers the tool and no contract objects to its arguments", At: []string{"/path", "/to/0"}}},
			{Result: &abi.ResultEvent{Call: id, Server: "files", Bytes: 400, Value: value}},
		}
		for _, e := range events {
			e.Seq, e.Time = uint64(lines), at
			buf = e.Append(buf[:0])
			var err error
			if token, err = l.AppendCanonical(e.Seq, buf); err != nil {
				b.Fatal(err)
			}
			lines++
		}
	}
	if err := l.Wait(token); err != nil {
		b.Fatal(err)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return dir, lines
}

// BenchmarkResume reads the ledger of a server that has made 10,000 calls.
func BenchmarkResume(b *testing.B) {
	dir, lines := resumeDir(b, 10_000)
	report, err := VerifyGroup(dir)
	if err != nil {
		b.Fatal(err)
	}
	cases := []struct {
		name string
		set  func(*Options)
	}{
		{"verify", func(*Options) {}},
		{"parse", func(o *Options) { o.Event = func(File, abi.Event) error { return nil } }},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				seen := 0
				o := options(dir, 1)
				c.set(&o)
				if each := o.Event; each != nil {
					o.Event = func(f File, e abi.Event) error { seen++; return each(f, e) }
				}
				p, _, err := o.verifyPrior(File{Path: report[0].Path}, &chain{})
				if err != nil || p.Lines != lines || p.Last != report[0].Last || seen != lines && o.Event != nil {
					b.Fatal(p, err)
				}
			}
			b.ReportMetric(float64(lines), "lines")
		})
	}
}
