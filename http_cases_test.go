package callgate_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/transport"
)

// gateway serves a server at a URL under the name crm, to anybody on this
// machine.
func gateway(t *testing.T, server http.Handler) *httptest.Server {
	t.Helper()
	p, err := policy.Load(policy.Options{Files: []string{"/p.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) {
		return []byte("callgate: 1\nname: t\npacks: none\nsettings: {default: allow, unlisted: allow}\n"), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	behind := httptest.NewServer(server)
	t.Cleanup(behind.Close)
	up, err := transport.NewUpstream(transport.Options{URL: behind.URL})
	if err != nil {
		t.Fatal(err)
	}
	g := proxy.NewGateway(proxy.GatewayOptions{
		Servers: map[string]proxy.GatewayServer{"crm": {Remote: up}},
		Guard:   transport.Guard{Bound: "127.0.0.1:7777"},
		Client:  func(*http.Request) (proxy.GatewayClient, *transport.Refusal) { return proxy.GatewayClient{}, nil },
		Open: func(name string, _ proxy.GatewayClient) (*proxy.Opened, proxy.KeeperOptions, error) {
			opened, err := proxy.Open(proxy.Opening{Policy: p, Specs: builtin.Table(), Server: name, Dir: t.TempDir(), Place: place()})
			if err != nil {
				return nil, proxy.KeeperOptions{}, err
			}
			return opened, proxy.KeeperOptions{Server: name, Engine: opened.Engine, Voice: proxy.NewVoice(p.Value())}, nil
		},
		Limits: proxy.GatewayLimits{Sessions: 10, Idle: 1 << 40},
		Note:   t.Logf,
	})
	front := httptest.NewServer(g)
	t.Cleanup(func() {
		front.CloseClientConnections()
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		front.Close()
	})
	return front
}

// call posts a call of get and returns status and body.
func call(t *testing.T, to, argument string, header map[string]string) (int, string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","arguments":{"id":"` + argument + `"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	req, err := http.NewRequest(http.MethodPost, to+"/mcp/crm", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "get",
	} {
		req.Header.Set(name, value)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if host := header["Host"]; host != "" {
		req.Host = host
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// answered is the answer of a server that has the record of a call.
func answered(body []byte) string {
	var m struct {
		ID     json.RawMessage
		Params struct{ Arguments struct{ ID string } }
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return ""
	}
	return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[{"type":"text","text":"record-` + m.Params.Arguments.ID + `"}]}}`
}

// sameIDs is a case of two clients: both use one id at once, and each gets the
// record that it asked for.
func sameIDs(t *testing.T, proven proofs) {
	var both sync.WaitGroup
	both.Add(2)
	front := gateway(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		both.Done()
		both.Wait() // neither is answered before both are here
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answered(body))
	}))
	var done sync.WaitGroup
	for _, id := range []string{"a", "b"} {
		done.Go(func() {
			status, body := call(t, front.URL, id, nil)
			if status != http.StatusOK || !strings.Contains(body, `"record-`+id+`"`) || strings.Count(body, "record-") != 1 {
				t.Errorf("client %s: %d %s", id, status, body)
			}
		})
	}
	done.Wait()
	proven.add("PRO-007", "allow", "deny")
}

// rebound is a case of a page in a browser that reaches this machine by a name
// of its own.
func rebound(t *testing.T, proven proofs) {
	ran := 0
	front := gateway(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ran++
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answered(body))
	}))
	for _, c := range []struct {
		host, origin string
		status       int
		outcome      string
	}{
		{"127.0.0.1:7777", "", http.StatusOK, "allow"},
		{"rebind.evil.example.org:7777", "http://rebind.evil.example.org:7777", http.StatusForbidden, "deny"},
		{"127.0.0.1:7777", "http://rebind.evil.example.org:7777", http.StatusForbidden, "deny"},
	} {
		header := map[string]string{"Host": c.host}
		if c.origin != "" {
			header["Origin"] = c.origin
		}
		before := ran
		if status, body := call(t, front.URL, "a", header); status != c.status || (ran > before) != (c.outcome == "allow") {
			t.Errorf("%s from %q: %d %s", c.host, c.origin, status, body)
		}
		proven.add("PRO-015", c.outcome)
	}
}
