package gate_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

const floodSecret = "The merger with Initech closes on 14 March; code word Halcyon-Delta-77."

const floodPolicy = open + "labels: [{name: secret, from: [fs/read], where: {path: \"/srv/secrets/**\"}}]\n" +
	"flows: [{name: no-value, label: secret, to: [web/put], scope: value}, {name: plugin, label: \"q:y\", to: [web/send], scope: value, verdict: ask}," +
	" {name: late, label: secret, to: [web/post]}]\nplugins: [{name: q, use: ./fake.wasm, " + everywhere + "}]\n"

// flood lists names that sort before all others, and behind them.
func flood(n int, front string) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%s%04d", front, i))
	}
	return names
}

// startFlood is a session in which a plugin gives the labels that the argument
// `label` names.
func startFlood(t testing.TB) (*run, fakes) {
	f := fakes{"q": in("call", abstains)}
	r := startPlugins(t, f, floodPolicy)
	r.tools("web", tool("put", "body"), tool("send", "body"), tool("post", "body"))
	r.tools("fs", tool("read", "path"), tool("write_file", "path", "content"))
	return r, f
}

// TestAFloodOfLabelsHidesNone: what a rule waits for is found however many other
// labels the same data has, given before or behind it, in this process or another.
func TestAFloodOfLabelsHidesNone(t *testing.T) {
	put, send := fmt.Sprintf(`{"body":%q}`, floodSecret), `{"body":"Halcyon-Delta-77"}`
	many, few := gate.MaxLabels+40, gate.MaxLabels-20
	for _, c := range []struct {
		name, path string
		labels     [][]string // of the data, in this order
		put, send  string
	}{
		{"none", "/srv/notes/a", nil, "allow ", "allow "},
		{"the label", "/srv/secrets/a", nil, "deny FLOW_VALUE", "allow "},
		{"the plugin's", "/srv/notes/a", [][]string{{"q:y"}}, "allow ", "ask FLOW_VALUE"},
		{"some others", "/srv/notes/a", [][]string{flood(few, "a")}, "allow ", "allow "},
		{"some others twice", "/srv/notes/a", [][]string{flood(few, "a"), flood(few, "a")}, "allow ", "allow "},
		{"others before it", "/srv/notes/a", [][]string{flood(many, "a"), {"secret"}}, "deny FLOW_VALUE", "ask FLOW_VALUE"},
		{"others behind it", "/srv/secrets/a", [][]string{flood(many, "a")}, "deny FLOW_VALUE", "ask FLOW_VALUE"},
		{"later names behind the plugin's", "/srv/notes/a", [][]string{{"q:y"}, flood(many, "z")}, "deny FLOW_VALUE", "ask FLOW_VALUE"},
		{"others one by one", "/srv/secrets/a", oneByOne(flood(many, "a")), "deny FLOW_VALUE", "ask FLOW_VALUE"},
		{"a mark of any", "/srv/notes/a", [][]string{{abi.AnyLabel}}, "deny FLOW_VALUE", "ask FLOW_VALUE"},
	} {
		for _, who := range []string{"this process", "another"} {
			r, f := startFlood(t)
			id, p := "", r.peer("fs")
			if who == "another" {
				id = p.call("read", fmt.Sprintf(`{"path":%q}`, c.path), "allow", "")
				if c.path == "/srv/secrets/a" {
					p.tail(abi.Event{Label: &abi.LabelEvent{Call: id, Data: []string{"secret"}}})
				}
				for _, l := range c.labels {
					p.tail(abi.Event{Label: &abi.LabelEvent{Call: id, Data: l}})
				}
				p.tail(abi.Event{Result: &abi.ResultEvent{Call: id, Server: "fs", Value: value(t, fmt.Sprintf(textResult, floodSecret))}})
			} else {
				id = r.read(c.path, "").ID
				for _, l := range c.labels {
					gate.Fold(r.state, abi.Event{Label: &abi.LabelEvent{Call: id, Data: l}})
				}
				r.result(id, fmt.Sprintf(textResult, floodSecret))
			}
			if got := r.outcome("web", "put", put); got != c.put {
				t.Errorf("%s, %s, put: %s; want %s", c.name, who, got, c.put)
			}
			if got := r.outcome("web", "send", send); got != c.send {
				t.Errorf("%s, %s, send: %s; want %s", c.name, who, got, c.send)
			}
			if who != "another" && len(c.labels) == 0 {
				r.again(f)
			}
		}
	}
}

func oneByOne(names []string) (list [][]string) {
	for _, n := range names {
		list = append(list, []string{n})
	}
	return list
}

// TestAFloodedSessionTakesEveryLabelAlong: a session that was given more labels than
// are kept gives a file that it writes every label, for the session that reads it.
func TestAFloodedSessionTakesEveryLabelAlong(t *testing.T) {
	for n, want := range map[int]string{10: "allow ", gate.MaxLabels + 1: "deny FLOW_SESSION"} {
		r, _ := startFlood(t)
		id := r.read("/srv/notes/a", "x").ID
		gate.Fold(r.state, abi.Event{Label: &abi.LabelEvent{Call: id, Session: flood(n, "a")}})
		if got := r.outcome("fs", "write_file", `{"path":"/srv/out/b","content":"nothing"}`); got != "allow " {
			t.Fatal(got)
		}
		r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-2", Server: "s", File: "abcdef0123", Place: here, New: true}})
		if got := r.outcome("web", "post", `{"body":"x"}`); got != "allow " {
			t.Errorf("%d labels, a new session: %s", n, got)
		}
		r.read("/srv/out/b", "nothing")
		if got := r.outcome("web", "post", `{"body":"x"}`); got != want {
			t.Errorf("%d labels, after the file was read: %s; want %s", n, got, want)
		}
	}
}

// TestPluginsSeeTheLabelsThatAFloodMayHide: a plugin that looks for a label which the
// policy knows finds it by its name.
func TestPluginsSeeTheLabelsThatAFloodMayHide(t *testing.T) {
	for n, want := range map[int]string{10: "allow ", gate.MaxLabels + 1: "deny BAD"} {
		seen := 0
		f := fakes{"q": func(v abi.Value) string {
			for _, l := range v.At("/session/labels").Items() {
				if l.Str() == "q:y" {
					seen++
					return `{"outcome":"deny","code":"BAD"}`
				}
			}
			return abstains
		}}
		r := startPlugins(t, f, floodPolicy)
		r.tools("other", tool("do", "body"))
		id := verdict(t, r.call("other", "do", `{"body":"x"}`)).ID
		gate.Fold(r.state, abi.Event{Label: &abi.LabelEvent{Call: id, Session: flood(n, "a")}})
		if got := r.outcome("other", "do", `{"body":"x"}`); got != want {
			t.Errorf("%d labels: %s; want %s", n, got, want)
		}
		if has := slices.Contains(r.state.Labels(), abi.AnyLabel); has != (seen > 0) {
			t.Errorf("%d labels: that there may be any is told: %v", n, has)
		}
	}
}

// TestLawFloodsOfLabelsOnlyTighten is [TestLawLabelsOnlyTighten] for more labels than
// are kept, whatever their names, of data, sessions and files. That they do tighten is
// in the tables above.
func TestLawFloodsOfLabelsOnlyTighten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := lawLoad(t, lawPolicy(t), "callgate: 1\n"+lawFlows)
		events, last := lawEvents(t), lawCall(t)
		some := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"seen", "out", "other"}), func(s string) string { return s }).Draw(t, "labels")
		many := flood(rapid.SampledFrom([]int{1, 200, 257, 300}).Draw(t, "many"), rapid.SampledFrom([]string{"a", "p", "z"}).Draw(t, "front"))
		first := rapid.Bool().Draw(t, "first")
		judge := func(sets ...[]string) abi.Outcome {
			r := newLawRun(p, builtin.Table(), "aaaaaa00")
			for _, e := range events {
				r.step(e)
			}
			for _, l := range sets {
				for n := range 4 {
					id := fmt.Sprintf("aaaaaa-%d", n)
					gate.Fold(r.state, abi.Event{Label: &abi.LabelEvent{Call: id, Session: l, Data: l, Files: []abi.FileLabels{{Keys: []string{"k"}, Data: l}}}})
				}
			}
			o, _ := outcomeOf(r.step(last))
			return o
		}
		sets := [][]string{some, many}
		if first {
			sets = [][]string{many, some}
		}
		was, is := judge(some), judge(sets...)
		if is > was {
			t.Fatalf("%v became %v by %d labels beside %q", was, is, len(many), some)
		}
	})
}
