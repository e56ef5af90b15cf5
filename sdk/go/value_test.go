package callgate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func load(t testing.TB, text string) Snapshot {
	t.Helper()
	s, err := Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const sample = `{"abi":"1.0","call":{"arguments":{"a/b~c":"x","deep":[1.0,{"k":[null,true,"😀"]}],"empty":{},"lone":"a\ud800b","none":[],"to":"a@b.example"},
"kind":"tool","seq":17,"server":"mail","tool":"send_email"},"phase":"call","session":{"counts":{"calls":16,"denied":1,"this_tool":2},"labels":["p:x","q"]},
"settings":{},"taint":[{"at":"/call/arguments/to","labels":["secret"],"origin":"tainted","sources":[{"call":"1"}]}],"time":"2026-11-29T18:00:00Z"}`

func TestValuesAreFoundByPointer(t *testing.T) {
	s := load(t, sample)
	for pointer, want := range map[string]string{
		"/call/arguments/to":            `4 "a@b.example" a@b.example`,
		"/call/arguments/a~1b~0c":       `4 "x" x`,
		"/call/arguments/deep/0":        `3 1.0 `,
		"/call/arguments/deep/1/k/0":    `1 null `,
		"/call/arguments/deep/1/k/1":    `2 true `,
		"/call/arguments/deep/1/k/2":    `4 "😀" 😀`,
		"/call/arguments/deep/1/k/3":    `0  `,
		"/call/arguments/deep/01":       `0  `,
		"/call/arguments/deep/-1":       `0  `,
		"/call/arguments/lone":          `7 "a\ud800b" a` + "\uFFFD" + `b`,
		"/call/arguments/empty":         `6 {} `,
		"/call/arguments/none":          `5 [] `,
		"/call/arguments/to/0":          `0  `,
		"/call/arguments/nothing":       `0  `,
		"call":                          `0  `,
		"/session/counts":               `6 {"calls":16,"denied":1,"this_tool":2} `,
		"/call/arguments/deep/1/k/2/no": `0  `,
	} {
		for name, v := range map[string]Value{"of the host": s.At(pointer), "fetched": s.At(pointer).Fetch(), "inside": s.At("").Fetch().At(pointer)} {
			if got := fmt.Sprintf("%d %s %s", v.Kind(), v.JSON(), v.Text()); got != want {
				t.Errorf("%s %s: %q; want %q", pointer, name, got, want)
			}
			if v.Exists() && v.Pointer() != pointer {
				t.Errorf("%s %s: pointer %q", pointer, name, v.Pointer())
			}
		}
	}
}

// TestWhatIsNoPointerLeadsNowhere: neither in the host nor in what was fetched, also
// where there is a member that it could be taken for.
func TestWhatIsNoPointerLeadsNowhere(t *testing.T) {
	s := load(t, `{"call":{"arguments":{"~":1,"~2":2,"~0":3,"list":["a"],"":4,"-1":5}}}`)
	for pointer, want := range map[string]string{
		"/~": "", "/~2": "", "/~02/": "", "/~01~": "", "~0": "", "/list/-1": "", "/list/": "",
		"/~0": "1", "/~02": "2", "/~00": "3", "/": "4", "/-1": "5", "/list/0": `"a"`,
	} {
		for name, v := range map[string]Value{"asked": s.Call().Argument(pointer), "fetched": s.Call().Arguments().Fetch().At(pointer)} {
			if v.JSON() != want || v.Exists() != (want != "") {
				t.Errorf("%s %s: %s; want %s", pointer, name, v.JSON(), want)
			}
		}
	}
	for _, v := range []Value{s.Call().Arguments(), s.Call().Argument("/list"), s.Call().Argument("/list").Fetch()} {
		if v.Index(-1).Exists() {
			t.Errorf("%s has an item -1", v.Pointer())
		}
	}
}

func TestAllVisitsEverythingOnceInOrder(t *testing.T) {
	s := load(t, sample)
	var got []string
	for v := range s.Call().Arguments().All() {
		got = append(got, v.Pointer()+"="+fmt.Sprint(v.Kind()))
		if at := s.At(v.Pointer()); at.JSON() != v.JSON() && v.Kind() != String {
			t.Errorf("%s: %s; the host has %s", v.Pointer(), v.JSON(), at.JSON())
		}
	}
	const p = "/call/arguments"
	want := []string{
		p + "=6", p + "/a~1b~0c=4", p + "/deep=5", p + "/deep/0=3", p + "/deep/1=6", p + "/deep/1/k=5", p + "/deep/1/k/0=1", p + "/deep/1/k/1=2",
		p + "/deep/1/k/2=4", p + "/empty=6", p + "/lone=7", p + "/none=5", p + "/to=4",
	}
	if !slices.Equal(got, want) {
		t.Errorf("visits %q\nwant   %q", got, want)
	}
	first := ""
	for v := range s.Call().Arguments().Members() {
		first = v.Name()
		break
	}
	if first != "a/b~c" {
		t.Errorf("the first member is %q", first)
	}
}

func TestDeepJSONIsWalkedWithoutDepth(t *testing.T) {
	deep := strings.Repeat(`[{"a":`, 20000) + "1" + strings.Repeat("}]", 20000)
	n := 0
	for range Parse(deep).All() {
		n++
	}
	if n != 40001 {
		t.Errorf("visits %d values; want 40001", n)
	}
}

func TestJSONInTextHasThePointerOfTheText(t *testing.T) {
	s := load(t, `{"call":{"arguments":{"m":"{\"a\":[{\"b\":2}],\"a\":3}","bad":"{\"a\":}"}}}`)
	inside := s.Call().Argument("/m").Open()
	var names []string
	for v := range inside.All() {
		names = append(names, v.Name()+"@"+v.Pointer())
	}
	const at = "/call/arguments/m"
	if want := []string{"m@" + at, "a@" + at, "@" + at, "b@" + at, "a@" + at}; !slices.Equal(names, want) {
		t.Errorf("visits %q; want %q", names, want)
	}
	if got := inside.Get("a").Kind(); got != Array {
		t.Errorf("the first of two members is of kind %d", got)
	}
	if s.Call().Argument("/bad").Open().Exists() || s.Call().Argument("/none").Open().Exists() {
		t.Error("what is no JSON opens")
	}
}

func TestTheSnapshotHasItsParts(t *testing.T) {
	s := load(t, sample)
	c := s.Call()
	labels := slices.Collect(s.Session().Labels())
	var found []string
	for f := range s.Taint() {
		found = append(found, f.At(), f.Origin(), strings.Join(slices.Collect(f.Labels()), ","), f.Sources().At("/0/call").Text(), fmt.Sprint(f.IsKey()))
	}
	got := fmt.Sprint(s.Phase(), s.Time(), c.Kind(), c.Server(), c.Tool(), c.Seq(), c.ID(), labels, s.Session().Has("q"), s.Session().Has("x"),
		s.Session().Count("this_tool"), c.Values().Pointer(), found, s.Result().Exists(), s.List().Kind(), s.Definition().Pinned())
	want := "call2026-11-29T18:00:00Ztoolmailsend_email17[p:x q]truefalse2/call/arguments[/call/arguments/to tainted secret 1 false]falsefalse"
	if got = strings.ReplaceAll(got, " ", ""); got != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestLabelsOfPluginsAreFoundByTheirEnd, under whatever name a plugin gave them.
func TestLabelsOfPluginsAreFoundByTheirEnd(t *testing.T) {
	for labels, want := range map[string]bool{`"p:q"`: true, `"a","x:q"`: true, `"*"`: true, `"q"`: false, `"p:xq"`: false, `"p:qx"`: false, `"q:p"`: false, ``: false} {
		if got := load(t, `{"session":{"labels":[`+labels+`]}}`).Session().Marked("q"); got != want {
			t.Errorf("[%s] is marked q: %t; want %t", labels, got, want)
		}
	}
}

// TestAnyLabelMayBeEach of those that are asked for, and is told of.
func TestAnyLabelMayBeEach(t *testing.T) {
	for labels, want := range map[string]string{`"q"`: "true false", `"*"`: "true true", `"a","*"`: "true true", `"a"`: "false false", ``: "false false", `"*q","p:*"`: "false false"} {
		s := load(t, `{"session":{"labels":[`+labels+`]}}`).Session()
		if got := fmt.Sprint(s.Has("q"), s.Has("x")); got != want {
			t.Errorf("[%s] has q and x: %s; want %s", labels, got, want)
		}
	}
}

func TestLargeValuesAreFetchedWhole(t *testing.T) {
	large := strings.Repeat("0123456789", 1000)
	if got := load(t, `{"call":{"arguments":{"a":"`+large+`"}}}`).Call().Argument("/a").Text(); got != large {
		t.Errorf("fetches %d bytes; want %d", len(got), len(large))
	}
}

func FuzzJSONIsReadAsTheStandardLibraryReadsIt(f *testing.F) {
	for _, s := range []string{sample, `[]`, `[[],{}]`, `{"a":[1,-0.5e+3,"\u00e9\\"],"b":{}}`, `[1,]`, `{"a"}`, `[}`, `01`, `-`, `"\x"`, `tru`, `nullx`, ` 1 `, `[1 2]`, `{"a":1,}`, "\"\x01\"", `"\ud800\u0041"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := json.Valid([]byte(s)) && utf8.ValidString(s)
		if got := valid(s); got != want {
			t.Fatalf("%q: valid is %v; want %v", s, got, want)
		}
		n := 0
		for v := range Parse(s).All() {
			n++
			var text any
			if err := json.Unmarshal([]byte(v.JSON()), &text); err != nil {
				t.Fatalf("%q: %q is no JSON: %v", s, v.JSON(), err)
			}
			if read, ok := text.(string); ok && read != v.Text() {
				t.Fatalf("%q: text %q; want %q", s, v.Text(), read)
			}
		}
		if want != (n > 0) {
			t.Fatalf("%q: %d values", s, n)
		}
	})
}
