package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

func edit(start, end int, with string) Edit { return Edit{Span{start, end}, []byte(with)} }

func TestSpliceChangesItsSpansOnly(t *testing.T) {
	const raw = "0123456789"
	cases := []struct {
		name  string
		edits []Edit
		want  string // "" for an error
	}{
		{"no edit", nil, raw},
		{"one", []Edit{edit(2, 4, "abc")}, "01abc456789"},
		{"out of order", []Edit{edit(8, 9, "y"), edit(0, 1, "x")}, "x1234567y9"},
		{"side by side", []Edit{edit(2, 4, "a"), edit(4, 6, "b")}, "01ab6789"},
		{"insertions at one place keep their order", []Edit{edit(3, 3, "a"), edit(3, 3, "b")}, "012ab3456789"},
		{"an insertion in front of a replacement", []Edit{edit(3, 5, "b"), edit(3, 3, "a")}, "012ab56789"},
		{"both ends", []Edit{edit(0, 0, "<"), edit(10, 10, ">")}, "<0123456789>"},
		{"all of it", []Edit{edit(0, 10, "x")}, "x"},
		{"overlap", []Edit{edit(2, 5, "a"), edit(4, 6, "b")}, ""},
		{"an insertion within a replacement", []Edit{edit(2, 5, "a"), edit(3, 3, "b")}, ""},
		{"behind the end", []Edit{edit(8, 11, "a")}, ""},
		{"in front of the start", []Edit{edit(-1, 1, "a")}, ""},
		{"backwards", []Edit{edit(5, 2, "a")}, ""},
	}
	failed := 0
	for _, c := range cases {
		got, err := Splice([]byte(raw), c.edits)
		if err != nil {
			failed++
		}
		if string(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: got %q and %v, want %q", c.name, got, err, c.want)
		}
	}
	if failed == 0 || failed == len(cases) {
		t.Fatalf("%d of %d failed; want some of each", failed, len(cases))
	}
}

func TestFindNamesOneValue(t *testing.T) {
	const raw = `  {"a": {"b/c": [10, {"d~e":"x"} ], "": 1 , "\u0066": null}, "g":[]}`
	cases := []struct{ pointer, want string }{
		{"", strings.TrimSpace(raw)},
		{"/a/b~1c/0", "10"},
		{"/a/b~1c/1/d~0e", `"x"`},
		{"/a/", "1"},
		{"/a/f", "null"},
		{"/g", "[]"},
		{"/h", ""},
		{"/a/b~1c/2", ""},
		{"/a/b~1c/00", ""},
		{"/a/b~1c/-", ""},
		{"/a/b~1c/-0", ""},
		{"/a/b~1c/+1", ""},
		{"/g/0", ""},
		{"/a/f/x", ""},
		{"a", ""},
		{"/a~2", ""},
		{"/a~", ""},
	}
	missing := 0
	for _, c := range cases {
		s, err := Find([]byte(raw), Span{0, len(raw)}, c.pointer)
		if err != nil {
			missing++
		}
		if got := string(s.In([]byte(raw))); (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("%q: got %q and %v, want %q", c.pointer, got, err, c.want)
		}
	}
	if missing == 0 || missing == len(cases) {
		t.Fatalf("%d of %d missing; want some of each", missing, len(cases))
	}
	if _, err := Find([]byte(raw), Span{0, len(raw)}, "/h"); !IsNotFound(err) {
		t.Errorf("an absent member gives %v", err)
	}
	if _, err := Find([]byte(raw), Span{0, len(raw)}, "h"); err == nil || IsNotFound(err) {
		t.Errorf("a malformed pointer gives %v", err)
	}
	if _, err := Find([]byte(raw), Span{0, len(raw) + 1}, ""); err == nil || IsNotFound(err) {
		t.Errorf("a span outside the text gives %v", err)
	}
}

func TestFindWorksWithinASpan(t *testing.T) {
	raw := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"to":["a","b"]}}}`)
	f := Classify(raw, FromClient, Options{})
	s, err := Find(raw, f.Call.Arguments, "/to/1")
	if err != nil || string(s.In(raw)) != `"b"` {
		t.Errorf("got %q and %v", s.In(raw), err)
	}
}

func TestStripOwnMetaTakesMembersWithOneComma(t *testing.T) {
	const own = `"dev.callgate/x"`
	cases := []struct{ name, in, want string }{
		{"the only member", `{"_meta":{` + own + `:1}}`, `{"_meta":{}}`},
		{"the first", `{"_meta":{ ` + own + ` : 1 , "a":2 }}`, `{"_meta":{  "a":2 }}`},
		{"the last", `{"_meta":{"a":2 , ` + own + `:1 }}`, `{"_meta":{"a":2  }}`},
		{"in between", `{"_meta":{"a":2,` + own + `:{"b":[1,2]},"c":3}}`, `{"_meta":{"a":2,"c":3}}`},
		{"all of several", `{"_meta":{ ` + own + `:1 , "dev.callgate/y":2 }}`, `{"_meta":{  }}`},
		{"several at the end", `{"_meta":{"a":1 , ` + own + `:1 , "dev.callgate/y":2 }}`, `{"_meta":{"a":1  }}`},
		{"both sides of one kept", `{"_meta":{` + own + `:1,"a":1,"dev.callgate/y":2}}`, `{"_meta":{"a":1}}`},
		{"escaped", `{"\u005fmeta":{"dev\u002ecallgate/x":1,"a":1}}`, `{"\u005fmeta":{"a":1}}`},
		{"a short escape", `{"_meta":{"dev.callgate\/x":1}}`, `{"_meta":{}}`},
		{"the bare prefix", `{"_meta":{"dev.callgate/":1}}`, `{"_meta":{}}`},
		{"deep", `[{"a":{"_meta":{` + own + `:1}}},{"_meta":{"b":{"_meta":{` + own + `:2}}}}]`, `[{"a":{"_meta":{}}},{"_meta":{"b":{"_meta":{}}}}]`},
		{"a _meta within one that goes", `{"_meta":{` + own + `:{"_meta":{` + own + `:1}}}}`, `{"_meta":{}}`},
		{"another case of _meta", `{"_META":{` + own + `:1}}`, `{"_META":{}}`},
		{"elsewhere", `{"meta":{` + own + `:1},` + own + `:2}`, ""},
		{"as a value", `{"_meta":{"a":` + own + `}}`, ""},
		{"another prefix", `{"_meta":{"dev.callgate":1,"dev.callgatex/":2,"x.dev.callgate/":3}}`, ""},
		{"in objects of an array", `{"_meta":[{` + own + `:1}]}`, ""},
		{"escapes that hide nothing", `{"_meta":{"\u0041\/":"\u0064"}}`, ""},
		{"a backslash at the end of a string", `{"_meta":{"a\\":"/"}}`, ""},
	}
	changed := 0
	for _, c := range cases {
		got, did, err := StripOwnMeta([]byte(c.in))
		want := c.want
		if want == "" {
			want = c.in
		} else {
			changed++
		}
		if err != nil || string(got) != want || did != (c.want != "") {
			t.Errorf("%s: got %s, %v, %v; want %s", c.name, got, did, err, want)
		}
		if !json.Valid(got) {
			t.Errorf("%s: %s is not JSON", c.name, got)
		}
	}
	if changed == 0 || changed == len(cases) {
		t.Fatalf("%d of %d changed; want some of each", changed, len(cases))
	}
	for _, bad := range []string{`{"_meta":{"dev.callgate/x":1}`, `{"_meta":{"dev.callgate/x":1,"dev.callgate/x":2}}`, `{"dev.callgate/":"` + "\xff" + `"}`, `{"dev.callgate/":1}{}`} {
		if _, _, err := StripOwnMeta([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestCompactKeepsLexemes(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"white space", " { \"a\" :\r\n [ 1 , 2 ]\t} \n", `{"a":[1,2]}`},
		{"numbers", `[ 1e999, -0, 1.0, 1E+2, 9007199254740993 ]`, `[1e999,-0,1.0,1E+2,9007199254740993]`},
		{"strings", "[ \"\\u0061\\/\\ud800\", \" \u2028<&>\" ]", "[\"\\u0061\\/\\ud800\",\" \u2028<&>\"]"},
		{"order", `{"b":1, "a":2}`, `{"b":1,"a":2}`},
		{"a bare value", ` null `, `null`},
		{"names twice", `{"a":1,"a":2}`, ""},
		{"two values", `1 2`, ""},
		{"no value", ` `, ""},
		{"not UTF-8", "\"\xff\"", ""},
		{"NaN", `[NaN]`, ""},
	}
	failed := 0
	for _, c := range cases {
		got, err := Compact([]byte(c.in))
		if err != nil {
			failed++
		}
		if string(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: got %s and %v, want %s", c.name, got, err, c.want)
		}
	}
	if failed == 0 || failed == len(cases) {
		t.Fatalf("%d of %d failed; want some of each", failed, len(cases))
	}
}

func TestBuiltFramesAreOneStrictLine(t *testing.T) {
	hostile := "a\"\\\b\n\r\t\x00\x1f\u2028\u2029<>&ж😀\xff"
	cases := []struct{ name, got, want string }{
		{"error", string(ErrorFrame(ID{`7`}, -32600, "no <b>&", nil)), `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"no <b>&"}}`},
		{"error without id", string(ErrorFrame(ID{}, -1, "x", nil)), `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}`},
		{"error with data", string(ErrorFrame(ID{`"a"`}, 1, "x", []byte(" { \"a\" :\n1e999 } "))), `{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"x","data":{"a":1e999}}}`},
		{"error with data that is not JSON", string(ErrorFrame(ID{`1`}, 1, "x", []byte(`{"a":1}}`))), `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`},
		{"an id that is an injection", string(ErrorFrame(ID{`1,"result":{}`}, 1, "x", nil)), `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`},
		{"an id with a line separator", string(ErrorFrame(ID{"\"\u2028\""}, 1, "x", nil)), `{"jsonrpc":"2.0","id":"\u2028","error":{"code":1,"message":"x"}}`},
		{"an id with a lone surrogate", string(ErrorFrame(ID{`"\ud800"`}, 1, "x", nil)), `{"jsonrpc":"2.0","id":"\ud800","error":{"code":1,"message":"x"}}`},
		{"hostile text", string(ErrorFrame(ID{`1`}, 1, hostile, nil)),
			`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a\"\\\u0008\n\r\t\u0000\u001f\u2028\u2029<>&ж😀\ufffd"}}`},
		{"result", string(ResultFrame(ID{`9007199254740993`}, []byte("{\"a\": \"\u2028\u2029\u2030\"}\r\n"))), "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{\"a\":\"\\u2028\\u2029\u2030\"}}"},
		{"result that is not JSON", string(ResultFrame(ID{`1`}, []byte("{"))), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the answer could not be encoded"}}`},
		{"no result", string(ResultFrame(ID{`1`}, nil)), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the answer could not be encoded"}}`},
		{"batch", string(BatchFrame([][]byte{ResultFrame(ID{`1`}, []byte(`1`)), ErrorFrame(ID{`2`}, 3, "x", nil)})),
			`[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"error":{"code":3,"message":"x"}}]`},
		{"batch with what is no frame", string(BatchFrame([][]byte{[]byte("]["), nil})),
			`[{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the answer could not be encoded"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the answer could not be encoded"}}]`},
	}
	for _, c := range cases {
		if c.got != c.want+"\n" {
			t.Errorf("%s:\n got %s\nwant %s", c.name, c.got, c.want)
		}
		if f := Classify([]byte(c.got), FromServer, Options{}); f.Kind == Refused {
			t.Errorf("%s: our own frame is refused: %+v", c.name, f.Problem)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	if BatchFrame(nil) != nil {
		t.Error("an empty batch is written")
	}
	var back string
	if err := json.Unmarshal(AppendString(nil, hostile), &back); err != nil || back != strings.ToValidUTF8(hostile, "\ufffd") {
		t.Errorf("read back as %q (%v)", back, err)
	}
}
