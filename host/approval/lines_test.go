package approval

import (
	"bufio"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

func TestRequestsAreReadStrictly(t *testing.T) {
	n := 0
	for _, c := range []struct {
		line string
		want request
		err  string
	}{
		{line: `{"do":"info"}`, want: request{do: "info"}},
		{line: `{"do":"pending"}`, want: request{do: "pending"}},
		{line: `{"do":"answer","id":"a","answer":"approve"}`, want: request{do: "answer", id: "a", yes: true}},
		{line: `{"do":"answer","id":"a","answer":"deny"}`, want: request{do: "answer", id: "a"}},
		{line: `{"do":"context","text":"t"}`, want: request{do: "context", text: "t"}},
		{line: `{"do":"accept","tool":"a","digest":"d"}`, want: request{do: "accept", tool: "a", digest: "d"}},
		{line: `{"do":"accept","tool":"","digest":"d"}`, want: request{do: "accept", digest: "d"}},
		{line: `{"do":"policy","digest":"d"}`, want: request{do: "policy", digest: "d"}},
		{line: `{"do":"policy"}`, err: "lacks a member"},
		{line: `{"do":"policy","digest":"d","tool":"a"}`, err: `member "tool"`},
		{line: ``, err: "not JSON"},
		{line: `{"do":"info"} {}`, err: "not JSON"},
		{line: `{"do":"info","do":"pending"}`, err: "not JSON"},
		{line: `["do"]`, err: `without "do"`},
		{line: `{"do":1}`, err: `without "do"`},
		{line: `{"Do":"info"}`, err: `without "do"`},
		{line: `{"do":"remember"}`, err: "want info, pending, answer, context, accept or policy"},
		{line: `{"do":"accept","tool":"a"}`, err: "lacks a member"},
		{line: `{"do":"accept","tool":"a","digest":"d","definition":"x"}`, err: `member "definition"`},
		{line: `{"do":"info","id":"a"}`, err: `member "id"`},
		{line: `{"do":"answer","id":"a"}`, err: "lacks a member"},
		{line: `{"do":"answer","answer":"approve"}`, err: "lacks a member"},
		{line: `{"do":"answer","id":"a","answer":"approve","yes":"1"}`, err: `member "yes"`},
		{line: `{"do":"answer","id":"a","answer":true}`, err: "no string"},
		{line: `{"do":"answer","id":"a","answer":"yes"}`, err: "want approve or deny"},
		{line: `{"do":"answer","id":"a","answer":""}`, err: "want approve or deny"},
		{line: `{"do":"context","text":"\ud800"}`, err: "no string of valid Unicode"},
	} {
		got, err := parseRequest([]byte(c.line))
		wants(t, c.line, err, c.err)
		if c.err == "" && got != c.want {
			t.Errorf("%s: %+v; want %+v", c.line, got, c.want)
		}
		n++
	}
	cases(t, n, 27)
}

func FuzzRequest(f *testing.F) {
	for _, s := range []string{`{"do":"info"}`, `{"do":"answer","id":"a","answer":"approve"}`, `{"do":"context","text":"\n\u202e"}`, `{"do":"answer"}`, "[]", "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseRequest(line)
		if err != nil {
			if r != (request{}) {
				t.Errorf("refused, and yet read: %+v", r)
			}
			return
		}
		sent := r.line()
		if strings.Count(string(sent), "\n") != 1 {
			t.Errorf("sent as %q; want one line", sent)
		}
		if again, err := parseRequest(sent[:len(sent)-1]); err != nil || again != r {
			t.Errorf("%+v is read again as %+v (%v)", r, again, err)
		}
	})
}

func TestLinesHaveALimitAndAnEnd(t *testing.T) {
	n := 0
	for _, c := range []struct{ name, in, want, err string }{
		{"a line", "abc\ndef\n", "abc", ""},
		{"an empty line", "\n", "", ""},
		{"as long as may be", strings.Repeat("x", 5000) + "\n", strings.Repeat("x", 5000), ""},
		{"too long", strings.Repeat("x", 5001) + "\n", "", "more than 5000 bytes"},
		{"endless", strings.Repeat("x", 1<<20), "", "more than 5000 bytes"},
		{"cut off", "abc", "", "without an end"},
		{"nothing", "", "", "EOF"},
	} {
		got, err := readLine(bufio.NewReaderSize(strings.NewReader(c.in), 16), 5000)
		wants(t, c.name, err, c.err)
		if string(got) != c.want {
			t.Errorf("%s: read %d bytes, %.20q", c.name, len(got), got)
		}
		n++
	}
	cases(t, n, 7)
}

// deep is a value that is as deep as a frame may be.
func deep(t *testing.T) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(`{"a":` + strings.Repeat("[", abi.MaxDepth-1) + strings.Repeat("]", abi.MaxDepth-1) + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestQuestionsArriveAsTheyWereAsked(t *testing.T) {
	full := sample()
	full.ID, full.Waiting = "abc", 2
	full.Ask.Channels = []string{abi.ChannelTerminal}
	full.Ask.Definition = deep(t)
	full.Ask.Items = append(full.Ask.Items, abi.AskItem{Contract: "pin", Code: "UNPINNED", Reason: "new", Once: true})
	hostile := sample()
	hostile.ID = "abd"
	hostile.Ask.Tool = "a\x00\n\u202e\"}"
	hostile.Arguments = deep(t)
	moved := sample()
	moved.ID = "abe"
	moved.Ask.Kind, moved.Ask.Tool, moved.Arguments = abi.KindResource, "resources/read", abi.ObjectValue(text("uri", "docs://a"))
	moved.Ask.Identity, moved.Ask.IdentityWas = abi.ObjectValue(text("version", "2")), abi.ObjectValue(text("version", "1"))
	moved.Ask.DefinitionWas = deep(t)
	for _, q := range []Question{full, hostile, moved} {
		v, err := questionValue(q)
		if err != nil {
			t.Fatal(err)
		}
		line, err := abi.ParseEventValue(abi.ObjectValue(abi.Member{Name: "question", Value: v}).Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		got, err := parseQuestion(line.Get("question"))
		if err != nil {
			t.Fatal(err)
		}
		if got.Arguments.String() != q.Arguments.String() || Prompt(got) != Prompt(q) {
			t.Errorf("arrived as\n%s\nwant\n%s", Prompt(got), Prompt(q))
		}
		for _, a := range []*Question{&got, &q} {
			for _, v := range []*abi.Value{&a.Ask.Definition, &a.Ask.DefinitionWas, &a.Ask.Identity, &a.Ask.IdentityWas} {
				*v, _ = abi.Parse(v.Append(nil)) // of one spelling
			}
			a.Arguments = abi.Value{}
		}
		if !reflect.DeepEqual(got, q) {
			t.Errorf("arrived as\n%+v\nwant\n%+v", got, q)
		}
	}
	for _, bad := range []string{`{}`, `{"id":"a","waiting":1}`, `{"id":"a","waiting":1,"event":{"v":1,"user":{"text":"x"}}}`} {
		v, err := abi.Parse([]byte(bad))
		if err != nil {
			t.Fatal(err)
		}
		if q, err := parseQuestion(v); err == nil {
			t.Errorf("%s is read as %+v", bad, q)
		}
	}
}

func TestWhatAProcessIsArrives(t *testing.T) {
	want := Info{ID: "s", Server: "mail", Group: "g", Ledger: "l", Version: "1", Policy: "p", PolicyDigest: "d", Files: []string{"a", "b"},
		PID: 7, Started: time.Date(2026, 11, 29, 10, 0, 0, 5, time.UTC), UserContext: true, Observe: true}
	got, err := parseInfo(infoValue(want))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("arrived as %+v (%v); want %+v", got, err, want)
	}
	if got, err := parseInfo(abi.ObjectValue()); err == nil {
		t.Errorf("nothing is read as %+v", got)
	}
}

func TestContextHasLimits(t *testing.T) {
	n := 0
	for _, c := range []struct{ name, text, want string }{
		{"a text", "write to a@x.example", ""},
		{"as long as may be", strings.Repeat("x", MaxContext), ""},
		{"empty", "", "empty"},
		{"too long", strings.Repeat("x", MaxContext+1), "at most 65536"},
		{"no text", "\xff", "not UTF-8"},
	} {
		wants(t, c.name, checkContext(c.text), c.want)
		n++
	}
	cases(t, n, 5)
}
