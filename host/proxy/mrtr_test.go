package proxy

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// fromClient is a client's frame that must be one.
func fromClient(t interface {
	Helper()
	Fatalf(string, ...any)
}, raw string) wire.Frame {
	t.Helper()
	f := wire.Classify([]byte(raw), wire.FromClient, wire.Options{})
	if f.Kind != wire.Request {
		t.Fatalf("%q is %v: %+v; want a request", raw, f.Kind, f.Problem)
	}
	return f
}

// fromServer is a server's answer that must be one.
func fromServer(t *testing.T, raw string) wire.Frame {
	t.Helper()
	f := wire.Classify([]byte(raw), wire.FromServer, wire.Options{})
	if f.Kind != wire.Response {
		t.Fatalf("%q is %v: %+v; want a response", raw, f.Kind, f.Problem)
	}
	return f
}

// send is a call with these members of params behind the others.
func send(more string) string {
	return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send","arguments":{"to":"bob"}` + more + "}}\n"
}

func TestAQuestionIsAResultThatAsksForInput(t *testing.T) {
	got := string(inputRequired(wire.ID{Raw: "7"}, "cg1.abc", "Send to \"bob\"?\n\u2028"))
	want := `{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"callgate.approval":{"method":"elicitation/create",` +
		`"params":{"mode":"form","message":"Send to \"bob\"?\n\u2028","requestedSchema":{"type":"object","properties":{"approve":{"type":"boolean",` +
		`"title":"Approve this call","description":"Yes lets exactly the call that is shown go to the server"}},"required":["approve"]}}}},` +
		`"requestState":"cg1.abc"}}` + "\n"
	if got != want {
		t.Errorf("want\n%s got\n%s", want, got)
	}
	if f := fromServer(t, got); f.ID.Raw != "7" || stateOf(f) != `"cg1.abc"` {
		t.Errorf("the answer is to %s with state %s", f.ID.Raw, stateOf(f))
	}
}

func TestAClientTakesFormsWhenThisRequestSaysSo(t *testing.T) {
	capabilities := func(c string) string {
		return `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + c + "}"
	}
	cases := []struct {
		name, more string
		want       bool
	}{
		{"elicitation", capabilities(`{"elicitation":{}}`), true},
		{"forms", capabilities(`{"elicitation":{"form":{}}}`), true},
		{"forms and URLs", capabilities(`{"roots":{},"elicitation":{"url":{},"form":{}}}`), true},
		{"an escaped name", capabilities(`{"elicit\u0061tion":{}}`), true},
		{"URLs only", capabilities(`{"elicitation":{"url":{}}}`), false},
		{"a form that is no object", capabilities(`{"elicitation":{"form":true}}`), false},
		{"elicitation that is no object", capabilities(`{"elicitation":true}`), false},
		{"null", capabilities(`{"elicitation":null}`), false},
		{"a list", capabilities(`{"elicitation":[]}`), false},
		{"another case", capabilities(`{"Elicitation":{}}`), false},
		{"nothing", capabilities(`{}`), false},
		{"no capabilities", `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`, false},
		{"no _meta", "", false},
		{"beside _meta", `,"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`, false},
	}
	took := 0
	for _, c := range cases {
		got := formsDeclared(fromClient(t, send(c.more)))
		if got != c.want {
			t.Errorf("%s: want %t, got %t", c.name, c.want, got)
		}
		if got {
			took++
		}
	}
	if took == 0 || took == len(cases) {
		t.Fatalf("%d of %d take forms; want some of each", took, len(cases))
	}
	if formsDeclared(fromClient(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)) {
		t.Error("a request without params takes forms")
	}
}

func TestOnlyAnAcceptedFormThatApprovesIsAYes(t *testing.T) {
	question := ticket{kind: questionTicket}
	ours := func(answer string) string { return `,"inputResponses":{"callgate.approval":` + answer + "}" }
	accepted := ours(`{"action":"accept","content":{"approve":true}}`)
	cases := []struct {
		name, more    string
		ticket        ticket
		yes, answered bool
	}{
		{"accepted", accepted, question, true, true},
		{"with more in it", ours(`{"_meta":{},"content":{"x":1,"approve":true},"action":"accept"}`), question, true, true},
		{"beside the server's", `,"inputResponses":{"who":{"action":"decline"},"callgate.approval":{"action":"accept","content":{"approve":true}}}`, question, true, true},
		{"in escapes", `,"inputResponses":{"callgate\u002eapproval":{"action":"\u0061ccept","content":{"approve":true}}}`, question, true, true},
		{"false", ours(`{"action":"accept","content":{"approve":false}}`), question, false, true},
		{"a text", ours(`{"action":"accept","content":{"approve":"true"}}`), question, false, true},
		{"a number", ours(`{"action":"accept","content":{"approve":1}}`), question, false, true},
		{"another case", ours(`{"action":"accept","content":{"Approve":true}}`), question, false, true},
		{"no content", ours(`{"action":"accept"}`), question, false, true},
		{"beside the content", ours(`{"action":"accept","approve":true,"content":{}}`), question, false, true},
		{"a list for the content", ours(`{"action":"accept","content":[true]}`), question, false, true},
		{"declined", ours(`{"action":"decline"}`), question, false, true},
		{"declined with content", ours(`{"action":"decline","content":{"approve":true}}`), question, false, true},
		{"cancelled", ours(`{"action":"cancel"}`), question, false, true},
		{"an unknown action", ours(`{"action":"Accept","content":{"approve":true}}`), question, false, true},
		{"an action that is no text", ours(`{"action":true,"content":{"approve":true}}`), question, false, true},
		{"null", ours(`null`), question, false, true},
		{"true", ours(`true`), question, false, true},
		{"no answer to us", `,"inputResponses":{"who":{"action":"accept","content":{"approve":true}}}`, question, false, false},
		{"no answers", `,"inputResponses":{}`, question, false, false},
		{"nothing", "", question, false, false},
		{"in another place", `,"callgate.approval":{"action":"accept","content":{"approve":true}}`, question, false, false},
		{"before anything was asked", accepted, ticket{}, false, false},
		{"to a question of the server's", accepted, ticket{kind: continuationTicket}, false, false},
	}
	yes := 0
	for _, c := range cases {
		y, answered := approvalIn(fromClient(t, send(c.more)), c.ticket)
		if y != c.yes || answered != c.answered {
			t.Errorf("%s: want yes %t and answered %t, got %t and %t", c.name, c.yes, c.answered, y, answered)
		}
		if y {
			yes++
		}
	}
	if yes == 0 || yes == len(cases) {
		t.Fatalf("%d of %d are a yes; want some of each", yes, len(cases))
	}
}

func TestARetryIsTheCallThatWasAskedAbout(t *testing.T) {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + "}"
	}
	const asked = `{"name":"send","arguments":{"n":9007199254740993,"to":"bob","x":[1,2]},"_meta":{"progressToken":1}}`
	cases := []struct {
		name, params string
		same         bool
	}{
		{"the same bytes", asked, true},
		{"members in another order", `{"_meta":{"progressToken":1},"arguments":{"x":[1,2],"to":"bob","n":9007199254740993},"name":"send"}`, true},
		{"white space and escapes", `{ "name": "s\u0065nd", "arguments":{"n":9007199254740993,"to":"bob","x":[ 1, 2 ]}}`, true},
		{"an answer and a state", strings.TrimSuffix(asked, "}") + `,"inputResponses":{"a":{}},"requestState":"s"}`, true},
		{"another progress token", strings.Replace(asked, `"progressToken":1`, `"progressToken":2`, 1), true},
		{"another tool", strings.Replace(asked, "send", "drop", 1), false},
		{"another argument", strings.Replace(asked, "bob", "eve", 1), false},
		{"an argument more", strings.Replace(asked, `"to"`, `"cc":"eve","to"`, 1), false},
		{"items in another order", strings.Replace(asked, "[1,2]", "[2,1]", 1), false},
		{"a number that is the same as a double", strings.Replace(asked, "993", "992", 1), false},
		{"a number written in another way", strings.Replace(asked, "[1,", "[1.0,", 1), false},
		{"as a task", strings.TrimSuffix(asked, "}") + `,"task":{"ttl":1}}`, false},
		{"an unknown member", strings.TrimSuffix(asked, "}") + `,"more":1}`, false},
		{"our members among the arguments", strings.Replace(asked, `"to"`, `"requestState":"s","to"`, 1), false},
	}
	want, err := callDigest(fromClient(t, call(asked)))
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for _, c := range cases {
		got, err := callDigest(fromClient(t, call(c.params)))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got == want {
			same++
		}
		if (got == want) != c.same {
			t.Errorf("%s: want the same %t, got %q for %q", c.name, c.same, got, want)
		}
	}
	if same == 0 || same == len(cases) {
		t.Fatalf("%d of %d are the same; want some of each", same, len(cases))
	}
	if got, err := callDigest(fromClient(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)); err != nil || !strings.HasPrefix(got, "sha256:") {
		t.Errorf("a request without params: %q, %v", got, err)
	}
}

func TestAServerSeesItsOwnPartOfTheExchange(t *testing.T) {
	question, continuation := ticket{kind: questionTicket}, ticket{kind: continuationTicket}
	withState := func(of ticket, state string) ticket { of.state = state; return of }
	held := ticket{kind: questionTicket, state: `"s\u0031"`, answers: `{"who": {"action":"accept"}}`}
	const (
		yes   = `"callgate.approval":{"action":"accept","content":{"approve":true}}`
		state = `,"requestState":"cg1.abc"`
	)
	cases := []struct {
		name, more string
		ticket     ticket
		want       string // members behind the others
	}{
		{"our answer and our state", `,"inputResponses":{` + yes + `}` + state, question, ""},
		{"the state in front", state + `,"inputResponses":{` + yes + `}`, question, ""},
		{"white space around them", ` , "inputResponses" : { ` + yes + ` } , "requestState" : "cg1.abc" `, question, "  "},
		{"a state in escapes", `,"requestState":"cg\u0031.abc"`, question, ""},
		{"no answer", state, question, ""},
		{"answers to nothing", `,"inputResponses":{}` + state, question, ""},
		{"the server's answer behind ours", `,"inputResponses":{` + yes + `,"who":{"a": 1}}` + state, question, `,"inputResponses":{"who":{"a": 1}}`},
		{"the server's answer in front of ours", `,"inputResponses":{"who":{"a": 1},` + yes + `}` + state, question, `,"inputResponses":{"who":{"a": 1}}`},
		{"ours between two", `,"inputResponses":{"a":1,` + yes + `,"b":2}` + state, question, `,"inputResponses":{"a":1,"b":2}`},
		{"what the call came with", `,"inputResponses":{` + yes + `}` + state, held, `,"inputResponses":{"who": {"action":"accept"}},"requestState":"s\u0031"`},
		{"what the call came with, to a client that can not answer", state, held, `,"requestState":"s\u0031","inputResponses":{"who": {"action":"accept"}}`},
		{"what the client says anew", `,"inputResponses":{` + yes + `,"who":{}}` + state, held, `,"inputResponses":{"who":{}},"requestState":"s\u0031"`},
		{"the server's state of an approved call", `,"inputResponses":{"who":{}}` + state, withState(continuation, `"s\u0031"`), `,"inputResponses":{"who":{}},"requestState":"s\u0031"`},
		{"an empty state of the server", `,"inputResponses":{"who":{}}` + state, withState(continuation, `""`), `,"inputResponses":{"who":{}},"requestState":""`},
		{"a server without state", `,"inputResponses":{"who":{}}` + state, continuation, `,"inputResponses":{"who":{}}`},
		{"no answers to an approved call", `,"inputResponses":{}` + state, continuation, `,"inputResponses":{}`},
		{"our name in answers to a server", `,"inputResponses":{` + yes + `}` + state, continuation, `,"inputResponses":{` + yes + `}`},
		{"a state that is not ours", `,"inputResponses":{` + yes + `},"requestState":"theirs"`, ticket{}, `,"inputResponses":{` + yes + `},"requestState":"theirs"`},
		{"a state of ours that nobody opened", state, ticket{}, state},
		{"names among the arguments", `,"_meta":{"requestState":"cg1.abc","inputResponses":{` + yes + `}}` + state, question, `,"_meta":{"requestState":"cg1.abc","inputResponses":{` + yes + `}}`},
		{"a call without any", ``, ticket{}, ""},
	}
	ran := 0
	for _, c := range cases {
		ran++
		got, err := withoutOurs(fromClient(t, send(c.more)), c.ticket)
		if want := send(c.want); err != nil || string(got) != want {
			t.Errorf("%s: want\n%s got\n%s and %v", c.name, want, got, err)
		}
	}
	if ran == 0 {
		t.Fatal("no case ran")
	}
	// What can not be edited is not sent.
	if got, err := withoutOurs(wire.Frame{Raw: []byte(`{"id":1}`)}, held); err == nil {
		t.Errorf("a frame without params gave %q", got)
	}
}

func TestAServersQuestionGoesOnUnderOurState(t *testing.T) {
	cases := []struct{ name, result, want, state string }{
		{"its own state", `{"resultType":"input_required","requestState" : "s\u0031" ,"inputRequests":{}}`, `{"resultType":"input_required","requestState" : "cg1.abc" ,"inputRequests":{}}`, `"s\u0031"`},
		{"an empty one", `{"requestState":"","inputRequests":{}}`, `{"requestState":"cg1.abc","inputRequests":{}}`, `""`},
		{"none", `{"resultType":"input_required","inputRequests":{"requestState":{"method":"x"}}}`, `{"resultType":"input_required","inputRequests":{"requestState":{"method":"x"}},"requestState":"cg1.abc"}`, ""},
		{"an empty result", `{}`, `{"requestState":"cg1.abc"}`, ""},
		{"one like ours", `{"requestState":"cg1.xyz"}`, `{"requestState":"cg1.abc"}`, `"cg1.xyz"`},
	}
	ran := 0
	for _, c := range cases {
		ran++
		f := fromServer(t, `{"jsonrpc":"2.0","id":1,"result":`+c.result+"}\n")
		if got := stateOf(f); got != c.state {
			t.Errorf("%s: want the state %q, got %q", c.name, c.state, got)
		}
		got, err := wrapState(f, "cg1.abc")
		if want := `{"jsonrpc":"2.0","id":1,"result":` + c.want + "}\n"; err != nil || string(got) != want {
			t.Errorf("%s: want\n%s got\n%s and %v", c.name, want, got, err)
		}
		if !json.Valid(got) {
			t.Errorf("%s: %s is no JSON", c.name, got)
		}
	}
	if ran == 0 {
		t.Fatal("no case ran")
	}
	for _, raw := range []string{`{"jsonrpc":"2.0","id":1,"result":[]}`, `{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","id":1,"error":{}}`} {
		if got, err := wrapState(wire.Frame{Raw: []byte(raw)}, "cg1.abc"); err == nil {
			t.Errorf("%s gave %s", raw, got)
		}
	}
}

// TestAQuestionOfTheServerFollowsOurs plays one exchange: we ask, then the
// server does, and it sees nothing of ours.
func TestAQuestionOfTheServerFollowsOurs(t *testing.T) {
	s := newTestSealer(t, newClock().now)
	open := func(f wire.Frame) ticket {
		got, err := s.open(stateIn(f))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.spend(got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	asked := s.seal(ticket{kind: questionTicket}, time.Minute)
	second := fromClient(t, send(`,"inputResponses":{"callgate.approval":{"action":"accept","content":{"approve":true}}},"requestState":"`+asked+`"`))
	t1 := open(second)
	if yes, _ := approvalIn(second, t1); !yes {
		t.Fatal("the call is not approved")
	}
	if got, err := withoutOurs(second, t1); err != nil || string(got) != send("") {
		t.Fatalf("the server gets %s and %v", got, err)
	}
	result := fromServer(t, `{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create"}},"requestState":"{\"step\":1}"}}`)
	wrapped, err := wrapState(result, s.seal(ticket{kind: continuationTicket, state: stateOf(result)}, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	state := stateOf(fromServer(t, string(wrapped)))
	third := fromClient(t, send(`,"inputResponses":{"who":{"action":"accept"}},"requestState":`+state))
	got, err := withoutOurs(third, open(third))
	if want := send(`,"inputResponses":{"who":{"action":"accept"}},"requestState":"{\"step\":1}"`); err != nil || string(got) != want {
		t.Errorf("want\n%s got\n%s and %v", want, got, err)
	}
	again, err := s.open(stateIn(third))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.spend(again); err == nil {
		t.Error("the server's question can be answered twice")
	}
}
