package transport

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestBodyIsPlainJSONInUTF8(t *testing.T) {
	cases := []struct {
		name    string
		headers []string
		status  int // 0: accepted
	}{
		{"plain", []string{"Content-Type", "application/json"}, 0},
		{"utf-8", []string{"Content-Type", "application/json; charset=utf-8"}, 0},
		{"utf-8 in capitals", []string{"Content-Type", "Application/JSON;Charset=UTF-8"}, 0},
		{"utf-8 in quotes", []string{"Content-Type", `application/json; charset="utf-8"`}, 0},
		{"utf-7", []string{"Content-Type", "application/json; charset=utf-7"}, 415},
		{"utf-16", []string{"Content-Type", "application/json; charset=utf-16le"}, 415},
		{"utf8 without hyphen", []string{"Content-Type", "application/json; charset=utf8"}, 415},
		{"an empty charset", []string{"Content-Type", "application/json; charset="}, 415},
		{"two charsets", []string{"Content-Type", "application/json; charset=utf-8; charset=utf-7"}, 415},
		{"a charset in parts", []string{"Content-Type", "application/json; charset*0=utf-; charset*1=7"}, 415},
		{"an encoded charset", []string{"Content-Type", "application/json; charset*=us-ascii''utf-7"}, 415},
		{"another parameter", []string{"Content-Type", "application/json; profile=x"}, 415},
		{"a parameter without value", []string{"Content-Type", "application/json; x"}, 415},
		{"nothing behind the semicolon", []string{"Content-Type", "application/json;"}, 415},
		{"two types in one line", []string{"Content-Type", "application/json, text/plain"}, 415},
		{"two lines", []string{"Content-Type", "application/json", "Content-Type", "application/json"}, 415},
		{"no type", nil, 415},
		{"an empty type", []string{"Content-Type", ""}, 415},
		{"text", []string{"Content-Type", "text/plain"}, 415},
		{"a form", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{"JSON of another kind", []string{"Content-Type", "application/json-rpc"}, 415},
		{"a structured suffix", []string{"Content-Type", "application/x+json"}, 415},
		{"identity", []string{"Content-Type", "application/json", "Content-Encoding", "Identity"}, 0},
		{"gzip", []string{"Content-Type", "application/json", "Content-Encoding", "gzip"}, 415},
		{"deflate", []string{"Content-Type", "application/json", "Content-Encoding", "deflate"}, 415},
		{"br", []string{"Content-Type", "application/json", "Content-Encoding", "br"}, 415},
		{"an empty coding", []string{"Content-Type", "application/json", "Content-Encoding", ""}, 415},
		{"identity and gzip", []string{"Content-Type", "application/json", "Content-Encoding", "identity, gzip"}, 415},
		{"identity twice", []string{"Content-Type", "application/json", "Content-Encoding", "identity", "Content-Encoding", "identity"}, 415},
	}
	tally(t, len(cases))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := request("POST", onLoopback, c.headers...)
			r.Body = io.NopCloser(strings.NewReader(ping))
			body, bad := ReadBody(httptest.NewRecorder(), r, BodyLimits{})
			verdict(t, bad, c.status == 0, c.status, CodeInvalidRequest)
			if want := map[bool]string{true: ping}[c.status == 0]; string(body) != want {
				t.Errorf("read %q; want %q", body, want)
			}
		})
	}
}

func TestBodyIsReadWholeOrNotAtAll(t *testing.T) {
	cases := []struct {
		name   string
		body   io.Reader
		length int64
		status int
	}{
		{"as long as it may be", strings.NewReader(strings.Repeat("x", 64)), 64, 0},
		{"in many pieces", iotest.OneByteReader(strings.NewReader(strings.Repeat("x", 64))), -1, 0},
		{"one byte longer", strings.NewReader(strings.Repeat("x", 65)), 65, 413},
		{"longer, and not even sent", iotest.ErrReader(io.ErrClosedPipe), 65, 413},
		{"one byte longer, in chunks", strings.NewReader(strings.Repeat("x", 65)), -1, 413},
		{"empty", strings.NewReader(""), 0, 0},
		{"cut off", io.MultiReader(strings.NewReader("{"), iotest.ErrReader(io.ErrUnexpectedEOF)), 20, 400},
		{"broken", iotest.ErrReader(io.ErrClosedPipe), 20, 400},
		{"too slow for the connection", iotest.ErrReader(&net.OpError{Op: "read", Err: timeoutError{}}), 20, 408},
	}
	tally(t, len(cases))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := request("POST", onLoopback, "Content-Type", "application/json")
			r.Body, r.ContentLength = io.NopCloser(c.body), c.length
			body, bad := ReadBody(httptest.NewRecorder(), r, BodyLimits{MaxBytes: 64, Timeout: time.Minute})
			verdict(t, bad, c.status == 0, c.status, CodeInvalidRequest)
			if bad != nil && body != nil {
				t.Errorf("read %q of what is refused", body)
			}
		})
	}
}

type timeoutError struct{}

func (timeoutError) Error() string { return "timeout" }
func (timeoutError) Timeout() bool { return true }

// TestBodyHasATimeOnTheWire waits for the deadline of a body that never comes.
func TestBodyHasATimeOnTheWire(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, bad := ReadBody(w, r, BodyLimits{Timeout: time.Millisecond}); bad != nil {
			bad.Write(w)
		}
	}))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 408 ")) {
		t.Errorf("answered %q, %v; want 408 and the end of the connection", answer, err)
	}
}

func TestAcceptListsWhatAnAnswerCanBe(t *testing.T) {
	cases := []struct {
		name, method string
		accept       []string
		ok           bool
	}{
		{"both", "POST", []string{"application/json, text/event-stream"}, true},
		{"both with qualities", "POST", []string{"text/event-stream;q=0.5 , Application/JSON; q=1.0"}, true},
		{"both on two lines", "POST", []string{"application/json", "text/event-stream"}, true},
		{"anything", "POST", []string{"*/*"}, true},
		{"ranges", "POST", []string{"application/*, text/*"}, true},
		{"nothing said", "POST", nil, true},
		{"JSON only", "POST", []string{"application/json"}, false},
		{"events only", "POST", []string{"text/event-stream"}, false},
		{"an empty list", "POST", []string{""}, false},
		{"events at quality zero", "POST", []string{"application/json, text/event-stream;q=0"}, false},
		{"events at quality zero beside anything", "POST", []string{"*/*, text/event-stream; q=0.000"}, false},
		{"anything beside events at quality zero", "POST", []string{"text/event-stream; q=0, */*"}, false},
		{"both beside anything at quality zero", "POST", []string{"application/json, text/event-stream, */*;q=0"}, true},
		{"anything at quality zero", "POST", []string{"*/*;q=0"}, false},
		{"a name that goes on", "POST", []string{"application/jsonx, text/event-stream"}, false},
		{"a GET of events", "GET", []string{"text/event-stream"}, true},
		{"a GET of JSON", "GET", []string{"application/json"}, false},
		{"a GET of a page", "GET", []string{"text/html"}, false},
		{"a DELETE of anything else", "DELETE", []string{"text/html"}, true},
	}
	tally(t, len(cases))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := request(c.method, onLoopback)
			for _, a := range c.accept {
				r.Header.Add("Accept", a)
			}
			verdict(t, CheckAccept(r), c.ok, http.StatusNotAcceptable, CodeInvalidRequest)
		})
	}
}

func FuzzContentType(f *testing.F) {
	for _, s := range []string{"application/json", "application/json; charset=utf-8", `application/json;charset="utf-8"`, "application/json; charset=utf-7", "application/json;", "text/plain"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if !isJSONType(value) {
			return
		}
		media, params, err := mime.ParseMediaType(value)
		if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || media != jsonType {
			t.Errorf("%q passes and is read as %q, %v", value, media, err)
		}
		for name, charset := range params {
			if name != "charset" || !strings.EqualFold(charset, "utf-8") {
				t.Errorf("%q passes and has %s=%q", value, name, charset)
			}
		}
	})
}
