package transport

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// modern returns a request of 2026-07-28. params is "" or a list of members.
func modern(method, params string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + modernMeta + `}}`
}

func legacy(method, params string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + `}}`
}

// headersOf reads "Name: value" lines.
func headersOf(lines ...string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

const (
	v26    = "MCP-Protocol-Version: 2026-07-28"
	v25    = "MCP-Protocol-Version: 2025-11-25"
	call   = "Mcp-Method: tools/call"
	list   = "Mcp-Method: tools/list"
	named  = "Mcp-Name: read"
	cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	answer = `{"jsonrpc":"2.0","id":3,"result":{}}`
	batch  = `[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`
)

type headerCase struct {
	name    string
	body    string
	headers []string
	code    int // 0: they agree
}

var standardCases = [...]headerCase{
	{"a modern list", modern("tools/list", ""), []string{v26, list}, 0},
	{"a modern list, names in lower case", modern("tools/list", ""), []string{"mcp-protocol-version: 2026-07-28", "mcp-method: tools/list"}, 0},
	{"a modern list, names in upper case", modern("tools/list", ""), []string{"MCP-PROTOCOL-VERSION: 2026-07-28", "MCP-METHOD: tools/list"}, 0},
	{"another method", modern("tools/list", ""), []string{v26, "Mcp-Method: prompts/list"}, CodeHeaderMismatch},
	{"the method in capitals", modern("tools/list", ""), []string{v26, "Mcp-Method: TOOLS/LIST"}, CodeHeaderMismatch},
	{"no method", modern("tools/list", ""), []string{v26}, CodeHeaderMismatch},
	{"an empty method", modern("tools/list", ""), []string{v26, "Mcp-Method: "}, CodeHeaderMismatch},
	{"the method twice", modern("tools/list", ""), []string{v26, list, list}, CodeHeaderMismatch},
	{"the method and another in one line", modern("tools/list", ""), []string{v26, "Mcp-Method: tools/list, tools/call"}, CodeHeaderMismatch},
	{"an encoded method", modern("tools/list", ""), []string{v26, "Mcp-Method: " + encoded("tools/list")}, CodeHeaderMismatch},
	{"no version", modern("tools/list", ""), []string{list}, CodeHeaderMismatch},
	{"another modern version", modern("tools/list", ""), []string{"MCP-Protocol-Version: 2026-07-29", list}, CodeHeaderMismatch},
	{"a legacy version on a modern body", modern("tools/list", ""), []string{v25, list}, CodeHeaderMismatch},
	{"the version twice", modern("tools/list", ""), []string{v26, v26, list}, CodeHeaderMismatch},
	{"a later revision", strings.Replace(modern("tools/list", ""), "2026-07-28", "2031-01-01", 1), []string{"MCP-Protocol-Version: 2031-01-01", list}, 0},
	{"a later revision without method", strings.Replace(modern("tools/list", ""), "2026-07-28", "2031-01-01", 1), []string{"MCP-Protocol-Version: 2031-01-01"}, CodeHeaderMismatch},
	{"a revision that never was, claimed alike", strings.Replace(modern("server/discover", ""), "2026-07-28", "v999.0.0", 1), []string{"MCP-Protocol-Version: v999.0.0", "Mcp-Method: server/discover"}, 0},
	{"a modern header on a body that claims nothing", legacy("tools/list", ""), []string{v26, list}, CodeInvalidParams},
	{"a modern header on initialize", legacy("initialize", `"protocolVersion":"2025-11-25"`), []string{v26}, CodeHeaderMismatch},
	{"a modern header on a notification", cancel, []string{v26, "Mcp-Method: notifications/cancelled"}, 0},
	{"another method on a notification", cancel, []string{v26, "Mcp-Method: notifications/progress"}, CodeHeaderMismatch},
	{"a modern header on a response", answer, []string{v26}, CodeInvalidRequest},

	{"a legacy list", legacy("tools/list", ""), []string{v25}, 0},
	{"a legacy list of the first HTTP", legacy("tools/list", ""), nil, 0},
	{"a legacy list that mirrors", legacy("tools/list", ""), []string{v25, list}, 0},
	{"a legacy list that mirrors another method", legacy("tools/list", ""), []string{v25, "Mcp-Method: ping"}, CodeHeaderMismatch},
	{"a body that claims the same legacy revision", strings.Replace(modern("tools/list", ""), "2026-07-28", "2025-11-25", 1), []string{v25}, 0},
	{"a body that claims another legacy revision", strings.Replace(modern("tools/list", ""), "2026-07-28", "2025-06-18", 1), []string{v25}, CodeHeaderMismatch},
	{"initialize without version", legacy("initialize", `"protocolVersion":"2025-11-25"`), nil, 0},
	{"initialize with the wish of a client", legacy("initialize", `"protocolVersion":"2025-11-25"`), []string{"MCP-Protocol-Version: 2025-06-01"}, 0},
	{"a revision that never was", legacy("tools/list", ""), []string{"MCP-Protocol-Version: 1999-01-01"}, CodeInvalidRequest},
	{"a word for a revision", legacy("tools/list", ""), []string{"MCP-Protocol-Version: latest"}, CodeInvalidRequest},
	{"an empty revision", legacy("tools/list", ""), []string{"MCP-Protocol-Version: "}, CodeInvalidRequest},
	{"a response", answer, []string{v25}, 0},
	{"a response with a method", answer, []string{v25, list}, CodeHeaderMismatch},
	{"a response with a name", answer, []string{v25, named}, CodeHeaderMismatch},

	{"a batch", batch, []string{"MCP-Protocol-Version: 2025-03-26"}, 0},
	{"a batch with the method of its first", batch, []string{list}, CodeHeaderMismatch},
	{"a batch with a name", batch, []string{named}, CodeHeaderMismatch},
	{"a batch in a modern revision", batch, []string{v26}, CodeHeaderMismatch},
	{"a batch in no revision", batch, []string{"MCP-Protocol-Version: x"}, CodeInvalidRequest},
	{"a batch with a modern element", "[" + modern("tools/list", "") + "]", nil, CodeInvalidRequest},

	{"no frame", "", nil, CodeInvalidRequest},
	{"no JSON", "{", nil, -32700},
	{"an event id", legacy("ping", ""), []string{"Last-Event-ID: 4"}, 0},
	{"two event ids", legacy("ping", ""), []string{"Last-Event-ID: 4", "Last-Event-ID: 5"}, CodeHeaderMismatch},
	{"two sessions", legacy("ping", ""), []string{"Mcp-Session-Id: a", "Mcp-Session-Id: b"}, CodeHeaderMismatch},
	{"letters beyond ASCII", legacy("ping", ""), []string{"Mcp-Method: p\u00efng"}, CodeHeaderMismatch},
	{"a control character", legacy("ping", ""), []string{"Mcp-Odd: a\x01"}, CodeHeaderMismatch},
	{"a header of MCP to come", legacy("ping", ""), []string{"Mcp-Odd: a"}, 0},
}

var nameCases = [...]headerCase{
	{"a modern call", modern("tools/call", `"name":"read"`), []string{v26, call, named}, 0},
	{"another tool", modern("tools/call", `"name":"read"`), []string{v26, call, "Mcp-Name: delete"}, CodeHeaderMismatch},
	{"the tool in another case", modern("tools/call", `"name":"read"`), []string{v26, call, "Mcp-Name: Read"}, CodeHeaderMismatch},
	{"no name", modern("tools/call", `"name":"read"`), []string{v26, call}, CodeHeaderMismatch},
	{"spaces around the name", modern("tools/call", `"name":"read"`), []string{v26, call, "Mcp-Name:   read  "}, 0},
	{"the name twice", modern("tools/call", `"name":"read"`), []string{v26, call, named, named}, CodeHeaderMismatch},
	{"an encoded name", modern("tools/call", `"name":"read"`), []string{v26, call, "Mcp-Name: " + encoded("read")}, 0},
	{"another tool, encoded", modern("tools/call", `"name":"read"`), []string{v26, call, "Mcp-Name: " + encoded("delete")}, CodeHeaderMismatch},
	{"an encoded name without padding", modern("tools/call", `"name":"read"`), []string{v26, call, "Mcp-Name: =?base64?cmVhZA?="}, CodeHeaderMismatch},
	{"a name beyond ASCII", modern("tools/call", `"name":"lesen\u00fc"`), []string{v26, call, "Mcp-Name: " + encoded("lesenü")}, 0},
	{"a name beyond ASCII, raw", modern("tools/call", `"name":"lesen\u00fc"`), []string{v26, call, "Mcp-Name: lesenü"}, CodeHeaderMismatch},
	{"a resource", modern("resources/read", `"uri":"file:///a"`), []string{v26, "Mcp-Method: resources/read", "Mcp-Name: file:///a"}, 0},
	{"another resource", modern("resources/read", `"uri":"file:///a"`), []string{v26, "Mcp-Method: resources/read", "Mcp-Name: file:///b"}, CodeHeaderMismatch},
	{"no resource", modern("resources/read", `"uri":"file:///a"`), []string{v26, "Mcp-Method: resources/read"}, CodeHeaderMismatch},
	{"a prompt", modern("prompts/get", `"name":"p"`), []string{v26, "Mcp-Method: prompts/get", "Mcp-Name: p"}, 0},
	{"no prompt", modern("prompts/get", `"name":"p"`), []string{v26, "Mcp-Method: prompts/get"}, CodeHeaderMismatch},
	{"a task", modern("tasks/get", `"taskId":"t"`), []string{v26, "Mcp-Method: tasks/get", "Mcp-Name: t"}, 0},
	{"another task", modern("tasks/cancel", `"taskId":"t"`), []string{v26, "Mcp-Method: tasks/cancel", "Mcp-Name: u"}, CodeHeaderMismatch},
	{"no task", modern("tasks/update", `"taskId":"t"`), []string{v26, "Mcp-Method: tasks/update"}, CodeHeaderMismatch},
	{"a name on a list", modern("tools/list", ""), []string{v26, list, named}, CodeHeaderMismatch},
	{"a name on a method of an extension", modern("x/do", `"name":"y"`), []string{v26, "Mcp-Method: x/do", "Mcp-Name: z"}, 0},
	{"a legacy call", legacy("tools/call", `"name":"read"`), []string{v25}, 0},
	{"a legacy call that mirrors", legacy("tools/call", `"name":"read"`), []string{v25, named}, 0},
	{"a legacy call that mirrors another tool", legacy("tools/call", `"name":"read"`), []string{v25, "Mcp-Name: delete"}, CodeHeaderMismatch},
	{"a legacy subscription that mirrors another", legacy("resources/subscribe", `"uri":"file:///a"`), []string{v25, "Mcp-Name: file:///b"}, CodeHeaderMismatch},
}

func encoded(text string) string {
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}

func checkCases(t *testing.T, cases []headerCase, schema func(string) abi.Value) {
	t.Helper()
	tally(t, len(cases))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := wire.Classify([]byte(c.body), wire.FromClient, wire.Options{Batches: true})
			bad := CheckHeaders(headersOf(c.headers...), f, schema)
			verdict(t, bad, c.code == 0, http.StatusBadRequest, c.code)
			if bad != nil && f.Kind == wire.Request && bad.ID != f.ID {
				t.Errorf("refused with the id %q; want %q", bad.ID.Raw, f.ID.Raw)
			}
		})
	}
}

func TestHeadersMirrorTheBody(t *testing.T) { checkCases(t, standardCases[:], nil) }

func TestHeaderNamesWhatTheBodyNames(t *testing.T) { checkCases(t, nameCases[:], nil) }

func TestHeaderValuesAreRead(t *testing.T) {
	cases := []struct {
		value, want string
		ok          bool
	}{
		{"us-west1", "us-west1", true},
		{"", "", true},
		{"=?base64?SGVsbG8=?=", "Hello", true},
		{"=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界", true},
		{"=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?=", true},
		{"=?base64??=", "", true},
		{"=?base64?=", "", false},
		{"SGVsbG8=", "SGVsbG8=", true},
		{"=?base64?SGVsbG8=", "=?base64?SGVsbG8=", true},
		{"SGVsbG8=?=", "SGVsbG8=?=", true},
		{"=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?=", true},
		{"=?base64?SGVsbG8?=", "", false},
		{"=?base64?SGVs!!!bG8=?=", "", false},
		{"=?base64?SGVsbG9=?=", "", false},
		{"=?base64?SGVs\nbG8=?=", "", false},
		{"=?base64?SGVs bG8=?=", "", false},
		{"=?base64?_-8=?=", "", false},
		{"=?base64?/w==?=", "", false},
	}
	tally(t, len(cases))
	for _, c := range cases {
		if got, ok := DecodeHeaderValue(c.value); got != c.want || ok != c.ok {
			t.Errorf("%q is read as %q, %t; want %q, %t", c.value, got, ok, c.want, c.ok)
		}
	}
}

func TestHeaderValuesAreWritten(t *testing.T) {
	cases := [][2]string{
		{"us-west1", "us-west1"},
		{"a b", "a b"},
		{"Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
		{" padded ", "=?base64?IHBhZGRlZCA=?="},
		{"line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
		{"=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
		{"=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="},
		{"", ""},
	}
	tally(t, len(cases))
	for _, c := range cases {
		if got := EncodeHeaderValue(c[0]); got != c[1] {
			t.Errorf("%q is written as %q; want %q", c[0], got, c[1])
		}
	}
}

func FuzzHeaderValue(f *testing.F) {
	for _, s := range []string{"a", "", " a", "=?base64?YQ==?=", "=?base64?=", "=?base64??=", "ü", "\x00", "a\r\nb", "=?base64?_?="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value := EncodeHeaderValue(text)
		if !plainValue(value) || strings.Trim(value, " \t") != value {
			t.Errorf("%q is written as %q, which no header can carry", text, value)
		}
		if back, ok := DecodeHeaderValue(value); utf8.ValidString(text) && (!ok || back != text) {
			t.Errorf("%q is written as %q and read as %q, %t", text, value, back, ok)
		}
		if read, ok := DecodeHeaderValue(text); ok && read != text && EncodeHeaderValue(read) != text && !strings.HasPrefix(text, encodedPrefix) {
			t.Errorf("%q is read as %q without a mark", text, read)
		}
	})
}

// FuzzHeaders shows that headers which pass agree with the body for a reader that takes the last line of each.
func FuzzHeaders(f *testing.F) {
	for _, c := range standardCases {
		f.Add(c.body, "2026-07-28", "tools/list", "read")
	}
	for _, c := range nameCases {
		f.Add(c.body, "2026-07-28", "tools/call", "read")
	}
	f.Fuzz(func(t *testing.T, body, version, method, name string) {
		h := http.Header{headerVersion: {version}, headerMethod: {method}, headerName: {name}}
		frame := wire.Classify([]byte(body), wire.FromClient, wire.Options{Batches: true})
		if CheckHeaders(h, frame, nil) != nil {
			return
		}
		if trimmed := strings.Trim(method, " \t"); trimmed != frame.Method {
			t.Errorf("Mcp-Method %q passes on the method %q", method, frame.Method)
		}
		if frame.HasTarget {
			if said, ok := DecodeHeaderValue(strings.Trim(name, " \t")); !ok || said != frame.Target {
				t.Errorf("Mcp-Name %q passes on %q", name, frame.Target)
			}
		}
		if frame.Modern && strings.Trim(version, " \t") != frame.Version {
			t.Errorf("MCP-Protocol-Version %q passes on %q", version, frame.Version)
		}
	})
}
