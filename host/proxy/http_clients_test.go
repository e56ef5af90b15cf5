package proxy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/transport"
)

// TestRequestStatesHoldForOneCallOfOneClient plays every way in which a state may
// be used for something else, beside the one that it is for.
func TestRequestStatesHoldForOneCallOfOneClient(t *testing.T) {
	b, s := newBrain(t, "sse")
	p := loadPolicy(t, strings.Replace(attackPolicy, "servers:\n", "servers:\n  other: {verdict: ask}\n", 1))
	_, front := gatewayFor(t, gatewaySetup{
		policy: p, dir: t.TempDir(), asking: askingFor(&person{}, long), client: byToken,
		servers: map[string]proxy.GatewayServer{"fake": {Remote: upstream(t, s.URL)}, "other": {Remote: upstream(t, s.URL)}},
	})
	a := &attacked{t: t, url: front.URL + "/mcp/fake", log: b.logged.String, sessions: map[string]string{}}
	call := func(tool, arguments, more string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + more + `,` + modernForms + `}}`
	}
	with := func(token, tool string) []string {
		return []string{"Authorization", token, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool}
	}
	listed := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernForms + `}}`
	for _, token := range []string{"one", "two"} {
		for _, path := range []string{"", "/mcp/other"} {
			if res, body := a.send(shot{path: path, body: listed, header: []string{"Authorization", token, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"}}); res.StatusCode != 200 {
				t.Fatal(res.Status, body)
			}
		}
	}
	yes := func(state string) string {
		return `,"requestState":"` + state + `","inputResponses":{"callgate.approval":{"action":"accept","content":{"approve":true}}}`
	}
	ask := func(t *testing.T, n int) string {
		_, body := a.send(shot{body: call("ask", fmt.Sprintf(`{"a":%d,"b":1}`, n), ""), header: with("one", "ask")})
		_, rest, ok := strings.Cut(body, `"requestState":"`)
		state, _, _ := strings.Cut(rest, `"`)
		if !ok {
			t.Fatal(body)
		}
		return state
	}
	cases := []struct {
		name string
		shot func(n int, state string) shot
		want string
	}{
		{"itself", func(n int, state string) shot {
			return shot{body: call("ask", fmt.Sprintf(`{"b":1,"a":%d}`, n), yes(state)), header: with("one", "ask")}
		}, "ran ask"},
		{"other arguments", func(n int, state string) shot {
			return shot{body: call("ask", fmt.Sprintf(`{"a":%d,"b":2}`, n), yes(state)), header: with("one", "ask")}
		}, "REQUEST_STATE"},
		{"a number that is the same as a double", func(_ int, state string) shot {
			return shot{body: call("ask", `{"a":9007199254740993,"b":1}`, yes(state)), header: with("one", "ask")}
		}, "REQUEST_STATE"},
		{"another tool", func(n int, state string) shot {
			return shot{body: call("who", fmt.Sprintf(`{"a":%d,"b":1}`, n), yes(state)), header: with("one", "who")}
		}, "REQUEST_STATE"},
		{"another client", func(n int, state string) shot {
			return shot{body: call("ask", fmt.Sprintf(`{"a":%d,"b":1}`, n), yes(state)), header: with("two", "ask")}
		}, "input_required"},
		{"another server", func(n int, state string) shot {
			return shot{path: "/mcp/other", body: call("ask", fmt.Sprintf(`{"a":%d,"b":1}`, n), yes(state)), header: with("one", "ask")}
		}, "input_required"},
		{"a bit that is turned", func(n int, state string) shot {
			turned := []byte(state)
			turned[len(turned)/2] ^= 1
			return shot{body: call("ask", fmt.Sprintf(`{"a":%d,"b":1}`, n), yes(string(turned))), header: with("one", "ask")}
		}, "REQUEST_STATE"},
		{"no state", func(n int, _ string) shot {
			return shot{body: call("ask", fmt.Sprintf(`{"a":%d,"b":1}`, n), `,"inputResponses":{"callgate.approval":{"action":"accept","content":{"approve":true}}}`), header: with("one", "ask")}
		}, "input_required"},
		{"a state of the server", func(n int, _ string) shot {
			return shot{body: call("ask", fmt.Sprintf(`{"a":%d,"b":1}`, n), yes("mine")), header: with("one", "ask")}
		}, "input_required"},
		{"a no", func(n int, state string) shot {
			return shot{body: call("ask", fmt.Sprintf(`{"a":%d,"b":1}`, n), strings.Replace(yes(state), "accept", "decline", 1)), header: with("one", "ask")}
		}, "DECLINED"},
	}
	went := 0
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a.t = t
			state, before := ask(t, i), strings.Count(a.log(), `"method":"tools/call"`)
			s := c.shot(i, state)
			res, body := a.send(s)
			if res.StatusCode != http.StatusOK || !strings.Contains(body, c.want) {
				t.Errorf("%d %s; want %q", res.StatusCode, body, c.want)
			}
			ran := strings.Count(a.log(), `"method":"tools/call"`) - before
			if want := c.want == "ran ask"; (ran == 1) != want || ran > 1 {
				t.Errorf("the server saw %d calls", ran)
			}
			if ran == 1 {
				went++
				if _, body := a.send(s); strings.Contains(body, "ran ask") {
					t.Error("the state served twice:", body)
				}
			}
		})
	}
	if went != 1 {
		t.Fatalf("%d of %d calls went to the server; want 1", went, len(cases))
	}
}

// byToken takes the Authorization header for the name of the client.
func byToken(r *http.Request) (proxy.GatewayClient, *transport.Refusal) {
	return proxy.GatewayClient{Name: r.Header.Get("Authorization"), Token: true}, nil
}

// TestTwoClientsSeeNothingOfEachOther: a session, its stream, its events and its
// answers are those of one client.
func TestTwoClientsSeeNothingOfEachOther(t *testing.T) {
	for _, remote := range []bool{false, true} {
		t.Run(fmt.Sprint("remote ", remote), func(t *testing.T) {
			a := twoClients(t, remote, nil)
			for _, c := range []struct {
				session, token string
				status         int
			}{{"2025-11-25one", "one", 200}, {"2025-11-25one", "two", 404}, {"2025-11-25two", "one", 404}, {"2025-11-25two", "two", 200}} {
				if res, body := a.send(shot{session: c.session, header: []string{"Authorization", c.token}, body: fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%s%s","method":"ping"}`, c.session, c.token)}); res.StatusCode != c.status {
					t.Error(c, res.Status, body)
				}
				if c.status != 404 {
					continue
				}
				for _, method := range []string{http.MethodGet, http.MethodDelete} {
					if res, body := a.send(shot{method: method, session: c.session, header: []string{"Authorization", c.token, "Last-Event-Id", "1-0"}}); res.StatusCode != 404 {
						t.Error(method, c, res.Status, body)
					}
				}
			}
		})
	}
}

// twoClients is a gateway with a session of each of two clients.
func twoClients(t *testing.T, remote bool, name func() string) *attacked {
	t.Helper()
	server := proxy.GatewayServer{}
	var b *brainOverHTTP
	if remote {
		var s *httptest.Server
		b, s = newBrain(t, "json")
		server.Remote = upstream(t, s.URL)
	} else {
		server, _ = brainChild(t)
	}
	_, front := gatewayFor(t, gatewaySetup{policy: loadPolicy(t, attackPolicy), dir: t.TempDir(), client: byToken, servers: map[string]proxy.GatewayServer{"fake": server}})
	a := &attacked{t: t, url: front.URL + "/mcp/fake", log: func() string { return "" }, sessions: map[string]string{}}
	a.initialize("2025-11-25", "one")
	if b != nil && name != nil {
		b.mu.Lock()
		b.name = name
		b.mu.Unlock()
		return a
	}
	a.initialize("2025-11-25", "two")
	return a
}

// TestAServerGivesOneSessionToOneClient: a server that gives the same session id
// again, to the same client or to another, is not believed.
func TestAServerGivesOneSessionToOneClient(t *testing.T) {
	a := twoClients(t, true, func() string { return "session-1" })
	again := `{"jsonrpc":"2.0","id":"again","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`
	for _, token := range []string{"one", "two"} {
		res, body := a.send(shot{header: []string{"Authorization", token}, body: again})
		if res.StatusCode != http.StatusBadGateway || strings.Contains(body, "serverInfo") || !strings.Contains(body, `"error"`) || res.Header.Get("Mcp-Session-Id") != "" {
			t.Error(token, res.Status, res.Header, body)
		}
	}
	if res, body := a.send(shot{session: "2025-11-25one", header: []string{"Authorization", "one"}, body: goodCall}); res.StatusCode != 200 || !strings.Contains(body, "ran good") {
		t.Error(res.Status, body)
	}
}

// TestAuthorizationGoesWhereItBelongs: to the server that it is configured for,
// unless it is for the gateway, and nowhere after a redirect.
func TestAuthorizationGoesWhereItBelongs(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	cases := []struct {
		name                    string
		to, own, redirect, want bool
	}{
		{"to the server", true, false, false, true},
		{"not to this server", false, false, false, false},
		{"for the gateway", true, true, false, false},
		{"after a redirect", true, false, true, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b, s := newBrain(t, "sse")
			if c.redirect {
				b.before = func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
					http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
					return true
				}
			}
			_, front := gatewayFor(t, gatewaySetup{
				policy: loadPolicy(t, attackPolicy), dir: t.TempDir(), servers: map[string]proxy.GatewayServer{"fake": {Remote: upstream(t, s.URL), Authorization: c.to}},
				client: func(*http.Request) (proxy.GatewayClient, *transport.Refusal) {
					return proxy.GatewayClient{Token: c.own}, nil
				},
			})
			a := &attacked{t: t, url: front.URL + "/mcp/fake"}
			a.send(shot{header: []string{"Authorization", "Bearer secret", "Cookie", "c=secret", "X-Other", "secret"}, body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`})
			seen := b.seen()
			if len(seen) != 1 {
				t.Fatalf("the server saw %d requests", len(seen))
			}
			if got := seen[0].Get("Authorization") == "Bearer secret"; got != c.want {
				t.Error(seen[0])
			}
			if seen[0].Get("Cookie") != "" || seen[0].Get("X-Other") != "" {
				t.Error("more went to the server:", seen[0])
			}
		})
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d requests followed a redirect", n)
	}
}

// TestAClientListensOnce: a second stream of a session is refused while there is
// one, and served afterwards.
func TestAClientListensOnce(t *testing.T) {
	server, _ := brainChild(t)
	_, front := gatewayFor(t, gatewaySetup{policy: loadPolicy(t, attackPolicy), dir: t.TempDir(), servers: map[string]proxy.GatewayServer{"fake": server}})
	a := &attacked{t: t, url: front.URL + "/mcp/fake", sessions: map[string]string{}}
	a.initialize("2025-11-25", "")
	s := &served{t: t, url: a.url}
	first, _ := s.stream(http.MethodGet, "", a.sessions["2025-11-25"], "")
	if first.StatusCode != http.StatusOK {
		t.Fatal(first.Status)
	}
	if second, _ := s.stream(http.MethodGet, "", a.sessions["2025-11-25"], ""); second.StatusCode != http.StatusConflict {
		t.Error(second.Status)
	}
	first.Body.Close()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		third, _ := s.stream(http.MethodGet, "", a.sessions["2025-11-25"], "")
		if third.StatusCode == http.StatusOK {
			return
		}
	}
	t.Error("the session has no stream any more")
}
