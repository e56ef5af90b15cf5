package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
)

// returned has a call allowed, and returns what becomes of its result: the verdict,
// if there is one, and the result as the client sees it.
func returned(t *testing.T, f fakes, text, definition, result string) (*abi.Verdict, string) {
	t.Helper()
	r := startPlugins(t, f, text)
	r.tools("s", definition)
	call := verdict(t, r.call("s", "read", `{}`))
	if call.Outcome != abi.Allow {
		t.Fatalf("the call: %s", call.JSON())
	}
	shown := value(t, result)
	var v *abi.Verdict
	for _, a := range r.returns(call, "s", result) {
		if a.Verdict != nil {
			v = a.Verdict
		}
		if a.Edit != nil {
			var err error
			if shown, err = shown.Edited(a.Edit.Edits); err != nil {
				t.Fatal(err)
			}
			if a.Edit.Digest != shown.Digest() {
				t.Errorf("the digest of the edit is another: %s", a)
			}
		}
	}
	r.again(f)
	return v, shown.String()
}

const readTool = `{"name":"read","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}}}}`

func TestPluginsRedactResults(t *testing.T) {
	const text = `{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}`
	const structured = `{"content":[],"structuredContent":{"n":7,"s":"x","free":{"a":[1,"b"]}}}`
	tests := []struct{ name, result, redact, want, code string }{
		{"a string", text, `"/result/content/0/text"`, `{"content":[{"text":"[redacted by p]","type":"text"},{"text":"two","type":"text"}]}`, ""},
		{"a block", text, `"/result/content/1"`, `{"content":[{"text":"one","type":"text"},{"text":"[redacted by p]","type":"text"}]}`, ""},
		{"a block and what is in it", text, `"/result/content/1/text","/result/content/1"`, `{"content":[{"text":"one","type":"text"},{"text":"[redacted by p]","type":"text"}]}`, ""},
		{"a picture", `{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`, `"/result/content/0"`, `{"content":[{"text":"[redacted by p]","type":"text"}]}`, ""},
		{"the bytes of a picture", `{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`, `"/result/content/0/data"`, `{"content":[{"type":"image","data":"W3JlZGFjdGVkIGJ5IHBd","mimeType":"image/png"}]}`, ""},
		{"the bytes of a resource", `{"content":[{"type":"resource","resource":{"uri":"x:y","blob":"AAAA"}}]}`, `"/result/content/0/resource/blob"`, `{"content":[{"type":"resource","resource":{"uri":"x:y","blob":"W3JlZGFjdGVkIGJ5IHBd"}}]}`, ""},
		{"the text of a resource", `{"content":[{"type":"resource","resource":{"uri":"x:y","text":"AAAA"}}]}`, `"/result/content/0/resource/text"`, `{"content":[{"type":"resource","resource":{"uri":"x:y","text":"[redacted by p]"}}]}`, ""},
		{"structured data", `{"content":[],"structuredContent":{"free":{"type":"x","data":"AAAA"}}}`, `"/result/structuredContent/free/data"`, `{"content":[],"structuredContent":{"free":{"type":"x","data":"[redacted by p]"}}}`, ""},
		{"data of an extension", `{"content":[],"_meta":{"x":{"data":"AAAA"}}}`, `"/result/_meta/x/data"`, `{"content":[],"_meta":{"x":{"data":"[redacted by p]"}}}`, ""},
		{"the kind of a picture", `{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`, `"/result/content/0/mimeType"`, `{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`, "REDACT_FAILED"},
		{"whom a block is for", `{"content":[{"type":"text","text":"a","annotations":{"audience":["user"]}}]}`, `"/result/content/0/annotations/audience/0"`, `{"content":[{"type":"text","text":"a","annotations":{"audience":["user"]}}]}`, "REDACT_FAILED"},
		{"what a link is called", `{"content":[{"type":"resource_link","uri":"x:y","name":"n"}]}`, `"/result/content/0/name"`, `{"content":[{"type":"resource_link","uri":"x:y","name":"[redacted by p]"}]}`, ""},
		{"the id of a task", `{"task":{"taskId":"t","status":"working"}}`, `"/result/task/taskId"`, `{"task":{"taskId":"t","status":"working"}}`, "REDACT_FAILED"},
		{"what a task says", `{"task":{"taskId":"t","status":"working","statusMessage":"m"}}`, `"/result/task/statusMessage"`, `{"task":{"taskId":"t","status":"working","statusMessage":"m"}}`, "REDACT_FAILED"},
		{"a structured string", structured, `"/result/structuredContent/s"`, `{"content":[],"structuredContent":{"free":{"a":[1,"b"]},"n":7,"s":"[redacted by p]"}}`, ""},
		{"what the schema leaves free", structured, `"/result/structuredContent/free/a"`, `{"content":[],"structuredContent":{"free":{"a":"[redacted by p]"},"n":7,"s":"x"}}`, ""},
		{"a number that the schema wants", structured, `"/result/structuredContent/n"`, structured, "REDACT_SCHEMA"},
		{"what is not there", text, `"/result/content/9/text"`, text, "REDACT_FAILED"},
		{"all of the content", text, `"/result/content"`, text, "REDACT_FAILED"},
		{"the type of a block", text, `"/result/content/0/type"`, text, "REDACT_FAILED"},
		{"one that fits beside one that does not", text, `"/result/content/0/text","/result/content/9"`, text, "REDACT_FAILED"},
	}
	for _, c := range tests {
		f := fakes{"p": in("result", `{"outcome":"abstain","redact":[`+c.redact+`]}`)}
		v, shown := returned(t, f, binding("p"), readTool, c.result)
		if v == nil || part(*v, "p") == nil {
			t.Errorf("%s: no receipt: %v", c.name, v)
			continue
		}
		if got := v.Code; got != c.code || (v.Outcome == abi.Deny) != (c.code != "") {
			t.Errorf("%s: %s; want %q", c.name, v.JSON(), c.code)
		}
		if want := value(t, c.want).String(); shown != want {
			t.Errorf("%s: %s; want %s", c.name, shown, want)
		}
	}
	if len(tests) == 0 {
		t.Fatal("no cases")
	}
}

func TestErrorsOfServersAreRedactedByPlugins(t *testing.T) {
	for _, c := range []struct{ at, code string }{{"/result/error/message", ""}, {"/result/error/data", ""}, {"/result/error/code", "REDACT_FAILED"}} {
		f := fakes{"p": in("result", `{"outcome":"abstain","redact":["`+c.at+`"]}`)}
		r := startPlugins(t, f, binding("p"))
		r.tools("s", tool("read"))
		call := verdict(t, r.call("s", "read", `{}`))
		said := value(t, `{"code":-1,"message":"oops","data":{"a":1}}`)
		v := verdict(t, r.step(abi.Event{Result: &abi.ResultEvent{Call: call.ID, Server: "s", Error: said, Bytes: 9}}))
		if v.Code != c.code {
			t.Errorf("%s: %s; want %q", c.at, v.JSON(), c.code)
		}
		r.again(f)
	}
}

func TestPluginsRedactBesideThePolicy(t *testing.T) {
	entry := "redact: [{name: key, pattern: \"key-[0-9]+\", with: gone}]\n"
	f := fakes{
		"p": func(v abi.Value) string {
			if v.Get("phase").Str() != "result" {
				return abstains
			}
			if strings.Contains(v.String(), "key-7") {
				return `{"outcome":"deny","code":"BAD"}`
			}
			return `{"outcome":"abstain","redact":["/result/content/0/text"]}`
		},
		"q": in("result", `{"outcome":"abstain","redact":["/result/content/0"]}`),
	}
	const result = `{"content":[{"type":"text","text":"a key-77"},{"type":"text","text":"b key-78"}]}`
	v, shown := returned(t, f, binding("p", "q")+entry, readTool, result)
	if want := `{"content":[{"text":"[redacted by q]","type":"text"},{"text":"b gone","type":"text"}]}`; v == nil || v.Outcome != abi.Allow || shown != want {
		t.Errorf("%s; want %s", shown, want)
	}
}

func TestADenyOfAResultKeepsItBack(t *testing.T) {
	for _, c := range []struct{ says, want string }{
		{`{"outcome":"deny","code":"BAD"}`, "deny BAD"}, {"fails trap", "deny PLUGIN_TRAP"}, {`{"outcome":"ask","code":"ASKED"}`, "deny PLUGIN_PROTOCOL"}, {abstains, "allow "},
	} {
		v, _ := returned(t, fakes{"p": in("result", c.says)}, binding("p"), readTool, `{"content":[]}`)
		if v == nil || v.Outcome.String()+" "+v.Code != c.want {
			t.Errorf("%s: %v; want %s", c.says, v, c.want)
		}
	}
}

func TestWhatRulesDenyOfAResultNoPluginIsAskedAbout(t *testing.T) {
	f := fakes{"p": in("result", `{"outcome":"deny","code":"BAD"}`)}
	text := binding("p") + "tools: {s/read: {results: [{arg: /structuredContent/n, max: 3}]}}\n"
	v, _ := returned(t, f, text, readTool, `{"content":[],"structuredContent":{"n":7}}`)
	if v == nil || v.Contract != "results" || len(v.Skipped) != 1 || v.Skipped[0] != "p" {
		t.Errorf("got %v", v)
	}
	v, _ = returned(t, f, text, readTool, `{"content":[],"structuredContent":{"n":2}}`)
	if v == nil || v.Contract != "p" {
		t.Errorf("got %v", v)
	}
}

func TestAResultOfACallThatNobodyKnowsIsKeptBack(t *testing.T) {
	f := fakes{"p": in("result", abstains)}
	r := startPlugins(t, f, strings.Replace(binding("p"), `tools: ["*"]`, `tools: ["s/*"]`, 1))
	v := verdict(t, r.step(abi.Event{Result: &abi.ResultEvent{Server: "s", Value: value(t, `{"content":[]}`), Bytes: 9}}))
	if v.Outcome != abi.Deny || v.Code != "RESULTS_UNKNOWN" {
		t.Errorf("got %s", v.JSON())
	}
}

func TestLabelsAndBudgetsOfResultsHold(t *testing.T) {
	f := fakes{"p": in("result", `{"outcome":"abstain","labels":{"call":["dump"],"session":["seen"]},"budget":{"calls":1},"redact":["/result/content/0"]}`)}
	r := startPlugins(t, f, binding("p"))
	r.tools("s", tool("read"))
	call := verdict(t, r.call("s", "read", `{}`))
	var label *abi.LabelEvent
	for _, a := range r.returns(call, "s", `{"content":[{"type":"text","text":"x"}]}`) {
		if a.Label != nil {
			label = a.Label
		}
	}
	if label == nil || strings.Join(label.Data, " ") != "p:dump" || strings.Join(gate.LabelsOf(r.state), " ") != "p:seen" {
		t.Errorf("%v, session %q", label, gate.LabelsOf(r.state))
	}
	if first, second := r.outcome("s", "read", `{}`), r.outcome("s", "read", `{}`); first != "allow " || second != "deny BUDGET_SPENT" {
		t.Errorf("%s, then %s", first, second)
	}
	r.again(f)
}
