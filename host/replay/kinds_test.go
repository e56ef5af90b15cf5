package replay

import (
	"strings"
	"testing"
)

func TestShortFormsOfEveryKindSayWhatLongFormsSay(t *testing.T) {
	p := load(t, "callgate: 1\npacks: none\nsettings: {default: allow}\nservers: {s: {prompts: {verdict: ask}, requests: {sampling: ask}}}\n")
	tests := []struct{ short, long string }{
		{`{"resource":{"server":"s","uri":"docs://x"}}`, `{"kind":"resource","server":"s","uri":"docs://x","action":"read"}`},
		{`{"resource":{"server":"s","uri":["docs://x","docs://y"],"action":"subscribe"}}`, `{"kind":"resource","server":"s","uris":["docs://x","docs://y"],"action":"subscribe"}`},
		{`{"prompt":{"server":"s","name":"p","arguments":{"a":"b"}}}`, `{"kind":"prompt","server":"s","name":"p","arguments":{"a":"b"}}`},
		{`{"complete":{"server":"s","ref":{"a":1},"argument":{"b":2},"context":{"c":3}}}`, `{"kind":"completion","server":"s","ref":{"a":1},"argument":{"b":2},"context":{"c":3}}`},
		{`{"request":{"server":"s","method":"sampling/createMessage","params":{"maxTokens":1}}}`, `{"kind":"sampling","server":"s","params":{"maxTokens":1}}`},
		{`{"request":{"server":"s","method":"elicitation/create","params":{"message":"?"}}}`, `{"kind":"elicitation","server":"s","params":{"message":"?"}}`},
		{`{"request":{"server":"s","method":"roots/list"}}`, `{"kind":"roots","server":"s"}`},
		{`{"method":{"server":"s","name":"vendor/x","params":{"a":1}}}`, `{"kind":"method","server":"s","method":"vendor/x","params":{"a":1}}`},
	}
	for _, c := range tests {
		short, err := feed(t, Options{Policy: p}, c.short)
		if err != nil {
			t.Errorf("%s: %v", c.short, err)
			continue
		}
		long, err := feed(t, Options{Policy: p}, `{"v":1,"seq":0,"call":`+c.long+`}`)
		if err != nil || short[0] != long[0] || !strings.Contains(short[0], `"verdict"`) {
			t.Errorf("%s: %s\nand in long: %s, %v", c.short, short, long, err)
		}
	}
	if len(tests) == 0 {
		t.Fatal("no forms")
	}
}

func TestShortFormsOfEveryKindAreStrict(t *testing.T) {
	tests := []struct{ bad, want, good string }{
		{`{"resource":{"server":"s"}}`, "want a server and a uri", `{"resource":{"server":"s","uri":"x"}}`},
		{`{"resource":{"uri":"x"}}`, "resource: want a server", `{"resource":{"server":"s","uri":["x"]}}`},
		{`{"resource":{"server":"s","uri":[1]}}`, "want text, or a list of it", `{"resource":{"server":"s","uri":["1"]}}`},
		{`{"resource":{"server":"s","uri":"x","action":"write"}}`, "want read or subscribe", `{"resource":{"server":"s","uri":"x","action":"read"}}`},
		{`{"prompt":{"server":"s"}}`, "want a server and a name", `{"prompt":{"server":"s","name":"p"}}`},
		{`{"prompt":{"server":"s","name":"p","arguments":[]}}`, "arguments that are an object", `{"prompt":{"server":"s","name":"p","arguments":{}}}`},
		{`{"complete":{"server":"s","ref":{}}}`, "ref and argument as objects", `{"complete":{"server":"s","ref":{},"argument":{}}}`},
		{`{"request":{"server":"s","method":"ping"}}`, "want one of sampling/createMessage, elicitation/create, roots/list", `{"request":{"server":"s","method":"roots/list"}}`},
		{`{"method":{"server":"s"}}`, "the name of the method", `{"method":{"server":"s","name":"x"}}`},
		{`{"method":{"server":"s","name":"x","tool":"y"}}`, `unknown member "tool"`, `{"method":{"server":"s","name":"x"}}`},
	}
	for _, c := range tests {
		if _, err := feed(t, Options{}, c.bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.bad, err, c.want)
		}
		if _, err := feed(t, Options{}, c.good); err != nil {
			t.Errorf("%s: %v", c.good, err)
		}
	}
	if len(tests) == 0 {
		t.Fatal("no forms")
	}
}

func TestARequestOfAServerHasNoResult(t *testing.T) {
	if _, err := feed(t, Options{}, `{"request":{"server":"s","method":"roots/list"}}`, `{"result":"x"}`); err == nil || !strings.Contains(err.Error(), "whose answer is no output") {
		t.Errorf("got %v", err)
	}
	if _, err := feed(t, Options{}, `{"resource":{"server":"s","uri":"x"}}`, `{"result":{"contents":[]}}`, `{"result":{"contents":[]}}`); err != nil {
		t.Error(err)
	}
}

func TestServersAskInRawFrames(t *testing.T) {
	p := load(t, "callgate: 1\npacks: none\nsettings: {default: allow}\nservers: {s: {requests: {sampling: deny}}}\n")
	out, err := feed(t, Options{Policy: p},
		`{"raw":{"server":"s","from":"server","frame":{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"maxTokens":1}}}}`,
		`{"raw":{"server":"s","from":"server","frame":{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"?"}}}}`,
		`{"raw":{"server":"s","from":"client","frame":{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"docs://x"}}}}`,
	)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`"outcome":"deny"`, `"outcome":"allow"`, `"outcome":"allow"`} {
		if !strings.Contains(out[i], want) {
			t.Errorf("frame %d: %s; want %s", i, out[i], want)
		}
	}
}

func TestWhatAServerAsksForInsideAFrameIsJudgedAsTheRelayDoes(t *testing.T) {
	p := load(t, "callgate: 1\npacks: none\nsettings: {default: allow}\nservers: {s: {requests: {sampling: deny}}}\n")
	sampling, roots := `{"method":"sampling/createMessage","params":{"maxTokens":1}}`, `{"method":"roots/list"}`
	tests := []struct{ frame, requests, want string }{
		{`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{%}}}`, `"a":` + sampling, "deny"},
		{`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{%}}}`, `"a":` + roots, "allow"},
		{`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{%}}}`, `"a":` + roots + `,"b":` + sampling + `,"c":` + roots, "allow deny"},
		{`[{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{%}}}]`, `"a":` + sampling, "deny"},
		{`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","inputRequests":{%}}}`, `"a":` + sampling, "deny"},
	}
	for _, c := range tests {
		out, err := feed(t, Options{Policy: p}, `{"raw":{"server":"s","from":"server","frame":`+strings.Replace(c.frame, "%", c.requests, 1)+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, part := range strings.Split(strings.Join(out, ""), `"outcome":"`)[1:] {
			outcome, _, _ := strings.Cut(part, `"`)
			got = append(got, outcome)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s with %s: %s; want %s", c.frame, c.requests, out, c.want)
		}
	}
	if len(tests) == 0 {
		t.Fatal("no frames")
	}
}
