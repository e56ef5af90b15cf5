package suggest

import (
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
)

// recorder makes a ledger as a relay would have written it.
type recorder struct {
	t      testing.TB
	id     string
	player *replay.Player
	lines  []abi.Value
	now    time.Time
}

const observing = "callgate: 1\npacks: none\nsettings: {mode: observe, default: deny, unknown_server: allow, unlisted: allow}\n"

// record opens a ledger under a policy.
func record(t testing.TB, id, server, text string) *recorder {
	t.Helper()
	p, err := policy.Load(policy.Options{Files: []string{"/srv/observe.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return []byte(text), nil }})
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{t: t, id: id, player: replay.New(replay.Options{Policy: p, Specs: builtin.Table()}), now: time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)}
	r.event(abi.Event{Session: &abi.SessionEvent{
		ID: "s-" + id, New: true, File: id, Server: server, Place: abi.Place{Dir: "/srv/work", Home: "/home/me", Platform: "linux"},
		Protected: []string{"/home/me/.local/state/callgate"},
	}})
	r.event(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value(), Files: p.Files()}})
	return r
}

// event records an event and what the gate answers.
func (r *recorder) event(e abi.Event) *abi.Verdict {
	r.t.Helper()
	e.Seq, e.Time = uint64(len(r.lines)), r.now
	r.now = r.now.Add(time.Second)
	v, err := abi.Parse(e.Append(nil))
	if err != nil {
		r.t.Fatal(err)
	}
	r.lines = append(r.lines, v)
	answers, _, err := r.player.Feed(v, e.Seq)
	if err != nil {
		r.t.Fatal(err)
	}
	var verdict *abi.Verdict
	for _, a := range answers {
		line, err := abi.Parse(a.Append(nil))
		if err != nil {
			r.t.Fatal(err)
		}
		r.lines = append(r.lines, line)
		if a.Verdict != nil {
			verdict = a.Verdict
		}
	}
	return verdict
}

// tools lists tools, each as JSON.
func (r *recorder) tools(server string, definitions ...string) {
	r.t.Helper()
	var list []abi.Value
	for _, d := range definitions {
		list = append(list, parsed(r.t, d))
	}
	r.event(abi.Event{Tools: &abi.ToolsEvent{Server: server, List: list}})
}

// call records a call and the text that its server answers with.
func (r *recorder) call(name, arguments, answer string) *abi.Verdict {
	r.t.Helper()
	server, tool, _ := strings.Cut(name, "/")
	id := r.id[:6] + "-" + itoa(len(r.lines))
	v := r.event(abi.Event{Call: &abi.Call{ID: id, Kind: abi.KindTool, Server: server, Tool: tool, Arguments: parsed(r.t, arguments)}})
	if v != nil && v.Enforced() == abi.Allow {
		result := replay.TextResult(answer)
		r.event(abi.Event{Result: &abi.ResultEvent{Call: id, Server: server, Value: result, Bytes: int64(len(answer))}})
	}
	return v
}

func itoa(n int) string { return string(abi.IntValue(int64(n)).Append(nil)) }

func parsed(t testing.TB, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatal(err, text)
	}
	return v
}

func (r *recorder) ledger() Ledger {
	lines := r.lines
	return Ledger{Name: r.id, ID: r.id, Events: func() iter.Seq2[abi.Value, error] {
		return func(yield func(abi.Value, error) bool) {
			for _, v := range lines {
				if !yield(v, nil) {
					return
				}
			}
		}
	}}
}

func options() Options {
	return Options{Path: "/srv/work/suggested.yaml", Cases: "/srv/work/suggested.cases.yaml", Specs: builtin.Table()}
}

func suggest(t testing.TB, list ...*recorder) *Suggestion {
	t.Helper()
	var ledgers []Ledger
	for _, r := range list {
		ledgers = append(ledgers, r.ledger())
	}
	s, err := FromLedgers(ledgers, options())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	readMail  = `{"name":"read_email","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}`
	sendMail  = `{"name":"send_email","inputSchema":{"type":"object","properties":{"to":{"type":"array","items":{"type":"string"}},"subject":{"type":"string"},"body":{"type":"string"}},"required":["to","subject","body"]}}`
	readFile  = `{"name":"read_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"mode":{"enum":["text","raw"]}},"required":["path"]}}`
	writeFile = `{"name":"write_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"overwrite":{"type":"boolean"}},"required":["path","content"]}}`
)

const (
	deleteFile = `{"name":"delete_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`
	fetch      = `{"name":"get_page","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}`
)

// approve is a person's yes.
func approve(call string) abi.Event {
	return abi.Event{Approval: &abi.ApprovalEvent{Call: call, Yes: true, By: "eval"}}
}
