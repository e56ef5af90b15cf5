package transport

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

func TestASessionIsKeptFromItsStartToItsEnd(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct{ name, session, with string }{
		{"with an id", "?", " Session-Id=s1"},
		{"without", "", ""},
	} {
		s := newScript(t)
		s.session = c.session
		r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
		send(t, r, initializeFrame)
		wantNext(t, r, initializeResult)
		send(t, r, initializedFrame)
		s.await("GET")
		send(t, r, callFrame(1, "tools/list"))
		wantNext(t, r, response(1)+" on 1")
		send(t, r, `{"jsonrpc":"2.0","id":"x","result":{}}`)
		r.CloseSend()
		wantNext(t, r, "end")
		r.Close()
		with := c.with + " Protocol-Version=2025-11-25"
		want := []string{"initialize", "notifications/initialized" + with, "GET" + with, "tools/list" + with, "response" + with}
		if c.session != "" {
			want = append(want, "DELETE"+with)
		}
		s.wants(want...)
		if err := r.Send([]byte(initializedFrame)); !errors.Is(err, ErrEnded) {
			t.Errorf("%s: %v behind the end", c.name, err)
		}
	}
}

func TestFramesBehindInitializeWaitForItsResult(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.session = "?"
	release := make(chan struct{})
	s.on["initialize"] = func(x *exchanged) { <-release; x.initialize() }
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	send(t, r, initializeFrame, initializedFrame, callFrame(1, "a"), callFrame(2, "b"))
	close(release)
	wantNext(t, r, initializeResult)
	got := map[string]bool{next(r): true, next(r): true}
	if !got[response(1)+" on 1"] || !got[response(2)+" on 2"] {
		t.Errorf("came %v", got)
	}
	for _, line := range s.list()[1:] {
		if !strings.Contains(line, "Session-Id=s1 Protocol-Version=2025-11-25") {
			t.Errorf("asked %s", line)
		}
	}
}

// TestAServerMayAskBeforeItAnswers answers a request of the server that comes on the stream of initialize.
func TestAServerMayAskBeforeItAnswers(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	answered := make(chan struct{})
	s.on["response"] = func(x *exchanged) { close(answered); x.w.WriteHeader(202) }
	s.on["initialize"] = func(x *exchanged) {
		x.say("data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n")
		<-answered
		x.say("data: {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\"}}\n\n")
	}
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	send(t, r, initializeFrame)
	wantNext(t, r, `{"jsonrpc":"2.0","id":"p","method":"ping"} on 0`)
	send(t, r, `{"jsonrpc":"2.0","id":"p","result":{}}`)
	wantNext(t, r, initializeResult)
}

func TestFramesReachTheServerInOrder(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	hold := make(chan struct{})
	s.on["slow"] = func(x *exchanged) { <-hold; x.json(200, x.result()) }
	const n = 40
	send(t, r, callFrame(1000, "slow"))
	s.await("slow") // it was written; which of two connections is read first is the server's affair
	go func() {
		for i := range n {
			_ = r.Send(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"n%d"}`, i))
		}
		close(hold)
	}()
	wantNext(t, r, response(1000)+" on 1000")
	want := []string{"slow"}
	for i := range n {
		want = append(want, fmt.Sprintf("n%d", i))
	}
	s.await(fmt.Sprintf("n%d", n-1))
	s.wants(want...)
}

func TestAnswersComeOnStreamsAndBodiesAlike(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		name  string
		reply func(*exchanged)
		want  []string
	}{
		{"a body", func(x *exchanged) { x.json(200, x.result()) }, []string{response(1) + " on 1"}},
		{"a stream", func(x *exchanged) { x.say(": hi\n\nevent: message\r\ndata: " + x.result() + "\r\n\r\n") }, []string{response(1) + " on 1"}},
		{"a stream with more", func(x *exchanged) {
			x.say("data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\ndata: " + x.result() + "\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n\n")
		}, []string{`{"jsonrpc":"2.0","method":"n"} on 1`, response(1) + " on 1", `{"jsonrpc":"2.0","method":"m"} on 1`}},
		{"an event of another name", func(x *exchanged) { x.say("event: x\ndata: {}\n\ndata: " + x.result() + "\n\n") }, []string{response(1) + " on 1"}},
		{"an error", func(x *exchanged) { x.json(400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"no"}}`) }, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"no"}} on 1`}},
		{"an error to nobody", func(x *exchanged) { x.json(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}`) }, []string{"error 5 on 1"}},
		{"an error to nobody, with success", func(x *exchanged) { x.json(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}`) }, []string{"error 5 on 1"}},
		{"a page", func(x *exchanged) { x.w.Header().Set("Content-Type", "text/html"); x.w.WriteHeader(502) }, []string{"error 5 on 1"}},
		{"a page with success", func(x *exchanged) { x.w.Header().Set("Content-Type", "text/html"); _, _ = x.w.Write([]byte("<p>")) }, []string{"error 7 on 1"}},
		{"accepted", func(x *exchanged) { x.w.WriteHeader(202) }, []string{"error 7 on 1"}},
		{"the answer to another", func(x *exchanged) { x.json(200, response(2)) }, []string{response(2) + " on 1", "error 7 on 1"}},
		{"a stream that ends", func(x *exchanged) { x.say("data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n") }, []string{`{"jsonrpc":"2.0","method":"n"} on 1`, "error 0 on 1"}},
		{"a stream without anything", func(x *exchanged) { x.say("") }, []string{"error 0 on 1"}},
		{"a redirect", func(x *exchanged) { http.Redirect(x.w, x.r, "http://evil.example/", http.StatusTemporaryRedirect) }, []string{"error 4 on 1"}},
		{"an event over the cap", func(x *exchanged) { x.say("id: 1\ndata: " + strings.Repeat("x", 2000)) }, []string{"error 6 on 1"}},
		{"a body over the cap", func(x *exchanged) { x.json(200, strings.Repeat(" ", 2000)) }, []string{"error 6 on 1"}},
	} {
		s := newScript(t)
		s.on["ask"] = c.reply
		r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL, MaxBody: 1000}})
		send(t, r, callFrame(1, "ask"))
		for _, want := range c.want {
			if got := next(r); got != want {
				t.Errorf("%s: came %s, want %s", c.name, got, want)
			}
		}
		send(t, r, callFrame(2, "ping")) // it goes on
		wantNext(t, r, response(2)+" on 2")
		r.Close()
	}
}

func TestEveryRequestOfABatchIsAnswered(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	batch := "[" + callFrame(1, "a") + "," + callFrame(2, "b") + "]"
	for _, c := range []struct {
		name  string
		reply func(*exchanged)
		want  []string
	}{
		{"together", func(x *exchanged) { x.json(200, "["+response(2)+","+response(1)+"]") }, []string{"[" + response(2) + "," + response(1) + "] on 1"}},
		{"apart", func(x *exchanged) { x.say("data: " + response(2) + "\n\ndata: " + response(1) + "\n\n") }, []string{response(2) + " on 1", response(1) + " on 1"}},
		{"one of them", func(x *exchanged) { x.say("data: " + response(1) + "\n\n") }, []string{response(1) + " on 1", "error 0 on 2"}},
	} {
		s.mu.Lock()
		s.on["batch"] = c.reply
		s.mu.Unlock()
		send(t, r, batch)
		for _, want := range c.want {
			if got := next(r); got != want {
				t.Errorf("%s: came %s, want %s", c.name, got, want)
			}
		}
	}
}

func TestOnlyFramesOfAClientAreSent(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	refused := 0
	for frame, ok := range map[string]bool{
		callFrame(1, "a"):                          true,
		callFrame(2, "a") + "\n":                   true,
		"{\"jsonrpc\":\"2.0\",\n\"method\":\"n\"}": true,
		"":                                      false,
		"\n":                                    false,
		"noise":                                 false,
		`{"jsonrpc":"2.0","METHOD":"a","id":1}`: false,
		`{"jsonrpc":"2.0","method":"a","method":"b"}`: false,
		`[{"jsonrpc":"2.0","method":3}]`:              false,
	} {
		if err := r.Send([]byte(frame)); ok != (err == nil) {
			t.Errorf("%q: %v", frame, err)
		}
		if !ok {
			refused++
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	if got := next(r) + next(r); !strings.Contains(got, response(1)) || !strings.Contains(got, response(2)) {
		t.Errorf("came %s", got)
	}
}

func TestARefusedNotificationIsTold(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.on["n"] = func(x *exchanged) { x.w.WriteHeader(400) }
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	send(t, r, `{"jsonrpc":"2.0","method":"fine"}`, `{"jsonrpc":"2.0","method":"n"}`)
	if a, err := r.Next(); err != nil || a.On.Raw != "" || kindOf(a.Err) != KindStatus || !strings.Contains(a.Err.Error(), `notification "n"`) {
		t.Errorf("%+v %v", a, err)
	}
}

func TestOnlyAVisibleIDNamesASession(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		ids []string
		ok  bool
	}{
		{[]string{"abc-1"}, true},
		{nil, true},
		{[]string{"a b"}, false},
		{[]string{"é"}, false},
		{[]string{""}, false},
		{[]string{"a", "a"}, false},
	} {
		s := newScript(t)
		s.on["initialize"] = func(x *exchanged) {
			x.w.Header()["Mcp-Session-Id"] = c.ids
			x.json(200, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`)
		}
		r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
		send(t, r, initializeFrame)
		if got := next(r); c.ok != (got == initializeResult) || !c.ok && got != "error 7 on 0" {
			t.Errorf("%q: came %s", c.ids, got)
		}
	}
}

func TestARevisionThatNoHeaderCanSayIsNotSaid(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.version = "é"
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	send(t, r, initializeFrame, callFrame(1, "a"))
	next(r)
	wantNext(t, r, response(1)+" on 1")
	s.wants("initialize", "a")
}

func TestAModernRequestSaysWhatItIs(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.session = "?"
	schema, err := abi.Parse([]byte(`{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"},
		"deep":{"type":"object","properties":{"er":{"type":"string","x-mcp-header":"Deeper"}}},"gone":{"type":"string","x-mcp-header":"Gone"},"null":{"type":"string","x-mcp-header":"Null"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	bad, err := abi.Parse([]byte(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"array","x-mcp-header":"B"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got http.Header
	s.check = func(r *http.Request, _ wire.Frame) int { got = r.Header; return 0 }
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}, Schema: func(tool string) abi.Value {
		return map[string]abi.Value{"sql": schema, "bad": bad}[tool]
	}})
	send(t, r, initializeFrame) // a session of the other era, which the requests are not of
	wantNext(t, r, initializeResult)
	for i, c := range []struct {
		name, frame, line string
		params            map[string]string
	}{
		{"a call", modernFrame(1, "tools/call", `"name":"plain","arguments":{"a":1}`), "tools/call Protocol-Version=2026-07-28 Method=tools/call Name=plain", nil},
		{"a list", modernFrame(2, "tools/list", ``), "tools/list Protocol-Version=2026-07-28 Method=tools/list", nil},
		{"a resource", modernFrame(3, "resources/read", `"uri":"file:///é"`), "resources/read Protocol-Version=2026-07-28 Method=resources/read Name==?base64?ZmlsZTovLy/DqQ==?=", nil},
		{"a marked name", modernFrame(4, "prompts/get", `"name":"=?base64?x?="`), "prompts/get Protocol-Version=2026-07-28 Method=prompts/get Name==?base64?PT9iYXNlNjQ/eD89?=", nil},
		{"a task", modernFrame(5, "tasks/get", `"taskId":"t"`), "tasks/get Protocol-Version=2026-07-28 Method=tasks/get Name=t", nil},
		{"mirrored arguments", modernFrame(6, "tools/call", `"name":"sql","arguments":{"region":" us ","n":42,"b":true,"deep":{"er":"世"},"null":null,"other":1}`),
			"tools/call Protocol-Version=2026-07-28 Method=tools/call Name=sql",
			map[string]string{"Mcp-Param-Region": "=?base64?IHVzIA==?=", "Mcp-Param-N": "42", "Mcp-Param-B": "true", "Mcp-Param-Deeper": "=?base64?5LiW?="}},
		{"a schema that breaks the rules", modernFrame(7, "tools/call", `"name":"bad","arguments":{"a":"x"}`), "tools/call Protocol-Version=2026-07-28 Method=tools/call Name=bad", nil},
		{"a call of the other era", `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"sql","arguments":{"region":"us"}}}`, "tools/call Session-Id=s1 Protocol-Version=2025-11-25", nil},
	} {
		send(t, r, c.frame)
		wantNext(t, r, response(i+1)+fmt.Sprintf(" on %d", i+1))
		if list := s.list(); list[len(list)-1] != c.line {
			last := list[len(list)-1]
			t.Errorf("%s: asked %s, want %s", c.name, last, c.line)
		}
		params := 0
		s.mu.Lock()
		for name, v := range got {
			if strings.HasPrefix(name, "Mcp-Param-") {
				if params++; c.params[name] != v[0] {
					t.Errorf("%s: %s is %q, want %q", c.name, name, v, c.params[name])
				}
			}
		}
		if params != len(c.params) {
			t.Errorf("%s: %d headers, want %d", c.name, params, len(c.params))
		}
		s.mu.Unlock()
	}
}

func TestAModernRequestThatNoHeaderCanNameIsNotSent(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	send(t, r, modernFrame(1, "é", ""), modernFrame(2, "e", ""))
	wantNext(t, r, "error 1 on 1", response(2)+" on 2")
	s.wants("e Protocol-Version=2026-07-28 Method=e")
}
