package proxy_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/wire"
)

// What a client takes for a description, the gate has to have seen as one: some
// clients fold the case of names, and compare ids as numbers.
func TestADescriptionIsWhatEveryClientTakesForOne(t *testing.T) {
	const tools, server = "tools", "server"
	cases := []struct{ name, method, id, result, want string }{
		{"a list", "tools/list", "5", `{"tools":[{"name":"a","description":"d","Icons":[],"_meta":{"Name":1},"inputSchema":{"Description":1,"properties":{"Name":{}}}}],"Ttl":1}`, tools},
		{"Description beside description", "tools/list", "5", `{"tools":[{"name":"b"},{"name":"a","description":"d","Description":"always send"}]}`, "/result/tools/1/Description"},
		{"a description with a long s", "tools/list", "5", `{"tools":[{"name":"a","de\u017fcription":"always send"}]}`, "/result/tools/0/de\u017fcription"},
		{"NAME alone", "tools/list", "5", `{"tools":[{"NAME":"a"}]}`, "/result/tools/0/NAME"},
		{"Tools beside tools", "tools/list", "5", `{"tools":[],"Tools":[{"name":"a"}]}`, "/result/Tools"},
		{"nextcursor", "tools/list", "5", `{"tools":[],"nextcursor":"x"}`, "/result/nextcursor"},
		{"the number as a string", "tools/list", `"5"`, `{"tools":[]}`, proxy.CodeUnsureAnswer},
		{"the number as a string with a space", "tools/list", `" 5"`, `{"tools":[]}`, proxy.CodeUnsureAnswer},
		{"a server", "initialize", "5", `{"protocolVersion":"2025-11-25","serverInfo":{"name":"n","version":"1","websiteUrl":"x"},"instructions":"i"}`, server},
		{"Instructions", "initialize", "5", `{"protocolVersion":"2025-11-25","serverInfo":{"name":"n"},"Instructions":"always send"}`, "/result/Instructions"},
		{"Name of the server", "initialize", "5", `{"serverInfo":{"name":"n","Name":"m"}}`, "/result/serverInfo/Name"},
		{"a server under the number as a string", "initialize", `"5"`, `{"serverInfo":{"name":"n"},"instructions":"always send"}`, proxy.CodeUnsureAnswer},
		{"a server in the other era", "server/discover", "5", `{"supportedVersions":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"}}}`, server},
		{"Name of a server in the other era", "server/discover", "5", `{"supportedVersions":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","Name":"m"}}}`, "/result/_meta/io.modelcontextprotocol~1serverInfo/Name"},
		{"another answer", "resources/list", "5", `{"resources":[],"Tools":[],"Instructions":1}`, ""},
		{"another answer under the number as a string", "resources/list", `"5"`, `{"resources":[]}`, ""},
	}
	refused := 0
	for _, c := range cases {
		talk := proxy.NewConversation("s")
		fromClient(talk, `{"jsonrpc":"2.0","id":5,"method":%q}`, c.method)
		m := fromServer(talk, `{"jsonrpc":"2.0","id":%s,"result":%s}`, c.id, c.result)
		got := ""
		switch e := m.Event; {
		case e.Tools != nil:
			got = tools
		case e.Server != nil:
			got = server
		case e.Refused != nil:
			refused++
			if got = e.Refused.Pointer; got == "" {
				got = e.Refused.Code
			}
			if m.Frame.Kind != wire.Refused || len(m.Answers) != 1 || m.Answers[0].ID.Raw != "5" {
				t.Errorf("%s: %v, and %v is answered", c.name, m.Frame.Kind, m.Answers)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
	}
	if refused == 0 || refused == len(cases) {
		t.Fatalf("%d of %d are refused", refused, len(cases))
	}
}

// A client has stopped to wait for what it gave up, so that the list which comes
// for it all the same is none that it has seen.
func TestAListThatTheClientGaveUpIsNoList(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":%s,"method":"tools/list"}`
	const tools = `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a"}]}}`
	for _, gaveUp := range []string{"1", "2"} {
		talk := proxy.NewConversation("s")
		fromClient(talk, list, "1")
		fromClient(talk, list, "2")
		fromClient(talk, cancel, gaveUp)
		for _, id := range []string{"1", "2"} {
			m := fromServer(talk, tools, id)
			if (m.Event.Tools == nil) != (id == gaveUp) || id == gaveUp && !strings.Contains(m.Event.Refused.Code, "UNSURE") {
				t.Errorf("gave up %s: the answer to %s is %+v", gaveUp, id, m.Event)
			}
		}
	}
}

// What is kept of requests without an answer is bounded by their length, too.
func TestRequestsWithLongNamesAreRefusedBeforeTheyFillMemory(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	cases := []struct{ name, frame string }{
		{"ids", `{"jsonrpc":"2.0","id":"%d` + long + `","method":"ping"}`},
		{"methods", `{"jsonrpc":"2.0","id":%d,"method":"vendor/` + long + `"}`},
		{"cursors", `{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"cursor":"` + long + `"}}`},
		{"tokens", `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"_meta":{"progressToken":"` + long + `"}}}`},
		{"tasks", `{"jsonrpc":"2.0","id":%d,"method":"tasks/get","params":{"taskId":"` + long + `"}}`},
	}
	for _, c := range cases {
		talk := proxy.NewConversation("s")
		send := func(n int) bool {
			m := fromClient(talk, c.frame, n)
			talk.Sent(m)
			return m.Frame.Kind == wire.Request
		}
		n := 0
		for n < 80 && send(n) {
			n++
		}
		if n < 60 || n > 64 {
			t.Errorf("%s: %d MiB are taken", c.name, n)
		}
		if fromClient(talk, `{"jsonrpc":"2.0","id":"short","method":"ping"}`).Frame.Kind != wire.Request {
			t.Errorf("%s: a short one is refused", c.name)
		}
		fromServer(talk, `{"jsonrpc":"2.0","id":%s,"result":{}}`, strings.Split(strings.SplitN(strings.Replace(c.frame, "%d", "0", 1), `"id":`, 2)[1], ",")[0])
		if !send(100) || send(101) {
			t.Errorf("%s: an answer makes room for one more", c.name)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
