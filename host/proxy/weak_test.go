package proxy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

const (
	callOf     = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":{}}}` + "\n"
	initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	listTools  = `{"jsonrpc":"2.0","id":"list","method":"tools/list"}` + "\n"
)

// unlistedPass lets tools pass that no list was seen for.
var unlistedPass = strings.Replace(onlyGood, "default: deny", "default: deny, unlisted: allow", 1)

func sayLine(id, line string) string {
	v := string(abi.StringValue(line).Append(nil))
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"say","arguments":{"line":` + v + `}}}` + "\n"
}

func TestAServerMaySpeakBeforeItIsInitialized(t *testing.T) {
	for _, c := range []struct {
		mode  string
		early bool
	}{{"early", true}, {"plain", false}} {
		l := connect(t, setup{policy: onlyGood, mode: c.mode})
		l.greet("2025-11-25")
		got, notes := l.got(), len(l.notes())
		if i := strings.Index(got, "notifications/message"); (i >= 0) != c.early || i > strings.Index(got, `"init"`) {
			t.Errorf("%s: %q", c.mode, got)
		}
		// What a server writes beside its frames is there while it runs, however much it is.
		if (notes >= 15<<16) != c.early {
			t.Errorf("%s: %d bytes of standard error", c.mode, notes)
		}
		l.send(fmt.Sprintf(callGood, "1"))
		l.await(`"id":1,"result"`)
		if code := l.end(); code != 0 {
			t.Errorf("%s: exit code %d; want 0", c.mode, code)
		}
	}
}

func TestAClientMayBeginAsItLikes(t *testing.T) {
	cases := []struct{ name, first, want string }{
		{"initialize", initialize, `"init"`},
		{"ping", `{"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n", `{"jsonrpc":"2.0","id":"p","result":{}}`},
		{"tools/list", listTools, `"list"`},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n", ""},
		{"a frame that is refused", "x\n", "FRAME_NOT_JSON"},
		{"nothing", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := connect(t, setup{policy: onlyGood})
			l.send(c.first)
			if c.want != "" {
				l.await(c.want)
			}
			l.greet("2025-11-25")
			if code := l.end(); code != 0 {
				t.Errorf("exit code %d; want 0", code)
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// TestNoPlaceInTheHandshakeIsAnother sends a denied and an allowed call at each
// place where a client that keeps to the protocol sends something else.
func TestNoPlaceInTheHandshakeIsAnother(t *testing.T) {
	cases := []struct{ name, before, await string }{
		{"before initialize", "", ""},
		{"before the answer to initialize", initialize, ""},
		{"instead of initialized", initialize, `"init"`},
		{"before the list", initialize + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n", `"init"`},
		{"where it belongs", initialize + listTools, `"list"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			l := connect(t, setup{policy: unlistedPass, dir: dir})
			l.send(c.before)
			if c.await != "" {
				l.await(c.await)
			}
			l.send(fmt.Sprintf(callOf, "1", "bad"))
			if got := l.await(`"id":1,`); !strings.Contains(got, "[callgate blocked] coverage") {
				t.Error(got)
			}
			l.send(fmt.Sprintf(callGood, "2"))
			if got := l.await(`"id":2,`); got != `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"ok \u2028 9007199254740993"}], "x":1.0}}`+"\n" {
				t.Error(got)
			}
			if code := l.end(); code != 0 {
				t.Errorf("exit code %d; want 0", code)
			}
			if got := strings.Join(l.ran(), ";"); got != `good {"a":1}` {
				t.Errorf("the server ran %s", got)
			}
			wantRecord(t, dir, "deny allow")
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// wantRecord holds the outcomes in the ledger, with one call for each.
func wantRecord(t *testing.T, dir, want string) {
	t.Helper()
	var got []string
	calls := 0
	for _, e := range ledgerEvents(t, dir) {
		if e.Call != nil {
			calls++
		}
		if e.Verdict != nil && e.Verdict.Contract != "wire" {
			got = append(got, e.Verdict.Outcome.String())
		}
	}
	if s := strings.Join(got, " "); s != want || calls != len(got) {
		t.Errorf("%d calls and the verdicts %q; want %q", calls, s, want)
	}
}

func TestAnAnswerAfterTheEndOfTheClientIsRelayed(t *testing.T) {
	for _, c := range []struct {
		mode, want string
	}{{"late", `"id":9007199254740993,"result":{"content":[],"late":true}`}, {"plain", `"id":9007199254740993,"error"`}} {
		l := connect(t, setup{policy: onlyGood, mode: c.mode})
		l.greet("2025-11-25")
		l.send(fmt.Sprintf(callOf, "9007199254740993", "slow"))
		if code := l.end(); code != 0 {
			t.Errorf("%s: exit code %d; want 0", c.mode, code)
		}
		if !strings.Contains(l.got(), c.want) {
			t.Errorf("%s: %s; want %s", c.mode, l.got(), c.want)
		}
	}
}

// TestWhateverIsRefusedKeepsItsID denies in every way there is, under ids that
// change when they pass through a number of 64 bits or another notation.
func TestWhateverIsRefusedKeepsItsID(t *testing.T) {
	ids := []string{"9007199254740993", "-9007199254740993", "123456789012345678901234567890", `"9007199254740993"`, `"\u0031\/x"`, `"<é>"`, `""`, "0"}
	cases := []struct{ name, frame, want string }{
		{"allowed", callGood, `"text":"ok`},
		{"denied", callOf, "COVERAGE_DEFAULT"},
		{"denied as a task", `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"bad","task":{}}}` + "\n", `"code":4031`},
		{"refused", `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"good","name":"bad"}}` + "\n", "FRAME_DUPLICATE_NAME"},
		{"refused, the id last", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"good","Name":"bad"},"id":%s}` + "\n", "FRAME_PARAM_NAME_FOLDS"},
		{"too large a result", `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"big"}}` + "\n", "RESULT_SIZE"},
		{"a broken result", strings.Replace(sayLine("ID", `{"jsonrpc":"2.0","id":ID,"result":{"x":NaN}}`), `"id":ID,"method"`, `"id":%s,"method"`, 1), "FRAME_NOT_JSON"},
	}
	l := connect(t, setup{policy: strings.Replace(onlyGood, "default: deny", "default: deny, max_result_bytes: 1000", 1)})
	l.greet("2025-11-25")
	for _, id := range ids {
		for _, c := range cases {
			name := `"id":` + id + ","
			before := strings.Count(l.got(), name)
			frame := strings.Replace(c.frame, "%s", id, 1)
			if c.name == "denied" {
				frame = fmt.Sprintf(callOf, id, "bad")
			}
			l.send(frame)
			l.awaitCount(name, before+1)
			lines := strings.Split(strings.TrimSpace(l.got()), "\n")
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, `{"jsonrpc":"2.0",`+name) || !strings.Contains(last, c.want) {
				t.Errorf("%s, %s: %s; want %s", c.name, id, last, c.want)
			}
		}
	}
	if len(ids) == 0 || len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// awaitCount waits until a text has come so many times.
func (l *link) awaitCount(text string, n int) {
	l.t.Helper()
	late := time.After(patience)
	for strings.Count(l.got(), text) < n {
		select {
		case <-l.seen:
		case <-time.After(20 * time.Millisecond):
		case <-late:
			l.t.Fatalf("%q has come %d times; want %d", text, strings.Count(l.got(), text), n)
		}
	}
}

func TestADenialTouchesNothingBesideIt(t *testing.T) {
	results := []string{
		`{"jsonrpc":"2.0","id":ID,"result":{ "content":[{"type":"text","text":"a","annotations":{"audience":["user"],"priority":0.50}}],"structuredContent":{"n":9007199254740993,"z":1,"a":1e999},"isError":false}}`,
		`{"jsonrpc":"2.0","id":ID,"result":{"_meta":{"example.com/x":{"y":[1.0,2]}},"content":[{"type":"resource","resource":{"uri":"mem://a","mimeType":"text/plain","text":"b","_meta":{"q":1}}}]}}`,
		`{"result":{"content":[],"vendorMember":null,"resultType":"complete"},"id":ID,"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"m\u0065ssage","data":{"n":9007199254740993}}}`,
	}
	l := connect(t, setup{policy: onlyGood})
	l.greet("2025-11-25")
	for i, r := range results {
		id := fmt.Sprint(100 + i)
		l.send(fmt.Sprintf(callOf, fmt.Sprintf(`"deny-%d"`, i), "bad"))
		l.await(fmt.Sprintf(`"deny-%d"`, i))
		l.send(sayLine(id, r))
		want := strings.ReplaceAll(r, "ID", id) + "\n"
		if got := l.await(`"id":` + id + ","); got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	}
	const token = `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"good","arguments":{"n":9007199254740993},"_meta":{"progressToken":9007199254740993,"b":1,"a":2}}}`
	l.send(token + "\n")
	l.await(`"id":9007199254740993,"result"`)
	l.end()
	if !strings.Contains(l.ranLog(), "got "+token+"\n") || len(results) == 0 {
		t.Error(l.ranLog())
	}
}

func TestADenialRepeatsNothingOfTheCall(t *testing.T) {
	policy := strings.Replace(onlyGood, "fake/good: {verdict: allow}", "fake/good: {verdict: allow, args: [{slot: path, deny: [/srv/secret-plans], allow: [/srv/**]}, {arg: a, max: 5}]}", 1)
	cases := []struct{ name, arguments string }{
		{"a denied path", `{"path":"/srv/secret-plans/zzz"}`},
		{"a path outside", `{"path":"/zzz/secret-plans"}`},
		{"a path that is read in two ways", `{"path":"/srv/$zzz/secret-plans"}`},
		{"a value", `{"path":"/srv/x","a":"secret-plans zzz"}`},
	}
	l := connect(t, setup{policy: policy})
	l.greet("2025-11-25")
	for i, c := range cases {
		id := fmt.Sprint(i + 1)
		l.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"good","arguments":` + c.arguments + "}}\n")
		got := l.await(`"id":` + id + ",")
		if !strings.Contains(got, "[callgate blocked] args") || strings.Contains(got, "secret-plans") || strings.Contains(got, "zzz") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	l.send(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"good","arguments":{"path":"/srv/x","a":5}}}` + "\n")
	if got := l.await(`"id":99,`); !strings.Contains(got, `"text":"ok`) || len(cases) == 0 {
		t.Error(got)
	}
}

func TestAClientCannotAnswerAQuestionAboutItsCall(t *testing.T) {
	dir := t.TempDir()
	policy := strings.Replace(onlyGood, "fake/good: {verdict: allow}", "fake/good: {verdict: ask}", 1)
	l := connect(t, setup{policy: policy, dir: dir})
	l.greet("2025-11-25")
	l.send(fmt.Sprintf(callGood, "1"))
	l.await(`"id":1,`)
	l.send("yes\n")
	l.await("FRAME_NOT_JSON")
	l.send(`{"approve":"yes"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}` + "\n")
	l.await("FRAME_JSONRPC_VERSION")
	l.send(fmt.Sprintf(callGood, "2") + fmt.Sprintf(callOf, "3", "say"))
	if got := l.await(`"id":2,`); !strings.Contains(got, `"outcome":"ask"`) {
		t.Error(got)
	}
	l.send(`{"jsonrpc":"2.0","id":4,"method":"ping"}` + "\n") // a question holds up nothing
	l.await(`{"jsonrpc":"2.0","id":4,"result":{}}`)
	l.end()
	if got := strings.Join(l.ran(), ";"); got != "say {}" {
		t.Errorf("the server ran %s", got)
	}
	wantRecord(t, dir, "ask ask allow")
}

func TestALineOverTheLimitIsRefusedAndTheNextOneIsRead(t *testing.T) {
	l := connect(t, setup{policy: onlyGood})
	l.greet("2025-11-25")
	l.send(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"good","arguments":{"x":"`)
	for range wire.DefaultMaxLine >> 20 {
		l.send(strings.Repeat("x", 1<<20))
	}
	l.send(`"}},"id":7}` + "\n")
	if got := l.await(`"id":7,`); !strings.Contains(got, "FRAME_TOO_LONG") {
		t.Error(got)
	}
	l.send(fmt.Sprintf(callGood, "8"))
	l.await(`"id":8,"result"`)
	l.end()
	if got := strings.Join(l.ran(), ";"); got != `good {"a":1}` {
		t.Errorf("the server ran %s", got)
	}
}

// TestDigestsKeepNothingOfARefusedFrame is about the record of a frame that was
// not relayed: what it said is kept only where the policy keeps arguments.
func TestDigestsKeepNothingOfARefusedFrame(t *testing.T) {
	for _, c := range []struct {
		setting string
		kept    bool
	}{{"full", true}, {"digests", false}} {
		dir := t.TempDir()
		l := connect(t, setup{policy: strings.Replace(onlyGood, "default: deny", "default: deny, ledger: "+c.setting, 1), dir: dir})
		l.greet("2025-11-25")
		l.send(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"good","arguments":{"a":"a-secret-word"}}}` + "\n")
		l.end()
		refused := 0
		for _, e := range ledgerEvents(t, dir) {
			if e.Refused != nil {
				refused++
				if kept := strings.Contains(string(e.Refused.Bytes), "a-secret-word"); kept != c.kept || e.Refused.Code != "FRAME_CALL_WITHOUT_ID" {
					t.Errorf("%s: %+v", c.setting, e.Refused)
				}
			}
		}
		if refused != 1 || len(l.ran()) != 0 {
			t.Errorf("%s: %d refusals, ran %q; want one and nothing", c.setting, refused, l.ran())
		}
	}
}

// TestALineBreakInANameMakesNoRecordOfItsOwn sends a name that ends the line of
// a record and begins another.
func TestALineBreakInANameMakesNoRecordOfItsOwn(t *testing.T) {
	for _, c := range []struct{ name, want string }{{"bad\n{\"v\":1,\"seq\":0}\n", "deny"}, {"good", "allow"}} {
		dir := t.TempDir()
		l := connect(t, setup{policy: onlyGood, dir: dir})
		l.greet("2025-11-25")
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s}}`+"\n", abi.StringValue(c.name).Append(nil)))
		l.await(`"id":1,`)
		l.end()
		wantRecord(t, dir, c.want)
		for _, e := range ledgerEvents(t, dir) {
			if e.Call != nil && e.Call.Tool != c.name {
				t.Errorf("the ledger has a call of %q; want %q", e.Call.Tool, c.name)
			}
		}
	}
}
