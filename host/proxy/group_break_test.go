package proxy_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/replay"
	"github.com/callgate/callgate/host/segment"
)

func loaded(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Load(policy.Options{Files: []string{"/policy.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return []byte(text), nil }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func openIn(t *testing.T, dir, server, text string) *proxy.Opened {
	t.Helper()
	p := loaded(t, text)
	o, err := proxy.Open(proxy.Opening{Policy: p, Specs: builtin.Table(), Server: server, Group: "g", Dir: dir, Place: abi.Place{Dir: "/srv"}})
	if err != nil {
		t.Fatal(err)
	}
	listed := abi.Event{Tools: &abi.ToolsEvent{Server: server, List: []abi.Value{parsed(t, `{"name":"send"}`), parsed(t, `{"name":"ask"}`)}}}
	if _, err := o.Engine.Step(listed); err != nil {
		t.Fatal(err)
	}
	return o
}

func parsed(t *testing.T, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func step(t *testing.T, o *proxy.Opened, e abi.Event) *abi.Verdict {
	r, err := o.Engine.Step(e)
	if err != nil {
		t.Error(err)
		return nil
	}
	return r.Verdict()
}

func toolCall(server, name string) abi.Event {
	return abi.Event{Call: &abi.Call{Kind: abi.KindTool, Server: server, Tool: name}}
}

// use makes calls through one server of a group, some of which people answer
// or fail, and starts it again from time to time. It returns how many were allowed
// and how many of those had failed.
func use(t *testing.T, dir, server, text string, seed uint64, allowed, failed *atomic.Int64) {
	random := rand.New(rand.NewPCG(seed, 1))
	o := openIn(t, dir, server, text)
	defer func() { _ = o.Close() }()
	for range 30 {
		if random.IntN(12) == 0 {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
			o = openIn(t, dir, server, text)
		}
		v := step(t, o, toolCall(server, []string{"send", "ask"}[random.IntN(2)]))
		if v != nil && v.Outcome == abi.Ask {
			call := v.ID
			switch random.IntN(4) {
			case 0:
				step(t, o, abi.Event{Lapsed: &abi.LapsedEvent{Call: call, Cancelled: random.IntN(2) == 0}})
				continue
			default:
				v = step(t, o, abi.Event{Approval: &abi.ApprovalEvent{Call: call, Yes: true, By: abi.ChannelTerminal}})
			}
		}
		if v == nil || v.Outcome != abi.Allow {
			continue
		}
		switch random.IntN(3) {
		case 0:
			failed.Add(1)
			step(t, o, abi.Event{Result: &abi.ResultEvent{Call: v.ID, Server: server, Value: parsed(t, `{"content":[],"isError":true}`)}})
		case 1:
			step(t, o, abi.Event{Result: &abi.ResultEvent{Call: v.ID, Server: server, Value: parsed(t, `{"content":[]}`)}})
		}
		allowed.Add(1)
	}
}

// Whatever the servers of a group do at the same time, they do not take more
// than there is, and a replay of each gives the same answers.
func TestServersThatRunAtOnceNeverTakeMoreThanTheBudgetHas(t *testing.T) {
	tried := 0
	for i, c := range []struct{ count, per string }{
		{"attempts", "session"}, {"commits", "session"}, {"successes", "session"}, {"attempts", "1h"}, {"commits", "1h"}, {"successes", "1h"},
	} {
		for _, ledgerMode := range []string{"full", "digests"} {
			if ledgerMode == "digests" && c.count != "commits" {
				continue
			}
			const most = 12
			text := "callgate: 1\npacks: none\nsettings: {default: allow, ledger: " + ledgerMode + ", max_asks: 100000}\ntools:\n  \"*/ask\": {verdict: ask}\n" +
				fmt.Sprintf("budgets:\n  - {name: b, tools: [\"*/*\"], max: %d, per: %s, count: %s}\n", most, c.per, c.count)
			dir := t.TempDir()
			var allowed, failed atomic.Int64
			var wg sync.WaitGroup
			for s := range 4 {
				wg.Go(func() { use(t, dir, fmt.Sprintf("s%d", s), text, uint64(100*i+s), &allowed, &failed) })
			}
			wg.Wait()
			took := allowed.Load()
			if c.count == "successes" {
				took -= failed.Load()
			}
			if took > most || took == 0 || c.count == "commits" && took != most {
				t.Errorf("%s per %s, ledger %s: %d of %d were taken", c.count, c.per, ledgerMode, took, most)
			}
			replayed(t, dir, text, ledgerMode)
			tried++
		}
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}

// replayed replays every file of a group and compares the answers.
func replayed(t *testing.T, dir, text, mode string) {
	t.Helper()
	files, err := ledger.Group(dir)
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	kept := segment.NewReader(dir)
	defer kept.Close()
	answers := 0
	for _, f := range files {
		p := replay.New(replay.Options{Policy: loaded(t, text), Specs: builtin.Table(), Prior: replay.Files(files), Text: kept})
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		var due [][]byte
		for i, line := range bytes.SplitAfter(data, []byte("\n")) {
			if len(line) == 0 {
				break
			}
			v, err := abi.ParseEventValue(line)
			if err != nil {
				t.Fatal(err)
			}
			out, recorded, err := p.Feed(v, uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			if recorded != nil {
				if len(due) == 0 {
					t.Fatalf("%s:%d: an answer that the replay has not: %s", f.Path, i+1, line)
				}
				was, is := recorded.AppendAnswer(nil), due[0]
				if !bytes.Equal(was, is) && mode == "full" {
					t.Fatalf("%s:%d: was %s\nis %s", f.Path, i+1, was, is)
				}
				due, answers = due[1:], answers+1
				continue
			}
			if len(due) > 0 {
				t.Fatalf("%s:%d: %d answers are missing, such as %s", f.Path, i+1, len(due), due[0])
			}
			for _, a := range out {
				due = append(due, a.AppendAnswer(nil))
			}
		}
		if p.Gap {
			t.Error(f.Path, "can not be replayed in full")
		}
	}
	if answers == 0 {
		t.Error("no answer was compared")
	}
}
