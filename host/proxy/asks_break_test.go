package proxy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/ledger"
)

// answersTo counts the frames to the client that answer a request.
func (l *link) answersTo(id string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, line := range l.lines {
		if strings.Contains(line, `"id":`+id+`,"result"`) || strings.Contains(line, `"id":`+id+`,"error"`) {
			n++
		}
	}
	return n
}

// say has the server write any line.
func (l *link) say(id, line string) {
	l.t.Helper()
	l.call(id, "say", `{"line":"`+strings.ReplaceAll(line, `"`, `\"`)+`"}`)
}

func (l *link) sync(id string) {
	l.t.Helper()
	l.send(`{"jsonrpc":"2.0","id":"` + id + `","method":"ping"}` + "\n")
	l.await(`"` + id + `"`)
}

// A server learns nothing of a call that is held, but ids are easily guessed.
func TestAServerCanNotAnswerACallThatItWasNotSent(t *testing.T) {
	for _, c := range []struct{ name, line string }{
		{"a result", `{"jsonrpc":"2.0","id":1,"result":{"content":[],"early":true}}`},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"early"}}`},
		{"neither", `{"jsonrpc":"2.0","id":1,"result":{"early":true},"error":{"code":-1,"message":"early"}}`},
		{"under the id as a string, which some clients take for it", `{"jsonrpc":"2.0","id":"1","result":{"content":[],"early":true}}`},
		{"under the id in another spelling", `{"jsonrpc":"2.0","id":"0x1","result":{"content":[],"early":true}}`},
		{"in a batch", `[{"jsonrpc":"2.0","id":1,"result":{"content":[],"early":true}}]`},
	} {
		for _, yes := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, %v", c.name, yes), func(t *testing.T) {
				who := &person{}
				l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
				l.greet("2025-03-26")
				l.call("1", "good", `{"a":1}`)
				q := who.pending(t, 1)[0]
				l.say("2", c.line)
				l.say("3", `{"jsonrpc":"2.0","id":ID,"result":{}}`)
				l.await(`"id":3,`)
				if strings.Contains(l.got(), "early") || l.answersTo("1") != 0 {
					t.Error("the client was told something:", l.got())
				}
				if _, err := who.answer(t, q, yes); err != nil {
					t.Error(err)
				}
				l.await(`"id":1,`)
				l.sync("end")
				l.end()
				if n := l.answersTo("1"); n != 1 {
					t.Errorf("%d answers to the call", n)
				}
			})
		}
	}
}

// More identical calls than the gate keeps must not make a yes worthless.
func TestAYesAmongVeryManyIdenticalCalls(t *testing.T) {
	for _, n := range []int{3, 64, 65, 200} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			who := &person{}
			l := connect(t, setup{policy: askGood, asking: askingFor(who, long)})
			l.greet("2025-11-25")
			for i := range n {
				l.call(fmt.Sprint(i+1), "good", `{"a":1}`)
			}
			l.sync("all")
			q := who.pending(t, 1)[0]
			if _, err := who.answer(t, q, true); err != nil {
				t.Error(err)
			}
			l.sync("end")
			for i := range n {
				l.await(fmt.Sprintf(`"id":%d,`, i+1))
				if got := l.answersTo(fmt.Sprint(i + 1)); got != 1 {
					t.Errorf("%d answers to call %d", got, i+1)
				}
			}
			if strings.Contains(l.got(), "LEDGER_FAILED") {
				t.Error("a call was denied for a reason that is none")
			}
			l.end()
			if got := len(l.ran()); got != 1 {
				t.Errorf("%d calls ran", got)
			}
		})
	}
}

// Retries of a call that nobody has answered yet are one question.
func TestALateYesServesTheRetryAfterManyRetries(t *testing.T) {
	for _, n := range []int{1, 64, 65, 130} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			who := &person{}
			l := connect(t, setup{policy: askGood, asking: askingFor(who, 0)})
			l.greet("2025-11-25")
			for i := range n {
				l.call(fmt.Sprint(i+1), "good", `{"a":1}`)
			}
			l.sync("all")
			if result, err := who.answer(t, who.pending(t, 1)[0], true); err != nil {
				t.Error(result, err)
			}
			l.call("1000", "good", `{"a":1}`)
			l.await(`"id":1000,"result":{"content":[{"type":"text","text":"ok`)
			l.call("1001", "good", `{"a":1}`)
			l.await(`"id":1001,`)
			l.end()
			if got := len(l.ran()); got != 1 {
				t.Errorf("%d calls ran", got)
			}
		})
	}
}

// A held call keeps its place when many others are asked and not waited for.
func TestAHeldCallIsNotCrowdedOutByThoseThatNobodyWaitsFor(t *testing.T) {
	who := &person{}
	l := connect(t, setup{policy: strings.Replace(askGood, "default: deny", "default: deny, max_asks: 1000", 1), asking: askingFor(who, long)})
	l.greet("2025-03-26")
	l.call("1", "good", `{"a":1}`)
	held := who.pending(t, 1)[0]
	for i := range 100 { // a call in a batch can not wait
		l.send(fmt.Sprintf(`[{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"good","arguments":{"a":%d}}}]`+"\n", i+2, i+2))
	}
	l.sync("all")
	if n := len(who.desk.Pending()); n > 64 {
		t.Errorf("%d questions are open", n)
	}
	if _, err := who.answer(t, held, true); err != nil {
		t.Error(err)
	}
	l.await(`"id":1,"result":{"content":[{"type":"text","text":"ok`)
	for _, q := range who.desk.Pending() {
		if _, err := who.answer(t, q, true); err != nil {
			t.Fatal("a question that is open can not be answered:", err)
		}
	}
	l.end()
	if got := len(l.ran()); got != 1 {
		t.Errorf("%d calls ran", got)
	}
}

// The budget of questions counts what a person is shown.
func TestGivingUpDoesNotMakeAQuestionFree(t *testing.T) {
	who := &person{}
	l := connect(t, setup{policy: strings.Replace(askGood, "default: deny", "default: deny, max_asks: 3", 1), asking: askingFor(who, long)})
	l.greetEliciting("2025-03-26", `"elicitation":{}`)
	l.send(`[{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"good","arguments":{"a":1}}}]` + "\n")
	l.await(`"id":900,`)
	for i := range 6 {
		l.call(fmt.Sprint(i+1), "good", `{"a":1}`)
		l.sync(fmt.Sprint("s", i))
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i+1))
	}
	l.sync("end")
	for i := range 6 {
		tooMany := strings.Contains(l.got(), fmt.Sprintf(`"id":%d,`, i+1))
		if want := i >= 3; tooMany != want || tooMany && !strings.Contains(l.await(fmt.Sprintf(`"id":%d,`, i+1)), "TOO_MANY_ASKS") {
			t.Errorf("call %d was one question too many: %v; want %v, as three were shown", i+1, tooMany, want)
		}
	}
	l.end()
}

// An answer and the end come at any moment: each call is answered once at most,
// and no more run than were approved.
func TestAnswersCancellationsAndTimeOutsAtOnce(t *testing.T) {
	for round := range 6 {
		who := &person{}
		timeout := time.Duration(round) * time.Millisecond
		policy := strings.Replace(askGood, "default: deny", "default: deny, max_asks: 100000", 1)
		l := connect(t, setup{policy: policy, asking: askingFor(who, timeout)})
		l.greetEliciting("2025-11-25", `"elicitation":{}`)
		who.pending(t, 0)
		stop := make(chan struct{})
		yes := make(chan int, 8)
		for _, by := range []string{abi.ChannelTerminal, abi.ChannelElicitation, abi.ChannelWebhook} {
			go func() {
				n := 0
				defer func() { yes <- n }()
				for {
					select {
					case <-stop:
						return
					default:
					}
					for i, q := range who.desk.Pending() {
						if _, err := who.desk.Answer(q.ID, approval.Answer{Yes: i%3 > 0, By: by}); err == nil && i%3 > 0 {
							n++
						}
					}
				}
			}()
		}
		const calls = 150
		for i := range calls {
			l.call(fmt.Sprint(i+1), "good", fmt.Sprintf(`{"a":%d}`, i/3))
			if i%5 == 0 {
				l.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i+1))
			}
		}
		l.sync("all")
		time.Sleep(timeout + 20*time.Millisecond)
		close(stop)
		approved := <-yes + <-yes + <-yes
		l.sync("end")
		l.end()
		for i := range calls {
			id := fmt.Sprint(i + 1)
			if n := l.answersTo(id); n > 1 || n == 0 && i%5 != 0 {
				t.Errorf("timeout %v: %d answers to call %s", timeout, n, id)
			}
		}
		if ran := len(l.ran()); ran > approved {
			t.Errorf("timeout %v: %d calls ran, %d were approved", timeout, ran, approved)
		}
	}
}

// A person is not shown one question again and again, however often the call
// comes back.
func TestAQuestionThatNobodyAnswersIsPutAFewTimesOnly(t *testing.T) {
	who := &person{}
	l := connect(t, setup{policy: askGood, asking: askingFor(who, time.Millisecond)})
	l.greetEliciting("2025-11-25", `"elicitation":{}`)
	for i := range 10 {
		l.call(fmt.Sprint(i+1), "good", `{"a":1}`)
		l.await(fmt.Sprintf(`"id":%d,`, i+1))
	}
	l.sync("end")
	if got := strings.Count(l.got(), "elicitation/create"); got != 3 {
		t.Errorf("%d prompts for one question; want 3", got)
	}
	if _, err := who.answer(t, who.pending(t, 1)[0], true); err != nil {
		t.Error(err)
	}
	l.call("11", "good", `{"a":1}`)
	l.await(`"id":11,"result":{"content":[{"type":"text","text":"ok`)
	l.end()
}

// However a relay ends, a call that is held then is answered once and does not
// run, unless its answer came before.
func TestTheEndAnswersEveryHeldCallOnce(t *testing.T) {
	tried := 0
	for round := range 4 {
		for _, end := range []string{"the server dies", "the server closes its output", "callgate is stopped"} {
			who := &person{}
			ctx, stop := context.WithCancel(context.Background())
			policy := strings.Replace(askGood, "  fake/say", "  fake/die: {verdict: allow}\n  fake/hush: {verdict: allow}\n  fake/say", 1)
			l := connect(t, setup{policy: policy, asking: askingFor(who, time.Duration(round)*time.Millisecond+500*time.Microsecond), ctx: ctx})
			l.greet("2025-11-25")
			who.pending(t, 0)
			const calls = 30
			for i := range calls {
				l.call(fmt.Sprint(i+1), "good", fmt.Sprintf(`{"a":%d}`, i))
				if i != calls/2 {
					continue
				}
				switch end {
				case "the server dies":
					l.call("900", "die", `{}`)
				case "the server closes its output":
					l.call("900", "hush", `{}`)
				default:
					stop()
				}
				go func() {
					for _, q := range who.desk.Pending() {
						_, _ = who.desk.Answer(q.ID, approval.Answer{Yes: false, By: abi.ChannelTerminal})
					}
				}()
			}
			select {
			case <-l.done:
			case <-time.After(patience):
				t.Fatal(end, ": the relay does not end")
			}
			for i := range calls {
				if n := l.answersTo(fmt.Sprint(i + 1)); n > 1 || n == 0 && i < calls/2 {
					t.Errorf("%s: %d answers to call %d", end, n, i+1)
				}
			}
			if got := len(l.ran()); got > 1 {
				t.Errorf("%s: %v ran", end, l.ran())
			}
			stop()
			tried++
		}
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}

// Of more held calls than are kept, the oldest are answered, and each that is
// kept can be approved.
func TestOfTooManyHeldCallsTheOldestAreAnswered(t *testing.T) {
	who := &person{}
	l := connect(t, setup{policy: strings.Replace(askGood, "default: deny", "default: deny, max_asks: 1000", 1), asking: askingFor(who, long)})
	l.greet("2025-11-25")
	const calls = 100
	for i := range calls {
		l.call(fmt.Sprint(i+1), "good", fmt.Sprintf(`{"a":%d}`, i/2)) // two of each
	}
	l.sync("all")
	kept := 0
	for _, q := range who.desk.Pending() {
		kept += q.Waiting
		if _, err := who.answer(t, q, true); err != nil {
			t.Error(err)
		}
	}
	l.sync("end")
	for i := range calls {
		l.await(fmt.Sprintf(`"id":%d,`, i+1))
		if n := l.answersTo(fmt.Sprint(i + 1)); n != 1 {
			t.Errorf("%d answers to call %d", n, i+1)
		}
	}
	l.end()
	if ran := len(l.ran()); kept != 64 || ran != 32 {
		t.Errorf("%d calls were kept and %d ran; want 64, and 32 of them", kept, ran)
	}
}

// A yes that the group's lock keeps from being judged is lost, and must not use
// up the next one.
func TestAYesThatCanNotBeJudgedDoesNotUseUpTheNext(t *testing.T) {
	who := &person{}
	dir := t.TempDir()
	l := connect(t, setup{policy: askGood + "budgets:\n  - {name: b, tools: [fake/good], max: 5, per: session, count: commits}\n", dir: dir, asking: askingFor(who, long)})
	l.greet("2025-11-25")
	l.call("1", "good", `{"a":1}`)
	q := who.pending(t, 1)[0]
	lock, err := ledger.OpenGroupLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Lock(0); err != nil {
		t.Fatal(err)
	}
	if result, err := who.answer(t, q, true); err == nil {
		t.Error("the answer counted:", result)
	}
	l.await(`"id":1,`)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	l.call("2", "good", `{"a":1}`)
	if _, err := who.answer(t, who.pending(t, 1)[0], true); err != nil {
		t.Error(err)
	}
	l.await(`"id":2,"result":{"content":[{"type":"text","text":"ok`)
	l.end()
	if got := len(l.ran()); got != 1 {
		t.Errorf("%d calls ran", got)
	}
}
