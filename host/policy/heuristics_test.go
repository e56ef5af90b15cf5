package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// guesses are tools and what the heuristics make of them: destinations,
// content, paths, budget.
var guesses = []struct{ tool, schema, want string }{
	// By name, whatever the separators and capitals.
	{"send_email", `to cc bcc subject body`, `to[bcc cc to] content[body subject]`},
	{"search_email_labels", `id limit cursor`, ``},
	{"create_ticket", `recipientEmail text`, `to[recipientEmail] content[text]`},
	{"create_ticket", `recipient-email text`, `to[recipient-email] content[text]`},
	{"create_ticket", `sender_email text`, ``},
	{"post_message", `channel_id text`, `to[channel_id] content[text]`},
	{"get_channel_history", `channel_id limit`, ``},
	{"invite", `user`, `to[user]`},
	{"get_user", `user`, ``},
	{"fetch", `url`, `to[url]`},
	{"read_url", `url`, `to[url]`},
	{"read_file", `path`, ``},
	{"query", `sql limit cursor id`, ``},
	{"submit", `callback_url data`, `to[callback_url]`},
	{"submit", `callback data`, `to[callback]`},
	{"call", `phoneNumber`, `to[phoneNumber]`},
	{"click", `target`, ``},
	{"notify", `target message`, `to[target] content[message]`},
	{"link", `from to relation`, ``},
	{"mail", `from to body`, `to[to] content[body]`},
	// Both ends of a move are paths, and a journey has no recipient.
	{"move_file", `source destination`, `paths[destination source]`},
	{"wire", `amount destination`, `to[destination]`},
	{"directions", `origin destination`, ``},
	// Writing with paths, deleting.
	{"write_file", `path content`, `paths[path]`},
	{"write_item", `areaPath content`, ``},
	{"read_file", `file_path`, ``},
	{"save", `outputPath`, `paths[outputPath]`},
	{"delete_email", `id`, `calls 2`},
	{"undelete_email", `id`, ``},
	{"purgeCache", `id`, `calls 2`},
	{"rm", `path`, `calls 2`},
	{"delete_file", `path`, `paths[path] calls 2`},
	{"deleted_items", `id`, ``},
	// By format, nested, in arrays, behind references; never booleans, numbers and enumerations.
	{"create", `{"properties":{"who":{"type":"string","format":"email"}},"required":["who"]}`, `to[who]`},
	{"create", `{"properties":{"who":{"type":"array","items":{"type":"string","format":"uri"}}},"required":["who"]}`, `to[who]`},
	{"create", `{"properties":{"who":{"type":"string","format":"date-time"}},"required":["who"]}`, ``},
	{"create", `{"properties":{"message":{"type":"object","properties":{"to":{"type":"string"},"text":{"type":"string"}},"required":["to"]}},"required":["message"]}`, `to[/message/to] content[/message/text message]`},
	{"create", `{"properties":{"mails":{"type":"array","items":{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}}},"required":["mails"]}`, `to[/mails/*/to]`},
	{"create", `{"$defs":{"m":{"properties":{"to":{"type":"string"}},"required":["to"]}},"properties":{"m":{"$ref":"#/$defs/m"}},"required":["m"]}`, `to[/m/to]`},
	{"create", `{"$defs":{"m":{"properties":{"m":{"$ref":"#/$defs/m"}}}},"properties":{"m":{"$ref":"#/$defs/m"}}}`, ``},
	{"create", `{"properties":{"to":{"type":"boolean"},"cc":{"type":"integer"},"url":{"enum":["a","b"]}}}`, ``},
	{"create", `{"properties":{"to":{"type":["string","null"]}},"required":["to"]}`, `to[to]`},
	{"create", `{"properties":{"to":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["to"]}`, `to[to]`},
	{"create", `{"properties":{"to":{}},"required":["to"]}`, `to[to]`},
	// Repositories that are written to, whose they are, and where a fork goes.
	{"create_issue", `owner repo title`, `to[owner repo] content[title]`},
	{"get_issue", `owner repo issue`, ``},
	{"add_note", `owner title`, ``},
	{"push_files", `project_id branch`, `to[project_id]`},
	{"get_merge_request", `project_id`, ``},
	{"delete_draft_note", `project_id note`, `calls 2`},
	{"create_merge_request", `project_id source_project_id target_project_id`, `to[project_id target_project_id]`},
	{"fork_repository", `owner repo organization`, `to[organization]`},
	{"install_chart", `repo chart`, `to[repo]`},
	// A link in formatted text is content, a picture is loaded by whoever looks.
	{"create", `{"properties":{"text":{"type":"object","properties":{"content":{"type":"string"},"link":{"type":"object"}}}}}`, ``},
	{"create_event", `{"properties":{"iconLink":{"type":"string"}},"required":["iconLink"]}`, `to[iconLink]`},
	{"copy", `sourceConnectionString`, `to[sourceConnectionString]`},
	// A destination that may be left out does not make the others destinations.
	{"create_issue", `{"properties":{"icon_url":{"type":"string"},"team":{"type":"string"}},"required":["team"]}`, `to[icon_url] rest[team]`},
	{"create_filter", `{"properties":{"criteria":{"type":"object","properties":{"to":{"type":"string","format":"email"}}},"forward":{"type":"string"}},"required":["criteria"]}`, `to[forward] rest[/criteria/to criteria]`},
}

func TestHeuristicsOverDeclareButNotEverything(t *testing.T) {
	for _, g := range guesses {
		d := defined(g.tool, strings.Fields(g.schema)...)
		if strings.HasPrefix(g.schema, "{") {
			s, err := abi.Parse([]byte(g.schema))
			if err != nil {
				t.Fatal(err)
			}
			d = named(g.tool).With("inputSchema", s)
		}
		var got []string
		for _, h := range heuristics(d) {
			if s := h.tool.Sink; s != nil {
				got = append(got, fmt.Sprint("to", set(s.Of.To)))
				if len(s.Of.Content) > 0 {
					got = append(got, fmt.Sprint("content", set(s.Of.Content)))
				}
			}
			if h.tool.Sink != nil && h.spare && !slices.Equal(h.rest, h.tool.Sink.Of.Content) {
				got = append(got, fmt.Sprint("rest", set(h.rest)))
			}
			if h.tool.Slots != nil {
				got = append(got, fmt.Sprint("paths", sortedKeys(h.tool.Slots)))
			}
			if h.tool.MaxCalls != nil {
				got = append(got, fmt.Sprint("calls ", *h.tool.MaxCalls))
			}
			if strings.Contains(h.why, g.tool) {
				t.Errorf("%s: the rule quotes the server: %s", g.tool, h.why)
			}
		}
		if s := strings.Join(got, " "); s != g.want && s != strings.Replace(g.want, "paths[path] calls 2", "calls 2 paths[path]", 1) {
			t.Errorf("%s %s: %s, want %s", g.tool, g.schema, s, g.want)
		}
	}
	if len(guesses) == 0 {
		t.Fatal("no cases")
	}
}

func TestEndlessSchemasAreSinks(t *testing.T) {
	var members []abi.Member
	for i := range 40 {
		members = append(members, abi.Member{Name: fmt.Sprint("a", i), Value: object("$ref", abi.StringValue("#"))})
	}
	d := named("t").With("inputSchema", object("properties", abi.ObjectValue(members...)))
	if h := heuristics(d); len(h) != 1 || h[0].tool.Sink == nil || h[0].tool.Sink.Of.To == nil || len(h[0].tool.Sink.Of.To) != 0 {
		t.Errorf("hits %+v", h)
	}
	d = named("t").With("inputSchema", object("properties", abi.ObjectValue(members[:1]...)))
	if h := heuristics(d); len(h) != 0 {
		t.Errorf("hits of a small one %+v", h)
	}
}

func TestASendingToolWhoseSchemaNamesNothingIsASink(t *testing.T) {
	cases := []struct {
		tool, schema string
		sink         bool
	}{
		{"send_email", `{"type":"object"}`, true},
		{"send_email", `{"type":"object","additionalProperties":true}`, true},
		{"send_email", `{}`, true},
		{"send_email", `{"type":"object","properties":{}}`, true},
		{"send_email", `{"type":"object","additionalProperties":false}`, false},
		{"send_email", `{"type":"object","properties":{"id":{"type":"string"}}}`, false},
		{"list_labels", `{"type":"object"}`, false},
	}
	for _, c := range cases {
		s, err := abi.Parse([]byte(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		hits := heuristics(named(c.tool).With("inputSchema", s))
		if got := len(hits) == 1 && slices.Contains(hits[0].tool.Sink.Of.To, "to") && hits[0].spare; got != c.sink {
			t.Errorf("%s %s: a sink is %v; want %v", c.tool, c.schema, got, c.sink)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestHeuristicsNeedASchema(t *testing.T) {
	if h := heuristics(named("send_email")); h != nil {
		t.Errorf("hits %v", h)
	}
	if h := heuristics(defined("send_email", "to")); len(h) == 0 {
		t.Error("no hits with a schema")
	}
}

func TestOnlyAGuessedDestinationMayBeLeftOut(t *testing.T) {
	text := object("type", abi.StringValue("string"))
	spared := named("create_issue").With("inputSchema", object("properties", object("title", text, "cc", text)))
	required := named("create_issue").With("inputSchema", object("properties", object("title", text, "cc", text),
		"required", abi.ArrayValue(abi.StringValue("cc"))))
	cases := []struct {
		name, tools string
		definition  abi.Value
		want        bool
	}{
		{"guessed", "", spared, true},
		{"guessed, and required by the schema", "", required, false},
		{"declared too", "tools: {s/create_issue: {sink: {to: [cc]}}}", spared, false},
		{"declared with content alone", "tools: {s/create_issue: {sink: {content: [title]}}}", spared, false},
		{"told how hard it bites", "tools: {s/create_issue: {sink: {on: {unproven: deny}}}}", spared, true},
		{"every argument", "tools: {s/create_issue: {sink: {to: []}}}", spared, false},
	}
	for _, c := range cases {
		r := mustLoad(t, head(c.tools)).Rules("s", c.definition)
		if r.Sink == nil || r.Sink.Spare != c.want {
			t.Errorf("%s: sink %+v, want spare %v", c.name, r.Sink, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestSinkNoneDropsTheGuess(t *testing.T) {
	d := defined("send", "to")
	if r := mustLoad(t, head("tools: {s/send: {sink: none}}")).Rules("s", d); r.Sink != nil {
		t.Errorf("sink %+v", r.Sink)
	}
	if r := mustLoad(t, head("tools: {s/other: {sink: none}}")).Rules("s", d); r.Sink == nil {
		t.Error("no sink")
	}
}

// TestAGuessedRepositoryIsAboutWhatOutputsNamed: nobody is asked about each
// repository that somebody named in chat, unless an entry declares the sink.
func TestAGuessedRepositoryIsAboutWhatOutputsNamed(t *testing.T) {
	cases := []struct {
		name, tools string
		definition  abi.Value
		want        abi.Outcome
	}{
		{"guessed", "", defined("create_issue", "owner", "repo", "title"), abi.Allow},
		{"beside a recipient", "", defined("create_issue", "owner", "repo", "cc"), abi.Ask},
		{"declared", "tools: {s/create_issue: {sink: {to: [repo]}}}", defined("create_issue", "owner", "repo"), abi.Ask},
		{"content declared", "tools: {s/create_issue: {sink: {content: [title]}}}", defined("create_issue", "owner", "repo", "title"), abi.Ask},
		{"every argument", "tools: {s/create_issue: {sink: {to: []}}}", defined("create_issue", "owner", "repo"), abi.Ask},
		{"told to ask", "tools: {s/create_issue: {sink: {on: {unproven: ask}}}}", defined("create_issue", "owner", "repo"), abi.Ask},
		{"told to deny", "tools: {s/create_issue: {sink: {on: {unproven: deny}}}}", defined("create_issue", "owner", "repo"), abi.Deny},
	}
	for _, c := range cases {
		s := mustLoad(t, head(c.tools)).Rules("s", c.definition).Sink
		if s == nil || s.On[abi.Unproven] != c.want || s.On[abi.Prose] != abi.Deny || s.On[abi.Field] == abi.Allow {
			t.Errorf("%s: sink %+v, want %v", c.name, s, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
