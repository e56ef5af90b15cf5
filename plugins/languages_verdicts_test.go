package plugins_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// strs is a list of as many texts.
func strs(n int, make func(i int) string) string {
	return "[" + times(n, func(i int) string { return abi.StringValue(make(i)).String() }) + "]"
}

func numbered(prefix string, n int) string {
	return strs(n, func(i int) string { return fmt.Sprint(prefix, i) })
}

// builtVerdicts are verdicts as a plugin may come to build them, of what it was handed. The
// builders leave out what is only for people and would be too much; what is to be
// done, and can not be, is a refusal of the host.
var builtVerdicts = []struct {
	name, phase, verdict string
	refused              string // what the host says of it, "" if it takes it
}{
	{"nothing", "call", `{"outcome":"none"}`, ""},
	{"all of it", "call", `{"outcome":"deny","reason":"r","at":["/call/tool"],"labels":["a.b_c-1"],"budget":2,"tags":{"n":"t"}}`, ""},
	{"many causes", "call", `{"outcome":"deny","at":` + numbered("/call/arguments/", 300) + `}`, ""},
	{"long causes", "call", `{"outcome":"deny","at":` + strs(60, func(i int) string { return fmt.Sprint("/", i, strings.Repeat("\x01", 1000)) }) + `}`, ""},
	{"a cause that is too long", "call", `{"outcome":"deny","at":` + strs(1, func(int) string { return "/" + strings.Repeat("é", 4096) }) + `}`, ""},
	{"a cause that is no pointer", "call", `{"outcome":"deny","at":["to"]}`, "want a JSON Pointer"},
	{"a cause with an escape that is none", "call", `{"outcome":"deny","at":["/~2"]}`, "want a JSON Pointer"},
	{"a long reason", "call", `{"outcome":"deny","reason":"` + strings.Repeat("😀", 5000) + `"}`, ""},
	{"notes of signs that are escaped", "call", `{"outcome":"deny","tags":{` + times(40, func(i int) string {
		return fmt.Sprintf(`"%d%s":"%s"`, i, strings.Repeat(`\u0001`, 300), strings.Repeat(`\u0002`, 300))
	}) + `}}`, ""},
	{"a budget below nothing", "call", `{"outcome":"abstain","budget":-5}`, ""},
	{"the largest budget", "call", `{"outcome":"abstain","budget":9223372036854775807}`, ""},
	{"as many labels as there may be", "call", `{"outcome":"abstain","labels":` + numbered("l", 32) + `}`, ""},
	{"a label more", "call", `{"outcome":"abstain","labels":` + numbered("l", 33) + `}`, "at most 32"},
	{"a label with a space", "call", `{"outcome":"abstain","labels":["a b"]}`, "want 1 to 64 letters"},
	{"a label of another plugin", "call", `{"outcome":"abstain","labels":["other:a"]}`, "want 1 to 64 letters"},
	{"no label", "call", `{"outcome":"abstain","labels":[""]}`, "want 1 to 64 letters"},
	{"a label twice", "call", `{"outcome":"abstain","labels":["a","a"]}`, ""},
	{"as much redacted as may be", "result", `{"outcome":"code","redact":` + numbered("/result/content/", 256) + `}`, ""},
	{"one more", "result", `{"outcome":"code","redact":` + numbered("/result/content/", 257) + `}`, "at most 256"},
	{"redacted twice", "result", `{"outcome":"abstain","redact":["/result/content/0","/result/content/0"]}`, ""},
	{"all of the result", "result", `{"outcome":"abstain","redact":["/result"]}`, "want a JSON Pointer"},
	{"an argument", "result", `{"outcome":"abstain","redact":["/call/arguments/to"]}`, "want a JSON Pointer"},
	{"redacted before there is a result", "call", `{"outcome":"abstain","redact":["/result/content/0"]}`, "redact in phase call"},
	{"as much hidden as may be", "list", `{"outcome":"abstain","hide":` + numbered("tool", 1024) + `}`, ""},
	{"one name more", "list", `{"outcome":"abstain","hide":` + numbered("tool", 1025) + `}`, "at most 1024"},
	{"names that are too long together", "list", `{"outcome":"abstain","hide":` + strs(100, func(i int) string { return fmt.Sprint(i, strings.Repeat("n", 3000)) }) + `}`, "bytes"},
	{"hidden outside of a list", "call", `{"outcome":"abstain","hide":["a"]}`, "hide in phase call"},
	{"asked for a call", "call", `{"outcome":"ask"}`, ""},
	{"asked for a result", "result", `{"outcome":"ask"}`, "nobody can be asked there"},
	{"a budget in a list", "list", `{"outcome":"abstain","budget":1}`, "budget in phase list"},
}

// TestWhatBuildersMakeTheHostTakes: whatever a plugin says for people, its verdict is
// one; what it wants done and can not be had is refused, which denies.
func TestWhatBuildersMakeTheHostTakes(t *testing.T) {
	t.Parallel()
	all := guests(t, "probe")
	taken := 0
	for _, c := range builtVerdicts {
		snapshot := snapshotOf(t, `{"v":`+c.verdict+`}`).With("phase", abi.StringValue(c.phase))
		agree(t, all, abi.ObjectValue(), snapshot)
		p, err := all[0].load(t, abi.ObjectValue())
		if err != nil {
			t.Fatal(err)
		}
		a := p.Evaluate(snapshot)
		if _, err = abi.ParsePluginVerdict(a.Output, all[0].manifest, "probe", abi.Phase(c.phase)); a.Class != "" && err == nil {
			t.Fatalf("%s: %s: an answer of class %s is taken", c.name, a.Output, a.Class)
		}
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%s: %s %s: %v", c.name, a.Class, a.Detail, err)
		case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
			t.Errorf("%s: %v; want %q", c.name, err, c.refused)
		case err == nil:
			taken++
		}
	}
	if taken < 15 || taken == len(builtVerdicts) {
		t.Errorf("%d of %d are taken", taken, len(builtVerdicts))
	}
}
