package abi_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

func parse(t testing.TB, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestCanonicalJSONKeepsWhatDecodersLose(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"members sorted, no space", ` { "b" : 1 , "a" : [ true , null ] } `, `{"a":[true,null],"b":1}`},
		{"number lexemes", `[1.0,1e0,10,1E400,-0,9007199254740993,0.10000000000000000001]`, `[1.0,1e0,10,1E400,-0,9007199254740993,0.10000000000000000001]`},
		{"escapes that need not be", `"\u0061\/\u00e9\u2028"`, "\"a/é\u2028\""},
		{"escapes that must be", `"\u0000\u001f\"\\\n\t\b\f\r"`, `"\u0000\u001f\"\\\n\t\b\f\r"`},
		{"a surrogate pair", `"\ud83d\ude00"`, `"😀"`},
		{"a lone high surrogate", `"a\ud800b"`, `"a\ud800b"`},
		{"a lone low surrogate", `"\uDFFF"`, `"\udfff"`},
		{"two high ones", `"\ud800\ud801\udc00"`, `"\ud800𐐀"`},
		{"lone surrogates as names", `{"\ud801":1,"a":2}`, `{"a":2,"\ud801":1}`},
		{"names in UTF-16 order", `{"\uff61":1,"😀":2,"é":3,"z":4}`, `{"z":4,"é":3,"😀":2,"｡":1}`},
		{"empty", `{"a":{},"b":[],"":""}`, `{"":"","a":{},"b":[]}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := parse(t, c.in)
			if got := v.String(); got != c.want {
				t.Errorf("%s; want %s", got, c.want)
			}
			if again := parse(t, v.String()); again.String() != v.String() || !again.Equal(v) {
				t.Error("canonical JSON is not a fixed point")
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestThreeLoneSurrogatesHaveThreeDigests(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []string{`"\ud800"`, `"\ud801"`, `"\udc00"`, `"\ufffd"`} {
		seen[parse(t, s).Digest()] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d digests; want 4", len(seen))
	}
	if parse(t, `{"a":1,"b":2}`).Digest() != parse(t, `{"b":2,"a":1}`).Digest() {
		t.Error("the order of members changes the digest")
	}
	if parse(t, `1.0`).Digest() == parse(t, `1`).Digest() {
		t.Error("two lexemes have one digest")
	}
}

func TestAnyStringIsWrittenAsJSON(t *testing.T) {
	for in, want := range map[string]string{
		"a\xffb": "\"a\ufffdb\"", "\x80\"\n": "\"\ufffd\\\"\\n\"", "\xed\xa0\x80\xff": "\"\\ud800\ufffd\"", "é\"": "\"é\\\"\"", "plain text of more than eight": "\"plain text of more than eight\"",
	} {
		got := string(abi.AppendString(nil, in))
		if _, err := abi.Parse([]byte(got)); got != want || err != nil {
			t.Errorf("%q: %s, %v; want %s", in, got, err, want)
		}
	}
}

func TestWhatIsNotStrictJSONIsRefused(t *testing.T) {
	deep := strings.Repeat("[", abi.MaxDepth+1) + strings.Repeat("]", abi.MaxDepth+1)
	bad := []string{
		``, ` `, `{`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"x":{"a":1,"a":1}}`, `NaN`, `[1,]`, `{"a":1,}`, `1 2`, `// c` + "\n1", "\"\xff\"", "\"\xed\xa0\x80\"",
		"\ufeff1", `'a'`, `01`, `+1`, `.5`, `"a` + "\n" + `"`, deep, "\x00",
	}
	for _, s := range bad {
		if v, err := abi.Parse([]byte(s)); err == nil {
			t.Errorf("%.40q is read as %.40s", s, v)
		}
	}
	good := []string{`1`, `"a"`, `null`, `[]`, `{"a":1,"A":2}`, deep[1 : len(deep)-1], " \t\r\n1 \n"}
	for _, s := range good {
		if _, err := abi.Parse([]byte(s)); err != nil {
			t.Errorf("%.40q: %v", s, err)
		}
	}
}

func TestPointersNameValues(t *testing.T) {
	v := parse(t, `{"a":{"b/c":[10,{"~":"x"}]},"":1,"0":2}`)
	for pointer, want := range map[string]string{
		"": v.String(), "/a/b~1c/0": "10", "/a/b~1c/1/~0": `"x"`, "/": "1", "/0": "2",
		"/a/b~1c/01": "", "/a/b~1c/-": "", "/a/b~1c/2": "", "a": "", "/a/x": "", "/0/0": "",
	} {
		if got := v.At(pointer).String(); got != want {
			t.Errorf("%q: %s; want %s", pointer, got, want)
		}
	}
	w, ok := v.Set("/a/b~1c/1/~0", abi.StringValue("y"))
	if !ok || w.At("/a/b~1c/1/~0").Str() != "y" || v.At("/a/b~1c/1/~0").Str() != "x" {
		t.Error("a copy is changed, and only the copy")
	}
	if _, ok := v.Set("/a/nothing/0", abi.StringValue("y")); ok {
		t.Error("a value is set where there is none")
	}
}

func TestPinsCoverWhatTheModelReads(t *testing.T) {
	base := `{"name":"a","title":"T","description":"d","inputSchema":{"type":"object"},"outputSchema":{},"annotations":{"x":1},"_meta":{"v":1}}`
	pin := abi.PinDigest(parse(t, base))
	same := []string{
		`{"_meta":{"v":2},"annotations":{"x":1},"outputSchema":{},"inputSchema":{"type":"object"},"description":"d","title":"T","name":"a"}`,
		strings.Replace(base, `"_meta":{"v":1}`, `"icons":[]`, 1),
	}
	for _, s := range same {
		if abi.PinDigest(parse(t, s)) != pin {
			t.Errorf("another pin: %s", s)
		}
	}
	for member, other := range map[string]string{
		"title": `"T"/"U"`, "description": `"d"/"e"`, "inputSchema": `"object"/"array"`, "outputSchema": `"outputSchema":{}/"outputSchema":{"a":1}`, "annotations": `"x":1/"x":2`,
	} {
		from, to, _ := strings.Cut(other, "/")
		changed := parse(t, strings.Replace(base, from, to, 1))
		if abi.PinDigest(changed) == pin {
			t.Errorf("a change of %s keeps the pin", member)
		}
		if got := strings.Join(abi.ChangedMembers(parse(t, base), changed), " "); got != member {
			t.Errorf("changed %q; want %s", got, member)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"b":[1.0,"\ud800"],"a":{}}`, `"\ud83d\ude00"`, `[1e999,-0]`, `{"\ud800":1,"\ud801":2}`, `{"😀":1,"｡":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := abi.Parse(data)
		if err != nil {
			return
		}
		once := v.Append(nil)
		w, err := abi.Parse(once)
		if err != nil {
			t.Fatalf("canonical JSON does not parse: %v: %s", err, once)
		}
		if twice := w.Append(nil); string(twice) != string(once) || w.Digest() != v.Digest() {
			t.Fatalf("%s; then %s", once, twice)
		}
		for _, m := range v.Members() {
			if !v.Get(m.Name).Equal(m.Value) {
				t.Fatalf("member %q is not found", m.Name)
			}
		}
	})
}

func TestValuesAreEqualWhereTheirCanonicalFormsAre(t *testing.T) {
	cases := []struct {
		a, b string
		want bool
	}{
		{`{"a":[1,"x"],"b":null}`, `{"b":null, "a":[1,"\u0078"]}`, true},
		{`{"a":[1,"x"],"b":null}`, `{"a":[1,"y"],"b":null}`, false},
		{`[]`, `{}`, false},
		{`[]`, `[ ]`, true},
		{`1`, `1.0`, false},
		{`1`, `"1"`, false},
	}
	for _, c := range cases {
		a, b := parse(t, c.a), parse(t, c.b)
		if got := a.Equal(b); got != c.want || b.Equal(a) != c.want || !a.Equal(a) || !b.Equal(b) {
			t.Errorf("%s and %s: %v, want %v; each is equal to itself", c.a, c.b, got, c.want)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
