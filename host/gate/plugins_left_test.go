package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
)

// What a plugin leaves of a call holds for every kind of call, not for tools alone,
// and for that one target.
func TestWhatPluginsLeaveHoldsForEveryKind(t *testing.T) {
	for _, k := range kinds {
		for left, want := range map[int]string{0: "allow  deny BUDGET_SPENT deny BUDGET_SPENT", 1: "allow  allow  deny BUDGET_SPENT", 9: "allow  allow  allow "} {
			f := fakes{"p": in("call", fmt.Sprintf(`{"outcome":"abstain","budget":{"calls":%d}}`, left)), "q": in("call", abstains)}
			r := startPlugins(t, f, binding("p", "q"))
			got := r.judged(of(t, k.kind, k.text)) + " " + r.judged(of(t, k.kind, k.text)) + " " + r.judged(of(t, k.kind, k.text))
			if got != want {
				t.Errorf("%s, %d left: %s; want %s", k.kind, left, got, want)
			}
			r.again(f)
		}
	}
	if len(kinds) == 0 {
		t.Fatal("no kinds")
	}
}

// However many names a client makes up, there is room for so many only: those that
// come later share what is the least for any of them, and the others keep their own.
func TestNamesThatClientsMakeUpAreCountedTogether(t *testing.T) {
	f := fakes{"p": func(v abi.Value) string {
		switch name := v.At("/call/tool").Str(); {
		case strings.HasPrefix(name, "later"):
			return `{"outcome":"abstain","budget":{"calls":2}}`
		case v.Get("phase").Str() == "call" && name != "send":
			return `{"outcome":"abstain","budget":{"calls":1}}`
		}
		return abstains
	}}
	r := startPlugins(t, f, binding("p"))
	for i := range gate.MaxNamed {
		if got := r.outcome("s", fmt.Sprintf("made-up-%d", i), `{}`); got != "allow " {
			t.Fatalf("name %d: %s", i, got)
		}
	}
	long := strings.Repeat("x", 1<<16)
	for _, c := range []struct{ tool, want string }{
		{"made-up-0", "allow "}, {"made-up-0", "deny BUDGET_SPENT"}, {"later-1", "allow "}, {"later-2", "allow "}, {"later-3", "allow "},
		{"later-1", "deny BUDGET_SPENT"}, {long, "deny BUDGET_SPENT"}, {"made-up-1", "allow "}, {"made-up-1", "deny BUDGET_SPENT"},
	} {
		if got := r.outcome("s", c.tool, `{}`); got != c.want {
			t.Errorf("%.20s: %s; want %s", c.tool, got, c.want)
		}
	}
	if names, bytes := r.state.Named(); names > gate.MaxNamed+1 || bytes > names*300 {
		t.Errorf("%d names of %d bytes are kept", names, bytes)
	}
}

// A name that is too long to be kept is counted by itself all the same.
func TestLongNamesAreCountedApart(t *testing.T) {
	f := fakes{"p": in("call", `{"outcome":"abstain","budget":{"calls":1}}`)}
	r := startPlugins(t, f, binding("p"))
	long := strings.Repeat("x", 1<<16)
	for _, c := range []struct{ tool, want string }{
		{long, "allow "}, {long + "y", "allow "}, {long, "allow "}, {long, "deny BUDGET_SPENT"}, {long + "y", "allow "}, {long + "y", "deny BUDGET_SPENT"},
	} {
		if got := r.outcome("s", c.tool, `{}`); got != c.want {
			t.Errorf("%d: %s; want %s", len(c.tool), got, c.want)
		}
	}
}

// A plugin that gives other labels to each call does not fill memory with them, and
// few are all kept.
func TestLabelsThatPluginsGiveAreBounded(t *testing.T) {
	for calls, want := range map[int]int{10: 10, gate.MaxLabels + 50: gate.MaxLabels + 1} {
		f := fakes{"p": func(v abi.Value) string {
			if v.Get("phase").Str() != "call" {
				return abstains
			}
			name := v.At("/call/arguments/note").Str()
			return `{"outcome":"abstain","labels":{"call":["` + name + `"],"session":["` + name + `"]}}`
		}}
		r := startPlugins(t, f, binding("p"))
		r.tools("s", tool("send", "note"))
		for i := range calls {
			if got := r.outcome("s", "send", fmt.Sprintf(`{"note":"l%d"}`, i)); got != "allow " {
				t.Fatalf("call %d: %s", i, got)
			}
		}
		if data, session := r.state.Spoken("s"), len(r.state.Labels()); data != want || session != want {
			t.Errorf("%d calls: %d labels of data, %d of the session; want %d", calls, data, session, want)
		}
	}
}
