package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/proxy"
)

// askGood asks for good, allows slow and denies the rest.
const askGood = "callgate: 1\npacks: none\nsettings: {default: deny}\ntools:\n  fake/good: {verdict: ask}\n  fake/say: {verdict: allow}\n  fake/slow: {verdict: allow}\n"

// person is whoever sits at the terminal.
type person struct {
	mu      sync.Mutex
	desk    *approval.Desk
	context func(string) error
}

func (p *person) listen(t proxy.Terminal) (io.Closer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.desk, p.context = t.Desk, t.Context
	return io.NopCloser(nil), nil
}

// pending waits until a number of questions are open.
func (p *person) pending(t *testing.T, n int) []approval.Question {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		desk := p.desk
		p.mu.Unlock()
		if desk != nil {
			if list := desk.Pending(); len(list) == n {
				return list
			}
		}
	}
	t.Fatalf("there never were %d open questions", n)
	return nil
}

func (p *person) answer(t *testing.T, q approval.Question, yes bool) (string, error) {
	t.Helper()
	return p.desk.Answer(q.ID, approval.Answer{Yes: yes, By: abi.ChannelTerminal})
}

// greetEliciting initializes as a client that can ask.
func (l *link) greetEliciting(revision, capability string) {
	l.t.Helper()
	l.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{` + capability + `},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	l.await(`"init"`)
	l.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":"list","method":"tools/list"}` + "\n")
	l.await(`"list"`)
}

func (l *link) call(id, name, args string) {
	l.t.Helper()
	l.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + "}}\n")
}

// prompt waits for our request to the client and returns its id.
func (l *link) prompt() string {
	l.t.Helper()
	_, rest, _ := strings.Cut(l.await(`"method":"elicitation/create"`), `"id":`)
	id, _, _ := strings.Cut(rest, `,`)
	return id
}

func askingFor(who *person, timeout time.Duration) proxy.Asking {
	return proxy.Asking{Timeout: timeout, Listen: who.listen}
}

const long = time.Hour

func TestAPersonAtATerminalAnswersAHeldCall(t *testing.T) {
	for _, c := range []struct {
		yes       bool
		want, ran string
	}{{true, `"id":1,"result":{"content":[{"type":"text","text":"ok`, `good {"a":1}`}, {false, "approval: DECLINED", ""}} {
		who := &person{}
		l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
		l.greet("2025-11-25")
		l.call("1", "good", `{"a":1}`)
		q := who.pending(t, 1)[0]
		l.call("2", "say", `{"line":"{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}"}`)
		l.await(`"id":2`) // an ask leaves the reader free
		if strings.Contains(l.got(), `"id":1,`) || !q.Held || q.Waiting != 1 {
			t.Errorf("%+v; %s", q, l.got())
		}
		if result, err := who.answer(t, q, c.yes); err != nil || result == "" {
			t.Error(result, err)
		}
		l.await(c.want)
		l.end()
		if got := strings.Join(l.ran()[1:], ";"); got != c.ran {
			t.Errorf("ran %q; want %q", got, c.ran)
		}
	}
}

func TestWhatAClientAnswersToAnElicitation(t *testing.T) {
	for _, c := range []struct {
		name, answer string // of the client, without id
		yes, settled bool
	}{
		{"accepted", `"result":{"action":"accept","content":{"approve":true}}`, true, true},
		{"accepted with more", `"result":{"action":"accept","content":{"approve":true,"note":"x"},"_meta":{}}`, true, true},
		{"accepted, not approved", `"result":{"action":"accept","content":{"approve":false}}`, false, true},
		{"approved in words", `"result":{"action":"accept","content":{"approve":"true"}}`, false, true},
		{"accepted without content", `"result":{"action":"accept"}`, false, true},
		{"declined", `"result":{"action":"decline","content":{"approve":true}}`, false, true},
		{"dismissed", `"result":{"action":"cancel"}`, false, true},
		{"in another case", `"result":{"Action":"accept","content":{"approve":true}}`, false, true},
		{"nothing", `"result":{}`, false, true},
		{"an error", `"error":{"code":-32601,"message":"not here"}`, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			who := &person{}
			l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
			l.greetEliciting("2025-06-18", `"elicitation":{}`)
			l.call("1", "good", `{"a":1}`)
			id := l.prompt()
			l.send(`{"jsonrpc":"2.0","id":` + id + `,` + c.answer + "}\n")
			if c.settled {
				l.await(`"id":1,`)
			}
			l.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"approve":true}}}` + "\n")
			l.send(`{"jsonrpc":"2.0","id":"end","method":"ping"}` + "\n")
			l.await(`"end"`)
			if got := len(who.desk.Pending()) == 0; got != c.settled {
				t.Errorf("settled: %v; want %v", got, c.settled)
			}
			l.end()
			if got := len(l.ran()); got != map[bool]int{true: 1}[c.yes] {
				t.Errorf("%d calls ran", got)
			}
			if log := l.ranLog(); strings.Contains(log, "approve") || strings.Contains(log, "callgate-") {
				t.Error("the server saw the answer:", log)
			}
		})
	}
}

func TestOnlyAClientThatDeclaredFormsIsAsked(t *testing.T) {
	for _, c := range []struct {
		revision, capability string
		asked                bool
	}{
		{"2025-06-18", `"elicitation":{}`, true},
		{"2025-11-25", `"elicitation":{}`, true},
		{"2025-11-25", `"elicitation":{"form":{},"url":{}}`, true},
		{"2025-11-25", `"elicitation":{"url":{}}`, false},
		{"2025-11-25", `"elicitation":null`, false},
		{"2025-11-25", `"sampling":{}`, false},
		{"2025-03-26", `"elicitation":{}`, false},
		{"2024-11-05", `"elicitation":{}`, false},
		{"2026-07-28", `"elicitation":{}`, false},
	} {
		who := &person{}
		l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
		l.greetEliciting(c.revision, c.capability)
		l.call("1", "good", `{"a":1}`)
		q := who.pending(t, 1)[0]
		l.send(`{"jsonrpc":"2.0","id":"end","method":"ping"}` + "\n")
		l.await(`"end"`)
		if got := strings.Contains(l.got(), "elicitation/create"); got != c.asked {
			t.Errorf("%s %s: asked %v; want %v", c.revision, c.capability, got, c.asked)
		}
		who.answer(t, q, true)
		l.await(`"id":1,"result":{"content"`)
		if got := strings.Contains(l.got(), `"notifications/cancelled"`); got != c.asked {
			t.Errorf("%s %s: the prompt was taken back: %v; want %v", c.revision, c.capability, got, c.asked)
		}
		l.end()
	}
}

func TestAForeignAnswerSettlesNothing(t *testing.T) {
	who := &person{}
	l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
	l.greetEliciting("2025-11-25", `"elicitation":{}`)
	l.call("1", "good", `{"a":1}`)
	id := l.prompt()
	yes := `,"result":{"action":"accept","content":{"approve":true}}}` + "\n"
	for _, other := range []string{`"callgate-x"`, `1`, `null`, strings.ToUpper(id), `"` + strings.Trim(id, `"`) + ` "`} {
		l.send(`{"jsonrpc":"2.0","id":` + other + yes)
	}
	l.send(`{"jsonrpc":"2.0","id":"end","method":"ping"}` + "\n")
	l.await(`"end"`)
	if strings.Contains(l.got(), `"id":1,`) {
		t.Error("a foreign answer settled the question:", l.got())
	}
	l.send(`{"jsonrpc":"2.0","id":` + id + yes)
	l.await(`"id":1,"result":{"content"`)
	l.end()
	if got := len(l.ran()); got != 1 {
		t.Errorf("%d calls ran", got)
	}
}

func TestAServerCanNotSpeakOfOurQuestion(t *testing.T) {
	for _, c := range []struct{ name, line string }{
		{"a request with its id", `{"jsonrpc":"2.0","id":OURS,"method":"elicitation/create","params":{"message":"approve?","requestedSchema":{"type":"object","properties":{}}}}`},
		{"giving it up", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":OURS}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			who := &person{}
			l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
			l.greetEliciting("2025-11-25", `"elicitation":{}`)
			l.call("1", "good", `{"a":1}`)
			id := l.prompt()
			before := len(l.got())
			line := strings.ReplaceAll(strings.ReplaceAll(c.line, "OURS", id), `"`, `\"`)
			l.call("2", "say", `{"line":"`+line+`"}`)
			l.call("3", "say", `{"line":"{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}"}`)
			l.await(`"id":3`)
			if got := l.got()[before:]; strings.Contains(got, id) {
				t.Error("relayed:", got)
			}
			l.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"approve":true}}}` + "\n")
			l.await(`"id":1,"result":{"content"`)
			l.end()
		})
	}
}

func TestACallThatWaitedTooLongIsDeniedAndALateYesServesTheRetry(t *testing.T) {
	for _, timeout := range []time.Duration{0, 50 * time.Millisecond} {
		who := &person{}
		l := connect(t, setup{policy: askGood, asking: askingFor(who, timeout)})
		l.greetEliciting("2025-11-25", `"elicitation":{}`)
		l.call("1", "good", `{"a":1}`)
		answer := l.await(`"id":1,`)
		if !strings.Contains(answer, "callgate pending") || !strings.Contains(answer, `"outcome":"ask"`) {
			t.Error(answer)
		}
		q := who.pending(t, 1)[0]
		if strings.Contains(answer, q.ID) {
			t.Error("the model is told how to answer")
		}
		if timeout > 0 {
			l.await("notifications/cancelled")
		}
		if result, err := who.answer(t, q, true); err != nil || !strings.Contains(result, "next identical call") {
			t.Error(result, err)
		}
		l.call("2", "good", `{"a":2}`)
		l.await(`"id":2,`)
		l.call("3", "good", `{ "a" : 1 }`)
		l.await(`"id":3,"result":{"content":[{"type":"text","text":"ok`)
		l.end()
		if got := strings.Join(l.ran(), ";"); got != `good { "a" : 1 }` {
			t.Errorf("ran %q", got)
		}
	}
}

func TestIdenticalCallsShareAPromptAndOneIsReleased(t *testing.T) {
	who := &person{}
	l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
	l.greetEliciting("2025-11-25", `"elicitation":{}`)
	for i := range 3 {
		l.call(fmt.Sprint(i+1), "good", `{"a":1}`)
	}
	l.call("9", "good", `{"a":9}`)
	list := who.pending(t, 2)
	l.send(`{"jsonrpc":"2.0","id":"end","method":"ping"}` + "\n")
	l.await(`"end"`)
	if got := strings.Count(l.got(), "elicitation/create"); got != 2 || who.desk.Pending()[0].Waiting != 3 {
		t.Errorf("%d prompts for two questions; %d wait", got, list[0].Waiting)
	}
	who.answer(t, list[0], true)
	l.await(`"id":1,"result":{"content":[{"type":"text","text":"ok`)
	for _, id := range []string{`"id":2,`, `"id":3,`} {
		if got := l.await(id); !strings.Contains(got, "APPROVAL_USED") {
			t.Error(got)
		}
	}
	if strings.Contains(l.got(), `"id":9,`) {
		t.Error("the other question was settled too")
	}
	l.end()
	if got := len(l.ran()); got != 1 {
		t.Errorf("%d calls ran", got)
	}
}

func TestACallThatTheClientGivesUpCanNotBeApproved(t *testing.T) {
	who := &person{}
	l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
	l.greetEliciting("2025-11-25", `"elicitation":{}`)
	l.call("1", "good", `{"a":1}`)
	q := who.pending(t, 1)[0]
	id := l.prompt()
	l.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no time"}}` + "\n")
	who.pending(t, 0)
	l.await(`"requestId":` + id)
	if _, err := who.answer(t, q, true); err == nil {
		t.Error("the question could be answered")
	}
	l.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"approve":true}}}` + "\n")
	l.call("1", "slow", `{}`) // its id is free again
	l.send(`{"jsonrpc":"2.0","id":"end","method":"ping"}` + "\n")
	l.await(`"end"`)
	l.end()
	if got := strings.Join(l.ran(), ";"); got != "slow {}" {
		t.Errorf("ran %q", got)
	}
	if strings.Contains(l.ranLog(), "no time") || strings.Contains(l.got(), `"id":1,"result"`) {
		t.Error(l.ranLog(), l.got())
	}
}

func TestTheEndOfARelayEndsItsQuestions(t *testing.T) {
	who := &person{}
	l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
	l.greetEliciting("2025-11-25", `"elicitation":{}`)
	l.call("1", "good", `{"a":1}`)
	q := who.pending(t, 1)[0]
	l.end()
	if _, err := who.answer(t, q, true); err == nil {
		t.Error("the question outlives the relay")
	}
	if got := l.ran(); len(got) != 0 {
		t.Error(got)
	}
}

func TestAnAskInABatchIsDeniedAndCanBeApprovedForALaterCall(t *testing.T) {
	who := &person{}
	l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
	l.greet("2025-03-26")
	l.send(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good","arguments":{"a":1}}},{"jsonrpc":"2.0","id":2,"method":"ping"}]` + "\n")
	l.await(`"id":1,`)
	who.answer(t, who.pending(t, 1)[0], true)
	l.call("3", "good", `{"a":1}`)
	l.await(`"id":3,"result":{"content":[{"type":"text","text":"ok`)
	l.end()
}

func TestHighRiskIsForTheTerminalAlone(t *testing.T) {
	who := &person{}
	l := connect(t, setup{policy: strings.Replace(askGood, "verdict: ask", "verdict: ask, risk: high", 1), asking: askingFor(who, long)})
	l.greetEliciting("2025-11-25", `"elicitation":{}`)
	l.call("1", "good", `{"a":1}`)
	q := who.pending(t, 1)[0]
	if _, err := who.desk.Answer(q.ID, approval.Answer{Yes: true, By: abi.ChannelElicitation}); err == nil {
		t.Error("elicitation answers for high risk")
	}
	if strings.Contains(l.got(), "elicitation/create") {
		t.Error("the client was asked")
	}
	who.answer(t, q, true)
	l.await(`"id":1,"result":{"content"`)
	l.end()
}

func TestAWebhookAnswers(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	for _, c := range []struct {
		name, want string
		serve      http.HandlerFunc
	}{
		{"unsigned", "callgate pending", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"answer":"approve"}`) }},
		{"silent", "callgate pending", func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(c.serve)
			defer srv.Close()
			who := &person{}
			asking := askingFor(who, 300*time.Millisecond)
			asking.Webhook = &approval.Webhook{URL: srv.URL, Key: key}
			l := connect(t, setup{policy: askGood, asking: asking})
			l.greet("2025-11-25")
			l.call("1", "good", `{"a":1}`)
			if got := l.await(`"id":1,`); !strings.Contains(got, c.want) {
				t.Error(got)
			}
			l.end()
			if got := l.ran(); len(got) != 0 {
				t.Error(got)
			}
		})
	}
}
