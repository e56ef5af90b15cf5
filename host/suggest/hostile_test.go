package suggest

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/builtin"
)

// hostileNames are names and values that would mean something to YAML, to a
// pattern or to a terminal.
var hostileNames = []string{
	"plain", "a: b", "x\n  \"*\": {verdict: allow}", "#", "\"", "\\", "{}", "[]", "*", "?", "a[b-c]", "- x", "&a", "!!str", "%x", "'", "@", "`",
	"\x1b[2J", "\u202e", "\u200b", "\u00e9", "\U000e0041", "true", "null", "~", "1e5", "a/b", strings.Repeat("n", 300), "x\r\ny", "\u2028", "\xff",
}

// named is what others name in one call.
type named struct{ server, tool, argument, value string }

// TestWhatOthersWroteStaysText gives hostile names to everything that others
// name: servers, tools, arguments, values and outputs.
func TestWhatOthersWroteStaysText(t *testing.T) {
	var all []named
	for i, name := range hostileNames {
		oneScalar(t, name)
		value := hostileNames[(i+7)%len(hostileNames)]
		all = append(all, named{name, name, name, value}, named{"srv", "write_" + name, "path", value}, named{"srv", name, "to", name})
	}
	if len(all) < 90 {
		t.Fatalf("%d names", len(all))
	}
	s := hostile(t, all)
	if s.Tools < 20 {
		t.Errorf("%d tools granted; want those that a policy can name:\n%s", s.Tools, s.Policy)
	}
}

// hostile records calls with names that others chose, and checks what is
// suggested and drafted from them.
func hostile(t testing.TB, all []named) *Suggestion {
	t.Helper()
	member := func(name string, v abi.Value) abi.Member { return abi.Member{Name: name, Value: v} }
	r := record(t, "aaaaaa01", "srv", observing)
	lists := map[string][]abi.Value{}
	var order []string
	for _, n := range all {
		add(&order, n.server)
		lists[n.server] = append(lists[n.server], abi.ObjectValue(
			member("name", abi.StringValue(n.tool)),
			member("description", abi.StringValue(n.value)),
			member("inputSchema", abi.ObjectValue(
				member("type", abi.StringValue("object")),
				member("properties", abi.ObjectValue(
					member(n.argument, abi.ObjectValue(member("type", abi.StringValue("string")))),
					member("kind", abi.ObjectValue(member("enum", abi.ArrayValue(abi.StringValue(n.value), abi.StringValue("other"))))),
				)),
			)),
		))
	}
	servers := []Server{{Name: "quiet", Unlisted: all[0].value}}
	for _, server := range order {
		r.event(abi.Event{Tools: &abi.ToolsEvent{Server: server, List: lists[server]}})
		servers = append(servers, Server{Name: server, Tools: lists[server]})
	}
	for i, n := range all {
		for j, v := range []string{n.value, n.value + "/" + n.value, "calm"} {
			args := abi.ObjectValue(member(n.argument, abi.StringValue(v)), member("kind", abi.StringValue(n.value)))
			call := &abi.Call{ID: fmt.Sprintf("aaaaaa-%d", 1000+10*i+j), Kind: abi.KindTool, Server: n.server, Tool: n.tool, Arguments: args}
			r.event(abi.Event{Call: call})
			r.event(abi.Event{Result: &abi.ResultEvent{Call: call.ID, Server: n.server, Value: abi.ObjectValue(member(n.value, abi.StringValue(n.value)))}})
		}
	}
	s, err := FromLedgers([]Ledger{r.ledger()}, options())
	if err != nil {
		t.Fatalf("%q: %v", all[0], err)
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
	if other := p.Rules("another", abi.ObjectValue(member("name", abi.StringValue("tool")))); other.Grant.Set {
		t.Fatalf("a tool that nobody called is granted by %s:\n%s", other.Grant.Rule, s.Policy)
	}
	for _, draft := range []func([]Server, Options) ([]byte, error){Starter, Strict} {
		data, err := draft(servers, Options{Path: "/srv/p.yaml", Specs: builtin.Table()})
		if err != nil {
			t.Fatal(err)
		}
		visible(t, data)
	}
	return s
}

// visible fails for what a terminal could act on.
func visible(t testing.TB, data []byte) {
	t.Helper()
	if !utf8.Valid(data) {
		t.Fatalf("not UTF-8: %q", data)
	}
	for _, r := range string(data) {
		if r != '\n' && !approval.Visible(r) {
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
	text := "key: {" + Quote(s) + ": " + Quote(s) + "}  # " + short(s) + "\nlist: " + quotes([]string{s, s}) + "\nnext: x\n"
	visible(t, []byte(text))
	if err := yaml.Unmarshal([]byte(text), &back); err != nil {
		if len(Quote(s)) <= maxKey {
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
		hostile(t, []named{{server, tool, argument, value}})
	})
}
