package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/wire"
)

const initializeOver = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`

// forwardedTo keeps what reaches a server.
type forwardedTo struct {
	mu     sync.Mutex
	bodies [][]byte
}

func (f *forwardedTo) take() [][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.bodies
	f.bodies = nil
	return out
}

// fuzzServer answers every request at once, over Streamable HTTP.
func fuzzServer(f *forwardedTo) http.HandlerFunc {
	b := &brain{log: io.Discard}
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		f.mu.Lock()
		f.bodies = append(f.bodies, body)
		f.mu.Unlock()
		answer := ""
		b.serve(body, func(a string) { answer = a })
		if answer == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if bytes.Contains(body, []byte("initialize")) {
			w.Header().Set("Mcp-Session-Id", fmt.Sprintf("s-%d", time.Now().UnixNano()))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}
}

// FuzzFront: whatever a client sends, it gets an answer, and no server gets what
// is not a frame, or a call that the policy does not allow.
func FuzzFront(f *testing.F) {
	for _, c := range volleys() {
		for _, s := range []shot{c.bad, c.good} {
			if s.method == "" {
				s.method = http.MethodPost
			}
			header := ""
			if s.session != "" {
				header = "Mcp-Session-Id: SESSION\r\n"
			}
			for i := 0; i+1 < len(s.header); i += 2 {
				header += s.header[i] + ": " + s.header[i+1] + "\r\n"
			}
			if !strings.Contains(header, "Content-Type") {
				header += "Content-Type: application/json\r\n"
			}
			if len(s.body) < 1<<10 {
				f.Add(s.method, "/mcp/fake", header, []byte(s.body))
			}
		}
	}
	f.Add("GET", "/mcp/lines", "Accept: text/event-stream\r\nMcp-Session-Id: SESSION\r\nLast-Event-Id: 1-0\r\n", []byte{})
	f.Add("DELETE", "/mcp/lines", "Mcp-Session-Id: SESSION\r\n", []byte{})
	f.Add("POST", "/mcp/lines", "Mcp-Session-Id: SESSION\r\nContent-Type: application/json\r\n", []byte(goodCall))
	f.Add("POST", "/mcp/lines", "Content-Type: application/json\r\n", []byte(initializeOver))
	f.Add("POST", "/mcp/lines", "Content-Type: application/json\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: good\r\n", []byte(modernCall))
	f.Add("OPTIONS", "/mcp/../mcp/fake", "Origin: http://localhost\r\n", []byte("[]"))
	to := &forwardedTo{}
	server := httptest.NewServer(fuzzServer(to))
	f.Cleanup(server.Close)
	child, _ := brainChild(f)
	policy := "callgate: 1\npacks: none\nsettings: {default: deny, unlisted: allow, approval_timeout: 0s}\ntools:\n  fake/good: {verdict: allow}\n  lines/good: {verdict: allow}\nservers:\n  lines: {outputs: untrusted}\n"
	g, front := gatewayFor(f, gatewaySetup{
		policy: loadPolicy(f, policy), memory: true, servers: map[string]proxy.GatewayServer{"fake": {Remote: upstream(f, server.URL)}, "lines": child},
		limits: proxy.GatewayLimits{Sessions: 8, Children: 8, Idle: 200 * time.Millisecond, KeepAlive: time.Minute, Delay: time.Minute, Body: 1 << 20},
	})
	session := ""
	open := func() string {
		res, err := http.Post(front.URL+"/mcp/fake", "application/json", strings.NewReader(initializeOver))
		if err != nil {
			return "none"
		}
		defer res.Body.Close()
		return res.Header.Get("Mcp-Session-Id")
	}
	f.Fuzz(func(t *testing.T, method, path, header string, body []byte) {
		if session == "" {
			session = open()
		}
		header = strings.ReplaceAll(header, "SESSION", session)
		text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n%s\r\n", method, path, len(body), header)
		r, err := http.ReadRequest(bufio.NewReader(io.MultiReader(strings.NewReader(text), bytes.NewReader(body))))
		if err != nil {
			return // no HTTP server would serve it
		}
		to.take()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if r.Method == http.MethodGet {
			time.AfterFunc(20*time.Millisecond, cancel) // it listens until it has gone
		}
		w, served := httptest.NewRecorder(), make(chan struct{})
		w.Code = 0
		go func() { defer close(served); g.ServeHTTP(w, r.WithContext(ctx)) }()
		select {
		case <-served:
		case <-time.After(patience):
			t.Fatal("the request gets no answer")
		}
		if w.Code == http.StatusNotFound {
			session = "" // it may have ended
		}
		if w.Code == 0 && r.Method != http.MethodGet {
			t.Error("the request got no status")
		}
		if w.Code >= 400 && w.Body.Len() == 0 && ctx.Err() == nil && w.Code != http.StatusMethodNotAllowed {
			t.Errorf("status %d says nothing of what is wrong", w.Code)
		}
		for _, b := range to.take() {
			sent := wire.Classify(b, wire.FromClient, wire.Options{Batches: true})
			allowed(t, sent)
			for _, e := range sent.Elements {
				allowed(t, e)
			}
		}
	})
}

// allowed checks a frame that reached the server.
func allowed(t *testing.T, f wire.Frame) {
	t.Helper()
	switch {
	case f.Kind == wire.Refused, f.Kind == wire.Noise, f.Kind == wire.Blank, f.Problem != nil:
		t.Errorf("%q reached the server, which is %v", f.Raw, f.Kind)
	case f.Call != nil && f.Call.Name != "good":
		t.Errorf("%q reached the server", f.Raw)
	}
}
