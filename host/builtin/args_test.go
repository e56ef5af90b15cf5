package builtin

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

func value(t testing.TB, s string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDecimalComparesAsRationalsDo(t *testing.T) {
	digits := rapid.StringMatching(`[0-9]{1,12}`)
	lexeme := rapid.Custom(func(t *rapid.T) string {
		s := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign") + digits.Draw(t, "whole")
		if rapid.Bool().Draw(t, "fraction") {
			s += "." + digits.Draw(t, "digits")
		}
		if rapid.Bool().Draw(t, "exponent") {
			s += fmt.Sprintf("e%d", rapid.IntRange(-20, 20).Draw(t, "power"))
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := lexeme.Draw(t, "a"), lexeme.Draw(t, "b")
		da, errA := parseDecimal(a)
		db, errB := parseDecimal(b)
		ra, okA := new(big.Rat).SetString(a)
		rb, okB := new(big.Rat).SetString(b)
		if errA != nil || errB != nil || !okA || !okB {
			t.Fatalf("%q or %q is not read", a, b)
		}
		if got, want := da.compare(db), ra.Cmp(rb); got != want {
			t.Fatalf("%s and %s: got %d, want %d", a, b, got, want)
		}
	})
}

func TestNumbersThatAreNone(t *testing.T) {
	bad := []string{"", "-", "+", ".", "e1", "1e", "1e+", "0x10", "1_000", "NaN", "Infinity", "1,5", "1e1.5", "--1", "1 2", "١"}
	for _, s := range bad {
		if d, err := parseDecimal(s); err == nil {
			t.Errorf("%q is read as %v", s, d)
		}
	}
	for _, s := range []string{"0", "-0", "+1", "007", ".5", "5.", "1E+2", "1e999999999999999999999999"} {
		if _, err := parseDecimal(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-1.5e3", "1e999999999999999999999", "1e-999999999999999999999", "00.00e5", ".", "5.", "+7", "x"} {
		f.Add(s, "1000")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errA := parseDecimal(a)
		y, errB := parseDecimal(b)
		if errA != nil || errB != nil {
			return
		}
		if x.compare(y) != -y.compare(x) || x.compare(x) != 0 {
			t.Fatalf("%q and %q: %d and %d", a, b, x.compare(y), y.compare(x))
		}
	})
}

func TestMistakesInRulesAreErrors(t *testing.T) {
	bad := []contract.Arg{
		{},
		{Slot: "url", Allow: []string{"https://a@b/"}},
		{Slot: "path", Allow: []string{"x/**"}},
		{Slot: "path", Deny: []string{"/[x"}},
		{Slot: "path", Match: "x"},
		{Slot: "path", Forbid: true},
		{Arg: "x", Allow: []string{"/x"}},
		{Arg: "x", Match: "("},
		{Arg: "x", Match: `(?=x)`},
		{Arg: "x", Match: `a)|(b`},
		{Arg: "x", Max: "many"},
		{Arg: "x", Min: "1e"},
		{Arg: "x", Forbid: true, Require: true},
	}
	for _, a := range bad {
		if _, err := NewArgs(&contract.Rules{Args: []contract.Arg{a}}); err == nil {
			t.Errorf("%+v: no error", a)
		} else if m := err.Error(); strings.HasSuffix(m, ".") || strings.Contains(m, "failed to") {
			t.Errorf("error %q is not in the house style", m)
		}
	}
	good := []contract.Arg{
		{Slot: "path"}, {Slot: "path", Arg: "x", Allow: []string{"/x"}}, {Arg: "x", Match: "a|b"}, {Arg: "/x/y", Max: "1e3"}, {Arg: "x", Require: true},
	}
	for _, a := range good {
		if c, err := NewArgs(&contract.Rules{Args: []contract.Arg{a}}); err != nil || c == nil {
			t.Errorf("%+v: %v, %v", a, c, err)
		}
	}
	if len(bad) == 0 || len(good) == 0 {
		t.Fatal("no cases")
	}
}

func TestToolsWithoutRulesHaveNoArgsContract(t *testing.T) {
	if c, err := NewArgs(&contract.Rules{Undeclared: contract.UndeclaredSink}); c != nil || err != nil {
		t.Errorf("got %v, %v", c, err)
	}
	if c, err := NewArgs(&contract.Rules{MaxArgumentBytes: 1}); c == nil || err != nil {
		t.Errorf("with a size limit: got %v, %v", c, err)
	}
}

func TestHistoryDoesNotChangeWhatArgsSays(t *testing.T) {
	rules := contract.Rules{Tool: "read_file", Args: []contract.Arg{
		{Slot: "path", Allow: []string{"/srv/work/**"}, Deny: []string{"**/.env"}, HasAllow: true, MaxBytes: -1},
		{Arg: "limit", Max: "10", MaxBytes: -1},
	}}
	c, err := NewArgs(&rules)
	if err != nil {
		t.Fatal(err)
	}
	denied, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom([]string{"/srv/work/a", "/etc/passwd", "/srv/work/.env", "~x", "b"}).Draw(t, "path")
		limit := abi.IntValue(rapid.Int64Range(0, 20).Draw(t, "limit"))
		fresh := &abi.Snapshot{Call: abi.Call{Arguments: abi.ObjectValue(abi.Member{Name: "path", Value: abi.StringValue(path)}, abi.Member{Name: "limit", Value: limit})}}
		fresh.Session.Place = posix
		seasoned := *fresh
		seasoned.Time = time.Unix(rapid.Int64Range(0, 1<<40).Draw(t, "time"), 0)
		seasoned.Session.Calls = rapid.Int64().Draw(t, "calls")
		seasoned.Session.Labels = rapid.SliceOf(rapid.String()).Draw(t, "labels")
		seasoned.Session.Approved = []abi.Approved{{Tool: "read_file", At: "/call/arguments/path", Identity: path}}
		seasoned.Session.Recent = []abi.Recent{{Tool: "read_file", Outcome: abi.Allow}}
		seasoned.Taint = []abi.Finding{{At: "/path", Value: path, Origin: abi.Origin(rapid.IntRange(0, 3).Draw(t, "origin"))}}
		a, b := c.Judge(fresh), c.Judge(&seasoned)
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("%q: %v without a history, %v with one", path, a, b)
		}
		if a.Outcome == abi.Deny {
			denied++
		} else {
			passed++
		}
	})
	if denied == 0 || passed == 0 {
		t.Fatalf("%d denied, %d passed; want some of both", denied, passed)
	}
}

func TestHostileSchemasEnd(t *testing.T) {
	c, err := NewArgs(&contract.Rules{Args: []contract.Arg{{Slot: "path", Allow: []string{"/srv/work/**"}, MaxBytes: -1}, {Arg: "/a/b", Max: "1", MaxBytes: -1}}})
	if err != nil {
		t.Fatal(err)
	}
	many := strings.Repeat(`{"$ref":"#"},`, 200)
	hostile := []string{
		`{"$ref":"#"}`, `{"anyOf":[` + many + `{}],"allOf":[` + many + `{}]}`, `{"properties":5,"required":"x"}`, `{"properties":{"a":true,"path":[]}}`,
		`[]`, `"x"`, `null`, `{"type":["string",5,null]}`, `{"additionalProperties":{"$ref":"#"}}`,
	}
	for _, h := range hostile {
		s := &abi.Snapshot{}
		s.Session.Place = posix
		s.Definition.Schema = value(t, h)
		s.Call.Arguments = value(t, `{"a":{"b":2},"path":"/etc/passwd"}`)
		if got := c.Judge(s); got.Outcome != abi.Deny {
			t.Errorf("schema %.40s: got %v", h, got)
		}
	}
	if len(hostile) == 0 {
		t.Fatal("no cases")
	}
}

func TestPathNames(t *testing.T) {
	paths := []string{
		"path", "paths", "file", "files", "filename", "file_path", "filePath", "FILE-PATH", "filepath", "dir", "directory", "directories", "folder",
		"source", "destination", "src", "dest", "dst", "target", "repo_path", "root", "old_path", "new_path", "output_path", "localImagePath", "outputDir",
		"dockerBuildPath", "valuesFile", "savePath", "index_path", "entrypoint_path", strings.Repeat("x", 100) + "_path",
	}
	others := []string{"fileId", "profile", "user_profile", "xpath", "cwd", "workingDirectory", "direction", "fromFileContent", "format", "", "to", "from", "sort_dir"}
	for _, n := range paths {
		if !pathName(n, false) {
			t.Errorf("%q is no path name", n)
		}
	}
	for _, n := range others {
		if pathName(n, false) {
			t.Errorf("%q is a path name", n)
		}
	}
	if !pathName("from", true) || !pathName("to", true) {
		t.Error("from and to of a tool that moves are no path names")
	}
}

func TestWordsOfNames(t *testing.T) {
	for name, want := range map[string]string{
		"move_file": "move file", "deleteFile": "delete file", "rm-rf": "rm rf", "READ_FILE": "read file", "x": "x", "": "", "a1B": "a1 b", "__": "",
	} {
		if got := strings.Join(wordsOf(name), " "); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestTheTableIsOrdered(t *testing.T) {
	table := Table()
	seen := map[string]bool{}
	for i, s := range table {
		if s.Name == "" || s.New == nil || seen[s.Name] {
			t.Errorf("row %d: name %q is empty, unmade or twice", i, s.Name)
		}
		seen[s.Name] = true
	}
	if len(table) == 0 || table[0].Name != "attest" || table[1].Name != "self" || table[len(table)-1].Name != "coverage" {
		t.Error("the table does not start with attest and self and end with coverage")
	}
}

// TestNoContractGrantsButCoverage holds every contract but the last against a
// call that it has nothing against.
func TestNoContractGrantsButCoverage(t *testing.T) {
	rules := &contract.Rules{Tool: "read_file", Grant: contract.Grant{Set: true, Outcome: abi.Allow}, MaxArgumentBytes: 10}
	s := &abi.Snapshot{Definition: abi.Definition{State: abi.PinOK}}
	judged := 0
	for _, spec := range Table() {
		c, err := spec.New(rules)
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			continue
		}
		judged++
		want := abi.Abstain
		if spec.Name == "coverage" {
			want = abi.Allow
		}
		if got := c.Judge(s); got.Outcome != want {
			t.Errorf("%s: got %v for a call that no rule speaks of, want %v", spec.Name, got.Outcome, want)
		}
	}
	if judged < 5 {
		t.Errorf("%d contracts judged; want at least 5", judged)
	}
}

func benchmarkSnapshot(b *testing.B) (*contract.Rules, *abi.Snapshot) {
	rules := &contract.Rules{Tool: "write_file", Args: []contract.Arg{
		{Slot: "path", Allow: []string{"/srv/work/**"}, Deny: []string{"**/.git/**"}, MaxBytes: -1},
		{Slot: "path", Deny: []string{"**/.mcp.json"}, Outcome: abi.Ask, MaxBytes: -1},
		{Arg: "limit", Max: "1000", MaxBytes: -1},
		{Arg: "mode", In: []abi.Value{abi.StringValue("w"), abi.StringValue("a")}, HasIn: true, MaxBytes: -1},
		{Arg: "owner", Match: "[a-z]{1,20}", MaxBytes: -1},
	}}
	s := &abi.Snapshot{}
	s.Session.Place = posix
	s.Session.Protected = []string{"/home/u/.config/callgate", "/home/u/.local/state/callgate", "/home/u/.claude.json", "/srv/policy.yaml"}
	s.Definition.Schema = value(b, `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"limit":{"type":"integer"},"mode":{"type":"string"},"owner":{"type":"string"}},"required":["path"]}`)
	s.Call.Arguments = value(b, `{"path":"/srv/work/some/dir/file.txt","content":"hello\nworld","limit":100,"mode":"w","owner":"pat"}`)
	return rules, s
}

func BenchmarkArgs(b *testing.B) {
	rules, s := benchmarkSnapshot(b)
	c, err := NewArgs(rules)
	if err != nil {
		b.Fatal(err)
	}
	if v := c.Judge(s); v.Outcome != abi.Abstain {
		b.Fatal(v)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Judge(s)
	}
}

func BenchmarkSelf(b *testing.B) {
	rules, s := benchmarkSnapshot(b)
	c, err := NewSelf(rules)
	if err != nil {
		b.Fatal(err)
	}
	if v := c.Judge(s); v.Outcome != abi.Abstain {
		b.Fatal(v)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Judge(s)
	}
}

func FuzzArgs(f *testing.F) {
	f.Add(`{"path":"/srv/work/a"}`, `{"properties":{"path":{"type":"string"}}}`)
	f.Add(`{"paths":"[\"/etc\"]","opts":{"depth":"9"}}`, `{"properties":{"paths":{"type":"array","items":{"$ref":"#/x"}}},"x":{"format":"path"}}`)
	f.Add(`{"files":{"a/b":"x"},"target":[{"file":"~"}]}`, `{"anyOf":[{"properties":{"files":{"type":["object","string"]}}}]}`)
	f.Add(`{"Path":null,"opts":"{\"depth\":4}"}`, `{"properties":{"opts":{"type":"object"},"path":{}},"additionalProperties":false,"required":["opts"]}`)
	c, err := NewArgs(&contract.Rules{Tool: "move_file", Undeclared: contract.UndeclaredDeny, Args: []contract.Arg{
		{Slot: "path", Allow: []string{"/srv/work/**"}, Deny: []string{"**/.env"}, Names: []string{"x", "/opts/at"}, MaxBytes: -1},
		{Arg: "/opts/depth", Max: "3", Match: "[0-9]+", MaxBytes: -1},
		{Arg: "opts", MaxBytes: 20},
	}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, arguments, schema string) {
		a, err := abi.Parse([]byte(arguments))
		if err != nil || a.Kind() != abi.Object {
			return
		}
		s := &abi.Snapshot{Call: abi.Call{Arguments: a}}
		if s.Definition.Schema, err = abi.Parse([]byte(schema)); err != nil {
			s.Definition.Schema = abi.Value{}
		}
		s.Session.Place = posix
		one, two := c.Judge(s), c.Judge(s)
		if fmt.Sprint(one) != fmt.Sprint(two) {
			t.Fatalf("two verdicts: %v and %v", one, two)
		}
		for _, at := range one.At {
			if at != "/call/arguments" && !strings.HasPrefix(at, "/call/arguments/") {
				t.Fatalf("pointer %q", at)
			}
		}
		if p := a.Get("path"); one.Outcome >= abi.Allow && p.IsString() {
			if form, why := canonicalPath(p.Str(), &posix); why != "" || !insideByRel("/srv/work", form) {
				t.Fatalf("path %q passed", p.Str())
			}
		}
	})
}
