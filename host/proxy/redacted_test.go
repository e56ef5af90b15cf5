package proxy_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

const redacting = "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow%}\n" +
	"servers:\n  fake: {methods: {\"vendor/*\": allow}, requests: {sampling: allow, elicitation: allow, roots: allow}}\n" +
	"redact:\n  - {name: token, pattern: \"tok-[0-9]{6}\", with: \"[r]\", in: [PLACES]}\n"

func redactingPolicy(places, settings string) string {
	return strings.NewReplacer("PLACES", places, "%", settings).Replace(redacting)
}

const sayIn = `{"jsonrpc":"2.0","id":1,"method":"METHOD","params":{"name":"say","uri":"x://y","ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"},"arguments":{"line":LINE}}}`

// said has the server say a line in answer to a request of a method, and returns
// what the client gets.
func said(l *link, method, line string) string {
	l.send(strings.NewReplacer("METHOD", method, "LINE", string(abi.StringValue(line).Append(nil))).Replace(sayIn) + "\n")
	l.send(`{"jsonrpc":"2.0","id":"after","method":"ping"}` + "\n")
	l.await(`"after"`)
	l.end()
	return l.got()
}

// kept is all that a directory holds.
func kept(t *testing.T, dir string) []byte {
	t.Helper()
	var all []byte
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, data...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A server can say a secret in many places. What the client gets is what the
// server said, byte for byte, but for the secret; and no file has the secret.
func TestWhatAServerSaysIsRedactedWhereverItSaysIt(t *testing.T) {
	cases := []struct{ name, method, line, want string }{
		{"a text", "tools/call", `{"jsonrpc":"2.0", "id":ID,"result":{"content":[{"type":"text","text":"a\u0009tok-123456 \u00e9"}], "x":1.0}}`, `{"jsonrpc":"2.0", "id":1,"result":{"content":[{"type":"text","text":"a\u0009[r] \u00e9"}], "x":1.0}}`},
		{"escapes in it", "tools/call", `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"\u0074ok\u002d12345\u0036 \ud83d\ude00"}]}}`, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"[r] \ud83d\ude00"}]}}`},
		{"structured content and _meta", "tools/call", `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"n":9007199254740993,"a":["tok-123456"]},"_meta":{"t":"x tok-654321"}}}`, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"n":9007199254740993,"a":["[r]"]},"_meta":{"t":"x [r]"}}}`},
		{"an error", "tools/call", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"tok-123456","data":{"d":"tok-123456"}}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"[r]","data":{"d":"[r]"}}}`},
		{"a resource", "resources/read", `{"jsonrpc":"2.0","id":ID,"result":{"contents":[{"uri":"x://y","text":"tok-123456"}]}}`, `"text":"[r]"`},
		{"a prompt", "prompts/get", `{"jsonrpc":"2.0","id":ID,"result":{"messages":[{"role":"user","content":{"type":"text","text":"tok-123456"}}]}}`, `"text":"[r]"`},
		{"the answer to a method that nobody knows", "vendor/x", `{"jsonrpc":"2.0","id":ID,"result":{"a":"tok-123456"}}`, `"a":"[r]"`},
		{"the answer to a list of resources", "resources/list", `{"jsonrpc":"2.0","id":ID,"result":{"resources":[{"uri":"x://tok-123456","name":"n"}]}}`, `"uri":"x://[r]"`},
		{"a log message", "tools/call", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"a":"tok-123456"}}}`, `"data":{"a":"[r]"}`},
		{"progress", "tools/call", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"message":"tok-123456"}}`, `"message":"[r]"`},
		{"a question to the user", "tools/call", `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"is it tok-123456?","requestedSchema":{"type":"object","properties":{}}}}`, `"message":"is it [r]?"`},
		{"a question to the model", "tools/call", `{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"tok-123456"}}],"maxTokens":9}}`, `"text":"[r]"`},
		{"a request that nobody knows", "tools/call", `{"jsonrpc":"2.0","id":"q","method":"vendor/ask","params":{"a":"tok-123456"}}`, `"params":{"a":"[r]"}`},
		{"an array of frames", "tools/call", `[{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"tok-123456"}]}}]`, `"text":"[r]"`},
		{"a picture stays", "tools/call", `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"image","mimeType":"image/png","data":"tok-1234"}]}}`, `"data":"tok-1234"`},
		{"the name of a member", "tools/call", `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"tok-123456":1}}}`, `REDACT_FAILED`},
		{"the name of a member of an error", "tools/call", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"m","data":{"tok-123456":1}}}`, `REDACT_FAILED`},
		{"the name of a member of the answer to a list", "resources/list", `{"jsonrpc":"2.0","id":ID,"result":{"resources":[],"tok-123456":1}}`, `REDACT_FAILED`},
		{"the name of a member of a notification", "tools/call", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"tok-123456":1}}}`, `"after"`},
		{"nothing", "tools/call", `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"tok-12345"}]}}`, `"text":"tok-12345"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			l := connect(t, setup{policy: redactingPolicy("results, ledger", ""), dir: dir})
			l.greet("2025-03-26")
			got := said(l, c.method, c.line)
			if !strings.Contains(got, c.want) || strings.Contains(got, "tok-123456") || strings.Contains(got, "tok-654321") {
				t.Errorf("got %s; want %s", got, c.want)
			}
			if on := kept(t, dir); len(on) == 0 || bytes.Contains(on, []byte("tok-123456")) {
				t.Errorf("%d bytes are kept, or the secret is among them", len(on))
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// TestArgumentsAreRedactedBeforeTheServerSeesThem keeps every other byte.
func TestArgumentsAreRedactedBeforeTheServerSeesThem(t *testing.T) {
	l := connect(t, setup{policy: redactingPolicy("arguments", "")})
	l.greet("2025-06-18")
	l.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good","arguments":{"a" : "x \u0074ok-123456 \u00e9","n":9007199254740993},"_meta":{"progressToken":9007199254740993}}}` + "\n")
	l.await(`"id":1,`)
	l.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"good","arguments":{"tok-123456":1}}}` + "\n")
	l.await("REDACT_FAILED")
	l.end()
	data, err := os.ReadFile(l.log)
	if err != nil {
		t.Fatal(err)
	}
	want := `"arguments":{"a" : "x [r] \u00e9","n":9007199254740993},"_meta":{"progressToken":9007199254740993}}}`
	if !strings.Contains(string(data), want) || strings.Contains(string(data), "123456") || len(l.ran()) != 1 {
		t.Errorf("the server got %s; want %s", data, want)
	}
	if strings.Contains(l.got(), "tok-123456") {
		t.Errorf("the client is told what it sent: %s", l.got())
	}
}

// TestObservingEditsNothing: mode observe records, and the client gets all of it.
func TestObservingEditsNothing(t *testing.T) {
	l := connect(t, setup{policy: redactingPolicy("arguments, results", ", mode: observe")})
	l.greet("2025-03-26")
	line := `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"tok-123456"}]}}`
	if got := said(l, "tools/call", line); !strings.Contains(got, `"text":"tok-123456"`) {
		t.Errorf("got %s", got)
	}
}
