package wire

import (
	"fmt"
	"strings"
	"testing"
)

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestLimitsRefuseWhatIsOverThemAndNothingElse(t *testing.T) {
	batch := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/x"},`, n), ",") + "]"
	}
	call := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":` + arguments + `}}}`
	}
	list := func(n int, item func(i int) string) string {
		var items []string
		for i := range n {
			items = append(items, item(i))
		}
		return strings.Join(items, ",")
	}
	asking := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{` + list(n, func(i int) string { return fmt.Sprintf(`"%d":{"method":"roots/list"}`, i) }) + `}}}`
	}
	visiting := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"data":{"elicitations":[` + list(n, func(int) string { return `{"url":"x"}` }) + `]}}}`
	}
	cases := []struct {
		name, frame string
		side        Side
		opt         Options
		want        string
	}{
		{"depth at the default", call(nested(DefaultMaxDepth - 3)), FromClient, Options{}, ""},
		{"depth over the default", call(nested(DefaultMaxDepth - 2)), FromClient, Options{}, CodeTooDeep},
		{"depth at a limit of its own", call(nested(2)), FromClient, Options{MaxDepth: 5}, ""},
		{"depth over a limit of its own", call(nested(3)), FromClient, Options{MaxDepth: 5}, CodeTooDeep},
		{"many objects beside each other", call("[" + strings.Repeat(`{"b":[]},`, 2000) + "0]"), FromClient, Options{}, ""},
		{"brackets in strings", call(`"` + strings.Repeat(`[\"{\\`, 2000) + `"`), FromClient, Options{}, ""},
		{"A5, ten thousand brackets before the method", `{"x":` + nested(10001) + "," + call("1")[1:], FromClient, Options{MaxDepth: 1 << 30}, CodeTooDeep},
		{"a server's depth at the default", `{"jsonrpc":"2.0","id":1,"result":` + nested(DefaultMaxDepth-1) + `}`, FromServer, Options{}, ""},
		{"a server's depth over the default", `{"jsonrpc":"2.0","id":1,"result":` + nested(DefaultMaxDepth) + `}`, FromServer, Options{}, CodeTooDeep},
		{"batch at the default", batch(DefaultMaxBatch), FromClient, Options{Batches: true}, ""},
		{"batch over the default", batch(DefaultMaxBatch + 1), FromClient, Options{Batches: true}, CodeBatchTooLong},
		{"batch at a limit of its own", batch(2), FromServer, Options{MaxBatch: 2}, ""},
		{"batch over a limit of its own", batch(3), FromServer, Options{MaxBatch: 2}, CodeBatchTooLong},
		{"requests in a result at the limit", asking(DefaultMaxBatch), FromServer, Options{}, ""},
		{"requests in a result over the limit", asking(DefaultMaxBatch + 1), FromServer, Options{}, CodeInputRequests},
		{"URLs in an error at the limit", visiting(DefaultMaxBatch), FromServer, Options{}, ""},
		{"URLs in an error over the limit", visiting(DefaultMaxBatch + 1), FromServer, Options{}, CodeInputRequests},
	}
	refused, allowed := 0, 0
	for _, c := range cases {
		f := Classify([]byte(c.frame), c.side, c.opt)
		got := ""
		if f.Problem != nil {
			got = f.Problem.Code
			refused++
		} else {
			allowed++
		}
		if got != c.want {
			t.Errorf("%s: got %q (%v), want %q", c.name, got, f.Kind, c.want)
		}
		checkFrame(t, f, c.side)
	}
	if refused == 0 || allowed == 0 {
		t.Fatalf("%d refused and %d allowed; want both", refused, allowed)
	}
}

func TestRefusedFrameAnswersABoundedNumberOfIDs(t *testing.T) {
	var elements []string
	for i := range 3000 {
		elements = append(elements, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	f := Classify([]byte("["+strings.Join(elements, ",")+"]"), FromClient, Options{Batches: true})
	if f.Problem == nil || f.Problem.Code != CodeBatchTooLong || len(f.Problem.IDs) != maxScannedIDs {
		t.Errorf("got problem %+v", f.Problem.Code)
	}
}

func TestIDsAreFoundInTextThatIsNotJSON(t *testing.T) {
	long := strings.Repeat("x", maxScannedText)
	cases := []struct {
		name, text string
		want       string // requests / responses / unclear
	}{
		{"behind an error", `{"x":NaN,"method":"a","id":1}`, "1/-/-"},
		{"a string with an escaped quote", `{"id":"a\"}b","method":"x",]`, `"a\"}b"/-/-`},
		{"an escaped name", `{"\u0069d":5,"result":{},}`, "-/5/-"},
		{"not below the top", `{"params":{"id":1},"method":"x",}`, "-/-/-"},
		{"not a value that reads id", `{"x":"id","y":7,}`, "-/-/-"},
		{"in the objects of an array", `[{"id":1,"method":"x"},{"id":2,"result":0},NaN,{"id":3}]`, "1/2/3"},
		{"in each object of a line", `{"id":1,"method":"x"} {"id":2,"method":"y"}`, "1,2/-/-"},
		{"a number that ends with the text", `{"id":12`, "-/-/12"},
		{"an id that is no lexeme", `{"id":1-2,"method":"x",}`, "-/-/-"},
		{"an id that is a word", `{"id":true,"method":"x",}`, "-/-/-"},
		{"an id with a raw control character", "{\"id\":\"\x01\",}", "-/-/-"},
		{"an id that is not UTF-8", "{\"id\":\"\xff\",}", "-/-/-"},
		{"an id too long to keep", `{"id":"` + long + `",}`, "-/-/-"},
		{"an id behind a long string", `{"x":"` + long + `","id":4,}`, "-/-/4"},
		{"closing brackets in front", `}}]{"id":4,}`, "-/-/4"},
	}
	found := 0
	for _, c := range cases {
		s := scanIDs([]byte(c.text))
		got := lexemes(s.requests) + "/" + lexemes(s.responses) + "/" + lexemes(s.unclear)
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if got != "-/-/-" {
			found++
		}
		var pieces idScanner
		for i := range len(c.text) {
			pieces.feed([]byte(c.text[i : i+1]))
		}
		s = pieces.finish()
		if again := lexemes(s.requests) + "/" + lexemes(s.responses) + "/" + lexemes(s.unclear); again != got {
			t.Errorf("%s: byte by byte got %s, at once %s", c.name, again, got)
		}
	}
	if found == 0 {
		t.Fatal("no case found an id")
	}
}

func TestIDKeysKeepTypeAndText(t *testing.T) {
	cases := []struct {
		a, b string
		same bool
	}{
		{`1`, `"1"`, false},
		{`0`, `"0"`, false},
		{`0`, `""`, false},
		{`""`, ``, false},
		{`null`, `"null"`, false},
		{`9007199254740993`, `9007199254740992`, true},
		{`9007199254740993`, `9007199254740996`, false},
		{`9007199254740993`, `"9007199254740993"`, false},
		{`900719925474099`, `900719925474098`, false},
		{`"a"`, `"A"`, false},
		{`"a"`, `"a "`, false},
		{`-7`, `-7`, true},
		{`"1"`, `"\u0031"`, true},
		{`"/"`, `"\/"`, true},
		{`"\ud83d\ude00"`, `"😀"`, true},
		{`"\ud800"`, `"\ud801"`, true},
	}
	same := 0
	for _, c := range cases {
		if got := (ID{c.a}).Key() == (ID{c.b}).Key(); got != c.same {
			t.Errorf("%s and %s: same key %v, want %v", c.a, c.b, got, c.same)
		}
		if c.same {
			same++
		}
	}
	if same == 0 || same == len(cases) {
		t.Fatalf("%d of %d pairs are the same; want some of each", same, len(cases))
	}
}

func TestCursorsKeepWhatWasSent(t *testing.T) {
	cases := []struct {
		frame string
		side  Side
		text  string
		has   bool
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"a\u0062"}}`, FromClient, "ab", true},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":""}}`, FromClient, "", true},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}`, FromClient, "5", true},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}`, FromClient, "", false},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, FromClient, "", false},
		{`{"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":"p2"}}`, FromServer, "p2", true},
		{`{"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":""}}`, FromServer, "", true},
		{`{"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":null}}`, FromServer, "", false},
		{`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"nextCursor":"x"}]}}`, FromServer, "", false},
	}
	for _, c := range cases {
		f := Classify([]byte(c.frame), c.side, Options{})
		text, has := f.Cursor, f.HasCursor
		if c.side == FromServer {
			text, has = f.NextCursor, f.HasNext
		}
		if f.Kind == Refused || text != c.text || has != c.has {
			t.Errorf("%s: got %v %q %v, want %q %v", c.frame, f.Kind, text, has, c.text, c.has)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestElementSpansLieInTheElement(t *testing.T) {
	raw := []byte(` [ {"jsonrpc":"2.0","method":"notifications/x"} , {"jsonrpc":"2.0","id":2,"method":"tools/call","params": {"name":"ls","arguments":{"a":1}}} ] ` + "\n")
	f := Classify(raw, FromClient, Options{Batches: true})
	if f.Kind != Batch || len(f.Elements) != 2 {
		t.Fatalf("got %v with %d elements", f.Kind, len(f.Elements))
	}
	e := f.Elements[1]
	if got := string(e.Params.In(e.Raw)); got != `{"name":"ls","arguments":{"a":1}}` {
		t.Errorf("params are %q", got)
	}
	if got := string(e.Call.Arguments.In(e.Raw)); got != `{"a":1}` {
		t.Errorf("arguments are %q", got)
	}
}

func TestZeroFrameIsRefused(t *testing.T) {
	var f Frame
	if f.Kind != Refused || f.Kind.String() != "refused" || Kind(200).String() != "unknown" {
		t.Errorf("the zero frame is %v", f.Kind)
	}
	if p := NewProblem("no such code", ""); p.RPCCode != rpcInvalidRequest || p.Reason == "" {
		t.Errorf("an unknown code gives %+v", p)
	}
	if f := Classify([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"x"}}`), Side(9), Options{}); f.Kind != Refused {
		t.Errorf("an unknown side is judged as %v", f.Kind)
	}
}
