package proxy_test

import (
	"strings"
	"testing"
)

// No revision is a way past the gate, one of the future neither, and what is not
// judged arrives as it was sent in each of them.
func TestEveryRevisionIsHeldToTheSameAndRelayed(t *testing.T) {
	const unknown = `{"jsonrpc":"2.0","id":3,"method":"vendor/x","params":{ "n" : 1.0, "later":{"x":[]} },"new":true}`
	cases := []struct {
		revision       string
		inFrame        bool // each request says it, and there is no initialize
		batches        bool
		shape, neither string // of a denial
	}{
		{"2024-11-05", false, true, `"isError":true`, "resultType"},
		{"2025-03-26", false, true, `"isError":true`, "resultType"},
		{"2025-06-18", false, false, `"isError":true`, "resultType"},
		{"2025-11-25", false, false, `"isError":true`, "resultType"},
		{"2026-07-28", true, false, `"resultType":"complete"`, `"error"`},
		{"2027-03-01", false, false, `"isError":true`, "resultType"},
		{"2027-03-01", true, false, `"resultType":"complete"`, `"error"`},
	}
	for _, c := range cases {
		name := c.revision
		if c.inFrame {
			name += " in each request"
		}
		t.Run(name, func(t *testing.T) {
			l := connect(t, setup{policy: onlyGood})
			meta := ""
			if c.inFrame {
				meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + c.revision + `","io.modelcontextprotocol/clientCapabilities":{}}`
				l.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list","params":{` + strings.TrimPrefix(meta, ",") + "}}\n")
				l.await(`"list"`)
			} else {
				l.greet(c.revision)
			}
			good := `{"jsonrpc":"2.0","id":1, "method":"tools/call","params":{"name":"good","arguments":{"a":1.0},"later":[]` + meta + `}}`
			bad := strings.NewReplacer(`"id":1,`, `"id":2,`, `"good"`, `"bad"`).Replace(good)
			folded := strings.NewReplacer(`"id":1,`, `"id":4,`, `"name":"good"`, `"name":"good","Name":"bad"`).Replace(good)
			batch := "[" + strings.Replace(good, `"id":1,`, `"id":5,`, 1) + "]"
			for _, f := range []string{good, bad, unknown, folded, batch} {
				l.send(f + "\n")
			}
			l.send(`{"jsonrpc":"2.0","id":"end","method":"ping"}` + "\n")
			l.await(`"end"`)
			l.await(`"id":1,"result"`)
			if denial := l.await(`"id":2,`); !strings.Contains(denial, c.shape) || strings.Contains(denial, c.neither) {
				t.Error(denial)
			}
			l.await(`"id":4,"error":{"code":-32600,"message":"callgate: FRAME_PARAM_NAME_FOLDS`)
			l.end()
			log := l.ranLog()
			for _, f := range []string{good, unknown} {
				if !strings.Contains(log, "got "+f) {
					t.Errorf("not as sent: %s", f)
				}
			}
			if got := strings.Contains(log, batch); got != c.batches || strings.Contains(log, `"bad"`) {
				t.Errorf("the batch goes out: %v; %s", got, log)
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no revisions")
	}
}
