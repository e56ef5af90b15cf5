package proxy_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/proxy"
)

// TestASlowStartNamesItsSession: an answer that becomes a stream before it is
// there says all the same which session it opens.
func TestASlowStartNamesItsSession(t *testing.T) {
	for _, delay := range []time.Duration{time.Nanosecond, time.Minute} {
		server, _ := brainChild(t)
		a := over(t, server, proxy.GatewayLimits{Sessions: 9, Children: 9, Idle: time.Minute, KeepAlive: time.Second, Delay: delay})
		res, body := a.send(shot{body: initializeOver})
		id := res.Header.Get("Mcp-Session-Id")
		if res.StatusCode != http.StatusOK || id == "" || !strings.Contains(body, `"serverInfo"`) {
			t.Error(delay, res.Status, res.Header, body)
		}
		if stream := strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream"); stream && !strings.Contains(body, "data: ") {
			t.Error(delay, body)
		}
		a.sessions["s"] = id
		if res, body := a.send(shot{session: "s", body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`}); res.StatusCode != http.StatusOK {
			t.Error(delay, res.Status, body)
		}
	}
}

// TestTheEndOfOneConnectionIsNotThatOfTheNext: a client comes back while its old
// connection is still there, which ends later.
func TestTheEndOfOneConnectionIsNotThatOfTheNext(t *testing.T) {
	s := serveFake(t, onlyGood, "plain")
	id := s.open("2025-11-25")
	say := func(n, line string) string {
		return `{"jsonrpc":"2.0","id":` + n + `,"method":"tools/call","params":{"name":"say","arguments":{"line":` + line + `}}}`
	}
	old, r := s.stream(http.MethodPost, say("11", `"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"first\"}}"`), id, "")
	last, _ := event(t, r)
	back, again := s.stream(http.MethodGet, "", id, last)
	if back.StatusCode != http.StatusOK {
		t.Fatal(back.Status)
	}
	old.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	for _, n := range []string{"12", "13", "14"} { // what the end of the old connection starts has its time
		if status, _, body := s.post(say(n, `"{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[]}}"`), "Mcp-Session-Id", id); status != http.StatusOK {
			t.Fatal(status, body)
		}
	}
	s.post(say("15", `"{\"jsonrpc\":\"2.0\",\"id\":11,\"result\":{\"content\":[],\"kept\":true}}\n{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[]}}"`), "Mcp-Session-Id", id)
	if _, data := event(t, again); data != `{"jsonrpc":"2.0","id":11,"result":{"content":[],"kept":true}}` {
		t.Error(data)
	}
}

// TestACallThatIsGivenUpWhileItWaitsEndsItsAnswer, and the server is told of
// neither; one that is not given up is made once a person says yes.
func TestACallThatIsGivenUpWhileItWaitsEndsItsAnswer(t *testing.T) {
	for _, b := range bridges {
		if !b.front || b.legacy {
			continue
		}
		for _, givenUp := range []bool{true, false} {
			t.Run(b.name, func(t *testing.T) {
				w := connectOver(t, b, parityPolicy)
				w.greetOver(false)
				ended := make(chan struct{})
				s := &served{t: t, url: w.url}
				_, r := s.stream(http.MethodPost, toolOf("1", "ask", ""), w.session, "")
				go func() {
					defer close(ended)
					for {
						if _, err := r.ReadString('\n'); err != nil {
							return
						}
					}
				}()
				q := w.person.pending(t, 1)[0]
				if givenUp {
					w.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
				} else if _, err := w.person.answer(t, q, true); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				select {
				case <-ended:
				case <-ctx.Done():
					t.Error("the answer does not end")
				}
				w.write(toolOf("2", "good", ""))
				w.await(`"id":2,"result"`)
				if got := strings.Contains(w.log(), `"name":"ask"`); got == givenUp || strings.Contains(w.log(), "cancelled") {
					t.Errorf("given up: %t; the server saw %s", givenUp, w.log())
				}
			})
		}
	}
}
