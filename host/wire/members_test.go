package wire

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// spliced makes the edits of a whole text, "" on any error.
func spliced(t *testing.T, raw string, edits []Edit, err error) string {
	t.Helper()
	if err != nil {
		return ""
	}
	out, err := Splice([]byte(raw), edits)
	if err != nil {
		t.Fatalf("edits %v of %s do not splice: %v", edits, raw, err)
	}
	return string(out)
}

func whole(raw string) Span { return Span{0, len(raw)} }

func set(name, value string) Member { return Member{Name: name, Value: []byte(value)} }

func TestEditMembersTakesOutSetsAndAddsInOneSplice(t *testing.T) {
	drop := func(name string) Member { return Member{Name: name} }
	cases := []struct {
		name, raw string
		changes   []Member
		want      string // "" for an error
	}{
		{"nothing", `{ "a" : 1 }`, nil, `{ "a" : 1 }`},
		{"what is not there", `{"a":1}`, []Member{drop("A")}, `{"a":1}`},
		{"the only member", `{ "a" : 1 }`, []Member{drop("a")}, `{  }`},
		{"the first", "{\"a\" :1\t, \"b\":2}", []Member{drop("a")}, `{ "b":2}`},
		{"the last", "{\"a\":1 ,\n \"b\":2 }", []Member{drop("b")}, `{"a":1  }`},
		{"in between", `{"a":1,"b":[{"a":2}],"c":3}`, []Member{drop("b")}, `{"a":1,"c":3}`},
		{"neighbours at the end", `{"a":1, "b":2 ,"c":3}`, []Member{drop("c"), drop("b")}, `{"a":1}`},
		{"all", `{"a":1, "b":2}`, []Member{drop("a"), drop("b")}, `{}`},
		{"escaped", `{"\u0061":1,"b":2}`, []Member{drop("a")}, `{"b":2}`},
		{"add to none", `{ }`, []Member{set("a", `1`)}, `{"a":1 }`},
		{"add behind the last", `{"a":1 }`, []Member{set("b", `{"c": 2}`)}, `{"a":1,"b":{"c": 2} }`},
		{"add two", `{}`, []Member{set("a", `1`), set("b", `2`)}, `{"a":1,"b":2}`},
		{"set in place", `{"a": 1 ,"\u0062" : [ ] , "c":3}`, []Member{set("b", `"x"`)}, `{"a": 1 ,"\u0062" : "x" , "c":3}`},
		{"set the last and add", `{"a":1}`, []Member{set("b", `2`), set("a", `3`)}, `{"a":3,"b":2}`},
		{"take the last out and add", `{"a":1,"b":2}`, []Member{drop("b"), set("c", `3`)}, `{"a":1,"c":3}`},
		{"take all out and add", `{ "a":1 }`, []Member{drop("a"), set("c", `3`)}, `{ "c":3 }`},
		{"take the first out, set and add", `{"a":1,"b":2}`, []Member{drop("a"), set("b", `[]`), set("c", `3`)}, `{"b":[],"c":3}`},
		{"a name that needs escapes", `{}`, []Member{set("a\"\n\u2028", `1`)}, `{"a\"\n\u2028":1}`},
		{"a value with line ends", `{}`, []Member{set("a", "[1,\r\n \"\\n\"]")}, `{"a":[1,"\n"]}`},
		{"a name twice", `{}`, []Member{set("a", `1`), drop("a")}, ""},
		{"a name that is not UTF-8", `{}`, []Member{set("\xff", `1`)}, ""},
		{"a value that is two", `{}`, []Member{set("a", `1,2`)}, ""},
		{"a value with a name twice", `{}`, []Member{set("a", `{"b":1,"b":2}`)}, ""},
		{"an empty value", `{}`, []Member{set("a", ``)}, ""},
		{"an array", `[]`, []Member{set("a", `1`)}, ""},
		{"an object with a name twice", `{"a":1,"a":2}`, []Member{drop("a")}, ""},
		{"more behind the object", `{"a":1}}`, []Member{drop("a")}, ""},
		{"no end", `{"a":1`, []Member{drop("a")}, ""},
		{"not UTF-8", "{\"a\":\"\xff\"}", []Member{drop("a")}, ""},
	}
	failed := 0
	for _, c := range cases {
		edits, err := EditMembers([]byte(c.raw), whole(c.raw), c.changes...)
		if err != nil {
			failed++
		}
		if got := spliced(t, c.raw, edits, err); got != c.want {
			t.Errorf("%s: got %q and %v, want %q", c.name, got, err, c.want)
		}
	}
	if failed == 0 || failed == len(cases) {
		t.Fatalf("%d of %d failed; want some of each", failed, len(cases))
	}
}

func TestRemoveItemsKeepsTheCommasOfTheRest(t *testing.T) {
	cases := []struct{ raw, drop, want string }{
		{`[]`, `1`, `[]`},
		{`[ ]`, `1`, `[ ]`},
		{`[1, 2 ,3]`, ``, `[1, 2 ,3]`},
		{`[1, 2 ,3]`, `1`, `[ 2 ,3]`},
		{`[1, 2 ,3]`, `2`, `[1, 3]`},
		{`[1, 2 ,3 ]`, `3`, `[1, 2  ]`},
		{`[1, 2 ,3 ]`, `1 3`, `[ 2  ]`},
		{`[1, 2 ,3 ]`, `2 3`, `[1 ]`},
		{`[ 1, 2 ,3 ]`, `1 2 3`, `[  ]`},
		{`[{"a":[1,2]},"],[", null]`, `"],["`, `[{"a":[1,2]}, null]`},
		{`{"a":1}`, `1`, ""},
		{`[1,]`, `1`, ""},
		{`[1]]`, `1`, ""},
		{`[1`, `1`, ""},
		{`1`, `1`, ""},
		{``, `1`, ""},
	}
	failed := 0
	for _, c := range cases {
		drops := strings.Fields(c.drop)
		want := 0
		edits, n, err := RemoveItems([]byte(c.raw), whole(c.raw), func(item []byte) bool {
			drop := slices.Contains(drops, string(item))
			if drop {
				want++
			}
			return drop
		})
		if err != nil {
			failed++
			want = 0
		}
		if got := spliced(t, c.raw, edits, err); got != c.want || n != want {
			t.Errorf("%s without %s: got %q, %d and %v, want %q and %d", c.raw, c.drop, got, n, err, c.want, want)
		}
	}
	if failed == 0 || failed == len(cases) {
		t.Fatalf("%d of %d failed; want some of each", failed, len(cases))
	}
}

func TestMembersAndItemsStopWhereTheirReaderDoes(t *testing.T) {
	const raw = `{"a":1,"b":2,}`
	var seen []string
	for e, err := range Members([]byte(raw), whole(raw)) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, e.Name); e.Name == "b" {
			break
		}
	}
	const list = `[1,2,x]`
	for s, err := range Items([]byte(list), whole(list)) {
		if err != nil {
			seen = append(seen, "error")
			continue
		}
		seen = append(seen, string(s.In([]byte(list))))
	}
	for _, err := range Items([]byte(list), whole(list)) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if got := strings.Join(seen, " "); got != "a b 1 2 error" {
		t.Errorf("saw %s", got)
	}
}

func TestEditsOfSeveralPlacesComposeInOneSplice(t *testing.T) {
	const raw = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ls","_meta":{"progressToken":5 },"inputResponses":{"callgate.approval":{},"up":{}},"requestState":"sealed"}}` + "\n"
	f := Classify([]byte(raw), FromClient, Options{})
	if f.Kind != Request {
		t.Fatalf("got %v %+v", f.Kind, f.Problem)
	}
	var edits []Edit
	for _, change := range []struct {
		object  Span
		changes []Member
	}{
		{f.Params, []Member{{Name: "requestState"}}},
		{f.InputResponses, []Member{{Name: "callgate.approval"}}},
		{f.Call.Meta, []Member{set("progressToken", `"cg"`), set("x", `1`)}},
	} {
		more, err := EditMembers(f.Raw, change.object, change.changes...)
		if err != nil {
			t.Fatal(err)
		}
		edits = append(edits, more...)
	}
	edits = append(edits, Edit{f.IDSpan, []byte(`"n"`)})
	const want = `{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"ls","_meta":{"progressToken":"cg","x":1 },"inputResponses":{"up":{}}}}` + "\n"
	if got := spliced(t, raw, edits, nil); got != want {
		t.Errorf("got %s", got)
	}
	more, err := EditMembers(f.Raw, f.Params, Member{Name: "_meta"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Splice(f.Raw, append(more, edits...)); err == nil {
		t.Error("edits within a member that goes were spliced")
	}
}

func TestLineOfBringsAFrameToOneLine(t *testing.T) {
	cases := []struct {
		name, raw string
		side      Side
		opt       Options
		want      string // "" for an error
	}{
		{"a line", `{ "jsonrpc":"2.0","id":1,"method":"ping" } ` + "\n", FromClient, Options{}, `{ "jsonrpc":"2.0","id":1,"method":"ping" } ` + "\n"},
		{"a line of CRLF", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r\n", FromClient, Options{}, `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r\n"},
		{"a body without a line feed", `{ "jsonrpc":"2.0","id":1,"method":"ping"}`, FromClient, Options{}, `{ "jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"},
		{"line feeds between the tokens", "{\n \"jsonrpc\": \"2.0\",\n \"id\": 1e0,\n \"error\": {\"a\": \"\\n\\u0061 b\"}}", FromServer, Options{}, ""},
		{"line feeds between strict tokens", "{\n \"jsonrpc\": \"2.0\",\n \"id\": 1,\n \"result\": {\"a\": \"\\n\\u0061 b\"}\n}\n", FromServer, Options{}, `{"jsonrpc":"2.0","id":1,"result":{"a":"\n\u0061 b"}}` + "\n"},
		{"an empty line in front", "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", FromClient, Options{}, `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"},
		{"an empty line behind", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n", FromClient, Options{}, `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"},
		{"a batch", "[{\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"ping\"}]", FromClient, Options{Batches: true}, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]` + "\n"},
		{"a client's carriage return in a body", "{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\"method\":\"ping\"}", FromClient, Options{}, ""},
		{"a server's carriage return in a body", "{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\"result\":{}}", FromServer, Options{}, ""},
		{"a call hidden behind carriage returns", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":\r{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}\r}", FromClient, Options{}, ""},
		{"a batch with a refused element", `[{"jsonrpc":"2.0","id":1,"method":"ping"},5]`, FromClient, Options{Batches: true}, ""},
		{"a blank body", " \n ", FromClient, Options{}, ""},
		{"noise", "ready\n", FromServer, Options{}, ""},
	}
	failed := 0
	for _, c := range cases {
		got, err := LineOf(Classify([]byte(c.raw), c.side, c.opt))
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
	if _, err := LineOf(Frame{}); err == nil {
		t.Error("the zero frame is a line")
	}
}

func TestLineOfLeavesTheReceivedBytesAlone(t *testing.T) {
	backing := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}next`)
	f := Classify(backing[:40], FromClient, Options{})
	if line, err := LineOf(f); err != nil || string(line) != string(backing[:40])+"\n" || string(backing[40:]) != "next" {
		t.Errorf("got %q and %v, behind it %q", line, err, backing[40:])
	}
}

// TestGeneratedEditsChangeNothingElse edits generated objects and arrays with all kinds of white space, and reads what stays.
func TestGeneratedEditsChangeNothingElse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	gap := func() string { return []string{"", "", " ", "\t", "\n ", " \r\n"}[r.IntN(6)] }
	values := []string{`1`, `"],}"`, `[ 1,2 ]`, `{"a":{"b":1}}`, `null`, `-0.0e1`, `"\ud800"`, `","`}
	changed := 0
	for range 4000 {
		var parts []string
		n := r.IntN(6)
		for i := range n {
			parts = append(parts, gap()+fmt.Sprintf(`"m%d"`, i)+gap()+":"+gap()+values[r.IntN(len(values))]+gap())
		}
		object := "{" + strings.Join(parts, ",") + gap() + "}"
		if n > 0 {
			object = "{" + strings.Join(parts, ",") + "}"
		}
		raw := `[0, ` + object + ` ,"x"]`
		at := Span{4, 4 + len(object)}
		var changes []Member
		for i := range 8 {
			switch r.IntN(4) {
			case 0:
				changes = append(changes, Member{Name: fmt.Sprintf("m%d", i)})
			case 1:
				changes = append(changes, set(fmt.Sprintf("m%d", i), values[r.IntN(len(values))]))
			}
		}
		r.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		if checkEditMembers(t, []byte(raw), at, changes) {
			changed++
		}
		for i := range parts {
			parts[i] = gap() + "{" + parts[i] + "}" + gap()
		}
		list := "[" + strings.Join(parts, ",") + "]"
		checkRemoveItems(t, []byte(`{"a": `+list+` }`), Span{6, 6 + len(list)}, r.Uint64())
	}
	if changed < 1000 {
		t.Errorf("%d texts were changed; the generator meets too little", changed)
	}
}
