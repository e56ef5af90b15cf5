package proxy_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/wire"
)

// fromClient takes in a line of the client.
func fromClient(c *proxy.Conversation, format string, args ...any) proxy.Message {
	return c.Client(wire.Classify(fmt.Appendf(nil, format, args...), wire.FromClient, c.Options()))
}

func fromServer(c *proxy.Conversation, format string, args ...any) proxy.Message {
	return c.FromServer(wire.Classify(fmt.Appendf(nil, format, args...), wire.FromServer, wire.Options{}))
}

const (
	callTo = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s"}}`
	cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`
	result = `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`
)

// A result under an id that was used again after a cancel may be that of the
// cancelled call: it must not be taken for one of a trusted tool.
func TestAResultUnderAReusedIDVouchesForNoCall(t *testing.T) {
	cases := []struct {
		name, first, second, cancelled, want string
	}{
		{"another id", `1`, `2`, `1`, "c-2"},
		{"no cancel before the answer", `1`, `1`, ``, "c-2"},
		{"the id of a cancelled call", `1`, `1`, `1`, ""},
		{"the same text in another spelling", `"a"`, `"\u0061"`, `"a"`, ""},
	}
	for _, c := range cases {
		talk := proxy.NewConversation("s")
		first := fromClient(talk, callTo, c.first, "page")
		talk.Called(first, "c-1")
		talk.Sent(first)
		if c.cancelled != "" {
			fromClient(talk, cancel, c.cancelled)
		} else {
			fromServer(talk, result, c.first)
		}
		m := fromClient(talk, callTo, c.second, "contacts")
		if m.Event == nil || m.Event.Call == nil {
			t.Errorf("%s: the second call is refused", c.name)
			continue
		}
		talk.Called(m, "c-2")
		if early := fromServer(talk, result, c.second); early.Event == nil || early.Event.Refused == nil || early.Event.Refused.Code != proxy.CodeEarlyResponse {
			t.Errorf("%s: %+v before the call was sent; want a refusal", c.name, early.Event)
		}
		talk.Sent(m)
		answer := fromServer(talk, result, c.second)
		if answer.Event == nil || answer.Event.Result == nil || answer.Event.Result.Call != c.want {
			t.Errorf("%s: %+v; want a result of %q", c.name, answer.Event, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// Servers do not answer what was cancelled, so a long session would be full of
// requests that nobody waits for.
func TestCancelledRequestsMakeRoom(t *testing.T) {
	for _, cancels := range []bool{true, false} {
		talk := proxy.NewConversation("s")
		refused := 0
		for i := 0; i < 17000; i++ {
			id := fmt.Sprint(i)
			if fromClient(talk, `{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id).Frame.Kind == wire.Refused {
				refused++
			}
			if cancels {
				fromClient(talk, cancel, id)
			}
		}
		if (refused > 0) == cancels {
			t.Errorf("cancelled %v: %d refused", cancels, refused)
		}
	}
}

// A server can answer an id before it has seen the call.
func TestAnEarlyAnswerDoesNotRace(t *testing.T) {
	talk := proxy.NewConversation("s")
	answers := 0
	for i := 0; i < 200; i++ {
		m := fromClient(talk, callTo, fmt.Sprint(i), "t")
		var both sync.WaitGroup
		both.Add(2)
		go func() { defer both.Done(); talk.Called(m, "c") }()
		go func() {
			defer both.Done()
			if fromServer(talk, result, fmt.Sprint(i)).Event != nil {
				answers++
			}
		}()
		both.Wait()
	}
	if answers != 200 {
		t.Errorf("%d answers are events; want 200", answers)
	}
}

// Some clients compare ids as numbers: what they take for an answer to a call is
// one, but vouches for nothing, and others go on waiting.
func TestAnAnswerUnderTheNumberAsAStringIsWeighedAsAResult(t *testing.T) {
	tried := 0
	for _, c := range []struct {
		id     string
		result bool
	}{{`"1"`, true}, {`" 1"`, true}, {`"1.0"`, true}, {`"0x1"`, true}, {`"1e0"`, true}, {`"2"`, false}, {`"1.5"`, false}, {`"one"`, false}, {`"-1"`, false}, {`""`, false}} {
		talk := proxy.NewConversation("s")
		m := fromClient(talk, callTo, `1`, "page")
		talk.Called(m, "c-1")
		talk.Sent(m)
		e := fromServer(talk, result, c.id).Event
		if e == nil || (e.Result != nil) != c.result || e.Result != nil && e.Result.Call != "" {
			t.Errorf("%s: %+v; want a result of no call %v", c.id, e, c.result)
		}
		if e := fromServer(talk, result, `1`).Event; e == nil || e.Result == nil || e.Result.Call != "c-1" {
			t.Errorf("%s: then %+v; want the result of the call", c.id, e)
		}
		tried++
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}
