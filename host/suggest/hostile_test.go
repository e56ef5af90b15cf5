package suggest

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
)

// hostileNames are names and values that would mean something to YAML, to a
// pattern or to a terminal.
var hostileNames = []string{
	"plain", "a: b", "x\n  \"*\": {verdict: allow}", "#", "\"", "\\", "{}", "[]", "*", "?", "a[b-c]", "- x", "&a", "!!str", "%x", "'", "@", "`",
	"\x1b[2J", "\u202e", "\u200b", "\u00e9", "\U000e0041", "true", "null", "~", "1e5", "a/b", strings.Repeat("n", 300), "x\r\ny", "\u2028", "\xff",
}

// TestWhatOthersWroteStaysText gives hostile names to everything that others
// name: servers, tools, arguments, values and outputs.
func TestWhatOthersWroteStaysText(t *testing.T) {
	ran := 0
	for i, name := range hostileNames {
		t.Run(fmt.Sprintf("%q", shorter(name)), func(t *testing.T) {
			ran++
			switch value := hostileNames[(i+7)%len(hostileNames)]; i % 3 {
			case 0:
				hostile(t, name, name, name, value)
			case 1:
				hostile(t, "srv", "write_"+name, "path", value)
			default:
				hostile(t, "srv", name, "to", name)
			}
			oneScalar(t, name)
		})
	}
	if ran != len(hostileNames) {
		t.Fatalf("%d of %d names tried", ran, len(hostileNames))
	}
}

func shorter(s string) string { return s[:min(len(s), 20)] }

// hostile records calls with names that others chose, and checks what is
// suggested and drafted from them.
func hostile(t testing.TB, server, tool, argument, value string) {
	t.Helper()
	member := func(name string, v abi.Value) abi.Member { return abi.Member{Name: name, Value: v} }
	definition := abi.ObjectValue(
		member("name", abi.StringValue(tool)),
		member("description", abi.StringValue(value)),
		member("inputSchema", abi.ObjectValue(
			member("type", abi.StringValue("object")),
			member("properties", abi.ObjectValue(
				member(argument, abi.ObjectValue(member("type", abi.StringValue("string")))),
				member("kind", abi.ObjectValue(member("enum", abi.ArrayValue(abi.StringValue(value), abi.StringValue("other"))))),
			)),
		)),
	)
	r := record(t, "aaaaaa01", "srv", observing)
	r.event(abi.Event{Tools: &abi.ToolsEvent{Server: server, List: []abi.Value{definition}}})
	for i, v := range []string{value, value + "/" + value, "calm"} {
		args := abi.ObjectValue(member(argument, abi.StringValue(v)), member("kind", abi.StringValue(value)))
		call := &abi.Call{ID: fmt.Sprintf("aaaaaa-%d", 100+i), Kind: abi.KindTool, Server: server, Tool: tool, Arguments: args}
		r.event(abi.Event{Call: call})
		r.event(abi.Event{Result: &abi.ResultEvent{Call: call.ID, Server: server, Value: abi.ObjectValue(member(value, abi.StringValue(value)))}})
	}
	s, err := FromLedgers([]Ledger{r.ledger()}, options())
	if err != nil {
		t.Fatalf("server %q, tool %q, argument %q, value %q: %v", server, tool, argument, value, err)
	}
	visible(t, s.Policy)
	visible(t, s.Cases)
	p, err := load(options(), s.Policy)
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Settings(); s.Default != abi.Deny {
		t.Fatalf("default %s; want deny", s.Default)
	}
	other := p.Rules("another", abi.ObjectValue(member("name", abi.StringValue("tool"))))
	if other.Grant.Set {
		t.Fatalf("a tool that nobody called is granted by %s:\n%s", other.Grant.Rule, s.Policy)
	}
	for _, draft := range []func([]Server, Options) ([]byte, error){Starter, Strict} {
		data, err := draft([]Server{{Name: server, Tools: []abi.Value{definition}}, {Name: "quiet", Unlisted: value}}, Options{Path: "/srv/p.yaml", Specs: builtin.Table()})
		if err != nil {
			t.Fatal(err)
		}
		visible(t, data)
	}
}

// visible fails for what a terminal could act on.
func visible(t testing.TB, data []byte) {
	t.Helper()
	if !utf8.Valid(data) {
		t.Fatalf("not UTF-8: %q", data)
	}
	for _, r := range string(data) {
		if r != '\n' && !seen(r) {
			t.Fatalf("U+%04X in\n%q", r, data)
		}
	}
}

// oneScalar checks that a text reads back as it was, and ends nothing around it.
func oneScalar(t testing.TB, s string) {
	t.Helper()
	var back struct {
		Key  map[string]string
		List []string
		Next string
	}
	text := "key: {" + quote(s) + ": " + quote(s) + "}  # " + short(s) + "\nlist: " + quotes([]string{s, s}) + "\nnext: x\n"
	visible(t, []byte(text))
	if err := yaml.Unmarshal([]byte(text), &back); err != nil {
		if len(quote(s)) <= maxKey {
			t.Fatalf("%v in\n%s", err, text)
		}
		return
	}
	want := strings.ToValidUTF8(s, "\ufffd")
	if !utf8.ValidString(s) {
		return // what is no text is shown, and never compared
	}
	if back.Next != "x" || len(back.Key) != 1 || back.Key[want] != want || len(back.List) != 2 || back.List[0] != want || back.List[1] != want {
		t.Fatalf("%q reads back as %q in\n%s", s, back, text)
	}
}

// FuzzQuotedTextIsOneScalar quotes any text.
func FuzzQuotedTextIsOneScalar(f *testing.F) {
	for _, name := range hostileNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, s string) { oneScalar(t, s) })
}

// FuzzNamesOfOthers drafts policies from names and values that others chose.
func FuzzNamesOfOthers(f *testing.F) {
	for i := 0; i < len(hostileNames); i += 8 {
		f.Add("srv", hostileNames[i], "to", hostileNames[i+3])
		f.Add(hostileNames[i+1], "send", hostileNames[i], hostileNames[i+2])
	}
	f.Fuzz(func(t *testing.T, server, tool, argument, value string) {
		for _, s := range []string{server, tool, argument, value} {
			if len(s) > 1000 || !utf8.ValidString(s) {
				return
			}
		}
		if argument == "kind" || server == "" {
			return
		}
		hostile(t, server, tool, argument, value)
	})
}
