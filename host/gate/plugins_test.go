package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

const abstains = `{"outcome":"abstain"}`

// one has a plugin judge one call, and returns the verdict.
func one(t *testing.T, f fakes, text string) abi.Verdict {
	t.Helper()
	r := startPlugins(t, f, text)
	r.tools("s", tool("send", "note"))
	v := verdict(t, r.call("s", "send", `{"note":"hello"}`))
	r.again(f)
	return v
}

func TestWhatAPluginAnswersIsHeldToTheABI(t *testing.T) {
	tests := []struct{ name, says, want string }{
		{"abstains", abstains, "allow "},
		{"denies", `{"outcome":"deny","code":"BAD"}`, "deny BAD"},
		{"asks", `{"outcome":"ask","code":"ASKED"}`, "ask ASKED"},
		{"denies with all that it may say", `{"outcome":"deny","code":"BAD","reason":"r","at":["/call/arguments/note"],"labels":{"call":["x"],"session":["y"]},"budget":{"calls":3},"tags":{"a":"b"}}`, "deny BAD"},
		{"allows", `{"outcome":"allow"}`, "deny PLUGIN_PROTOCOL"},
		{"an outcome that is none", `{"outcome":"maybe"}`, "deny PLUGIN_PROTOCOL"},
		{"nothing", ``, "deny PLUGIN_PROTOCOL"},
		{"no JSON", `deny`, "deny PLUGIN_PROTOCOL"},
		{"a name twice", `{"outcome":"abstain","outcome":"deny","code":"BAD"}`, "deny PLUGIN_PROTOCOL"},
		{"no outcome", `{"code":"BAD"}`, "deny PLUGIN_PROTOCOL"},
		{"no code", `{"outcome":"deny"}`, "deny PLUGIN_PROTOCOL"},
		{"a code that is not declared", `{"outcome":"deny","code":"OTHER"}`, "deny PLUGIN_PROTOCOL"},
		{"a member that nobody knows", `{"outcome":"abstain","allow":true}`, "deny PLUGIN_PROTOCOL"},
		{"more calls than before", `{"outcome":"abstain","budget":{"calls":-1}}`, "deny PLUGIN_PROTOCOL"},
		{"redacts a call", `{"outcome":"abstain","redact":["/result/content/0/text"]}`, "deny PLUGIN_PROTOCOL"},
		{"hides in a call", `{"outcome":"abstain","hide":["send"]}`, "deny PLUGIN_PROTOCOL"},
	}
	for _, class := range abi.FailureClasses {
		tests = append(tests, struct{ name, says, want string }{string(class), "fails " + string(class), "deny " + class.Code()})
	}
	for _, c := range tests {
		v := one(t, fakes{"p": in("call", c.says)}, binding("p"))
		if got := v.Outcome.String() + " " + v.Code; got != c.want {
			t.Errorf("%s: %s; want %s", c.name, got, c.want)
		}
		p := part(v, "p")
		if p == nil || p.Plugin == nil || p.Plugin.Input == "" {
			t.Errorf("%s: no receipt in %s", c.name, v.JSON())
		}
	}
	if len(tests) == 0 {
		t.Fatal("no cases")
	}
}

func TestAPluginThatIsNotThereDenies(t *testing.T) {
	v := one(t, fakes{}, strings.Replace(binding("p"), `, lists: ["*"]`, "", 1))
	if v.Outcome != abi.Deny || v.Code != "PLUGIN_LOAD" || !strings.Contains(v.Plugin.Detail, "gone") {
		t.Errorf("got %s", v.JSON())
	}
	r := &run{t: t, state: gate.New(gate.Options{Specs: builtin.Table()})}
	p := loadPlugins(t, strings.Replace(binding("p"), `, lists: ["*"]`, "", 1))
	r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	r.tools("s", tool("send", "note"))
	if got := r.outcome("s", "send", `{}`); got != "deny PLUGIN_LOAD" {
		t.Errorf("nobody loads plugins: %s", got)
	}
}

func TestAPluginThatPanicsDenies(t *testing.T) {
	v := one(t, fakes{"p": func(v abi.Value) string {
		if v.Get("phase").Str() == "list" {
			return abstains
		}
		panic("at once")
	}}, binding("p"))
	if v.Outcome != abi.Deny || v.Code != "PLUGIN_HOST" || strings.Contains(string(v.JSON()), "at once") {
		t.Errorf("got %s", v.JSON())
	}
}

// Whatever order plugins are named in, the same is decided.
func TestTheOrderOfPluginsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, names := lawFakes(rt)
		first := judgedBy(t, f, names)
		shuffled := rapid.Permutation(names).Draw(rt, "order")
		if second := judgedBy(t, f, shuffled); first != second {
			rt.Fatalf("%v\n%s\n%v\n%s", names, first, shuffled, second)
		}
	})
}

// A further plugin makes no verdict looser, and one that abstains changes nothing
// but that its receipt is kept.
func TestAFurtherPluginOnlyTightens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, names := lawFakes(rt)
		before := verdictsOf(t, f, names)
		f["zz"] = in("call", rapid.SampledFrom(lawSays).Draw(rt, "further"))
		after := verdictsOf(t, f, append(names, "zz"))
		for i := range before {
			if after[i].Outcome > before[i].Outcome {
				rt.Fatalf("%s became %s", before[i].JSON(), after[i].JSON())
			}
		}
		f["zz"] = in("call", abstains)
		for i, v := range verdictsOf(t, f, append(names, "zz")) {
			kept := v.Also[:0:0]
			for _, a := range v.Also {
				if a.Contract != "zz" {
					kept = append(kept, a)
				}
			}
			v.Also = kept
			skipped := v.Skipped[:0:0]
			for _, name := range v.Skipped {
				if name != "zz" {
					skipped = append(skipped, name)
				}
			}
			v.Skipped = skipped
			if string(v.JSON()) != string(before[i].JSON()) {
				rt.Fatalf("%s became %s", before[i].JSON(), v.JSON())
			}
		}
	})
}

var lawSays = []string{
	abstains, `{"outcome":"deny","code":"BAD"}`, `{"outcome":"deny","code":"WORSE"}`, `{"outcome":"ask","code":"ASKED"}`, "fails trap", "fails out_of_fuel", `{"outcome":"allow"}`,
	`{"outcome":"abstain","budget":{"calls":1}}`, `{"outcome":"abstain","budget":{"calls":0}}`, `{"outcome":"abstain","labels":{"session":["l"],"call":["m"]}}`,
}

func lawFakes(t *rapid.T) (fakes, []string) {
	f := fakes{}
	var names []string
	for i := range rapid.IntRange(0, 4).Draw(t, "plugins") {
		name := fmt.Sprintf("p%d", i)
		f[name] = in("call", rapid.SampledFrom(lawSays).Draw(t, name))
		names = append(names, name+rapid.SampledFrom([]string{"", "", " observe"}).Draw(t, name+" mode"))
	}
	return f, names
}

// verdictsOf judges three calls.
func verdictsOf(t testing.TB, f fakes, names []string) []abi.Verdict {
	text := open
	if len(names) > 0 {
		text = binding(names...)
	}
	r := startPlugins(t, f, text+"tools: {s/drop: {verdict: deny}}\n")
	r.tools("s", tool("send", "note"), tool("drop"))
	var out []abi.Verdict
	for _, name := range []string{"send", "send", "drop"} {
		v := verdict(t, r.call("s", name, `{}`))
		v.ID, v.Rule = "", "" // places of entries move
		for i := range v.Also {
			v.Also[i].Rule = ""
		}
		out = append(out, v)
	}
	return out
}

func judgedBy(t testing.TB, f fakes, names []string) string {
	var b strings.Builder
	for _, v := range verdictsOf(t, f, names) {
		b.Write(v.JSON())
		b.WriteByte('\n')
	}
	return b.String()
}

func TestAFailingPluginDeniesBesideAnyOther(t *testing.T) {
	for _, class := range abi.FailureClasses {
		f := fakes{"a": in("call", abstains), "b": in("call", "fails "+string(class)), "c": in("call", `{"outcome":"ask","code":"ASKED"}`)}
		if v := one(t, f, binding("a", "b", "c")); v.Outcome != abi.Deny || v.Code != class.Code() || part(v, "a") == nil || part(v, "c") == nil {
			t.Errorf("%s: %s", class, v.JSON())
		}
	}
}

func TestPluginsAreNotAskedOfWhatIsDeniedAlready(t *testing.T) {
	asked := 0
	f := fakes{"p": func(abi.Value) string { asked++; return abstains }}
	r := startPlugins(t, f, strings.Replace(binding("p"), "plugins:", "tools: {s/send: {verdict: deny}}\nplugins:", 1))
	r.tools("s", tool("send", "note"), tool("read"))
	asked = 0
	v := verdict(t, r.call("s", "send", `{}`))
	if v.Outcome != abi.Deny || v.Contract != "coverage" || len(v.Skipped) != 1 || v.Skipped[0] != "p" || asked != 0 {
		t.Errorf("asked %d times: %s", asked, v.JSON())
	}
	if v := verdict(t, r.call("s", "read", `{}`)); v.Outcome != abi.Allow || len(v.Skipped) != 0 || asked != 1 {
		t.Errorf("asked %d times: %s", asked, v.JSON())
	}
}

func TestAPluginThatObservesIsRecordedAndNotEnforced(t *testing.T) {
	f := fakes{"p": func(v abi.Value) string {
		switch v.Get("phase").Str() {
		case "list":
			return `{"outcome":"deny","code":"WORSE","labels":{"session":["l"]}}`
		case "result":
			return `{"outcome":"abstain","redact":["/result/content/0/text"],"budget":{"calls":0}}`
		}
		return `{"outcome":"deny","code":"BAD","labels":{"session":["y"]},"budget":{"calls":0}}`
	}}
	r := startPlugins(t, f, binding("p observe"))
	r.tools("s", tool("send", "note"))
	v := verdict(t, r.call("s", "send", `{}`))
	p := part(v, "p")
	if v.Outcome != abi.Allow || p == nil || !p.Observed || p.Outcome != abi.Deny || p.Code != "BAD" {
		t.Errorf("call: %s", v.JSON())
	}
	for _, a := range r.returns(v, "s", `{"content":[{"type":"text","text":"hello"}]}`) {
		if a.Edit != nil || a.Label != nil || a.Verdict != nil && a.Verdict.Enforced() != abi.Allow {
			t.Errorf("result: %s", a)
		}
	}
	if got := r.outcome("s", "send", `{}`); got != "allow " || r.state.Hidden("s", "send") || len(gate.LabelsOf(r.state)) > 0 {
		t.Errorf("then %s, labels %q", got, gate.LabelsOf(r.state))
	}
	r.again(f)
}

func TestACallThatAPluginAsksAboutIsForwardedOnceAPersonSaysYes(t *testing.T) {
	f := fakes{"p": in("call", `{"outcome":"ask","code":"ASKED","reason":"look <b>here</b>","labels":{"session":["seen"]},"budget":{"calls":1}}`)}
	r := startPlugins(t, f, binding("p"))
	r.tools("s", tool("send", "note"))
	first := verdict(t, r.call("s", "send", `{}`))
	if first.Outcome != abi.Ask {
		t.Fatalf("got %s", first.JSON())
	}
	v := verdict(t, r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: first.ID, Yes: true, By: "test"}}))
	if v.Outcome != abi.Allow || v.Code != "APPROVED" || part(v, "p") == nil {
		t.Errorf("approved: %s", v.JSON())
	}
	if got := gate.LabelsOf(r.state); len(got) != 1 || got[0] != "p:seen" {
		t.Errorf("labels %q", got)
	}
	second := verdict(t, r.call("s", "send", `{}`))
	no := verdict(t, r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: second.ID, By: "test"}}))
	if no.Outcome != abi.Deny || no.Code != "DECLINED" {
		t.Errorf("declined: %s", no.JSON())
	}
	r.again(f)
}

func TestLabelsOfPluginsEnterTheSession(t *testing.T) {
	f := fakes{"p": func(v abi.Value) string {
		if v.Get("phase").Str() == "call" && v.At("/call/tool").Str() == "read" {
			return `{"outcome":"abstain","labels":{"session":["secret"]}}`
		}
		return abstains
	}}
	text := binding("p") + "flows: [{name: f, label: \"p:secret\", to: [\"*/send\"]}]\n"
	r := startPlugins(t, f, text)
	r.tools("s", tool("send", "note"), tool("read"))
	before, read, after := r.outcome("s", "send", `{}`), r.outcome("s", "read", `{}`), r.outcome("s", "send", `{}`)
	if before != "allow " || read != "allow " || after != "deny FLOW_SESSION" {
		t.Errorf("%s, %s, %s", before, read, after)
	}
	r.again(f)
}

func TestAPluginSeesTheCallAsItWillBeSent(t *testing.T) {
	seen := ""
	f := fakes{"p": func(v abi.Value) string {
		if v.Get("phase").Str() == "call" {
			seen = v.At("/call/arguments/note").Str()
		}
		return abstains
	}}
	text := binding("p") + "redact: [{name: key, pattern: \"key-[0-9]+\", with: gone, in: [arguments]}]\n"
	r := startPlugins(t, f, text)
	r.tools("s", tool("send", "note"))
	if got := r.outcome("s", "send", `{"note":"my key-77"}`); got != "allow " || seen != "my gone" {
		t.Errorf("%s, and the plugin saw %q", got, seen)
	}
}

// What the clock stopped is replayed from the record, also beside another verdict;
// any other failure has to happen again.
func TestAStoppedPluginIsReplayedFromTheRecord(t *testing.T) {
	for _, class := range []abi.FailureClass{abi.FailWatchdog, abi.FailTrap} {
		failing := fakes{"p": in("call", "fails "+string(class)), "q": in("call", `{"outcome":"deny","code":"BAD"}`)}
		fast := fakes{"p": in("call", abstains), "q": failing["q"]}
		r := startPlugins(t, failing, binding("q", "p"))
		r.tools("s", tool("send", "note"))
		r.call("s", "send", `{}`)
		again := gate.New(gate.Options{Specs: builtin.Table(), Plugin: fast.load(t)})
		recorded, replayed := r.recalled(again)
		if same := recorded == replayed; same != (class == abi.FailWatchdog) {
			t.Errorf("%s: recorded\n%s\nreplayed\n%s", class, recorded, replayed)
		}
	}
}

// A call that waits for a person is not counted against what it leaves itself, and
// others are meanwhile.
func TestWhatAnAskedCallLeavesHoldsAtOnce(t *testing.T) {
	f := fakes{"p": func(v abi.Value) string {
		if v.Get("phase").Str() == "call" && v.At("/call/arguments/note").Exists() {
			return `{"outcome":"ask","code":"ASKED","budget":{"calls":0}}`
		}
		return abstains
	}}
	r := startPlugins(t, f, binding("p"))
	r.tools("s", tool("send", "note"))
	asked := verdict(t, r.call("s", "send", `{"note":"x"}`))
	if got := r.outcome("s", "send", `{}`); got != "deny BUDGET_SPENT" {
		t.Errorf("beside it: %s", got)
	}
	if v := verdict(t, r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: asked.ID, Yes: true, By: "test"}})); v.Code != "APPROVED" {
		t.Errorf("the call: %s", v.JSON())
	}
	if got := r.outcome("s", "send", `{}`); got != "deny BUDGET_SPENT" {
		t.Errorf("after it: %s", got)
	}
	r.again(f)
}
