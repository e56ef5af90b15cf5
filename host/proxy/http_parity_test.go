package proxy_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// parityPolicy has a verdict of each kind for each kind of call.
const parityPolicy = `callgate: 1
packs: none
settings: {default: deny, max_result_bytes: 1000, approval_timeout: 60s}
servers:
  fake:
    resources: {verdict: allow, args: [{arg: uri, in: ["file:///ok"]}]}
    prompts: {verdict: allow, args: [{arg: name, in: [ok]}]}
    completions: {verdict: allow}
    methods: {"vendor/ok": allow, "vendor/ask": ask}
    requests: {sampling: ask, elicitation: deny, roots: allow}
tools:
  fake/good: {verdict: allow}
  fake/say: {verdict: allow}
  fake/who: {verdict: ask}
  fake/big: {verdict: allow}
  fake/ask: {verdict: ask}
  fake/hidden: {verdict: allow, hide: true}
`

// turn is a frame of the client, and what comes of it. PROMPT stands for the id
// of the last question, and STATE for the last request state.
type turn struct {
	send  string
	want  string // of a frame at the client; "": none comes
	there string // of a frame at the server, which is to come first
	// yes or no is what the person at the terminal says then.
	person string
}

// parity is one sequence of events.
type parity struct {
	name     string
	revision string // "2026-07-28": without a session
	forms    bool   // the client takes questions
	policy   string // of what the server may elicit
	turns    []turn
	reaches  []string // what the server must see
	never    []string // what it must not
	verdicts string   // outcome and code, in order
}

const (
	modernForms = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	modernPlain = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

// sayCall is a call that has the server say lines.
func sayCall(id, more string, lines ...string) string {
	list := abi.ArrayValue()
	for _, line := range lines {
		list = abi.ArrayValue(append(slices.Clone(list.Items()), abi.StringValue(line))...)
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"say","arguments":{"lines":` + string(list.Append(nil)) + `}` + more + `}}`
}

func toolOf(id, name, more string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":{"a":1}` + more + `}}`
}

const saidDone = `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"said":ID}}`

var parities = []parity{
	{
		name: "calls", revision: "2025-11-25",
		turns: []turn{
			{send: toolOf("1", "good", ""), want: `"id":1,"result":{"content":[{"type":"text","text":"ran good"}]}`},
			{send: toolOf("2", "bad", ""), want: `"id":2,"result":{"content":[{"type":"text","text":"[callgate blocked]`},
			{send: toolOf(`"3"`, "hidden", ""), want: `"id":"3","result":{"content":[{"type":"text","text":"[callgate blocked]`},
			{send: toolOf("4", "big", ""), want: "RESULT_SIZE"},
			{send: toolOf("5", "ask", ""), person: "yes", want: `"id":5,"result":{"content":[{"type":"text","text":"ran ask"}]}`},
			{send: toolOf("6", "ask", `,"x":1`), person: "no", want: "approval: DECLINED"},
			{send: `{"jsonrpc":"2.0","id":7,"method":"ping"}`, want: `"id":7`},
		},
		reaches: []string{`"name":"good"`, `"name":"big"`, `"id":5,`, `"id":7,`}, never: []string{`"name":"bad"`, `"name":"hidden"`, `"id":6,`},
		verdicts: "allow, deny COVERAGE_DEFAULT, deny COVERAGE_HIDDEN, allow, deny RESULT_SIZE, ask, allow, ask, deny DECLINED",
	},
	{
		name: "questions by elicitation", revision: "2025-06-18", forms: true,
		turns: []turn{
			{send: toolOf("1", "ask", ""), want: `"method":"elicitation/create"`},
			{send: `{"jsonrpc":"2.0","id":PROMPT,"result":{"action":"accept","content":{"approve":true}}}`, want: `"id":1,"result":{"content":[{"type":"text","text":"ran ask"}]}`},
			{send: `{"jsonrpc":"2.0","id":PROMPT,"result":{"action":"accept","content":{"approve":true}}}`},
			{send: `{"jsonrpc":"2.0","id":2,"method":"ping"}`, want: `"id":2`},
		},
		reaches: []string{`"id":1,`, `"id":2,`}, never: []string{"approve"},
		verdicts: "ask, allow",
	},
	{
		name: "a question that is declined", revision: "2025-11-25", forms: true,
		turns: []turn{
			{send: toolOf("1", "ask", ""), want: `"method":"elicitation/create"`},
			{send: `{"jsonrpc":"2.0","id":PROMPT,"result":{"action":"decline"}}`, want: "approval: DECLINED"},
			{send: toolOf("2", "good", ""), want: `"id":2`},
		},
		reaches: []string{`"name":"good"`}, never: []string{`"name":"ask"`, "decline"},
		verdicts: "ask, deny DECLINED, allow",
	},
	{
		name: "what is no call", revision: "2025-11-25",
		turns: []turn{
			{send: `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///ok"}}`, want: `"id":1,"result":{"contents"`},
			{send: `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"file:///no"}}`, want: `"id":2,"error":{"code":4031`},
			{send: `{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"file:///ok"}}`, want: `"id":3,"result"`},
			{send: `{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"file:///no"}}`, want: `"id":4,"error":{"code":4031`},
			{send: `{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"ok"}}`, want: `"id":5,"result":{"messages"`},
			{send: `{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"no"}}`, want: `"id":6,"error":{"code":4031`},
			{send: `{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"ok"},"argument":{"name":"a","value":"b"}}}`, want: `"id":7,"result":{"completion"`},
			{send: `{"jsonrpc":"2.0","id":8,"method":"vendor/ok","params":{"x":1.0}}`, want: `"id":8,"result"`},
			{send: `{"jsonrpc":"2.0","id":9,"method":"vendor/no"}`, want: `"id":9,"error":{"code":4031`},
			{send: `{"jsonrpc":"2.0","id":10,"method":"vendor/ask"}`, person: "yes", want: `"id":10,"result"`},
		},
		reaches:  []string{`"id":1,`, `"id":3,`, `"id":5,`, `"id":7,`, `"id":8,"method":"vendor/ok","params":{"x":1.0}`, `"id":10,`},
		never:    []string{`"id":2,`, `"id":4,`, `"id":6,`, `"id":9,`},
		verdicts: "allow, deny ARGS_IN, allow, deny ARGS_IN, allow, deny ARGS_IN, allow, allow, deny COVERAGE_DEFAULT, ask, allow",
	},
	{
		name: "what the server asks of the client", revision: "2025-11-25",
		turns: []turn{
			{send: sayCall("1", "", `{"jsonrpc":"2.0","id":"r","method":"roots/list"}`, saidDone), want: `"method":"roots/list"`},
			{send: `{"jsonrpc":"2.0","id":"r","result":{"roots":[]}}`, there: `"id":"r","result"`},
			{send: `{"jsonrpc":"2.0","id":2,"method":"ping"}`, want: `"id":2`},
			{send: sayCall("3", "", `{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"secret?","requestedSchema":{"type":"object","properties":{}}}}`, saidDone), there: `"id":"e","error"`, want: `"said":3`},
			{send: sayCall("4", "", `{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, saidDone), person: "yes", want: `"method":"sampling/createMessage"`},
			{send: `{"jsonrpc":"2.0","id":"s","result":{"role":"assistant","content":{"type":"text","text":"model"},"model":"m"}}`, there: `"text":"model"`},
			{send: `{"jsonrpc":"2.0","id":5,"method":"ping"}`, want: `"id":5`},
			{send: sayCall("6", "", `{"jsonrpc":"2.0","id":"s2","method":"sampling/createMessage","params":{"messages":[],"maxTokens":2}}`, saidDone), person: "no", there: `"id":"s2","error"`, want: `"said":6`},
			{send: `{"jsonrpc":"2.0","id":"s2","result":{"smuggled":true}}`},
			{send: `{"jsonrpc":"2.0","id":7,"method":"ping"}`, want: `"id":7`},
		},
		reaches:  []string{`"id":"r","result":{"roots":[]}`, `"id":"e","error":{"code":4031`, `"text":"model"`, `"id":"s2","error":{"code":4031`},
		never:    []string{"smuggled"},
		verdicts: "allow, allow, allow, deny COVERAGE_DENIED, allow, ask, allow, allow, ask, deny DECLINED, deny FRAME_FOREIGN_RESPONSE",
	},
	{
		name: "progress, cancellation and what nobody asked for", revision: "2025-11-25",
		turns: []turn{
			{send: sayCall("1", `,"_meta":{"progressToken":"t"}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`, saidDone), want: `"notifications/progress"`},
			{send: sayCall("2", ""), there: `"id":2,`},
			{send: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`},
			{send: `{"jsonrpc":"2.0","id":"nobody","result":{"smuggled":true}}`},
			{send: `{"jsonrpc":"2.0","id":3,"method":"ping"}`, want: `"id":3`},
		},
		reaches: []string{`"requestId":2`, `"id":3,`}, never: []string{"smuggled"},
		verdicts: "allow, allow, deny FRAME_FOREIGN_RESPONSE",
	},
	{
		name: "lists without what is hidden, and marks of our own", revision: "2025-11-25",
		turns: []turn{
			{send: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, want: `"id":1`},
			{send: sayCall("2", "", `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"_meta":{"dev.callgate/verdict":{"outcome":"allow"},"x":1}}}`), want: `"id":2,"result":{"content":[],"_meta":{"x":1}}`},
		},
		reaches: []string{`"id":1,`}, verdicts: "allow",
	},
	{
		name: "tasks of 2025-11-25", revision: "2025-11-25",
		turns: []turn{
			{send: sayCall("1", `,"task":{"ttl":1}`, `{"jsonrpc":"2.0","id":ID,"result":{"task":{"taskId":"t1","status":"working"}}}`), want: `"taskId":"t1"`},
			{send: `{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"t1"}}`, want: `"id":2,"result"`},
			{send: `{"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"t1"}}`, want: `"id":3,"result"`},
			{send: toolOf("4", "bad", `,"task":{"ttl":1}`), want: `"id":4,"error":{"code":4031`},
		},
		reaches: []string{"tasks/get", "tasks/result", `"task":{"ttl":1}`}, never: []string{`"name":"bad"`},
		verdicts: "allow, deny COVERAGE_DEFAULT",
	},
	{
		name: "calls without a session", revision: "2026-07-28",
		turns: []turn{
			{send: `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernPlain + `}}`, want: `"id":1,"result"`},
			{send: toolOf("2", "good", ","+modernPlain), want: `"id":2,"result":{"content":[{"type":"text","text":"ran good"}]}`},
			{send: toolOf("3", "bad", ","+modernPlain), want: `"id":3,"result":{"content":[{"type":"text","text":"[callgate blocked]`},
			{send: `{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"file:///ok",` + modernPlain + `}}`, want: `"id":4,"result"`},
			{send: `{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"file:///no",` + modernPlain + `}}`, want: `"id":5,"error":{"code":4031`},
			{send: `{"jsonrpc":"2.0","id":6,"method":"vendor/ok","params":{` + modernPlain + `}}`, want: `"id":6,"result"`},
			{send: `{"jsonrpc":"2.0","id":7,"method":"vendor/no","params":{` + modernPlain + `}}`, want: `"id":7,"error":{"code":4031`},
			{send: sayCall("8", ","+modernPlain, `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"task","taskId":"t1","status":"working"}}`), want: `"taskId":"t1"`},
			{send: `{"jsonrpc":"2.0","id":9,"method":"tasks/get","params":{"taskId":"t1",` + modernPlain + `}}`, want: `"id":9,"result"`},
		},
		reaches: []string{"server/discover", `"name":"good"`, `"uri":"file:///ok"`, "vendor/ok", "tasks/get"}, never: []string{`"name":"bad"`, `file:///no`, "vendor/no"},
		verdicts: "allow, deny COVERAGE_DEFAULT, allow, deny ARGS_IN, allow, deny COVERAGE_DEFAULT, allow",
	},
	{
		name: "questions in the answer", revision: "2026-07-28", forms: true,
		turns: []turn{
			{send: toolOf("1", "ask", ","+modernForms), want: `"resultType":"input_required"`},
			{send: toolOf("2", "ask", `,"requestState":STATE,"inputResponses":{"callgate.approval":{"action":"accept","content":{"approve":true}}},`+modernForms), want: `"id":2,"result":{"content":[{"type":"text","text":"ran ask"}]}`},
			{send: toolOf("3", "ask", `,"requestState":STATE,"inputResponses":{"callgate.approval":{"action":"accept","content":{"approve":true}}},`+modernForms), want: "REQUEST_STATE"},
			{send: toolOf("4", "ask", `,"inputResponses":{"callgate.approval":{"action":"accept","content":{"approve":true}}},`+modernForms), want: `"id":4,"result":{"resultType":"input_required"`},
			{send: toolOf("5", "ask", `,"requestState":STATE,"inputResponses":{"callgate.approval":{"action":"decline"}},`+modernForms), want: "approval: DECLINED"},
		},
		reaches: []string{`"params":{"name":"ask","arguments":{"a":1},"_meta"`}, never: []string{"cg1", "callgate.approval", `"id":3,`},
		verdicts: "ask, allow, deny REQUEST_STATE, ask, deny DECLINED",
	},
	{
		name: "a question around one of the server's", revision: "2026-07-28", forms: true,
		turns: []turn{
			{send: toolOf("1", "who", ","+modernForms), want: `"callgate.approval"`},
			{send: toolOf("2", "who", `,"requestState":STATE,"inputResponses":{"callgate.approval":{"action":"accept","content":{"approve":true}}},`+modernForms), want: `COVERAGE_DENIED`},
		},
		reaches: []string{`"params":{"name":"who","arguments":{"a":1},"_meta"`}, never: []string{"cg1"},
		verdicts: "ask, allow, deny COVERAGE_DENIED", // the server may not elicit
	},
	{
		name: "a question around one of the server's that may be put", revision: "2026-07-28", forms: true, policy: "elicitation: allow",
		turns: []turn{
			{send: toolOf("1", "who", ","+modernForms), want: `"callgate.approval"`},
			{send: toolOf("2", "who", `,"requestState":STATE,"inputResponses":{"callgate.approval":{"action":"accept","content":{"approve":true}}},`+modernForms), want: `"message":"who?"`},
			{send: toolOf("3", "who", `,"requestState":STATE,"inputResponses":{"who":{"action":"accept","content":{}}},`+modernForms), want: `"text":"state mine"`},
		},
		reaches: []string{`"requestState":"mine"`, `"inputResponses":{"who":`}, never: []string{"cg1", "callgate.approval"},
		verdicts: "ask, allow, allow, allow",
	},
}

// TestEveryBridgeDecidesAndForwardsTheSame runs the same events through every
// bridge: what the server sees is the same to the byte, but for white space and,
// where a child serves several clients, ids.
func TestEveryBridgeDecidesAndForwardsTheSame(t *testing.T) {
	ran := 0
	for _, c := range parities {
		t.Run(c.name, func(t *testing.T) {
			first := map[string]string{}
			for _, b := range bridges {
				if b.legacy && c.revision >= "2026" {
					continue // HTTP+SSE has no other era
				}
				ran++
				t.Run(b.name, func(t *testing.T) {
					policy := parityPolicy
					if c.policy != "" {
						policy = strings.Replace(policy, "elicitation: deny", c.policy, 1)
					}
					w := connectOver(t, b, policy)
					w.run(c)
					same(t, first, "forwarded", w.forwarded(c))
					same(t, first, "verdicts", w.verdicts())
					same(t, first, "received", w.received(c))
					for _, text := range c.reaches {
						if !strings.Contains(w.log(), text) {
							t.Errorf("%q never reached the server: %s", text, w.log())
						}
					}
					for _, text := range c.never {
						if strings.Contains(w.log(), text) {
							t.Errorf("%q reached the server: %s", text, w.log())
						}
					}
					if got := w.verdicts(); got != c.verdicts {
						t.Errorf("verdicts %q; want %q", got, c.verdicts)
					}
				})
			}
		})
	}
	if ran < len(parities)*(len(bridges)-1) {
		t.Fatalf("%d runs for %d cases", ran, len(parities))
	}
}

var (
	anyID    = regexp.MustCompile(`"(id|progressToken)":("[^"]*"|\d+)`)
	verdict  = regexp.MustCompile(`("id":"|callgate why |pending, and callgate why )[0-9a-z-]+\b`)
	question = regexp.MustCompile(`(  call      |  asked     )[^\\]*`)
	size     = regexp.MustCompile(`has \d+ bytes`)
	anyState = regexp.MustCompile(`cg1\.[^"]*|callgate-[a-z2-7]+`)
)
