package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/transport"
)

// brainChild is the brain as a child.
func brainChild(t testing.TB) (server proxy.GatewayServer, log func() string) {
	path := t.TempDir() + "/log"
	server.Command = []string{os.Args[0]}
	server.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "FAKE_SERVER=brain", "FAKE_LOG="+path)
	return server, func() string { data, _ := os.ReadFile(path); return string(data) }
}

func loadPolicy(t testing.TB, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Load(policy.Options{Files: []string{"/policy.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return []byte(text), nil }, Module: guestModule(t)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func upstream(t testing.TB, url string) *transport.Upstream {
	t.Helper()
	up, err := transport.NewUpstream(transport.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	return up
}

// gatewaySetup is a gateway as a test wants it.
type gatewaySetup struct {
	policy  *policy.Policy
	servers map[string]proxy.GatewayServer
	dir     string // of the ledgers; one below it for each client with a name
	asking  proxy.Asking
	// reloader has the policy in force; nil: policy has
	reloader *proxy.Reloader
	client   func(*http.Request) (proxy.GatewayClient, *transport.Refusal)
	limits   proxy.GatewayLimits
	memory   bool // keeps no ledger files
	closed   bool // the test closes it
	plugin   guests
	load     func(contract.PluginRef) (contract.Plugin, error) // instead of plugin
}

func gatewayFor(t testing.TB, o gatewaySetup) (*proxy.Gateway, *httptest.Server) {
	t.Helper()
	if o.client == nil {
		o.client = func(*http.Request) (proxy.GatewayClient, *transport.Refusal) { return proxy.GatewayClient{}, nil }
	}
	if o.limits == (proxy.GatewayLimits{}) {
		o.limits = proxy.GatewayLimits{Sessions: 300, Children: 300, Idle: time.Minute, KeepAlive: time.Second, Delay: time.Second}
	}
	g := proxy.NewGateway(proxy.GatewayOptions{
		Servers: o.servers, Guard: transport.Guard{Bound: "127.0.0.1:1"}, Client: o.client, Limits: o.limits, Stderr: os.Stderr,
		Open: func(name string, client proxy.GatewayClient) (*proxy.Opened, proxy.KeeperOptions, error) {
			dir := o.dir
			if client.Name != "" || len(o.servers) > 1 {
				dir += "/" + client.Name + "-" + name // groups of their own: one has nothing to do with the other
				if err := os.MkdirAll(dir, 0o700); err != nil {
					return nil, proxy.KeeperOptions{}, err
				}
			}
			if o.memory {
				dir = ""
			}
			load := o.load
			if load == nil {
				load = o.plugin.load(t)
			}
			opened, err := proxy.Open(proxy.Opening{Policy: o.policy, Specs: builtin.Table(), Plugin: load, Server: name, Dir: dir, Place: abi.Place{Dir: "/srv", Home: "/home/u"}})
			if err != nil {
				return nil, proxy.KeeperOptions{}, err
			}
			return opened, proxy.KeeperOptions{
				Server: name, Engine: opened.Engine, Voice: proxy.NewVoice(o.policy.Value()), Pins: opened.KeepPins, Asking: o.asking, Reloader: o.reloader,
			}, nil
		},
		Note: func(format string, args ...any) {
			if testing.Verbose() {
				fmt.Fprintf(os.Stderr, "note: "+format+"\n", args...)
			}
		},
	})
	s := httptest.NewServer(g)
	t.Cleanup(func() {
		s.CloseClientConnections()
		if !o.closed {
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		}
		s.Close()
	})
	return g, s
}

// serveLegacyBrain serves the brain over HTTP+SSE (MCP 2024-11-05).
func serveLegacyBrain(t *testing.T) (url string, log func() string) {
	t.Helper()
	logged := &safeBuffer{}
	b := &brain{log: logged}
	mux := http.NewServeMux()
	var mu sync.Mutex
	streams := map[string]chan string{}
	mux.HandleFunc("GET /sse", func(rw http.ResponseWriter, r *http.Request) {
		out := make(chan string, 64)
		mu.Lock()
		id := fmt.Sprint(len(streams))
		streams[id] = out
		mu.Unlock()
		rw.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(rw, "event: endpoint\r\ndata: /message?session=%s\r\n\r\n", id)
		rw.(http.Flusher).Flush()
		for {
			select {
			case <-r.Context().Done():
				return
			case f := <-out:
				fmt.Fprintf(rw, "event: message\r\ndata: %s\r\n\r\n", f)
				rw.(http.Flusher).Flush()
			}
		}
	})
	mux.HandleFunc("POST /message", func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		out := streams[r.URL.Query().Get("session")]
		mu.Unlock()
		rw.WriteHeader(http.StatusAccepted)
		b.serve(body, func(f string) { out <- f })
	})
	s := httptest.NewServer(mux)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL + "/sse", logged.String
}

// over is a gateway before one server, without a session.
func over(t *testing.T, server proxy.GatewayServer, limits proxy.GatewayLimits) *attacked {
	t.Helper()
	_, front := gatewayFor(t, gatewaySetup{policy: loadPolicy(t, attackPolicy+"  fake/die: {verdict: allow}\n"), dir: t.TempDir(), servers: map[string]proxy.GatewayServer{"fake": server}, limits: limits})
	return &attacked{t: t, url: front.URL + "/mcp/fake", sessions: map[string]string{}}
}
