package builtin

import (
	"fmt"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/redact"
)

// redactFrom reads entries as they stand under redact:.
func redactFrom(t *testing.T, v abi.Value) *redact.Set {
	t.Helper()
	var entries []redact.Entry
	for i, item := range v.Items() {
		e := redact.Entry{
			Rule: fmt.Sprintf("p.yaml:%d: redact", 30+i), Name: fmt.Sprintf("entry-%d", i), Pattern: item.Get("pattern").Str(),
			Keys: texts(item.Get("keys")), With: item.Get("with").Str(), In: texts(item.Get("in")), Except: texts(item.Get("except")),
		}
		entries = append(entries, e)
	}
	set, i, err := redact.Compile(entries)
	if err != nil {
		t.Fatalf("entry %d: %v", i, err)
	}
	return set
}

// TestRedactEditsWhatItCanAndNothingElse looks at the edits beside the verdict.
func TestRedactEditsWhatItCanAndNothingElse(t *testing.T) {
	set := redactFrom(t, parsed(t, `[{"pattern":"k-[0-9]{4}","with":"[k]","in":["arguments"]},{"pattern":"q-[0-9]{4}","with":"[q]","in":["results"]}]`))
	c := &Redact{set}
	cases := []struct {
		kind      abi.CallKind
		was, want string
	}{
		{abi.KindTool, `{"a":"x k-1234 y","b":["k-1","k-4321k-5555"],"c":12}`, `{"a":"x [k] y","b":["k-1","[k][k]"],"c":12}`},
		{abi.KindTool, `{"a":"q-1234"}`, `{"a":"q-1234"}`},
		{abi.KindSampling, `{"a":"q-1234 k-1234"}`, `{"a":"[q] k-1234"}`},
	}
	for _, k := range cases {
		s := &abi.Snapshot{Call: abi.Call{Kind: k.kind}}
		s.Call.SetValues(parsed(t, k.was))
		edited, err := parsed(t, k.was).Edited(c.Edit(s))
		if err != nil || edited.String() != k.want {
			t.Errorf("%s %s: got %s, %v; want %s", k.kind, k.was, edited, err, k.want)
		}
	}
}

func parsed(t *testing.T, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
