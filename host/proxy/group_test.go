package proxy

import (
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/wasm"
)

// groupOf opens a process of a group under a policy with a shared budget.
func groupOf(t *testing.T, dir, server string) *Opened { return groupWith(t, dir, server, "") }

// groupWith is groupOf with more in the policy.
func groupWith(t *testing.T, dir, server, more string) *Opened {
	t.Helper()
	text := "callgate: 1\npacks: none\nsettings: {default: allow}\nbudgets: [{name: b, tools: [\"*/count\"], max: 3}]\n" + more
	p, err := policy.Load(policy.Options{
		Files: []string{"/p.yaml"}, Specs: builtin.Table(), Run: true, Group: true, Read: func(string) ([]byte, error) { return []byte(text), nil },
		Module: func(string) ([]byte, error) {
			return abi.WithManifest([]byte("\x00asm\x01\x00\x00\x00"), []byte(`{"schema":"callgate.plugin/v0","name":"p","version":"1.0.0","abi":"1.0","license":"MIT","phases":["call"]}`))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	o, err := Open(Opening{Policy: p, Specs: builtin.Table(), Server: server, Group: "g", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	list := benchValue(t, `{"name":"count","inputSchema":{"type":"object"}}`)
	if _, err := o.Engine.Step(abi.Event{Tools: &abi.ToolsEvent{Server: server, List: []abi.Value{list}}}); err != nil {
		t.Fatal(err)
	}
	return o
}

func counting(server string) abi.Event {
	return abi.Event{Call: &abi.Call{Kind: abi.KindTool, Server: server, Tool: "count"}}
}

// TestWhatWasReadForACallThatCouldNotBeJudgedIsRecorded: the state has read on,
// so a replay must know, whatever became of the call.
func TestWhatWasReadForACallThatCouldNotBeJudgedIsRecorded(t *testing.T) {
	dir := t.TempDir()
	mail, web := groupOf(t, dir, "mail"), groupOf(t, dir, "web")
	allowed := func(o *Opened, server string) bool {
		r, err := o.Engine.Step(counting(server))
		if err != nil || r.Verdict() == nil {
			t.Fatal(err)
		}
		return r.Verdict().Outcome == abi.Allow
	}
	if !allowed(web, "web") {
		t.Fatal("want the first call allowed")
	}
	free := mail.Engine.group
	closed, err := ledger.OpenGroupLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	mail.Engine.group = closed
	if _, err := mail.Engine.Step(counting("mail")); err == nil {
		t.Fatal("want no verdict without the lock")
	}
	mail.Engine.group = free
	if got := [3]bool{allowed(mail, "mail"), allowed(mail, "mail"), allowed(mail, "mail")}; got != [3]bool{true, true, false} {
		t.Error("want two more calls allowed of three")
	}
	reads := 0
	err = ledger.Read(mail.Ledger.Path(), func(line []byte) error {
		if strings.Contains(string(line), `"read":{"file":"`+web.Ledger.ID()[:12]) && strings.Contains(string(line), `"server":"web"`) {
			reads++
		}
		return nil
	})
	if err != nil || reads != 1 {
		t.Errorf("%d read events of the other file, %v; want one", reads, err)
	}
}

// TestABudgetIsLockedAlsoWhereNobodyElseSeemsToLive: another process may join
// between the last look and the verdict.
func TestABudgetIsLockedAlsoWhereNobodyElseSeemsToLive(t *testing.T) {
	mail := groupOf(t, t.TempDir(), "mail")
	free := mail.Engine.group
	closed, err := ledger.OpenGroupLock(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	other := counting("mail")
	other.Call.Tool = "unknown"
	cases := []struct {
		name   string
		lock   *ledger.GroupLock
		call   abi.Event
		judged bool
	}{
		{"a call that counts, with the lock", free, counting("mail"), true},
		{"a call that counts, without", closed, counting("mail"), false},
		{"a call that counts nowhere, without", closed, other, true},
	}
	for _, c := range cases {
		mail.Engine.group = c.lock
		if r, err := mail.Engine.Step(c.call); (err == nil && r.Verdict() != nil) != c.judged {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	mail.Engine.group = free
}

// TestAPluginOfAnotherProcessIsWaitedFor until the clock would have stopped it, and
// contracts no longer than they ever take.
func TestAPluginOfAnotherProcessIsWaitedFor(t *testing.T) {
	const plugin = `plugins: [{name: p, use: ./p.wasm, on: {tools: ["*"]}}]`
	if got := groupWith(t, t.TempDir(), "mail", plugin).Engine.patience(); got <= wasm.EvaluateWall {
		t.Errorf("with plugins: %v; want more than one may take, %v", got, wasm.EvaluateWall)
	}
	if got := groupOf(t, t.TempDir(), "mail").Engine.patience(); got > 2*time.Second {
		t.Errorf("without: %v", got)
	}
}
