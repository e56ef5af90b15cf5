package suggest

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// toolNamed is the definition of a tool that sends.
func toolNamed(name string) abi.Value {
	member := func(name string, v abi.Value) abi.Member { return abi.Member{Name: name, Value: v} }
	to := abi.ObjectValue(member("to", abi.ObjectValue(member("type", abi.StringValue("string")))))
	return abi.ObjectValue(member("name", abi.StringValue(name)), member("inputSchema", abi.ObjectValue(member("properties", to))))
}

func TestAServerWithThousandsOfToolsCrowdsOutNoOther(t *testing.T) {
	var many []abi.Value
	for i := range 10_000 {
		many = append(many, toolNamed(fmt.Sprintf("send_%d", i)))
	}
	servers := []Server{{Name: "many", Tools: many}, {Name: "mail", Tools: []abi.Value{toolNamed("send_mail")}}, {Name: "more", Tools: many}}
	for name, draft := range map[string]func([]Server, Options) ([]byte, error){"starter": Starter, "strict": Strict} {
		data, err := draft(servers, options())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Contains(data, []byte(`"mail/send_mail"`)) || !bytes.Contains(data, []byte(`"many/send_0"`)) || !bytes.Contains(data, []byte(`"more/send_0"`)) {
			t.Errorf("%s: a server is left out", name)
		}
		if n := bytes.Count(data, []byte("more, which are too many for a draft")); n != 2 {
			t.Errorf("%s: %d lists are said to be cut; want 2", name, n)
		}
		if data, err = draft(servers[1:2], options()); err != nil || bytes.Contains(data, []byte("too many")) {
			t.Errorf("%s: one tool is too many (%v)", name, err)
		}
	}
}

func TestAToolThatNoKeyNamesIsSaidToBeCallableWhereItIs(t *testing.T) {
	ran := 0
	for _, tt := range []struct{ tool, want string }{
		{"send", `"s/send":`},
		{"send{0}", `"send{0}": no policy can name this tool by itself; the default decides about it`},
		{strings.Repeat("x", 300), "no policy can name this tool by itself; the default decides about it"},
		{"my tool", `"my tool": no policy can name this tool, and it can not be called`},
		{"é", `"é": no policy can name this tool, and it can not be called`},
	} {
		ran++
		data, err := Starter([]Server{{Name: "s", Tools: []abi.Value{toolNamed(tt.tool)}}}, options())
		if err != nil || !strings.Contains(string(data), tt.want) {
			t.Errorf("%q: %v\n%s\nwant %s", tt.tool, err, data, tt.want)
		}
	}
	if ran != 5 {
		t.Fatalf("%d cases ran", ran)
	}
}

// TestNoServerIsTrustedForWhatItLists has a server list exactly the tools of
// another one, whose pack has what it lists vouch for destinations.
func TestNoServerIsTrustedForWhatItLists(t *testing.T) {
	data, err := os.ReadFile("../../testdata/mcp-tools/slack.json")
	if err != nil {
		t.Fatal(err)
	}
	servers := []Server{{Name: "chat", Tools: parsed(t, string(data)).Get("tools").Items()}}
	draft, err := Starter(servers, options())
	if err != nil {
		t.Fatal(err)
	}
	const comment = "    # pack: slack\n"
	ran := 0
	for _, tt := range []struct {
		text string
		want abi.Outcome
	}{
		{string(draft), abi.Ask},
		{strings.Replace(string(draft), comment, "    pack: slack\n", 1), abi.Allow}, // by hand
	} {
		ran++
		r := record(t, "aaaaaa01", "chat", tt.text)
		r.event(abi.Event{Tools: &abi.ToolsEvent{Server: "chat", List: servers[0].Tools}})
		r.call("chat/slack_list_channels", `{}`, `{"ok":true,"channels":[{"id":"C0EVIL9DROP","name":"x"}]}`)
		v := r.call("chat/slack_post_message", `{"channel_id":"C0EVIL9DROP","text":"b"}`, "sent")
		if !strings.Contains(string(draft), comment) || v == nil || v.Outcome.Known() != tt.want {
			t.Errorf("%+v; want %v of\n%s", v, tt.want, tt.text)
		}
	}
	if ran != 2 {
		t.Fatalf("%d drafts ran", ran)
	}
}
