package transport

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/wire"
)

const (
	onLoopback = "127.0.0.1:7777"
	onNetwork  = "192.0.2.7:8443"
)

func request(method, host string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "/mcp/notes", nil)
	r.URL.Host, r.Host = "", host
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestGuardAnswersForItsHostsOnly(t *testing.T) {
	loopback := Guard{Bound: onLoopback}
	network := Guard{Bound: onNetwork, Hosts: []string{"gate.example.org", "odd.example.org:444", "[2001:db8::1]"}}
	cases := []struct {
		name  string
		guard Guard
		host  string
		ok    bool
	}{
		{"the address it is bound to", loopback, "127.0.0.1:7777", true},
		{"a name of another site", loopback, "rebind.evil.example.org:7777", false},
		{"localhost", loopback, "localhost:7777", true},
		{"localhost without port", loopback, "localhost", true},
		{"localhost as a label", loopback, "localhost.evil.example.org", false},
		{"a name that ends in localhost", loopback, "evil-localhost", false},
		{"another loopback address", loopback, "127.3.2.1:1", true},
		{"an address of the network", loopback, "192.0.2.7", false},
		{"IPv6 loopback", loopback, "[::1]:7777", true},
		{"another IPv6 address", loopback, "[::2]:7777", false},
		{"IPv6 loopback with a zone", loopback, "[::1%25lo]:7777", false},
		{"IPv6 loopback without brackets", loopback, "::1", false},
		{"IPv4 loopback within IPv6", loopback, "[::ffff:127.0.0.1]", false},
		{"IPv4 in brackets", loopback, "[127.0.0.1]", false},
		{"IPv6 loopback in long", loopback, "[0:0:0:0:0:0:0:1]", false},
		{"a trailing dot", loopback, "localhost.:7777", false},
		{"upper case", loopback, "LOCALHOST", false},
		{"userinfo", loopback, "user@localhost", false},
		{"a short address", loopback, "127.1", false},
		{"a hexadecimal address", loopback, "0x7f.0.0.1", false},
		{"a decimal address", loopback, "2130706433", false},
		{"an octal address", loopback, "0177.0.0.1", false},
		{"all addresses", loopback, "0.0.0.0:7777", false},
		{"no host", loopback, "", false},
		{"no port behind the colon", loopback, "localhost:", false},
		{"port zero", loopback, "localhost:0", false},
		{"a port too high", loopback, "localhost:65536", false},
		{"a port with a sign", loopback, "localhost:+80", false},
		{"text behind the bracket", loopback, "[::1]x:80", false},
		{"an open bracket", loopback, "[::1", false},
		{"two hosts", loopback, "localhost,evil.example.org", false},
		{"a space", loopback, "localhost ", false},
		{"a configured name", network, "gate.example.org", true},
		{"a configured name with any port", network, "gate.example.org:9", true},
		{"a configured name in upper case", network, "Gate.example.org", false},
		{"below a configured name", network, "x.gate.example.org", false},
		{"a configured port", network, "odd.example.org:444", true},
		{"another port than the configured", network, "odd.example.org:445", false},
		{"no port where one is configured", network, "odd.example.org", false},
		{"a configured IPv6 address", network, "[2001:db8::1]:8443", true},
		{"its own address on the network", network, onNetwork, true},
		{"a neighbour's address", network, "192.0.2.8:8443", false},
		{"loopback, on the network", network, "localhost:8443", false},
		{"anything, bound to everything", Guard{Bound: "0.0.0.0:80"}, "0.0.0.0:80", false},
		{"a configured name, bound to everything", Guard{Bound: "0.0.0.0:80", Hosts: []string{"gate.example.org"}}, "gate.example.org", true},
		{"anything, for the zero value", Guard{}, "127.0.0.1", false},
	}
	tally(t, len(cases))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			verdict(t, c.guard.Check(request("POST", c.host)), c.ok, http.StatusForbidden, CodeInvalidRequest)
		})
	}
}

// tally fails a test whose table is empty.
func tally(t *testing.T, cases int) {
	t.Helper()
	if cases == 0 {
		t.Fatal("the table has no cases")
	}
}

func verdict(t *testing.T, bad *Refusal, ok bool, status, code int) {
	t.Helper()
	switch {
	case ok && bad != nil:
		t.Errorf("refused: %d %s; want it to pass", bad.Status, bad.Reason)
	case !ok && bad == nil:
		t.Errorf("passed; want %d", status)
	case !ok && (bad.Status != status || bad.Code != code):
		t.Errorf("refused with %d, code %d: %s; want %d, code %d", bad.Status, bad.Code, bad.Reason, status, code)
	}
}

func TestGuardAnswersToItsOriginsOnly(t *testing.T) {
	loopback := Guard{Bound: onLoopback, Origins: []string{"https://app.example.org", "vscode-webview://1abc"}}
	network := Guard{Bound: onNetwork, Origins: []string{"https://app.example.org:8443"}}
	cases := []struct {
		name   string
		guard  Guard
		host   string
		origin []string
		ok     bool
	}{
		{"none", loopback, onLoopback, nil, true},
		{"localhost", loopback, onLoopback, []string{"http://localhost:6274"}, true},
		{"localhost on https", loopback, onLoopback, []string{"https://localhost"}, true},
		{"an IPv6 loopback page", loopback, onLoopback, []string{"http://[::1]:1"}, true},
		{"another site", loopback, onLoopback, []string{"http://evil.example.org"}, false},
		{"another site that starts alike", loopback, onLoopback, []string{"http://localhost.evil.example.org"}, false},
		{"userinfo", loopback, onLoopback, []string{"http://localhost@evil.example.org"}, false},
		{"null", loopback, onLoopback, []string{"null"}, false},
		{"empty", loopback, onLoopback, []string{""}, false},
		{"a file", loopback, onLoopback, []string{"file://"}, false},
		{"another scheme on localhost", loopback, onLoopback, []string{"ftp://localhost"}, false},
		{"the scheme in upper case", loopback, onLoopback, []string{"HTTP://localhost"}, false},
		{"the host in upper case", loopback, onLoopback, []string{"http://LOCALHOST"}, false},
		{"a trailing dot", loopback, onLoopback, []string{"http://localhost."}, false},
		{"a trailing slash", loopback, onLoopback, []string{"http://localhost/"}, false},
		{"two in one line", loopback, onLoopback, []string{"http://localhost http://evil.example.org"}, false},
		{"two lines", loopback, onLoopback, []string{"http://localhost", "http://localhost"}, false},
		{"a configured one", loopback, onLoopback, []string{"https://app.example.org"}, true},
		{"a configured one on http", loopback, onLoopback, []string{"http://app.example.org"}, false},
		{"a configured one with its default port", loopback, onLoopback, []string{"https://app.example.org:443"}, false},
		{"a configured webview", loopback, onLoopback, []string{"vscode-webview://1abc"}, true},
		{"another webview", loopback, onLoopback, []string{"vscode-webview://1abd"}, false},
		{"a configured one with port", network, onNetwork, []string{"https://app.example.org:8443"}, true},
		{"localhost, seen from the network", network, onNetwork, []string{"http://localhost"}, false},
		{"the endpoint itself", network, onNetwork, []string{"https://" + onNetwork}, false},
	}
	tally(t, len(cases))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := request("POST", c.host)
			for _, o := range c.origin {
				r.Header.Add("Origin", o)
			}
			verdict(t, c.guard.Check(r), c.ok, http.StatusForbidden, CodeInvalidRequest)
		})
	}
}

func TestGuardRefusesARequestOfTwoHosts(t *testing.T) {
	g := Guard{Bound: onLoopback}
	both := request("POST", onLoopback)
	both.Header["Host"] = []string{"evil.example.org"}
	twice := request("POST", onLoopback)
	twice.Header["Host"] = []string{onLoopback, onLoopback}
	absolute := request("POST", onLoopback)
	absolute.URL = &url.URL{Scheme: "http", Host: onLoopback, Path: "/mcp"}
	same := request("POST", onLoopback)
	same.Header["Host"] = []string{onLoopback}
	for name, r := range map[string]*http.Request{":authority and another Host": both, "two Host lines": twice, "an absolute target": absolute} {
		t.Run(name, func(t *testing.T) { verdict(t, g.Check(r), false, http.StatusForbidden, CodeInvalidRequest) })
	}
	verdict(t, g.Check(same), true, 0, 0)
}

func TestGuardNamesAnEntryThatCanNotMatch(t *testing.T) {
	cases := []struct {
		guard Guard
		want  string // in the error; "": none
	}{
		{Guard{}, ""},
		{Guard{Bound: onLoopback, Hosts: []string{"a.example", "b.example:1"}, Origins: []string{"https://a.example", "chrome-extension://abc"}}, ""},
		{Guard{Bound: "localhost:x"}, "localhost:x"},
		{Guard{Hosts: []string{"*"}}, `"*"`},
		{Guard{Hosts: []string{"a.example", "A.example"}}, `"A.example"`},
		{Guard{Hosts: []string{"https://a.example"}}, "https://a.example"},
		{Guard{Origins: []string{"null"}}, "null"},
		{Guard{Origins: []string{"*"}}, `"*"`},
		{Guard{Origins: []string{"https://a.example/"}}, "https://a.example/"},
		{Guard{Origins: []string{"a.example"}}, "a.example"},
	}
	tally(t, len(cases))
	for _, c := range cases {
		err := c.guard.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v; want one with %q", c.guard, err, c.want)
		}
	}
}

func TestGuardLetsOnlyConfiguredPagesRead(t *testing.T) {
	g := Guard{Bound: onLoopback, Origins: []string{"https://app.example.org"}}
	served := g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	cases := []struct {
		name           string
		r              *http.Request
		status         int
		allow, exposed string
	}{
		{"no origin", request("POST", onLoopback), 200, "", ""},
		{"a configured origin", request("POST", onLoopback, "Origin", "https://app.example.org"), 200, "https://app.example.org", corsExposed},
		{"a loopback origin", request("POST", onLoopback, "Origin", "http://localhost:1"), 200, "", ""},
		{"another origin", request("POST", onLoopback, "Origin", "https://evil.example.org"), 403, "", ""},
		{"a preflight", request("OPTIONS", onLoopback, "Origin", "https://app.example.org", "Access-Control-Request-Method", "POST"), 204, "https://app.example.org", ""},
		{"a preflight of another origin", request("OPTIONS", onLoopback, "Origin", "https://evil.example.org", "Access-Control-Request-Method", "POST"), 403, "", ""},
		{"a preflight of a loopback origin", request("OPTIONS", onLoopback, "Origin", "http://localhost:1", "Access-Control-Request-Method", "POST"), 200, "", ""},
	}
	tally(t, len(cases))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			served.ServeHTTP(w, c.r)
			if w.Code != c.status || w.Header().Get("Access-Control-Allow-Origin") != c.allow || w.Header().Get("Access-Control-Expose-Headers") != c.exposed {
				t.Errorf("answered %d %v; want %d, allow %q, expose %q", w.Code, w.Header(), c.status, c.allow, c.exposed)
			}
		})
	}
}

func TestPreflightAllowsOnlyHeadersOfMCP(t *testing.T) {
	got := corsHeaders([]string{"content-type, X-Evil, mcp-session-id", "Mcp-Param-Region, cookie, a b, authorization,content-type"})
	if want := "content-type, mcp-session-id, mcp-param-region, authorization"; got != want {
		t.Errorf("allowed %q; want %q", got, want)
	}
}

// TestGuardHoldsOnTheWire sends what the conformance scenario dns-rebinding-protection sends.
func TestGuardHoldsOnTheWire(t *testing.T) {
	srv := httptest.NewUnstartedServer(nil)
	srv.Config.Handler = Guard{Bound: srv.Listener.Addr().String()}.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	srv.Start()
	defer srv.Close()
	for host, want := range map[string]int{"evil.example.com": 403, srv.Listener.Addr().String(): 200, "localhost:99": 200} {
		r, err := http.NewRequest("POST", srv.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Origin", "http://"+host)
		answer, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != want {
			t.Errorf("host %s: %d %v; want %d", host, answer.StatusCode, err, want)
		}
		if want == 403 {
			f := wire.Classify(body, wire.FromServer, wire.Options{})
			if f.Kind != wire.ErrorResponse || f.ID.Raw != "null" || answer.Header.Get("Content-Type") != jsonType {
				t.Errorf("host %s: refused with %q; want a JSON-RPC error with the id null", host, body)
			}
		}
	}
}

func TestRefusalsSayWhatWasAskedAndWhatMayBe(t *testing.T) {
	w := httptest.NewRecorder()
	MethodNotAllowed("PUT", "POST, GET, DELETE").For(wire.ID{Raw: `"a"`}).Write(w)
	if w.Code != 405 || w.Header().Get("Allow") != "POST, GET, DELETE" || !strings.Contains(w.Body.String(), `"id":"a"`) || !strings.Contains(w.Body.String(), "PUT") {
		t.Errorf("answered %d %v %s; want 405 with Allow, the id and the method", w.Code, w.Header(), w.Body)
	}
	w = httptest.NewRecorder()
	(&Refusal{}).Write(w)
	if w.Code != 403 || !strings.Contains(w.Body.String(), "-32600") {
		t.Errorf("the zero refusal is answered %d %s; want 403", w.Code, w.Body)
	}
}

func FuzzHostAndOrigin(f *testing.F) {
	for _, s := range []string{"localhost:80", "[::1]:1", "127.0.0.1", "http://localhost", "a@b", "[::1%25lo]", "LOCALHOST", "null", "x://y", "evil.example.org", "localhost."} {
		f.Add(s)
	}
	g := Guard{Bound: onLoopback}
	f.Fuzz(func(t *testing.T, text string) {
		if g.Check(request("POST", text)) == nil {
			// What passes is loopback to the URL parser of browsers' kind as well.
			u, err := url.Parse("http://" + text + "/")
			if err != nil || u.User != nil || u.Hostname() != "localhost" && u.Hostname() != "::1" && !strings.HasPrefix(u.Hostname(), "127.") {
				t.Errorf("host %q passes and is read as %v (%v)", text, u, err)
			}
		}
		if g.Check(request("POST", onLoopback, "Origin", text)) == nil {
			u, err := url.Parse(text)
			if err != nil || u.User != nil || u.Path != "" || u.Scheme != "http" && u.Scheme != "https" || g.Check(request("POST", u.Host)) != nil {
				t.Errorf("origin %q passes and is read as %v (%v)", text, u, err)
			}
		}
	})
}
