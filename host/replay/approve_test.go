package replay

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
)

func TestApproveAnswersEveryAsk(t *testing.T) {
	ask := load(t, "callgate: 1\nsettings: {default: ask}\n")
	call := `{"call":{"server":"s","tool":"get"}}`
	none, err := feed(t, Options{Policy: ask}, list, call)
	if err != nil || !strings.Contains(none[1], `"ask"`) || strings.Contains(none[1], `"approval"`) {
		t.Errorf("%v %s; want an ask without an answer", err, none)
	}
	all, err := feed(t, Options{Policy: ask, Approve: true}, list, call)
	if err != nil || !strings.HasPrefix(all[1], none[1]) || !strings.Contains(all[1], `"answer":"yes"`) || !strings.Contains(all[1], `"APPROVED"`) {
		t.Errorf("%v %s; want the same ask, its answer and an allow", err, all)
	}
	deny := load(t, "callgate: 1\nsettings: {default: deny}\n")
	never, err := feed(t, Options{Policy: deny, Approve: true}, list, call)
	if err != nil || strings.Contains(never[1], "approval") {
		t.Errorf("%v %s; want a deny that nobody is asked about", err, never)
	}
}

func TestALapsedAskIsAnsweredLateOrNotAtAll(t *testing.T) {
	ask := load(t, "callgate: 1\nsettings: {default: ask}\n")
	const call = `{"call":{"server":"s","tool":"get"}}`
	for _, tt := range []struct{ how, answer, want string }{
		{"unanswered", `{"approval":"yes"}`, `"APPROVED"`},
		{"unanswered", `{"approval":"no"}`, `"ask"`},
		{"cancelled", `{"time":"2026-11-29T18:00:00Z"}`, `"ask"`},
	} {
		out, err := feed(t, Options{Policy: ask}, list, call, `{"lapsed":"`+tt.how+`"}`, tt.answer, call)
		if err != nil || out[2] != "" || out[3] != "" || !strings.Contains(out[4], tt.want) {
			t.Errorf("%s, %s: %v %s; want %s", tt.how, tt.answer, err, out, tt.want)
		}
	}
	if _, err := feed(t, Options{Policy: ask}, list, call, `{"lapsed":"cancelled"}`, `{"approval":"yes"}`); err == nil {
		t.Error("a call that the client gave up is answered")
	}
}

// FuzzEvalLine feeds any JSON value after a call: nothing panics, and the same
// lines have the same answers.
func FuzzEvalLine(f *testing.F) {
	for _, line := range []string{
		list, `{"call":{"server":"s","tool":"get","arguments":{"q":[1,2,{"a":"b"}]}}}`, `{"result":"x@evil.example"}`,
		`{"call":{"server":"s","tool":"send","arguments":{"to":"x@evil.example"}}}`, `{"approval":"yes"}`, `{"session":"new"}`,
		`{"approval":{"answer":"no","by":"webhook"}}`, `{"lapsed":"unanswered"}`, `{"lapsed":"cancelled"}`,
		`{"time":"2026-11-29T18:00:00Z"}`, `{"user":"u"}`, `{"facts":{"cwd":"/"}}`, frame("1", "get"), raw("server", `[]`), raw("client", `[[1]]`),
		raw("server", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`),
		`{"v":1,"read":{"file":"x","lines":1}}`, `{"v":1,"refused":{"server":"s","from":"server","base64":"AAAA","size":3}}`,
		`{"v":1,"session":{"id":"x","server":"s","file":"0123456789ab"}}`, `{"v":1,"policy":{"digest":"x","policy":{"v":1,"layers":[]}}}`,
		`{"v":1,"result":{"call":"000000-1","server":"s","value":{"content":[]}}}`, `{"v":1,"text":{"digest":"d","offset":-1,"length":1},"call":{"server":"s","tool":"get"}}`,
		`{"resource":{"server":"s","uri":["docs://x"],"action":"subscribe"}}`, `{"prompt":{"server":"s","name":"p","arguments":{}}}`,
		`{"complete":{"server":"s","ref":{},"argument":{}}}`, `{"request":{"server":"s","method":"roots/list","params":[]}}`, `{"method":{"server":"s","name":"x"}}`,
		`{"v":1,"call":{"kind":"x","server":"s"}}`, `{"v":1,"text":{"digest":"d","offset":-1,"length":1},"call":{"kind":"sampling","server":"s","continues":"000000-1"}}`,
		`{"v":1,"verdict":{"outcome":"deny"}}`, `{"v":1,"tools":{"server":"s","list":[],"cursor":"","next":""}}`,
	} {
		f.Add(line)
	}
	p := load(f, "")
	f.Fuzz(func(t *testing.T, line string) {
		v, err := abi.Parse([]byte(line))
		if err != nil {
			return
		}
		run := func() string {
			player := New(Options{Policy: p, Specs: builtin.Table(), Approve: true})
			var b strings.Builder
			for i, line := range []string{list, `{"call":{"server":"s","tool":"get"}}`, "", `{"call":{"server":"s","tool":"send","arguments":{"to":"x@evil.example"}}}`} {
				next := v
				if line != "" {
					next, _ = abi.Parse([]byte(line)) // written here
				}
				answers, _, err := player.Feed(next, uint64(i))
				if err != nil {
					b.WriteString(err.Error())
				}
				for _, a := range answers {
					b.Write(a.AppendAnswer(nil))
				}
			}
			return b.String()
		}
		if first, second := run(), run(); first != second {
			t.Fatalf("%s\nonce  %s\ntwice %s", line, first, second)
		}
	})
}
