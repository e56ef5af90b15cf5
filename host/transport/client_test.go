package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// nothingLeft fails a test whose end leaves goroutines of the client side.
func nothingLeft(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		var left []string
		for late := time.Now().Add(time.Minute); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
			left = left[:0]
			buf := make([]byte, 1<<20)
			for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
				if strings.Contains(g, "transport.(*Remote)") || strings.Contains(g, "transport.(*Upstream)") || strings.Contains(g, "net/http.(*persistConn)") {
					left = append(left, g)
				}
			}
			if len(left) == 0 {
				return
			}
		}
		t.Errorf("%d goroutines are left, the first: %s", len(left), left[0])
	})
}

// serve starts a server that is closed at the end of the test.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func upstream(t *testing.T, o Options) *Upstream {
	t.Helper()
	u, err := NewUpstream(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(u.Close)
	return u
}

func TestOnlyAPlainURLNamesAServer(t *testing.T) {
	for _, c := range []struct {
		url, want string
	}{
		{"http://127.0.0.1:1/mcp", ""},
		{"https://example.com/mcp?key=1", ""},
		{"https://[::1]:8443", ""},
		{"", "scheme"},
		{"ftp://example.com", "scheme"},
		{"example.com/mcp", "scheme"},
		{"http:///mcp", "no host"},
		{"https://user:secret@example.com/", "Authorization"},
		{"https://example.com/#a", "fragment"},
		{"http://secret\x7f/", "does not parse"},
	} {
		_, err := NewUpstream(Options{URL: c.url})
		if c.want == "" != (err == nil) || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: %v, want %q", c.url, err, c.want)
		}
	}
}

func TestOnlyHeadersOfTheOperatorAreConfigured(t *testing.T) {
	for _, c := range []struct {
		name, value string
		ok          bool
	}{
		{"Authorization", "Bearer secret", true},
		{"X-Api-Key", "secret", true},
		{"Cookie", "session=secret", true},
		{"User-Agent", "x", true},
		{"X-Api-Key", "secret\r\nHost: evil", false},
		{"X Api", "secret", false},
		{"mcp-session-id", "secret", false},
		{"Mcp-Name", "secret", false},
		{"Host", "secret", false},
		{"Content-Type", "secret", false},
		{"Accept-Encoding", "secret", false},
		{"Transfer-Encoding", "secret", false},
		{"Proxy-Authorization", "secret", false},
		{"Idempotency-Key", "secret", false},
	} {
		_, err := NewUpstream(Options{URL: "http://127.0.0.1:1", Header: http.Header{c.name: {c.value}}})
		if c.ok != (err == nil) || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", c.name, err)
		}
	}
}

func TestARequestSaysWhatItHasTo(t *testing.T) {
	nothingLeft(t)
	var got *http.Request
	var body string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got, body = r, string(b)
		w.WriteHeader(http.StatusAccepted)
	})
	given := http.Header{
		"Mcp-Session-Id": {"s1"}, "Mcp-Method": {"ping"}, "Traceparent": {"00-1"}, "X-Key": {"forged"}, "Authorization": {"Bearer theirs"},
		"Cookie": {"a=b"}, "Accept": {"*/*"}, "Accept-Encoding": {"gzip"}, "Content-Type": {"text/plain"}, "Connection": {"upgrade"}, "Host": {"evil"},
		"Transfer-Encoding": {"gzip"},
	}
	for _, c := range []struct {
		name          string
		authorization func(context.Context) (string, error)
		want          string
	}{
		{"as given", nil, "Bearer theirs"},
		{"as configured", func(context.Context) (string, error) { return "Bearer ours", nil }, "Bearer ours"},
		{"none", func(context.Context) (string, error) { return "", nil }, ""},
	} {
		u := upstream(t, Options{URL: s.URL + "/mcp?k=v", Header: http.Header{"X-Key": {"ours"}}, Authorization: c.authorization})
		for _, send := range []struct {
			method, accept, content, last string
			do                            func() (*Reply, error)
		}{
			{"POST", "application/json, text/event-stream", "application/json", "", func() (*Reply, error) { return u.Post(t.Context(), []byte(`{"a":1}`), given) }},
			{"GET", "text/event-stream", "", "e7", func() (*Reply, error) { return u.Listen(t.Context(), given, "e7") }},
			{"DELETE", "", "", "", func() (*Reply, error) { return u.Delete(t.Context(), given) }},
		} {
			reply, err := send.do()
			if err != nil || reply.Kind != ReplyNone || !reply.OK() {
				t.Fatalf("%s: %v %+v", send.method, err, reply)
			}
			h := got.Header
			for name, want := range map[string]string{
				"Accept": send.accept, "Content-Type": send.content, "Last-Event-Id": send.last, "Accept-Encoding": "identity", "Mcp-Session-Id": "s1",
				"Mcp-Method": "ping", "Traceparent": "00-1", "X-Key": "ours", "Authorization": c.want, "Cookie": "", "User-Agent": "callgate", "Connection": "",
			} {
				if h.Get(name) != want {
					t.Errorf("%s, %s: %s is %q, want %q", c.name, send.method, name, h.Get(name), want)
				}
			}
			if got.Method != send.method || got.RequestURI != "/mcp?k=v" || got.Host != strings.TrimPrefix(s.URL, "http://") || len(got.TransferEncoding) > 0 {
				t.Errorf("%s: %s %s to %s", send.method, got.Method, got.RequestURI, got.Host)
			}
			if want := map[string]string{"POST": `{"a":1}`}[send.method]; body != want {
				t.Errorf("%s: body %q", send.method, body)
			}
		}
	}
}

func TestWithoutItsAuthorizationNothingIsSent(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	u := upstream(t, Options{URL: s.URL, Authorization: func(context.Context) (string, error) { return "", errors.New("no token") }})
	_, err := u.Post(t.Context(), []byte("{}"), nil)
	if e := kindOf(err); e != KindRequest {
		t.Errorf("%v", err)
	}
}

// kindOf is the kind of an error, 255 for one that is none of ours.
func kindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 255
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

func TestRepliesAreToldApart(t *testing.T) {
	nothingLeft(t)
	const none = 255
	for _, c := range []struct {
		name   string
		status int
		header http.Header
		body   string
		kind   ReplyKind
		err    ErrorKind
	}{
		{"a frame", 200, http.Header{"Content-Type": {"application/json"}}, `{}`, ReplyJSON, none},
		{"a frame in UTF-8", 200, http.Header{"Content-Type": {"Application/JSON; charset=UTF-8"}}, `{}`, ReplyJSON, none},
		{"a frame in UTF-7", 200, http.Header{"Content-Type": {"application/json; charset=utf-7"}}, `{}`, 0, KindContent},
		{"a frame in UTF-16", 200, http.Header{"Content-Type": {"application/json; charset=utf-16le"}}, `{}`, 0, KindContent},
		{"two types", 200, http.Header{"Content-Type": {"application/json", "text/plain"}}, `{}`, 0, KindContent},
		{"parameters that do not parse", 200, http.Header{"Content-Type": {"application/json; charset"}}, `{}`, 0, KindContent},
		{"an error with a frame", 400, http.Header{"Content-Type": {"application/json"}}, `{}`, ReplyJSON, none},
		{"accepted", 202, nil, ``, ReplyNone, none},
		{"no content", 204, nil, ``, ReplyNone, none},
		{"an empty frame", 200, http.Header{"Content-Type": {"application/json"}}, ``, ReplyNone, none},
		{"events", 200, http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, "data: {}\n\n", ReplyEvents, none},
		{"events of an error", 404, http.Header{"Content-Type": {"text/event-stream"}}, "data: {}\n\n", ReplyOther, none},
		{"a page", 404, http.Header{"Content-Type": {"text/html"}}, `<p>`, ReplyOther, none},
		{"no type", 200, http.Header{"Content-Type": nil}, `{}`, ReplyOther, none},
		{"a type like another", 200, http.Header{"Content-Type": {"application/json2"}}, `{}`, ReplyOther, none},
		{"gzip", 200, http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, string(gzipped("{}")), 0, KindContent},
		{"gzip of an error", 500, http.Header{"Content-Encoding": {"gzip"}}, string(gzipped("{}")), 0, KindContent},
		{"gzip events", 200, http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"GZIP"}}, string(gzipped("data: {}\n\n")), 0, KindContent},
		{"identity", 200, http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"identity"}}, `{}`, ReplyJSON, none},
		{"a body at the cap", 200, http.Header{"Content-Type": {"application/json"}}, strings.Repeat(" ", 1000), ReplyJSON, none},
		{"a body over the cap", 200, http.Header{"Content-Type": {"application/json"}}, strings.Repeat(" ", 1001), 0, KindTooLong},
		{"a page over the cap", 404, http.Header{"Content-Type": {"text/html"}}, strings.Repeat(" ", 1001), 0, KindTooLong},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			for name, values := range c.header {
				w.Header()[name] = values
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		u := upstream(t, Options{URL: s.URL, MaxBody: 1000})
		r, err := u.Post(t.Context(), []byte("{}"), nil)
		if kindOf(err) != c.err || err == nil && (r.Kind != c.kind || r.Status != c.status) {
			t.Errorf("%s: %+v and %v", c.name, r, err)
		}
		if err == nil && r.Kind == ReplyJSON && string(r.Body) != c.body {
			t.Errorf("%s: body %q", c.name, r.Body)
		}
		if err == nil && r.Kind == ReplyEvents {
			if e, err := r.Events.Next(); err != nil || string(e.Data) != "{}" {
				t.Errorf("%s: %+v %v", c.name, e, err)
			}
		}
		_ = r.Close()
		u.Close()
	}
}

func TestRedirectsAreNeverFollowed(t *testing.T) {
	nothingLeft(t)
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("followed with %q", r.Header) })
	for _, c := range []struct {
		status   int
		location string
		want     string
	}{
		{301, other.URL + "/secret", "\"" + strings.TrimPrefix(other.URL, "http://") + "\""},
		{302, other.URL, strings.TrimPrefix(other.URL, "http://")},
		{303, other.URL, strings.TrimPrefix(other.URL, "http://")},
		{307, other.URL, strings.TrimPrefix(other.URL, "http://")},
		{308, other.URL, strings.TrimPrefix(other.URL, "http://")},
		{308, "/elsewhere", "another path"},
		{307, "", "without saying where"},
		{307, "//a\tb/", "another path"},
		{200, other.URL, ""},
		{201, other.URL, ""},
	} {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/mcp" {
					t.Errorf("followed to %s", r.URL)
				}
				if c.location != "" {
					w.Header().Set("Location", c.location)
				}
				w.WriteHeader(c.status)
			})
			u := upstream(t, Options{URL: s.URL + "/mcp", Header: http.Header{"Authorization": {"Bearer secret"}}})
			r, err := u.do(t.Context(), method, u.url, nil, nil)
			if c.want == "" {
				if err != nil || !r.OK() {
					t.Errorf("%s %d: %v", method, c.status, err)
				}
				continue
			}
			if kindOf(err) != KindRedirect || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s %d: %v, want %q", method, c.status, err, c.want)
			}
		}
	}
}
