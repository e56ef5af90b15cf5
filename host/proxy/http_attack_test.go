package proxy_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/callgate/callgate/host/proxy"
)

// attacked is a gateway in front of the brain, and a session of each revision.
type attacked struct {
	t        *testing.T
	url      string
	log      func() string
	sessions map[string]string
	n        int
}

var attackPolicy = strings.Replace(parityPolicy, "fake/big: {verdict: allow}", "fake/slow: {verdict: allow}", 1)

// attack serves the brain as a child, or over HTTP.
func attack(t *testing.T, b bridge, limits proxy.GatewayLimits) *attacked {
	t.Helper()
	w := connectOver(t, bridge{name: b.name, front: true, back: b.back, style: b.style, limits: limits}, attackPolicy)
	a := &attacked{t: t, url: w.url, log: w.log, sessions: map[string]string{}}
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		res, body := a.send(shot{body: `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`})
		if a.sessions[revision] = res.Header.Get("Mcp-Session-Id"); a.sessions[revision] == "" {
			t.Fatal(res.Status, body)
		}
		if res, body := a.send(shot{session: revision, body: `{"jsonrpc":"2.0","id":"list","method":"tools/list"}`}); res.StatusCode != http.StatusOK {
			t.Fatal(res.Status, body)
		}
	}
	return a
}

// shot is one request. A header without a value is left out, and one that is
// named twice is sent twice.
type shot struct {
	method  string
	path    string
	host    string
	session string // of this revision
	header  []string
	body    string
}

func (a *attacked) send(s shot) (*http.Response, string) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	a.t.Cleanup(cancel)
	if s.method == "" {
		s.method = http.MethodPost
	}
	url := a.url
	if s.path != "" {
		url = strings.TrimSuffix(url, "/mcp/fake") + s.path
	}
	req, err := http.NewRequestWithContext(ctx, s.method, url, strings.NewReader(s.body))
	if err != nil {
		a.t.Fatal(err)
	}
	if s.host != "" {
		req.Host = s.host
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if s.session != "" {
		req.Header["Mcp-Session-Id"] = []string{a.sessions[s.session]}
	}
	given := map[string]bool{}
	for i := 0; i+1 < len(s.header); i += 2 {
		name, value := s.header[i], strings.ReplaceAll(s.header[i+1], "SESSION", a.sessions[s.session])
		if !given[name] {
			delete(req.Header, http.CanonicalHeaderKey(name))
		}
		given[name] = true
		if value != "" {
			req.Header[name] = append(req.Header[name], value)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return res, string(body)
}

// volley is an attack and the request beside it that is none.
type volley struct {
	name   string
	bad    shot
	status int
	want   string // in the answer
	good   shot
}

const (
	goodCall   = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good","arguments":{"a":1}}}`
	modernCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good","arguments":{"a":1},` + modernPlain + `}}`
	twoCalls   = `[` + goodCall + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`
)

var modernHead = []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "good"}

func head(more ...string) []string { return append(append([]string(nil), modernHead...), more...) }

// legacy is a request in a session of 2025-11-25.
func legacy(body string, header ...string) shot {
	return shot{session: "2025-11-25", body: body, header: header}
}

func utf16le(s string) string {
	var b bytes.Buffer
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

func compressed(s, how string) string {
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if how == "deflate" {
		w = zlib.NewWriter(&b)
	}
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

func volleys() []volley {
	fine := legacy(goodCall)
	bad := `{"name":"bad","arguments":{}}`
	frame := func(name, body, code string) volley {
		return volley{name, legacy(body), http.StatusBadRequest, code, fine}
	}
	return []volley{
		// What a body is said to be.
		{"UTF-16", legacy(utf16le(goodCall), "Content-Type", "application/json; charset=utf-16le"), http.StatusUnsupportedMediaType, "utf-8", legacy(goodCall, "Content-Type", "application/json; charset=utf-8")},
		{"UTF-16 that nobody announced", legacy(utf16le(goodCall)), http.StatusBadRequest, "FRAME_", fine},
		{"UTF-7", legacy(`{"jsonrpc":"2.0","id":1,"method":"tools+AC8-call","params":`+bad+`}`, "Content-Type", "application/json;charset=utf-7"), http.StatusUnsupportedMediaType, "utf-8", legacy(goodCall, "Content-Type", `application/json;charset="utf-8"`)},
		{"no type", legacy(goodCall, "Content-Type", ""), http.StatusUnsupportedMediaType, "application/json", fine},
		{"text", legacy(goodCall, "Content-Type", "text/plain"), http.StatusUnsupportedMediaType, "application/json", legacy(goodCall, "Content-Type", "Application/JSON")},
		{"two types", legacy(goodCall, "Content-Type", "application/json", "Content-Type", "text/plain"), http.StatusUnsupportedMediaType, "send one", fine},
		{"gzip", legacy(compressed(goodCall, "gzip"), "Content-Encoding", "gzip"), http.StatusUnsupportedMediaType, "encoding", legacy(goodCall, "Content-Encoding", "identity")},
		{"deflate", legacy(compressed(goodCall, "deflate"), "Content-Encoding", "deflate"), http.StatusUnsupportedMediaType, "encoding", fine},
		{"br", legacy(goodCall, "Content-Encoding", "br"), http.StatusUnsupportedMediaType, "encoding", fine},
		{"plain, called gzip", legacy(goodCall, "Content-Encoding", "identity", "Content-Encoding", "gzip"), http.StatusUnsupportedMediaType, "encoding", fine},
		{"no stream accepted", legacy(goodCall, "Accept", "application/json"), http.StatusNotAcceptable, "text/event-stream", legacy(goodCall, "Accept", "*/*")},
		{"too long", legacy(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good","arguments":{"a":"` + strings.Repeat("x", 1<<20) + `"}}}`), http.StatusRequestEntityTooLarge, "longer than", legacy(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good","arguments":{"a":"` + strings.Repeat("x", 1<<19) + `"}}}`)},
		{"nothing", legacy(""), http.StatusBadRequest, "empty", fine},
		// Headers that say something else.
		{"another method", legacy(goodCall, "Mcp-Method", "ping"), http.StatusBadRequest, "-32020", legacy(goodCall, "Mcp-Method", "tools/call")},
		{"another name", legacy(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+bad+`}`, "Mcp-Name", "good"), http.StatusBadRequest, "-32020", legacy(goodCall, "Mcp-Name", "good")},
		{"another name, encoded", shot{body: modernCall, header: head("Mcp-Name", "=?base64?YmFk?=")}, http.StatusBadRequest, "-32020", shot{body: modernCall, header: head("Mcp-Name", "")}.with("Mcp-Name", "=?base64?Z29vZA==?=")},
		{"two names", shot{body: modernCall, header: head("Mcp-Name", "good")}, http.StatusBadRequest, "-32020", shot{body: modernCall, header: head()}},
		{"no name", shot{body: modernCall, header: modernHead[:4]}, http.StatusBadRequest, "-32020", shot{body: modernCall, header: head()}},
		{"no method", shot{body: modernCall, header: []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Name", "good"}}, http.StatusBadRequest, "-32020", shot{body: modernCall, header: head()}},
		{"no revision", shot{body: modernCall, header: modernHead[2:]}, http.StatusBadRequest, "-32020", shot{body: modernCall, header: head()}},
		{"another revision", shot{body: modernCall, header: append([]string{"Mcp-Protocol-Version", "2025-11-25"}, modernHead[2:]...)}, http.StatusBadRequest, "-32020", shot{body: modernCall, header: head()}},
		{"a revision that the body does not claim", legacy(goodCall, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "good"), http.StatusBadRequest, "claims no revision", legacy(goodCall, "Mcp-Protocol-Version", "2025-11-25")},
		{"a revision that is none", legacy(goodCall, "Mcp-Protocol-Version", "1999-01-01"), http.StatusBadRequest, "not supported", fine},
		{"two sessions", legacy(goodCall, "Mcp-Session-Id", "SESSION", "Mcp-Session-Id", "SESSION"), http.StatusBadRequest, "one Mcp-Session-Id", fine},
		{"a session that is none", legacy(goodCall, "Mcp-Session-Id", "nobody"), http.StatusNotFound, "no such session", fine},
		{"a session with spaces", legacy(goodCall, "Mcp-Session-Id", "a b"), http.StatusBadRequest, "visible ASCII", fine},
		// For whom it answers.
		{"a rebound name", shot{session: "2025-11-25", body: goodCall, host: "evil.example"}, http.StatusForbidden, "host", shot{session: "2025-11-25", body: goodCall, host: "localhost:1234"}},
		{"another origin", legacy(goodCall, "Origin", "http://evil.example"), http.StatusForbidden, "origin", legacy(goodCall, "Origin", "http://localhost:8080")},
		{"no origin at all", legacy(goodCall, "Origin", "null"), http.StatusForbidden, "origin", fine},
		{"another server", shot{session: "2025-11-25", body: goodCall, path: "/mcp/other"}, http.StatusNotFound, "/mcp/NAME", fine},
		{"below the server", shot{session: "2025-11-25", body: goodCall, path: "/mcp/fake/x"}, http.StatusNotFound, "/mcp/NAME", fine},
		{"another method of HTTP", shot{method: http.MethodPut, session: "2025-11-25", body: goodCall}, http.StatusMethodNotAllowed, "not offered", fine},
		// What two readers read differently.
		frame("a name twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bad","name":"good"}}`, "FRAME_DUPLICATE_NAME"),
		frame("a name in two cases", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good"},"Params":`+bad+`}`, "FRAME_NAME_FOLDS"),
		frame("a method in another case", `{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call","params":`+bad+`}`, "FRAME_NAME_FOLDS"),
		frame("a long s", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good"},"param`+"\u017f"+`":`+bad+`}`, "FRAME_NAME_FOLDS"),
		frame("a bare carriage return", `{"jsonrpc":"2.0","method":"ping","id":1,"params":`+"\r"+`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":`+bad+`}`+"\r}", "FRAME_RAW_CR"),
		frame("a byte order mark", "\ufeff"+goodCall, "FRAME_BOM"),
		frame("a zero byte", goodCall+"\x00", "FRAME_NUL"),
		frame("no UTF-8", strings.Replace(goodCall, "good", "good\xff", 1), "FRAME_NOT_UTF8"),
		frame("NaN", strings.Replace(goodCall, `"a":1`, `"a":NaN`, 1), "FRAME_NOT_JSON"),
		frame("two frames", goodCall+"\n"+strings.Replace(goodCall, "good", "bad", 1), "FRAME_TRAILING_DATA"),
		frame("a method and a result", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good"},"result":{}}`, "FRAME_METHOD_AND_RESULT"),
		frame("an id that is an object", strings.Replace(goodCall, `"id":1`, `"id":{}`, 1), "FRAME_ID_TYPE"),
		frame("an id with a fraction", strings.Replace(goodCall, `"id":1`, `"id":1.5`, 1), "FRAME_ID_FRACTION"),
		frame("a call without id", strings.Replace(goodCall, `"id":1,`, ``, 1), "FRAME_CALL_WITHOUT_ID"),
		frame("a call with id null", strings.Replace(goodCall, `"id":1,`, `"id":null,`, 1), ""),
		frame("a response that nobody asked for", `{"jsonrpc":"2.0","id":"x","result":{"smuggled":true}}`, "FRAME_FOREIGN_RESPONSE"),
		frame("an error that nobody asked for", `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"smuggled"}}`, "FRAME_FOREIGN_RESPONSE"),
		{"line ends of a body", legacy(strings.Replace(goodCall, "good", "bad", 1)), http.StatusOK, "COVERAGE_DEFAULT", legacy(strings.ReplaceAll(goodCall, `,"`, ",\r\n \""))},
		// Batches.
		{"a batch where there are none", legacy(twoCalls), http.StatusBadRequest, "FRAME_BATCH_UNSUPPORTED", shot{session: "2025-03-26", body: twoCalls}},
		{"a batch of 2025-06-18", shot{session: "2025-06-18", body: twoCalls}, http.StatusBadRequest, "FRAME_BATCH_UNSUPPORTED", shot{session: "2025-03-26", body: twoCalls}},
		{"a batch with a call that is denied", shot{session: "2025-03-26", body: `[` + goodCall + `,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + bad + `}]`}, http.StatusOK, "COVERAGE_DEFAULT", shot{session: "2025-03-26", body: twoCalls}},
		{"a batch with a call that asks", shot{session: "2025-03-26", body: `[` + goodCall + `,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}]`}, http.StatusOK, `COVERAGE_ASK`, shot{session: "2025-03-26", body: twoCalls}},
		{"a batch with a response", shot{session: "2025-03-26", body: `[` + goodCall + `,{"jsonrpc":"2.0","id":"x","result":{}}]`}, http.StatusOK, "FRAME_BATCH_ELEMENT", shot{session: "2025-03-26", body: twoCalls}},
		{"an empty batch", shot{session: "2025-03-26", body: `[]`}, http.StatusBadRequest, "FRAME_BATCH_EMPTY", shot{session: "2025-03-26", body: twoCalls}},
		{"a batch that initializes", shot{session: "2025-03-26", body: `[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}},` + goodCall + `]`}, 0, "error", shot{session: "2025-03-26", body: twoCalls}},
		{"a batch of another era", shot{session: "2025-03-26", body: `[` + modernCall + `]`}, http.StatusBadRequest, "without batches", shot{session: "2025-03-26", body: twoCalls}},
		{"a response in an era without them", shot{body: `{"jsonrpc":"2.0","id":"x","result":{}}`, header: []string{"Mcp-Protocol-Version", "2026-07-28"}}, http.StatusBadRequest, "clients send no responses", shot{body: modernCall, header: head()}},
	}
}

// with is a shot with one header line more, after one of that name is left out.
func (s shot) with(name, value string) shot {
	var out []string
	for i := 0; i+1 < len(s.header); i += 2 {
		if s.header[i] != name {
			out = append(out, s.header[i], s.header[i+1])
		}
	}
	s.header = append(out, name, value)
	return s
}

// TestWhatAttacksTheFrontReachesNoServer sends each attack, and the request
// beside it that is none: the server sees the second alone.
func TestWhatAttacksTheFrontReachesNoServer(t *testing.T) {
	limits := proxy.GatewayLimits{Sessions: 300, Children: 300, Idle: time.Minute, KeepAlive: time.Second, Delay: time.Second, Body: 1 << 20}
	ran := 0
	for _, b := range []bridge{{name: "a child"}, {name: "HTTP", back: true, style: "sse"}, {name: "HTTP with JSON", back: true, style: "json"}} {
		t.Run(b.name, func(t *testing.T) {
			a := attack(t, b, limits)
			for _, c := range volleys() {
				ran++
				t.Run(c.name, func(t *testing.T) {
					a.t = t
					a.n++
					// Ids are used once in a session, and only once.
					c.bad.body = strings.ReplaceAll(c.bad.body, `"id":1`, `"id":`+strconv.Itoa(1000+2*a.n))
					c.good.body = strings.ReplaceAll(c.good.body, `"id":1`, `"id":`+strconv.Itoa(1001+2*a.n))
					before := strings.Count(a.log(), "got ")
					res, body := a.send(c.bad)
					if c.status != 0 && res.StatusCode != c.status || !strings.Contains(body, c.want) {
						t.Errorf("status %d, %q; want %d and %q", res.StatusCode, body, c.status, c.want)
					}
					if !strings.Contains(body, `"error"`) && !strings.Contains(body, `"isError":true`) {
						t.Errorf("the answer is no refusal: %q", body)
					}
					res, body = a.send(c.good)
					if res.StatusCode != http.StatusOK || !strings.Contains(body, "ran good") {
						t.Errorf("the twin is answered with %d, %q", res.StatusCode, body)
					}
					if got := strings.Count(a.log(), "got ") - before; got != 1 {
						t.Errorf("the server saw %d messages; want 1: %s", got, a.log())
					}
				})
			}
		})
	}
	if ran != 3*len(volleys()) || ran == 0 {
		t.Fatalf("%d attacks ran", ran)
	}
}
