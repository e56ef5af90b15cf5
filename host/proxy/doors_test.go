package proxy_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// asksNothing is a policy that lets a server ask for roots, and for nothing else.
const asksNothing = "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\n" +
	"servers:\n  fake: {requests: {sampling: deny, elicitation: deny, roots: allow}}\n"

// A server has many ways to make its client ask a model or a person. What the
// policy says of a request holds for each of them.
func TestWhatAServerAsksForIsJudgedWhereverItAsks(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"METHOD","params":{"name":"say","taskId":"t","uri":"x://y","arguments":{"line":LINE},` + modernForms + `}}`
	inside := func(more string) string {
		return `{"jsonrpc":"2.0","id":ID,"result":{` + more + `"inputRequests":{"q":REQUEST}}}`
	}
	doors := []struct{ name, method, line string }{
		{"the result of a call", "tools/call", inside(`"resultType":"input_required",`)},
		{"the result of a call in a batch", "tools/call", "[" + inside(`"resultType":"input_required",`) + "]"},
		{"the result of a read", "resources/read", inside(`"resultType":"input_required",`)},
		{"the answer to a list", "tools/list", inside(`"resultType":"input_required","tools":[],`)},
		{"the answer to a ping", "ping", inside(`"resultType":"input_required",`)},
		{"the answer to an unknown method", "vendor/x", inside(`"resultType":"input_required",`)},
		{"a task that wants input", "tasks/get", inside(`"resultType":"complete","taskId":"t","status":"input_required",`)},
		{"a task that does not say of what type its result is", "tasks/get", inside(`"taskId":"t","status":"input_required",`)},
		{"a result that says it is complete", "tools/call", inside(`"content":[],"resultType":"complete",`)},
		{"an answer under the number as a string", "tools/call", strings.Replace(inside(`"resultType":"input_required",`), "ID", `"ID"`, 1)},
		{"what is told of a task", "tools/call", `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","status":"input_required","inputRequests":{"q":REQUEST}}}`},
		{"what is told of a task, in a batch", "tools/call", `[{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","status":"input_required","inputRequests":{"q":REQUEST}}}]`},
	}
	requests := []struct {
		request string
		passes  bool
	}{
		{`{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, false},
		{`{"method":"elicitation/create","params":{"message":"which?","requestedSchema":{"type":"object","properties":{}}}}`, false},
		{`{"method":"roots/list"}`, true},
	}
	n := 0
	for _, d := range doors {
		for _, r := range requests {
			n++
			t.Run(d.name+" "+r.request[11:16], func(t *testing.T) {
				l := connect(t, setup{policy: asksNothing})
				l.greet("2025-03-26")
				line := strings.Replace(d.line, "REQUEST", r.request, 1)
				l.send(strings.NewReplacer("METHOD", d.method, "LINE", string(abi.StringValue(line).Append(nil))).Replace(call) + "\n")
				l.send(`{"jsonrpc":"2.0","id":"after","method":"ping"}` + "\n")
				l.await(`"after"`)
				if r.passes {
					l.await(r.request)
				}
				l.end()
				if got := strings.Contains(l.got(), r.request); got != r.passes {
					t.Errorf("the request passes: %v; want %v: %s", got, r.passes, l.got())
				}
			})
		}
	}
	if n == 0 {
		t.Fatal("no cases")
	}
}

// An error can have a client visit a URL, which is an elicitation like any other.
func TestAnErrorThatWantsURLsVisitedIsJudgedAsAnElicitation(t *testing.T) {
	const line = `{"jsonrpc":"2.0","id":ID,"error":{"code":CODE,"message":"first visit","data":{"elicitations":[{"mode":"url","elicitationId":"e","message":"sign in","url":"https://x.example/"}]}}}`
	cases := []struct {
		policy, code, method string
		passes               bool
	}{
		{"deny", "-32042", "tools/call", false},
		{"deny", "-32042", "resources/read", false},
		{"deny", "-32042", "tools/list", false},
		{"deny", "-32042.0", "tools/call", false},
		{"deny", "-32002", "tools/call", true}, // no client takes its data for URLs
		{"allow", "-32042", "tools/call", true},
		{"{args: [{arg: url, in: [\"https://x.example/\"]}]}", "-32042", "tools/call", true},
		{"{args: [{arg: url, in: [\"https://y.example/\"]}]}", "-32042", "tools/call", false},
	}
	for _, c := range cases {
		l := connect(t, setup{policy: strings.Replace(asksNothing, "elicitation: deny", "elicitation: "+c.policy, 1)})
		l.greet("2025-11-25")
		said := strings.Replace(line, "CODE", c.code, 1)
		l.send(`{"jsonrpc":"2.0","id":1,"method":"` + c.method + `","params":{"name":"say","uri":"x://y","arguments":{"line":` + string(abi.StringValue(said).Append(nil)) + "}}}\n")
		l.await(`"id":1,`)
		l.end()
		if got := strings.Contains(l.got(), "sign in"); got != c.passes {
			t.Errorf("%+v: passes %v: %s", c, got, l.got())
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// What waits for a person ends with the request that it belongs to.
func TestAQuestionOfTheServerEndsWithItsRequest(t *testing.T) {
	const sampling = `{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`
	inside := `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"q":` + sampling + `}}}`
	own := strings.Replace(sampling, "{", `{"jsonrpc":"2.0","id":"s",`, 1)
	cancel := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
	}
	says := func(id, line string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"say","arguments":{"line":` + string(abi.StringValue(line).Append(nil)) + "}}}\n"
	}
	cases := []struct {
		name, asks, ends string
		still            int
		told             bool // the server of the cancellation
	}{
		{"the client gives its call up", inside, cancel("1") + "\n", 0, false},
		{"the client gives another call up", inside, cancel("7") + "\n", 1, true},
		{"the server gives its request up", own, says("2", cancel(`"s"`)), 0, true},
		{"the server gives another request up", own, says("2", cancel(`"t"`)), 1, true},
		{"the server gives up a request with the id of the call", inside, says("2", cancel("1")), 1, true},
		{"the client gives up a call with the id of the request", own, cancel(`"s"`) + "\n", 1, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			who := &person{}
			l := connect(t, setup{policy: strings.Replace(asksNothing, "sampling: deny", "sampling: ask", 1), asking: askingFor(who, long)})
			l.greet("2025-11-25")
			l.send(says("1", c.asks))
			q := who.pending(t, 1)[0]
			l.send(c.ends + `{"jsonrpc":"2.0","id":"after","method":"ping"}` + "\n")
			l.await(`"after"`)
			who.pending(t, c.still)
			_, err := who.answer(t, q, true)
			if (err == nil) != (c.still == 1) {
				t.Errorf("the answer counts: %v", err)
			}
			if err == nil {
				l.await("sampling/createMessage")
			}
			l.end()
			if got := strings.Count(l.got(), "sampling/createMessage"); got != c.still {
				t.Errorf("the client is asked %d times: %s", got, l.got())
			}
			if got := strings.Contains(l.ranLog(), "got {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\""); got != c.told && !strings.HasPrefix(c.ends, `{"jsonrpc":"2.0","id":2`) {
				t.Errorf("the server is told: %v; %s", got, l.ranLog())
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// The same holds for a server at a URL, whatever stream it asks on.
func TestWhatAServerAsksForInsideAFrameIsJudgedOverHTTP(t *testing.T) {
	const sampling, roots = `{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, `{"method":"roots/list"}`
	doors := []string{
		`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"q":REQUEST}}}`,
		`{"jsonrpc":"2.0","id":ID,"result":{"content":[],"status":"input_required","inputRequests":{"q":REQUEST}}}`,
		`[{"jsonrpc":"2.0","id":ID,"result":{"content":[],"inputRequests":{"q":REQUEST}}}]`,
		`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","inputRequests":{"q":REQUEST}}}`,
	}
	n := 0
	for _, style := range []string{"json", "sse"} {
		for _, door := range doors {
			for _, request := range []string{sampling, roots} {
				n++
				_, server := newBrain(t, style)
				l := connect(t, setup{policy: asksNothing, remote: server.URL})
				l.greet("2025-03-26")
				lines := []string{strings.Replace(door, "REQUEST", request, 1)}
				if !strings.Contains(door, "ID") {
					lines = append(lines, saidDone)
				}
				l.send(sayCall("77", "", lines...) + "\n")
				l.await(`"id":77`)
				if got := strings.Contains(l.got(), request); got != (request == roots) {
					t.Errorf("%s: %s passes: %v; %s", style, door, got, l.got())
				}
				l.end()
			}
		}
	}
	if n == 0 {
		t.Fatal("no doors")
	}
}

// A method that Callgate does not know is judged by `methods:` whoever calls it.
func TestAnUnknownRequestOfTheServerIsJudgedAsAMethod(t *testing.T) {
	const request = `{"jsonrpc":"2.0","id":"s","method":"METHOD","params":{"words":"of the server"}}`
	deny := "callgate: 1\npacks: none\nsettings: {default: deny}\nservers:\n  fake: {methods: {vendor/ok: allow}}\ntools:\n  fake/say: {verdict: allow}\n"
	allow := "callgate: 1\npacks: none\nsettings: {default: allow}\nservers:\n  fake: {methods: {\"vendor/*\": deny, vendor/ok: allow}}\n"
	cases := []struct {
		policy, method string
		passes         bool
	}{
		{deny, "vendor/ok", true}, {deny, "vendor/no", false}, {deny, "sampling/v2", false},
		{deny, "ping", true}, {deny, "tasks/get", true}, {deny, "tasks/result", true},
		{allow, "vendor/ok", true}, {allow, "vendor/no", false}, {allow, "sampling/v2", true}, {allow, "ping", true},
	}
	for _, c := range cases {
		for _, door := range []string{request, "[" + request + "]", `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"q":` + strings.Replace(request, `"jsonrpc":"2.0","id":"s",`, "", 1) + `}}}`} {
			l := connect(t, setup{policy: c.policy})
			l.greet("2025-03-26")
			l.call("1", "say", `{"line":`+string(abi.StringValue(strings.Replace(door, "METHOD", c.method, 1)).Append(nil))+`}`)
			l.send(`{"jsonrpc":"2.0","id":"after","method":"ping"}` + "\n")
			l.await(`"after"`)
			if c.passes {
				l.await("of the server")
			}
			l.end()
			if got := strings.Contains(l.got(), "of the server"); got != c.passes {
				t.Errorf("%s %s passes: %v; %s", c.method, door, got, l.got())
			}
			if !strings.Contains(door, "ID") && strings.Contains(l.ranLog(), `got {"jsonrpc":"2.0","id":"s","error":{"code":4031`) == c.passes {
				t.Errorf("%s %s: the server is told %s", c.method, door, l.ranLog())
			}
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
