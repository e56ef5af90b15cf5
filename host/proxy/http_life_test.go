//go:build unix

package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/callgate/callgate/host/proxy"
)

// TestAChildThatEndsAnswersItsClient: while it is initialized, or in the middle
// of a call; its session is gone then, and another can be had.
func TestAChildThatEndsAnswersItsClient(t *testing.T) {
	cases := []struct{ name, dies, call string }{
		{"at initialize", `"initialize"`, ""},
		{"in a call", "", toolOf("1", "die", "")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			server, _ := brainChild(t)
			server.Env = append(server.Env, "FAKE_DIES="+c.dies)
			a := over(t, server, proxy.GatewayLimits{})
			res, body := a.send(shot{body: initializeOver})
			id := res.Header.Get("Mcp-Session-Id")
			if res.StatusCode != 200 || strings.Contains(body, `"error":{"code":4032`) != (c.call == "") {
				t.Fatal(res.Status, body)
			}
			a.sessions["s"] = id
			if c.call != "" {
				a.send(shot{session: "s", body: `{"jsonrpc":"2.0","id":"list","method":"tools/list"}`})
				if res, body := a.send(shot{session: "s", body: c.call}); res.StatusCode != 200 || !strings.Contains(body, `"id":1,"error":{"code":4032`) {
					t.Error(res.Status, body)
				}
			}
			eventually(t, "the session is gone", func() bool {
				res, _ := a.send(shot{session: "s", body: `{"jsonrpc":"2.0","id":9,"method":"ping"}`})
				return res.StatusCode == http.StatusNotFound
			})
			if res, _ := a.send(shot{body: initializeOver}); res.StatusCode != 200 || res.Header.Get("Mcp-Session-Id") == id {
				t.Error(res.Status, res.Header)
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// TestASharedChildThatEndsIsStartedAgain: requests that need no session find
// another.
func TestASharedChildThatEndsIsStartedAgain(t *testing.T) {
	server, log := brainChild(t)
	a := over(t, server, proxy.GatewayLimits{})
	send := func(tool string) string {
		_, body := a.send(shot{body: toolOf("1", tool, ","+modernPlain), header: []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool}})
		return body
	}
	list := shot{body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernPlain + `}}`, header: []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"}}
	if res, body := a.send(list); res.StatusCode != 200 {
		t.Fatal(res.Status, body)
	}
	for i := range 3 {
		if body := send("good"); !strings.Contains(body, "ran good") {
			t.Error(i, body)
		}
		if body := send("die"); !strings.Contains(body, `"id":1,"error":{"code":4032`) {
			t.Error(i, body)
		}
	}
	send("good")
	if n := strings.Count(log(), "started"); n != 4 {
		t.Errorf("%d children; want 4", n)
	}
}

// TestLimitsAreAnsweredAndGivenBack: one session too many, one child too many.
func TestLimitsAreAnsweredAndGivenBack(t *testing.T) {
	limits := proxy.GatewayLimits{Sessions: 1, Children: 10, Idle: time.Minute, KeepAlive: time.Second, Delay: time.Second}
	few := limits
	few.Sessions, few.Children = 10, 1
	cases := []struct {
		name   string
		remote bool
		limits proxy.GatewayLimits
	}{{"sessions of a child", false, limits}, {"children", false, few}, {"sessions of a server at a URL", true, limits}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			server, _ := brainChild(t)
			seen := func() int { return 0 }
			if c.remote {
				b, s := newBrain(t, "json")
				server = proxy.GatewayServer{Remote: upstream(t, s.URL)}
				seen = func() int { return len(b.seen()) }
			}
			a := over(t, server, c.limits)
			res, body := a.send(shot{body: initializeOver})
			if a.sessions["s"] = res.Header.Get("Mcp-Session-Id"); res.StatusCode != 200 {
				t.Fatal(res.Status, body)
			}
			before := seen()
			res, body = a.send(shot{body: initializeOver})
			if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" || !strings.Contains(body, `"error"`) || res.Header.Get("Mcp-Session-Id") != "" {
				t.Error(res.Status, res.Header, body)
			}
			if seen() != before {
				t.Error("the server was asked for a session that there is no room for")
			}
			if res, body := a.send(shot{method: http.MethodDelete, session: "s"}); res.StatusCode != http.StatusNoContent {
				t.Error(res.Status, body)
			}
			eventually(t, "there is room again", func() bool {
				res, _ := a.send(shot{body: initializeOver})
				return res.StatusCode == 200
			})
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// TestASessionThatNobodyUsesEnds, and one whose client listens does not.
func TestASessionThatNobodyUsesEnds(t *testing.T) {
	server, log := brainChild(t)
	a := over(t, server, proxy.GatewayLimits{Sessions: 10, Children: 10, Idle: 50 * time.Millisecond, KeepAlive: time.Second, Delay: time.Second})
	s := &served{t: t, url: a.url}
	eventually(t, "a client in time to listen", func() bool {
		res, _ := a.send(shot{body: initializeOver})
		a.sessions["2025-11-25"] = res.Header.Get("Mcp-Session-Id")
		kept, _ := s.stream(http.MethodGet, "", a.sessions["2025-11-25"], "")
		return kept.StatusCode == http.StatusOK
	})
	res, _ := a.send(shot{body: initializeOver})
	a.sessions["idle"] = res.Header.Get("Mcp-Session-Id")
	children := childrenOf(log())
	idle := children[len(children)-1]
	eventually(t, "the child of the idle session has ended", func() bool { return !lives(idle) })
	if res, body := a.send(shot{session: "idle", body: `{"jsonrpc":"2.0","id":9,"method":"ping"}`}); res.StatusCode != http.StatusNotFound {
		t.Error(res.Status, body)
	}
	if res, body := a.send(legacy(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)); res.StatusCode != http.StatusOK {
		t.Error("a session whose client listens has ended:", res.Status, body)
	}
}

// childrenOf are the processes that a log names.
func childrenOf(log string) (pids []int) {
	for line := range strings.Lines(log) {
		var pid int
		if n, _ := fmt.Sscanf(line, "started %d", &pid); n == 1 {
			pids = append(pids, pid)
		}
	}
	return pids
}

func lives(pid int) bool { return syscall.Kill(pid, 0) == nil }

// TestAGatewayEndsWithAllThatItStarted: calls that wait for the server or for a
// person, streams of every kind, children and connections; at once, and with an
// answer to each call.
func TestAGatewayEndsWithAllThatItStarted(t *testing.T) {
	both := regexp.MustCompile(`(?m)^  fake/(\w+): (.*)$`).ReplaceAllString(attackPolicy, "  child/$1: $2\n  url/$1: $2")
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	func() {
		b, up := newBrainNow("sse")
		defer func() { up.CloseClientConnections(); up.Close() }()
		server, log := brainChild(t)
		remote := upstream(t, up.URL)
		defer remote.Close()
		g, front := gatewayFor(t, gatewaySetup{
			policy: loadPolicy(t, strings.Replace(both, "servers:\n", "servers:\n  child: {outputs: untrusted}\n  url: {outputs: untrusted}\n", 1)), dir: t.TempDir(), asking: askingFor(&person{}, long), closed: true,
			servers: map[string]proxy.GatewayServer{"child": server, "url": {Remote: remote}},
		})
		ends := make(chan string, 64)
		open := 0
		for _, name := range []string{"child", "url"} {
			w := &wired{t: t, b: bridge{front: true}, url: front.URL + "/mcp/" + name, ctx: context.Background(), log: log}
			w.write = w.post
			w.greetOver(false)
			for _, s := range []struct{ method, body string }{
				{http.MethodPost, toolOf("11", "slow", "")}, {http.MethodPost, toolOf("12", "ask", "")}, {http.MethodGet, ""},
			} {
				open++
				go w.held(s.method, s.body, ends)
			}
			modern := &wired{t: t, b: bridge{front: true}, url: w.url, ctx: context.Background(), log: log}
			modern.write = modern.post
			modern.greetOver(true)
			open++
			go modern.held(http.MethodPost, toolOf("13", "slow", ","+modernPlain), ends)
			w.posts.Wait()
			modern.posts.Wait()
		}
		eventually(t, "all calls are there", func() bool {
			return strings.Count(log(), `"name":"slow"`) == 2 && strings.Count(b.logged.String(), `"name":"slow"`) == 2
		})
		children := childrenOf(log())
		closed := make(chan error, 1)
		go func() { closed <- g.Close() }()
		select {
		case err := <-closed:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("it waits for calls that nobody answers")
		}
		for range open {
			if end := <-ends; end != "" {
				t.Error(end)
			}
		}
		for _, pid := range children {
			if lives(pid) {
				t.Errorf("child %d is left", pid)
			}
		}
		if len(children) != 2 {
			t.Error("children:", children)
		}
		front.CloseClientConnections()
		front.Close()
		http.DefaultClient.CloseIdleConnections()
	}()
	eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= goroutines })
	eventually(t, "no descriptor is left", func() bool { return openFiles(t) <= files })
}

// held sends a request that is open for long, and says what is wrong with its end.
func (w *wired) held(method, body string, ends chan<- string) {
	req, err := http.NewRequest(method, w.url, strings.NewReader(body))
	if err != nil {
		ends <- err.Error()
		return
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	var m brainFrame
	if w.modern {
		m.Method, m.Params.Name = "tools/call", "slow"
	}
	w.mu.Lock()
	w.head(req.Header, m)
	w.mu.Unlock()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		ends <- err.Error()
		return
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		ends <- fmt.Sprintf("%s %s: %v behind %q", method, body, err, got)
	case method == http.MethodPost && !bytes.Contains(got, []byte(`"error"`)):
		ends <- fmt.Sprintf("%s %s is answered with %d %q", method, body, res.StatusCode, got)
	default:
		ends <- ""
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestALedgerOutlivesTheGateway: what a session did counts after a restart.
func TestALedgerOutlivesTheGateway(t *testing.T) {
	policy := loadPolicy(t, strings.Replace(attackPolicy, "tools:\n", "budgets:\n  - {name: b, tools: [fake/good], max: 1, per: 24h, count: attempts}\ntools:\n", 1))
	dir := t.TempDir()
	for i, want := range []string{"ran good", "BUDGET_SPENT"} {
		server, _ := brainChild(t)
		g, front := gatewayFor(t, gatewaySetup{policy: policy, dir: dir, closed: true, servers: map[string]proxy.GatewayServer{"fake": server}})
		a := &attacked{t: t, url: front.URL + "/mcp/fake", sessions: map[string]string{}}
		if i > 0 {
			a.sessions["old"] = "gone-with-the-gateway"
			if res, body := a.send(shot{session: "old", body: goodCall}); res.StatusCode != http.StatusNotFound {
				t.Error(res.Status, body)
			}
		}
		a.initialize("2025-11-25", "")
		if _, body := a.send(legacy(goodCall)); !strings.Contains(body, want) {
			t.Errorf("%q; want %q", body, want)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}
}

// newBrainNow is newBrain for a test that ends it itself.
func newBrainNow(style string) (*brainOverHTTP, *httptest.Server) {
	b := &brainOverHTTP{style: style, sessions: map[string]bool{}, streams: map[string]chan string{}}
	b.log = &b.logged
	return b, httptest.NewServer(b)
}
