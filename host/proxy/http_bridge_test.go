package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
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

// bridge is one way that Callgate can stand between a client and a server.
type bridge struct {
	name        string
	front, back bool // over HTTP
	legacy      bool // the back is HTTP+SSE
	style       string
	limits      proxy.GatewayLimits
}

var bridges = []bridge{
	{name: "stdio to stdio"},
	{name: "stdio to HTTP", back: true, style: "sse"},
	{name: "stdio to HTTP with JSON", back: true, style: "pretty"},
	{name: "HTTP to stdio", front: true},
	{name: "HTTP to HTTP", front: true, back: true, style: "sse"},
	{name: "HTTP to HTTP with JSON", front: true, back: true, style: "json"},
	{name: "HTTP to HTTP with CRLF", front: true, back: true, style: "crlf"},
	{name: "HTTP to HTTP+SSE", front: true, back: true, legacy: true},
}

// wired is a client at one end of a bridge, and what reached the server at the
// other.
type wired struct {
	t      *testing.T
	b      bridge
	dir    string
	person *person
	plugin guests
	load   func(contract.PluginRef) (contract.Plugin, error) // instead of plugin
	reload *proxy.Reloader                                   // nil: nobody replaces the policy
	log    func() string
	write  func(frame string)
	close  func()

	mu       sync.Mutex
	lines    []string
	modern   bool
	session  string
	revision string
	url      string        // of the gateway
	stuck    chan struct{} // until it is closed, a process's client does not read; nil: it does
	back     string        // of the server
	posts    sync.WaitGroup
	ctx      context.Context
}

// connectOver builds a bridge.
func connectOver(t *testing.T, b bridge, policyText string, plugin ...guests) *wired {
	t.Helper()
	w := &wired{t: t, b: b}
	if len(plugin) > 0 {
		w.plugin = plugin[0]
	}
	w.connect(loadPolicy(t, policyText))
	return w
}

// connect builds the bridge.
func (w *wired) connect(p *policy.Policy) {
	t, b := w.t, w.b
	t.Helper()
	w.dir, w.person = t.TempDir(), &person{}
	ctx, cancel := context.WithCancel(context.Background())
	w.ctx = ctx
	server := proxy.GatewayServer{}
	switch {
	case b.legacy:
		url, log := serveLegacyBrain(t)
		server.Remote, server.Legacy, w.log, w.back = upstream(t, url), true, log, url
	case b.back:
		remote, s := newBrain(t, b.style)
		server.Remote, w.log, w.back = upstream(t, s.URL), remote.logged.String, s.URL
	default:
		server, w.log = brainChild(t)
	}
	if b.front {
		_, s := gatewayFor(t, gatewaySetup{policy: p, servers: map[string]proxy.GatewayServer{"fake": server}, dir: w.dir, asking: askingFor(w.person, long), limits: b.limits, plugin: w.plugin, load: w.load, reloader: w.reload})
		w.url = s.URL + "/mcp/fake"
		w.write = w.post
		w.close = cancel
		t.Cleanup(func() { cancel(); w.posts.Wait() })
		return
	}
	w.stdio(p, server)
	t.Cleanup(func() { w.close(); cancel() })
}

// stdio puts the relay of one process between the ends.
func (w *wired) stdio(p *policy.Policy, server proxy.GatewayServer) {
	w.t.Helper()
	load := w.load
	if load == nil {
		load = w.plugin.load(w.t)
	}
	opened, err := proxy.Open(proxy.Opening{Policy: p, Specs: builtin.Table(), Plugin: load, Server: "fake", Dir: w.dir, Place: abi.Place{Dir: "/srv", Home: "/home/u"}})
	if err != nil {
		w.t.Fatal(err)
	}
	stderr, err := os.CreateTemp(w.t.TempDir(), "stderr")
	if err != nil {
		w.t.Fatal(err)
	}
	r, in := io.Pipe()
	o := proxy.Options{
		Server: "fake", Command: server.Command, Env: server.Env, Engine: opened.Engine, Voice: proxy.NewVoice(p.Value()), Pins: opened.KeepPins,
		Asking: askingFor(w.person, long), In: r, Out: w, Stderr: stderr, Reloader: w.reload,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if server.Remote == nil {
			if _, err := proxy.Stdio(w.ctx, o); err != nil {
				w.t.Error(err)
			}
		} else {
			remote, err := transport.NewRemote(transport.RemoteOptions{
				Options: transport.Options{URL: w.back}, Schema: func(tool string) abi.Value { return opened.Engine.Schema("fake", tool) },
			})
			if err != nil {
				w.t.Error(err)
				return
			}
			o.Remote = remote
			proxy.StdioRemote(w.ctx, o)
		}
		_ = opened.Close()
	}()
	w.write = func(frame string) {
		if _, err := io.WriteString(in, frame+"\n"); err != nil {
			w.t.Error(err)
		}
	}
	w.close = func() {
		in.Close()
		select {
		case <-done:
		case <-time.After(patience):
			w.t.Error("the relay does not end")
		}
	}
}

// Write takes frames of the relay of a process.
func (w *wired) Write(p []byte) (int, error) {
	w.mu.Lock()
	stuck := w.stuck
	w.mu.Unlock()
	if stuck != nil {
		<-stuck
	}
	for line := range strings.Lines(string(p)) {
		w.took(line)
	}
	return len(p), nil
}

// took notes a frame that reached the client.
func (w *wired) took(frame string) {
	var one bytes.Buffer
	if json.Compact(&one, []byte(frame)) != nil {
		one.Reset()
		one.WriteString(frame)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, one.String())
}

func (w *wired) got() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "\n")
}

// await waits for a frame at the client.
func (w *wired) await(text string) string {
	w.t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		w.mu.Lock()
		for _, line := range w.lines {
			if strings.Contains(line, text) {
				w.mu.Unlock()
				return line
			}
		}
		w.mu.Unlock()
	}
	w.t.Fatalf("%s: no frame with %q; have %s\nserver: %s", w.b.name, text, w.got(), w.log())
	return ""
}

// post sends a frame over HTTP, and takes what comes back beside the caller,
// unless nothing is to come.
func (w *wired) post(frame string) {
	w.t.Helper()
	var m brainFrame
	_ = json.Unmarshal([]byte(frame), &m)
	req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.url, strings.NewReader(frame))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	w.mu.Lock()
	w.head(req.Header, m)
	w.mu.Unlock()
	if m.ID == nil || m.Method == "" {
		w.answer(req, m)
		return
	}
	w.posts.Add(1)
	go func() {
		defer w.posts.Done()
		w.answer(req, m)
	}()
}

// head sets the headers that a client of its revision sends.
func (w *wired) head(h http.Header, m brainFrame) {
	switch {
	case w.modern:
		h.Set("Mcp-Protocol-Version", "2026-07-28")
		if m.Method != "" {
			h.Set("Mcp-Method", m.Method)
		}
		for _, name := range []string{m.Params.Name, m.Params.URI, m.Params.TaskID} {
			if name != "" {
				h.Set("Mcp-Name", name)
			}
		}
	case w.session != "":
		h.Set("Mcp-Session-Id", w.session)
		h.Set("Mcp-Protocol-Version", w.revision)
	}
}

func (w *wired) answer(req *http.Request, m brainFrame) {
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		if req.Context().Err() == nil {
			w.t.Error(err)
		}
		return
	}
	defer res.Body.Close()
	if m.Method == "initialize" {
		w.mu.Lock()
		w.session, w.revision = res.Header.Get("Mcp-Session-Id"), m.Params.Version
		w.mu.Unlock()
	}
	w.take(res)
}

// take reads an answer, whatever it is.
func (w *wired) take(res *http.Response) {
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		if body, _ := io.ReadAll(res.Body); len(body) > 0 {
			w.took(string(body))
		}
		return
	}
	in, data := bufio.NewReader(res.Body), ""
	for {
		line, err := in.ReadString('\n')
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "data: "):
			data += line[6:]
		case line == "" && data != "":
			w.took(data)
			data = ""
		}
		if err != nil {
			return
		}
	}
}

// listen opens the stream for what the server says by itself.
func (w *wired) listen() {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	w.head(req.Header, brainFrame{})
	opened := make(chan int, 1)
	w.posts.Add(1)
	go func() {
		defer w.posts.Done()
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			opened <- 0
			return
		}
		defer res.Body.Close()
		opened <- res.StatusCode
		w.take(res)
	}()
	if status := <-opened; status != http.StatusOK {
		w.t.Fatalf("%s: GET is answered with %d", w.b.name, status)
	}
}
