//go:build unix

package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"

	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/proxy"
)

// TestAClientThatDoesNotReadHoldsUpNobody: its answers are many and long, and
// those of others come all the same, from the same child.
func TestAClientThatDoesNotReadHoldsUpNobody(t *testing.T) {
	for _, modern := range []bool{false, true} {
		t.Run(fmt.Sprint("modern ", modern), func(t *testing.T) {
			server, _ := brainChild(t)
			_, front := gatewayFor(t, gatewaySetup{
				policy: loadPolicy(t, strings.Replace(attackPolicy, "max_result_bytes: 1000", "max_result_bytes: 100000000", 1)), dir: t.TempDir(),
				servers: map[string]proxy.GatewayServer{"fake": server},
			})
			w := &wired{t: t, b: bridge{front: true}, url: front.URL + "/mcp/fake", ctx: context.Background(), log: func() string { return "" }}
			w.write = w.post
			w.greetOver(modern)
			more := ""
			if modern {
				more = "," + modernPlain
			}
			long := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 1<<20) + `"}}`
			body := sayCall("7", more+`,"n":1`, long, long, long, long, long, long, long, long, long, long, long, long, saidDone)
			w.deaf(body)
			for i := range 20 {
				id := fmt.Sprint(100 + i)
				w.write(toolOf(id, "good", more))
				w.await(`"id":` + id + `,"result":{"content":[{"type":"text","text":"ran good"}]}`)
			}
		})
	}
}

// deaf sends a call over a connection that nobody reads.
func (w *wired) deaf(body string) {
	w.t.Helper()
	host := strings.TrimPrefix(strings.TrimSuffix(w.url, "/mcp/fake"), "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	w.mu.Lock()
	m := brainFrame{Method: "tools/call"}
	m.Params.Name = "say"
	w.head(h, m)
	w.mu.Unlock()
	var head bytes.Buffer
	_ = h.Write(&head)
	if _, err := fmt.Fprintf(conn, "POST /mcp/fake HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n%s\r\n%s", len(body), head.Bytes(), body); err != nil {
		w.t.Fatal(err)
	}
}

// TestAFullStreamEndsWithItsClient: the server goes on until there is no room for
// more, and then its client goes.
func TestAFullStreamEndsWithItsClient(t *testing.T) {
	ended := make(chan struct{})
	var said atomic.Int64
	a, _ := remoteGateway(t, func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		defer close(ended)
		w.Header().Set("Content-Type", "text/event-stream")
		long := strings.Repeat("x", 1<<20)
		for r.Context().Err() == nil {
			if _, err := fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":%q}}\n\n", long); err != nil {
				return true
			}
			w.(http.Flusher).Flush()
			said.Add(1)
		}
		return true
	})
	s := &served{t: t, url: a.url}
	res, _ := s.stream(http.MethodPost, goodCall, a.sessions["2025-11-25"], "")
	eventually(t, "the stream is full", func() bool {
		before := said.Load()
		time.Sleep(50 * time.Millisecond) // a machine that is slower than that fills it later, which is as well
		return before > 12 && said.Load() == before
	})
	res.Body.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the server goes on")
	}
	eventually(t, "nobody waits for room any more", func() bool {
		stacks := make([]byte, 1<<22)
		return !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "proxy.(*outlet)")
	})
}

// TestAnEndlessStreamEndsWithItsClient: a server never ends what it answers, and
// the gateway lets go of it once the client does.
func TestAnEndlessStreamEndsWithItsClient(t *testing.T) {
	ended := make(chan struct{})
	a, _ := remoteGateway(t, func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		w.Header().Set("Content-Type", "text/event-stream")
		for n := 0; ; n++ {
			if _, err := fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":%d}}\n\n", n); err != nil || r.Context().Err() != nil {
				close(ended)
				return true
			}
			w.(http.Flusher).Flush()
		}
	})
	s := &served{t: t, url: a.url}
	res, r := s.stream(http.MethodPost, goodCall, a.sessions["2025-11-25"], "")
	for range 3 {
		if _, data := event(t, r); !strings.Contains(data, "notifications/message") {
			t.Error(data)
		}
	}
	res.Body.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the server goes on")
	}
}
