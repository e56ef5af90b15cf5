package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/proxy"
)

// benchSessions is how many clients call at once.
const benchSessions = 200

// quickUpstream is a server that answers at once, so that what is measured is
// what stands before it.
func quickUpstream(b *testing.B) string {
	b.Helper()
	var mu sync.Mutex
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case bytes.Contains(body, []byte(`"initialize"`)):
			mu.Lock()
			n++
			w.Header().Set("Mcp-Session-Id", fmt.Sprintf("bench-%d", n))
			mu.Unlock()
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"b","version":"1"}}}`)
		case bytes.Contains(body, []byte(`"tools/list"`)):
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":`+brainTools+`}`)
		default:
			_, id, _ := bytes.Cut(body, []byte(`"id":`))
			id, _, _ = bytes.Cut(id, []byte(","))
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"a short result of a call"}]}}`, id)
		}
	}))
	b.Cleanup(s.Close)
	return s.URL
}

// benchClients are sessions with an endpoint.
type benchClients struct {
	url      string
	http     *http.Client
	sessions []string
}

func newBenchClients(b *testing.B, url string) *benchClients {
	b.Helper()
	c := &benchClients{url: url, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchSessions, MaxIdleConns: 2 * benchSessions}}}
	b.Cleanup(c.http.CloseIdleConnections)
	for range benchSessions {
		res := c.post(b, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`)
		id := res.Header.Get("Mcp-Session-Id")
		if res := c.post(b, id, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); res.StatusCode != http.StatusOK {
			b.Fatal(res.Status)
		}
		c.sessions = append(c.sessions, id)
	}
	return c
}

func (c *benchClients) post(b *testing.B, session, body string) *http.Response {
	req, err := http.NewRequest(http.MethodPost, c.url, bytes.NewReader([]byte(body)))
	if err != nil {
		b.Error(err)
		return &http.Response{}
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}}
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	res, err := c.http.Do(req)
	if err != nil {
		b.Error(err)
		return &http.Response{}
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
		b.Error(res.Status, err)
	}
	res.Body.Close()
	return res
}

// run has every session make calls, and returns how long each took, and all.
func (c *benchClients) run(b *testing.B, from, calls int) (took []time.Duration, all time.Duration) {
	var all1 sync.WaitGroup
	each := make([][]time.Duration, len(c.sessions))
	start := time.Now()
	for i, session := range c.sessions {
		all1.Add(1)
		go func() {
			defer all1.Done()
			for n := range calls {
				at := time.Now()
				c.post(b, session, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"good","arguments":{"a":"a short argument"}}}`, from+n))
				each[i] = append(each[i], time.Since(at))
			}
		}()
	}
	all1.Wait()
	all = time.Since(start)
	for _, e := range each {
		took = append(took, e...)
	}
	slices.Sort(took)
	return took, all
}

// BenchmarkGateway compares 200 sessions through the gateway, with a ledger on
// disk, with the same through a bare reverse proxy, in turns within one run. The
// targets are half of its calls a second, and three times its 99th percentile.
func BenchmarkGateway(b *testing.B) {
	target := quickUpstream(b)
	to, err := url.Parse(target)
	if err != nil {
		b.Fatal(err)
	}
	reverse := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	reverse.Transport = &http.Transport{MaxIdleConnsPerHost: benchSessions, MaxIdleConns: 2 * benchSessions, DisableCompression: true}
	bare := httptest.NewServer(reverse)
	b.Cleanup(bare.Close)
	_, gate := gatewayFor(b, gatewaySetup{
		policy: loadPolicy(b, parityPolicy), dir: b.TempDir(), servers: map[string]proxy.GatewayServer{"fake": {Remote: upstream(b, target)}},
		limits: proxy.GatewayLimits{Sessions: 2 * benchSessions, Children: 1, Idle: time.Hour, KeepAlive: time.Minute, Delay: time.Minute},
	})
	one, two := newBenchClients(b, bare.URL), newBenchClients(b, gate.URL+"/mcp/fake")
	var direct, gated []time.Duration
	var directly, through time.Duration
	b.ResetTimer()
	const calls = 10
	for n := range b.N {
		took, all := one.run(b, 10+n*calls, calls)
		direct, directly = append(direct, took...), directly+all
		took, all = two.run(b, 10+n*calls, calls)
		gated, through = append(gated, took...), through+all
	}
	b.StopTimer()
	slices.Sort(direct)
	slices.Sort(gated)
	rate := func(n int, d time.Duration) float64 { return float64(n) / d.Seconds() }
	b.ReportMetric(rate(len(gated), through), "calls/s")
	b.ReportMetric(rate(len(direct), directly), "bare-calls/s")
	b.ReportMetric(rate(len(gated), through)/rate(len(direct), directly), "x-calls/s")
	b.ReportMetric(float64(gated[len(gated)*99/100])/float64(direct[len(direct)*99/100]), "x-p99")
	b.ReportMetric(float64(gated[len(gated)*99/100].Microseconds())/1000, "p99-ms")
}
