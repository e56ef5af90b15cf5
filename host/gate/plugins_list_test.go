package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

// hides has a plugin hide what has the word "bad" in its name or description.
func hides(v abi.Value) string {
	if v.Get("phase").Str() != "list" {
		return abstains
	}
	var names []string
	kind := v.At("/list/kind").Str()
	for _, item := range v.At("/list/items").Items() {
		if strings.Contains(item.String(), "bad") {
			name, _ := abi.ItemName(kind, item)
			names = append(names, abi.StringValue(name).String())
		}
	}
	return `{"outcome":"abstain","hide":[` + strings.Join(names, ",") + `]}`
}

// lists has a server answer a list of another kind than tools.
func (r *run) lists(server, method, result string) []abi.Event {
	r.t.Helper()
	return r.step(abi.Event{Frame: &abi.FrameEvent{Server: server, Method: method, Frame: value(r.t, result)}})
}

func described(name, text string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, text)
}

func TestAHiddenToolIsNotShownAndNotCalled(t *testing.T) {
	f := fakes{"p": hides}
	r := startPlugins(t, f, binding("p"))
	answers := r.tools("s", described("good", "fine"), described("evil", "bad"))
	v := verdict(t, answers)
	if v.Outcome != abi.Allow || v.Contract != "plugin" || v.List == nil || v.List.Kind != "tools" || v.List.Server != "s" || !slices.Equal(v.Obligations.Hide, []string{"evil"}) || part(v, "p") == nil {
		t.Errorf("the list: %s", v.JSON())
	}
	if !r.state.Hidden("s", "evil") || r.state.Hidden("s", "good") || r.state.Hidden("t", "evil") {
		t.Error("hidden is something else")
	}
	good, evil := r.outcome("s", "good", `{}`), verdict(t, r.call("s", "evil", `{}`))
	if good != "allow " || evil.Outcome != abi.Deny || evil.Code != "PLUGIN_HIDDEN" || !slices.Equal(evil.Skipped, []string{"p"}) || !strings.Contains(evil.Reason, "contract p") {
		t.Errorf("%s, %s", good, evil.JSON())
	}
	r.tools("s", described("good", "fine"))
	if got := verdict(t, r.call("s", "evil", `{}`)); part(got, "plugin") == nil || !r.state.Hidden("s", "evil") {
		t.Errorf("a list without it: %s", got.JSON())
	}
	r.tools("s", described("good", "fine"), described("evil", "fine"))
	if r.state.Hidden("s", "evil") {
		t.Error("a list that says it anew does not show it")
	}
	r.again(f)
}

// What is shown anew is still held against its pin.
func TestAPluginThatDeniesAListHidesAllOfIt(t *testing.T) {
	for _, says := range []string{`{"outcome":"deny","code":"BAD"}`, "fails trap", "fails load", `{"outcome":"ask","code":"ASKED"}`, `{"outcome":"abstain","redact":["/result/a"]}`, `{"outcome":"abstain","budget":{"calls":1}}`} {
		f := fakes{"p": in("list", says), "q": in("list", abstains)}
		r := startPlugins(t, f, binding("p", "q"))
		v := verdict(t, r.tools("s", tool("read"), tool("get")))
		if v.Outcome != abi.Allow || !v.List.All || !slices.Equal(v.Obligations.Hide, []string{"get", "read"}) || !r.state.Hidden("s", "read") || !r.state.Hidden("s", "get") {
			t.Errorf("%s: %s", says, v.JSON())
		}
		if got := r.outcome("s", "read", `{}`); got != "deny PLUGIN_HIDDEN" {
			t.Errorf("%s: %s", says, got)
		}
		r.again(f)
	}
	r := startPlugins(t, fakes{}, binding("p"))
	if r.tools("s", tool("read")); !r.state.Hidden("s", "read") {
		t.Error("a plugin that is not there hides nothing")
	}
}

func TestSeveralPluginsHideWhatAnyHides(t *testing.T) {
	f := fakes{"p": in("list", `{"outcome":"abstain","hide":["a","b"]}`), "q": in("list", `{"outcome":"abstain","hide":["b","c"],"labels":{"session":["odd"]}}`), "o": in("list", `{"outcome":"deny","code":"BAD"}`)}
	for _, names := range [][]string{{"p", "q", "o observe"}, {"o observe", "q", "p"}} {
		r := startPlugins(t, f, binding(names...))
		v := verdict(t, r.tools("s", tool("a"), tool("b"), tool("c"), tool("d")))
		if v.List.All || !slices.Equal(v.Obligations.Hide, []string{"a", "b", "c"}) || r.state.Hidden("s", "d") || !slices.Equal(gate.LabelsOf(r.state), []string{"q:odd"}) {
			t.Errorf("%s", v.JSON())
		}
		r.again(f)
	}
}

func TestEveryKindOfListIsJudged(t *testing.T) {
	resource := func(uri string) abi.Event {
		return abi.Event{Call: &abi.Call{Kind: abi.KindResource, Server: "s", URI: uri, Action: "read"}}
	}
	prompt := func(name string) abi.Event {
		return abi.Event{Call: &abi.Call{Kind: abi.KindPrompt, Server: "s", Name: name}}
	}
	completes := func(ref string) abi.Event {
		return abi.Event{Call: &abi.Call{Kind: abi.KindCompletion, Server: "s", Ref: value(t, ref), Argument: value(t, `{"name":"a","value":"b"}`)}}
	}
	several := func(uris ...string) abi.Event {
		return abi.Event{Call: &abi.Call{Kind: abi.KindResource, Server: "s", URIs: uris, Action: "subscribe"}}
	}
	tests := []struct {
		method, result string
		denied, passes []abi.Event
	}{
		{
			"resources/list", `{"resources":[{"uri":"docs://a/good","name":"x"},{"uri":"docs://a/b%20d","name":"bad"}]}`,
			[]abi.Event{resource("docs://a/b%20d"), resource("docs://a/b d"), resource("DOCS://a/b%20D"), resource("docs://a/%62%20d"), several("docs://a/good", "docs://a/b%20d"), completes(`{"type":"ref/resource","uri":"docs://a/b%20d"}`)},
			[]abi.Event{resource("docs://a/good"), several("docs://a/good"), completes(`{"type":"ref/resource","uri":"docs://a/good"}`)},
		},
		{
			"resources/templates/list", `{"resourceTemplates":[{"uriTemplate":"db://{table}/rows{?limit}","name":"bad"},{"uriTemplate":"docs://{name}","name":"x"}]}`,
			[]abi.Event{resource("db://users/rows"), resource("db://users/rows?limit=3"), resource("DB://users/rows"), completes(`{"type":"ref/resource","uri":"db://{table}/rows{?limit}"}`)},
			[]abi.Event{resource("docs://x"), resource("db:users/rows"), resource("db://users/columns"), completes(`{"type":"ref/resource","uri":"docs://{name}"}`)},
		},
		{
			"prompts/list", `{"prompts":[{"name":"good"},{"name":"evil","description":"bad"}]}`,
			[]abi.Event{prompt("evil"), completes(`{"type":"ref/prompt","name":"evil"}`)},
			[]abi.Event{prompt("good"), prompt("Evil"), completes(`{"type":"ref/prompt","name":"good"}`)},
		},
	}
	for _, c := range tests {
		f := fakes{"p": hides}
		r := startPlugins(t, f, binding("p"))
		for _, e := range c.denied {
			if v := verdict(t, r.step(e)); v.Outcome != abi.Allow {
				t.Errorf("before %s: %s", c.method, v.JSON())
			}
		}
		v := verdict(t, r.lists("s", c.method, c.result))
		if v.List == nil || v.List.Kind != abi.ListKinds[c.method] || len(v.Obligations.Hide) != 1 {
			t.Errorf("%s: %s", c.method, v.JSON())
		}
		for _, e := range c.denied {
			if v := verdict(t, r.step(e)); v.Outcome != abi.Deny || v.Code != "PLUGIN_HIDDEN" {
				t.Errorf("%s: %v: %s", c.method, e, v.JSON())
			}
		}
		for _, e := range c.passes {
			if v := verdict(t, r.step(e)); v.Outcome != abi.Allow {
				t.Errorf("%s: %v: %s", c.method, e, v.JSON())
			}
		}
		r.lists("s", c.method, strings.ReplaceAll(c.result, "bad", "fine"))
		for _, e := range c.denied {
			if v := verdict(t, r.step(e)); v.Outcome != abi.Allow {
				t.Errorf("%s, listed again: %s", c.method, v.JSON())
			}
		}
		r.again(f)
	}
	if len(tests) == 0 {
		t.Fatal("no lists")
	}
}

// A list is what a server answers: a frame of another method, or a request of the
// server, is none.
func TestWhatIsNoListIsNotJudgedAsOne(t *testing.T) {
	for _, e := range []abi.FrameEvent{{Method: "vendor/list"}, {Method: "prompts/list", Request: true}, {}} {
		r := startPlugins(t, fakes{"p": hides}, binding("p"))
		e.Server, e.Frame = "s", value(t, `{"prompts":[{"name":"bad"}]}`)
		for _, a := range r.step(abi.Event{Frame: &e}) {
			t.Errorf("%+v: %s", e, a)
		}
	}
}

func TestPluginsJudgeOnlyTheListsThatTheyAreBoundTo(t *testing.T) {
	text := open + "plugins: [{name: p, use: ./fake.wasm, on: {lists: [mail]}}]\n"
	r := startPlugins(t, fakes{"p": hides}, text)
	r.tools("s", described("evil", "bad"))
	r.tools("mail", described("evil", "bad"))
	if r.state.Hidden("s", "evil") || !r.state.Hidden("mail", "evil") {
		t.Error("hidden is something else")
	}
	if got := r.outcome("s", "evil", `{}`) + r.outcome("mail", "evil", `{}`); got != "allow deny PLUGIN_HIDDEN" {
		t.Error(got)
	}
}

// What was pinned before is judged before it is called, and before a list is seen.
func TestPinsOfAnEarlierSessionAreJudged(t *testing.T) {
	r := startPlugins(t, fakes{"p": hides}, binding("p"))
	pin := func(d string) abi.Value { return abi.Pin{Definition: value(t, d)}.Value() }
	r.step(abi.Event{Tools: &abi.ToolsEvent{Server: "s", Source: abi.ToolsStored, List: []abi.Value{pin(described("evil", "bad")), pin(described("good", "x"))}}})
	if got := r.outcome("s", "evil", `{}`) + ", " + r.outcome("s", "good", `{}`); got != "deny PLUGIN_HIDDEN, allow " {
		t.Error(got)
	}
}

func TestAPolicyThatComesLaterJudgesWhatIsListed(t *testing.T) {
	f := fakes{"p": hides}
	r := startPlugins(t, f, open)
	r.tools("s", described("evil", "bad"), described("good", "x"))
	if got := r.outcome("s", "evil", `{}`); got != "allow " {
		t.Error(got)
	}
	p := loadPlugins(t, binding("p"))
	r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	if got := r.outcome("s", "evil", `{}`) + ", " + r.outcome("s", "good", `{}`); got != "deny PLUGIN_HIDDEN, allow " || !r.state.Hidden("s", "evil") {
		t.Error(got)
	}
	r.again(f)
}

func TestWhatIsHiddenStaysSoWhenThePastIsFolded(t *testing.T) {
	f := fakes{"p": hides}
	for _, settings := range []string{"", "settings: {ledger: digests}\n", "redact: [{name: all, pattern: \"evil\", with: gone, in: [ledger]}]\n"} {
		text := binding("p")
		if strings.HasPrefix(settings, "settings") {
			text = strings.Replace(text, "settings: {", "settings: {ledger: digests, ", 1)
		} else {
			text += settings
		}
		r := startPlugins(t, f, text)
		r.tools("s", described("evil", "bad"), described("later", "bad"))
		r.tools("s", described("later", "fine"))
		r.lists("s", "resources/list", `{"resources":[{"uri":"docs://evil","name":"bad"}]}`)
		for _, e := range r.events {
			if settings != "" && e.Verdict != nil && strings.Contains(e.String(), "docs://evil") {
				t.Errorf("%s: %s", settings, e)
			}
		}
		after := startPlugins(t, f, text)
		for _, e := range r.events {
			gate.Fold(after.state, e)
		}
		after.step(abi.Event{Session: &abi.SessionEvent{ID: "s-2", Server: "s", File: "bbbbbb0123", Place: here}})
		if !after.state.Hidden("s", "evil") || after.state.Hidden("s", "later") {
			t.Errorf("%s: hidden is something else", settings)
		}
		read := abi.Event{Call: &abi.Call{Kind: abi.KindResource, Server: "s", URI: "docs://evil", Action: "read"}}
		if v := verdict(t, after.step(read)); v.Code != "PLUGIN_HIDDEN" {
			t.Errorf("%s: %s", settings, v.JSON())
		}
	}
}

func TestOtherProcessesOnlyHide(t *testing.T) {
	f := fakes{"p": hides}
	list := func(hide ...string) abi.Event {
		return abi.Event{Verdict: &abi.Verdict{
			ID: "fedcba-1", Outcome: abi.Allow, Contract: "plugin", List: &abi.ListOf{Server: "elsewhere", Kind: "tools"}, Obligations: abi.Obligations{Hide: hide},
			Also: []abi.Verdict{{Outcome: abi.Abstain, Contract: "p", Plugin: &abi.PluginReceipt{}, Obligations: abi.Obligations{Hide: hide}}},
		}}
	}
	r := startPlugins(t, f, binding("p"))
	r.tools("s", described("evil", "bad"), described("good", "fine"))
	same, other := r.peer("s"), r.peer("t")
	same.tail(list("good"))
	other.tail(list("evil"))
	same.tail(abi.Event{Tools: &abi.ToolsEvent{Server: "s", List: []abi.Value{value(t, described("evil", "fine")), value(t, described("good", "fine"))}}})
	same.tail(list())
	for server, want := range map[string]string{"s": "evil good", "t": "evil", "elsewhere": ""} {
		var got []string
		for _, name := range []string{"evil", "good"} {
			if r.state.Hidden(server, name) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q; want %q", server, got, want)
		}
	}
}

func TestAPolicyThatObservesHidesNothing(t *testing.T) {
	r := startPlugins(t, fakes{"p": hides}, strings.Replace(binding("p"), "settings: {", "settings: {mode: observe, ", 1))
	r.tools("s", described("evil", "bad"))
	v := verdict(t, r.call("s", "evil", `{}`))
	if r.state.Hidden("s", "evil") || v.Enforced() != abi.Allow || v.Code != "PLUGIN_HIDDEN" {
		t.Errorf("%s", v.JSON())
	}
}

func TestMoreThanCanBeKeptHidesAll(t *testing.T) {
	r := startPlugins(t, fakes{"p": in("list", `{"outcome":"deny","code":"BAD"}`)}, binding("p"))
	for page := range 20 {
		var list []abi.Value
		for i := range 1000 {
			list = append(list, value(t, fmt.Sprintf(`{"uri":"docs://%d/%d"}`, page, i)))
		}
		r.step(abi.Event{Frame: &abi.FrameEvent{Server: "s", Method: "resources/list", Frame: abi.ObjectValue(abi.Member{Name: "resources", Value: abi.ArrayValue(list...)})}})
	}
	for _, uri := range []string{"docs://0/1", "docs://19/999", "docs://never"} {
		if v := verdict(t, r.step(abi.Event{Call: &abi.Call{Kind: abi.KindResource, Server: "s", URI: uri, Action: "read"}})); v.Code != "PLUGIN_HIDDEN" {
			t.Errorf("%s: %s", uri, v.JSON())
		}
	}
}

func TestBudgetsOfPluginsGoDownOnlyAndOutliveAProcess(t *testing.T) {
	left := func(n string) fakes {
		return fakes{"p": func(v abi.Value) string {
			if v.Get("phase").Str() == "call" && v.At("/call/arguments/n").Exists() {
				return `{"outcome":"abstain","budget":{"calls":` + v.At("/call/arguments/n").Str() + `}}`
			}
			return abstains
		}}
	}
	f := left("")
	r := startPlugins(t, f, binding("p"))
	r.tools("s", tool("get", "n"), tool("put", "n"))
	for i, c := range []struct{ args, want string }{
		{`{"n":"2"}`, "allow "}, {`{"n":"9"}`, "allow "}, {`{}`, "allow "}, {`{}`, "deny BUDGET_SPENT"}, {`{"n":"9"}`, "deny BUDGET_SPENT"},
	} {
		if got := r.outcome("s", "get", c.args); got != c.want {
			t.Errorf("%d: %s; want %s", i, got, c.want)
		}
	}
	if got := r.outcome("s", "put", `{}`); got != "allow " {
		t.Errorf("another tool: %s", got)
	}
	r.again(f)
	after := &run{t: t, state: gate.New(gate.Options{Specs: builtin.Table(), Plugin: f.load(t)})}
	p := loadPlugins(t, binding("p"))
	after.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	for _, e := range r.events {
		e.Time = lawClock
		gate.Fold(after.state, e)
	}
	after.step(abi.Event{Time: lawClock, Session: &abi.SessionEvent{ID: "s-2", Server: "s", File: "bbbbbb0123", Place: here}})
	after.tools("s", tool("get", "n"), tool("put", "n"))
	if got := after.outcome("s", "get", `{}`) + ", " + after.outcome("s", "put", `{}`); got != "deny BUDGET_SPENT, allow " {
		t.Errorf("after a restart: %s", got)
	}
}

func TestBudgetsOfPluginsHoldAcrossTheGroup(t *testing.T) {
	for _, phase := range []string{"call", "result"} {
		r := startPlugins(t, fakes{"p": in("call", abstains)}, binding("p"))
		r.tools("s", tool("get"))
		one := int64(1)
		lowers := abi.Verdict{ID: "fedcba-0", Outcome: abi.Allow, Contract: "coverage", Also: []abi.Verdict{{
			Outcome: abi.Abstain, Contract: "p", Plugin: &abi.PluginReceipt{}, Obligations: abi.Obligations{Calls: &one},
		}}}
		p := r.peer("s")
		p.tail(abi.Event{Call: &abi.Call{ID: "fedcba-0", Server: "s", Tool: "get"}})
		if phase == "call" {
			p.tail(abi.Event{Verdict: &lowers})
		} else {
			p.tail(abi.Event{Verdict: &abi.Verdict{ID: "fedcba-0", Outcome: abi.Allow, Contract: "coverage"}})
			p.tail(abi.Event{Result: &abi.ResultEvent{Call: "fedcba-0", Server: "s", Value: value(t, `{"content":[]}`)}})
			p.tail(abi.Event{Verdict: &lowers})
		}
		if got := r.outcome("s", "get", `{}`) + ", " + r.outcome("s", "get", `{}`); got != "allow , deny BUDGET_SPENT" {
			t.Errorf("%s: %s", phase, got)
		}
	}
}
