package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// swapper edits the argument a from 1 to 2: the frame keeps its length.
type swapper struct{}

func (swapper) Judge(*abi.Snapshot) abi.Verdict { return contract.Abstain }

func (swapper) Edit(s *abi.Snapshot) []abi.Edit {
	if s.Call.Arguments.Get("a").Lexeme() != "1" {
		return nil
	}
	two, _ := abi.Parse([]byte("2"))
	return []abi.Edit{{At: "/a", With: two}}
}

func TestAnEditThatKeepsTheLengthIsAnEdit(t *testing.T) {
	specs := []contract.Spec{{Name: "swap", New: func(*contract.Rules) (contract.Contract, error) { return swapper{}, nil }}}
	one := func(id, a string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"good","arguments":{"a":%s}}}`, id, a)
	}
	cases := []struct{ name, frame, want, ran string }{
		{"alone it goes out edited", one("1", "1"), `"id":1,"result"`, `good {"a":2}`},
		{"in a batch it does not go out", `[` + one("1", "1") + `]`, `EDIT_IN_BATCH`, ``},
		{"a batch without edits goes out", `[` + one("1", "3") + `]`, `"id":1,"result"`, `good {"a":3}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := connect(t, setup{policy: onlyGood, specs: specs})
			l.greet("2025-03-26")
			l.send(c.frame + "\n")
			l.await(c.want)
			l.end()
			if got := strings.Join(l.ran(), ";"); got != c.ran {
				t.Errorf("ran %q; want %q", got, c.ran)
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// The denial that takes the place of a result may be as long as the result.
func TestADenialAsLongAsTheResultTakesItsPlaceInABatch(t *testing.T) {
	l := connect(t, setup{policy: strings.Replace(onlyGood, "default: deny", "default: deny, max_result_bytes: 200", 1)})
	l.greet("2025-03-26")
	say := func(id int, line string) {
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"say","arguments":{"line":%s}}}`+"\n", id, abi.StringValue(line).Append(nil)))
	}
	padded := func(n int) string {
		const head, tail = `{"jsonrpc":"2.0","id":ID,"result":{"pad":"`, `"}}`
		return head + strings.Repeat("x", n-len(head)-len(tail)) + tail // ID stands for an id of two digits
	}
	for id := 10; id < 15; id++ { // the numbers of the events have two digits from here on
		say(id, `[{"jsonrpc":"2.0","id":ID,"result":{}}]`)
		l.await(fmt.Sprintf(`[{"jsonrpc":"2.0","id":%d,"result":{}}]`, id))
	}
	say(20, padded(500))
	denial := l.await(`"id":20,`)
	if !strings.Contains(denial, "RESULT_SIZE") {
		t.Fatal(denial)
	}
	say(21, "["+padded(len(denial))+"]")
	if got := l.await(`"id":21,`); strings.Contains(got, "xxx") {
		t.Error("the result was relayed")
	}
}

// What the client may not see of one answer in a batch takes nothing from the
// others, nor a byte from what is around them.
func TestAnElementThatIsEditedLeavesTheRestOfItsBatch(t *testing.T) {
	const hides = "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow, max_result_bytes: 400}\ntools:\n  fake/bad: {hide: true}\n"
	ping := ` {"jsonrpc":"2.0", "id":"p","result":{"n":1.0}} `
	list := `{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"good"},{"name":"bad"}],"nextCursor":"c"}}`
	cases := []struct{ name, method, says, want, never string }{
		{"nothing to edit", "tools/list", "[ " + strings.Replace(list, `,{"name":"bad"}`, "", 1) + "," + ping + "]", "[ " + strings.Replace(list, `,{"name":"bad"}`, "", 1) + "," + ping + "]", "bad"},
		{"a hidden tool", "tools/list", "[ " + list + "," + ping + "]", "[ " + strings.Replace(list, `,{"name":"bad"}`, "", 1) + "," + ping + "]", "bad"},
		{"words of ours", "ping", `[{"jsonrpc":"2.0","id":ID,"result":{"_meta":{"dev.callgate/verdict":1,"x":2}}},` + ping + "]", `[{"jsonrpc":"2.0","id":ID,"result":{"_meta":{"x":2}}},` + ping + "]", `verdict":1`},
		{"a result that is too long", "tools/call", "[" + ping + `,{"jsonrpc":"2.0","id":ID,"result":{"content":"` + strings.Repeat("x", 500) + `"}} ]`, "[" + ping + `,{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"[callgate blocked] result: RESULT_SIZE`, "xxx"},
	}
	for _, c := range cases {
		l := connect(t, setup{policy: hides})
		l.greet("2025-03-26")
		before := len(l.got())
		l.send(`{"jsonrpc":"2.0","id":12345,"method":"` + c.method + `","params":{"name":"say","arguments":{"line":` + string(abi.StringValue(c.says).Append(nil)) + "}}}\n")
		l.await("12345")
		l.end()
		got := l.got()[before:]
		if !strings.Contains(got, strings.Replace(c.want, "ID", "12345", 1)) || strings.Contains(got, c.never) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
