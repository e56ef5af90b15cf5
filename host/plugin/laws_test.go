package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm"
)

// laws checks a folder, and says which laws are broken.
func laws(t *testing.T, path string) map[string]Law {
	t.Helper()
	target, err := ReadTarget(path)
	if err != nil {
		t.Fatal(err)
	}
	list, err := engines(t).Check(target, abi.Value{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Law{}
	for _, l := range list {
		out[l.Name] = l
	}
	return out
}

func TestLawsAreHeldAndBroken(t *testing.T) {
	broken := map[string]string{
		"labels": `with label "secret"`, "unrelated": "it hides less", "hostile": "class trap", "declared": "code NEVER",
	}
	lax, good := laws(t, "testdata/lax"), laws(t, "../../abi/testdata/1.0/recipient")
	if len(lax) != 8 || len(good) != 8 {
		t.Fatalf("%d and %d laws; want 8", len(lax), len(good))
	}
	for name, l := range lax {
		want, is := broken[name]
		if l.Holds() == is || is && !strings.Contains(strings.Join(l.Broken, "\n"), want) {
			t.Errorf("lax: law %s: %q; want %q", name, l.Broken, want)
		}
		if l.Tried == 0 {
			t.Errorf("lax: law %s: nothing was tried", name)
		}
	}
	for name, l := range good {
		if !l.Holds() {
			t.Errorf("recipient: law %s: %q", name, l.Broken)
		}
	}
}

// TestStepsAreAskedWithTheLabelsOfThoseBefore: a code that only a second step shows
// is shown.
func TestStepsAreAskedWithTheLabelsOfThoseBefore(t *testing.T) {
	for text, want := range map[string]string{
		"cases:\n  - name: once and again\n    steps:\n      - {want: {outcome: abstain, labels: {session: [seen]}}}\n      - {want: {outcome: deny, code: SEEN}}\n": "",
		"cases:\n  - name: once\n    want: {outcome: abstain, labels: {session: [seen]}}\n":                                                                          "code SEEN: no case shows it",
	} {
		dir := filepath.Join(t.TempDir(), "forgets")
		if err := os.CopyFS(dir, os.DirFS("testdata/forgets")); err != nil {
			t.Fatal(err)
		}
		old, err := filepath.Glob(filepath.Join(dir, "cases", "*"))
		if err != nil || len(old) != 1 {
			t.Fatalf("%q, %v", old, err)
		}
		if err := os.WriteFile(old[0], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		l := laws(t, dir)["declared"]
		if got := strings.Join(l.Broken, "\n"); l.Tried == 0 || (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s%q, tried %d; want %q", text, got, l.Tried, want)
		}
		target, err := ReadTarget(dir)
		if err != nil {
			t.Fatal(err)
		}
		measured, err := Bench(wasm.Options{}, target, nil, abi.Value{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		fuel := map[uint64]bool{}
		for _, row := range measured.Rows {
			if strings.HasPrefix(row.Name, "case") {
				fuel[row.Fuel] = true
			}
		}
		if n := strings.Count(text, "want"); len(fuel) != n {
			t.Errorf("%smeasured %d steps: %+v", text, n, measured.Rows)
		}
	}
}

// TestAPluginMustNotForgetWhatItMayHaveSaid where there are more labels than a host
// keeps, or where a policy gave it another name.
func TestAPluginMustNotForgetWhatItMayHaveSaid(t *testing.T) {
	target, err := ReadTarget("testdata/forgets")
	if err != nil {
		t.Fatal(err)
	}
	for settings, want := range map[string]string{
		`{}`:                       `with label "*", which may be "forgets:seen": outcome abstain instead of deny`,
		`{"any":true,"name":true}`: `with label "0-other-name:seen", which is "forgets:seen" where a policy names it 0-other-name: outcome abstain instead of deny`,
		`{"any":true}`:             "",
	} {
		v, err := abi.Parse([]byte(settings))
		if err != nil {
			t.Fatal(err)
		}
		list, err := engines(t).Check(target, v)
		if err != nil || len(list) != 8 {
			t.Fatalf("%s: %d laws, error %v", settings, len(list), err)
		}
		for _, l := range list {
			if l.Name != "labels" {
				if !l.Holds() {
					t.Errorf("%s: law %s: %q", settings, l.Name, l.Broken)
				}
				continue
			}
			if got := strings.Join(l.Broken, "\n"); l.Tried == 0 || (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("%s: %q, tried %d; want %q", settings, got, l.Tried, want)
			}
		}
	}
}

// TestAManifestDoesNotMakeAPlugin gives one to modules that no host loads.
func TestAManifestDoesNotMakeAPlugin(t *testing.T) {
	files, err := filepath.Glob(goldens + "/refused/*.wasm")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d modules, error %v", len(files), err)
	}
	text := []byte(`{"schema":"callgate.plugin/v0","name":"refused","version":"1.0.0","abi":"1.0","phases":["call"]}`)
	for _, name := range files {
		bare, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := abi.WithManifest(bare, text)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "refused.wasm")
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
		l := laws(t, path)
		if first := l["loads"]; len(l) != 1 || first.Holds() {
			t.Errorf("%s: %v; want the law loads broken, and no other tried", name, l)
		}
		m, err := ReadModule(path)
		if err != nil {
			t.Fatal(err)
		}
		if in := Inspect(m, abi.Value{}); len(in.Problems) == 0 || len(in.Views) == 0 {
			t.Errorf("%s: %d problems and %d views; want both", name, len(in.Problems), len(in.Views))
		}
		if _, err := engines(t).Load(m, abi.ObjectValue()); classOf(err) != abi.FailLoad {
			t.Errorf("%s: %v; want class load", name, err)
		}
	}
}

func TestAnswersThatDifferAreTold(t *testing.T) {
	was := wasm.Answer{Output: []byte("a"), Fuel: 1, Delivered: 1, Pages: 1}
	for _, c := range []struct {
		is   wasm.Answer
		want string
	}{
		{was, ""},
		{wasm.Answer{Output: []byte("b"), Fuel: 1, Delivered: 1, Pages: 1}, "other bytes"},
		{wasm.Answer{Output: []byte("a"), Fuel: 2, Delivered: 1, Pages: 1}, "2 fuel instead of 1"},
		{wasm.Answer{Output: []byte("a"), Fuel: 1, Delivered: 2, Pages: 1}, "reads 2 bytes"},
		{wasm.Answer{Output: []byte("a"), Fuel: 1, Delivered: 1, Pages: 2}, "2 pages"},
		{wasm.Answer{Class: abi.FailTrap}, `class "trap"`},
	} {
		if got := c.is.Differs(&was); got == "" != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q; want %q", c.is, got, c.want)
		}
	}
}

func TestMoreLenientIsTold(t *testing.T) {
	calls := func(n int64) *int64 { return &n }
	strict := abi.Verdict{Outcome: abi.Deny, Obligations: abi.Obligations{Redact: []string{"/a"}, Hide: []string{"t"}, SessionLabels: []string{"l"}, Calls: calls(2)}}
	for _, c := range []struct {
		change func(*abi.Verdict)
		want   string
	}{
		{func(*abi.Verdict) {}, ""},
		{func(v *abi.Verdict) { v.Outcome = abi.Ask }, "outcome ask instead of deny"},
		{func(v *abi.Verdict) { v.Obligations.Redact = nil }, "redacts less"},
		{func(v *abi.Verdict) { v.Obligations.Hide = []string{"u"} }, "hides less"},
		{func(v *abi.Verdict) { v.Obligations.SessionLabels = nil }, ""},
		{func(v *abi.Verdict) { v.Obligations.Calls = nil }, "more calls"},
		{func(v *abi.Verdict) { v.Obligations.Calls = calls(3) }, "more calls"},
		{func(v *abi.Verdict) { v.Obligations.Calls = calls(1) }, ""},
	} {
		after := strict
		c.change(&after)
		if got := looser(&strict, &after); got == "" != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q; want %q", after.Obligations, got, c.want)
		}
	}
}
